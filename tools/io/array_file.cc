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

/// Bytes of pairs as what they hold, if a 4-bit type is expected.
Result<Array> unpacked(Result<Array> array, std::optional<ElementType> expected) {
  if (!array.ok() || !expected || elementInfo(*expected).bits != 4 ||
      array->type != ElementType::u8 || array->shape.empty())
    return array;
  array->type = *expected;
  array->shape.back() *= 2;
  return array;
}

Error unknownEnding(const std::string& spec) {
  return Error{fmt::format(
      "{}: unknown kind of array file; known: FILE.npy, FILE.safetensors:TENSOR, FILE.png",
      quote(spec))};
}

}  // namespace

Result<Array> readArray(const std::string& spec, std::optional<ElementType> expected) {
  if (std::optional<SafetensorsSpec> named = safetensorsSpec(spec))
    return unpacked(readSafetensors(named->path, named->tensor), expected);
  if (spec.ends_with(".npy")) return unpacked(readNpy(spec, expected), expected);
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
