// SPDX-License-Identifier: Apache-2.0
// etalon run PROGRAM: runs a program on a device and reports.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "isa/base/number.h"
#include "isa/base/text.h"
#include "tools/command.h"
#include "tools/gdb/server.h"
#include "tools/run/session.h"

namespace etalon::tools {
namespace {

constexpr uint64_t kDefaultLimit = 10'000'000'000;

constexpr const char* kFooter = R"(Inputs:
  --in A=a.npy                    an array in NumPy's format
  --in x=photo.png                a picture, [1, H, W, 3], floats in 0..1
  --in A=w.safetensors:layer.0    one tensor of a file
  --in A=random:7                 zeros, ones, iota, const:V, random:SEED, random:SEED:LO:HI; the shape follows from other
                                  inputs and --arg M=64, or is written behind: --in 'A=random:7[64,32]'
Examples:
  etalon run docs/guide/first.s
  etalon run gemm.c --in 'A=random:1[64,32]' --in B=random:2 --arg N=48 --out C=c.npy --check
  etalon run prog.elf --machine base --set cores=2 --json > result.json
  etalon run gemm.c --device plugin:./mychip.so --in A=random:1 --in B=random:2 --dim M=64 --dim K=32 --dim N=48 --check
  etalon run prog.elf --cores 1 --commit-log - --dump x5 --dump tile:tr0@0
  etalon run prog.elf --gdb 1234        then, elsewhere: gdb-multiarch prog.elf -ex 'target remote :1234'
  etalon run prog.elf --snapshot-at 1000000 --snapshot half.snap
  etalon run prog.elf --restore half.snap)";

/// The command line as CLI11 fills it in, before anything is understood.
struct RunOptions {
  RunRequest request;
  std::string device = "npu-functional";
  std::string cores, devices, limit, seed, commit_log, timeout, device_config, gdb, snapshot_at,
      trace_format, jitter;
  uint16_t gdb_port = 0;
  std::vector<std::string> inputs, outputs, arguments, dumps, permits;
  bool json = false;
  bool quiet = false;
};

// Set by the signal handler alone.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "the signal handler may only touch lock-free state");

void onInterrupt(int) {
  if (interrupted.exchange(true))
    _exit(kInterrupted);  // the second one does not wait for a long instruction
}

constexpr std::string_view kPluginPrefix = "plugin:";
constexpr uint64_t kDefaultTimeout = 60;  // seconds
constexpr uint64_t kMostTimeout = 1'000'000'000;

Status readDevice(const RunOptions& options, RunRequest& request) {
  if (options.device.starts_with(kPluginPrefix)) {
    request.plugin = options.device.substr(kPluginPrefix.size());
    if (request.plugin.empty())
      return Error{"--device plugin: wants a path behind it, plugin:./mine.so"};
    if (!options.device_config.empty()) request.device_config = options.device_config;
    const Result<uint64_t> timeout = options.timeout.empty() ? Result<uint64_t>(kDefaultTimeout)
                                                             : parseUnsigned(options.timeout);
    if (!timeout.ok()) return Error{"--timeout: " + timeout.error().message};
    if (*timeout > kMostTimeout)
      return Error{
          fmt::format("--timeout {}: at most {} seconds, 0 for none", *timeout, kMostTimeout)};
    request.timeout_ns = *timeout * 1'000'000'000;
    return {};
  }
  if (!options.device_config.empty() || !options.timeout.empty())
    return Error{fmt::format("{}: for plug-ins alone (--device plugin:PATH)",
                             options.timeout.empty() ? "--device-config" : "--timeout")};
  if (options.device == "npu-functional") return {};
  if (options.device == "npu") {
    request.timed = true;
    return {};
  }
  return Error{
      fmt::format("--device {}: not in this build; it has npu, npu-functional and plugin:PATH",
                  quote(options.device))};
}

Status readDebugging(RunOptions& options) {
  RunRequest& request = options.request;
  if (!options.gdb.empty()) {
    const Result<uint64_t> port = parseUnsigned(options.gdb);
    if (!port.ok()) return Error{"--gdb: " + port.error().message};
    if (*port > 0xffff) return Error{fmt::format("--gdb {}: a port is 0 to 65535", *port)};
    options.gdb_port = static_cast<uint16_t>(*port);
  }
  if (request.snapshot.empty() != options.snapshot_at.empty())
    return Error{
        "--snapshot FILE and --snapshot-at N belong together: where to, and after how many "
        "instructions"};
  if (options.snapshot_at.empty()) return {};
  const Result<uint64_t> at = parseUnsigned(options.snapshot_at);
  if (!at.ok()) return Error{"--snapshot-at: " + at.error().message};
  request.snapshot_at = *at;
  return {};
}

Status readTrace(const RunOptions& options, RunRequest& request) {
  for (const auto& [option, file] :
       {std::pair{"--trace", &request.trace}, std::pair{"--report", &request.report_page}})
    if (!request.timed && !file->empty())
      return Error{
          fmt::format("{}: of --device npu alone; the functional model knows no time", option)};
  if (!request.timed && request.what_if)
    return Error{"--what-if: of --device npu alone; the functional model knows no time"};
  if (!options.jitter.empty()) {
    const Result<uint64_t> seed = parseUnsigned(options.jitter);
    if (!seed.ok()) return Error{"--jitter: " + seed.error().message};
    if (!request.timed)
      return Error{"--jitter: of --device npu alone; npu-functional takes --seed"};
    request.jitter = *seed;
  }
  if (options.trace_format.empty()) return {};
  if (request.trace.empty()) return Error{"--trace-format: there is no --trace FILE"};
  for (const auto& [name, format] :
       {std::pair{"perfetto", sim::TraceFormat::perfetto},
        std::pair{"json", sim::TraceFormat::json}, std::pair{"konata", sim::TraceFormat::konata}}) {
    if (options.trace_format != name) continue;
    request.trace_format = format;
    return {};
  }
  return Error{
      fmt::format("--trace-format {}: perfetto, json or konata", quote(options.trace_format))};
}

/// What goes with --timing-only: nothing that is about values, or goes on from them.
Status checkTimingOnly(const RunOptions& options) {
  const RunRequest& request = options.request;
  const auto refused = [](std::string_view option, std::string_view why) {
    return Error{fmt::format("--timing-only and {} do not go together: {}", option, why)};
  };
  if (request.check) return refused("--check", "there are no values to check");
  if (!request.plugin.empty())
    return refused("--device plugin:", "a plug-in computes what it computes");
  if (!options.gdb.empty()) return refused("--gdb", "memory would not hold what it should");
  if (!request.snapshot.empty() || !request.restore.empty())
    return refused(request.restore.empty() ? "--snapshot" : "--restore", "a snapshot keeps values");
  return {};
}

/// Understands the texts of the command line.
Status readOptions(RunOptions& options) {
  RunRequest& request = options.request;
  request.command = commandLine();
  ETALON_RETURN_IF_ERROR(readDevice(options, request));
  ETALON_RETURN_IF_ERROR(readDebugging(options));
  ETALON_RETURN_IF_ERROR(readTrace(options, request));
  if (!options.cores.empty()) {
    const Result<uint64_t> cores = parseUnsigned(options.cores);
    if (!cores.ok()) return Error{"--cores: " + cores.error().message};
    request.cores = *cores;
  }
  if (!options.devices.empty()) {
    const Result<uint64_t> devices = parseUnsigned(options.devices);
    if (!devices.ok()) return Error{"--devices: " + devices.error().message};
    request.devices = *devices;
  }
  const Result<uint64_t> limit =
      options.limit.empty() ? Result<uint64_t>(kDefaultLimit) : parseUnsigned(options.limit);
  if (!limit.ok()) return Error{"--limit: " + limit.error().message};
  request.limit = *limit;
  const Result<uint64_t> seed =
      options.seed.empty() ? Result<uint64_t>(0) : parseUnsigned(options.seed);
  if (!seed.ok()) return Error{"--seed: " + seed.error().message};
  request.seed = *seed;
  for (const std::string& text : options.inputs) {
    Result<InputSource> input = parseInput(text);
    if (!input.ok()) return input.error();
    request.inputs.push_back(*std::move(input));
  }
  for (const auto& [texts, option, list] :
       {std::tuple{&options.outputs, "--out", &request.outputs},
        std::tuple{&options.arguments, "--arg", &request.arguments}})
    for (const std::string& text : *texts) {
      Result<Assignment> pair = parseAssignment(option, text);
      if (!pair.ok()) return pair.error();
      list->push_back(*std::move(pair));
    }
  for (const std::string& text : options.dumps) {
    Result<DumpTarget> dump = parseDump(text);
    if (!dump.ok()) return dump.error();
    request.dumps.push_back(*std::move(dump));
  }
  for (const std::string& text : options.permits)
    ETALON_RETURN_IF_ERROR(addPermit(text, request.permits));
  if (request.timing_only) ETALON_RETURN_IF_ERROR(checkTimingOnly(options));
  if (options.json && options.commit_log == "-")
    return Error{"--commit-log - and --json both want stdout; give the log a file"};
  return {};
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Says on stderr how far the run is, every few seconds.
class ProgressLine {
 public:
  bool operator()(uint64_t instructions) {
    if (interrupted.load(std::memory_order_relaxed)) return false;
    if (++calls_ % kCallsBetweenClocks != 0 || !on_terminal_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(3)) return true;
    const double seconds = std::chrono::duration<double>(now - last_).count();
    fmt::print(stderr, "etalon run: {:.0f} million instructions, {:.0f} million a second\n",
               static_cast<double>(instructions) / 1e6,
               static_cast<double>(instructions - instructions_) / 1e6 / seconds);
    last_ = now;
    instructions_ = instructions;
    return true;
  }

 private:
  static constexpr uint64_t kCallsBetweenClocks = 64;
  bool on_terminal_ = isatty(STDERR_FILENO) != 0;
  uint64_t calls_ = 0;
  uint64_t instructions_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int run(RunOptions& options) {
  if (const Status status = readOptions(options); !status.ok())
    return complain("run", status.error());
  File log(nullptr, std::fclose);
  if (!options.commit_log.empty() && options.commit_log != "-") {
    log.reset(std::fopen(options.commit_log.c_str(), "w"));
    if (!log)
      return complain(
          "run", Error{fmt::format("--commit-log: cannot write {}", quote(options.commit_log))});
  }
  std::string console;
  ProgressLine progress;
  RunHooks hooks;
  hooks.warning = [](std::string_view text) { fmt::print(stderr, "{}", text); };
  hooks.console = [&](std::string_view text) {
    if (options.json) console += text;
    std::fwrite(text.data(), 1, text.size(), options.json ? stderr : stdout);
  };
  if (!options.commit_log.empty())
    hooks.commit_line = [&](std::string_view line) {
      std::fwrite(line.data(), 1, line.size(), log ? log.get() : stdout);
    };
  hooks.progress = [&](uint64_t instructions) { return progress(instructions); };
  hooks.keep_going = [] { return !interrupted.load(std::memory_order_relaxed); };
  if (!options.gdb.empty())
    hooks.debugger = [&](sim::FunctionalDevice& device, SourceLines& lines) {
      gdb::ServerOptions server;
      server.port = options.gdb_port;
      server.say = [](std::string_view text) { fmt::print(stderr, "etalon run: {}", text); };
      server.keep_going = hooks.keep_going;
      return gdb::runUnderDebugger(device, lines, server);
    };
  std::signal(SIGINT, onInterrupt);
  const Result<RunReport> report = runProgram(options.request, hooks);
  std::signal(SIGINT, SIG_DFL);
  if (log && (std::ferror(log.get()) != 0 || std::fclose(log.release()) != 0))
    return complain("run",
                    Error{fmt::format("--commit-log: cannot write {}", quote(options.commit_log))});
  if (!report.ok()) return complain("run", report.error());
  printOut(options.json ? reportJson(*report, console) : reportText(*report, options.quiet));
  if (report->end == RunEnd::interrupted) {
    std::fputs("etalon run: interrupted\n", stderr);
    return kInterrupted;
  }
  return report->failures().empty() ? kSuccess : kFailed;
}

}  // namespace

void addRun(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* sub = app.add_subcommand(
      "run",
      "Run a program (ELF image, .s, .S, .c, .cc) or an operator (.spec) on a device and report");
  RunRequest& request = options->request;
  sub->add_option(
         "PROGRAM", request.program,
         "An ELF image, a source that is built first, or an operator (.spec) for a plug-in")
      ->required()
      ->type_name("FILE");
  sub->add_option(
         "--device", options->device,
         "Where to run: npu gives values and cycles, npu-functional (default) values alone; a "
         "plug-in is a shared library")
      ->type_name("npu|npu-functional|plugin:FILE");
  const auto value = [&](const char* name, auto& target, const char* type,
                         const std::string& description) {
    return sub->add_option(name, target, description)->type_name(type);
  };
  const auto values = [&](const char* name, auto& target, const char* type,
                          const std::string& description) {
    value(name, target, type, description)->allow_extra_args(false);
  };
  value("--device-config", options->device_config, "JSON",
        "Object for the plug-in, which says what it takes");
  value("--timeout", options->timeout, "SECONDS",
        fmt::format("Most that a plug-in may take for one call (default {}, 0: no limit)",
                    kDefaultTimeout));
  value("--machine", request.machine, "MACHINE|FILE",
        "Machine by name or by path of its YAML (default base; see `etalon machines`)");
  values("--set", request.overrides, "KEY=VALUE",
         "Change one value of the machine, which then has no name (`etalon machines show` lists "
         "them)");
  value("--contract", request.contract, "NAME|FILE",
        "Numerics contract that the run computes by: a shipped name, or the path of its JSON "
        "(default: the canonical arithmetic)");
  value("--cores", options->cores, "N",
        "Cores that run the program, of each device (default: all of the machine)");
  value("--devices", options->devices, "N",
        "Joined devices of --device npu-functional, each with the program (default 1, at most 16). "
        "An "
        "input with one more dim of N in front is split over them, others go to each; outputs have "
        "that dim");
  values("--in", options->inputs, "NAME=FILE", "An input: a file or a generator, see below");
  values("--out", options->outputs, "NAME=FILE", "Keep an output (.npy, .png, .safetensors:NAME)");
  values("--arg,--dim", options->arguments, "NAME=VALUE",
         "A scalar argument or a symbol of the shapes");
  sub->add_flag("--check", request.check,
                "Check the outputs against the reference of the operator that the image names");
  sub->add_flag("--timing-only", request.timing_only,
                "Skip the arithmetic of floats and products, for counts (and times) of large "
                "shapes; races and "
                "unwritten reads are not looked for; stops where the program goes by a value that "
                "was skipped");
  value("--limit", options->limit, "N",
        fmt::format("Most instructions over all cores (default {}, 0: none)", kDefaultLimit));
  value("--seed", options->seed, "N",
        "How cores are interleaved and when signals arrive: 0 (default) round robin, any other "
        "number an order of its own, the same at every run");
  value("--commit-log", options->commit_log, "FILE|-",
        "One line an instruction into a file, or - for stdout");
  values("--dump", options->dumps, "WHAT",
         "After the run: x, x5, tr, tr3, tile:tr3 (values), vr1, ch0, all; each also @CORE");
  value(
      "--gdb", options->gdb, "PORT",
      "Wait for a debugger on this TCP port of this host (0: a free one, which is printed) and run "
      "under it");
  value("--snapshot", request.snapshot, "FILE",
        "Write the whole state of the device into a file after --snapshot-at instructions, and go "
        "on");
  value("--snapshot-at", options->snapshot_at, "N",
        "Instructions over all cores before --snapshot writes");
  value("--restore", request.restore, "FILE",
        "Go on from a snapshot; everything else as in the run that wrote it");
  value("--trace", request.trace, "FILE",
        "Of --device npu: what every unit does when, for ui.perfetto.dev");
  value("--jitter", options->jitter, "SEED",
        "Of --device npu: units, memory and signals are late by up to 64 cycles as the seed draws "
        "(0: none); "
        "values must not change");
  sub->add_flag("--what-if", request.what_if,
                "Of --device npu: also what the run would take if scalar core, dispatch, a unit, "
                "local memory, DMA, "
                "network or memory cost next to nothing; eight more runs");
  value("--report", request.report_page, "FILE",
        "Of --device npu: one HTML page that says where the cycles went");
  value("--trace-format", options->trace_format, "perfetto|json|konata",
        "perfetto (default); json for Chrome and konata for the Konata viewer, for small runs");
  values("--permit", options->permits, "uninitialised|races|order-dependent",
         "Do not fail for this finding");
  sub->add_flag("--json", options->json,
                "One JSON object on stdout (isa/schema/run_result.schema.json); console to stderr");
  sub->add_flag("--quiet", options->quiet, "No summary; what is wrong is still said");
  sub->footer(kFooter);
  sub->callback([options, &exit_status] { exit_status = run(*options); });
}

}  // namespace etalon::tools
