// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/base/status.h"
#include "isa/base/yaml.h"
#include "isa/machines/machine.h"
#include "tools/sweep/expression.h"

namespace etalon::tools {

/// Runs of one study, constraints not counted: more is a mistake more often than a wish.
inline constexpr uint64_t kMostRuns = 10'000;

/// Keys of the machine that change together, step by step. More than one: zipped.
struct Axis {
  std::vector<std::string> keys;
  /// [step][key], as `--set` takes and reports print them: `4 MiB`.
  std::vector<std::vector<std::string>> steps;
  size_t base = 0;  // step that stands for this axis where another one is looked at
  std::string title;
  std::string
      unit;  // of the numbers of the first key; empty: a plain count, or a size that says its own
};

/// `name: text` under a workload, with its place for errors.
struct NamedText {
  std::string name;
  std::string text;
  YamlValue place;
};

struct Workload {
  std::string name;
  std::string program;  // relative to the study's folder
  YamlValue program_place;
  std::vector<NamedText> inputs;     // as behind --in
  std::vector<NamedText> arguments;  // as behind --arg
  std::optional<uint64_t> cores;     // of each device; all of the machine if absent
  uint64_t devices = 1;              // joined
};

enum class Better : uint8_t { unknown, less, more };

/// A number of each run. Names in its expression: metrics before it, `machine.KEY`, and dotted paths into the result of
/// `etalon run --json`.
struct Metric {
  std::string name;
  Expression value;
  std::string unit;  // empty: a plain number
  Better better = Better::unknown;
  YamlValue place;  // of the expression
};

/// Numbers that make up a whole: an object of the run's result.
struct Ledger {
  std::string name;
  std::string path;  // dotted
  std::string unit;
  std::vector<std::string> parts;  // keys of the object in this order; empty: all of them
  YamlValue place;                 // of the path
};

/// A figure; what it does not name stands at the base of its axis.
struct Plot {
  enum class Kind : uint8_t { heat, lines, pareto, ledger, tornado };
  Kind kind = Kind::lines;
  std::string title;   // empty: made of what it shows
  std::string x, y;    // heat: axes; lines, ledger: x is an axis; pareto: metrics
  std::string by;      // lines: an axis, a line a step; or empty
  std::string metric;  // heat, lines, tornado
  std::string ledger;  // ledger
  std::vector<std::pair<std::string, std::string>> at;  // axis, step: other than the base
};

/// What-if study: isa/schema/study.schema.json.
struct Study {
  std::string file;    // as given
  std::string folder;  // that it stands in, what its paths are relative to
  std::string name;
  std::string title;
  std::string machine;  // as behind --machine, relative to the folder
  std::string device;
  std::optional<uint64_t> limit;       // instructions of a run
  bool timing_only = false;            // without values: `etalon run --timing-only`
  bool one_at_a_time = false;          // else every combination
  std::vector<std::string> overrides;  // key=value, of every point
  isa::Machine base;                   // the machine with them
  std::vector<Axis> axes;
  std::vector<Expression> constraints;  // over keys of the machine
  std::vector<Workload> workloads;
  std::vector<Metric> metrics;
  std::vector<Ledger> ledgers;
  std::vector<Plot> plots;
};

/// Reads a study strictly; nothing is run. Errors read `file:line: dotted.path: what is wrong and what would be right`:
/// unknown, missing and duplicate keys, wrong kinds, a machine, program or input file that is not there, a key the machine
/// does not have or a value it may not have, axes without steps, zipped axes of different length, more than kMostRuns
/// runs, expressions that do not parse or name what there is not, plots of axes and metrics that there are not.
/// `device`: instead of the study's, unless empty.
Result<Study> loadStudy(const std::string& path, const std::string& device = "");

/// Numbers of a machine by key; nullopt for one it does not have, or whose value is a word.
std::optional<double> machineNumber(const isa::Machine& machine, std::string_view key);

/// Number of a value as the machine prints it: `4 MiB`, `0x80000000`, `0.5`; nullopt for a word.
std::optional<double> numberOf(const std::string& text);

std::string_view plotKindName(Plot::Kind kind);
std::string_view betterName(Better better);

}  // namespace etalon::tools
