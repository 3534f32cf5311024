// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "isa/base/bits.h"
#include "isa/codec/codec.h"
#include "validation/fuzz/layout.h"
#include "validation/fuzz/random.h"
#include "validation/fuzz/state_parts.h"
#include "validation/fuzz/target.h"

namespace etalon::fuzz {
namespace {

using sim::FunctionalDevice;

/// Tells where snapshots are taken from the steps of the program.
constexpr uint64_t kSnapshotStream = uint64_t{1} << 62;

etalon_end endOf(sim::RunStatus status) {
  switch (status) {
    case sim::RunStatus::exited: return ETALON_END_EXITED;
    case sim::RunStatus::fault: return ETALON_END_FAULT;
    case sim::RunStatus::deadlock: return ETALON_END_DEADLOCK;
    case sim::RunStatus::instruction_limit: return ETALON_END_INSTRUCTION_LIMIT;
    case sim::RunStatus::interrupted: break;
    case sim::RunStatus::poisoned: break;  // of devices without values
  }
  return ETALON_END_TIMEOUT;
}

/// The model seen by addState().
class ModelState final : public StateReader {
 public:
  explicit ModelState(FunctionalDevice& device) : device_(device) {}

  Status global(uint64_t address, std::span<std::byte> into) override {
    return device_.read(address, into);
  }
  Status peek(unsigned core, etalon_space space, uint64_t index,
              std::span<std::byte> into) override {
    const sim::Core& c = device_.core(core);
    const auto i = static_cast<int>(index);
    switch (space) {
      case ETALON_SPACE_X: storeBytes(into.data(), c.x(i)); break;
      case ETALON_SPACE_PC: storeBytes(into.data(), c.pc()); break;
      case ETALON_SPACE_CSR:
        storeBytes(into.data(), c.readCsr(static_cast<uint32_t>(index)));
        break;
      case ETALON_SPACE_TILE:
        isa::storeTileImage(c.tile(i), into.first<isa::kTileImageBytes>());
        break;
      case ETALON_SPACE_VIEW:
        isa::storeViewImage(c.view(i), into.first<isa::kViewImageBytes>());
        break;
      case ETALON_SPACE_CHAIN:
        isa::storeChainImage(c.chain(i), into.first<isa::kChainImageBytes>());
        break;
      case ETALON_SPACE_LOCAL:
        std::ranges::copy(std::span(device_.memory().local(core).data() + index, into.size()),
                          into.begin());
        break;
      case ETALON_SPACE_SEMAPHORE:
        storeBytes(into.data(), c.semaphore(static_cast<unsigned>(index)));
        break;
    }
    return {};
  }

 private:
  FunctionalDevice& device_;
};

void addFinding(Digest& digest, const isa::Fault& fault) {
  digest.add(static_cast<uint64_t>(fault.cause));
  digest.add(static_cast<uint64_t>(fault.rule));
  for (const uint64_t word :
       {uint64_t{fault.core}, fault.pc, uint64_t{fault.instruction}, fault.value})
    digest.add(word);
  for (const std::string& text : {fault.operand, fault.detail, fault.hint}) digest.add(text);
}

/// Faults, races, order-dependent results and unwritten reads with all their fields.
uint64_t findingsDigest(const FunctionalDevice& device, const sim::RunResult& run) {
  Digest digest;
  for (const isa::Fault& fault : device.findings().faults()) addFinding(digest, fault);
  digest.add(device.findings().faultCount());
  for (const auto& read : device.findings().uninitialised())
    for (const uint64_t word :
         {uint64_t{read.core}, read.pc, uint64_t{read.instruction}, read.address, read.size})
      digest.add(word);
  for (const auto& race : device.races().reports()) digest.add(race.text);
  for (const auto& order : device.races().orderDependences()) digest.add(order.text);
  for (const auto& stopped : run.stopped) {
    digest.add(stopped.pc);
    digest.add(stopped.waiting);
  }
  return digest.value();
}

std::string textOf(const FunctionalDevice& device, const sim::RunResult& run) {
  std::string text =
      fmt::format("{} after {} instructions\n", sim::runStatusName(run.status), run.instructions);
  for (const isa::Fault& fault : device.findings().faults())
    text += fmt::format("core {} at pc {:#x}: {} by {}: {} {}\n", fault.core, fault.pc,
                        isa::causeName(fault.cause), isa::disassemble(fault.instruction),
                        fault.operand, fault.detail);
  for (const auto& race : device.races().reports()) text += "data race: " + race.text + "\n";
  for (const auto& stopped : run.stopped)
    text += fmt::format("core {} at pc {:#x} {}\n", stopped.core, stopped.pc, stopped.waiting);
  return text;
}

/// Starts the launch and carries it to its end; may put another device in the place of the one it is given.
using Execute = std::function<Result<sim::RunResult>(std::unique_ptr<FunctionalDevice>& device,
                                                     const sim::LaunchOptions&, const Program&)>;

Result<sim::RunResult> launch(std::unique_ptr<FunctionalDevice>& device,
                              const sim::LaunchOptions& options, const Program& /*program*/) {
  return device->launch(options);
}

/// Twice on the way the device is thrown away and made again from its snapshot.
Result<sim::RunResult> launchThroughSnapshots(std::unique_ptr<FunctionalDevice>& device,
                                              const sim::LaunchOptions& options,
                                              const Program& program) {
  ETALON_RETURN_IF_ERROR(device->start(options));
  Random random(program.seed ^ kSnapshotStream, program.index);
  for (const uint64_t most : {300, 1000}) {
    if (auto result = device->advance(1 + random.below(most))) return *std::move(result);
    std::vector<std::byte> snapshot;
    const auto keep = [&](std::span<const std::byte> piece) {
      snapshot.insert(snapshot.end(), piece.begin(), piece.end());
      return Status();
    };
    ETALON_RETURN_IF_ERROR(device->snapshot(keep, "random program"));
    auto restored = FunctionalDevice::restore(device->machine(), {}, snapshot, options);
    if (!restored.ok()) return restored.error();
    device = std::move(restored->device);
  }
  return *device->advance(~uint64_t{0});
}

class ModelTarget final : public Target {
 public:
  ModelTarget(std::string name, Execute execute, Observer observer,
              std::function<void(const FunctionalDevice&, const Outcome&)> finished)
      : name_(std::move(name)),
        execute_(std::move(execute)),
        observer_(std::move(observer)),
        finished_(std::move(finished)) {}

  std::string name() const override { return name_; }

  Result<Outcome> run(const RunRequest& request) override {
    auto device = FunctionalDevice::create(randomProgramMachine(request.program->reduced));
    if (!device.ok()) return device.error();
    const auto image = sim::ElfImage::parse({request.image.begin(), request.image.end()}, "random");
    if (!image.ok()) return image.error();
    ETALON_RETURN_IF_ERROR((*device)->load(*image));
    CommitDigest commits;
    const sim::CommitSink sink = [&](const sim::Core& core, const sim::Commit& commit) {
      const isa::Instruction& in = commit.instruction;
      const bool writes = in.rd != 0 && isa::writesX(in.id);
      commits.add(commit.core, commit.pc, in.raw, writes ? in.rd : 0, writes ? core.x(in.rd) : 0);
      if (observer_) observer_(core, commit);
    };
    sim::LaunchOptions options;
    options.cores = static_cast<unsigned>(request.program->cores.size());
    options.instruction_limit = kInstructionLimit;
    options.commits = &sink;
    const auto result = execute_(*device, options, *request.program);
    if (!result.ok()) return result.error();
    return outcomeOf(**device, *result, commits, options.cores);
  }

 private:
  Result<Outcome> outcomeOf(FunctionalDevice& device, const sim::RunResult& result,
                            const CommitDigest& commits, unsigned cores) {
    Outcome outcome;
    outcome.end = endOf(result.status);
    outcome.parts["commits"] = commits.value();
    outcome.parts["findings"] = findingsDigest(device, result);
    outcome.parts["instructions"] = result.instructions;
    outcome.parts["exit code"] = result.exit_code;
    outcome.parts["races"] = device.races().raceCount();
    outcome.parts["order-dependent results"] = device.races().orderDependenceCount();
    outcome.parts["unwritten reads"] = device.findings().uninitialisedCount();
    if (result.status == sim::RunStatus::fault) {
      const isa::Fault& fault = device.findings().faults().back();
      outcome.parts["fault"] = faultDigest(fault.core, fault.pc, static_cast<uint64_t>(fault.cause),
                                           fault.value, fault.instruction);
    }
    Digest counters;
    for (const isa::CounterInfo& counter : isa::kCounters)
      if (counter.architectural)
        addCounter(counters, counter.name, device.counterTotal(counter.counter));
    outcome.parts["counters"] = counters.value();
    outcome.text = textOf(device, result);
    ModelState state(device);
    ETALON_RETURN_IF_ERROR(addState(state, {.cores = cores}, outcome));
    if (finished_) finished_(device, outcome);
    return outcome;
  }

  std::string name_;
  Execute execute_;
  Observer observer_;
  std::function<void(const FunctionalDevice&, const Outcome&)> finished_;
};

}  // namespace

std::unique_ptr<Target> modelTarget(
    Observer observer, std::function<void(const FunctionalDevice&, const Outcome&)> finished) {
  return std::make_unique<ModelTarget>("model", launch, std::move(observer), std::move(finished));
}

std::unique_ptr<Target> snapshotTarget() {
  return std::make_unique<ModelTarget>("snapshots", launchThroughSnapshots, nullptr, nullptr);
}

}  // namespace etalon::fuzz
