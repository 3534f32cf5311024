// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/mma_test_data.h"

#include <gtest/gtest.h>

#include <cstring>

#include "isa/numerics/mma_reference.h"

namespace etalon::numerics::test {
namespace {

using enum ElementType;

struct Format {
  int bits;
  uint32_t one;                        ///< bits of 1
  std::vector<uint32_t> edges;         ///< finite: zeros, subnormals, least normal, greatest
  std::vector<uint32_t> not_a_number;  ///< NaNs and infinities; of integers any
};

const Format& format(ElementType type) {
  static const Format kNibble = {4, 1, {0, 1, 7, 8, 9, 15}, {8, 15}};
  static const Format kF4 = {4, 2, {0, 8, 1, 9, 7, 15}, {7}};
  // The greatest scales that each element type stays an f32 with, and the next ones.
  static const Format kE8m0 = {
      8, 0x7f, {0, 1, 0x7f, 0xef, 0xf0, 0xf6, 0xf7, 0xfc, 0xfd, 0xfe}, {0xff}};
  static const Format kE4m3 = {8, 0x38, {0, 0x80, 1, 0x87, 8, 0x7e, 0xfe}, {0x7f, 0xff}};
  static const Format kE5m2 = {
      8, 0x3c, {0, 0x80, 1, 0x83, 4, 0x7b, 0xfb}, {0x7c, 0xfc, 0x7d, 0x7e, 0xff}};
  static const Format kF16 = {16,
                              0x3c00,
                              {0, 0x8000, 1, 0x83ff, 0x400, 0x7bff, 0xfbff},
                              {0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xffff}};
  static const Format kBf16 = {16,
                               0x3f80,
                               {0, 0x8000, 1, 0x807f, 0x80, 0x7f7f, 0xff7f, 0x2000, 0x9fff},
                               {0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffff}};
  static const Format kF32 = {
      32,
      0x3f800000,
      {0, 0x80000000, 1, 0x807fffff, 0x800000, 0x7f7fffff, 0xff7fffff, 0x1fffffff, 0xa0000001},
      {0x7f800000, 0xff800000, 0x7f800001, 0x7fc12345, 0xffffffff}};
  static const Format kByte = {8, 1, {0, 1, 0x7f, 0x80, 0x81, 0xff}, {0x80, 0xff}};
  static const Format kWord = {32, 1, {0, 0x7fffffff, 0x80000000, 0xffffffff}, {0x80000000}};
  switch (type) {
    case i4:
    case u4: return kNibble;
    case f4e2m1: return kF4;
    case e8m0: return kE8m0;
    case f8e4m3: return kE4m3;
    case f8e5m2: return kE5m2;
    case f16: return kF16;
    case bf16: return kBf16;
    case f32: return kF32;
    case i32: return kWord;
    default: return kByte;
  }
}

uint32_t someFactor(uint32_t n) {
  for (const uint32_t f : {3u, 2u, 5u, 11u}) {
    if (n != 0 && n % f == 0) return f;
  }
  return 1;
}

reference::Source referenceSource(const Source& source) {
  return {source.tile.ref, source.scales ? &source.scales->ref : nullptr,
          source.metadata ? &source.metadata->ref : nullptr};
}

MmaSource mmaSource(const Source& source) {
  MmaSource result = source.tile.ref;
  if (source.scales) result.scales = source.scales->ref;
  if (source.metadata) result.metadata = source.metadata->ref;
  return result;
}

}  // namespace

int bitsOf(ElementType type) { return format(type).bits; }

uint32_t oneOf(ElementType type) { return format(type).one; }

uint32_t randomElement(ElementType type, Fill fill, Random& random) {
  const Format& f = format(type);
  if (fill == Fill::FiniteEdges) return random() % 8 == 0 ? f.one : pick(f.edges, random);
  if (fill == Fill::FewSpecials && random() % 64 == 0) {
    return random() % 4 == 0 ? pick(f.not_a_number, random) : pick(f.edges, random);
  }
  if (type == e8m0) return f.one - 8 + random() % 16;
  if (f.one == 1 || f.bits == 4) return random() & (~0u >> (32 - f.bits));
  const uint32_t span = type == f8e4m3 ? 0x10 : type == f8e5m2 ? 8 : f.one / 16;
  const uint32_t sign = (random() & 1) << (f.bits - 1);
  return sign | (f.one - span + random() % (2 * span));
}

void Tile::set(uint32_t r, uint32_t c, uint32_t value) {
  const auto width = static_cast<size_t>(bitsOf(ref.type));
  const size_t column = size_t{c} * ref.step;
  std::byte* at = ref.data + size_t{r / ref.inner} * ref.ostride +
                  size_t{r % ref.inner} * ref.istride + column * width / 8;
  if (width == 4) {
    const int shift = column % 2 == 0 ? 0 : 4;
    *at = (*at & static_cast<std::byte>(0xf0 >> shift)) | static_cast<std::byte>(value << shift);
    return;
  }
  std::memcpy(at, &value, width / 8);
}

Tile makeTile(ElementType type, uint32_t rows, uint32_t columns, bool transpose, Rows layout,
              Fill fill, Random& random, uint8_t step) {
  const uint32_t stored = transpose ? columns : rows;
  Tile tile;
  TileRef& t = tile.ref;
  t = {nullptr, type, 1, stored, transpose ? rows : columns, 0, 0, step, transpose};
  const uint32_t bits = static_cast<uint32_t>(bitsOf(type)) * (step == 0 ? 1 : t.cols);
  const uint32_t width = (bits + 7) / 8, gap = 4 + 4 * (random() % 5);
  if (layout != Rows::Dense && layout != Rows::Padded) {
    t.outer = someFactor(stored);
    t.inner = stored / t.outer;
  }
  t.istride = layout == Rows::Dense ? width : width + gap;
  t.ostride = t.inner * t.istride + gap;
  if (layout == Rows::Woven) {
    t.ostride = width + gap;
    t.istride = t.outer * t.ostride + gap;
  }
  if (layout == Rows::RepeatedInner) t.istride = 0;
  if (layout == Rows::RepeatedOuter) t.ostride = 0;
  const size_t end =
      t.empty() ? 0 : size_t{t.outer - 1} * t.ostride + size_t{t.inner - 1} * t.istride + width;
  tile.bytes.resize(end);
  for (std::byte& b : tile.bytes) b = static_cast<std::byte>(random());
  t.data = tile.bytes.data();
  for (uint32_t r = 0; !t.empty() && r < stored; ++r) {
    for (uint32_t c = 0; c < t.cols; ++c) tile.set(r, c, randomElement(type, fill, random));
  }
  return tile;
}

void expectAllEqual(const Source& a, const Source& b, const Tile& acc, bool accumulate,
                    MmaScratch* scratch) {
  const auto onCopy = [&](auto&& run) {
    std::vector<std::byte> bytes = acc.bytes;
    TileRef ref = acc.ref;
    ref.data = bytes.data();
    run(ref);
    return bytes;
  };
  const auto expected = onCopy([&](const TileRef& out) {
    reference::product(referenceSource(a), referenceSource(b), out, accumulate);
  });
  EXPECT_EQ(expected, onCopy([&](const TileRef& out) {
              multiplyAccumulateScalar(mmaSource(a), mmaSource(b), out, accumulate);
            }))
      << "scalar definition";
  for (const MmaKernels* kernels : hostMmaKernels()) {
    EXPECT_EQ(expected, onCopy([&](const TileRef& out) {
                multiplyAccumulate(mmaSource(a), mmaSource(b), out, accumulate, *kernels, scratch);
              }))
        << mmaKernelsName(*kernels);
  }
}

}  // namespace etalon::numerics::test
