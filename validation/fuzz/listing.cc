// SPDX-License-Identifier: Apache-2.0
// Random programs as text.
#include <fmt/format.h>

#include <algorithm>

#include "isa/codec/codec.h"
#include "validation/fuzz/image.h"

namespace etalon::fuzz {
namespace {

void listChain(const Step::Chain& chain, const std::string& indent, std::string& text) {
  const isa::ChainDescriptor& v = chain.value;
  text += fmt::format("{}# ch{}: flags {}, td {}, third tr{}, reduction {} of {} into tr{}\n",
                      indent, chain.reg, v.flags, v.td_selector, v.third_source, v.reduction_op,
                      v.reduction_selector, v.reduction_tile);
  for (size_t s = 0; s < std::min<size_t>(v.nsteps, v.steps.size()); ++s) {
    const isa::ChainStep& step = v.steps[s];
    const ElementwiseInfo* info = elementwiseInfo(step.op);
    text +=
        fmt::format("{}#   t{} = {}({}, {}, {}), types {} to {}, mode {}\n", indent,
                    step.destination, info ? info->name : "?", step.selectors[0], step.selectors[1],
                    step.selectors[2], step.compute_type, step.result_type, step.mode);
  }
  text += fmt::format("{}#   constants", indent);
  for (const uint32_t constant : v.constants) text += fmt::format(" {:#x}", constant);
  text += "\n";
}

void listSteps(const std::vector<Step>& steps, size_t depth, std::string& text) {
  const std::string indent(2 * depth, ' ');
  for (const Step& step : steps) {
    for (const Step::Tile& t : step.tiles) {
      const isa::TileRegister& v = t.value;
      text += fmt::format(
          "{}# tr{}: {} base {:#x}, {} x {} rows of {}, strides {} {}, step {}{}{}\n", indent,
          t.reg, v.hasType() ? elementInfo(v.elementType()).name : "no type", v.base, v.outer,
          v.inner, v.cols, v.ostride, v.istride, v.step, v.transpose ? ", transposed" : "",
          v.link_valid ? fmt::format(", link tr{}", v.link) : "");
    }
    for (const Step::View& v : step.views) {
      text += fmt::format("{}# vr{}: {} base {:#x}, ncol {}", indent, v.reg,
                          v.value.hasType() ? elementInfo(v.value.elementType()).name : "no type",
                          v.value.base, v.value.ncol);
      for (int a = 0; a < v.value.naxes; ++a)
        text += fmt::format("; axis dim {} stride {} origin {}", v.value.axes[a].dim,
                            v.value.axes[a].stride, v.value.axes[a].origin);
      for (int b = 0; b < v.value.nbox; ++b)
        text += fmt::format("; box {} of axis {} step {}", v.value.box[b].extent,
                            v.value.box[b].axis, v.value.box[b].step);
      text += "\n";
    }
    for (const Step::Chain& c : step.chains) listChain(c, indent, text);
    for (const auto& [reg, value] : step.x)
      text += fmt::format("{}li x{}, {:#x}\n", indent, reg, value);
    if (step.kind == Step::Kind::loop)
      text += fmt::format("{}# {} times:\n", indent, step.trips);
    else
      text += fmt::format("{}{}\n", indent, isa::disassemble(step.word));
    listSteps(step.body, depth + 1, text);
  }
}

}  // namespace

std::string listing(const Program& program) {
  std::string text = fmt::format(
      "# {}: {} cores, machine {}{}{}{}\n", program.name(), program.cores.size(),
      program.reduced ? "reduced" : "full", program.handles_traps ? ", skips what traps" : "",
      program.fills_local ? "" : ", local memory unwritten", program.exits ? ", core 0 exits" : "");
  for (size_t i = 0; i < program.cores.size(); ++i) {
    text += fmt::format("core {}:\n", i);
    listSteps(program.cores[i], 1, text);
  }
  return text;
}

}  // namespace etalon::fuzz
