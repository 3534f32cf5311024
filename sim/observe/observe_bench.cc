// SPDX-License-Identifier: Apache-2.0
// What it costs to observe a run: records a second, a record being a span, a tile instruction or a transfer.
#include <benchmark/benchmark.h>

#include <variant>
#include <vector>

#include "sim/observe/critical_path.h"
#include "sim/observe/ledger.h"
#include "sim/observe/synthetic_run.h"
#include "sim/observe/trace.h"

namespace etalon::sim {
namespace {

/// Keeps a run, so that making it up is not measured.
class Recording final : public RunObserver {
 public:
  void span(const TrackSpan& span) override { records_.emplace_back(span); }
  void tile(const TileRecord& record) override { records_.emplace_back(record); }
  void transfer(const Transfer& transfer) override { records_.emplace_back(transfer); }
  void finish(Cycles total) override { total_ = total; }

  size_t size() const { return records_.size(); }
  void play(RunObserver& observer) const {
    for (const auto& record : records_)
      if (const auto* span = std::get_if<TrackSpan>(&record))
        observer.span(*span);
      else if (const auto* tile = std::get_if<TileRecord>(&record))
        observer.tile(*tile);
      else
        observer.transfer(std::get<Transfer>(record));
    observer.finish(total_);
  }

 private:
  std::vector<std::variant<TrackSpan, TileRecord, Transfer>> records_;
  Cycles total_ = 0;
};

const RunShape& shape() {
  static const RunShape four = syntheticShape(4);
  return four;
}

const Recording& recording() {
  static const Recording made = [] {
    Recording recording;
    syntheticRun(shape(), 1, 20'000, recording);
    return recording;
  }();
  return made;
}

template <class Observer>
void observe(benchmark::State& state) {
  const Recording& run = recording();
  for (auto _ : state) {
    Observer observer(shape());
    run.play(observer);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(recording().size()));
}
BENCHMARK(observe<Ledger>);
BENCHMARK(observe<CriticalPath>);

void perfetto(benchmark::State& state) {
  const Recording& run = recording();
  for (auto _ : state) {
    auto trace = openTrace("/dev/null", TraceFormat::perfetto, shape());
    run.play(**trace);
    // Closed by its destructor: close() would find nothing to complain of.
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(recording().size()));
}
BENCHMARK(perfetto);

}  // namespace
}  // namespace etalon::sim
