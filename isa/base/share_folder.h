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

/// The folder `isa` with machines, profiles and contracts: of the installation this code runs from, else of the source tree
/// it was built from, or, if that is gone, of the folder it was configured to be installed to.
std::string isaFolder();

}  // namespace etalon
