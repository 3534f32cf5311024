// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/example_descriptors.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "isa/elementwise_op.h"

namespace etalon::sim {
namespace {

using nlohmann::json;

Status onlyKeys(const json& value, std::initializer_list<std::string_view> known) {
  for (const auto& [key, ignored] : value.items())
    if (std::ranges::find(known, key) == known.end())
      return Error{fmt::format("unknown key '{}'", key)};
  return {};
}

Status describedStep(const json& value, isa::ChainStep& step) {
  ETALON_RETURN_IF_ERROR(
      onlyKeys(value, {"op", "compute", "result", "mode", "dest", "a", "b", "c"}));
  const auto op = value.at("op").get<std::string>();
  const auto info = std::ranges::find(kElementwiseOps, op, &ElementwiseInfo::name);
  if (info == kElementwiseOps.end()) return Error{fmt::format("unknown operation '{}'", op)};
  const auto compute = elementTypeNamed(value.at("compute").get<std::string>());
  if (!compute.ok()) return compute.error();
  const auto result = elementTypeNamed(value.value("result", value["compute"].get<std::string>()));
  if (!result.ok()) return result.error();
  step = {.op = static_cast<uint8_t>(info->op),
          .compute_type = static_cast<uint8_t>(*compute),
          .result_type = static_cast<uint8_t>(*result),
          .mode = value.value("mode", uint8_t{0}),
          .destination = value.value("dest", uint8_t{0}),
          .selectors = {value.value("a", uint8_t{0}), value.value("b", uint8_t{0}),
                        value.value("c", uint8_t{0})}};
  return {};
}

Status describedReduction(const json& value, isa::ChainDescriptor& chain) {
  ETALON_RETURN_IF_ERROR(onlyKeys(value, {"op", "tile", "selector", "accumulate"}));
  constexpr std::string_view kNames[] = {"sum", "prod", "max", "min"};
  const auto op = value.at("op").get<std::string>();
  const auto* name = std::ranges::find(kNames, op);
  if (name == std::end(kNames)) return Error{fmt::format("unknown reduction '{}'", op)};
  chain.flags |= isa::ChainDescriptor::kReduce;
  if (value.contains("accumulate") && value["accumulate"] != 0 && value["accumulate"] != false)
    chain.flags |= isa::ChainDescriptor::kAccumulate;
  chain.reduction_op = static_cast<uint8_t>(name - kNames);
  chain.reduction_tile = value.at("tile").get<uint8_t>();
  chain.reduction_selector = value.at("selector").get<uint8_t>();
  return {};
}

}  // namespace

Result<ElementType> elementTypeNamed(const std::string& name) {
  for (int code = 0; code < kElementTypes; ++code)
    if (kElementInfo[code].name == name) return static_cast<ElementType>(code);
  return Error{fmt::format("unknown element type '{}'", name)};
}

Status describedView(const json& value, isa::ViewDescriptor& view) {
  ETALON_RETURN_IF_ERROR(onlyKeys(value, {"base", "type", "axes", "box", "ncol", "fill"}));
  const auto type = elementTypeNamed(value.at("type").get<std::string>());
  if (!type.ok()) return type.error();
  view = {};
  view.base = value.at("base").get<uint64_t>();
  view.type = static_cast<uint8_t>(*type);
  view.ncol = value.value("ncol", uint8_t{0});
  view.fill = value.value("fill", uint64_t{0});
  const json none = json::array();
  for (const json& axis : value.contains("axes") ? value["axes"] : none) {
    ETALON_RETURN_IF_ERROR(onlyKeys(axis, {"dim", "stride", "origin"}));
    view.axes.at(view.naxes++) = {.dim = axis.at("dim"),
                                  .stride = axis.at("stride"),
                                  .origin = axis.value("origin", int64_t{0})};
  }
  for (const json& box : value.contains("box") ? value["box"] : none) {
    ETALON_RETURN_IF_ERROR(onlyKeys(box, {"extent", "axis", "step"}));
    view.box.at(view.nbox++) = {.extent = box.at("extent"),
                                .axis = box.value("axis", uint8_t{0}),
                                .step = box.value("step", 1)};
  }
  return {};
}

Status describedChain(const json& value, isa::ChainDescriptor& chain) {
  ETALON_RETURN_IF_ERROR(onlyKeys(value, {"steps", "td", "flags", "constants", "third", "reduce"}));
  chain = {};
  const json no_steps = json::array(), no_constants = json::object();
  for (const json& step : value.contains("steps") ? value["steps"] : no_steps)
    ETALON_RETURN_IF_ERROR(describedStep(step, chain.steps.at(chain.nsteps++)));
  chain.flags = value.contains("td") ? 0 : isa::ChainDescriptor::kNoDestination;
  chain.flags = value.value("flags", chain.flags);
  chain.td_selector = value.value("td", uint8_t{0});
  chain.third_source = value.value("third", isa::kNoTile);
  const json& constants = value.contains("constants") ? value["constants"] : no_constants;
  for (const auto& [number, constant] : constants.items())
    chain.constants.at(std::stoull(number, nullptr, 0)) =
        static_cast<uint32_t>(constant.get<int64_t>());
  if (value.contains("reduce")) return describedReduction(value["reduce"], chain);
  return {};
}

}  // namespace etalon::sim
