// SPDX-License-Identifier: Apache-2.0
#include "tools/run/request.h"

#include <fmt/format.h>

#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"
#include "tools/io/generate.h"

namespace etalon::tools {
namespace {

Result<std::vector<uint64_t>> parseShape(std::string_view text) {
  std::vector<uint64_t> shape;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view extent = text.substr(0, comma);
    while (extent.starts_with(' ')) extent.remove_prefix(1);
    while (extent.ends_with(' ')) extent.remove_suffix(1);
    const Result<uint64_t> value = parseUnsigned(extent);
    if (!value.ok()) return value.error();
    shape.push_back(*value);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return Error{"a comma with no extent behind it"};
  }
  return shape;
}

struct Prefix {
  std::string_view text;
  DumpTarget::What what;
  unsigned registers;
};
// Longest first where one begins like another.
constexpr Prefix kPrefixes[] = {
    {"tile:tr", DumpTarget::What::Matrix, isa::kTileRegisters},
    {"tr", DumpTarget::What::Tile, isa::kTileRegisters},
    {"vr", DumpTarget::What::View, isa::kViewRegisters},
    {"ch", DumpTarget::What::Chain, isa::kChainRegisters},
    {"x", DumpTarget::What::X, 32},
};

}  // namespace

Result<Assignment> parseAssignment(std::string_view option, std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return Error{fmt::format("{} {}: must be NAME=VALUE", option, quote(text))};
  return Assignment{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<InputSource> parseInput(std::string_view text) {
  Result<Assignment> pair = parseAssignment("--in", text);
  if (!pair.ok()) return pair.error();
  InputSource input{std::move(pair->name), std::move(pair->text), std::nullopt};
  const size_t bracket = input.source.rfind('[');
  if (!input.source.ends_with(']') || bracket == std::string::npos ||
      !isGenerator(input.source.substr(0, bracket)))
    return input;
  Result<std::vector<uint64_t>> shape = parseShape(
      std::string_view(input.source).substr(bracket + 1, input.source.size() - bracket - 2));
  if (!shape.ok())
    return Error{fmt::format("--in {}: shape: {}", quote(text), shape.error().message)};
  input.shape = *std::move(shape);
  input.source.resize(bracket);
  return input;
}

Result<DumpTarget> parseDump(std::string_view text, std::string_view option) {
  DumpTarget target;
  target.text = text;
  std::string_view what = text;
  if (const size_t at = what.find('@'); at != std::string_view::npos) {
    const Result<uint64_t> core = parseUnsigned(what.substr(at + 1));
    if (!core.ok())
      return Error{fmt::format("{} {}: core: {}", option, quote(text), core.error().message)};
    target.core = static_cast<unsigned>(std::min<uint64_t>(*core, ~0u));
    what = what.substr(0, at);
  }
  if (what == "all") return target;
  for (const Prefix& prefix : kPrefixes) {
    if (!what.starts_with(prefix.text)) continue;
    target.what = prefix.what;
    const std::string_view number = what.substr(prefix.text.size());
    if (number.empty() && prefix.what != DumpTarget::What::Matrix) return target;
    const Result<uint64_t> index = parseUnsigned(number);
    if (!index.ok() || *index >= prefix.registers)
      return Error{fmt::format("{} {}: {} is numbered 0 to {}", option, quote(text), prefix.text,
                               prefix.registers - 1)};
    target.index = static_cast<unsigned>(*index);
    return target;
  }
  return Error{
      fmt::format("{} {}: known are x, x5, tr, tr3, tile:tr3 (its values), vr1, ch0, all; each "
                  "also as x@CORE",
                  option, quote(text))};
}

Status addPermit(std::string_view text, Permits& permits) {
  if (text == "uninitialised")
    permits.uninitialised = true;
  else if (text == "races")
    permits.races = true;
  else if (text == "order-dependent")
    permits.order_dependent = true;
  else
    return Error{
        fmt::format("--permit {}: known are uninitialised, races, order-dependent", quote(text))};
  return {};
}

}  // namespace etalon::tools
