// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/peaks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "isa/base/text.h"
#include "isa/machines/dram_preset.h"
#include "isa/machines/find_machine.h"

namespace etalon::isa {
namespace {

constexpr uint64_t kMega = 1'000'000;

/// Operand types of products that a machine has, by the width that their rate goes by.
struct ProductTypes {
  const char* key;
  const char* unit;
  uint64_t MatrixTiming::* rate;
  std::vector<std::pair<const char*, const char*>> types;  // profile, names
};
const std::vector<ProductTypes>& productTypes() {
  static const auto& kTypes = *new std::vector<ProductTypes>{
      {"matrix.32_bit", "FLOP", &MatrixTiming::rate_32, {{"Et-f32mm", "f32"}}},
      {"matrix.16_bit", "FLOP", &MatrixTiming::rate_16, {{"Et-base", "bf16"}, {"Et-f16", "f16"}}},
      {"matrix.8_bit", "OP", &MatrixTiming::rate_8, {{"Et-base", "i8"}, {"Et-fp8", "FP8"}}},
      {"matrix.4_bit", "OP", &MatrixTiming::rate_4, {{"Et-i4", "i4"}, {"Et-mx", "FP4"}}}};
  return kTypes;
}

Result<uint64_t> channelBandwidth(const Machine& machine) {
  const Timing& timing = *machine.timing;
  const Result<std::string> file = findPart("memory", timing.memory.preset, machine.folder);
  if (!file.ok()) return file.error();
  const Result<DramPreset> preset = loadDramPreset(*file);
  if (!preset.ok()) return preset.error();
  if (preset->kind == DramPreset::Kind::Dram) return preset->peakMegabytesPerSecond() * kMega;
  return (preset->bytes_per_cycle * timing.clock_mhz + preset->megabytes_per_second) * kMega;
}

}  // namespace

Result<std::vector<MachinePeak>> machinePeaks(const Machine& machine) {
  std::vector<MachinePeak> peaks;
  if (!machine.timing) return peaks;
  const Timing& t = *machine.timing;
  const uint64_t clock = t.clock_mhz * kMega, core_cycles = machine.cores * clock;
  for (const ProductTypes& products : productTypes()) {
    std::vector<std::string> names;
    for (const auto& [profile, name] : products.types)
      if (std::ranges::find(machine.profiles, profile) != machine.profiles.end())
        names.emplace_back(name);
    if (names.empty()) continue;
    peaks.push_back(
        {products.key, joined(names) + " products",
         2 * t.matrix.rows * t.matrix.cols * core_cycles / 1000 * (t.matrix.*products.rate),
         products.unit});
  }
  peaks.push_back(
      {"vector", "simple steps of chains", t.vector.lanes * t.vector.stages * core_cycles, "FLOP"});
  peaks.push_back({"local", "local memory", t.local.banks * t.local.bank_bytes * core_cycles, "B"});
  peaks.push_back(
      {"network", "network, each way", t.network.ports * t.network.port_bytes * core_cycles, "B"});
  const Result<uint64_t> channel = channelBandwidth(machine);
  if (!channel.ok()) return channel.error();
  peaks.push_back({"memory", "memory channels", t.memory.channels * *channel, "B"});
  if (t.links.count > 0)
    peaks.push_back(
        {"links", "links, each way", t.links.count * t.links.megabytes_per_second * kMega, "B"});
  return peaks;
}

}  // namespace etalon::isa
