// SPDX-License-Identifier: Apache-2.0
// Tile product in portable C++: for hosts without a file of their own, and the blocking code's
// test.
#include <bit>
#include <cmath>

#include "isa/numerics/convert.h"
#include "isa/numerics/mma_body.h"

namespace etalon::numerics {
namespace {

struct Portable {
  static constexpr size_t kLanes = 4;
  static constexpr size_t kRows = 2;
  struct Vec {
    uint32_t lane[kLanes];
  };

  static Vec zero() { return {}; }
  static Vec load(const void* p) { return loadPart(p, kLanes); }
  static void store(void* p, const Vec& v) { storePart(p, v, kLanes); }
  static Vec broadcast(uint32_t unit) { return {{unit, unit, unit, unit}}; }
  static Vec loadPart(const void* p, size_t count) {
    Vec v = {};
    std::memcpy(v.lane, p, count * sizeof(uint32_t));
    return v;
  }
  static void storePart(void* p, const Vec& v, size_t count) {
    std::memcpy(p, v.lane, count * sizeof(uint32_t));
  }
  static void transpose(Vec (&x)[kLanes]) {
    for (size_t i = 0; i < kLanes; ++i) {
      for (size_t j = 0; j < i; ++j) {
        const uint32_t kept = x[i].lane[j];
        x[i].lane[j] = x[j].lane[i];
        x[j].lane[i] = kept;
      }
    }
  }
};

/// One element a unit, widened to f32 or 32-bit integer.
template <ElementType kType>
struct Element {
  static constexpr ElementInfo kInfo = elementInfo(kType);
  static constexpr size_t kBytes = static_cast<size_t>(kInfo.bits) / 8;
  static constexpr size_t kPerUnit = 1;
  static Portable::Vec load(const std::byte* p) {
    Portable::Vec v;
    for (size_t i = 0; i < Portable::kLanes; ++i) {
      uint32_t bits = 0;
      for (size_t byte = 0; byte < kBytes; ++byte) {
        bits |= std::to_integer<uint32_t>(p[i * kBytes + byte]) << (8 * byte);
      }
      if constexpr (kInfo.kind == ElementKind::Float) {
        v.lane[i] = std::bit_cast<uint32_t>(widenToFloat(kType, bits));
      } else {
        v.lane[i] = static_cast<uint32_t>(widenToInt(kType, bits));
      }
    }
    return v;
  }
  static Portable::Vec interleave(const std::byte* const* rows, size_t offset) {
    return load(rows[0] + offset);
  }
};

struct Floats {
  using F32 = Element<ElementType::f32>;
  using Bf16 = Element<ElementType::bf16>;
  using F16 = Element<ElementType::f16>;
  using E5m2 = Element<ElementType::f8e5m2>;
  using E4m3 = Element<ElementType::f8e4m3>;
};

struct FloatMath {
  using Acc = Portable::Vec;
  static Acc begin(const Portable::Vec& start) { return start; }
  static constexpr bool kHasStart = false;
  static Portable::Vec step(Portable::Vec acc, const Portable::Vec& a, const Portable::Vec& b) {
    for (size_t i = 0; i < Portable::kLanes; ++i) {
      acc.lane[i] = std::bit_cast<uint32_t>(std::fma(std::bit_cast<float>(a.lane[i]),
                                                     std::bit_cast<float>(b.lane[i]),
                                                     std::bit_cast<float>(acc.lane[i])));
    }
    return acc;
  }
  static Portable::Vec finish(Portable::Vec acc) {
    for (uint32_t& lane : acc.lane) {
      if ((lane & 0x7fffffff) > 0x7f800000) lane = kNanF32;
    }
    return acc;
  }
};

struct IntegerMath {
  using Acc = Portable::Vec;
  static Acc begin(const Portable::Vec& start) { return start; }
  static constexpr bool kHasStart = false;
  static Portable::Vec step(Portable::Vec acc, const Portable::Vec& a, const Portable::Vec& b) {
    for (size_t i = 0; i < Portable::kLanes; ++i) acc.lane[i] += a.lane[i] * b.lane[i];
    return acc;
  }
  static Portable::Vec finish(const Portable::Vec& acc) { return acc; }
};

using I8 = Element<ElementType::i8>;
using U8 = Element<ElementType::u8>;

}  // namespace

const MmaPath kGenericFloatPath = {
    1, packFloat<Portable, Floats, true>, packFloat<Portable, Floats, false>,
    multiplyBlock<Portable, FloatMath>, multiplySparseBlock<Portable, FloatMath>};
const MmaPath kGenericIntegerPath = {1, packInteger<Portable, I8, U8, true>,
                                     packInteger<Portable, I8, U8, false>,
                                     multiplyBlock<Portable, IntegerMath>};

}  // namespace etalon::numerics
