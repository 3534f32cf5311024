// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/element_stream.h"

#include <algorithm>

#include "isa/base/check.h"
#include "isa/numerics/contract_convert.h"
#include "isa/numerics/nibbles.h"

namespace etalon::numerics {
namespace {

/// The unsigned type of an element's width, for moving bits.
ElementType rawType(ElementType type) {
  switch (elementInfo(type).bits) {
    case 8: return ElementType::u8;
    case 16: return ElementType::u16;
    default: return ElementType::u32;
  }
}

}  // namespace

ElementStream::ElementStream(const TileRef& tile, const ConversionRule* conversion)
    : conversion_(conversion),
      type_(tile.type),
      four_bit_(elementInfo(tile.type).bits == 4),
      data_(tile.data),
      outer_(tile.outer),
      inner_(tile.inner),
      cols_(tile.cols),
      ostride_(uint64_t{tile.ostride} * (four_bit_ ? 2 : 1)),
      istride_(uint64_t{tile.istride} * (four_bit_ ? 2 : 1)),
      pitch_(four_bit_ ? tile.step
                       : uint64_t{tile.step} * static_cast<uint64_t>(elementInfo(type_).bits) / 8) {
  ETALON_CHECK(!four_bit_ || tile.step == 1, "columns of 4-bit tiles follow each other");
  for (int level = 0; level < 2; ++level) {
    // An odd row of a 4-bit type ends within a byte, whose rest is its own.
    if (inner_ != 1 && four_bit_ && cols_ % 2 != 0) continue;
    if (inner_ != 1 && cols_ != 1 && istride_ != cols_ * pitch_) continue;
    if (cols_ == 1 && inner_ != 1) pitch_ = istride_;
    cols_ *= inner_;
    inner_ = outer_;
    istride_ = ostride_;
    outer_ = 1;
    ostride_ = 0;
  }
}

template <class Visit>
void ElementStream::advance(size_t n, Visit visit) {
  while (n != 0) {
    const size_t run = static_cast<size_t>(std::min<uint64_t>(n, cols_ - c_));
    visit(Run{o_ * ostride_ + i_ * istride_ + c_ * pitch_, run, run == cols_ - c_});
    n -= run;
    c_ += run;
    if (c_ != cols_) continue;
    c_ = 0;
    if (++i_ != inner_) continue;
    i_ = 0;
    ++o_;
  }
}

void ElementStream::read(uint32_t* out, size_t n) {
  const ElementType to = elementInfo(type_).widens_to;
  if (four_bit_) {
    const std::array<uint32_t, 16> widened = widenedNibbles(type_);
    advance(n, [&](const Run& run) {
      for (size_t k = 0; k < run.count; ++k) *out++ = widened[loadNibble(data_, run.offset + k)];
    });
    return;
  }
  advance(n, [&](const Run& run) {
    auto* bytes = reinterpret_cast<std::byte*>(out);
    const auto stride = static_cast<ptrdiff_t>(pitch_);
    if (to == type_) {
      copyRun(4, data_ + run.offset, stride, bytes, 4, run.count);
    } else {
      convertRun(type_, data_ + run.offset, stride, to, bytes, 4, run.count, {});
    }
    out += run.count;
  });
}

void ElementStream::readAligned(uint32_t* out, size_t n) {
  const int shift = 32 - elementInfo(type_).bits;
  if (four_bit_) {
    advance(n, [&](const Run& run) {
      for (size_t k = 0; k < run.count; ++k) *out++ = loadNibble(data_, run.offset + k) << shift;
    });
    return;
  }
  const ElementType raw = rawType(type_);
  advance(n, [&](const Run& run) {
    convertRun(raw, data_ + run.offset, static_cast<ptrdiff_t>(pitch_), ElementType::u32,
               reinterpret_cast<std::byte*>(out), 4, run.count, {});
    for (size_t k = 0; k < run.count; ++k) out[k] <<= shift;
    out += run.count;
  });
}

/// Stores code(i) for the next n elements.
template <class Code>
void ElementStream::writeNibbles(size_t n, Code code) {
  size_t i = 0;
  advance(n, [&](const Run& run) {
    for (size_t k = 0; k < run.count; ++k) storeNibble(data_, run.offset + k, code(i++));
    const uint64_t end = run.offset + run.count;
    if (run.ends_row && end % 2 != 0) storeNibble(data_, end, 0);
  });
}

void ElementStream::write(const uint32_t* in, size_t n, ElementType from, ConvertMode mode) {
  if (four_bit_) {
    writeNibbles(n, [&](size_t i) {
      const uint64_t code = conversion_ != nullptr
                                ? convertElementUnder(*conversion_, from, in[i], type_, mode)
                                : convertElement(from, in[i], type_, mode.rounding, mode.saturate);
      return static_cast<uint32_t>(code);
    });
    return;
  }
  advance(n, [&](const Run& run) {
    const auto* bytes = reinterpret_cast<const std::byte*>(in);
    const auto stride = static_cast<ptrdiff_t>(pitch_);
    if (from == type_) {
      copyRun(4, bytes, 4, data_ + run.offset, stride, run.count);
    } else {
      convertRun(conversion_, from, bytes, 4, type_, data_ + run.offset, stride, run.count, mode);
    }
    in += run.count;
  });
}

void ElementStream::writeAligned(const uint32_t* in, size_t n) {
  const int shift = 32 - elementInfo(type_).bits;
  if (four_bit_) {
    writeNibbles(n, [&](size_t i) { return in[i] >> shift; });
    return;
  }
  const ptrdiff_t bytes = elementInfo(type_).bits / 8;
  const std::byte* top =
      reinterpret_cast<const std::byte*>(in) + shift / 8;  // little endian: the high bytes
  advance(n, [&](const Run& run) {
    copyRun(static_cast<size_t>(bytes), top, 4, data_ + run.offset, static_cast<ptrdiff_t>(pitch_),
            run.count);
    top += 4 * run.count;
  });
}

}  // namespace etalon::numerics
