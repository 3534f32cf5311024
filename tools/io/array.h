// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/abi/array.h"

namespace etalon::tools {

// The array type belongs to the interface between programs and their judges (isa/abi); files and
// generators of arrays live here.
using abi::Array;
using abi::arrayBytes;
using abi::describe;
using abi::elementCount;
using abi::kMostArrayBytes;
using abi::kMostArrayRank;
using abi::makeArray;

}  // namespace etalon::tools
