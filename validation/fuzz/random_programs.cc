// SPDX-License-Identifier: Apache-2.0
// Runs random programs several ways and compares how they end; scripts/random-programs starts it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "isa/base/file.h"
#include "validation/fuzz/campaign.h"
#include "validation/fuzz/census.h"
#include "validation/fuzz/image.h"

namespace etalon::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  ProgramOptions programs;
  uint64_t first = 0, count = 1000, most_failures = 10;
  std::string shard = "0/1", plugin, folder = "random-programs";
  std::vector<std::string> paths{"again", "snapshots", "plugin", "worker"};
  bool orderly = false, print = false, write = false;
};

/// Programs whose meaning does not depend on the order of cores, and that end by themselves: any device does the same.
void makeOrderly(ProgramOptions& options) {
  options.faulty = options.garbage = options.deadlocks = options.endless = options.unwritten = 0;
  options.race_free = 100;
}

Result<std::pair<uint64_t, uint64_t>> parseShard(const std::string& text) {
  unsigned long long shard = 0, shards = 0;
  int length = 0;
  if (std::sscanf(text.c_str(), "%llu/%llu%n", &shard, &shards, &length) != 2 ||
      length != static_cast<int>(text.size()) || shard >= shards)
    return Error{fmt::format("--shard {}: it is I/N, I from 0 to N - 1", text)};
  return std::pair<uint64_t, uint64_t>{shard, shards};
}

Result<std::vector<std::unique_ptr<Target>>> makeTargets(const Arguments& arguments, Census& census,
                                                         const bool& counts) {
  std::vector<std::unique_ptr<Target>> targets;
  targets.push_back(modelTarget(
      [&](const sim::Core&, const sim::Commit& commit) {
        if (counts) census.addRetired(commit.instruction);
      },
      [&](const sim::FunctionalDevice& device, const Outcome& outcome) {
        if (counts) census.addRun(device, outcome);
      }));
  for (const std::string& path : arguments.paths) {
    const bool device = path == "plugin" || path == "worker";
    if (device && arguments.plugin.empty())
      return Error{fmt::format("--paths {}: which plug-in? --plugin PATH", path)};
    if (path == "again")
      targets.push_back(modelTarget());
    else if (path == "snapshots")
      targets.push_back(snapshotTarget());
    else if (path == "plugin")
      targets.push_back(deviceTarget({.plugin = arguments.plugin, .stepped = true}));
    else if (path == "worker")
      targets.push_back(
          deviceTarget({.plugin = arguments.plugin, .worker = true, .registers_each = 16}));
    else
      return Error{fmt::format("--paths {}: there are again, snapshots, plugin, worker", path)};
  }
  return targets;
}

/// Writes a program as image and as text beside each other; the path without ending.
Status writeProgram(const Program& program, const std::string& head, const std::string& stem) {
  const auto image = makeImage(program);
  if (!image.ok()) return image.error();
  ETALON_RETURN_IF_ERROR(
      writeFile(stem + ".elf", {reinterpret_cast<const char*>(image->data()), image->size()}));
  return writeFile(stem + ".txt", head + listing(program));
}

std::string repeatCommand(const Arguments& arguments, const Program& program) {
  std::string command = fmt::format("scripts/random-programs --seed {} --first {} --count 1",
                                    program.seed, program.index);
  if (arguments.orderly) command += " --orderly";
  const Arguments usual;
  if (arguments.paths != usual.paths)
    command += fmt::format(" --paths {}", fmt::join(arguments.paths, ","));
  if (!arguments.plugin.empty()) command += " --plugin " + arguments.plugin;
  const auto changed = [&](const char* option, auto value, auto usually) {
    if (value != usually) command += fmt::format(" {} {}", option, value);
  };
  changed("--steps", arguments.programs.most_steps, usual.programs.most_steps);
  changed("--cores", arguments.programs.most_cores, usual.programs.most_cores);
  changed("--elements", arguments.programs.most_elements, usual.programs.most_elements);
  return command;
}

Status report(Campaign& campaign, const Arguments& arguments, const Failure& failure) {
  const Program& program = failure.program;
  const std::string head =
      fmt::format("# {} on {}: {}\n# repeat: {}\n", program.name(), failure.target, failure.what,
                  repeatCommand(arguments, program));
  fmt::print("{}", head);
  std::fflush(stdout);
  std::error_code ignored;
  std::filesystem::create_directories(arguments.folder, ignored);
  const std::string stem =
      fmt::format("{}/seed-{}-program-{}", arguments.folder, program.seed, program.index);
  const auto commented = [](const std::string& text) {
    std::string out = "# ";
    for (const char c : text) out += c == '\n' ? std::string("\n# ") : std::string(1, c);
    return out + "\n";
  };
  const std::string texts =
      commented("expected: " + failure.expected.text) + commented("found: " + failure.found);
  ETALON_RETURN_IF_ERROR(writeProgram(program, head + texts, stem));
  const Shrunk small = campaign.shrinkFailure(failure);
  const auto again = campaign.recheck(small.program);
  const std::string what = fmt::format("# shrunk from {} steps to {} by {} runs; {}\n",
                                       stepCount(program), stepCount(small.program), small.runs,
                                       again ? again->what : "does not fail when it is repeated");
  fmt::print("{}# written: {}.elf, .txt, {}-shrunk.elf, .txt\n", what, stem, stem);
  return writeProgram(small.program, head + what, stem + "-shrunk");
}

/// Two lines a minute at most, on stderr.
class Progress {
 public:
  explicit Progress(uint64_t count) : count_(count) {}
  void tell(uint64_t done) {
    const auto now = Clock::now();
    if (now - last_ < std::chrono::seconds(2)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    fmt::print(stderr, "\r{} of {} programs, {:.0f} a second ", done, count_,
               static_cast<double>(done) / seconds);
  }

 private:
  uint64_t count_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

Result<int> run(Arguments& arguments) {
  if (arguments.orderly) makeOrderly(arguments.programs);
  const auto shard = parseShard(arguments.shard);
  if (!shard.ok()) return shard.error();
  Census census;
  bool counts = true;  // not what shrinking runs
  auto targets = makeTargets(arguments, census, counts);
  if (!targets.ok()) return targets.error();
  Campaign campaign(arguments.programs, *std::move(targets));
  Progress progress(arguments.count / shard->second);
  uint64_t failures = 0;
  for (uint64_t i = shard->first; i < arguments.count && failures < arguments.most_failures;
       i += shard->second) {
    const uint64_t index = arguments.first + i;
    const Program program = campaign.generator().make(index);
    census.addProgram(program);
    if (arguments.print) fmt::print("{}", listing(program));
    if (arguments.write)
      ETALON_RETURN_IF_ERROR(
          writeProgram(program, "", fmt::format("random-program-{}-{}", program.seed, index)));
    if (const auto failure = campaign.check(program)) {
      ++failures;
      counts = false;
      ETALON_RETURN_IF_ERROR(report(campaign, arguments, *failure));
      counts = true;
    }
    progress.tell(campaign.programs());
  }
  fmt::print("{}random programs: seed {}, shard {}: {} programs, {} failures, digest {:016x}\n",
             census.report(), arguments.programs.seed, arguments.shard, campaign.programs(),
             failures, campaign.digest());
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace etalon::fuzz

int main(int argc, char** argv) {
  using namespace etalon::fuzz;
  CLI::App app{
      "Random programs on the functional model and on devices; each must end the same everywhere"};
  Arguments arguments;
  app.add_option("--count", arguments.count, "programs")->capture_default_str();
  app.add_option("--first", arguments.first, "number of the first")->capture_default_str();
  app.add_option("--seed", arguments.programs.seed, "of all programs")->capture_default_str();
  app.add_option("--shard", arguments.shard, "I/N: every N-th program from the I-th on")
      ->capture_default_str();
  app.add_option("--plugin", arguments.plugin, "plug-in that paths plugin and worker load");
  app.add_option("--paths", arguments.paths,
                 "what each program is run by beside the model: again, snapshots, plugin, worker")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--steps", arguments.programs.most_steps, "most steps of a core")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--cores", arguments.programs.most_cores, "most cores")
      ->check(CLI::Range(1U, kMostCores))
      ->capture_default_str();
  app.add_option("--elements", arguments.programs.most_elements, "most elements of a tile")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_flag("--orderly", arguments.orderly,
               "only programs without data races, deadlocks, unwritten reads and anything illegal "
               "on purpose");
  app.add_option("--failures", arguments.folder, "folder for programs that fail")
      ->capture_default_str();
  app.add_option("--most-failures", arguments.most_failures, "stop after so many")
      ->capture_default_str();
  app.add_flag("--print", arguments.print, "print every program");
  app.add_flag("--write", arguments.write, "write every program into this folder, image and text");
  CLI11_PARSE(app, argc, argv);
  const auto status = run(arguments);
  if (!status.ok()) {
    fmt::print(stderr, "random-programs: {}\n", status.error().message);
    return 2;
  }
  return *status;
}
