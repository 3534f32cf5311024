// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "isa/abi/array.h"
#include "isa/abi/kernel_spec.h"
#include "isa/base/status.h"
#include "kernels/reference/check_report.h"

namespace etalon::kernels {

/// An array argument of a kernel under its name; borrowed.
struct NamedArray {
  std::string name;
  const abi::Array* array = nullptr;
};

/// Judges the output of a kernel by an independent reference of the operator its launch note names.
///
/// spec       `check matmul(A, B) -> C with ...`: the operator, its inputs and output by name, its
///            attributes (as written, or as abi::Binding evaluates them).
/// arguments  inputs as they were before the run, outputs as they are after it.
/// scalars    values of scalar arguments and symbols that inputs and attributes may name.
///
/// The reference shares no code with what it judges: it decodes, computes and rounds by itself.
/// Errors (not mismatches, which the report holds): an unknown operator, with the known ones; a
/// missing argument; inputs, shapes, types or attributes that the operator does not have.
Result<CheckReport> checkOperator(const abi::CheckSpec& spec, std::span<const NamedArray> arguments,
                                  const std::map<std::string, double>& scalars);

/// Names of all operators with a reference, sorted.
std::vector<std::string> knownOperators();

}  // namespace etalon::kernels
