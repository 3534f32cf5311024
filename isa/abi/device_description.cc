// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/device_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "isa/base/text.h"

namespace etalon {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostText = 200;
constexpr size_t kMostName = 64;

/// True if the text is one of the schema's names: first `first(c)`, then `rest(c)`, at most kMostName characters.
template <class First, class Rest>
bool isName(std::string_view text, First first, Rest rest) {
  return !text.empty() && text.size() <= kMostName && first(text.front()) &&
         std::ranges::all_of(text.substr(1), rest);
}
bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLowerOrDigit(char c) { return isLower(c) || isDigit(c); }

bool isDeviceName(std::string_view text) {
  return isName(text, isLowerOrDigit,
                [](char c) { return isLowerOrDigit(c) || c == '.' || c == '_' || c == '-'; });
}
bool isOperatorName(std::string_view text) {
  return isName(text, isLower, [](char c) { return isLowerOrDigit(c) || c == '_'; });
}
bool isProfileName(std::string_view text) {
  return text.starts_with("Et-") && isName(text.substr(3), isLowerOrDigit, isLowerOrDigit);
}

/// One object of the description, its keys read one by one.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string path) : object_(object), path_(std::move(path)) {}

  Status expectObject(std::initializer_list<std::string_view> known) const {
    if (!object_.is_object()) return error("", "must be an object");
    for (const auto& [key, value] : object_.items())
      if (std::ranges::find(known, key) == known.end())
        return Error{fmt::format("{}: unknown key {}; it has: {}", path_, quote(key),
                                 joined({known.begin(), known.end()}))};
    return {};
  }
  Result<const Json*> get(std::string_view key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) return error(key, "is missing");
    return &*found;
  }
  bool has(std::string_view key) const { return object_.contains(key); }

  template <class Accept>
  Status text(std::string_view key, std::string& into, Accept accept, std::string_view rule) const {
    const Result<const Json*> value = get(key);
    if (!value.ok()) return value.error();
    if (!(*value)->is_string()) return error(key, "must be a text");
    into = (*value)->get<std::string>();
    if (!accept(into)) return error(key, fmt::format("is {}; it must be {}", quote(into), rule));
    return {};
  }
  template <class Accept>
  Status names(std::string_view key, std::vector<std::string>& into, size_t most, Accept accept,
               std::string_view rule) const {
    const Result<const Json*> list = get(key);
    if (!list.ok()) return list.error();
    if (!(*list)->is_array()) return error(key, "must be an array");
    if ((*list)->size() > most)
      return error(key, fmt::format("has {} elements; {} are allowed", (*list)->size(), most));
    for (const Json& element : **list) {
      if (!element.is_string()) return error(key, "must hold texts");
      const auto name = element.get<std::string>();
      if (!accept(name))
        return error(key, fmt::format("holds {}; a name must be {}", quote(name), rule));
      if (std::ranges::find(into, name) != into.end())
        return error(key, fmt::format("holds {} twice", quote(name)));
      into.push_back(name);
    }
    return {};
  }
  Status number(std::string_view key, uint64_t least, uint64_t most, uint64_t& into) const {
    if (!has(key)) return {};
    const Json& value = object_.at(std::string(key));
    if (!value.is_number_unsigned() || value.get<uint64_t>() < least ||
        value.get<uint64_t>() > most)
      return error(key, fmt::format("is {}; it must be a whole number from {} to {}",
                                    quote(value.dump()), least, most));
    into = value.get<uint64_t>();
    return {};
  }
  Error error(std::string_view key, std::string_view what) const {
    return Error{fmt::format("{}{}{} {}", path_, key.empty() ? "" : ".", key, what)};
  }

 private:
  const Json& object_;
  std::string path_;
};

Status readLimits(const Json& json, DeviceDescription& into) {
  constexpr uint64_t kMostMemory = uint64_t{1}
                                   << 53;  // whole numbers that every reader of JSON has
  const ObjectReader limits(json, "description.limits");
  ETALON_RETURN_IF_ERROR(limits.expectObject({"memory_bytes", "alignment", "rank", "cores"}));
  if (!limits.has("memory_bytes")) return limits.error("memory_bytes", "is missing");
  ETALON_RETURN_IF_ERROR(limits.number("memory_bytes", 1, kMostMemory, into.memory_bytes));
  ETALON_RETURN_IF_ERROR(limits.number("alignment", 1, 4096, into.alignment));
  if (!std::has_single_bit(into.alignment))
    return limits.error("alignment",
                        fmt::format("is {}; it must be a power of two", into.alignment));
  ETALON_RETURN_IF_ERROR(limits.number("rank", 1, 32, into.rank));
  return limits.number("cores", 1, 65536, into.cores);
}

Status readNumerics(const Json& json, DeviceDescription& into) {
  if (json.is_object() && !json.empty()) {
    into.numerics = "declared";
    return {};
  }
  if (json.is_string()) into.numerics = json.get<std::string>();
  if (into.numerics == "canonical" || into.numerics == "undeclared") return {};
  return Error{fmt::format(
      "description.numerics is {}; it must be \"canonical\", \"undeclared\" or a contract",
      quote(json.dump()))};
}

}  // namespace

bool DeviceDescription::hasOperator(std::string_view operation) const {
  return std::ranges::find(operators, operation) != operators.end();
}

Result<DeviceDescription> parseDeviceDescription(std::string_view json) {
  const Json root = Json::parse(json, nullptr, false);
  if (root.is_discarded())
    return Error{fmt::format("the description is not JSON; it begins with {}", quote(json))};
  const ObjectReader reader(root, "description");
  ETALON_RETURN_IF_ERROR(reader.expectObject({"name", "title", "vendor", "version", "kind",
                                              "profiles", "operators", "numerics", "limits"}));
  DeviceDescription d;
  d.json = json;
  ETALON_RETURN_IF_ERROR(reader.text(
      "name", d.name, isDeviceName, "1 to 64 of a-z, 0-9, '.', '_', '-', a letter or digit first"));
  const auto is_line = [](const std::string& text) {
    return !text.empty() && text.size() <= kMostText &&
           std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  };
  for (const auto& [key, into] : {std::pair{"title", &d.title}, std::pair{"vendor", &d.vendor},
                                  std::pair{"version", &d.version}})
    ETALON_RETURN_IF_ERROR(reader.text(key, *into, is_line, "one line of 1 to 200 characters"));
  const std::vector<std::string> kinds = {"model", "rtl", "emulator", "board", "chip", "library"};
  const auto is_kind = [&](const std::string& text) {
    return std::ranges::find(kinds, text) != kinds.end();
  };
  ETALON_RETURN_IF_ERROR(reader.text("kind", d.kind, is_kind, joined(kinds)));
  ETALON_RETURN_IF_ERROR(
      reader.names("profiles", d.profiles, 256, isProfileName, "Et- and letters of a-z or digits"));
  ETALON_RETURN_IF_ERROR(reader.names("operators", d.operators, 4096, isOperatorName,
                                      "1 to 64 of a-z, 0-9, '_', a letter first"));
  const Result<const Json*> numerics = reader.get("numerics");
  if (!numerics.ok()) return numerics.error();
  ETALON_RETURN_IF_ERROR(readNumerics(**numerics, d));
  const Result<const Json*> limits = reader.get("limits");
  if (!limits.ok()) return limits.error();
  ETALON_RETURN_IF_ERROR(readLimits(**limits, d));
  return d;
}

}  // namespace etalon
