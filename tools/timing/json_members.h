// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// Takes values out of a JSON object. The first that is missing or of another type is kept as an error with its path, and
/// empty values stand in from there on, so that a reader asks once, at the end.
class JsonMembers {
 public:
  /// Errors: no JSON, or no object. `path` begins the path of members.
  static Result<JsonMembers> parse(std::string_view text, std::string path);

  uint64_t count(const char* name);
  std::string text(const char* name);
  bool flag(const char* name);
  JsonMembers object(const char* name);
  std::vector<JsonMembers> objects(const char* name);
  /// Members of an object of counts, in the order of the file.
  std::vector<std::pair<std::string, uint64_t>> counts(const char* name);
  std::vector<std::string> names() const;
  /// Not null: has() is of members that may be left out or null.
  bool has(const char* name) const;
  /// A member as JSON text.
  std::string json(const char* name);
  /// Says that a member has a value that it cannot have.
  void wrong(const char* name, const std::string& why);

  Status status() const;

 private:
  struct Node;
  JsonMembers(std::shared_ptr<const Node> node, std::string path,
              std::shared_ptr<std::string> error);
  std::string pathOf(const char* name) const;
  void missing(const char* name, const char* wanted);

  std::shared_ptr<const Node> node_;
  std::string path_;
  std::shared_ptr<std::string> error_;  // of all that come from one text
};

}  // namespace etalon::tools
