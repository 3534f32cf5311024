// SPDX-License-Identifier: Apache-2.0
// How a launch ended, in the words of the device interface.
#include <fmt/format.h>

#include "isa/codec/codec.h"
#include "sim/functional/plugin/plugin_device.h"

namespace etalon::sim {
namespace {

/// As many of each kind of finding as people read; the counts are exact.
constexpr size_t kShown = 10;

std::string faultText(const isa::Fault& fault) {
  std::string text = fmt::format("core {} at pc {:#x}: {} by {}", fault.core, fault.pc,
                                 isa::causeName(fault.cause), isa::disassemble(fault.instruction));
  if (!fault.operand.empty()) text += fmt::format(", operand {}", fault.operand);
  if (!fault.detail.empty()) text += ": " + fault.detail;
  if (const isa::RuleInfo* rule = isa::ruleInfo(fault.rule))
    text += fmt::format(" [{}]", rule->name);
  return text + "\n";
}

std::string findingsText(const FunctionalDevice& model, const RunResult& run) {
  std::string text;
  const Findings& findings = model.findings();
  for (size_t i = 0; i < std::min(kShown, findings.faults().size()); ++i)
    text += faultText(findings.faults()[i]);
  const auto& races = model.races().reports();
  for (size_t i = 0; i < std::min(kShown, races.size()); ++i)
    text += "data race: " + races[i].text + "\n";
  const auto& orders = model.races().orderDependences();
  for (size_t i = 0; i < std::min(kShown, orders.size()); ++i) text += orders[i].text + "\n";
  const auto& reads = findings.uninitialised();
  for (size_t i = 0; i < std::min(kShown, reads.size()); ++i)
    text += fmt::format("core {} at pc {:#x}: uninitialised read, address {:#x} of {} bytes\n",
                        reads[i].core, reads[i].pc, reads[i].address, reads[i].size);
  for (const StoppedCore& stopped : run.stopped)
    text += fmt::format("core {} at pc {:#x} {}\n", stopped.core, stopped.pc,
                        stopped.waiting.empty() ? "had not halted" : stopped.waiting);
  return text;
}

etalon_end endOf(RunStatus status) {
  switch (status) {
    case RunStatus::exited: return ETALON_END_EXITED;
    case RunStatus::fault: return ETALON_END_FAULT;
    case RunStatus::deadlock: return ETALON_END_DEADLOCK;
    case RunStatus::instruction_limit: return ETALON_END_INSTRUCTION_LIMIT;
    case RunStatus::interrupted: break;  // by nothing but the time-out
    case RunStatus::poisoned: break;     // of devices without values, which a plug-in is not
  }
  return ETALON_END_TIMEOUT;
}

/// The core that ended the run, and why if the list of faults reaches that far.
void fillFault(const FunctionalDevice& model, etalon_launch_result& result) {
  for (unsigned core = 0; core < model.cores(); ++core) {
    if (model.core(core).state() != CoreState::faulted) continue;
    result.fault_core = core;
    result.fault_pc = model.core(core).pc();
    const std::vector<isa::Fault>& faults = model.findings().faults();
    if (faults.size() != model.findings().faultCount()) return;
    result.fault_pc = faults.back().pc;
    result.fault_cause = static_cast<uint64_t>(faults.back().cause);
    result.fault_value = faults.back().value;
    result.fault_instruction = faults.back().instruction;
  }
}

}  // namespace

void fillResult(const FunctionalDevice& model, const RunResult& run, etalon_launch_result& result) {
  result.end = endOf(run.status);
  result.exit_code = run.exit_code;
  result.instructions = run.instructions;
  if (run.status == RunStatus::fault) fillFault(model, result);
  result.race_count = model.races().raceCount();
  if (ETALON_HAS(&result, order_dependent_count))
    result.order_dependent_count = model.races().orderDependenceCount();
  result.uninitialised_read_count = model.findings().uninitialisedCount();
  etalon_set_text(result.detail, ETALON_OK, findingsText(model, run).c_str());
}

}  // namespace etalon::sim
