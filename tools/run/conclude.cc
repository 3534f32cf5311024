// SPDX-License-Identifier: Apache-2.0
#include "tools/run/conclude.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/base/text.h"
#include "kernels/reference/check.h"
#include "tools/io/array_file.h"

namespace etalon::tools {
namespace {

/// Judges the outputs; what an inout tensor held before the run is no longer known to the reference.
Result<ReportedCheck> checkOutputs(const PreparedLaunch& launch,
                                   const std::vector<Output>& outputs) {
  abi::CheckSpec spec = *launch.spec->check;
  spec.attributes = launch.binding.attributes;
  std::vector<kernels::NamedArray> arrays;
  for (size_t i = 0; i < launch.tensors.size(); ++i)
    if (launch.tensors[i].argument.direction == abi::Direction::In)
      arrays.push_back({launch.tensors[i].argument.name, &launch.inputs[i]});
  for (const Output& output : outputs) arrays.push_back({output.name, &output.array});
  const Result<kernels::CheckReport> report =
      kernels::checkOperator(spec, arrays, scalarsOf(launch.binding));
  if (!report.ok()) return Error{"--check: " + report.error().message};
  std::string detail =
      fmt::format("{} of {} elements right ({})", report->elements - report->mismatches,
                  report->elements, report->verdict);
  if (report->verdict == "bounded" && !report->worst_at.empty())
    detail += fmt::format(", worst error {:.3g} of its bound at {}", report->worst_ratio,
                          report->worst_at);
  if (report->unbounded != 0) detail += fmt::format(", {} without a bound", report->unbounded);
  if (!report->first_mismatch.empty()) detail += "; " + report->first_mismatch;
  return ReportedCheck{report->op, report->passed, detail, report->worst_ratio};
}

Status writeOutputs(const RunReport& report) {
  for (const Output& output : report.outputs)
    if (!output.file.empty() && !output.first_left_out)
      if (const Status status = writeArray(output.file, output.array); !status.ok())
        return Error{fmt::format("--out {}: {}", output.name, status.error().message)};
  return {};
}

}  // namespace

Status checkReference(const RunRequest& request, const PreparedLaunch& launch) {
  if (!request.check) return {};
  if (!launch.spec || !launch.spec->check)
    return Error{fmt::format("--check: {} names no operator to check against", request.program)};
  const std::string& operation = launch.spec->check->operation;
  const std::vector<std::string> known = kernels::knownOperators();
  if (std::ranges::find(known, operation) == known.end())
    return Error{
        fmt::format("--check: there is no reference for operator '{}'; there is one for {}",
                    operation, joined(known))};
  return {};
}

std::map<std::string, double> scalarsOf(const abi::Binding& binding) {
  std::map<std::string, double> scalars;
  for (const abi::BoundArgument& argument : binding.arguments) {
    if (argument.is_tensor) continue;
    scalars[argument.name] =
        argument.type == ElementType::f32
            ? double{std::bit_cast<float>(static_cast<uint32_t>(argument.slot))}
            : static_cast<double>(static_cast<int64_t>(argument.slot));
  }
  for (const auto& [name, value] : binding.symbols) scalars[name] = static_cast<double>(value);
  return scalars;
}

Status concludeRun(const RunRequest& request, const PreparedLaunch& launch, RunReport& report) {
  if (report.finished()) ETALON_RETURN_IF_ERROR(writeOutputs(report));
  if (!request.check) return {};
  report.check =
      ReportedCheck{launch.spec->check->operation, false, "the run did not end by itself", 0};
  if (!report.finished()) return {};
  Result<ReportedCheck> check = checkOutputs(launch, report.outputs);
  if (!check.ok()) return check.error();
  report.check = *std::move(check);
  return {};
}

}  // namespace etalon::tools
