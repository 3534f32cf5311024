// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/html_parts.h"

#include <fmt/format.h>

namespace etalon::tools {
namespace {

/// `queue_full` as people write it.
std::string spoken(sim::Activity activity) {
  std::string name(activityName(activity));
  for (char& c : name)
    if (c == '_') c = ' ';
  return name;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      default: html += c;
    }
  return html;
}

std::string activityBar(const sim::ActivityCycles& cycles, Cycles whole) {
  std::string parts, label;
  for (size_t a = 0; a < cycles.size(); ++a) {
    if (cycles[a] == 0) continue;
    const auto activity = static_cast<sim::Activity>(a);
    const std::string said = fmt::format("{} {}", spoken(activity), sim::percent(cycles[a], whole));
    const uint64_t width = sim::partOf(cycles[a], whole, 100'000);
    parts +=
        fmt::format(R"x(<i style="width:{}%;background:var(--{})" title="{}, {} cycles"></i>)x",
                    sim::thousandths(width), activityName(activity), said, sim::grouped(cycles[a]));
    label += (label.empty() ? "" : ", ") + said;
  }
  return fmt::format(R"(<div class="bar" role="img" aria-label="{}">{}</div>)", label, parts);
}

std::string plainBar(uint64_t part, uint64_t whole) {
  return fmt::format(
      R"x(<div class="small bar"><i style="width:{}%;background:var(--accent)"></i></div>)x",
      sim::thousandths(sim::partOf(part, whole, 100'000)));
}

std::string activityLegend(const std::vector<sim::ActivityCycles>& ledgers) {
  std::string items;
  for (size_t a = 0; a < size_t{sim::kActivities}; ++a) {
    bool there = false;
    for (const sim::ActivityCycles& cycles : ledgers) there = there || cycles[a] != 0;
    const auto activity = static_cast<sim::Activity>(a);
    if (there)
      items += fmt::format(R"x(<li><i style="background:var(--{})"></i>{}</li>)x",
                           activityName(activity), spoken(activity));
  }
  return fmt::format("<ul class=\"legend\">{}</ul>\n", items);
}

std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows, size_t numbers_from) {
  const auto row = [&](const std::vector<std::string>& cells, const char* tag) {
    std::string html = "<tr>";
    for (size_t i = 0; i < cells.size(); ++i)
      html += fmt::format("<{0}{1}>{2}</{0}>", tag,
                          i >= numbers_from ? " class=\"n\"" : " class=\"name\"", cells[i]);
    return html + "</tr>\n";
  };
  std::string html =
      "<div class=\"scroll\"><table>\n<thead>" + row(head, "th") + "</thead><tbody>\n";
  for (const std::vector<std::string>& cells : rows) html += row(cells, "td");
  return html + "</tbody></table></div>\n";
}

}  // namespace etalon::tools
