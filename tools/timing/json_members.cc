// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/json_members.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "isa/base/text.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

/// Found members of the right type; else nullptr.
template <class Accepts>
const Json* member(const Json& object, const char* name, Accepts accepts) {
  const auto found = object.find(name);
  return found != object.end() && accepts(*found) ? &*found : nullptr;
}

}  // namespace

struct JsonMembers::Node {
  std::shared_ptr<const Json> root;  // keeps `value` alive
  const Json* value = nullptr;       // an object
};

JsonMembers::JsonMembers(std::shared_ptr<const Node> node, std::string path,
                         std::shared_ptr<std::string> error)
    : node_(std::move(node)), path_(std::move(path)), error_(std::move(error)) {}

Result<JsonMembers> JsonMembers::parse(std::string_view text, std::string path) {
  auto root = std::make_shared<Json>(Json::parse(text, nullptr, false));
  if (root->is_discarded()) return Error{"it is no JSON"};
  if (!root->is_object()) return Error{"it is JSON, but no object"};
  const Json* value = root.get();
  return JsonMembers(std::make_shared<Node>(Node{std::move(root), value}), std::move(path),
                     std::make_shared<std::string>());
}

std::string JsonMembers::pathOf(const char* name) const {
  return path_.empty() ? name : path_ + "." + name;
}

void JsonMembers::missing(const char* name, const char* wanted) {
  if (!error_->empty()) return;
  const auto found = node_->value->find(name);
  *error_ =
      found == node_->value->end()
          ? fmt::format("it has no {}", pathOf(name))
          : fmt::format("{} is {}, where {} belongs", pathOf(name),
                        quote(found->dump(-1, ' ', true, Json::error_handler_t::replace)), wanted);
}

void JsonMembers::wrong(const char* name, const std::string& why) {
  if (error_->empty()) *error_ = fmt::format("{} {}", pathOf(name), why);
}

uint64_t JsonMembers::count(const char* name) {
  const Json* found =
      member(*node_->value, name, [](const Json& j) { return j.is_number_unsigned(); });
  if (found == nullptr) missing(name, "a whole number from 0");
  return found == nullptr ? 0 : found->get<uint64_t>();
}

std::string JsonMembers::text(const char* name) {
  const Json* found = member(*node_->value, name, [](const Json& j) { return j.is_string(); });
  if (found == nullptr) missing(name, "text");
  return found == nullptr ? "" : found->get<std::string>();
}

bool JsonMembers::flag(const char* name) {
  const Json* found = member(*node_->value, name, [](const Json& j) { return j.is_boolean(); });
  if (found == nullptr) missing(name, "true or false");
  return found != nullptr && found->get<bool>();
}

JsonMembers JsonMembers::object(const char* name) {
  static const Json empty = Json::object();
  const Json* found = member(*node_->value, name, [](const Json& j) { return j.is_object(); });
  if (found == nullptr) missing(name, "an object");
  return JsonMembers(std::make_shared<Node>(Node{node_->root, found == nullptr ? &empty : found}),
                     pathOf(name), error_);
}

std::vector<JsonMembers> JsonMembers::objects(const char* name) {
  std::vector<JsonMembers> list;
  const Json* found = member(*node_->value, name, [](const Json& j) { return j.is_array(); });
  if (found == nullptr) missing(name, "a list");
  if (found == nullptr) return list;
  for (size_t i = 0; i < found->size(); ++i) {
    const std::string path = fmt::format("{}[{}]", pathOf(name), i);
    const Json& item = (*found)[i];
    if (!item.is_object()) {
      wrong(name, fmt::format("[{}] is no object", i));
      break;
    }
    list.push_back(JsonMembers(std::make_shared<Node>(Node{node_->root, &item}), path, error_));
  }
  return list;
}

std::vector<std::pair<std::string, uint64_t>> JsonMembers::counts(const char* name) {
  JsonMembers members = object(name);
  std::vector<std::pair<std::string, uint64_t>> counts;
  for (const std::string& key : members.names())
    counts.emplace_back(key, members.count(key.c_str()));
  return counts;
}

std::vector<std::string> JsonMembers::names() const {
  std::vector<std::string> names;
  for (const auto& item : node_->value->items()) names.push_back(item.key());
  return names;
}

bool JsonMembers::has(const char* name) const {
  const auto found = node_->value->find(name);
  return found != node_->value->end() && !found->is_null();
}

std::string JsonMembers::json(const char* name) {
  const auto found = node_->value->find(name);
  if (found == node_->value->end()) missing(name, "a value");
  return found == node_->value->end() ? "null" : found->dump();
}

Status JsonMembers::status() const {
  if (error_->empty()) return {};
  return Error{*error_};
}

}  // namespace etalon::tools
