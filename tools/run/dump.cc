// SPDX-License-Identifier: Apache-2.0
#include "tools/run/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/elementwise_op.h"

namespace etalon::tools {
namespace {

using What = DumpTarget::What;

std::string typeName(uint8_t code) {
  return code < kElementTypes ? std::string(kElementInfo[code].name)
                              : fmt::format("type code {} (reserved)", code);
}

std::string dumpX(const sim::Core& core, std::optional<unsigned> index) {
  if (index)
    return fmt::format("  x{} {:#018x} {}\n", *index, core.x(static_cast<int>(*index)),
                       static_cast<int64_t>(core.x(static_cast<int>(*index))));
  std::string text = fmt::format("  pc  {:#018x}\n", core.pc());
  for (int i = 0; i < 32; ++i)
    text +=
        fmt::format("  {:<3} {:#018x}{}", fmt::format("x{}", i), core.x(i), i % 4 == 3 ? "\n" : "");
  return text;
}

std::string describeTile(const isa::TileRegister& t) {
  return fmt::format(
      "{} outer {} x inner {} rows, {} columns, base {:#x}, ostride {}, istride {}, step {}{}{}",
      typeName(t.type), t.outer, t.inner, t.cols, t.base, t.ostride, t.istride, t.step,
      t.transpose ? ", transposed" : "", t.link_valid ? fmt::format(", link tr{}", t.link) : "");
}

std::string describeView(const isa::ViewDescriptor& v) {
  std::string text =
      fmt::format("{} base {:#x}, fill {:#x}, {} axes, {} box dims, {} of them columns\n",
                  typeName(v.type), v.base, v.fill, v.naxes, v.nbox, v.ncol);
  for (int i = 0; i < std::min<int>(v.naxes, isa::kMaxAxes); ++i)
    text += fmt::format("      axis {} dim {} stride {} origin {}\n", i, v.axes[i].dim,
                        v.axes[i].stride, v.axes[i].origin);
  for (int i = 0; i < std::min<int>(v.nbox, isa::kMaxBoxDims); ++i)
    text += fmt::format("      box {} extent {} axis {} step {}\n", i, v.box[i].extent,
                        v.box[i].axis, v.box[i].step);
  return text;
}

std::string selectorText(uint8_t code) {
  const isa::Selector s = isa::decodeSelector(code);
  switch (s.kind) {
    case isa::Selector::Kind::Tile: return std::string(1, static_cast<char>('a' + s.tile));
    case isa::Selector::Kind::Temporary: return fmt::format("t{}", s.index);
    case isa::Selector::Kind::Constant: return fmt::format("k{}", s.index);
    case isa::Selector::Kind::Displaced:
      return fmt::format("{}+k{}", static_cast<char>('a' + s.tile), s.index);
    case isa::Selector::Kind::Reserved: break;
  }
  return fmt::format("selector {} (reserved)", code);
}

std::string operationName(uint8_t code) {
  for (const ElementwiseInfo& info : kElementwiseOps)
    if (static_cast<uint8_t>(info.op) == code) return std::string(info.name);
  return fmt::format("op {} (reserved)", code);
}

std::string describeChain(const isa::ChainDescriptor& c) {
  std::string text = fmt::format("{} steps\n", c.nsteps);
  for (int i = 0; i < std::min<int>(c.nsteps, kChainSteps); ++i) {
    const isa::ChainStep& s = c.steps[i];
    text += fmt::format("      t{} = {}.{} {}, {}, {} -> {} mode {}\n", s.destination,
                        operationName(s.op), typeName(s.compute_type), selectorText(s.selectors[0]),
                        selectorText(s.selectors[1]), selectorText(s.selectors[2]),
                        typeName(s.result_type), s.mode);
  }
  if (c.third_source != isa::kNoTile) text += fmt::format("      c = tr{}\n", c.third_source);
  text +=
      c.writesTd() ? fmt::format("      td = {}\n", selectorText(c.td_selector)) : "      no td\n";
  if (c.reduces())
    text += fmt::format("      reduction {} of {} into tr{}{}\n", c.reduction_op,
                        selectorText(c.reduction_selector), c.reduction_tile,
                        c.accumulatesLanes() ? ", lanes kept" : "");
  text += fmt::format("      constants {:#x}\n", fmt::join(c.constants, " "));
  return text;
}

/// One line a register, of one or all.
template <class F>
std::string eachRegister(const char* prefix, int count, std::optional<unsigned> index, F describe) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (index && *index != static_cast<unsigned>(i)) continue;
    std::string line = describe(i);
    if (!line.ends_with('\n')) line += '\n';
    text += fmt::format("  {}{} {}", prefix, i, line);
  }
  return text;
}

std::string dumpCore(sim::FunctionalDevice& device, unsigned number, What what,
                     std::optional<unsigned> index) {
  const sim::Core& core = device.core(number);
  switch (what) {
    case What::X: return dumpX(core, index);
    case What::Tile:
      return eachRegister("tr", isa::kTileRegisters, index,
                          [&](int i) { return describeTile(core.tile(i)); });
    case What::View:
      return eachRegister("vr", isa::kViewRegisters, index,
                          [&](int i) { return describeView(core.view(i)); });
    case What::Chain:
      return eachRegister("ch", isa::kChainRegisters, index,
                          [&](int i) { return describeChain(core.chain(i)); });
    case What::Matrix: {
      const isa::TileRegister& tile = core.tile(static_cast<int>(*index));
      return fmt::format("  {}\n{}", describeTile(tile), tileMatrix(device.memory(), number, tile));
    }
    case What::All: break;
  }
  return dumpX(core, {}) + dumpCore(device, number, What::Tile, {}) +
         dumpCore(device, number, What::View, {}) + dumpCore(device, number, What::Chain, {});
}

}  // namespace

std::vector<ReportedDump> dumpState(sim::FunctionalDevice& device, unsigned cores,
                                    const std::vector<DumpTarget>& targets) {
  std::vector<ReportedDump> dumps;
  const sim::Cluster& cluster = device.cluster();
  for (const DumpTarget& target : targets)
    for (unsigned agent = 0; agent < cluster.agents(); ++agent) {
      const unsigned core = cluster.core(agent);
      if (core < cores && (!target.core || *target.core == core))
        dumps.push_back({target.text, agent, dumpCore(device, agent, target.what, target.index)});
    }
  return dumps;
}

}  // namespace etalon::tools
