// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/base/status.h"

namespace etalon {

struct YamlNode;

/// Bytes a YAML file may have, unless the caller says otherwise.
inline constexpr size_t kYamlBytes = 1 << 20;

/// One value of a YAML file, with the place it stands at. Cheap to copy; keeps the document alive.
///
/// Every error reads `file:line: dotted.path: what is wrong and what would be right`. Reading is
/// strict: a plain 3 is no string, a quoted "3" no number, `yes` no bool, `010` no number.
class YamlValue {
 public:
  /// A whole number in [least, most], decimal or 0x....
  Result<uint64_t> asUnsigned(uint64_t least, uint64_t most) const;
  /// The same, with a minus if it is negative.
  Result<int64_t> asSigned(int64_t least, int64_t most) const;
  /// A size in [least, most] bytes: whole number, or `8 MiB` (KiB, MiB, GiB).
  Result<uint64_t> asBytes(uint64_t least, uint64_t most) const;
  /// A ratio in [least, most] thousandths: `2`, `0.5` or `1/2`.
  Result<uint64_t> asThousandths(uint64_t least, uint64_t most) const;
  /// `true` or `false`.
  Result<bool> asBool() const;
  /// A scalar that no YAML reader would take for a number, a bool or null, unless it is quoted. Not
  /// empty.
  Result<std::string> asString() const;
  Result<std::vector<YamlValue>> asList() const;
  /// The pairs of a map in the order of the file.
  Result<std::vector<std::pair<std::string, YamlValue>>> asMap() const;

  /// Fails unless this is a map whose every key is one of `known`; the message lists the known
  /// ones.
  Status allowKeys(std::span<const std::string_view> known) const;
  Status allowKeys(std::initializer_list<std::string_view> known) const {
    return allowKeys(std::span(known.begin(), known.size()));
  }
  /// The value of a key; an error that says so if this is no map or has no such key.
  Result<YamlValue> at(std::string_view key) const;
  /// The value of a key, or nullopt; also nullopt if this is no map.
  std::optional<YamlValue> find(std::string_view key) const;

  /// An error at this place, for checks the caller makes.
  Error error(std::string_view what) const;
  /// `cores.value`, `profiles[2]`; empty for the root.
  const std::string& path() const { return path_; }

 private:
  friend class YamlDocument;
  YamlValue(std::shared_ptr<const YamlNode> root, const YamlNode* node, std::string file,
            std::string path);
  YamlValue child(const YamlNode& node, std::string path) const;
  Error wrongKind(std::string_view wanted) const;

  std::shared_ptr<const YamlNode> root_;
  const YamlNode* node_;
  std::string file_;
  std::string path_;
};

/// A YAML file read strictly, safe on hostile input.
///
/// Refused: more than 1 MiB (or what the caller allows), more than 32 levels, bytes that are no UTF-8 text, duplicate keys,
/// keys that are no scalars, anchors, aliases, merge keys, explicit tags, more than one document.
/// The reasons are one: whoever reads the file must see what the program sees. yaml-cpp itself lets
/// the first of two equal keys win.
class YamlDocument {
 public:
  static Result<YamlDocument> load(const std::string& path);
  /// `file` is what messages call the text.
  static Result<YamlDocument> parse(std::string_view text, const std::string& file,
                                    size_t most_bytes = kYamlBytes);

  YamlValue root() const;

 private:
  YamlDocument(std::shared_ptr<const YamlNode> root, std::string file);

  std::shared_ptr<const YamlNode> root_;
  std::string file_;
};

}  // namespace etalon
