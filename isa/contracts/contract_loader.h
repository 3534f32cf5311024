// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "isa/base/status.h"
#include "isa/numerics/contract.h"

namespace etalon::isa {

/// Reads a numerics contract strictly (docs/spec/09-contracts.md, isa/schema/contract.schema.json):
/// unknown and duplicate keys, wrong types, values that cannot be, parts that contradict each other
/// are errors with file, line, path in the document, the value and what would be right. What is not
/// said is canonical. The name is that of the file.
Result<numerics::Contract> loadContract(const std::string& path);
/// The same of a text, `path` being the file it came from.
Result<numerics::Contract> parseContract(std::string_view text, const std::string& path);

/// The argument of `--contract`: a path if it holds a slash or ends in `.json` or `.yaml`, else the
/// name of a shipped contract. An unknown name lists the known ones.
Result<std::string> findContract(const std::string& name_or_path);
Result<numerics::Contract> openContract(const std::string& name_or_path);

/// The meaning of a contract as a text, the same for every document that means the same: all fields
/// in a fixed order, without name and title, overrides pair by pair.
std::string contractText(const numerics::Contract& contract);

/// The first 64 bits of the SHA-256 of contractText(); 0 for the canonical arithmetic.
uint64_t contractHash(const numerics::Contract& contract);

}  // namespace etalon::isa
