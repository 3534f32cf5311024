// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/trace_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "isa/base/text.h"

namespace etalon::sim {
namespace {

Error systemError(const std::string& path) {
  return Error{fmt::format("cannot write {}: {}", quote(path), std::strerror(errno))};
}

}  // namespace

Result<std::unique_ptr<TraceOutput>> TraceOutput::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return systemError(path);
  std::setvbuf(file, nullptr, _IOFBF, size_t{1} << 18);
  return std::unique_ptr<TraceOutput>(new TraceOutput(path, file));
}

void TraceOutput::write(std::string_view bytes) {
  if (failed()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    status_ = systemError(path_);
}

void TraceOutput::fail(Error error) {
  if (!failed()) status_ = std::move(error);
}

Status TraceOutput::close() {
  if (std::fclose(file_.release()) != 0 && !failed()) status_ = systemError(path_);
  if (failed()) std::remove(path_.c_str());
  return status_;
}

}  // namespace etalon::sim
