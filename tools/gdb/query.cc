// SPDX-License-Identifier: Apache-2.0
// What a debugger asks about the target, and the monitor's commands.
#include <fmt/format.h>

#include <algorithm>

#include "tools/gdb/registers.h"
#include "tools/gdb/session.h"

namespace etalon::tools::gdb {
namespace {

constexpr size_t kTextPerPacket = kPacketBytes / 2 - 16;

std::string xmlText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += c;
  }
  return escaped;
}

/// `m` or `l` and the part of a text that was asked for as `offset,length`.
std::string part(std::string_view text, std::string_view range) {
  const auto offset = takeHex(range);
  if (!offset || !takeChar(range, ',')) return "E16";
  const auto length = takeHex(range);
  if (!length || !range.empty() || *offset > text.size()) return "E16";
  const std::string_view rest = text.substr(*offset);
  const size_t most = std::min<uint64_t>(*length, kTextPerPacket);
  return (rest.size() > most ? "m" : "l") + std::string(rest.substr(0, most));
}

}  // namespace

std::string Session::query(std::string_view packet) {
  if (packet.starts_with("qSupported"))
    return fmt::format(
        "PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;"
        "qXfer:threads:read+;vContSupported+",
        kPacketBytes);
  if (packet == "QStartNoAckMode") {
    acknowledges_ = false;
    return "OK";
  }
  if (packet == "vCont?") return "vCont;c;C;s;S;r";
  if (packet.starts_with("vKill;")) {
    state_ = State::killed;
    return "OK";
  }
  if (packet.starts_with("qXfer:")) return transfer(packet.substr(6));
  if (packet == "qC") return fmt::format("QC{:x}", core_ + 1);
  if (packet == "qAttached") return "0";  // the launch was made for the debugger: it ends with it
  if (packet.starts_with("qSymbol:")) return "OK";
  if (packet == "qfThreadInfo") {
    std::string text = "m";
    for (unsigned i = 0; i < target_.cores(); ++i)
      text += fmt::format("{}{:x}", i ? "," : "", i + 1);
    return text;
  }
  if (packet == "qsThreadInfo") return "l";
  if (takeUntil(packet, ',') == "qThreadExtraInfo") {
    const auto core = takeCore(packet);
    return core ? hexOf(threadText(*core)) : "E01";
  }
  return "";
}

std::string Session::transfer(std::string_view packet) const {
  const std::string_view object = takeUntil(packet, ':');
  if (takeUntil(packet, ':') != "read") return "";
  const std::string_view annex = takeUntil(packet, ':');
  if (object == "features")
    return annex == "target.xml" ? part(targetDescription(), packet) : "E00";
  if (object == "threads") return part(threadList(), packet);
  return "";
}

std::string Session::threadText(unsigned core) const {
  const sim::Core& shown = target_.core(core);
  switch (shown.state()) {
    case sim::CoreState::halted: return "halted";
    case sim::CoreState::faulted: return "faulted";
    case sim::CoreState::poisoned: return "wants a value that was left out";
    case sim::CoreState::running: break;
  }
  return shown.blocked() ? shown.waitingFor() : "runs";
}

std::string Session::threadList() const {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (unsigned i = 0; i < target_.cores(); ++i)
    text += fmt::format("<thread id=\"{:x}\" core=\"{}\" name=\"core {}\">{}</thread>\n", i + 1, i,
                        i, xmlText(threadText(i)));
  return text + "</threads>\n";
}

std::vector<std::string> Session::monitor(std::string_view hex) {
  const auto command = textOfHex(hex);
  if (!command) return {"E16"};
  const std::string text = monitor_.answer(*command, core_);
  Answers answers;
  for (size_t at = 0; at < text.size(); at += kTextPerPacket)
    answers.push_back("O" + hexOf(std::string_view(text).substr(at, kTextPerPacket)));
  answers.emplace_back("OK");
  return answers;
}

}  // namespace etalon::tools::gdb
