// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/layout.h"

#include <fmt/format.h>

#include <array>

#include "isa/base/check.h"
#include "isa/machines/find_machine.h"
#include "validation/fuzz/program.h"

namespace etalon::fuzz {
namespace {

constexpr const char* kMachine = "functional64";

}  // namespace

std::vector<std::string> machineOverrides(bool reduced) {
  std::vector<std::string> overrides{
      fmt::format("cores={}", kMostCores),
      fmt::format("local_bytes={} KiB", kLocalBytes >> 10),
      fmt::format("address_map.global_bytes={} KiB", kGlobalBytes >> 10),
      "work_cap.macs_log2=30",
      "work_cap.elements_log2=24",
      "work_cap.bytes_log2=26"};
  if (reduced) overrides.emplace_back("profiles=Et-base,Et-fp8,Et-sparse");
  return overrides;
}

const isa::Machine& randomProgramMachine(bool reduced) {
  const auto open = [](bool lacks_profiles) {
    auto machine = isa::openMachine(kMachine, machineOverrides(lacks_profiles));
    ETALON_CHECK(machine.ok() && machine->global_base == kGlobalBase,
                 "the machine of random programs is a machine with global memory at kGlobalBase");
    return *std::move(machine);
  };
  static const std::array<isa::Machine, 2> kMachines{open(false), open(true)};
  return kMachines[reduced ? 1 : 0];
}

std::string deviceConfiguration(bool reduced) {
  std::string list;
  for (const std::string& text : machineOverrides(reduced))
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", text);
  return fmt::format(R"({{"machine": "{}", "set": [{}]}})", kMachine, list);
}

std::string Program::name() const { return fmt::format("seed {}, program {}", seed, index); }

size_t stepCount(const Program& program) {
  size_t count = 0;
  for (const auto& steps : program.cores) forEachStep(steps, [&](const Step&) { ++count; });
  return count;
}

}  // namespace etalon::fuzz
