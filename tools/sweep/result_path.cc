// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/result_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/base/text.h"
#include "sim/observe/events.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

/// A text of a field as a path writes it.
std::string wordOf(const Json& text) {
  std::string word = text.get<std::string>();
  std::ranges::replace(word, ' ', '_');
  return word;
}

void select(const Json& value, const std::string& part, std::vector<const Json*>& into) {
  if (value.is_object()) {
    if (value.contains(part)) into.push_back(&value[part]);
    return;
  }
  if (!value.is_array()) return;
  if (part.find_first_not_of("0123456789") == std::string::npos) {
    if (part.size() < 9 && std::stoul(part) < value.size())
      into.push_back(&value[std::stoul(part)]);
    return;
  }
  for (const Json& item : value)
    if (item.is_object() && std::ranges::any_of(item, [&](const Json& field) {
          return field.is_string() && wordOf(field) == part;
        }))
      into.push_back(&item);
}

std::vector<const Json*> valuesAt(const Json& result, std::string_view path) {
  std::vector<const Json*> values{&result};
  while (!path.empty()) {
    const std::string part(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    std::vector<const Json*> below;
    for (const Json* value : values) select(*value, part, below);
    values = std::move(below);
  }
  return values;
}

/// Ledgers leave out what is 0 (run_result.schema.json, `activities`).
bool isLeftOut(const Json& result, std::string_view path) {
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view above = path.substr(0, dot);
  return above.ends_with(".cycles") && ledgerRank(path.substr(dot + 1)) < sim::kActivities &&
         std::ranges::any_of(valuesAt(result, above), [](const Json* v) { return v->is_object(); });
}

bool leadsToNumbers(const Json& value) {
  return value.is_number() || value.is_object() ||
         (value.is_array() && !value.empty() && !value[0].is_string());
}

std::vector<std::string> partsOf(const Json& value) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  if (value.is_object())
    for (const auto& [name, item] : value.items())
      if (leadsToNumbers(item)) add(name);
  if (value.is_array()) {
    add(fmt::format("0 to {}", value.size() - 1));
    for (const Json& item : value)
      for (const Json& field : item)
        if (field.is_string()) add(wordOf(field));
  }
  return names;
}

}  // namespace

int ledgerRank(std::string_view part) {
  int index = 0;
  while (index < sim::kActivities && sim::activityName(static_cast<sim::Activity>(index)) != part)
    ++index;
  return index;
}

std::optional<double> numberAt(const Json& result, std::string_view path) {
  const std::vector<const Json*> values = valuesAt(result, path);
  if (values.empty() && isLeftOut(result, path)) return 0;
  if (values.empty() || !std::ranges::all_of(values, [](const Json* v) { return v->is_number(); }))
    return std::nullopt;
  double sum = 0;
  for (const Json* value : values) sum += value->get<double>();
  return sum;
}

std::vector<std::pair<std::string, double>> numbersAt(const Json& result, std::string_view path) {
  std::vector<std::pair<std::string, double>> parts;
  for (const Json* object : valuesAt(result, path)) {
    if (!object->is_object()) continue;
    for (const auto& [name, value] : object->items()) {
      if (!value.is_number()) continue;
      const auto at = std::ranges::find(parts, name, &std::pair<std::string, double>::first);
      if (at == parts.end())
        parts.emplace_back(name, value.get<double>());
      else
        at->second += value.get<double>();
    }
  }
  std::vector<std::pair<std::string, double>> ordered;
  for (int index = 0; index <= sim::kActivities; ++index)
    for (const auto& part : parts)
      if (ledgerRank(part.first) == index) ordered.push_back(part);
  return ordered;
}

std::string whatIsThere(const Json& result, std::string_view path) {
  std::string known;
  for (size_t dot = 0; dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    const std::vector<const Json*> values = valuesAt(result, path.substr(0, dot));
    if (values.empty()) break;
    const std::vector<std::string> names = partsOf(*values[0]);
    known = fmt::format("{} has {}", dot == 0 ? "the result" : path.substr(0, dot),
                        names.empty() ? "no numbers" : joined(names));
  }
  return known;
}

}  // namespace etalon::tools
