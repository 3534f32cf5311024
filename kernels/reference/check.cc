// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/check.h"

#include <fmt/format.h>

#include <string_view>

#include "isa/base/text.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {
namespace {

struct Operator {
  std::string_view name;
  Result<CheckReport> (*check)(const Call& call);
};

constexpr Operator kOperators[] = {
#include "kernels/reference/operator_table.inc"
};

}  // namespace

Result<CheckReport> checkOperator(const abi::CheckSpec& spec, std::span<const NamedArray> arguments,
                                  const std::map<std::string, double>& scalars) {
  for (const Operator& known : kOperators) {
    if (known.name != spec.operation) continue;
    const Result<Call> call = Call::create(spec, arguments, scalars);
    if (!call.ok()) return call.error();
    return known.check(*call);
  }
  return Error{fmt::format("check {}: there is no reference of this name; known are {}",
                           quote(spec.operation), joined(knownOperators()))};
}

std::vector<std::string> knownOperators() {
  std::vector<std::string> names;
  for (const Operator& known : kOperators) names.emplace_back(known.name);
  return names;
}

}  // namespace etalon::kernels
