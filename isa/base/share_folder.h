// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace etalon {

/// `share/etalon` of the installation that this code runs from; nothing if it runs from a build tree.
///
/// Where it is looked for, in this order: the folder that $ETALON_SHARE names (then nowhere else); beside the plug-in this
/// code is part of (lib/etalon/plugins of an installation); beside the running program (bin of an installation). So an
/// installation can be moved, and two on one machine do not mix.
std::optional<std::string> installedShare();

}  // namespace etalon
