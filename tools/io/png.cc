// SPDX-License-Identifier: Apache-2.0
// By libpng's simplified interface, which reports errors in the image struct and never jumps through
// our frames.
#include "tools/io/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "isa/base/text.h"
#include "isa/numerics/convert.h"

namespace etalon::tools {
namespace {

bool isPictureFloat(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16;
}

Error typeError(const std::string& name, ElementType type) {
  return Error{fmt::format("{}: a picture is u8, or f32, f16 or bf16 in 0..1, not {}", quote(name),
                           elementInfo(type).name)};
}

/// Height, width and channels of an array that is a picture.
struct Extents {
  uint64_t height, width, channels;
};
std::optional<Extents> pictureExtents(std::vector<uint64_t> shape) {
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() == 2) shape.push_back(1);
  if (shape.size() != 3 || (shape[2] != 1 && shape[2] != 3)) return std::nullopt;
  if (shape[0] == 0 || shape[1] == 0 || shape[0] > kMostPixels / shape[1]) return std::nullopt;
  return Extents{shape[0], shape[1], shape[2]};
}

uint8_t sampleOf(ElementType type, const std::byte* element) {
  if (type == ElementType::u8) return loadBytes<uint8_t>(element);
  const uint32_t bits =
      elementInfo(type).bits == 32 ? loadBytes<uint32_t>(element) : loadBytes<uint16_t>(element);
  const double value = numerics::widenToFloat(type, bits);  // times 255 is exact in double
  if (!(value > 0)) return 0;
  return static_cast<uint8_t>(std::nearbyint(std::min(value, 1.0) * 255.0));
}

}  // namespace

Result<Array> parsePng(std::span<const std::byte> file, const std::string& name,
                       std::optional<ElementType> expected) {
  const ElementType type = expected.value_or(ElementType::u8);
  if (type != ElementType::u8 && !isPictureFloat(type)) return typeError(name, type);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, file.data(), file.size()))
    return Error{fmt::format("{}: no readable PNG: {}", quote(name), image.message)};
  if (image.width == 0 || image.height > kMostPixels / image.width) {
    png_image_free(&image);
    return Error{fmt::format("{}: the picture has {} x {} pixels; the most are {}", quote(name),
                             image.width, image.height, kMostPixels)};
  }
  image.format = PNG_FORMAT_RGB;
  Result<Array> array = makeArray(type, {1, image.height, image.width, 3});
  if (!array.ok()) {
    png_image_free(&image);
    return array.error();
  }
  std::vector<uint8_t> samples(PNG_IMAGE_SIZE(image));
  const png_color black{};
  if (!png_image_finish_read(&image, &black, samples.data(), 0, nullptr))
    return Error{fmt::format("{}: damaged PNG: {}", quote(name), image.message)};
  const size_t size = static_cast<size_t>(elementInfo(type).bits) / 8;
  for (size_t i = 0; i < samples.size(); ++i) {
    uint32_t bits = samples[i];
    if (type != ElementType::u8)
      bits = numerics::roundFromFloat(type, static_cast<float>(samples[i]) / 255.0F,
                                      numerics::Rounding::NearestEven, false);
    std::copy_n(reinterpret_cast<const std::byte*>(&bits), size, array->data.data() + i * size);
  }
  return array;
}

Result<Array> readPng(const std::string& path, std::optional<ElementType> expected) {
  const Result<std::string> file = readFile(path);
  if (!file.ok()) return file.error();
  return parsePng(std::as_bytes(std::span(*file)), path, expected);
}

Status writePng(const std::string& path, const Array& array) {
  if (array.type != ElementType::u8 && !isPictureFloat(array.type))
    return typeError(path, array.type);
  const std::optional<Extents> extents = pictureExtents(array.shape);
  if (!extents)
    return Error{fmt::format(
        "{}: {} is no picture: it must be [1, H, W, C], [H, W, C] or [H, W] with 1 or 3 "
        "channels and 1 to {} pixels",
        quote(path), describe(array.type, array.shape), kMostPixels)};
  const size_t size = static_cast<size_t>(elementInfo(array.type).bits) / 8;
  std::vector<uint8_t> samples(extents->height * extents->width * extents->channels);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i] = sampleOf(array.type, array.data.data() + i * size);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<uint32_t>(extents->width);
  image.height = static_cast<uint32_t>(extents->height);
  image.format = extents->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  std::string file(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t bytes = file.size();
  if (!png_image_write_to_memory(&image, file.data(), &bytes, 0, samples.data(), 0, nullptr))
    return Error{fmt::format("{}: cannot encode the picture: {}", quote(path), image.message)};
  return writeFile(path, std::string_view(file).substr(0, bytes));
}

}  // namespace etalon::tools
