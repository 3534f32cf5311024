// SPDX-License-Identifier: Apache-2.0
// Random programs with and without values, step by step: where values are left out nothing else differs, every byte that
// differs is poisoned, and what would go on from one stops. ETALON_FUZZ_SCALE makes it longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>
#include <set>

#include "isa/base/fuzz_scale.h"
#include "isa/codec/codec.h"
#include "sim/functional/functional_device.h"
#include "validation/fuzz/generator.h"
#include "validation/fuzz/image.h"
#include "validation/fuzz/random.h"

namespace etalon::fuzz {
namespace {

using sim::FunctionalDevice;

constexpr uint64_t kPrograms = 250;

/// A device in a launch that goes one instruction at a time.
class Side {
 public:
  Side(const Program& program, std::span<const std::byte> image, sim::Values values, bool observe) {
    auto device = FunctionalDevice::create(randomProgramMachine(program.reduced), {}, values);
    const auto elf = sim::ElfImage::parse({image.begin(), image.end()}, "random");
    EXPECT_TRUE(device.ok() && elf.ok() && (*device)->load(*elf).ok());
    device_ = *std::move(device);
    sink_ = [this](const sim::Core& core, const sim::Commit& commit) {
      commits_.push_back({commit.core, commit.pc, commit.instruction.raw});
      x_ = commit.instruction.rd != 0 ? core.x(commit.instruction.rd) : 0;
      id_ = commit.instruction.id;
    };
    sim::LaunchOptions options;
    options.cores = static_cast<unsigned>(program.cores.size());
    options.instruction_limit = kInstructionLimit;
    options.observe = observe;
    options.commits = &sink_;
    EXPECT_TRUE(device_->start(options).ok());
  }

  /// One instruction; true while the run goes on.
  bool step() {
    commits_.clear();
    result_ = device_->advance(1);
    return !result_;
  }
  /// What it did, and for a run that is over how it ended.
  std::string seen() const {
    std::string text;
    for (const auto& [core, pc, raw] : commits_)
      text += fmt::format("core {} pc {:#x} {} x {:#x}\n", core, pc, isa::disassemble(raw), x_);
    if (result_)
      text += fmt::format("{} {} {}\n", sim::runStatusName(result_->status), result_->exit_code,
                          result_->instructions);
    return text;
  }
  bool poisoned() const { return result_ && result_->status == sim::RunStatus::poisoned; }
  const std::vector<std::tuple<unsigned, uint64_t, uint32_t>>& commits() const { return commits_; }
  isa::InstructionId retired() const { return id_; }
  FunctionalDevice& device() { return *device_; }

  /// Registers, counters and findings.
  std::string state(bool findings) {
    std::string text;
    for (unsigned i = 0; i < device_->cores(); ++i) {
      const sim::Core& core = device_->core(i);
      text += fmt::format("core {} pc {:#x}", i, core.pc());
      for (int r = 0; r < 32; ++r) text += fmt::format(" {:x}", core.x(r));
      for (uint32_t csr = 0; csr < 4096; ++csr)
        if (const uint64_t value = core.readCsr(csr)) text += fmt::format(" {:x}:{:x}", csr, value);
      for (int r = 0; r < isa::kTileRegisters; ++r)
        for (const uint64_t word : isa::packTile(core.tile(r))) text += fmt::format(" {:x}", word);
      for (const uint32_t word : device_->memory().semaphores(i)) text += fmt::format(" {}", word);
      text += "\n";
    }
    for (const isa::CounterInfo& counter : isa::kCounters)
      text += fmt::format("{} {}\n", counter.name, device_->counterTotal(counter.counter));
    for (const isa::Fault& fault : device_->findings().faults())
      text +=
          fmt::format("fault {} {:#x} {:#x} {}\n", fault.core, fault.pc, fault.value, fault.detail);
    if (!findings) return text;
    for (const auto& read : device_->findings().uninitialised())
      text += fmt::format("unwritten {} {:#x} {:#x}\n", read.core, read.pc, read.address);
    for (const auto& race : device_->races().reports()) text += race.text + "\n";
    for (const auto& race : device_->races().orderDependences()) text += race.text + "\n";
    return text;
  }

 private:
  std::unique_ptr<FunctionalDevice> device_;
  sim::CommitSink sink_;
  std::vector<std::tuple<unsigned, uint64_t, uint32_t>> commits_;
  uint64_t x_ = 0;
  isa::InstructionId id_ = isa::InstructionId::illegal;
  std::optional<sim::RunResult> result_;
};

/// Bytes that differ, how many of them are not poisoned, and how many bytes are.
struct Difference {
  uint64_t bytes = 0, missed = 0, poisoned = 0;
  std::string first_missed;
};

void compareRegion(sim::Region& values, sim::Region& left_out, Difference& result) {
  constexpr uint64_t kPiece = 512;
  for (uint64_t piece = 0; piece < values.size(); piece += kPiece) {
    const bool clean = !left_out.poison->any(piece, kPiece);
    if (clean && std::memcmp(values.data() + piece, left_out.data() + piece, kPiece) == 0) continue;
    for (uint64_t at = piece; at < piece + kPiece; ++at) {
      const bool poisoned = left_out.poison->any(at, 1);
      result.poisoned += poisoned;
      if (values.data()[at] == left_out.data()[at]) continue;
      ++result.bytes;
      if (poisoned) continue;
      if (result.missed++ == 0) result.first_missed = fmt::format("region {} {:#x}", values.id, at);
    }
  }
}

Difference compareMemory(Side& values, Side& left_out) {
  Difference result;
  sim::Memory& a = values.device().memory();
  sim::Memory& b = left_out.device().memory();
  compareRegion(a.global(), b.global(), result);
  for (unsigned core = 0; core < a.cluster().agents(); ++core)
    compareRegion(a.local(core), b.local(core), result);
  return result;
}

/// What the programs of a test came to.
struct Totals {
  uint64_t programs = 0, stopped = 0, instructions = 0, different_bytes = 0, poisoned_bytes = 0;
  std::set<isa::InstructionId> retired;
  std::set<std::string> uses;
};

void compareRuns(const Program& program, bool observe, Totals& totals) {
  const auto image = makeImage(program);
  ASSERT_TRUE(image.ok()) << image.error().message;
  Side values(program, *image, sim::Values::computed, observe);
  Side left_out(program, *image, sim::Values::left_out, observe);
  ++totals.programs;
  const auto check = [&] {
    const Difference memory = compareMemory(values, left_out);
    ASSERT_EQ(memory.missed, 0u) << program.name() << " " << memory.first_missed << "\n"
                                 << left_out.seen() << listing(program);
    totals.different_bytes += memory.bytes;
    totals.poisoned_bytes += memory.poisoned;
  };
  for (uint64_t step = 1;; ++step) {
    const bool going_on = left_out.step();
    if (left_out.poisoned()) {
      // Before it had an effect.
      ++totals.stopped;
      const auto& stop = left_out.device().findings().poisonStop();
      ASSERT_TRUE(stop.has_value());
      totals.uses.insert(stop->use);
      ASSERT_NO_FATAL_FAILURE(check());
      return;
    }
    ASSERT_EQ(values.step(), going_on) << program.name() << "\n"
                                       << left_out.seen() << values.seen();
    ASSERT_EQ(values.seen(), left_out.seen()) << program.name() << " step " << step;
    if (!left_out.commits().empty()) totals.retired.insert(left_out.retired());
    ++totals.instructions;
    if (step % 256 == 0 || !going_on) {
      ASSERT_NO_FATAL_FAILURE(check());
    }
    if (!going_on) break;
  }
  ASSERT_EQ(values.state(observe), left_out.state(observe)) << program.name();
}

void compareMany(uint64_t seed, bool observe) {
  const Generator generator(ProgramOptions{.seed = seed});
  Totals totals;
  const auto programs =
      std::max<uint64_t>(20, static_cast<uint64_t>(static_cast<double>(kPrograms) * fuzzScale()));
  for (uint64_t i = 0; i < programs; ++i)
    ASSERT_NO_FATAL_FAILURE(compareRuns(generator.make(i), observe, totals));
  std::cout << fmt::format(
      "{} programs, {} of them stopped, {} instructions, {} bytes differed of {} poisoned, {} "
      "instructions retired\n",
      totals.programs, totals.stopped, totals.instructions, totals.different_bytes,
      totals.poisoned_bytes, totals.retired.size());
  for (const std::string& use : totals.uses) std::cout << "stopped: " << use << "\n";
  if (fuzzScale() < 1) return;
  EXPECT_GT(totals.retired.size(), isa::instructionTable().size() * 95 / 100);
  EXPECT_GT(totals.programs, 3 * totals.stopped);  // most see their end
  for (const char* use : {"an atomic", "an index"}) EXPECT_TRUE(totals.uses.contains(use)) << use;
}

TEST(LeftOutValues, ChangeNothingButPoisonedBytes) { compareMany(21, true); }
TEST(LeftOutValues, ChangeNothingButPoisonedBytesOfALaunchThatDoesNotObserve) {
  compareMany(22, false);
}

}  // namespace
}  // namespace etalon::fuzz
