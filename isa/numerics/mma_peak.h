// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace etalon::numerics {

/// f32 operations a second of one core in independent FMA chains of the widest vectors it has (two
/// operations an FMA); a measurement of some 50 microseconds. For benchmarks.
double measureFmaPeak();

}  // namespace etalon::numerics
