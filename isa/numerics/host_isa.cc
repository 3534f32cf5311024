// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/host_isa.h"

namespace etalon::numerics {
namespace {

HostIsa detect() {
#if defined(__x86_64__)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                  __builtin_cpu_supports("f16c");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? HostIsa::V4 : v3 ? HostIsa::V3 : HostIsa::Generic;
#else
  return HostIsa::Generic;
#endif
}

}  // namespace

HostIsa hostIsa() {
  static const HostIsa kBest = detect();
  return kBest;
}

std::vector<HostIsa> supportedHostIsas() {
  std::vector<HostIsa> isas{HostIsa::Generic};
  if (hostIsa() >= HostIsa::V3) isas.push_back(HostIsa::V3);
  if (hostIsa() >= HostIsa::V4) isas.push_back(HostIsa::V4);
  return isas;
}

}  // namespace etalon::numerics
