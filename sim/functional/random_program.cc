// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/random_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/base/check.h"
#include "isa/csr.h"
#include "sim/functional/random_chain.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::X;

constexpr int kCodeWords = 512;  // random ones; a power of two
constexpr uint64_t kImages = 64, kImageBytes = 256;
constexpr uint64_t kImagesAt = kTestEntry + 0x4000;
constexpr uint64_t kScalarsAt = kImagesAt + kImages * kImageBytes;  // 32 of each core
constexpr uint64_t kRegistersAt =
    kScalarsAt + 2 * 32 * 8;  // images for all tile, view and chain registers, in order

std::unique_ptr<FunctionalDevice> deviceOf(const isa::Machine& machine, isa::ProgramBuilder& p) {
  auto device = FunctionalDevice::create(machine);
  const auto words = p.finish();
  ETALON_CHECK(device.ok() && words.ok(), "a device and a program of a test");
  const auto image =
      ElfImage::parse(writeElf(kTestEntry, *words, {{"tohost", kTestTohost}}), "random");
  ETALON_CHECK(image.ok() && (*device)->load(*image).ok(), "an image of a test");
  return *std::move(device);
}

/// Small f32 tiles and views of one shape at few places, so that instructions on them meet each other and go through.
isa::TileRegister plainTile(Garbage& garbage) {
  return denseTile(ElementType::f32, 4, 8, static_cast<uint32_t>(64 * garbage.below(16)));
}
isa::ViewDescriptor plainView(Garbage& garbage) {
  isa::ViewDescriptor v;
  v.type = static_cast<uint8_t>(ElementType::f32);
  v.base = kImagesAt + 64 * garbage.below(16);
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  v.axes[0] = {.dim = 4, .stride = 64, .origin = static_cast<int64_t>(garbage.below(2))};
  v.axes[1] = {.dim = 8, .stride = 4, .origin = 0};
  v.box[0] = {.extent = 4, .axis = 0, .step = 1};
  v.box[1] = {.extent = 8, .axis = 1, .step = 1};
  return v;
}

/// Images of registers, as many as there are.
std::vector<std::byte> registerImages(Garbage& garbage, bool plain) {
  std::vector<std::byte> images;
  const auto add = [&](auto store, const auto& value, auto bytes) {
    std::array<std::byte, bytes> image;
    store(value, image);
    images.insert(images.end(), image.begin(), image.end());
  };
  using std::integral_constant;
  for (int i = 0; i < isa::kTileRegisters; ++i)
    add(isa::storeTileImage, plain ? plainTile(garbage) : garbage.tile(),
        integral_constant<size_t, isa::kTileImageBytes>{});
  for (int i = 0; i < isa::kViewRegisters; ++i)
    add(isa::storeViewImage, plain ? plainView(garbage) : garbage.view(),
        integral_constant<size_t, isa::kViewImageBytes>{});
  for (int i = 0; i < isa::kChainRegisters; ++i)
    add(isa::storeChainImage, garbage.chain(), integral_constant<size_t, isa::kChainImageBytes>{});
  return images;
}

/// Registers from memory, then the handler's address, then into the random code that follows.
void prologue(isa::ProgramBuilder& p) {
  auto handler = p.label(), code = p.label();
  p.csrrs(X{1}, isa::csr::kMhartid, X{0});
  p.slli(X{1}, X{1}, 8);
  p.li(X{2}, static_cast<int64_t>(kScalarsAt));
  p.add(X{1}, X{1}, X{2});
  p.la(X{2}, handler);
  p.csrrw(X{0}, isa::csr::kMtvec, X{2});
  p.li(X{3}, static_cast<int64_t>(kRegistersAt));
  for (uint8_t i = 0; i < isa::kTileRegisters; ++i, p.addi(X{3}, X{3}, isa::kTileImageBytes))
    p.et_tld(isa::Tile{i}, X{3});
  for (uint8_t i = 0; i < isa::kViewRegisters; ++i, p.addi(X{3}, X{3}, isa::kViewImageBytes))
    p.et_vld(isa::View{i}, X{3});
  for (uint8_t i = 0; i < isa::kChainRegisters; ++i, p.addi(X{3}, X{3}, isa::kChainImageBytes))
    p.et_cld(isa::Chain{i}, X{3});
  for (uint8_t i = 31; i > 0; --i) p.ld(X{i}, 8 * i, X{1});
  p.jal(X{0}, code);
  p.bind(handler);
  p.csrrs(X{31}, isa::csr::kMepc, X{0});
  p.la(X{30}, code);
  p.sub(X{31}, X{31}, X{30});
  p.csrrw(X{0}, isa::csr::kEterrst, X{0});  // whose machine check would come again at once
  p.addi(X{31}, X{31}, 4);
  p.andi(X{31}, X{31}, 4 * (kCodeWords - 1));
  p.add(X{31}, X{31}, X{30});
  p.csrrw(X{0}, isa::csr::kMepc, X{31});
  p.mret();
  p.bind(code);
}

/// What an x register holds from the prologue on: random code writes to the others alone.
constexpr int kCount = 2, kAllOnes = 3;  // a small number; -1
constexpr bool isImage(uint64_t x) { return x % 4 == 0; }
constexpr bool isCode(uint64_t x) { return x % 8 == 5; }
constexpr bool isSemaphore(uint64_t x) { return x % 8 == 1; }
constexpr bool isFree(uint64_t x) { return x % 4 >= 2 && x > kAllOnes && x < 30; }

/// An instruction that accesses memory or synchronises, with the register it gets as rs1.
struct Directed {
  std::string_view name;
  bool (*rs1)(uint64_t) = nullptr;  // nullptr: any
};
constexpr Directed kDirected[] = {{"lw", isImage},
                                  {"sw", isImage},
                                  {"lw", isImage},
                                  {"sw", isImage},
                                  {"ld", isCode},
                                  {"sw", isCode},
                                  {"lr.w", isImage},
                                  {"sc.w", isImage},
                                  {"amoadd.w", isImage},
                                  {"fence"},
                                  {"fence.i"},
                                  {"et.fence"},
                                  {"et.fence.t"},
                                  {"et.fence.v"},
                                  {"et.ld"},
                                  {"et.st"},
                                  {"et.ld"},
                                  {"et.st"},
                                  {"et.copy"},
                                  {"et.add"},
                                  {"et.gather"},
                                  {"et.st.add"},
                                  {"et.scatter.add"},
                                  {"et.tld", isImage},
                                  {"et.sig", isSemaphore},
                                  {"et.sig", isSemaphore},
                                  {"et.waitsub", [](uint64_t x) { return x == kCount; }},
                                  {"csrrw", isFree},
                                  {"et.barrier", [](uint64_t x) { return x == kAllOnes; }}};
constexpr uint32_t kWritableCsrs[] = {
    isa::csr::kFcsr,     isa::csr::kMscratch, isa::csr::kMstatus,   isa::csr::kMie,
    isa::csr::kMinstret, isa::csr::kMcycle,   isa::csr::kEtindexld, isa::csr::kEterrst,
    isa::csr::kEtstatus, isa::csr::kEtbar,    isa::csr::kMtval,     isa::csr::kMcause,
    isa::csr::kEtseed,   isa::csr::kEtstream};
/// What ends a core, lets it wait for what hardly comes or leads out of the code comes seldom.
bool isSeldom(isa::InstructionId id) {
  static constexpr std::string_view kNames[] = {
      "et.halt", "wfi", "et.wait", "et.waitsub", "et.barrier", "jal", "jalr",
      "beq",     "bne", "blt",     "bge",        "bltu",       "bgeu"};
  return std::ranges::any_of(
      kNames, [&](std::string_view name) { return isa::instructionNamed(name)->id == id; });
}

template <class F>
uint32_t pickRegister(Garbage& garbage, F f) {
  while (true)
    if (const uint64_t x = garbage.below(32); f(x)) return static_cast<uint32_t>(x);
}

uint32_t directedWord(Garbage& garbage) {
  const Directed& directed = kDirected[garbage.below(std::size(kDirected))];
  const isa::InstructionInfo* info = isa::instructionNamed(directed.name);
  ETALON_CHECK(info != nullptr, "an instruction named by a test");
  auto word = static_cast<uint32_t>(garbage.word64());
  if (directed.rs1) word = (word & ~(31u << 15)) | pickRegister(garbage, directed.rs1) << 15;
  if (directed.name == "et.sig") word = (word & ~(31u << 20)) | kCount << 20;
  if (directed.name == "et.barrier") word = (word & ~(31u << 20)) | kAllOnes << 20;
  if (directed.name == "et.waitsub") word &= ~(0x3eu << 20);  // semaphore 0 or 1
  if (directed.name == "csrrw")
    word = (word & ~(0xfffu << 20)) | kWritableCsrs[garbage.below(std::size(kWritableCsrs))] << 20;
  return (word & ~info->mask) | info->match;
}

uint32_t randomWord(Garbage& garbage) {
  const bool directed = garbage.oneIn(2);
  uint32_t word = directed ? directedWord(garbage) : garbage.instruction();
  const isa::InstructionId id = isa::decode(word).id;
  if (isa::writesX(id)) word = (word & ~(31u << 7)) | pickRegister(garbage, isFree) << 7;
  return isSeldom(id) && !garbage.oneIn(directed ? 4 : 16) ? randomWord(garbage) : word;
}

/// The value of an x register at the start.
uint64_t scalarOf(Garbage& garbage, const isa::Machine& machine, uint64_t x) {
  if (x == kCount) return garbage.below(4);
  if (x == kAllOnes) return ~uint64_t{0};
  if (isImage(x)) return kImagesAt + garbage.below(4) * kImageBytes;
  if (isCode(x)) return kTestEntry + garbage.below(0x1400) / 8 * 8;
  if (isSemaphore(x))
    return isa::kCoreWindowBase + garbage.below(2) * isa::kCoreWindowStride + machine.local_bytes +
           4 * garbage.below(2);
  return garbage.scalar();
}

/// Bytes that were written, with a hash of them, and of the map of what was.
std::string describeRegion(Region& region) {
  uint64_t bytes = 0, written = 0;
  for (uint64_t at = 0; at < region.size(); at += 8) {
    bytes = mixed(bytes, loadBytes<uint64_t>(region.data() + at));
    uint64_t set = 0;
    for (uint64_t i = 0; i < 8; ++i) set |= uint64_t{region.init.allSet(at + i, 1)} << i;
    written = mixed(written, set);
  }
  return fmt::format("memory {} {:x} {:x}\n", region.id, bytes, written);
}

std::string describeCore(const Core& core) {
  std::string text =
      fmt::format("core {} state {} pc {:#x} retired {} {}\n", core.number(),
                  static_cast<int>(core.state()), core.pc(), core.retired(), core.waitingFor());
  for (int i = 0; i < 32; ++i) text += fmt::format("{:x} ", core.x(i));
  for (uint32_t csr = 0; csr < 4096; ++csr)
    if (const uint64_t value = core.readCsr(csr)) text += fmt::format("csr {:x} {:x} ", csr, value);
  for (int i = 0; i < isa::kTileRegisters; ++i)
    text += fmt::format("{:x} ", fmt::join(isa::packTile(core.tile(i)), " "));
  const auto hashed = [](const auto& image) { return snapshotChecksum(image); };
  for (int i = 0; i < isa::kViewRegisters; ++i) {
    std::array<std::byte, isa::kViewImageBytes> image;
    isa::storeViewImage(core.view(i), image);
    text += fmt::format("{:x} ", hashed(image));
  }
  for (int i = 0; i < isa::kChainRegisters; ++i) {
    std::array<std::byte, isa::kChainImageBytes> image;
    isa::storeChainImage(core.chain(i), image);
    text += fmt::format("{:x} ", hashed(image));
  }
  return text + "\n";
}

std::string describeFindings(const FunctionalDevice& device) {
  const Findings& findings = device.findings();
  std::string text = fmt::format("{} faults, {} reads, {} races, {} order-dependent\n",
                                 findings.faultCount(), findings.uninitialisedCount(),
                                 device.races().raceCount(), device.races().orderDependenceCount());
  for (const isa::Fault& f : findings.faults())
    text += fmt::format("fault {} {} {} {:x} {:x} {:x} {} {} {}\n", static_cast<int>(f.cause),
                        static_cast<int>(f.rule), f.core, f.pc, f.instruction, f.value, f.operand,
                        f.detail, f.hint);
  for (const UninitialisedRead& r : findings.uninitialised())
    text +=
        fmt::format("read {} {:x} {:x} {:x} {}\n", r.core, r.pc, r.instruction, r.address, r.size);
  for (const auto* reports : {&device.races().reports(), &device.races().orderDependences()}) {
    for (const RaceReport& r : *reports) {
      for (const RacingAccess& side : {r.first, r.second})
        text += fmt::format("race {} {:x} {:x} {}\n", side.site.core, side.site.pc, side.site.insn,
                            accessKindName(side.kind));
      text += fmt::format("at {} {:x} {}\n", r.region.index, r.offset, r.text);
    }
  }
  return text;
}

}  // namespace

std::unique_ptr<FunctionalDevice> randomProgram(uint64_t seed) {
  const isa::Machine machine = garbageMachine();
  Garbage garbage(seed, machine);
  garbage.chooseTheme();
  isa::ProgramBuilder p;
  prologue(p);
  for (int i = 0; i < kCodeWords; ++i) p.word(randomWord(garbage));
  p.ebreak();  // whose handler goes on at the begin
  auto device = deviceOf(machine, p);
  std::vector<std::byte> data(kImages * kImageBytes + 2 * 32 * 8);
  for (uint64_t i = 0; i < kImages; ++i)
    garbage.image(std::span(data).subspan(i * kImageBytes).first<kImageBytes>());
  for (uint64_t i = 0; i < 2 * 32; ++i)
    storeBytes(data.data() + kImages * kImageBytes + 8 * i, scalarOf(garbage, machine, i % 32));
  ETALON_CHECK(device->write(kImagesAt, data).ok() &&
                   device->write(kRegistersAt, registerImages(garbage, seed % 4 >= 2)).ok(),
               "data of a random program");
  return device;
}

std::unique_ptr<FunctionalDevice> randomChainProgram(uint64_t seed, int chains) {
  const auto machine = isa::openMachine(
      "functional64", {"cores=2", "local_bytes=256 KiB", "address_map.global_bytes=4 MiB"});
  ETALON_CHECK(machine.ok(), "a machine of a test");
  std::mt19937_64 random(seed);
  VectorBuilder p;
  std::vector<std::byte> images;
  for (int i = 0; i < chains; ++i) {
    const RandomChain made = randomChain(random);
    p.setTile(0, made.td);
    for (uint8_t source = 0; source < 3; ++source)
      p.setTile(static_cast<uint8_t>(1 + source), made.sources[source]);
    p.setTile(4, made.reduction);
    std::array<std::byte, isa::kChainImageBytes> image;
    isa::storeChainImage(made.chain, image);
    p.li(X{31}, static_cast<int64_t>(kTestData + images.size()));
    p.et_cld(isa::Chain{0}, X{31});
    images.insert(images.end(), image.begin(), image.end());
    p.et_vx(isa::Tile{0}, isa::Tile{1}, isa::Tile{2}, isa::Chain{0});
    if (i % 8 == 7) {
      p.li(X{5}, -1);
      p.et_barrier(X{5}, X{5});
    }
  }
  p.et_halt();
  auto device = deviceOf(*machine, p);
  ETALON_CHECK(device->write(kTestData, images).ok(), "chains of a test");
  std::vector<std::byte> operands(kChainOperandBytes);
  for (uint64_t core = 0; core < machine->cores; ++core) {
    for (size_t i = 0; i < operands.size(); i += 4)
      storeBytes(operands.data() + i, randomElement(random, ElementType::f32));
    ETALON_CHECK(device->write(isa::kCoreWindowBase + core * isa::kCoreWindowStride, operands).ok(),
                 "operands of random chains");
  }
  return device;
}

std::string describeDevice(FunctionalDevice& device) {
  std::string text;
  for (unsigned i = 0; i < device.cluster().devices; ++i)
    text += describeRegion(device.memory().global(i));
  for (unsigned i = 0; i < device.cores(); ++i) {
    text += describeRegion(device.memory().local(i)) + describeCore(device.core(i));
    text += fmt::format("semaphores {}\n", fmt::join(device.memory().semaphores(i), " "));
  }
  return text + describeFindings(device);
}

std::string describeResult(const RunResult& result) {
  std::string text = fmt::format("{} {} {}\n", runStatusName(result.status), result.exit_code,
                                 result.instructions);
  for (const StoppedCore& stopped : result.stopped)
    text += fmt::format("stopped {} {:x} {:x} {}\n", stopped.core, stopped.pc, stopped.instruction,
                        stopped.waiting);
  return text;
}

}  // namespace etalon::sim
