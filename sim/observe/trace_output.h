// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "isa/base/status.h"

namespace etalon::sim {

/// A file that a run writes while it goes on. The first error is kept, what follows is dropped, close() tells.
class TraceOutput {
 public:
  static Result<std::unique_ptr<TraceOutput>> open(const std::string& path);

  void write(std::string_view bytes);
  /// Ends the file in failure: close() will remove it and return `error`.
  void fail(Error error);
  bool failed() const { return !status_.ok(); }
  /// The last call. A file that is not whole is removed.
  Status close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  TraceOutput(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  Status status_;
};

}  // namespace etalon::sim
