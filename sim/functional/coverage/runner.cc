// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/base/check.h"
#include "isa/codec/codec.h"
#include "isa/csr.h"
#include "isa/machines/find_machine.h"
#include "sim/functional/interpreter.h"

namespace etalon::sim::coverage {
namespace {

constexpr uint64_t kPc = 0x80001000;
/// Offset of the views' memory in global memory.
constexpr uint64_t kPiece = 0x10000;

isa::TileRegister registerOf(const reference::Tile& t) {
  isa::TileRegister r;
  r.base = static_cast<uint32_t>(t.base);
  r.outer = static_cast<uint32_t>(t.outer);
  r.inner = static_cast<uint32_t>(t.inner);
  r.cols = static_cast<uint32_t>(t.cols);
  r.ostride = static_cast<uint32_t>(t.ostride);
  r.istride = static_cast<uint32_t>(t.istride);
  r.type = static_cast<uint8_t>(t.type);
  r.step = static_cast<uint8_t>(t.step);
  r.transpose = t.transpose;
  return r;
}

isa::ViewDescriptor registerOf(const reference::View& v) {
  isa::ViewDescriptor r;
  r.base = v.base;
  r.type = static_cast<uint8_t>(v.type);
  r.naxes = static_cast<uint8_t>(v.axes.size());
  r.nbox = static_cast<uint8_t>(v.box.size());
  r.ncol = static_cast<uint8_t>(v.ncol);
  r.fill = v.fill;
  for (size_t a = 0; a < v.axes.size(); ++a)
    r.axes[a] = {v.axes[a].dim, v.axes[a].stride, v.axes[a].origin};
  for (size_t b = 0; b < v.box.size(); ++b)
    r.box[b] = {static_cast<uint32_t>(v.box[b].extent), static_cast<uint8_t>(v.box[b].axis),
                static_cast<int32_t>(v.box[b].step)};
  return r;
}

constexpr uint8_t kReductionCodes = 4;
constexpr const char* kReductions[kReductionCodes] = {"sum", "prod", "max", "min"};

uint8_t codeOf(const std::string& op) {
  for (const ElementwiseInfo& info : kElementwiseOps)
    if (info.name == op) return static_cast<uint8_t>(info.op);
  ETALON_CHECK(false, "no operation of this name");
}

isa::ChainDescriptor registerOf(const reference::Chain& c) {
  isa::ChainDescriptor r;
  r.nsteps = static_cast<uint8_t>(c.steps.size());
  r.flags = static_cast<uint8_t>((c.writes_td ? 0 : isa::ChainDescriptor::kNoDestination) |
                                 (c.reduction.empty() ? 0 : isa::ChainDescriptor::kReduce) |
                                 (c.lanes ? isa::ChainDescriptor::kAccumulate : 0));
  for (uint8_t code = 0; code < kReductionCodes; ++code)
    if (c.reduction == kReductions[code]) r.reduction_op = code;
  r.reduction_selector = static_cast<uint8_t>(c.reduction_selector);
  r.td_selector = static_cast<uint8_t>(c.td_selector);
  r.constants = c.constants;
  for (size_t i = 0; i < c.steps.size(); ++i) {
    const reference::Chain::Step& step = c.steps[i];
    r.steps[i] = {codeOf(step.op),
                  static_cast<uint8_t>(step.compute),
                  static_cast<uint8_t>(step.result),
                  static_cast<uint8_t>(step.mode),
                  static_cast<uint8_t>(step.destination),
                  {static_cast<uint8_t>(step.selectors[0]), static_cast<uint8_t>(step.selectors[1]),
                   static_cast<uint8_t>(step.selectors[2])}};
  }
  return r;
}

std::string describe(const reference::Tile& t) {
  return fmt::format("base {:#x}, {} x {} rows, {} columns, strides {} and {}, step {}{}", t.base,
                     t.outer, t.inner, t.cols, t.ostride, t.istride, t.step,
                     t.transpose ? ", transposed" : "");
}

/// First differing offset of two equally long byte ranges; nothing if they are the same.
std::optional<uint64_t> firstDifference(const uint8_t* a, const uint8_t* b, uint64_t bytes) {
  if (std::memcmp(a, b, bytes) == 0) return std::nullopt;
  return static_cast<uint64_t>(std::mismatch(a, a + bytes, b).first - a);
}

}  // namespace

Result<std::unique_ptr<Runner>> Runner::create() {
  auto machine = isa::openMachine(
      "functional64", {"cores=1", "local_bytes=256KiB", "address_map.global_bytes=1MiB"});
  if (!machine.ok()) return machine.error();
  std::unique_ptr<Runner> runner(new Runner(std::move(*machine)));
  auto memory = Memory::create(runner->machine_);
  if (!memory.ok()) return memory.error();
  runner->memory_ = std::move(*memory);
  auto launch = LaunchState::create(1, *runner->memory_);
  if (!launch.ok()) return launch.error();
  runner->launch_ = std::move(*launch);
  runner->core_ = std::make_unique<Core>(0, runner->machine_, *runner->memory_, runner->findings_);
  Random random(1);
  auto& expected = runner->expected_;
  expected.local.resize(Scene::kLocalBytes);
  expected.global.resize(Scene::kGlobalBytes);
  expected.global_base = runner->memory_->globalBase() + kPiece;
  for (auto* bytes : {&expected.local, &expected.global})
    for (uint8_t& byte : *bytes) byte = static_cast<uint8_t>(random());
  runner->memory_->local(0).init.setRange(0, Scene::kLocalBytes);
  runner->memory_->global().init.setRange(kPiece, Scene::kGlobalBytes);
  return runner;
}

int Runner::loadTile(const reference::Call& call, std::string_view name,
                     std::vector<uint8_t>& free) {
  const int number = free.back();
  free.pop_back();
  core_->tile(number) = registerOf(call.tile(name));
  const auto link = [&](int from, std::string_view named) {
    if (!call.has(named)) return from;
    const int to = loadTile(call, named, free);
    core_->tile(from).link_valid = true;
    core_->tile(from).link = static_cast<uint8_t>(to);
    return to;
  };
  if (name == "ta") link(link(number, "metadata"), "scales of ta");
  if (name == "tb") link(number, "scales of tb");
  return number;
}

uint32_t Runner::load(const Case& c, const reference::Call& call, Random& random) {
  std::vector<uint8_t> free;
  for (uint8_t i = 0; i < isa::kTileRegisters; ++i) free.push_back(i);
  std::ranges::shuffle(free, random);
  std::vector<int64_t> operands;
  for (const isa::OperandInfo& o : c.info->operands()) {
    int64_t value = 0;
    if (o.kind == isa::OperandKind::tile) {
      value = loadTile(call, o.name, free);
    } else if (o.kind == isa::OperandKind::view) {
      value = static_cast<int64_t>(random() % isa::kViewRegisters);
      core_->view(static_cast<int>(value)) = registerOf(call.view);
    } else if (o.kind == isa::OperandKind::chain) {
      value = static_cast<int64_t>(random() % isa::kChainRegisters);
      isa::ChainDescriptor chain = registerOf(call.chain);
      for (const char* name : {"third", "reduction"}) {
        if (!call.has(name)) continue;
        core_->tile(free.back()) = registerOf(call.tile(name));
        (name[0] == 't' ? chain.third_source : chain.reduction_tile) = free.back();
        free.pop_back();
      }
      const auto problem = isa::checkChain(chain);
      ETALON_CHECK(!problem, "the chain of a case is malformed");
      core_->chain(static_cast<int>(value)) = chain;
    } else if (o.kind == isa::OperandKind::x) {
      value = 5 + static_cast<int64_t>(operands.size());
      core_->setX(static_cast<int>(value), call.x.find(o.name)->second);
    } else {
      value = o.name == "axis" ? call.axis : call.mode;
    }
    operands.push_back(value);
  }
  const auto word = isa::encode(c.info->id, operands);
  ETALON_CHECK(word.ok(), "the operands of a case do not encode");
  return *word;
}

std::optional<std::string> Runner::run(const Case& c, const Family& family) {
  Scene scene(c, expected_);
  family.build(scene);
  std::memcpy(memory_->local(0).data(), expected_.local.data(), expected_.local.size());
  const bool view = !scene.call.view.box.empty() || !scene.call.view.axes.empty();
  if (view)
    std::memcpy(memory_->global().data() + kPiece, expected_.global.data(),
                expected_.global.size());
  const uint32_t word = load(c, scene.call, scene.random);
  core_->start(kPc, *launch_);
  core_->raw_ = word;
  core_->events_ = 0;
  core_->writeCsr(isa::csr::kEtstatus, 0);
  core_->writeCsr(isa::csr::kEtseed, scene.call.seed);
  core_->writeCsr(isa::csr::kEtstream, scene.call.stream);
  const uint64_t faults = findings_.faultCount();
  executeTile(*core_, isa::decode(word));
  if (findings_.faultCount() != faults) {
    const isa::Fault& fault = findings_.faults().back();
    return fmt::format("{}: {}\n  trapped with cause {}: {} {}\n  repeat with ETALON_CASE={}",
                       c.describe(), isa::disassemble(word), static_cast<int>(fault.cause),
                       fault.operand, fault.detail, c.number);
  }
  // Only now: the reference takes its operands on trust.
  if (!reference::execute(scene.call, expected_))
    return fmt::format("the reference does not know {}", c.info->name);
  return compare(c, scene.call, word);
}

std::optional<std::string> Runner::compare(const Case& c, const reference::Call& call,
                                           uint32_t word) {
  std::string text;
  const auto* local = reinterpret_cast<const uint8_t*>(memory_->local(0).data());
  const auto* global = reinterpret_cast<const uint8_t*>(memory_->global().data() + kPiece);
  if (const auto at = firstDifference(local, expected_.local.data(), expected_.local.size()))
    text += differenceAt(call, *at);
  const bool view = !call.view.box.empty() || !call.view.axes.empty();
  if (view)
    if (const auto at = firstDifference(global, expected_.global.data(), expected_.global.size()))
      text += fmt::format("\n  global byte {:#x}: expected {:#04x}, found {:#04x}",
                          expected_.global_base + *at, expected_.global[*at], global[*at]);
  const bool outside = (core_->readCsr(isa::csr::kEtstatus) & 1) != 0;
  if (outside != call.index_outside)
    text += fmt::format("\n  sticky status: expected {}, found {}", call.index_outside, outside);
  if (text.empty()) return std::nullopt;
  for (const auto& [name, tile] : call.tiles)
    text += fmt::format("\n  {}: {} {}", name, elementInfo(tile.type).name, describe(tile));
  return fmt::format("{}: {}{}\n  repeat with ETALON_CASE={}", c.describe(), isa::disassemble(word),
                     text, c.number);
}

std::string Runner::differenceAt(const reference::Call& call, uint64_t offset) const {
  reference::Memory found;
  const auto* local = reinterpret_cast<const uint8_t*>(memory_->local(0).data());
  found.local.assign(local, local + expected_.local.size());
  for (const auto& [name, tile] : call.tiles)
    for (uint64_t r = 0; r < tile.rows(); ++r)
      for (uint64_t c = 0; c < tile.columns(); ++c) {
        const uint64_t want = reference::readElement(expected_, tile, r, c);
        const uint64_t got = reference::readElement(found, tile, r, c);
        if (want != got)
          return fmt::format("\n  {}({}, {}): expected {:#x}, found {:#x}", name, r, c, want, got);
      }
  return fmt::format("\n  local byte {:#x}, of no operand: expected {:#04x}, found {:#04x}", offset,
                     expected_.local[offset], local[offset]);
}

std::vector<Case> casesOf(const isa::InstructionInfo& info, const Space& space,
                          const std::vector<TypeTuple>& tuples, uint64_t first) {
  std::vector<Case> cases;
  for (Point& point : allPairs(space, static_cast<uint64_t>(info.match)))
    cases.push_back({first + cases.size(), &info, &space, tuples[point[0]], std::move(point)});
  return cases;
}

}  // namespace etalon::sim::coverage
