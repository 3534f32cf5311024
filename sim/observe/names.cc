// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "isa/base/check.h"
#include "sim/observe/events.h"
#include "sim/observe/timed_report.h"

namespace etalon::sim {

std::string_view trackName(Track track) {
  constexpr std::array<std::string_view, kTracks> names = {"scalar", "matrix", "vector", "load",
                                                           "store"};
  const auto index = static_cast<size_t>(track);
  ETALON_CHECK(index < names.size(), "a unit that has no track");
  return names[index];
}

std::string_view activityName(Activity activity) {
  constexpr std::array<std::string_view, kActivities> names = {
      "busy",   "weights", "chain",      "ports",       "operand",   "structural",
      "memory", "empty",   "queue_full", "window_full", "latency",   "cache_miss",
      "local",  "fence",   "semaphore",  "barrier",     "interrupt", "halted"};
  const auto index = static_cast<size_t>(activity);
  ETALON_CHECK(index < names.size(), "an activity outside of the closed list");
  return names[index];
}

std::string coreName(unsigned core, unsigned cores, unsigned devices) {
  if (devices <= 1) return fmt::format("core {}", core);
  const unsigned each = cores / devices;
  return fmt::format("core {} of device {}", core % each, core / each + 1);
}

ActivityClass activityClass(Activity activity) {
  switch (activity) {
    case Activity::busy: return ActivityClass::work;
    case Activity::weights:
    case Activity::chain:
    case Activity::ports: return ActivityClass::inside;
    case Activity::operand:
    case Activity::structural:
    case Activity::memory:
    case Activity::queue_full:
    case Activity::window_full:
    case Activity::latency:
    case Activity::cache_miss:
    case Activity::local: return ActivityClass::wait;
    case Activity::fence:
    case Activity::semaphore:
    case Activity::barrier:
    case Activity::interrupt: return ActivityClass::order;
    case Activity::empty:
    case Activity::halted: return ActivityClass::idle;
  }
  checkFailed(__FILE__, __LINE__, "activityClass", "an activity outside of the closed list");
}

std::string_view activityClassName(ActivityClass c) {
  constexpr std::array<std::string_view, kActivityClasses> names = {
      "working", "held up inside the unit", "waiting", "synchronising", "nothing to do"};
  const auto index = static_cast<size_t>(c);
  ETALON_CHECK(index < names.size(), "an unknown class of activities");
  return names[index];
}

}  // namespace etalon::sim
