// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "isa/machines/timing.h"
#include "sim/fabric/fabric_map.h"
#include "sim/fabric/fabric_request.h"
#include "sim/observe/events.h"
#include "sim/units/burst_walk.h"
#include "sim/units/local_port.h"
#include "sim/units/tile_unit.h"

namespace etalon::sim {

/// What a DMA engine has moved.
struct DmaCounts {
  uint64_t requests = 0;
  uint64_t bursts = 0;  // between memory and core
  Bytes useful = 0;     // of elements inside the tensor, as they are in memory
};

/// A DMA engine, load or store: docs/spec/microarchitecture.md, section 7. Takes the instructions of its queue in order,
/// each into a channel of its own, cuts them into requests, and keeps up to `outstanding` bursts of each channel on their
/// way.
///
/// Within a cycle: deliver() what has come, advance(), take(). Its requests go to an outbox that the core empties; they are
/// sent at their `sent`, which may be later than now.
class DmaEngine final : public TileUnit {
 public:
  enum class Kind : uint8_t { load, store };
  struct Ports {
    LocalPort* in;   // into local memory
    LocalPort* out;  // out of it
  };

  /// Ports, map and outbox outlive it. `links_outstanding`: bursts of a channel on their way, if it moves bytes of another
  /// device.
  DmaEngine(Kind kind, uint16_t core, const isa::DmaTiming& timing, const FabricMap& map,
            Ports ports, std::vector<FabricRequest>& outbox, uint64_t links_outstanding = 0);
  ~DmaEngine() override;

  Cycles accepts() const override;
  /// The token stays where it is until done.
  UnitAnswer take(const Token& token, unsigned place, Cycles now) override;
  /// Of all channels together: busy if a run is formed or an answer or another's end is due, memory if all that could go on
  /// is short of bursts, structural if all wait for older instructions of the engine, empty without any.
  std::optional<Activity> activity() const override;
  Cycles nextTime() const override { return next_; }
  void advance(Cycles now, UnitSink& sink) override;

  /// An answer of the network to one of its requests, at its time or before.
  void deliver(const Delivery& answer);
  const DmaCounts& counts() const { return counts_; }

 private:
  struct Channel;
  struct InFlight {
    uint8_t channel = 0;
    uint8_t bursts = 0;
    uint32_t offset = 0;  // of local memory
    uint64_t bytes = 0;
  };
  /// Bursts that a channel has back at a time.
  struct Freed {
    Cycles time = 0;
    uint8_t channel = 0;
    uint32_t bursts = 0;
  };

  void waitForOlder(Channel& channel);
  void answered(const Delivery& answer);
  void giveBack(Cycles now);
  void begin(Channel& channel, Cycles now);
  void loadItem(Channel& channel, Cycles now);
  void readIndices(Channel& channel, Cycles now);
  Channel* oldestReady(Cycles now);
  void form(Cycles now);
  void emit(Channel& channel, Cycles now);
  void moveLocally(Channel& channel, uint64_t offset, Bytes bytes, Cycles now);
  void send(Channel& channel, uint64_t offset, Bytes bytes, Cycles now);
  void launch(Channel& channel, FabricRequest& request, const InFlight& flight);
  void setUpWalk(Channel& channel);
  void finishIfOver(Channel& channel, Cycles now);
  void setReadDone(Channel& channel, Cycles time);
  void setDone(Channel& channel, Cycles time);
  void report(Cycles now, UnitSink& sink);
  bool hasRoom(const Channel& channel) const;
  void plan(Cycles now);

  Kind kind_;
  uint16_t core_;
  isa::DmaTiming timing_;
  uint64_t links_outstanding_;
  const FabricMap* map_;
  Ports ports_;
  std::vector<FabricRequest>* outbox_;
  DmaCounts counts_;
  std::vector<std::unique_ptr<Channel>> channels_;
  unsigned working_ = 0;  // of them

  std::vector<Delivery> arriving_;  // heap, earliest first
  std::vector<InFlight> in_flight_;
  std::vector<uint32_t> free_in_flight_;
  std::deque<Freed> freed_;  // earliest first

  uint64_t slot_ = 0;  // next place among timing_.runs a cycle where a piece can be formed
  Channel* forming_ = nullptr;
  Cycles forming_until_ = 0;
  Cycles next_ = kNever;
};

}  // namespace etalon::sim
