// SPDX-License-Identifier: Apache-2.0
#include "tools/io/array_file.h"

#include <fmt/format.h>

#include "isa/base/text.h"
#include "tools/io/npy.h"
#include "tools/io/png.h"
#include "tools/io/safetensors.h"

namespace etalon::tools {
namespace {

struct SafetensorsSpec {
  std::string path, tensor;
};

std::optional<SafetensorsSpec> safetensorsSpec(const std::string& spec) {
  constexpr std::string_view kEnding = ".safetensors";
  if (spec.ends_with(kEnding)) return SafetensorsSpec{spec, ""};
  const size_t at = spec.find(".safetensors:");
  if (at == std::string::npos) return std::nullopt;
  const size_t colon = at + kEnding.size();
  return SafetensorsSpec{spec.substr(0, colon), spec.substr(colon + 1)};
}

Error unknownEnding(const std::string& spec) {
  return Error{fmt::format(
      "{}: unknown kind of array file; known: FILE.npy, FILE.safetensors:TENSOR, FILE.png",
      quote(spec))};
}

}  // namespace

Result<Array> readArray(const std::string& spec, std::optional<ElementType> expected) {
  if (std::optional<SafetensorsSpec> named = safetensorsSpec(spec))
    return readSafetensors(named->path, named->tensor);
  if (spec.ends_with(".npy")) return readNpy(spec, expected);
  if (spec.ends_with(".png")) return readPng(spec, expected);
  return unknownEnding(spec);
}

Status writeArray(const std::string& spec, const Array& array) {
  if (std::optional<SafetensorsSpec> named = safetensorsSpec(spec))
    return writeSafetensors(named->path,
                            {{named->tensor.empty() ? "array" : named->tensor, &array}});
  if (spec.ends_with(".npy")) return writeNpy(spec, array);
  if (spec.ends_with(".png")) return writePng(spec, array);
  return unknownEnding(spec);
}

Status checkArrayTarget(const std::string& spec) {
  if (safetensorsSpec(spec) || spec.ends_with(".npy") || spec.ends_with(".png")) return {};
  return unknownEnding(spec);
}

}  // namespace etalon::tools
