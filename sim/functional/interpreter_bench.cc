// SPDX-License-Identifier: Apache-2.0
// Scalar instructions a second on one core, detectors on as in every run. items_per_second is the figure; the bar is 200 M.
#include <benchmark/benchmark.h>

#include <memory>

#include "isa/base/check.h"
#include "isa/codec/program_builder.h"
#include "isa/machines/find_machine.h"
#include "sim/arch/elf_writer.h"
#include "sim/functional/functional_device.h"

namespace etalon::sim {
namespace {

using isa::X;

constexpr uint64_t kEntry = 0x80001000, kData = 0x80100000;
constexpr uint64_t kInstructions = 20'000'000;

/// Runs a program that does not end for kInstructions at a time.
void runLoop(benchmark::State& state, isa::ProgramBuilder& p) {
  const auto machine = isa::openMachine("base", {});
  ETALON_CHECK(machine.ok(), "the machine `base` ships");
  auto device = FunctionalDevice::create(*machine);
  const auto words = p.finish();
  ETALON_CHECK(device.ok() && words.ok(), "device and program of a benchmark");
  const auto image = ElfImage::parse(writeElf(kEntry, *words, {}), "bench");
  ETALON_CHECK(image.ok() && (*device)->load(*image).ok(), "image of a benchmark");
  ETALON_CHECK((*device)->write(kData, std::vector<std::byte>(1 << 20)).ok(),
               "data of a benchmark");
  LaunchOptions options;
  options.instruction_limit = kInstructions;
  uint64_t instructions = 0;
  for (auto _ : state) {
    const auto result = (*device)->launch(options);
    ETALON_CHECK(result.ok() && result->status == RunStatus::instruction_limit,
                 "a benchmark runs to its limit");
    instructions += result->instructions;
  }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
}

/// A checksum over an array of 64 KiB that writes it back: 3 loads and stores, a multiplication and 2 branches in 12.
void mixedLoop(benchmark::State& state) {
  isa::ProgramBuilder p;
  auto outer = p.label(), inner = p.label(), even = p.label();
  p.li(X{8}, 0x9e3779b1);
  p.bind(outer);
  p.li(X{5}, static_cast<int64_t>(kData));
  p.li(X{6}, 8192);
  p.bind(inner);
  p.ld(X{10}, 0, X{5});
  p.lw(X{11}, 4, X{5});
  p.mul(X{12}, X{10}, X{8});
  p.add(X{12}, X{12}, X{11});
  p.srli(X{13}, X{12}, 17);
  p.xor_(X{12}, X{12}, X{13});
  p.andi(X{14}, X{12}, 1);
  p.beq(X{14}, X{0}, even);
  p.addi(X{12}, X{12}, 3);
  p.bind(even);
  p.sd(X{12}, 0, X{5});
  p.addi(X{5}, X{5}, 8);
  p.addi(X{6}, X{6}, -1);
  p.bne(X{6}, X{0}, inner);
  p.jal(X{0}, outer);
  runLoop(state, p);
}
BENCHMARK(mixedLoop)->Unit(benchmark::kMillisecond);

/// Arithmetic and branches alone: what dispatch costs.
void registerLoop(benchmark::State& state) {
  isa::ProgramBuilder p;
  auto loop = p.label();
  p.bind(loop);
  p.addi(X{5}, X{5}, 1);
  p.xor_(X{6}, X{6}, X{5});
  p.slli(X{7}, X{6}, 3);
  p.add(X{8}, X{8}, X{7});
  p.bgeu(X{8}, X{0}, loop);
  p.jal(X{0}, loop);
  runLoop(state, p);
}
BENCHMARK(registerLoop)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace etalon::sim
