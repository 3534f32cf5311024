// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/shrink.h"

#include <algorithm>
#include <set>

#include "validation/fuzz/layout.h"

namespace etalon::fuzz {
namespace {

using Steps = std::vector<Step>;

/// Every list of steps, bodies after the lists that hold them; pointers into the program.
void collectLists(Steps& steps, std::vector<Steps*>& lists) {
  lists.push_back(&steps);
  for (Step& step : steps)
    if (!step.body.empty()) collectLists(step.body, lists);
}
std::vector<Steps*> listsOf(Program& program) {
  std::vector<Steps*> lists;
  for (Steps& steps : program.cores) collectLists(steps, lists);
  return lists;
}

class Shrinker {
 public:
  Shrinker(const Program& program, const Predicate& fails, uint64_t most_runs)
      : best_(program), fails_(fails), most_runs_(most_runs) {}

  Shrunk run() {
    do {
      progress_ = false;
      dropCores();
      dropTogether();
      dropSteps();
      handOnSetUp();
      unwind();
      dropSetUp();
      simplifyExtents();
      simplifyTiles();
      simplifyViews();
      simplifyScalars();
      simplifyProgram();
    } while (progress_ && runs_ < most_runs_);
    return {std::move(best_), runs_, runs_ < most_runs_};
  }

 private:
  /// Keeps the candidate if it still fails.
  bool accept(Program candidate) {
    if (runs_ >= most_runs_) return false;
    ++runs_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return progress_ = true;
  }
  /// The best program with `change` applied, if that changes something (it says so) and it still fails.
  template <class F>
  bool attempt(const F& change) {
    Program candidate = best_;
    return change(candidate) && accept(std::move(candidate));
  }
  /// Tries `change(step)` on each step, as often as it succeeds; it is false where it has nothing to do.
  template <class F>
  void onEachStep(const F& change) {
    for (size_t list = 0; list < listsOf(best_).size(); ++list)
      for (size_t i = 0; i < listsOf(best_)[list]->size(); ++i)
        while (attempt([&](Program& p) { return change((*listsOf(p)[list])[i]); })) {
        }
  }

  /// The last ones first: those before keep their numbers.
  void dropCores() {
    for (size_t core = best_.cores.size(); core-- > 0;)
      attempt([&](Program& p) {
        if (p.cores.size() == 1) return false;
        p.cores.erase(p.cores.begin() + static_cast<ptrdiff_t>(core));
        return true;
      });
    for (size_t core = 0; core < best_.cores.size(); ++core)
      attempt([&](Program& p) {
        if (p.cores[core].empty()) return false;
        p.cores[core].clear();
        return true;
      });
  }

  void dropTogether() {
    std::set<uint32_t> numbers;
    for (const Steps& steps : best_.cores)
      for (const Step& step : steps)
        if (step.together != 0) numbers.insert(step.together);
    for (const uint32_t number : numbers)
      attempt([&](Program& p) {
        for (Steps& steps : p.cores)
          std::erase_if(steps, [&](const Step& step) { return step.together == number; });
        return true;
      });
  }

  /// Runs of steps, long ones first.
  void dropSteps() {
    for (size_t list = 0; list < listsOf(best_).size(); ++list) {
      for (size_t length = std::max<size_t>(listsOf(best_)[list]->size() / 2, 1);; length /= 2) {
        for (size_t begin = 0;
             list < listsOf(best_).size() && begin + length <= listsOf(best_)[list]->size();) {
          const bool dropped = attempt([&](Program& p) {
            Steps& steps = *listsOf(p)[list];
            const auto first = steps.begin() + static_cast<ptrdiff_t>(begin);
            steps.erase(first, first + static_cast<ptrdiff_t>(length));
            return true;
          });
          if (!dropped) begin += length;
        }
        if (length <= 1) break;
      }
    }
  }

  /// A step goes, and the next one sets up its registers.
  void handOnSetUp() {
    const auto handOn = [](auto& from, auto& to, auto reg) {
      std::erase_if(from, [&](const auto& setting) {
        return std::ranges::any_of(to,
                                   [&](const auto& other) { return reg(other) == reg(setting); });
      });
      to.insert(to.begin(), from.begin(), from.end());
    };
    for (size_t list = 0; list < listsOf(best_).size(); ++list)
      for (size_t i = 0; i + 1 < listsOf(best_)[list]->size();) {
        const bool dropped = attempt([&](Program& p) {
          Steps& steps = *listsOf(p)[list];
          Step &from = steps[i], &to = steps[i + 1];
          if (from.kind != Step::Kind::instruction) return false;
          const auto by_reg = [](const auto& setting) { return setting.reg; };
          handOn(from.tiles, to.tiles, by_reg);
          handOn(from.views, to.views, by_reg);
          handOn(from.chains, to.chains, by_reg);
          handOn(from.x, to.x, [](const auto& setting) { return setting.first; });
          steps.erase(steps.begin() + static_cast<ptrdiff_t>(i));
          return true;
        });
        if (!dropped) ++i;
      }
  }

  /// Loops and branches become their bodies, or loops go once.
  void unwind() {
    for (size_t list = 0; list < listsOf(best_).size(); ++list)
      for (size_t i = 0; i < listsOf(best_)[list]->size(); ++i) {
        attempt([&](Program& p) {
          Steps& steps = *listsOf(p)[list];
          if (steps[i].kind == Step::Kind::instruction) return false;
          Steps body = std::move(steps[i].body);
          const auto at = steps.erase(steps.begin() + static_cast<ptrdiff_t>(i));
          steps.insert(at, std::make_move_iterator(body.begin()),
                       std::make_move_iterator(body.end()));
          return true;
        });
        if (i >= listsOf(best_)[list]->size()) break;
        attempt([&](Program& p) {
          Step& step = (*listsOf(p)[list])[i];
          if (step.kind != Step::Kind::loop || step.trips <= 1) return false;
          step.trips = 1;
          return true;
        });
      }
  }

  template <class Field>
  void dropFrom(Field field) {
    for (size_t list = 0; list < listsOf(best_).size(); ++list)
      for (size_t i = 0; i < listsOf(best_)[list]->size(); ++i)
        for (size_t k = 0; k < ((*listsOf(best_)[list])[i].*field).size();) {
          const bool dropped = attempt([&](Program& p) {
            auto& values = (*listsOf(p)[list])[i].*field;
            values.erase(values.begin() + static_cast<ptrdiff_t>(k));
            return true;
          });
          if (!dropped) ++k;
        }
  }
  void dropSetUp() {
    dropFrom(&Step::tiles);
    dropFrom(&Step::views);
    dropFrom(&Step::chains);
    dropFrom(&Step::x);
  }

  /// Calls f(extent) for every extent of the registers that the step sets up.
  template <class F>
  static void forEachExtent(Step& step, const F& f) {
    for (Step::Tile& t : step.tiles) {
      f(t.value.outer);
      f(t.value.inner);
      f(t.value.cols);
    }
    for (Step::View& v : step.views)
      for (int b = 0; b < std::min<int>(v.value.nbox, isa::kMaxBoxDims); ++b)
        f(v.value.box[b].extent);
  }

  /// Extents become 1, or a half. Those that are equal do so together, because shapes have to match.
  void simplifyExtents() {
    for (const bool half : {false, true})
      for (size_t list = 0; list < listsOf(best_).size(); ++list)
        for (size_t i = 0; i < listsOf(best_)[list]->size(); ++i) {
          std::set<uint32_t, std::greater<>> extents;
          forEachExtent((*listsOf(best_)[list])[i], [&](uint32_t& e) { extents.insert(e); });
          for (const uint32_t extent : extents)
            if (extent > 1)
              attempt([&](Program& p) {
                forEachExtent((*listsOf(p)[list])[i], [&](uint32_t& e) {
                  if (e == extent) e = half ? extent / 2 : 1;
                });
                return true;
              });
        }
  }

  /// One step of simplification of the step's tile k; false if there is none.
  static bool makeDense(isa::TileRegister& t) {
    const isa::TileRegister before = t;
    if (!t.hasType() || t.storedRows() > isa::kMaxCount) return false;
    t.inner = static_cast<uint32_t>(t.storedRows());
    t.outer = t.inner == 0 ? 0 : 1;
    t.step = 1;
    t.istride = t.elementBits() == 4 ? (t.cols + 1) / 2 : t.cols * t.elementBytes();
    t.ostride = t.inner * t.istride;
    return t != before;
  }

  void simplifyTiles() {
    constexpr uint32_t kRound = 0x1000;
    for (size_t k = 0; k < isa::kTileRegisters; ++k) {
      onEachStep(
          [&](Step& step) { return k < step.tiles.size() && makeDense(step.tiles[k].value); });
      onEachStep([&](Step& step) {
        if (k >= step.tiles.size()) return false;
        const uint32_t base =
            std::exchange(step.tiles[k].value.base, static_cast<uint32_t>(k) % 12 * kRound);
        return base != step.tiles[k].value.base;
      });
      onEachStep([&](Step& step) {
        if (k >= step.tiles.size() || !step.tiles[k].value.transpose) return false;
        step.tiles[k].value.transpose = false;
        return true;
      });
    }
    onEachStep([](Step& step) {
      bool changed = false;
      for (Step::Tile& t : step.tiles) changed |= std::exchange(t.by_words, false);
      return changed;
    });
  }

  void simplifyViews() {
    for (int axis = 0; axis < isa::kMaxAxes; ++axis)
      onEachStep([&](Step& step) {
        bool changed = false;
        for (Step::View& v : step.views)
          if (axis < v.value.naxes) changed |= std::exchange(v.value.axes[axis].origin, 0) != 0;
        return changed;
      });
    onEachStep([](Step& step) {
      bool changed = false;
      for (Step::View& v : step.views) changed |= std::exchange(v.value.fill, 0) != 0;
      return changed;
    });
  }

  void simplifyScalars() {
    for (const uint64_t value : {uint64_t{0}, uint64_t{1}})
      for (size_t k = 0; k < 8; ++k)
        onEachStep([&](Step& step) {
          return k < step.x.size() && step.x[k].second > value &&
                 std::exchange(step.x[k].second, value) != value;
        });
  }

  void simplifyProgram() {
    const auto turnOff = [&](bool Program::* flag) {
      attempt([&](Program& p) { return std::exchange(p.*flag, false); });
    };
    turnOff(&Program::handles_traps);
    turnOff(&Program::exits);
    turnOff(&Program::reduced);
    turnOff(&Program::fills_local);
    for (const Values values : {Values::zeros, Values::small})
      attempt([&](Program& p) {
        return values < p.values && std::exchange(p.values, values) != values;
      });
  }

  Program best_;
  const Predicate& fails_;
  uint64_t most_runs_, runs_ = 0;
  bool progress_ = false;
};

}  // namespace

Shrunk shrink(const Program& program, const Predicate& fails, uint64_t most_runs) {
  return Shrinker(program, fails, most_runs).run();
}

}  // namespace etalon::fuzz
