// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/machines/timing.h"
#include "sim/units/hazards.h"
#include "sim/units/token.h"

namespace etalon::sim {

/// The four queues between the scalar core and the units, in the fixed order of units.
enum class Queue : uint8_t { matrix, vector, load, store };
inline constexpr int kQueues = 4;

/// The queue of a unit; signals go to the store queue.
Queue queueOf(isa::Unit unit);

/// Tile instructions between issue and done: one place in the window each, allocated in program order, and a queue a unit.
/// docs/spec/microarchitecture.md, section 3. An instruction waits for older ones of other queues alone; those of its own
/// queue are its unit's business. Since waits point to older instructions only, the oldest one can always start.
class DispatchWindow {
 public:
  static constexpr unsigned kMostPlaces = 64;

  /// A place of the window.
  struct Entry {
    Token token;
    Queue queue = Queue::matrix;
    uint8_t place = 0;
    bool taken = false;  // by its unit
    uint64_t waits_done =
        0;  // places whose last write it waits for, at a time that nobody knows yet
    uint64_t waits_read = 0;  // places whose last read it waits for
    Cycles issued = 0;
    Cycles ready = 0;         // its hazard check and the last hazard that is known are over
    uint64_t waited_for = 0;  // sequence of the instruction that ends the last hazard; 0: none
    Queue waited_queue = Queue::matrix;  // of that one
    // From when on its sources may be overwritten and its results read; kNever as long as nobody knows.
    Cycles read_done = kNever, done = kNever;

    /// Nothing holds it any more at `now`.
    bool clear(Cycles now) const { return known() && ready <= now; }
    /// All that it waits for has a time.
    bool known() const { return (waits_done | waits_read) == 0; }
  };

  explicit DispatchWindow(const isa::DispatchTiming& timing);

  bool full() const { return used_ == all_; }
  bool full(Queue queue) const { return queues_[index(queue)].size == timing_.queue; }
  bool empty() const { return used_ == 0; }

  /// The token of the next instruction, to be filled in before add(). There is a place: full() is false.
  Token& next() { return entries_[next_].token; }
  /// Puts next() into the window and its queue; both have room. Tokens come in the order of their sequence. `delay`: more
  /// cycles of its hazard check.
  Entry& add(Cycles now, Cycles delay = 0);
  /// The oldest instruction of a queue that its unit has not taken; nullptr if there is none.
  Entry* head(Queue queue);
  const Entry* head(Queue queue) const { return const_cast<DispatchWindow*>(this)->head(queue); }
  /// The unit takes the head of the queue: its place in the queue is free.
  void take(Queue queue);
  /// The instruction of a place, which was taken, reads its last source byte, writes its last byte: now or later.
  void readDone(unsigned place, Cycles time);
  void done(unsigned place, Cycles time);
  /// The instruction is done: its place is free.
  void leave(unsigned place);
  /// The next time after `now` at which an instruction is done or, if `reads`, has read; kNever if none is known.
  Cycles nextKnown(Cycles now, bool reads) const;

  Entry& entry(unsigned place) { return entries_[place]; }
  /// Calls f(entry) for every instruction in the window, in no order that matters.
  template <class F>
  void forEach(F&& f) const {
    for (uint64_t left = used_; left != 0; left &= left - 1)
      f(entries_[static_cast<unsigned>(__builtin_ctzll(left))]);
  }

 private:
  /// A ring of places.
  struct Ring {
    std::array<uint8_t, kMostPlaces> places{};
    unsigned first = 0, size = 0;
  };
  static constexpr size_t index(Queue queue) { return static_cast<size_t>(queue); }
  void choosePlace();
  static void hold(Entry& waiting, Cycles until, const Entry& by);

  isa::DispatchTiming timing_;
  uint64_t all_;       // a bit for each place there is
  uint64_t used_ = 0;  // places of instructions that are not done
  unsigned next_ = 0;  // a free place, unless full
  std::vector<Entry> entries_;
  std::array<Ring, kQueues> queues_;
};

}  // namespace etalon::sim
