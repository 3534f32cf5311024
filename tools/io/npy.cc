// SPDX-License-Identifier: Apache-2.0
#include "tools/io/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "tools/io/npy_header.h"

namespace etalon::tools {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr uint64_t kMostHeaderBytes = 1 << 20;

/// The file cut into its two parts.
struct Parts {
  std::string_view header;
  std::string_view data;
};

Result<Parts> splitFile(std::string_view content) {
  if (!content.starts_with(kMagic))
    return Error{"not a .npy file: it does not begin with \\x93NUMPY"};
  if (content.size() < 8) return Error{"ends inside the preamble"};
  const int major = static_cast<unsigned char>(content[6]);
  if (major < 1 || major > 3 || content[7] != 0)
    return Error{fmt::format("format version {}.{}; known: 1.0, 2.0, 3.0", major,
                             static_cast<unsigned char>(content[7]))};
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (content.size() < 8 + length_bytes) return Error{"ends inside the preamble"};
  const uint64_t length =
      major == 1 ? loadBytes<uint16_t>(&content[8]) : loadBytes<uint32_t>(&content[8]);
  if (length > kMostHeaderBytes)
    return Error{fmt::format("header of {} bytes; the limit is {}", length, kMostHeaderBytes)};
  const size_t begin = 8 + length_bytes;
  if (content.size() - begin < length)
    return Error{
        fmt::format("header of {} bytes, but only {} follow", length, content.size() - begin)};
  return Parts{content.substr(begin, length), content.substr(begin + length)};
}

/// C order from Fortran order: walks the destination, stepping the source by its own strides.
void transposeOrder(const std::byte* from, Array& to, size_t size) {
  const size_t rank = to.shape.size();
  std::vector<uint64_t> stride(rank, size);
  for (size_t axis = 1; axis < rank; ++axis) stride[axis] = stride[axis - 1] * to.shape[axis - 1];
  std::vector<uint64_t> index(rank, 0);
  uint64_t source = 0;
  for (size_t at = 0; at < to.data.size(); at += size) {
    std::memcpy(&to.data[at], from + source, size);
    for (size_t axis = rank; axis-- > 0;) {
      source += stride[axis];
      if (++index[axis] < to.shape[axis]) break;
      source -= stride[axis] * to.shape[axis];
      index[axis] = 0;
    }
  }
}

Result<Array> parseParts(std::string_view content, std::optional<ElementType> expected) {
  Result<Parts> parts = splitFile(content);
  if (!parts.ok()) return parts.error();
  Result<NpyHeader> header = parseNpyHeader(parts->header);
  if (!header.ok()) return header.error();
  Result<NpyType> type = npyType(header->descr, expected);
  if (!type.ok()) return type.error();
  Result<uint64_t> bytes = arrayBytes(type->type, header->shape);
  if (!bytes.ok()) return bytes.error();
  if (parts->data.size() != *bytes)
    return Error{fmt::format("{} needs {} bytes of data, but {} follow the header",
                             describe(type->type, header->shape), *bytes, parts->data.size())};
  Result<Array> array = makeArray(type->type, header->shape);
  if (!array.ok()) return array.error();
  const size_t size = static_cast<size_t>(elementInfo(type->type).bits) / 8;
  const auto* data = reinterpret_cast<const std::byte*>(parts->data.data());
  if (header->fortran_order && header->shape.size() > 1)
    transposeOrder(data, *array, size);
  else
    std::copy(data, data + *bytes, array->data.begin());
  if (type->swap)
    for (size_t at = 0; at < array->data.size(); at += size)
      std::reverse(&array->data[at], &array->data[at] + size);
  if (type->is_bool)
    for (std::byte& value : array->data) value = std::byte{value != std::byte{0}};
  return array;
}

}  // namespace

Result<Array> parseNpy(std::string_view content, const std::string& file,
                       std::optional<ElementType> expected) {
  Result<Array> array = parseParts(content, expected);
  if (!array.ok()) return Error{file + ": " + array.error().message};
  return array;
}

Result<Array> readNpy(const std::string& path, std::optional<ElementType> expected) {
  Result<std::string> content = readFile(path);
  if (!content.ok()) return content.error();
  return parseNpy(*content, path, expected);
}

Result<std::string> formatNpy(const Array& array) {
  const std::optional<std::string_view> descr = npyDescr(array.type);
  if (!descr) return Error{fmt::format("a .npy file cannot hold {}", elementInfo(array.type).name)};
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", *descr,
                  fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  constexpr size_t kPreamble = 10;
  const size_t unpadded = kPreamble + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ').append(1, '\n');
  std::string content(kMagic);
  content += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  content += header;
  content.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
  return content;
}

Status writeNpy(const std::string& path, const Array& array) {
  Result<std::string> content = formatNpy(array);
  if (!content.ok()) return Error{path + ": " + content.error().message};
  return writeFile(path, *content);
}

}  // namespace etalon::tools
