// SPDX-License-Identifier: Apache-2.0
// Axes and constraints of a study: what is said about the machine.
#include <fmt/format.h>

#include <algorithm>

#include "isa/base/text.h"
#include "tools/sweep/study_parts.h"

namespace etalon::tools {
namespace {

constexpr size_t kMostSteps = 1'000;

/// Values of one key in the order of the file, each with its place.
struct KeyValues {
  std::string key;
  std::vector<std::pair<std::string, YamlValue>> values;
};

Status addSteps(const YamlValue& range, bool is_log, KeyValues& into) {
  const char* const by = is_log ? "factor" : "step";
  ETALON_RETURN_IF_ERROR(is_log ? range.allowKeys({"from", "to", "factor"})
                                : range.allowKeys({"from", "to", "step"}));
  const Result<YamlValue> from = range.at("from"), to = range.at("to"), change = range.at(by);
  for (const Result<YamlValue>* part : {&from, &to, &change})
    if (!part->ok()) return part->error();
  const Result<uint64_t> first = from->asBytes(is_log ? 1 : 0, ~uint64_t{0});
  if (!first.ok()) return first.error();
  const Result<uint64_t> last = to->asBytes(0, ~uint64_t{0});
  if (!last.ok()) return last.error();
  const Result<uint64_t> by_value =
      is_log ? change->asUnsigned(2, 1 << 20) : change->asBytes(1, ~uint64_t{0});
  if (!by_value.ok()) return by_value.error();
  if (*last < *first) return to->error(fmt::format("{} is less than `from`, {}", *last, *first));
  for (uint64_t value = *first;;) {
    into.values.emplace_back(fmt::format("{}", value), range);
    if (into.values.size() > kMostSteps)
      return range.error(fmt::format("more than {} values; take a larger {}", kMostSteps, by));
    uint64_t next = 0;
    if (is_log ? __builtin_mul_overflow(value, *by_value, &next)
               : __builtin_add_overflow(value, *by_value, &next))
      return {};
    if (next > *last) return {};
    value = next;
  }
}

/// `{key: ..., values: [..]}`, or `range`, or `log_range`.
Result<KeyValues> readKeyValues(const YamlValue& entry) {
  KeyValues read;
  Result<std::string> key = textAt(entry, "key");
  if (!key.ok()) return key.error();
  read.key = *std::move(key);
  const std::optional<YamlValue> list = entry.find("values"), range = entry.find("range"),
                                 log_range = entry.find("log_range");
  if (list.has_value() + range.has_value() + log_range.has_value() != 1)
    return entry.error(
        "expected one of: values: [1, 2, 4]; range: {from: 1, to: 8, step: 1}; log_range: {from: "
        "1, to: 64, factor: 2}");
  if (range || log_range) {
    ETALON_RETURN_IF_ERROR(addSteps(range ? *range : *log_range, log_range.has_value(), read));
    return read;
  }
  const Result<std::vector<YamlValue>> items =
      itemsAt(entry, "values", "a list of values, such as [1, 2, 4]");
  if (!items.ok()) return items.error();
  if (items->size() > kMostSteps)
    return list->error(fmt::format("{} values; the limit is {}", items->size(), kMostSteps));
  for (const YamlValue& item : *items) {
    Result<std::string> text = readText(item);
    if (!text.ok()) return text.error();
    read.values.emplace_back(*std::move(text), item);
  }
  return read;
}

/// Tries every value on the machine, and adds the values to the axis as the machine prints them.
Status addKey(const KeyValues& read, const YamlValue& entry,
              const std::vector<isa::Profile>& profiles, const Study& study, Axis& axis) {
  const auto is_taken = [&](const Axis& other) {
    return std::ranges::find(other.keys, read.key) != other.keys.end();
  };
  if (is_taken(axis) || std::ranges::any_of(study.axes, is_taken))
    return entry.at("key")->error(fmt::format("{} is on two axes; one must go", quote(read.key)));
  if (!axis.keys.empty() && read.values.size() != axis.steps.size())
    return entry.error(fmt::format(
        "{} has {} values, {} has {}; zipped keys change together and need equally many", read.key,
        read.values.size(), axis.keys[0], axis.steps.size()));
  axis.keys.push_back(read.key);
  axis.steps.resize(read.values.size());
  for (size_t i = 0; i < read.values.size(); ++i) {
    isa::Machine machine = study.base;
    const auto& [text, place] = read.values[i];
    if (const Status set = isa::applyOverride(machine, read.key + "=" + text, profiles); !set.ok())
      return place.error(set.error().message);
    axis.steps[i].push_back(machine.overrides.at(read.key));
  }
  return {};
}

Status refuseEqualSteps(const Axis& axis, const YamlValue& entry) {
  for (size_t i = 0; i < axis.steps.size(); ++i)
    if (std::ranges::find(axis.steps.begin(), axis.steps.begin() + static_cast<ptrdiff_t>(i),
                          axis.steps[i]) != axis.steps.begin() + static_cast<ptrdiff_t>(i))
      return entry.error(
          fmt::format("the value {} stands twice; once is enough", joined(axis.steps[i])));
  return {};
}

/// The machine's own value if it is a step, else the middle one; `base` says otherwise.
Status chooseBase(const YamlValue& entry, const std::vector<isa::Profile>& profiles,
                  const Study& study, Axis& axis) {
  const std::optional<YamlValue> given = entry.find("base");
  std::string wanted;
  if (given) {
    const Result<std::string> text = readText(*given);
    if (!text.ok()) return text.error();
    isa::Machine machine = study.base;
    if (const Status set = isa::applyOverride(machine, axis.keys[0] + "=" + *text, profiles);
        !set.ok())
      return given->error(set.error().message);
    wanted = machine.overrides.at(axis.keys[0]);
  } else {
    for (const isa::MachineValue& value : isa::machineValues(study.base))
      if (value.key == axis.keys[0]) wanted = value.value;
  }
  const auto at = std::ranges::find(axis.steps, wanted, [](const auto& step) { return step[0]; });
  if (at == axis.steps.end() && given)
    return given->error(fmt::format("{} is none of the values of {}", wanted, axis.keys[0]));
  axis.base = at == axis.steps.end() ? (axis.steps.size() - 1) / 2
                                     : static_cast<size_t>(at - axis.steps.begin());
  return {};
}

Status readAxis(const YamlValue& entry, const std::vector<isa::Profile>& profiles, Study& study) {
  Axis axis;
  std::vector<YamlValue> keys{entry};
  if (entry.find("zip")) {
    ETALON_RETURN_IF_ERROR(entry.allowKeys({"zip", "title", "base"}));
    Result<std::vector<YamlValue>> zipped =
        itemsAt(entry, "zip", "a list of {key: ..., values: ...}");
    if (!zipped.ok()) return zipped.error();
    keys = *std::move(zipped);
    for (const YamlValue& key : keys)
      ETALON_RETURN_IF_ERROR(key.allowKeys({"key", "values", "range", "log_range"}));
  } else {
    ETALON_RETURN_IF_ERROR(
        entry.allowKeys({"key", "values", "range", "log_range", "title", "base"}));
  }
  for (const YamlValue& key : keys) {
    const Result<KeyValues> read = readKeyValues(key);
    if (!read.ok()) return read.error();
    ETALON_RETURN_IF_ERROR(addKey(*read, key, profiles, study, axis));
  }
  ETALON_RETURN_IF_ERROR(refuseEqualSteps(axis, entry));
  ETALON_RETURN_IF_ERROR(chooseBase(entry, profiles, study, axis));
  Result<std::string> title = textOr(entry, "title", fmt::format("{}", fmt::join(axis.keys, ", ")));
  if (!title.ok()) return title.error();
  axis.title = *std::move(title);
  const bool says_unit = std::ranges::any_of(
      axis.steps, [](const auto& step) { return step[0].find(' ') != std::string::npos; });
  for (const isa::MachineValue& value : isa::machineValues(study.base))
    if (value.key == axis.keys[0] && !says_unit) axis.unit = value.unit;
  study.axes.push_back(std::move(axis));
  return {};
}

}  // namespace

Status readAxes(const YamlValue& root, const std::vector<isa::Profile>& profiles, Study& study) {
  const Result<std::vector<YamlValue>> items =
      itemsAt(root, "axes", "at least one axis, such as {key: cores, values: [1, 2, 4]}");
  if (!items.ok()) return items.error();
  for (const YamlValue& item : *items) ETALON_RETURN_IF_ERROR(readAxis(item, profiles, study));
  return {};
}

Status readConstraints(const YamlValue& root, Study& study) {
  const std::optional<YamlValue> entry = root.find("constraints");
  if (!entry) return {};
  const Result<std::vector<YamlValue>> items = entry->asList();
  if (!items.ok()) return items.error();
  for (const YamlValue& item : *items) {
    const Result<std::string> text = item.asString();
    if (!text.ok()) return text.error();
    Result<Expression> condition = Expression::parse(*text);
    if (!condition.ok()) return item.error(condition.error().message);
    if (!condition->isCondition())
      return item.error(fmt::format(
          "{} compares nothing; a constraint is like local_bytes * cores <= 64 MiB", quote(*text)));
    for (const std::string& name : condition->names()) {
      if (machineNumber(study.base, name)) continue;
      std::vector<std::string> known;
      for (const isa::MachineValue& value : isa::machineValues(study.base))
        if (machineNumber(study.base, value.key)) known.push_back(value.key);
      return item.error(
          fmt::format("a machine has no number {}; known: {}", quote(name), joined(known)));
    }
    study.constraints.push_back(*std::move(condition));
  }
  return {};
}

}  // namespace etalon::tools
