// SPDX-License-Identifier: Apache-2.0
#include "tools/io/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "isa/base/text.h"
#include "tools/io/safetensors_types.h"

namespace etalon::tools {
namespace {

constexpr uint64_t kMostHeaderBytes = 100'000'000;  // the reference reader's limit

/// An open file, its header checked.
struct Opened {
  std::ifstream stream;
  std::vector<SafetensorsEntry> entries;
  uint64_t data_begin = 0;
};

Result<Opened> openFile(const std::string& path) {
  const auto error = [&](const std::string& what) { return Error{path + ": " + what}; };
  std::error_code code;
  const uint64_t size = std::filesystem::file_size(path, code);
  if (code) return Error{fmt::format("cannot read '{}': {}", path, code.message())};
  Opened file{std::ifstream(path, std::ios::binary), {}, 0};
  char prefix[8];
  if (!file.stream) return Error{fmt::format("cannot read '{}'", path)};
  if (size < sizeof prefix || !file.stream.read(prefix, sizeof prefix))
    return error("not a .safetensors file: shorter than the 8 bytes of its header length");
  const auto length = loadBytes<uint64_t>(prefix);
  if (length > kMostHeaderBytes)
    return error(fmt::format("not a .safetensors file: header of {} bytes, the limit is {}", length,
                             kMostHeaderBytes));
  if (length > size - sizeof prefix)
    return error(
        fmt::format("header of {} bytes, but only {} follow", length, size - sizeof prefix));
  std::string header(length, '\0');
  if (!file.stream.read(header.data(), static_cast<std::streamsize>(length)))
    return error("cannot read the header");
  file.data_begin = sizeof prefix + length;
  Result<std::vector<SafetensorsEntry>> entries =
      parseSafetensorsHeader(header, size - file.data_begin);
  if (!entries.ok()) return error(entries.error().message);
  file.entries = *std::move(entries);
  return file;
}

Result<const SafetensorsEntry*> pick(const std::vector<SafetensorsEntry>& entries,
                                     const std::string& tensor) {
  if (tensor.empty() && entries.size() == 1) return &entries[0];
  for (const SafetensorsEntry& entry : entries)
    if (entry.name == tensor) return &entry;
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : entries) {
    names.push_back(quote(entry.name));
    if (names.size() == 20) break;
  }
  const std::string list = fmt::format("it has {} tensors: {}{}", entries.size(), joined(names),
                                       entries.size() > 20 ? ", ..." : "");
  if (tensor.empty())
    return Error{fmt::format("say which tensor, FILE.safetensors:NAME; {}", list)};
  return Error{fmt::format("no tensor {}; {}", quote(tensor), list)};
}

}  // namespace

Result<std::vector<SafetensorsEntry>> listSafetensors(const std::string& path) {
  Result<Opened> file = openFile(path);
  if (!file.ok()) return file.error();
  return std::move(file->entries);
}

Result<Array> readSafetensors(const std::string& path, const std::string& tensor) {
  Result<Opened> file = openFile(path);
  if (!file.ok()) return file.error();
  const auto error = [&](const std::string& what) { return Error{path + ": " + what}; };
  Result<const SafetensorsEntry*> picked = pick(file->entries, tensor);
  if (!picked.ok()) return error(picked.error().message);
  const SafetensorsEntry& entry = **picked;
  if (!entry.type)
    return error(fmt::format(
        "tensor {} is {}, which the machine has not got; known: {}", quote(entry.name),
        quote(entry.dtype), "F32 BF16 F16 F8_E4M3 F8_E5M2 F8_E8M0 I64 I32 U32 I16 U16 I8 U8 BOOL"));
  Result<Array> array = makeArray(*entry.type, entry.shape);
  if (!array.ok()) return error(array.error().message);
  file->stream.seekg(static_cast<std::streamoff>(file->data_begin + entry.begin));
  if (!file->stream.read(reinterpret_cast<char*>(array->data.data()),
                         static_cast<std::streamsize>(array->data.size())))
    return error(fmt::format("cannot read the data of tensor {}", quote(entry.name)));
  if (entry.dtype == "BOOL")
    for (std::byte& value : array->data) value = std::byte{value != std::byte{0}};
  return array;
}

Result<std::string> formatSafetensors(
    const std::vector<std::pair<std::string, const Array*>>& tensors) {
  // Not std::stable_sort: clang warns of a deprecated call inside libstdc++ 12's.
  std::vector<std::pair<std::string, const Array*>> sorted;
  for (const int bits : {64, 32, 16, 8, 4})
    for (const auto& tensor : tensors)
      if (elementInfo(tensor.second->type).bits == bits) sorted.push_back(tensor);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::string data;
  for (const auto& [name, array] : sorted) {
    const std::optional<std::string_view> dtype = safetensorsDtype(array->type);
    if (!dtype)
      return Error{
          fmt::format("a .safetensors file cannot hold {}", elementInfo(array->type).name)};
    if (header.contains(name) || name == "__metadata__")
      return Error{fmt::format("the tensor name {} is taken", quote(name))};
    const size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(array->data.data()), array->data.size());
    header[name] = {
        {"dtype", *dtype}, {"shape", array->shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string content(8, '\0');
  storeBytes<uint64_t>(content.data(), text.size());
  return content + text + data;
}

Status writeSafetensors(const std::string& path,
                        const std::vector<std::pair<std::string, const Array*>>& tensors) {
  Result<std::string> content = formatSafetensors(tensors);
  if (!content.ok()) return Error{path + ": " + content.error().message};
  return writeFile(path, *content);
}

}  // namespace etalon::tools
