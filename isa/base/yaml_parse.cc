// SPDX-License-Identifier: Apache-2.0
#include "isa/base/yaml_parse.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "isa/base/text.h"

namespace etalon {
namespace {

constexpr size_t kMostDepth = 32;

/// Length of the UTF-8 sequence at `at`, or 0 if there is none (overlong forms and surrogates
/// included).
size_t utf8Length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(at + 1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0)) return 0;
  if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90)) return 0;
  return length;
}

/// yaml-cpp guesses UTF-16 and UTF-32 from the first bytes and takes control characters; here text
/// is UTF-8 or nothing.
Status checkText(std::string_view text, const std::string& file, size_t most_bytes) {
  if (text.size() > most_bytes)
    return Error{fmt::format("{}: {} bytes; a YAML file may have {} at most", file, text.size(),
                             most_bytes)};
  int line = 1;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') ++line;
    const size_t length = utf8Length(text, i);
    if (length == 0 || byte == 0x7f ||
        (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t'))
      return Error{fmt::format("{}:{}: byte 0x{:02x} is not UTF-8 text", file, line, byte)};
    i += length;
  }
  return {};
}

/// Takes yaml-cpp's events and builds the tree; after the first refusal it only waits for the end.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string file) : file_(std::move(file)) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, {}, anchor, YamlNode::Kind::Null, "");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases (*name) are not used here: write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add(mark, tag, anchor, YamlNode::Kind::Scalar, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    add(mark, tag, anchor, YamlNode::Kind::List, "");
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    add(mark, tag, anchor, YamlNode::Kind::Map, "");
  }
  void OnMapEnd() override { close(); }

  const std::optional<Error>& refusal() const { return refusal_; }
  YamlNode takeRoot() { return std::move(root_); }

 private:
  void refuse(const YAML::Mark& mark, const std::string& what) {
    if (!refusal_) refusal_ = Error{fmt::format("{}:{}: {}", file_, mark.line + 1, what)};
  }

  void add(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
           YamlNode::Kind kind, const std::string& value) {
    if (refusal_) return;
    if (anchor != YAML::NullAnchor)
      return refuse(mark, "anchors (&name) are not used here: write the value out");
    if (!tag.empty() && tag != "?" && tag != "!")
      return refuse(mark, fmt::format("the tag {} is not used here: leave it out", quote(tag)));
    const bool is_quoted = tag == "!";
    if (!open_.empty() && open_.back()->kind == YamlNode::Kind::Map &&
        open_.back()->keys.size() == open_.back()->children.size())
      return addKey(mark, kind, value, is_quoted);
    YamlNode* node = &root_;
    if (!open_.empty()) node = &open_.back()->children.emplace_back();
    node->kind = kind;
    node->line = mark.line + 1;
    node->scalar = value;
    node->quoted = is_quoted;
    // yaml-cpp reports an untagged empty plain scalar, ~ and null as scalars or nulls depending on
    // context.
    if (kind == YamlNode::Kind::Scalar && !is_quoted &&
        (value.empty() || value == "~" || value == "null"))
      node->kind = YamlNode::Kind::Null;
    // A missing value has no place of its own: yaml-cpp gives the next token's.
    if (node->kind == YamlNode::Kind::Null && key_line_ != 0) node->line = key_line_;
    key_line_ = 0;
    if (kind != YamlNode::Kind::List && kind != YamlNode::Kind::Map) return;
    if (open_.size() >= kMostDepth)
      return refuse(mark, fmt::format("nested more than {} levels deep", kMostDepth));
    open_.push_back(node);
  }

  void addKey(const YAML::Mark& mark, YamlNode::Kind kind, const std::string& value,
              bool is_quoted) {
    if (kind != YamlNode::Kind::Scalar || value.empty())
      return refuse(mark, "a key must be a plain word");
    if (value == "<<" && !is_quoted)
      return refuse(mark, "merge keys (<<) are not used here: write the values out");
    std::vector<std::string>& keys = open_.back()->keys;
    if (std::find(keys.begin(), keys.end(), value) != keys.end())
      return refuse(mark, fmt::format("duplicate key {}: only one may stay", quote(value)));
    if (keys.size() >= kMostKeys)
      return refuse(mark, fmt::format("a map of more than {} keys", kMostKeys));
    keys.push_back(value);
    key_line_ = mark.line + 1;
  }

  void close() {
    if (!refusal_) open_.pop_back();
  }

  static constexpr size_t kMostKeys =
      4096;  // keeps the search for duplicates cheap on hostile input

  std::string file_;
  YamlNode root_;
  std::vector<YamlNode*>
      open_;          // lists and maps being filled; a parent's vector does not grow meanwhile
  int key_line_ = 0;  // of the key whose value comes next, 0 if none does
  std::optional<Error> refusal_;
};

}  // namespace

Result<std::shared_ptr<const YamlNode>> parseYaml(std::string_view text, const std::string& file,
                                                  size_t most_bytes) {
  ETALON_RETURN_IF_ERROR(checkText(text, file, most_bytes));
  TreeBuilder builder(file);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder))
      return Error{fmt::format("{}: the file is empty", file)};
    if (builder.refusal()) return *builder.refusal();
    TreeBuilder second(file);
    if (parser.HandleNextDocument(second))
      return Error{fmt::format("{}: more than one document (---)", file)};
  } catch (const YAML::DeepRecursion& problem) {
    return Error{fmt::format("{}:{}: nested more than {} levels deep", file, problem.mark.line + 1,
                             kMostDepth)};
  } catch (const YAML::Exception& problem) {
    return Error{fmt::format("{}:{}: not valid YAML at column {}: {}", file, problem.mark.line + 1,
                             problem.mark.column + 1, problem.msg)};
  }
  return std::make_shared<const YamlNode>(builder.takeRoot());
}

}  // namespace etalon
