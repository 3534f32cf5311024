// SPDX-License-Identifier: Apache-2.0
// Going on and stopping.
#include <fmt/format.h>

#include "tools/gdb/session.h"

namespace etalon::tools::gdb {
namespace {

uint64_t maskOf(unsigned cores) { return ~uint64_t{0} >> (64 - cores); }

/// One action of vCont.
struct Action {
  char what = 'c';  // c or s
  uint64_t range_begin = 0, range_end = 0;
};

/// `c`, `s`, `C05`, `S05`, `r8000,8010`: signals are not delivered, a core has
/// no use for them.
std::optional<Action> takeAction(std::string_view& text) {
  Action action;
  if (takeChar(text, 'c')) return action;
  action.what = 's';
  if (takeChar(text, 's')) return action;
  if (takeChar(text, 'r')) {
    const auto begin = takeHex(text);
    if (!begin || !takeChar(text, ',')) return std::nullopt;
    const auto end = takeHex(text);
    if (!end) return std::nullopt;
    action.range_begin = *begin;
    action.range_end = *end;
    return action;
  }
  const bool steps = text.starts_with('S');
  if (!takeChar(text, 'S') && !takeChar(text, 'C')) return std::nullopt;
  if (!takeHex(text)) return std::nullopt;
  action.what = steps ? 's' : 'c';
  return action;
}

}  // namespace

std::vector<std::string> Session::resumeEach(std::string_view packet) {
  Resume resume;
  uint64_t undecided = maskOf(target_.cores());
  while (!packet.empty()) {
    std::string_view text = takeUntil(packet, ';');
    const auto action = takeAction(text);
    if (!action) return {"E16"};
    std::optional<unsigned> core;
    if (takeChar(text, ':') && text != "-1") {
      core = takeCore(text);
      if (!core || !text.empty()) return {"E16"};
    }
    const uint64_t meant = undecided & (core ? uint64_t{1} << *core : ~uint64_t{0});
    undecided &= ~meant;
    if (action->what == 'c' || meant == 0 || resume.stepping) continue;
    resume.stepping = core.value_or(core_);
    resume.range_begin = action->range_begin;
    resume.range_end = action->range_end;
  }
  resume.held = undecided;
  return go(resume);
}

// `c`, `s`, `C05`, `S05`, each with an address to go on at: `c80001000`,
// `C05;80001000`.
std::vector<std::string> Session::resumeAll(std::string_view packet) {
  Resume resume;
  const bool with_signal = packet[0] == 'C' || packet[0] == 'S';
  if (packet[0] == 's' || packet[0] == 'S') resume.stepping = core_;
  packet.remove_prefix(1);
  if (with_signal && !takeHex(packet)) return {"E16"};
  if (with_signal && !packet.empty() && !takeChar(packet, ';')) return {"E16"};
  if (!packet.empty()) {
    const auto address = takeHex(packet);
    if (!address || !packet.empty() || *address % 4 != 0) return {"E16"};
    target_.core(core_).pc_ = *address;
  }
  return go(resume);
}

std::vector<std::string> Session::go(const Resume& resume) {
  resume_ = resume;
  // What has ended does not go on: the debugger hears how, as of a process that
  // its signal ended.
  if (target_.result()) {
    const Signal signal = last_.signal;
    return {signal == Signal::none ? fmt::format("W{:02x}", target_.result()->exit_code & 0xff)
                                   : fmt::format("X{:02x}", static_cast<unsigned>(signal))};
  }
  state_ = State::running;
  return {};
}

std::vector<std::string> Session::advance() {
  const auto event = target_.advance(resume_);
  return event ? stopped(*event) : Answers();
}

std::vector<std::string> Session::interrupt() { return stopped(target_.interrupted()); }

std::vector<std::string> Session::stopped(const StopEvent& event) {
  state_ = State::stopped;
  last_ = event;
  core_ = event.core;
  std::string text = event.text;
  if (target_.result() && target_.result()->status == sim::RunStatus::fault)
    text += monitor_.faultText();
  Answers answers;
  if (!text.empty()) answers.push_back("O" + hexOf(text.substr(0, kPacketBytes / 2 - 16)));
  answers.push_back(stopText());
  return answers;
}

std::string Session::stopText() const {
  if (target_.result() && target_.result()->status == sim::RunStatus::exited)
    return fmt::format("W{:02x}", target_.result()->exit_code & 0xff);
  std::string text =
      fmt::format("T{:02x}thread:{:x};", static_cast<unsigned>(last_.signal), last_.core + 1);
  if (!last_.watch) return text;
  const auto& watchpoint = last_.watch->watchpoint;
  const char* kind = !watchpoint.reads ? "watch" : watchpoint.writes ? "awatch" : "rwatch";
  return text + fmt::format("{}:{:x};", kind, last_.watch->address);
}

}  // namespace etalon::tools::gdb
