// SPDX-License-Identifier: Apache-2.0
// Which tile products this host can run.
#include <array>

#include "isa/numerics/mma.h"
#include "isa/numerics/mma_kernels.h"

namespace etalon::numerics {
namespace {

constexpr MmaKernels kGeneric = {"generic", &kGenericFloatPath, &kGenericIntegerPath};
#if defined(__x86_64__)
constexpr MmaKernels kV3 = {"v3", &kV3FloatPath, &kV3IntegerPath};
constexpr MmaKernels kV4 = {"v4", &kV4FloatPath, &kV4IntegerPath};
constexpr MmaKernels kV4Vnni = {"v4vnni", &kV4FloatPath, &kV4VnniIntegerPath};
#endif

struct HostKernels {
  std::array<const MmaKernels*, 4> list = {&kGeneric};
  size_t count = 1;
};

HostKernels findKernels() {
  HostKernels host;
#if defined(__x86_64__)
  // The names stand for whole levels, the operating system's saving of the registers included.
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v3")) host.list[host.count++] = &kV3;
  if (__builtin_cpu_supports("x86-64-v4")) {
    host.list[host.count++] = &kV4;
    if (__builtin_cpu_supports("avx512vnni")) host.list[host.count++] = &kV4Vnni;
  }
#endif
  return host;
}

}  // namespace

std::span<const MmaKernels* const> hostMmaKernels() {
  static const HostKernels host = findKernels();
  return {host.list.data(), host.count};
}

const MmaKernels& bestMmaKernels() { return *hostMmaKernels().back(); }

std::string_view mmaKernelsName(const MmaKernels& kernels) { return kernels.name; }

}  // namespace etalon::numerics
