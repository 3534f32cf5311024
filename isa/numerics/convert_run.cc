// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "isa/base/check.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/lane_tables.h"

namespace etalon::numerics {
namespace {

struct Generic {};
constexpr ConvertTable kGeneric = makeConvertTable<Generic>();

const ConvertTable& convertTable(HostIsa isa) {
#if defined(__x86_64__)
  if (isa == HostIsa::V4) return convertTableV4();
  if (isa == HostIsa::V3) return convertTableV3();
#endif
  return kGeneric;
}

size_t bytesOf(ElementType type) { return static_cast<size_t>(elementInfo(type).bits) / 8; }

/// Up to three kernels one after the other; every one but the last is exact, so there is one
/// rounding.
struct Route {
  ConvertKernel kernels[3] = {};
  int count = 0;

  bool add(ConvertKernel kernel) {
    if (kernel != nullptr) kernels[count++] = kernel;
    return kernel != nullptr;
  }
};

/// Empty if the pair needs the scalar definition (i64, and 32-bit integers to narrow floats or
/// toward zero).
Route routeOf(const ConvertTable& table, ElementType from, ElementType to, ConvertMode mode) {
  const size_t m = (mode.saturate ? 2u : 0u) + (mode.rounding == Rounding::TowardZero ? 1u : 0u);
  const auto kernel = [&](ElementType a, ElementType b, size_t how) {
    return table[static_cast<size_t>(a)][static_cast<size_t>(b)][how];
  };
  Route route;
  if (route.add(kernel(from, to, m))) return route;
  const ElementType wide = elementInfo(from).widens_to;
  if (bytesOf(from) >= 4 || !route.add(kernel(from, wide, 0))) return {};
  if (route.add(kernel(wide, to, m))) return route;
  // Integers of up to 16 bits are exact in f32; to f32 itself this is the end.
  if (!route.add(kernel(wide, ElementType::f32, 0))) return {};
  if (to == ElementType::f32 || route.add(kernel(ElementType::f32, to, m))) return route;
  return {};
}

uint64_t load(const std::byte* from, size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

void convertScalar(ElementType from, const std::byte* src, ptrdiff_t src_stride, ElementType to,
                   std::byte* dst, ptrdiff_t dst_stride, size_t n, ConvertMode mode) {
  for (size_t i = 0; i < n; ++i) {
    const uint64_t value =
        convertElement(from, load(src, bytesOf(from)), to, mode.rounding, mode.saturate);
    std::memcpy(dst, &value, bytesOf(to));
    src += src_stride;
    dst += dst_stride;
  }
}

/// Through small buffers: strides, several kernels, in place.
void convertChunks(const Route& route, ElementType from, const std::byte* src, ptrdiff_t src_stride,
                   ElementType to, std::byte* dst, ptrdiff_t dst_stride, size_t n) {
  constexpr size_t kChunk = 256;
  alignas(64) std::byte first[kChunk * 4];
  alignas(64) std::byte second[kChunk * 4];
  while (n != 0) {
    const size_t count = std::min(n, kChunk);
    std::byte* in = first;
    std::byte* out = second;
    copyRun(bytesOf(from), src, src_stride, in, static_cast<ptrdiff_t>(bytesOf(from)), count);
    for (int k = 0; k < route.count; ++k) {
      route.kernels[k](in, out, count);
      std::swap(in, out);
    }
    copyRun(bytesOf(to), in, static_cast<ptrdiff_t>(bytesOf(to)), dst, dst_stride, count);
    src += static_cast<ptrdiff_t>(count) * src_stride;
    dst += static_cast<ptrdiff_t>(count) * dst_stride;
    n -= count;
  }
}

template <class T>
void copyStrided(const std::byte* src, ptrdiff_t src_stride, std::byte* dst, ptrdiff_t dst_stride,
                 size_t n) {
  constexpr auto kSize = static_cast<ptrdiff_t>(sizeof(T));
  T value;
  if (src_stride == 0 && n != 0) {
    std::memcpy(&value, src, sizeof(T));
    if (dst_stride == kSize) {
      for (size_t i = 0; i < n; ++i) std::memcpy(dst + i * sizeof(T), &value, sizeof(T));
      return;
    }
  }
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(&value, src, sizeof(T));
    std::memcpy(dst, &value, sizeof(T));
    src += src_stride;
    dst += dst_stride;
  }
}

}  // namespace

void convertRun(ElementType from, const std::byte* src, ptrdiff_t src_stride, ElementType to,
                std::byte* dst, ptrdiff_t dst_stride, size_t n, ConvertMode mode, HostIsa isa) {
  ETALON_CHECK(bytesOf(from) != 0 && bytesOf(to) != 0, "convertRun takes types of 8 bits and more");
  ETALON_CHECK(convertible(from, to), "no conversion to e8m0 is defined");
  ETALON_CHECK(mode.supported(), "reserved rounding mode; decoders refuse it");
  if (n == 0) return;
  if (src_stride == 0) {
    const uint64_t value =
        convertElement(from, load(src, bytesOf(from)), to, mode.rounding, mode.saturate);
    copyRun(bytesOf(to), reinterpret_cast<const std::byte*>(&value), 0, dst, dst_stride, n);
    return;
  }
  const Route route = routeOf(convertTable(isa), from, to, mode);
  if (route.count == 0) {
    convertScalar(from, src, src_stride, to, dst, dst_stride, n, mode);
    return;
  }
  const bool packed = src_stride == static_cast<ptrdiff_t>(bytesOf(from)) &&
                      dst_stride == static_cast<ptrdiff_t>(bytesOf(to));
  if (packed && route.count == 1 && src != dst) {
    route.kernels[0](src, dst, n);
  } else {
    convertChunks(route, from, src, src_stride, to, dst, dst_stride, n);
  }
}

void copyRun(size_t element_bytes, const std::byte* src, ptrdiff_t src_stride, std::byte* dst,
             ptrdiff_t dst_stride, size_t n) {
  if (src_stride == static_cast<ptrdiff_t>(element_bytes) && dst_stride == src_stride) {
    std::memmove(dst, src, n * element_bytes);
    return;
  }
  switch (element_bytes) {
    case 1: return copyStrided<uint8_t>(src, src_stride, dst, dst_stride, n);
    case 2: return copyStrided<uint16_t>(src, src_stride, dst, dst_stride, n);
    case 4: return copyStrided<uint32_t>(src, src_stride, dst, dst_stride, n);
    case 8: return copyStrided<uint64_t>(src, src_stride, dst, dst_stride, n);
    default: ETALON_CHECK(false, "copyRun takes elements of 1, 2, 4 or 8 bytes");
  }
}

}  // namespace etalon::numerics
