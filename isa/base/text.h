// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace etalon {

/// Text of unknown origin made fit for a message: in single quotes, control and non-ASCII bytes as
/// \xNN, and cut after 60 characters, so that hostile input can neither flood nor confuse a
/// terminal.
std::string quote(std::string_view text);

/// "a, b, c".
std::string joined(const std::vector<std::string>& names);

}  // namespace etalon
