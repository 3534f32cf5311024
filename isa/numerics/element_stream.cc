// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/element_stream.h"

#include <algorithm>

#include "isa/base/check.h"
#include "isa/numerics/contract_convert.h"

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
      data_(tile.data),
      outer_(tile.outer),
      inner_(tile.inner),
      cols_(tile.cols),
      ostride_(tile.ostride),
      istride_(tile.istride),
      pitch_(uint64_t{tile.step} * static_cast<uint64_t>(elementInfo(tile.type).bits) / 8) {
  ETALON_CHECK(elementInfo(type_).bits >= 8, "element streams take types of 8 bits and more");
  for (int level = 0; level < 2; ++level) {
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
    visit(data_ + o_ * ostride_ + i_ * istride_ + c_ * pitch_, static_cast<ptrdiff_t>(pitch_), run);
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
  advance(n, [&](std::byte* from, ptrdiff_t stride, size_t run) {
    auto* bytes = reinterpret_cast<std::byte*>(out);
    if (to == type_) {
      copyRun(4, from, stride, bytes, 4, run);
    } else {
      convertRun(type_, from, stride, to, bytes, 4, run, {});
    }
    out += run;
  });
}

void ElementStream::readAligned(uint32_t* out, size_t n) {
  const int shift = 32 - elementInfo(type_).bits;
  const ElementType raw = rawType(type_);
  advance(n, [&](std::byte* from, ptrdiff_t stride, size_t run) {
    convertRun(raw, from, stride, ElementType::u32, reinterpret_cast<std::byte*>(out), 4, run, {});
    for (size_t k = 0; k < run; ++k) out[k] <<= shift;
    out += run;
  });
}

void ElementStream::write(const uint32_t* in, size_t n, ElementType from, ConvertMode mode) {
  advance(n, [&](std::byte* to, ptrdiff_t stride, size_t run) {
    const auto* bytes = reinterpret_cast<const std::byte*>(in);
    if (from == type_) {
      copyRun(4, bytes, 4, to, stride, run);
    } else {
      convertRun(conversion_, from, bytes, 4, type_, to, stride, run, mode);
    }
    in += run;
  });
}

void ElementStream::writeAligned(const uint32_t* in, size_t n) {
  const int shift = 32 - elementInfo(type_).bits;
  const ptrdiff_t bytes = elementInfo(type_).bits / 8;
  const std::byte* top =
      reinterpret_cast<const std::byte*>(in) + shift / 8;  // little endian: the high bytes
  advance(n, [&](std::byte* to, ptrdiff_t stride, size_t run) {
    copyRun(static_cast<size_t>(bytes), top, 4, to, stride, run);
    top += 4 * run;
  });
}

}  // namespace etalon::numerics
