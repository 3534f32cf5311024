// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "isa/csr.h"
#include "isa/machines/find_machine.h"
#include "sim/functional/vector_test_support.h"
#include "tools/gdb/registers.h"
#include "tools/gdb/session_rig.h"

namespace etalon::tools::gdb {
namespace {

using isa::X;
using testing::HasSubstr;
using testing::StartsWith;

constexpr uint64_t kEntry = sim::kTestEntry, kData = sim::kTestData;

std::unique_ptr<sim::FunctionalDevice> deviceOf(isa::ProgramBuilder& p, std::string cores = "2") {
  const auto machine = isa::openMachine(
      "functional64", {"cores=" + cores, "local_bytes=64 KiB", "address_map.global_bytes=4 MiB"});
  EXPECT_TRUE(machine.ok());
  auto device = sim::FunctionalDevice::create(*machine);
  const auto words = p.finish();
  EXPECT_TRUE(device.ok() && words.ok());
  const auto image =
      sim::ElfImage::parse(sim::writeElf(kEntry, *words, {{"tohost", sim::kTestTohost}}), "test");
  EXPECT_TRUE(image.ok() && (*device)->load(*image).ok());
  EXPECT_TRUE((*device)->write(kData, std::vector<std::byte>(0x1000)).ok());
  return *std::move(device);
}

std::string wordHex(uint64_t value) { return hexOf(std::as_bytes(std::span(&value, 1))); }
std::string reg(uint64_t number) { return fmt::format("p{:x}", number); }

/// x5 counts to 10, twice per instruction at kLoop; then the program exits
/// with 3.
constexpr uint64_t kLoop = kEntry + 4;
sim::TestBuilder countingProgram() {
  sim::TestBuilder p;
  auto loop = p.label();
  p.li(X{6}, 10);
  p.bind(loop);
  p.addi(X{5}, X{5}, 1);
  p.bne(X{5}, X{6}, loop);
  p.exit(3);
  return p;
}

TEST(Session, DescribesItsRegisters) {
  auto p = countingProgram();
  SessionRig rig(deviceOf(p), 1);
  EXPECT_THAT(rig.ask("qSupported:multiprocess+"), HasSubstr("qXfer:features:read+"));
  std::string text;
  while (true) {
    const std::string part =
        rig.ask(fmt::format("qXfer:features:read:target.xml:{:x},100", text.size()));
    ASSERT_FALSE(part.empty());
    text += part.substr(1);
    if (part[0] == 'l') break;
    ASSERT_EQ(part[0], 'm');
  }
  EXPECT_EQ(text, targetDescription());
  EXPECT_THAT(text, HasSubstr("<architecture>riscv:rv64</architecture>"));
  EXPECT_THAT(text,
              HasSubstr(fmt::format("name=\"etstatus\" bitsize=\"64\" regnum=\"{}\"", 65 + 0x7c0)));
}

TEST(Session, StopsAtBreakpointsAndLeavesMemoryAlone) {
  for (const char* type : {"0", "1"}) {
    auto p = countingProgram();
    SessionRig rig(deviceOf(p), 1);
    EXPECT_EQ(rig.ask("?"), "T05thread:1;");
    const std::string code = rig.ask(fmt::format("m{:x},10", kEntry));
    EXPECT_EQ(rig.ask(fmt::format("Z{},{:x},4", type, kLoop)), "OK");
    EXPECT_EQ(rig.ask(fmt::format("m{:x},10", kEntry)), code);
    EXPECT_EQ(rig.ask("vCont;c"), "T05thread:1;");
    EXPECT_EQ(rig.ask(reg(kPcNumber)), wordHex(kLoop));
    EXPECT_EQ(rig.ask(reg(5)), wordHex(0));
    // A step is not stopped by the breakpoint where it begins.
    EXPECT_EQ(rig.ask("vCont;s:1"), "T05thread:1;");
    EXPECT_EQ(rig.ask(reg(5)), wordHex(1));
    EXPECT_EQ(rig.ask("c"), "T05thread:1;");
    EXPECT_EQ(rig.ask(reg(5)), wordHex(1));
    EXPECT_EQ(rig.ask(fmt::format("z{},{:x},4", type, kLoop)), "OK");
    EXPECT_EQ(rig.ask("c"), "W03");
    EXPECT_EQ(rig.ask("c"), "W03");
  }
}

TEST(Session, RefusesBreakpointsWhereNoInstructionStands) {
  auto p = countingProgram();
  SessionRig rig(deviceOf(p), 1);
  EXPECT_EQ(rig.ask(fmt::format("Z0,{:x},4", kEntry + 2)), "E0e");
  EXPECT_EQ(rig.ask("Z0,10000000,4"), "E0e");
  EXPECT_EQ(rig.ask("Z2,0,4"), "E0e");
  EXPECT_EQ(rig.ask(fmt::format("Z2,{:x},0", kData)), "E0e");
  EXPECT_EQ(rig.ask("Z9,0,4"), "");
}

TEST(Session, StepsThroughARange) {
  auto p = countingProgram();
  SessionRig rig(deviceOf(p), 1);
  EXPECT_EQ(rig.ask("vCont;s:1"), "T05thread:1;");
  EXPECT_EQ(rig.ask(fmt::format("vCont;r{:x},{:x}:1", kLoop, kLoop + 8)), "T05thread:1;");
  EXPECT_EQ(rig.ask(reg(kPcNumber)), wordHex(kLoop + 8));
  EXPECT_EQ(rig.ask(reg(5)), wordHex(10));
}

TEST(Session, StepsOneCoreWhileTheOthersGoOnOrAreHeld) {
  auto p = countingProgram();
  SessionRig rig(deviceOf(p), 2);
  EXPECT_EQ(rig.ask("vCont;s:2"), "T05thread:2;");  // core 0 is held
  EXPECT_EQ(rig.ask("Hg1"), "OK");
  EXPECT_EQ(rig.ask(reg(kPcNumber)), wordHex(kEntry));
  EXPECT_EQ(rig.ask("Hg2"), "OK");
  EXPECT_EQ(rig.ask(reg(kPcNumber)), wordHex(kLoop));
  EXPECT_EQ(rig.ask("vCont;s:2;c"), "T05thread:2;");
  EXPECT_EQ(rig.ask(reg(5)), wordHex(1));
}

TEST(Session, SaysThatHeldCoresKeepTheOthersWaiting) {
  sim::TestBuilder p;
  p.li(X{5}, -1);
  p.et_barrier(X{5}, X{5});
  p.exit(0);
  SessionRig rig(deviceOf(p), 2);
  EXPECT_EQ(rig.ask("vCont;c:2"),
            "[core 0 is held by the debugger, and no "
            "other core can go on\n]T05thread:1;");
  EXPECT_THAT(*textOfHex(rig.ask("qThreadExtraInfo,2")), StartsWith("waits at a barrier"));
  EXPECT_EQ(rig.ask("vCont;c"), "W00");
}

TEST(Session, WatchesScalarAndTileAccesses) {
  sim::VectorBuilder p;
  isa::ViewDescriptor view;
  view.base = kData + 0x200;
  view.type = static_cast<uint8_t>(ElementType::f32);
  view.naxes = view.nbox = 1;
  view.ncol = 1;
  view.axes[0] = {.dim = 4, .stride = 4, .origin = 0};
  view.box[0] = {.extent = 4, .axis = 0, .step = 1};
  std::array<std::byte, isa::kViewImageBytes> image;
  isa::storeViewImage(view, image);
  p.li(X{5}, static_cast<int64_t>(kData));
  p.li(X{6}, 7);
  p.et_vld(isa::View{0}, X{5});
  p.setTile(1, sim::denseTile(ElementType::f32, 1, 4, 64));
  const uint64_t store = kEntry + p.here();
  p.sw(X{6}, 0x404, X{5});
  const uint64_t load = kEntry + p.here();
  p.et_ld(isa::Tile{1}, isa::View{0}, 0);
  const uint64_t negate = kEntry + p.here();
  p.et_neg(isa::Tile{1}, isa::Tile{1});
  const uint64_t tile_store = kEntry + p.here();
  p.et_st(isa::Tile{1}, isa::View{0}, 0);
  const uint64_t amo = kEntry + p.here();
  p.amoadd_w(X{7}, X{6}, X{5});
  p.lw(X{7}, 0x404, X{5});
  p.exit(0);

  struct Case {
    std::string watch;
    std::string stop;
    uint64_t after;  // the instruction that accessed
  };
  const uint64_t local = isa::kLocalWindowBase + 64, global_local = isa::kCoreWindowBase + 64;
  const Case cases[] = {
      {fmt::format("2,{:x},4", kData + 0x404), fmt::format("watch:{:x};", kData + 0x404), store},
      {fmt::format("2,{:x},1", kData + 0x407), fmt::format("watch:{:x};", kData + 0x407), store},
      {fmt::format("4,{:x},8", kData + 0x400), fmt::format("awatch:{:x};", kData + 0x404), store},
      {fmt::format("3,{:x},4", kData + 0x204), fmt::format("rwatch:{:x};", kData + 0x204), load},
      {fmt::format("2,{:x},4", kData + 0x204), fmt::format("watch:{:x};", kData + 0x204),
       tile_store},
      {fmt::format("2,{:x},4", local), fmt::format("watch:{:x};", local), load},
      {fmt::format("2,{:x},4", global_local + 12), fmt::format("watch:{:x};", global_local + 12),
       load},
      {fmt::format("3,{:x},4", local), fmt::format("rwatch:{:x};", local), negate},
      {fmt::format("3,{:x},4", kData), fmt::format("rwatch:{:x};", kData), kEntry + 8},
      {fmt::format("2,{:x},4", kData), fmt::format("watch:{:x};", kData), amo},
  };
  const auto words = p.finish();
  ASSERT_TRUE(words.ok());
  for (const Case& c : cases) {
    isa::ProgramBuilder again;
    for (const uint32_t word : *words) again.word(word);
    auto device = deviceOf(again);
    ASSERT_TRUE(device->write(kData, image).ok());
    SessionRig rig(std::move(device), 1);
    ASSERT_EQ(rig.ask("Z" + c.watch), "OK") << c.watch;
    EXPECT_EQ(rig.ask("c"), "T05thread:1;" + c.stop) << c.watch;
    const uint64_t next = rig.target().core(0).pc();
    // li of an address may take several instructions; the first access of kData
    // is et.vld.
    if (c.after != kEntry + 8) {
      EXPECT_EQ(next, c.after + 4) << c.watch;
    }
    EXPECT_EQ(rig.ask("z" + c.watch), "OK");
    // As gdb does, which believes the access to be still to come.
    EXPECT_EQ(rig.ask("vCont;s:1"), "T05thread:1;");
    EXPECT_EQ(rig.target().core(0).pc(), next);
    EXPECT_EQ(rig.ask("c"), "W00") << c.watch;
    EXPECT_EQ(rig.device().findings().faultCount(), 0u);
  }
}

TEST(Session, ReadsAndWritesRegisters) {
  auto p = countingProgram();
  SessionRig rig(deviceOf(p), 2);
  EXPECT_EQ(rig.ask("P5=" + wordHex(77)), "OK");
  EXPECT_EQ(rig.ask("P0=" + wordHex(77)), "OK");
  EXPECT_EQ(rig.ask(reg(0)), wordHex(0));
  const std::string all = rig.ask("g");
  EXPECT_EQ(all.size(), 33u * 16);
  EXPECT_EQ(all.substr(5 * 16, 16), wordHex(77));
  EXPECT_EQ(all.substr(32 * 16), wordHex(kEntry));
  EXPECT_EQ(rig.ask("G" + all.substr(0, 5 * 16) + wordHex(78) + all.substr(6 * 16)), "OK");
  EXPECT_EQ(rig.ask(reg(5)), wordHex(78));
  EXPECT_EQ(rig.ask("G00"), "E16");
  EXPECT_EQ(rig.ask("P20=" + wordHex(kEntry + 2)), "E01");  // an odd pc
  EXPECT_EQ(rig.ask("P20=" + wordHex(kLoop)), "OK");
  EXPECT_EQ(rig.target().core(0).pc(), kLoop);
  const std::string scratch = fmt::format("{:x}", kFirstCsrNumber + isa::csr::kMscratch);
  EXPECT_EQ(rig.ask("P" + scratch + "=" + wordHex(9)), "OK");
  EXPECT_EQ(rig.ask("p" + scratch), wordHex(9));
  const std::string number = fmt::format("{:x}", kFirstCsrNumber + isa::csr::kMhartid);
  EXPECT_EQ(rig.ask("Hg2"), "OK");
  EXPECT_EQ(rig.ask("p" + number), wordHex(1));
  EXPECT_EQ(rig.ask("P" + number + "=" + wordHex(9)), "E01");
  EXPECT_EQ(rig.ask("pffff"), "E01");
}

TEST(Session, ReadsAndWritesMemoryAsACoreSeesIt) {
  auto p = countingProgram();
  SessionRig rig(deviceOf(p), 2);
  EXPECT_EQ(rig.ask(fmt::format("M{:x},4:01020304", kData)), "OK");
  EXPECT_EQ(rig.ask(fmt::format("X{:x},2:ab", kData + 4)), "OK");
  EXPECT_EQ(rig.ask(fmt::format("m{:x},6", kData)), "010203046162");
  EXPECT_EQ(rig.ask("Hg2"), "OK");
  EXPECT_EQ(rig.ask(fmt::format("M{:x},1:5a", isa::kLocalWindowBase + 3)), "OK");
  EXPECT_EQ(rig.ask(fmt::format("m{:x},1", isa::kCoreWindowBase + isa::kCoreWindowStride + 3)),
            "5a");
  EXPECT_EQ(rig.ask("Hg1"), "OK");
  EXPECT_EQ(rig.ask(fmt::format("m{:x},1", isa::kLocalWindowBase + 3)), "00");
  // Semaphore 1 of core 0, behind its 64 KiB.
  const uint64_t semaphores = isa::kLocalWindowBase + (64 << 10);
  EXPECT_EQ(rig.ask(fmt::format("M{:x},4:05000000", semaphores + 4)), "OK");
  EXPECT_EQ(rig.ask(fmt::format("m{:x},5", semaphores + 3)), "0005000000");
  EXPECT_EQ(rig.device().memory().semaphores(0)[1], 5u);
  // Up to the end of memory, and not behind it.
  EXPECT_EQ(rig.ask(fmt::format("m{:x},8", semaphores - 4)), "00000000");
  EXPECT_EQ(rig.ask("m0,4"), "E0e");
  EXPECT_EQ(rig.ask("M0,1:00"), "E0e");
  EXPECT_EQ(rig.ask("M80001000,4:00"), "E16");
}

TEST(Session, ExecutesCodeThatItsUserWrote) {
  auto p = countingProgram();
  SessionRig rig(deviceOf(p), 1);
  EXPECT_EQ(rig.ask(fmt::format("Z0,{:x},4", kLoop + 4)), "OK");
  EXPECT_EQ(rig.ask("c"), "T05thread:1;");
  EXPECT_EQ(rig.ask(fmt::format("M{:x},4:{}", kLoop, "93825200")),
            "OK");  // addi x5, x5, 5
  EXPECT_EQ(rig.ask("vCont;s:1"), "T05thread:1;");
  EXPECT_EQ(rig.ask("c"), "T05thread:1;");
  EXPECT_EQ(rig.ask(reg(5)), wordHex(6));
}

TEST(Session, ShowsFaultsAsSignalsWithTheDiagnostic) {
  sim::TestBuilder p;
  p.lw(X{5}, 8, X{0});
  SessionRig rig(deviceOf(p), 1);
  const std::string stop = rig.ask("c");
  EXPECT_THAT(stop, StartsWith("[fault on core 0: load_access"));
  EXPECT_THAT(stop, HasSubstr("lw x5, 8(x0)"));
  EXPECT_THAT(stop, HasSubstr("4 bytes at 0x8 are no device register"));
  EXPECT_THAT(stop, HasSubstr("]T0bthread:1;"));
  EXPECT_EQ(rig.ask(reg(kPcNumber)), wordHex(kEntry));
  EXPECT_EQ(rig.ask("c"), "X0b");
  EXPECT_EQ(rig.target().result()->status, sim::RunStatus::fault);
}

TEST(Session, StopsAtDeadlocksAndLimits) {
  sim::TestBuilder p;
  p.li(X{5}, 1);
  p.et_wait(X{0}, 3, X{5});
  SessionRig rig(deviceOf(p), 2);
  const std::string stop = rig.ask("c");
  EXPECT_THAT(stop, HasSubstr("core 1 waits for semaphore 3 of core 1 to reach 1; it is 0"));
  EXPECT_THAT(stop, HasSubstr("]T06thread:1;"));
  EXPECT_EQ(rig.ask("c"), "X06");

  auto endless = countingProgram();
  SessionRig limited(deviceOf(endless), 1, 5);
  EXPECT_THAT(limited.ask("c"), HasSubstr("]T18thread:1;"));
}

TEST(Session, StopsWhenItsUserInterrupts) {
  sim::TestBuilder p;
  auto loop = p.label();
  p.bind(loop);
  p.jal(X{0}, loop);
  SessionRig rig(deviceOf(p), 2, 0);
  EXPECT_TRUE(rig.session().answer("vCont;c").empty());
  EXPECT_TRUE(rig.session().advance().empty());
  EXPECT_EQ(rig.session().interrupt(), std::vector<std::string>{"T02thread:1;"});
  EXPECT_EQ(rig.session().state(), Session::State::stopped);
  EXPECT_EQ(rig.ask("k"), "");
  EXPECT_EQ(rig.session().state(), Session::State::killed);
}

TEST(Session, AnswersTheMonitor) {
  sim::VectorBuilder p;
  p.setTile(4, sim::denseTile(ElementType::f32, 2, 2, 0));
  p.storeFloats(0, {1.5f, -2.0f, 3.0f});
  p.li(X{5}, static_cast<int64_t>(isa::kCoreWindowBase + (64 << 10) + 8));
  p.li(X{6}, 6);
  p.et_sig(X{5}, X{6});
  p.lw(X{5}, 12, X{31});
  const uint64_t end = kEntry + p.here();
  p.exit(0);
  SessionRig rig(deviceOf(p), 2);
  EXPECT_EQ(rig.monitor("findings"), "[nothing so far\n]OK");
  EXPECT_EQ(rig.ask(fmt::format("Z0,{:x},4", end)), "OK");
  EXPECT_EQ(rig.ask("c"), "T05thread:1;");
  const std::string tile = rig.monitor("tile tr4");
  EXPECT_THAT(tile, HasSubstr("core 0\n  f32 outer 1 x inner 2 rows, 2 columns"));
  EXPECT_THAT(tile, HasSubstr("  1.5  -2\n    3   ?\n"));
  EXPECT_THAT(rig.monitor("tile tr4@1"), HasSubstr("core 1\n"));
  EXPECT_THAT(rig.monitor("tr tr4"), HasSubstr("  tr4 f32 outer 1"));
  EXPECT_THAT(rig.monitor("tr"), HasSubstr("  tr31 "));
  EXPECT_THAT(rig.monitor("view vr1"), HasSubstr("  vr1 "));
  EXPECT_THAT(rig.monitor("chain ch0"), HasSubstr("  ch0 0 steps"));
  EXPECT_THAT(rig.monitor("x"), HasSubstr("  pc  0x"));
  EXPECT_EQ(rig.monitor("sem"), "[core 0 semaphore 2 is 6\n]OK");
  EXPECT_THAT(rig.monitor("findings"), HasSubstr("uninitialised read on core 0"));
  EXPECT_THAT(rig.monitor("help"), HasSubstr("monitor tile tr4"));
  EXPECT_THAT(rig.monitor("tile tr99"),
              HasSubstr("monitor 'tile:tr99': tile:tr is numbered 0 to 31"));
  EXPECT_THAT(rig.monitor("tile tr4@7"), HasSubstr("the run has cores 0 to 1"));
  EXPECT_THAT(rig.monitor("dance"), HasSubstr("there is no command 'dance'"));
}

TEST(Session, NamesCoresAsThreads) {
  auto p = countingProgram();
  SessionRig rig(deviceOf(p), 2);
  EXPECT_EQ(rig.ask("qfThreadInfo"), "m1,2");
  EXPECT_EQ(rig.ask("qsThreadInfo"), "l");
  EXPECT_EQ(rig.ask("T2"), "OK");
  EXPECT_EQ(rig.ask("T3"), "E01");
  EXPECT_EQ(rig.ask("Hg3"), "E01");
  EXPECT_THAT(rig.ask("qXfer:threads:read::0,1000"),
              HasSubstr("<thread id=\"2\" core=\"1\" name=\"core 1\">runs"));
  EXPECT_EQ(rig.ask("D"), "OK");
  EXPECT_EQ(rig.session().state(), Session::State::detached);
  rig.target().finish();
  EXPECT_EQ(rig.target().result()->exit_code, 3u);
}

TEST(Frames, AreTakenApartWhateverTheirPieces) {
  const std::string data("a#$}*\x03z", 7);
  const std::string stream =
      "+noise" + framed(data) + "\x03" + framed("") + "$abc#00" + framed("x");
  for (const size_t piece : {size_t{1}, size_t{3}, stream.size()}) {
    FrameReader reader;
    std::vector<std::pair<FrameReader::Kind, std::string>> frames;
    for (size_t at = 0; at < stream.size(); at += piece) {
      reader.feed(std::string_view(stream).substr(at, piece));
      while (const auto frame = reader.next()) frames.emplace_back(frame->kind, frame->data);
    }
    using Kind = FrameReader::Kind;
    const std::vector<std::pair<Kind, std::string>> expected{{Kind::packet, data},
                                                             {Kind::interrupt, ""},
                                                             {Kind::packet, ""},
                                                             {Kind::broken, ""},
                                                             {Kind::packet, "x"}};
    EXPECT_EQ(frames, expected);
  }
  FrameReader reader;
  reader.feed("$" + std::string(3 * kPacketBytes, 'a'));
  EXPECT_EQ(reader.next()->kind, FrameReader::Kind::broken);
  reader.feed(framed("after"));
  EXPECT_EQ(reader.next()->data, "after");
}

}  // namespace
}  // namespace etalon::tools::gdb
