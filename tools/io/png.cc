// SPDX-License-Identifier: Apache-2.0
#include "tools/io/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstring>

#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "isa/base/text.h"
#include "isa/numerics/convert.h"

namespace etalon::tools {
namespace {

constexpr uint64_t kChannels = 3;
constexpr png_alloc_size_t kMostChunkBytes = 8 << 20;
/// A deflate stream of n bytes holds at most this many times n.
constexpr uint64_t kMostDeflateRatio = 1032;

/// One picture being read. libpng reports errors by longjmp, so whatever runs under `guarded` uses
/// only this structure and has no object with a destructor.
struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view rest;  // of the file
  png_bytep pixels = nullptr;
  char message[160] = "out of memory";

  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void onError(png_structp png, png_const_charp text) {
  auto* reader = static_cast<Reader*>(png_get_error_ptr(png));
  std::strncpy(reader->message, text, sizeof reader->message - 1);
  png_longjmp(png, 1);
}

void onWarning(png_structp, png_const_charp) {}

void onRead(png_structp png, png_bytep to, size_t count) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (reader->rest.size() < count) png_error(png, "the file ends inside the picture");
  std::memcpy(to, reader->rest.data(), count);
  reader->rest.remove_prefix(count);
}

/// True if `step` came to its end; else `reader.message` says why not.
bool guarded(Reader& reader, void (*step)(Reader&)) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  step(reader);
  return true;
}

void readHeader(Reader& reader) {
  png_set_read_fn(reader.png, &reader, onRead);
  png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // the product is our limit
  png_set_chunk_malloc_max(reader.png, kMostChunkBytes);
  png_read_info(reader.png, reader.info);
}

void readPixels(Reader& reader) {
  png_set_expand(reader.png);
  png_set_gray_to_rgb(reader.png);
  const int passes = png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  const png_uint_32 height = png_get_image_height(reader.png, reader.info);
  const size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
  if (row_bytes != kChannels * png_get_image_width(reader.png, reader.info))
    png_error(reader.png, "its rows do not come out as 8-bit RGB");
  for (int pass = 0; pass < passes; ++pass)
    for (png_uint_32 y = 0; y < height; ++y)
      png_read_row(reader.png, reader.pixels + y * row_bytes, nullptr);
  png_read_end(reader.png, nullptr);
}

/// What a header may say that this reader does not take.
Status checkHeader(const Reader& reader, uint64_t file_bytes) {
  const uint64_t width = png_get_image_width(reader.png, reader.info);
  const uint64_t height = png_get_image_height(reader.png, reader.info);
  if (width * height > kMostPngPixels)
    return Error{fmt::format("{}x{} pixels; the limit is {}", width, height, kMostPngPixels)};
  if ((png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_ALPHA) != 0 ||
      png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0)
    return Error{
        "it is transparent, and there is no background to put behind it; save it without an alpha "
        "channel"};
  if (png_get_bit_depth(reader.png, reader.info) > 8)
    return Error{"16 bits a sample; 8 are the most; save it with 8"};
  // Before memory is spent on a picture of which the file cannot hold the pixels.
  if (height * png_get_rowbytes(reader.png, reader.info) / kMostDeflateRatio > file_bytes)
    return Error{fmt::format("{}x{} pixels cannot stand in {} bytes: the file is cut short", width,
                             height, file_bytes)};
  return {};
}

Result<Array> readSamples(std::string_view content) {
  if (content.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(content.data()), 0, 8))
    return Error{"not a PNG file: it does not begin with \\x89PNG"};
  Reader reader;
  reader.rest = content;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, onError, onWarning);
  if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr || !guarded(reader, readHeader)) return Error{reader.message};
  ETALON_RETURN_IF_ERROR(checkHeader(reader, content.size()));
  Result<Array> array =
      makeArray(ElementType::u8, {1, png_get_image_height(reader.png, reader.info),
                                  png_get_image_width(reader.png, reader.info), kChannels});
  if (!array.ok()) return array.error();
  reader.pixels = reinterpret_cast<png_bytep>(array->data.data());
  if (!guarded(reader, readPixels)) return Error{reader.message};
  return array;
}

bool isFloatPicture(ElementType type) {
  return type == ElementType::bf16 || type == ElementType::f16 || type == ElementType::f32;
}

size_t elementBytes(ElementType type) { return static_cast<size_t>(elementInfo(type).bits) / 8; }

/// Samples 0..255 as 0..1 in `type`.
///
/// The way through f32 rounds once in effect: a sample's binary fraction v/255 repeats its 8 bits,
/// so no run of zeros or ones in it is long enough to look like a tie of bf16 or f16.
Result<Array> scaled(const Array& samples, ElementType type) {
  std::array<uint64_t, 256> value{};
  for (size_t v = 0; v < value.size(); ++v)
    value[v] = numerics::convertElement(ElementType::f32,
                                        std::bit_cast<uint32_t>(static_cast<float>(v) / 255.0f),
                                        type, numerics::Rounding::NearestEven, false);
  Result<Array> array = makeArray(type, samples.shape);
  if (!array.ok()) return array;
  const size_t size = elementBytes(type);
  std::byte* to = array->data.data();
  for (const std::byte sample : samples.data) {
    std::memcpy(to, &value[std::to_integer<size_t>(sample)], size);
    to += size;
  }
  return array;
}

struct Extents {
  uint64_t height, width, channels;
};

Result<Extents> pictureExtents(const Array& array) {
  std::vector<uint64_t> shape = array.shape;
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() == 2) shape.push_back(1);
  if (shape.size() != 3 || (shape[2] != 1 && shape[2] != 3))
    return Error{
        fmt::format("a picture has shape [H, W], [H, W, C] or [1, H, W, C] with C = 1 or 3, not {}",
                    describe(array.type, array.shape))};
  if (shape[0] == 0 || shape[1] == 0)
    return Error{fmt::format("{} has no pixels", describe(array.type, array.shape))};
  if (shape[0] > kMostPngPixels / shape[1])
    return Error{fmt::format("{}x{} pixels; the limit is {}", shape[1], shape[0], kMostPngPixels)};
  return Extents{shape[0], shape[1], shape[2]};
}

/// The samples of an array; `extents` only to name the place of a NaN.
Result<std::vector<uint8_t>> toSamples(const Array& array, const Extents& extents) {
  std::vector<uint8_t> samples(elementCount(array.shape));
  if (array.type == ElementType::u8) {
    std::memcpy(samples.data(), array.data.data(), samples.size());
    return samples;
  }
  const size_t size = elementBytes(array.type);
  for (size_t i = 0; i < samples.size(); ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, &array.data[i * size], size);
    const double value = numerics::widenToFloat(array.type, bits);
    if (std::isnan(value)) {
      const uint64_t pixel = i / extents.channels;
      return Error{fmt::format("NaN at row {}, column {}, channel {}: no colour stands for it",
                               pixel / extents.width, pixel % extents.width, i % extents.channels)};
    }
    // The product is exact in double: 24 + 8 bits.
    samples[i] = static_cast<uint8_t>(std::nearbyint(std::clamp(value, 0.0, 1.0) * 255.0));
  }
  return samples;
}

}  // namespace

Result<Array> parsePng(std::string_view content, const std::string& file,
                       std::optional<ElementType> expected) {
  const ElementType type = expected.value_or(ElementType::u8);
  if (type != ElementType::u8 && !isFloatPicture(type))
    return Error{fmt::format("{}: a picture is read as u8, bf16, f16 or f32, not as {}", file,
                             elementInfo(type).name)};
  Result<Array> samples = readSamples(content);
  if (!samples.ok()) return Error{file + ": " + samples.error().message};
  if (type == ElementType::u8) return samples;
  return scaled(*samples, type);
}

Result<Array> readPng(const std::string& path, std::optional<ElementType> expected) {
  const Result<std::string> content = readFile(path);
  if (!content.ok()) return content.error();
  return parsePng(*content, path, expected);
}

Result<std::string> formatPng(const Array& array) {
  if (array.type != ElementType::u8 && !isFloatPicture(array.type))
    return Error{fmt::format("a picture is written from u8, bf16, f16 or f32, not from {}",
                             elementInfo(array.type).name)};
  const Result<Extents> extents = pictureExtents(array);
  if (!extents.ok()) return extents.error();
  const Result<std::vector<uint8_t>> samples = toSamples(array, *extents);
  if (!samples.ok()) return samples.error();

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(extents->width);
  image.height = static_cast<png_uint_32>(extents->height);
  image.format = extents->channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string content(bytes, '\0');
  if (png_image_write_to_memory(&image, content.data(), &bytes, 0, samples->data(), 0, nullptr) ==
      0)
    return Error{fmt::format("cannot make a PNG of it: {}", image.message)};
  content.resize(bytes);
  return content;
}

Status writePng(const std::string& path, const Array& array) {
  const Result<std::string> content = formatPng(array);
  if (!content.ok()) return Error{path + ": " + content.error().message};
  return writeFile(path, *content);
}

}  // namespace etalon::tools
