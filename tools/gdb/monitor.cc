// SPDX-License-Identifier: Apache-2.0
#include "tools/gdb/monitor.h"

#include <fmt/format.h>

#include <vector>

#include "isa/base/text.h"
#include "tools/run/dump.h"
#include "tools/run/findings.h"

namespace etalon::tools::gdb {
namespace {

constexpr const char* kHelp =
    R"(monitor tile tr4     the values of a tile as a matrix (? was never written)
monitor tr [tr4]     what tile registers name
monitor view [vr1]   view registers
monitor chain [ch0]  chain registers
monitor x            scalar registers
monitor sem          semaphores that are not zero, of every core
monitor findings     races, uninitialised reads and faults so far
monitor help         this
Registers are those of the selected thread's core; tr4@2 names core 2's. Thread N is core N - 1.
)";

/// Commands that dump registers: the prefix of their target, and whether they
/// want a register.
struct DumpCommand {
  std::string_view word;
  std::string_view prefix;
  std::string_view registers;  // what a target begins with when it stands alone
};
constexpr DumpCommand kDumps[] = {{"tile", "tile:", "tr"},
                                  {"tr", "", "tr"},
                                  {"view", "", "vr"},
                                  {"chain", "", "ch"},
                                  {"x", "", "x"}};

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c != ' ' && c != '\t')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

std::string Monitor::answer(std::string_view command, unsigned core) {
  const std::vector<std::string> words = wordsOf(command);
  if (words.empty() || (words.size() == 1 && words[0] == "help")) return kHelp;
  if (words.size() == 1 && words[0] == "sem") return semaphores();
  if (words.size() == 1 && words[0] == "findings") return findings();
  for (const DumpCommand& known : kDumps)
    if (words[0] == known.word && words.size() <= 2)
      return dump(
          std::string(known.prefix) + (words.size() == 2 ? words[1] : std::string(known.registers)),
          core);
  return fmt::format("there is no command {}; there are:\n{}", quote(command), kHelp);
}

std::string Monitor::dump(const std::string& text, unsigned core) {
  Result<DumpTarget> wanted = parseDump(text, "monitor");
  if (!wanted.ok()) return wanted.error().message + "\n";
  if (!wanted->core) wanted->core = core;
  if (*wanted->core >= target_.cores())
    return fmt::format("the run has cores 0 to {}\n", target_.cores() - 1);
  std::string answer;
  for (const ReportedDump& dump : dumpState(target_.device(), target_.cores(), {*wanted}))
    answer += fmt::format("core {}\n{}", dump.core, dump.text);
  return answer;
}

std::string Monitor::semaphores() {
  std::string text;
  for (unsigned core = 0; core < target_.cores(); ++core) {
    const auto& values = target_.device().memory().semaphores(core);
    for (int i = 0; i < sim::kSemaphores; ++i)
      if (values[i] != 0) text += fmt::format("core {} semaphore {} is {}\n", core, i, values[i]);
  }
  return text.empty() ? "all semaphores are 0\n" : text;
}

std::string Monitor::findings() {
  RunReport report;
  collectFindings(target_.device(), lines_, report);
  const std::string text = findingsText(report);
  return text.empty() ? "nothing so far\n" : text;
}

std::string Monitor::faultText() {
  RunReport report;
  collectFindings(target_.device(), lines_, report);
  if (report.faults.empty()) return "";
  const ReportedFault last = report.faults.back();
  report = {};
  report.faults.push_back(last);
  report.faults.back().handled = false;
  report.fault_count = 1;
  return findingsText(report);
}

}  // namespace etalon::tools::gdb
