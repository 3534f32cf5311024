// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/chain.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "isa/base/check.h"
#include "isa/numerics/chain_plan.h"
#include "isa/numerics/contract_convert.h"
#include "isa/numerics/element_stream.h"
#include "isa/numerics/elementwise.h"
#include "isa/numerics/nibbles.h"

namespace etalon::numerics {
namespace {

constexpr size_t kBlock = 512;

/// A chain bound to its tiles: lanes of every selector, streams of every source.
class ChainRun {
 public:
  ChainRun(const ChainProgram& program, const ChainTiles& tiles, HostIsa isa,
           const VectorContract* contract);
  void run();

 private:
  struct Source {
    ElementStream stream;
    uint8_t selector;
    bool aligned;
  };

  uint32_t* allocate() { return arena_.get() + used_++ * block_; }
  void bind(const ChainPlan::Operand& operand, const ChainTiles& tiles);
  void fillConstant(const ChainPlan::Operand& operand);
  void step(const ChainPlan::Step& planned, size_t n);
  void mask(const ChainStep& step, uint32_t* out, size_t n) const;
  void convert(const ChainPlan::Step& planned, uint32_t* lanes, size_t n);

  const ChainProgram& program_;
  const VectorContract* contract_;
  const ConversionRule* conversion_;  // nullptr: canonical
  ChainPlan plan_;
  TileRef shape_;
  uint64_t elements_;
  size_t block_;
  std::unique_ptr<uint32_t[]> arena_;
  size_t used_ = 0;
  std::array<uint32_t*, kSelectorEnd> lanes_{};
  uint32_t* scratch_;
  std::vector<Source> sources_;
  std::optional<ElementStream> td_;
  std::optional<RowReduction> reduction_;
  uint64_t done_ = 0;
};

ChainRun::ChainRun(const ChainProgram& program, const ChainTiles& tiles, HostIsa isa,
                   const VectorContract* contract)
    : program_(program),
      contract_(contract),
      conversion_(declaredConversion(contract)),
      plan_(planChain(program, tiles, isa, contract)) {
  const TileRef* shape = tiles.td != nullptr ? tiles.td : tiles.sources[0];
  ETALON_CHECK(shape != nullptr, "a chain without td and without tile a has no shape");
  shape_ = *shape;
  elements_ = shape_.storedRows() * shape_.cols;
  block_ = static_cast<size_t>(std::min<uint64_t>(elements_, kBlock));
  arena_ = std::make_unique_for_overwrite<uint32_t[]>((plan_.operands.size() + kTemporaries + 1) *
                                                      block_);
  scratch_ = allocate();
  for (size_t t = 0; t < kTemporaries; ++t) lanes_[kSelectorTemporary + t] = allocate();
  sources_.reserve(plan_.operands.size());
  for (const ChainPlan::Operand& operand : plan_.operands) bind(operand, tiles);
  if (tiles.td != nullptr) td_.emplace(*tiles.td, conversion_);
  if (program.reduce) {
    ETALON_CHECK(tiles.reduction != nullptr, "a reducing chain without a reduction tile");
    reduction_.emplace(program.reduce_op, plan_.reduce_type, shape_.cols, *tiles.reduction,
                       program.accumulate, isa, contract);
  }
}

void ChainRun::bind(const ChainPlan::Operand& operand, const ChainTiles& tiles) {
  lanes_[operand.selector] = allocate();
  if (operand.tile < 0) {
    fillConstant(operand);
    return;
  }
  TileRef tile = *tiles.sources[static_cast<size_t>(operand.tile)];
  tile.data += operand.displacement;
  sources_.push_back({ElementStream(tile), operand.selector, operand.aligned});
}

void ChainRun::fillConstant(const ChainPlan::Operand& operand) {
  uint32_t bits = program_.constants[operand.selector - kSelectorConstant];
  if (operand.aligned) {
    const ElementType type = shape_.type;
    const uint64_t rounded =
        conversion_ != nullptr
            ? convertElementUnder(*conversion_, ElementType::f32, bits, type, {})
            : convertElement(ElementType::f32, bits, type, Rounding::NearestEven, false);
    bits = static_cast<uint32_t>(rounded) << (32 - elementInfo(type).bits);
  }
  std::fill_n(lanes_[operand.selector], block_, bits);
}

void ChainRun::mask(const ChainStep& step, uint32_t* out, size_t n) const {
  const uint32_t* k = &program_.constants[step.b - kSelectorConstant];
  const auto constant = [&](int i) { return int64_t{static_cast<int32_t>(k[i])}; };
  const uint32_t* kept = lanes_[step.a];
  const uint32_t* otherwise = lanes_[step.c];
  for (size_t i = 0; i < n;) {
    const uint64_t r = (done_ + i) / shape_.cols;
    const uint64_t c = (done_ + i) % shape_.cols;
    const size_t run = static_cast<size_t>(std::min<uint64_t>(n - i, shape_.cols - c));
    int64_t value = constant(0) + static_cast<int64_t>(r / shape_.inner) * constant(1) +
                    static_cast<int64_t>(r % shape_.inner) * constant(2) +
                    static_cast<int64_t>(c) * constant(3);
    for (size_t k_run = 0; k_run < run; ++k_run, ++i, value += constant(3))
      out[i] = value >= 0 ? kept[i] : otherwise[i];
  }
}

void ChainRun::convert(const ChainPlan::Step& planned, uint32_t* lanes, size_t n) {
  const ElementType result = planned.step.result;
  const ElementType widened = elementInfo(result).widens_to;
  if (roundsStochastically(planned.step.mode)) {
    const bool saturate = (planned.step.mode & kModeSaturate) != 0;
    const uint32_t* words = lanes_[planned.step.b];
    for (size_t i = 0; i < n; ++i) {
      const uint64_t code =
          convertStochastic(planned.natural, lanes[i], result, saturate, words[i]);
      lanes[i] = std::bit_cast<uint32_t>(widenToFloat(result, static_cast<uint32_t>(code)));
    }
    return;
  }
  const ptrdiff_t narrow_bytes = elementInfo(result).bits / 8;
  auto* bytes = reinterpret_cast<std::byte*>(lanes);
  std::byte narrow[kBlock * 4];
  const ConvertMode mode = ConvertMode::fromByte(planned.step.mode);
  if (elementInfo(result).bits == 4) {
    const auto run = [](std::byte* data, int64_t stride) { return ElementRun{data, stride}; };
    NibbleMover(conversion_, planned.natural, result, mode).run(run(bytes, 4), run(narrow, 1), n);
    NibbleMover(nullptr, result, widened, {}).run(run(narrow, 1), run(bytes, 4), n);
    return;
  }
  if (narrow_bytes == 4) {
    convertRun(conversion_, planned.natural, bytes, 4, result, bytes, 4, n, mode);
    return;
  }
  convertRun(conversion_, planned.natural, bytes, 4, result, narrow, narrow_bytes, n, mode);
  convertRun(result, narrow, narrow_bytes, widened, bytes, 4, n, {});
}

void ChainRun::step(const ChainPlan::Step& planned, size_t n) {
  const ChainStep& s = planned.step;
  // The new value is built beside the old one, which the step may read.
  uint32_t* out = scratch_;
  if (s.op == ElementwiseOp::mask) {
    mask(s, out, n);
  } else if (s.op == ElementwiseOp::cvt) {
    std::copy_n(lanes_[s.a], n, out);
  } else {
    const uint32_t* b = planned.selectors > 1 ? lanes_[s.b] : nullptr;
    const uint32_t* c = planned.selectors > 2 ? lanes_[s.c] : nullptr;
    planned.function({out, lanes_[s.a], b, c, n, planned.low, planned.high, s.op, contract_});
  }
  if (planned.converts) convert(planned, out, n);
  std::swap(lanes_[kSelectorTemporary + s.dest], scratch_);
}

void ChainRun::run() {
  while (done_ != elements_) {
    const size_t n = static_cast<size_t>(std::min<uint64_t>(block_, elements_ - done_));
    for (Source& source : sources_) {
      if (source.aligned) {
        source.stream.readAligned(lanes_[source.selector], n);
      } else {
        source.stream.read(lanes_[source.selector], n);
      }
    }
    for (const ChainPlan::Step& planned : plan_.steps) step(planned, n);
    if (reduction_) reduction_->consume(lanes_[program_.reduce_selector], n);
    if (td_ && plan_.moves_bits) td_->writeAligned(lanes_[program_.td_selector], n);
    if (td_ && !plan_.moves_bits) td_->write(lanes_[program_.td_selector], n, plan_.td_type, {});
    done_ += n;
  }
  if (reduction_) reduction_->finish();
}

}  // namespace

void runChain(const ChainProgram& program, const ChainTiles& tiles, HostIsa isa,
              const VectorContract* contract) {
  ChainRun(program, tiles, isa, contract).run();
}

}  // namespace etalon::numerics
