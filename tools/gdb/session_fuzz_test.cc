// SPDX-License-Identifier: Apache-2.0
// Whatever a debugger sends is answered; and a debugger that only looks changes
// nothing.
#include <fmt/format.h>

#include <random>

#include "sim/functional/random_program.h"
#include "tools/gdb/session_rig.h"

namespace etalon::tools::gdb {
namespace {

constexpr int kDebugged = 20;
constexpr int kPackets = 5'000;
constexpr uint64_t kLimit = 6000;

class Packets {
 public:
  explicit Packets(uint64_t seed) : random_(seed) {}

  uint64_t below(uint64_t n) { return random_() % n; }
  std::string any() {
    if (below(8) == 0) return bytes(below(40));
    std::string packet = sound();
    for (uint64_t n = below(4) == 0 ? 1 + below(3) : 0; n > 0; --n) damage(packet);
    return packet;
  }
  std::string bytes(uint64_t n) {
    std::string text;
    for (; n > 0; --n) text += static_cast<char>(random_());
    return text;
  }

 private:
  std::string number() {
    switch (below(6)) {
      case 0: return fmt::format("{:x}", below(40));
      case 1: return fmt::format("{:x}", random_());
      case 2: return fmt::format("{:x}", (uint64_t{1} << below(64)) - below(3));
      case 3: return fmt::format("{:x}", 0x10000000 + below(0x11000));
      case 4: return fmt::format("{:x}", 0x4000000000 + below(0x11000));
      default: return fmt::format("{:x}", 0x80000000 + below(0x8000) / 4 * 4);
    }
  }
  std::string sound() {
    switch (below(20)) {
      case 0: return "g";
      case 1: return "p" + number();
      case 2: return fmt::format("P{}={:016x}", number(), random_());
      case 3:
      case 4: return "m" + number() + "," + number();
      case 5: return "M" + number() + ",4:01020304";
      case 6: return "X" + number() + ",3:abc";
      case 7:
      case 8: return fmt::format("{}{},{},{}", below(2) ? 'Z' : 'z', below(6), number(), number());
      case 9: return fmt::format("H{}{}", below(2) ? 'g' : 'c', below(4));
      case 10: return "vCont;" + action() + ";" + action();
      case 11: return fmt::format("vCont;{}:{};c", action(), below(4));
      case 12: return fmt::format("{}{}", "csCS"[below(4)], below(2) ? number() : "");
      case 13: return "qRcmd," + hexOf(command());
      case 14: return "qXfer:features:read:target.xml:" + number() + "," + number();
      case 15: return "qXfer:threads:read::" + number() + "," + number();
      case 16: return "qThreadExtraInfo," + number();
      case 17: return "G" + std::string(33 * 16, "0123456789abcdef"[below(16)]);
      case 18: return "?";
      default: {
        constexpr const char* kQueries[] = {"qSupported:a+",   "qC",        "qAttached",
                                            "qfThreadInfo",    "qSymbol::", "vCont?",
                                            "vMustReplyEmpty", "T1"};
        return kQueries[below(std::size(kQueries))];
      }
    }
  }
  std::string action() {
    switch (below(5)) {
      case 0: return "s";
      case 1: return "r" + number() + "," + number();
      case 2: return "C05";
      case 3: return "S05";
      default: return "c";
    }
  }
  std::string command() {
    constexpr const char* kCommands[] = {"tile tr4", "tile tr",  "tr",   "view vr3", "chain",
                                         "sem",      "findings", "help", "x x5",     "tr tr1@9"};
    return below(4) == 0 ? bytes(below(20)) : kCommands[below(std::size(kCommands))];
  }
  void damage(std::string& packet) {
    if (packet.empty()) return;
    const uint64_t at = below(packet.size());
    switch (below(3)) {
      case 0: packet[at] = static_cast<char>(random_()); break;
      case 1: packet.erase(at, 1 + below(4)); break;
      default: packet.insert(at, bytes(1 + below(3))); break;
    }
  }

  std::mt19937_64 random_;
};

TEST(SessionFuzz, AnswersWhateverComes) {
  Packets packets(17);
  std::unique_ptr<SessionRig> rig;
  const int count = static_cast<int>(kPackets * fuzzScale());
  uint64_t stops = 0, errors = 0, values = 0;
  for (int i = 0; i < count; ++i) {
    if (!rig || i % 200 == 0 || rig->target().result())
      rig = std::make_unique<SessionRig>(sim::randomProgram(packets.below(1000)), 2, kLimit);
    FrameReader reader;
    const std::string packet = packets.any();
    reader.feed(packets.bytes(packets.below(3)) + framed(packet));
    while (const auto frame = reader.next()) {
      if (frame->kind != FrameReader::Kind::packet) continue;
      auto answers = rig->session().answer(frame->data);
      for (int slices = 0; rig->session().state() == Session::State::running;) {
        answers = slices++ < 3 ? rig->session().advance() : rig->session().interrupt();
      }
      for (const std::string& answer : answers) {
        ASSERT_LE(answer.size(), kPacketBytes) << packet;
        stops += answer.starts_with('T') || answer.starts_with('W') || answer.starts_with('X');
        errors += answer.starts_with('E');
        values += answer.size() > 3;
      }
      // Only a packet that ends the session goes unanswered.
      ASSERT_TRUE(!answers.empty() || rig->session().state() == Session::State::killed) << packet;
    }
    if (rig->session().state() != Session::State::stopped) rig.reset();
  }
  EXPECT_GT(stops, static_cast<uint64_t>(count) / 20);
  EXPECT_GT(errors, static_cast<uint64_t>(count) / 20);
  EXPECT_GT(values, static_cast<uint64_t>(count) / 20);
}

TEST(SessionFuzz, ADebuggerThatOnlyLooksChangesNothing) {
  std::mt19937_64 random(18);
  const auto below = [&](uint64_t n) { return random() % n; };
  uint64_t stops = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(kDebugged * fuzzScale()); ++seed) {
    const auto cores = static_cast<unsigned>(1 + seed % 2);
    auto straight = sim::randomProgram(seed);
    sim::LaunchOptions options;
    options.cores = cores;
    options.instruction_limit = kLimit;
    const auto result = straight->launch(options);
    ASSERT_TRUE(result.ok());
    SessionRig rig(sim::randomProgram(seed), cores, kLimit);
    while (!rig.target().result()) {
      // The code is behind the prologue; data from 0x80005000 on.
      const uint64_t code = 0x80001000 + 4 * below(700), data = 0x80005000 + below(0x1000);
      const bool watches = below(2) == 0;
      const std::string stop = watches ? fmt::format("{},{:x},{}", 2 + below(3), data, 1 + below(8))
                                       : fmt::format("0,{:x},4", code);
      const uint64_t core = 1 + below(cores);
      ASSERT_EQ(rig.ask("Z" + stop), "OK");
      rig.ask(below(3) == 0 ? fmt::format("vCont;s:{:x};c", core) : "vCont;c");
      ++stops;
      if (rig.target().result()) break;
      rig.ask("g");
      rig.ask("m80000000,100");
      rig.monitor("findings");
      // As gdb leaves a breakpoint: by a step of the core that stands there,
      // which is the next one anyway.
      ASSERT_EQ(rig.ask("z" + stop), "OK");
      if (!watches) rig.ask("vCont;s;c");
    }
    EXPECT_EQ(sim::describeResult(*rig.target().result()), sim::describeResult(*result)) << seed;
    EXPECT_EQ(sim::describeDevice(rig.device()), sim::describeDevice(*straight)) << seed;
  }
  EXPECT_GT(stops, static_cast<uint64_t>(kDebugged * fuzzScale()));
}

}  // namespace
}  // namespace etalon::tools::gdb
