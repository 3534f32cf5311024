// SPDX-License-Identifier: Apache-2.0
// Random programs in time have the same cycles with and without values, for as long as those without go on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <tuple>

#include "isa/base/fuzz_scale.h"
#include "isa/machines/find_machine.h"
#include "sim/system/timed_test_support.h"
#include "validation/fuzz/generator.h"
#include "validation/fuzz/image.h"

namespace etalon::fuzz {
namespace {

using sim::FunctionalDevice;

constexpr uint64_t kPrograms = 120;

/// The machine of random programs, as `base` has its times.
const isa::Machine& timedMachine() {
  static const isa::Machine kMachine = [] {
    std::vector<std::string> overrides = machineOverrides(false);
    overrides.emplace_back(
        "profiles=Et-base,Et-f16,Et-f32mm,Et-fp8,Et-mx,Et-i4,Et-sparse,Et-sort,Et-trig,Et-rand,Et-"
        "atomic,Et-net");
    auto machine = isa::openMachine("base", overrides);
    ETALON_CHECK(machine.ok() && machine->global_base == kGlobalBase, "a machine with times");
    return *std::move(machine);
  }();
  return kMachine;
}

struct TimedRun {
  sim::TimedSystem::End end;
  sim::RunResult result;
  std::vector<sim::TileRecord> tiles;
  std::vector<uint64_t> x;  // of all cores; a program can read cycles into them
};

TimedRun runInTime(const Program& program, std::span<const std::byte> image, sim::Values values) {
  auto device = FunctionalDevice::create(timedMachine(), {}, values);
  const auto elf = sim::ElfImage::parse({image.begin(), image.end()}, "random");
  EXPECT_TRUE(device.ok() && elf.ok() && (*device)->load(*elf).ok());
  sim::LaunchOptions options;
  options.cores = static_cast<unsigned>(program.cores.size());
  options.instruction_limit = kInstructionLimit;
  options.timed = true;
  options.observe = values == sim::Values::computed;
  EXPECT_TRUE((*device)->start(options).ok());
  sim::TimedSystem::Channels channels;
  for (uint64_t i = 0; i < timedMachine().timing->memory.channels; ++i)
    channels.push_back(std::make_unique<sim::InstantChannel>(40));
  sim::TileLog log;
  sim::TimedSystem chip(**device, std::move(channels), &log, [](unsigned, Cycles) {});
  for (Cycles last = 0; !chip.end();) {
    Cycles now = kNever;
    for (unsigned i = 0; i < chip.components(); ++i) now = std::min(now, chip.nextTime(i));
    if (now == kNever) {
      chip.deadlock(last);
      break;
    }
    for (unsigned i = 0; i < chip.components(); ++i)
      if (chip.nextTime(i) == now) chip.advance(i, now);
    last = now;
  }
  TimedRun run{
      *chip.end(), (*device)->end(chip.end()->status, chip.end()->exit_code), log.tiles, {}};
  for (unsigned core = 0; core < options.cores; ++core)
    for (int i = 0; i < 32; ++i) run.x.push_back((*device)->core(core).x(i));
  return run;
}

auto fieldsOf(const sim::TileRecord& r) {
  return std::tuple(r.core, r.sequence, r.pc, r.instruction.raw, r.issue, r.ready, r.taken, r.start,
                    r.first_result, r.read_done, r.done, r.waited_for, r.macs, r.elements, r.bytes);
}

TEST(TimedLeftOutValues, ChangeNoCycle) {
  const Generator generator(ProgramOptions{.seed = 31, .reduced = 0});
  const auto programs =
      std::max<uint64_t>(20, static_cast<uint64_t>(static_cast<double>(kPrograms) * fuzzScale()));
  uint64_t stopped = 0, tiles = 0;
  for (uint64_t i = 0; i < programs; ++i) {
    const Program program = generator.make(i);
    const auto image = makeImage(program);
    ASSERT_TRUE(image.ok()) << image.error().message;
    const TimedRun values = runInTime(program, *image, sim::Values::computed);
    const TimedRun left_out = runInTime(program, *image, sim::Values::left_out);
    const bool stops = left_out.end.status == sim::RunStatus::poisoned;
    tiles += left_out.tiles.size();
    ASSERT_LE(left_out.tiles.size(), values.tiles.size()) << program.name();
    for (size_t t = 0; t < left_out.tiles.size(); ++t)
      ASSERT_EQ(fieldsOf(left_out.tiles[t]), fieldsOf(values.tiles[t]))
          << program.name() << " tile instruction " << t;
    if (stops) {
      ++stopped;
      ASSERT_LE(left_out.end.time, values.end.time) << program.name();
      continue;
    }
    ASSERT_EQ(left_out.end.status, values.end.status) << program.name();
    ASSERT_EQ(left_out.end.time, values.end.time) << program.name();
    ASSERT_EQ(left_out.result.exit_code, values.result.exit_code) << program.name();
    ASSERT_EQ(left_out.result.instructions, values.result.instructions) << program.name();
    ASSERT_EQ(left_out.x, values.x) << program.name();
    ASSERT_EQ(left_out.tiles.size(), values.tiles.size()) << program.name();
  }
  std::cout << fmt::format("{} programs, {} of them stopped, {} tile instructions\n", programs,
                           stopped, tiles);
  EXPECT_GT(tiles, 20 * programs);
  EXPECT_GT(programs, 3 * stopped);
}

}  // namespace
}  // namespace etalon::fuzz
