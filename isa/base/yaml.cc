// SPDX-License-Identifier: Apache-2.0
#include "isa/base/yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/file.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/base/yaml_parse.h"

namespace etalon {
namespace {

using Kind = YamlNode::Kind;

/// True if some YAML reader would make something else than a string of this plain scalar.
bool looksTyped(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  for (const char* word : {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", ".nan",
                           ".inf", "-.inf", "+.inf"})
    if (text == word) return true;
  const bool digit = text.find_first_of("0123456789") != std::string::npos;
  return digit && (text.find_first_not_of("0123456789_+-.:e") == std::string::npos ||
                   text.starts_with("0x") || text.starts_with("0o") || text.starts_with("0b"));
}

}  // namespace

YamlValue::YamlValue(std::shared_ptr<const YamlNode> root, const YamlNode* node, std::string file,
                     std::string path)
    : root_(std::move(root)), node_(node), file_(std::move(file)), path_(std::move(path)) {}

YamlValue YamlValue::child(const YamlNode& node, std::string path) const {
  return YamlValue(root_, &node, file_, std::move(path));
}

Error YamlValue::error(std::string_view what) const {
  return Error{
      fmt::format("{}:{}: {}{}{}", file_, node_->line, path_, path_.empty() ? "" : ": ", what)};
}

Error YamlValue::wrongKind(std::string_view wanted) const {
  switch (node_->kind) {
    case Kind::Null: return error(fmt::format("has no value; expected {}", wanted));
    case Kind::List: return error(fmt::format("is a list; expected {}", wanted));
    case Kind::Map: return error(fmt::format("is a map; expected {}", wanted));
    case Kind::Scalar: break;
  }
  return error(fmt::format("is {}{}; expected {}", node_->quoted ? "the quoted text " : "",
                           quote(node_->scalar), wanted));
}

Result<uint64_t> YamlValue::asUnsigned(uint64_t least, uint64_t most) const {
  if (node_->kind != Kind::Scalar || node_->quoted)
    return wrongKind(fmt::format("a whole number, {} to {}", least, most));
  Result<uint64_t> value = parseUnsigned(node_->scalar);
  if (!value.ok()) return error(value.error().message);
  if (*value < least || *value > most)
    return error(fmt::format("{} is outside {} to {}", node_->scalar, least, most));
  return value;
}

Result<int64_t> YamlValue::asSigned(int64_t least, int64_t most) const {
  if (node_->kind != Kind::Scalar || node_->quoted)
    return wrongKind(fmt::format("a whole number, {} to {}", least, most));
  Result<int64_t> value = parseSigned(node_->scalar);
  if (!value.ok()) return error(value.error().message);
  if (*value < least || *value > most)
    return error(fmt::format("{} is outside {} to {}", node_->scalar, least, most));
  return value;
}

Result<uint64_t> YamlValue::asBytes(uint64_t least, uint64_t most) const {
  const std::string range = fmt::format("{} to {}", formatBytes(least), formatBytes(most));
  if (node_->kind != Kind::Scalar || node_->quoted) return wrongKind("a size, " + range);
  Result<uint64_t> value = parseBytes(node_->scalar);
  if (!value.ok()) return error(value.error().message);
  if (*value < least || *value > most)
    return error(fmt::format("{} is outside {}", node_->scalar, range));
  return value;
}

Result<uint64_t> YamlValue::asThousandths(uint64_t least, uint64_t most) const {
  const std::string range =
      fmt::format("{} to {}", formatThousandths(least), formatThousandths(most));
  if (node_->kind != Kind::Scalar || node_->quoted) return wrongKind("a ratio, " + range);
  Result<uint64_t> value = parseThousandths(node_->scalar);
  if (!value.ok()) return error(value.error().message);
  if (*value < least || *value > most)
    return error(fmt::format("{} is outside {}", node_->scalar, range));
  return value;
}

Result<bool> YamlValue::asBool() const {
  if (node_->kind == Kind::Scalar && !node_->quoted &&
      (node_->scalar == "true" || node_->scalar == "false"))
    return node_->scalar == "true";
  return wrongKind("true or false");
}

Result<std::string> YamlValue::asString() const {
  if (node_->kind != Kind::Scalar) return wrongKind("text");
  if (node_->scalar.empty()) return error("is empty; expected text");
  if (!node_->quoted && looksTyped(node_->scalar))
    return wrongKind(
        fmt::format("text: write it in quotes if it is meant as text, \"{}\"", node_->scalar));
  return node_->scalar;
}

Result<std::vector<YamlValue>> YamlValue::asList() const {
  if (node_->kind != Kind::List) return wrongKind("a list");
  std::vector<YamlValue> values;
  for (const YamlNode& node : node_->children)
    values.push_back(child(node, fmt::format("{}[{}]", path_, values.size())));
  return values;
}

Result<std::vector<std::pair<std::string, YamlValue>>> YamlValue::asMap() const {
  if (node_->kind != Kind::Map) return wrongKind("a map (key: value)");
  std::vector<std::pair<std::string, YamlValue>> pairs;
  for (size_t i = 0; i < node_->keys.size(); ++i)
    pairs.emplace_back(node_->keys[i], child(node_->children[i],
                                             (path_.empty() ? "" : path_ + ".") + node_->keys[i]));
  return pairs;
}

Status YamlValue::allowKeys(std::span<const std::string_view> known) const {
  auto pairs = asMap();
  if (!pairs.ok()) return pairs.error();
  for (const auto& [key, value] : *pairs)
    if (std::find(known.begin(), known.end(), key) == known.end())
      return error(fmt::format("unknown key {} (line {}); known: {}", quote(key), value.node_->line,
                               fmt::join(known, ", ")));
  return {};
}

Result<YamlValue> YamlValue::at(std::string_view key) const {
  if (node_->kind != Kind::Map) return wrongKind(fmt::format("a map with the key '{}'", key));
  if (std::optional<YamlValue> value = find(key)) return *value;
  return error(fmt::format("the key '{}' is missing", key));
}

std::optional<YamlValue> YamlValue::find(std::string_view key) const {
  for (size_t i = 0; i < node_->keys.size(); ++i)
    if (node_->keys[i] == key)
      return child(node_->children[i], (path_.empty() ? "" : path_ + ".") + node_->keys[i]);
  return std::nullopt;
}

YamlDocument::YamlDocument(std::shared_ptr<const YamlNode> root, std::string file)
    : root_(std::move(root)), file_(std::move(file)) {}

Result<YamlDocument> YamlDocument::load(const std::string& path) {
  Result<std::string> text = readFile(path);
  if (!text.ok()) return text.error();
  return parse(*text, path);
}

Result<YamlDocument> YamlDocument::parse(std::string_view text, const std::string& file,
                                         size_t most_bytes) {
  auto root = parseYaml(text, file, most_bytes);
  if (!root.ok()) return root.error();
  return YamlDocument(*root, file);
}

YamlValue YamlDocument::root() const { return YamlValue(root_, root_.get(), file_, ""); }

}  // namespace etalon
