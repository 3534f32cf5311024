// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace etalon::isa {

/// The JSON Schema of machine files, made of machineFields(): isa/schema/machine.schema.json is this text. It has what a
/// single value may be; rules between values are the loader's alone.
std::string machineSchema();

}  // namespace etalon::isa
