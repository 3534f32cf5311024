// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "sim/observe/trace.h"

namespace etalon::tools {

/// `name=text` of the command line.
struct Assignment {
  std::string name;
  std::string text;
};

/// Where an input comes from.
struct InputSource {
  std::string name;
  std::string source;                          // a file as readArray() takes it, or a generator
  std::optional<std::vector<uint64_t>> shape;  // of a generator, if written: `random:7[64,32]`
};

/// Which findings do not make a run fail. They are reported all the same.
struct Permits {
  bool uninitialised = false;
  bool races = false;
  bool order_dependent = false;
};

/// A register or tile to print after the run.
struct DumpTarget {
  enum class What : uint8_t { All, X, Tile, Matrix, View, Chain };
  What what = What::All;
  std::optional<unsigned> index;  // of the register; all of them if absent
  std::optional<unsigned> core;   // every core that ran if absent
  std::string text;               // as the user wrote it
};

/// Everything the user asked of `etalon run`.
struct RunRequest {
  std::string program;
  std::string command;               // how to repeat the run, for reports
  std::string plugin;                // path of a device plug-in; empty: the functional model
  std::string device_config = "{}";  // JSON for the plug-in
  uint64_t timeout_ns = 0;           // of each call of the plug-in; 0: none
  bool timed = false;                // on the timing model: values and cycles
  bool what_if = false;              // also with one resource after the other that costs nothing
  uint64_t jitter = 0;               // seed of delays on the timing model; 0: none
  std::string trace;                 // file to write a trace of the timed run into; empty: none
  std::string report_page;           // file to write the timed run's page into; empty: none
  sim::TraceFormat trace_format = sim::TraceFormat::perfetto;
  std::string machine = "base";
  std::vector<std::string> overrides;
  std::string contract;  // numerics contract by name or path; empty: the canonical arithmetic
  std::optional<uint64_t> cores;  // of each device; all of the machine if absent
  uint64_t devices = 1;           // joined, of the functional model
  std::vector<InputSource> inputs;
  std::vector<Assignment> outputs;
  std::vector<Assignment> arguments;
  bool check = false;
  uint64_t limit = 0;  // instructions over all cores; 0: none
  uint64_t seed = 0;   // of the interleaving of cores; 0: round robin
  std::vector<DumpTarget> dumps;
  bool timing_only =
      false;             // values of floats are left out, races and unwritten reads not looked for
  std::string snapshot;  // file to write a snapshot into; empty: none
  uint64_t snapshot_at = 0;  // after so many instructions over all cores
  std::string restore;       // snapshot to go on from; empty: from the begin
  Permits permits;
};

/// `name=text`; the option's name and the whole text stand in the error.
Result<Assignment> parseAssignment(std::string_view option, std::string_view text);

/// `A=a.npy`, `A=w.safetensors:layer.0`, `A=random:7`, `A=random:7[64,32]`.
Result<InputSource> parseInput(std::string_view text);

/// `x`, `x5`, `tr`, `tr3`, `tile:tr3`, `vr1`, `ch0`, `all`; each may end in `@CORE`. `option` is what errors name.
Result<DumpTarget> parseDump(std::string_view text, std::string_view option = "--dump");

/// `uninitialised`, `races`, `order-dependent`.
Status addPermit(std::string_view text, Permits& permits);

}  // namespace etalon::tools
