// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "isa/base/status.h"
#include "isa/element_type.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/view_descriptor.h"

namespace etalon::sim {

/// The element type of a name such as "bf16".
Result<ElementType> elementTypeNamed(const std::string& name);

/// View and chain registers as examples write them (example_state.h). Unknown keys are errors.
Status describedView(const nlohmann::json& value, isa::ViewDescriptor& view);
Status describedChain(const nlohmann::json& value, isa::ChainDescriptor& chain);

}  // namespace etalon::sim
