// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/timing/html_parts.h"

namespace etalon::tools {
namespace {

using sim::kActivityClasses;
using sim::Timeline;

constexpr std::array<const char*, kActivityClasses> kClassColours = {"work", "inside", "wait",
                                                                     "order", "idle"};
constexpr size_t kMostCores = 8;  // of a timeline

// --- Timeline -------------------------------------------------------------------------------------------------------

constexpr double kLeft = 92, kWidth = 1000, kLane = 13, kGap = 3, kCoreGap = 9;

/// The area of one class in one lane: stacked on those before it, so that a lane is full where all classes are drawn.
std::string area(const Timeline::Lane& lane, const Timeline& timeline, Cycles total, size_t c,
                 double top) {
  const auto x = [&](size_t piece) {
    return fmt::format(
        "{:.1f}", kLeft + kWidth *
                              static_cast<double>(std::min(total, piece * timeline.piece_cycles)) /
                              static_cast<double>(total));
  };
  std::string there, back, upper, lower;
  size_t first = 0;  // of the pieces that are alike
  const auto draw = [&](size_t end) {
    if (end == 0) return;
    there += fmt::format("{}{} {}H{}", there.empty() ? "M" : "L", x(first), upper, x(end));
    back = fmt::format("L{} {}H{}", x(end), lower, x(first)) + back;
    first = end;
  };
  bool any = false;
  for (size_t i = 0; i < lane.pieces.size(); ++i) {
    const Timeline::Piece& piece = lane.pieces[i];
    Cycles below = 0, all = 0;
    for (size_t k = 0; k < piece.cycles.size(); ++k) {
      if (k < c) below += piece.cycles[k];
      all += piece.cycles[k];
    }
    const auto y = [&](Cycles upto) {
      return fmt::format("{:.1f}",
                         top + kLane * (1 - static_cast<double>(upto) /
                                                static_cast<double>(std::max<Cycles>(all, 1))));
    };
    any = any || piece.cycles[c] != 0;
    const std::string upper_here = y(below + piece.cycles[c]), lower_here = y(below);
    if (upper_here != upper || lower_here != lower) draw(i);
    upper = upper_here;
    lower = lower_here;
  }
  if (!any) return "";
  draw(lane.pieces.size());
  return fmt::format(R"x(<path fill="var(--{})" d="{}{}Z"/>)x", kClassColours[c], there, back);
}

std::string timelineLegend() {
  std::string items;
  for (size_t c = 0; c < size_t{kActivityClasses}; ++c)
    items += fmt::format(R"x(<li><i style="background:var(--{})"></i>{}</li>)x", kClassColours[c],
                         activityClassName(static_cast<sim::ActivityClass>(c)));
  return "<ul class=\"legend\">" + items + "</ul>\n";
}

// --- Roofline -------------------------------------------------------------------------------------------------------

/// A logarithmic axis over whole decades.
struct Axis {
  double from = 0, to = 1;    // exponents of ten
  double begin = 0, end = 0;  // on the page

  double at(double value) const {
    return begin + (end - begin) * (std::log10(value) - from) / (to - from);
  }
  static Axis over(double least, double most, double begin, double end) {
    return {std::floor(std::log10(least)), std::ceil(std::log10(most) + 0.01), begin, end};
  }
};

/// A power of ten as axes have it: `0.1`, `100`, `10 k`.
/// `core 3`; of several devices `2.3`, device and core, as commit logs have them.
std::string shortName(const sim::TimedReport& report, unsigned core) {
  if (report.devices == 1) return report.coreName(core);
  const unsigned each = report.cores / report.devices;
  return fmt::format("{}.{}", core / each + 1, core % each);
}

std::string power(int exponent) {
  constexpr std::array<const char*, 5> prefixes = {"", " k", " M", " G", " T"};
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + "1";
  const auto thousands = std::min<size_t>(static_cast<size_t>(exponent) / 3, prefixes.size() - 1);
  return "1" + std::string(static_cast<size_t>(exponent) - 3 * thousands, '0') +
         prefixes[thousands];
}

/// About three digits.
std::string figure(double value) {
  return value < 1000 ? fmt::format("{:.3g}", value)
                      : sim::grouped(static_cast<uint64_t>(std::llround(value)));
}

}  // namespace

std::string timelineSvg(const sim::TimedReport& report) {
  const Timeline& timeline = report.timeline;
  if (timeline.lanes.empty() || report.cycles == 0) return "";
  const size_t cores = std::min<size_t>(kMostCores, report.cores);
  std::string lanes;
  double y = 2;
  for (const Timeline::Lane& lane : timeline.lanes) {
    if (lane.core >= cores) break;
    if (lane.track == sim::Track::scalar && lane.core != 0) y += kCoreGap;
    lanes += fmt::format(R"(<text x="{:.0f}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft - 8,
                         y + kLane - 2.5,
                         lane.track == sim::Track::scalar && report.cores > 1
                             ? shortName(report, lane.core) + " scalar"
                             : std::string(trackName(lane.track)));
    for (size_t c = 0; c < size_t{kActivityClasses}; ++c)
      lanes += area(lane, timeline, report.cycles, c, y);
    y += kLane + kGap;
  }
  const std::string axis = fmt::format(
      R"(<text x="{:.0f}" y="{:.0f}">0</text><text x="{:.0f}" y="{:.0f}" text-anchor="end">{} cycles</text>)",
      kLeft, y + 13, kLeft + kWidth, y + 13, sim::grouped(report.cycles));
  std::string caption = fmt::format("Each step is {} cycles.", sim::grouped(timeline.piece_cycles));
  if (cores < report.cores)
    caption += fmt::format(" The first {} of {} cores.", cores, report.cores);
  if (report.devices > 1) caption += " 2.3 is core 3 of device 2.";
  return fmt::format(
      R"(<figure><div class="scroll plain"><svg class="timeline" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="What the units did over time">{}{}</svg></div>{}<figcaption>{}</figcaption></figure>
)",
      kLeft + kWidth + 2, y + 18, lanes, axis, timelineLegend(), caption);
}

std::string rooflineSvg(const sim::TimedReport& report) {
  const sim::Bound* compute = report.boundNamed("matrix");
  const sim::Bound* memory = report.boundNamed("memory");
  if (compute == nullptr || memory == nullptr || compute->work == 0 || memory->work == 0 ||
      report.cycles == 0)
    return "";
  const double roof = static_cast<double>(compute->peak) / 1000,
               slope = static_cast<double>(memory->peak) / 1000,
               intensity = static_cast<double>(compute->work) / static_cast<double>(memory->work),
               reached = static_cast<double>(compute->work) / static_cast<double>(report.cycles),
               ridge = roof / slope;
  const Axis x =
      Axis::over(std::min(intensity, ridge) / 4, std::max(intensity, ridge) * 4, 62, 426);
  const Axis y = Axis::over(std::min(reached, roof) / 4, roof * 1.5, 252, 10);
  std::string grid;
  for (int e = static_cast<int>(x.from); e <= static_cast<int>(x.to); ++e)
    grid += fmt::format(
        R"x(<path d="M{0:.1f} {1}V{2}" stroke="var(--line)"/><text x="{0:.1f}" y="{3}" text-anchor="middle">{4}</text>)x",
        x.at(std::pow(10, e)), y.begin, y.end, y.begin + 17, power(e));
  for (int e = static_cast<int>(y.from); e <= static_cast<int>(y.to); ++e)
    grid += fmt::format(
        R"x(<path d="M{0} {1:.1f}H{2}" stroke="var(--line)"/><text x="{3}" y="{4:.1f}" text-anchor="end">{5}</text>)x",
        x.begin, y.at(std::pow(10, e)), x.end, x.begin - 7, y.at(std::pow(10, e)) + 4, power(e));
  // The memory roof from where it leaves the plot at the left or at the bottom.
  const double foot = std::max(std::pow(10, x.from), std::pow(10, y.from) / slope);
  const std::string roofs = fmt::format(
      R"x(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}" fill="none" stroke="var(--roof)" stroke-width="2"/>)x",
      x.at(foot), y.at(foot * slope), x.at(ridge), y.at(roof), x.end);
  const double px = x.at(intensity), py = y.at(reached),
               bound = y.at(std::min(roof, intensity * slope));
  const bool left = px > (x.begin + x.end) / 2;
  const std::string point = fmt::format(
      R"x(<path d="M{0:.1f} {1:.1f}V{2:.1f}" stroke="var(--busy)" stroke-dasharray="3 3"/><circle cx="{0:.1f}" cy="{1:.1f}" r="5.5" fill="var(--busy)"/><text class="strong" x="{3:.1f}" y="{4:.1f}" text-anchor="{5}">this run</text>)x",
      px, py, bound, px + (left ? -10 : 10), py + 16, left ? "end" : "start");
  return fmt::format(
      R"x(<figure class="roofline"><svg class="plot" viewBox="0 0 440 290" role="img" aria-label="Roofline: {0} MAC a cycle at {1} MAC a byte">{2}{3}{4}<text x="244" y="286" text-anchor="middle">MAC a byte of memory traffic</text><text x="11" y="131" text-anchor="middle" transform="rotate(-90 11 131)">MAC a cycle</text></svg><figcaption>{0} MAC a cycle at {1} MAC a byte. Roofs: {5} MAC and {6} B a cycle, which meet at {7} MAC a byte.</figcaption></figure>
)x",
      figure(reached), figure(intensity), grid, roofs, point, sim::thousandths(compute->peak),
      sim::thousandths(memory->peak), figure(ridge));
}

}  // namespace etalon::tools
