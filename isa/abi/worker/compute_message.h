// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/abi/device.h"
#include "isa/abi/worker/wire.h"

namespace etalon::abi {

/// A computation on its way to the worker; its time-out is not in it.
void putCompute(WireWriter& out, const etalon_compute_request& request);
DeviceCompute getCompute(WireReader& in);

}  // namespace etalon::abi
