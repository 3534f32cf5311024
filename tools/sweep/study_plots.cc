// SPDX-License-Identifier: Apache-2.0
// Plots of a study: what they show must be there.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "isa/base/text.h"
#include "tools/sweep/study_parts.h"

namespace etalon::tools {
namespace {

using Kind = Plot::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 5> kKinds{{{"heat", Kind::heat},
                                                                   {"lines", Kind::lines},
                                                                   {"pareto", Kind::pareto},
                                                                   {"ledger", Kind::ledger},
                                                                   {"tornado", Kind::tornado}}};

Status allowKeysOf(const YamlValue& entry, Kind kind) {
  switch (kind) {
    case Kind::heat: return entry.allowKeys({"kind", "title", "at", "x", "y", "metric"});
    case Kind::lines: return entry.allowKeys({"kind", "title", "at", "x", "by", "metric"});
    case Kind::pareto: return entry.allowKeys({"kind", "title", "x", "y"});
    case Kind::ledger: return entry.allowKeys({"kind", "title", "at", "x", "ledger"});
    case Kind::tornado: break;
  }
  return entry.allowKeys({"kind", "title", "metric"});
}

template <class T, class Name>
Result<std::string> readOneOf(const YamlValue& entry, std::string_view key,
                              const std::vector<T>& known, Name name, std::string_view what) {
  Result<std::string> text = textAt(entry, key);
  if (!text.ok()) return text;
  std::vector<std::string> names;
  for (const T& one : known) names.push_back(one.*name);
  if (std::ranges::find(names, *text) == names.end())
    return entry.at(key)->error(fmt::format("there is no {} {}; known: {}", what, quote(*text),
                                            names.empty() ? "none" : joined(names)));
  return text;
}

Result<std::string> readAxisKey(const YamlValue& entry, std::string_view key, const Study& study) {
  Result<std::string> text = textAt(entry, key);
  if (!text.ok() || findAxis(study, *text) != nullptr) return text;
  std::vector<std::string> names;
  for (const Axis& axis : study.axes) names.insert(names.end(), axis.keys.begin(), axis.keys.end());
  return entry.at(key)->error(
      fmt::format("there is no axis {}; axes: {}", quote(*text), joined(names)));
}

Status readAt(const YamlValue& entry, const Study& study, Plot& plot) {
  const std::optional<YamlValue> at = entry.find("at");
  if (!at) return {};
  const auto pairs = at->asMap();
  if (!pairs.ok()) return pairs.error();
  for (const auto& [key, value] : *pairs) {
    const Axis* axis = findAxis(study, key);
    if (axis == nullptr) {
      std::vector<std::string> names;
      for (const Axis& a : study.axes) names.insert(names.end(), a.keys.begin(), a.keys.end());
      return value.error(fmt::format("there is no axis {}; axes: {}", quote(key), joined(names)));
    }
    for (const std::string& shown : {plot.x, plot.y, plot.by})
      if (!shown.empty() && findAxis(study, shown) == axis)
        return value.error(fmt::format("{} is what the plot shows; leave it out here", key));
    const Result<std::string> text = readText(value);
    if (!text.ok()) return text.error();
    const auto column =
        static_cast<size_t>(std::ranges::find(axis->keys, key) - axis->keys.begin());
    std::vector<std::string> values;
    for (const auto& step : axis->steps) values.push_back(step[column]);
    if (std::ranges::find(values, *text) == values.end())
      return value.error(
          fmt::format("{} has no value {}; it has {}", key, quote(*text), joined(values)));
    plot.at.emplace_back(key, *text);
  }
  return {};
}

/// Two axes of one plot must be two.
Status refuseSameAxis(const YamlValue& entry, std::string_view key, const std::string& one,
                      const std::string& other, const Study& study) {
  if (findAxis(study, one) == findAxis(study, other))
    return entry.at(key)->error(
        fmt::format("{} and {} are one axis; take another", quote(one), quote(other)));
  return {};
}

Status readAxesOfPlot(const YamlValue& entry, const Study& study, Plot& plot) {
  Result<std::string> x = readAxisKey(entry, "x", study);
  if (!x.ok()) return x.error();
  plot.x = *std::move(x);
  const bool is_heat = plot.kind == Kind::heat;
  if (is_heat || entry.find("by")) {
    const std::string_view key = is_heat ? "y" : "by";
    Result<std::string> second = readAxisKey(entry, key, study);
    if (!second.ok()) return second.error();
    ETALON_RETURN_IF_ERROR(refuseSameAxis(entry, key, plot.x, *second, study));
    if (study.one_at_a_time)
      return entry.at(key)->error(
          "needs points that `combine: one_at_a_time` leaves out; take `combine: product`, or a "
          "plot over one axis");
    (is_heat ? plot.y : plot.by) = *std::move(second);
  }
  return readAt(entry, study, plot);
}

Status readPareto(const YamlValue& entry, const Study& study, Plot& plot) {
  for (const auto& [key, target] : {std::pair{"x", &plot.x}, std::pair{"y", &plot.y}}) {
    Result<std::string> name = readOneOf(entry, key, study.metrics, &Metric::name, "metric");
    if (!name.ok()) return name.error();
    const auto metric = std::ranges::find(study.metrics, *name, &Metric::name);
    if (metric->better == Better::unknown)
      return entry.at(key)->error(fmt::format(
          "the metric {} does not say what is better; give it `better: less` or `better: more`",
          *name));
    *target = *std::move(name);
  }
  if (plot.x == plot.y)
    return entry.at("y")->error(fmt::format("{} against itself; take another metric", plot.x));
  return {};
}

Result<Plot> readPlot(const YamlValue& entry, const Study& study) {
  Plot plot;
  const Result<std::string> kind = textAt(entry, "kind");
  if (!kind.ok()) return kind.error();
  const auto known = std::ranges::find(kKinds, *kind, [](const auto& pair) { return pair.first; });
  if (known == kKinds.end()) {
    std::vector<std::string> names;
    for (const auto& [name, one] : kKinds) names.emplace_back(name);
    return entry.at("kind")->error(
        fmt::format("there is no plot {}; known: {}", quote(*kind), joined(names)));
  }
  plot.kind = known->second;
  ETALON_RETURN_IF_ERROR(allowKeysOf(entry, plot.kind));
  Result<std::string> title = textOr(entry, "title", "");
  if (!title.ok()) return title.error();
  plot.title = *std::move(title);
  if (plot.kind == Kind::heat || plot.kind == Kind::lines || plot.kind == Kind::tornado) {
    Result<std::string> metric = readOneOf(entry, "metric", study.metrics, &Metric::name, "metric");
    if (!metric.ok()) return metric.error();
    plot.metric = *std::move(metric);
  }
  if (plot.kind == Kind::ledger) {
    Result<std::string> ledger = readOneOf(entry, "ledger", study.ledgers, &Ledger::name, "ledger");
    if (!ledger.ok()) return ledger.error();
    plot.ledger = *std::move(ledger);
  }
  if (plot.kind == Kind::pareto) {
    ETALON_RETURN_IF_ERROR(readPareto(entry, study, plot));
  } else if (plot.kind != Kind::tornado) {
    ETALON_RETURN_IF_ERROR(readAxesOfPlot(entry, study, plot));
  }
  return plot;
}

}  // namespace

std::string_view plotKindName(Plot::Kind kind) {
  return std::ranges::find(kKinds, kind, [](const auto& pair) { return pair.second; })->first;
}

Status readPlots(const YamlValue& root, Study& study) {
  const std::optional<YamlValue> entry = root.find("plots");
  if (!entry) return {};
  const Result<std::vector<YamlValue>> items = entry->asList();
  if (!items.ok()) return items.error();
  for (const YamlValue& item : *items) {
    Result<Plot> plot = readPlot(item, study);
    if (!plot.ok()) return plot.error();
    study.plots.push_back(*std::move(plot));
  }
  return {};
}

}  // namespace etalon::tools
