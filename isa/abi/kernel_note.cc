// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/kernel_note.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/bits.h"

namespace etalon::abi {
namespace {

constexpr uint64_t align4(uint64_t size) { return (size + 3) & ~uint64_t{3}; }

/// One note of a section.
struct Note {
  std::string_view name;  // without its NUL
  uint32_t type = 0;
  std::span<const std::byte> descriptor;
};

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Takes the first note off the section.
Result<Note> takeNote(std::span<const std::byte>& section) {
  constexpr uint64_t kHeader = 12;
  if (section.size() < kHeader)
    return Error{
        fmt::format("a note header needs {} bytes, but only {} are left", kHeader, section.size())};
  const uint64_t name_bytes = loadBytes<uint32_t>(&section[0]);
  const uint64_t descriptor_bytes = loadBytes<uint32_t>(&section[4]);
  const uint64_t descriptor_begin = kHeader + align4(name_bytes);
  if (descriptor_begin + descriptor_bytes > section.size())
    return Error{fmt::format("a note of {} + {} bytes, but only {} are left", name_bytes,
                             descriptor_bytes, section.size() - kHeader)};
  Note note;
  note.name = asText(section.subspan(kHeader, name_bytes));
  if (note.name.ends_with('\0')) note.name.remove_suffix(1);
  note.type = loadBytes<uint32_t>(&section[8]);
  note.descriptor = section.subspan(descriptor_begin, descriptor_bytes);
  section = section.subspan(
      std::min<uint64_t>(descriptor_begin + align4(descriptor_bytes), section.size()));
  return note;
}

Result<KernelSpec> parseDescriptor(std::span<const std::byte> descriptor) {
  if (descriptor.size() < 8)
    return Error{fmt::format("the descriptor has {} bytes; it begins with 8", descriptor.size())};
  const auto version = loadBytes<uint32_t>(&descriptor[0]);
  if (version != kNoteVersion)
    return Error{fmt::format("version {}; known: {}", version, kNoteVersion)};
  const auto args_bytes = loadBytes<uint32_t>(&descriptor[4]);
  const std::string_view text = asText(descriptor.subspan(8));
  const size_t end = text.find('\0');
  if (end == std::string_view::npos) return Error{"the spec does not end in NUL"};
  Result<KernelSpec> spec = parseKernelSpec(text.substr(0, end));
  if (!spec.ok()) return spec.error();
  if (args_bytes != spec->argsBytes())
    return Error{fmt::format(
        "the program's argument block has {} bytes, but the spec of '{}' makes {} ({} arguments "
        "and "
        "{} symbols of 8)",
        args_bytes, spec->name, spec->argsBytes(), spec->arguments.size(), spec->symbols.size())};
  return spec;
}

}  // namespace

Result<std::optional<KernelSpec>> parseKernelNote(std::span<const std::byte> section) {
  std::optional<KernelSpec> found;
  while (!section.empty()) {
    Result<Note> note = takeNote(section);
    if (!note.ok()) return Error{fmt::format("{}: {}", kNoteSection, note.error().message)};
    if (note->name != kNoteName || note->type != kNoteType) continue;
    if (found)
      return Error{fmt::format("{}: two launch notes; an image has one kernel", kNoteSection)};
    Result<KernelSpec> spec = parseDescriptor(note->descriptor);
    if (!spec.ok()) return Error{fmt::format("{}: {}", kNoteSection, spec.error().message)};
    found = *std::move(spec);
  }
  return found;
}

std::vector<std::byte> encodeKernelNote(std::string_view spec, uint32_t args_bytes) {
  std::string content;
  const auto word = [&](uint32_t value) {
    content.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  word(static_cast<uint32_t>(kNoteName.size() + 1));
  word(static_cast<uint32_t>(8 + spec.size() + 1));
  word(kNoteType);
  content.append(kNoteName).append(2, '\0');
  word(kNoteVersion);
  word(args_bytes);
  content.append(spec).append(1, '\0');
  content.resize(align4(content.size()));
  const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
  return {bytes, bytes + content.size()};
}

}  // namespace etalon::abi
