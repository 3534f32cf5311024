// SPDX-License-Identifier: Apache-2.0
// For tests: which rules of docs/spec a test is about.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "isa/rule.h"

/// Says in a test's body that the test shows these rules to hold: SHOWS(mm_shape, mm_float). A test of what a definition
/// is used for shows the definition. isa/gen/rule_tests.py makes the manual's table of rules and tests of these lines; the
/// results of a run carry the names as the property `shows`.
#define SHOWS(...) ETALON_RECORD_RULES("shows", __VA_ARGS__)
/// The test does what these rules forbid and shows what then happens. Property `violates`.
#define VIOLATES(...) ETALON_RECORD_RULES("violates", __VA_ARGS__)

#define ETALON_RECORD_RULES(key, ...)               \
  ::testing::Test::RecordProperty(key, [] {         \
    using enum ::etalon::isa::Rule;                 \
    return ::etalon::isa::ruleNames({__VA_ARGS__}); \
  }())

namespace etalon::isa {

/// Names as the manual has them, blanks between.
inline std::string ruleNames(std::initializer_list<Rule> rules) {
  std::string names;
  for (const Rule rule : rules) names.append(names.empty() ? "" : " ").append(ruleInfo(rule)->name);
  return names;
}

}  // namespace etalon::isa
