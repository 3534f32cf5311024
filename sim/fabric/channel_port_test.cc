// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/channel_port.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/fabric/fabric_loop.h"

namespace etalon::sim {
namespace {

/// When a request's room came back and when it was answered, by tag.
struct Seen {
  std::map<uint64_t, Cycles> credit, answered;
};

Seen runOut(ChannelPort& port) {
  Seen seen;
  ChannelPortOutput out;
  for (Cycles now = port.nextTime(); now != kNever; now = port.nextTime()) {
    out.clear();
    port.advance(now, out);
    for (const FabricRequest& r : out.credits) EXPECT_TRUE(seen.credit.emplace(r.tag, now).second);
    for (const FabricRequest& r : out.answers)
      EXPECT_TRUE(seen.answered.emplace(r.tag, now).second);
  }
  return seen;
}

Delivery at(Cycles time, uint64_t tag, FabricAccess access, uint32_t elements = 0) {
  return {time, {.tag = tag, .bytes = 64, .elements = elements, .access = access}};
}

TEST(ChannelPort, RoomComesBackWhenTheChannelTakesTheRequest) {
  IdealChannel channel({.latency = 50, .bytes_per_cycle = 64, .most = 1});
  ChannelPort port(channel);
  port.deliver(at(10, 1, FabricAccess::read));
  port.deliver(at(10, 2, FabricAccess::read));
  const Seen seen = runOut(port);
  EXPECT_EQ(seen.credit.at(1), 10u);
  EXPECT_EQ(seen.answered.at(1), 61u);
  EXPECT_EQ(seen.credit.at(2), 61u) << "the channel holds one";
  EXPECT_EQ(seen.answered.at(2), 61u + 51);
}

TEST(ChannelPort, AFullChannelOfWritesDoesNotHoldReads) {
  // Takes no write at all.
  struct ReadsOnly final : MemoryChannel {
    bool accepts(bool write, uint32_t) const override { return !write; }
    void submit(const ChannelRequest& request, Cycles now) override {
      done = {request.tag, now + 5};
    }
    Cycles nextTime() const override { return done.time; }
    void advance(Cycles now, std::vector<ChannelCompletion>& completed) override {
      if (done.time > now) return;
      completed.push_back(done);
      done.time = kNever;
    }
    ChannelCompletion done{0, kNever};
  } channel;
  ChannelPort port(channel);
  port.deliver(at(10, 1, FabricAccess::write));
  port.deliver(at(11, 2, FabricAccess::read));
  const Seen seen = runOut(port);
  EXPECT_EQ(seen.answered.at(2), 16u);
  EXPECT_FALSE(seen.credit.contains(1));
}

TEST(ChannelPort, UpdatesAreComputedOneAfterTheOther) {
  IdealChannel channel({.latency = 50, .bytes_per_cycle = 64});
  ChannelPort port(channel);
  port.deliver(at(10, 1, FabricAccess::update, 16));
  port.deliver(at(10, 2, FabricAccess::update, 4));
  const Seen seen = runOut(port);
  // Read by 61 and 62; computed by 77 and 81; written a cycle and 50 later.
  EXPECT_EQ(seen.answered.at(1), 61u + 16 + 51);
  EXPECT_EQ(seen.answered.at(2), 61u + 16 + 4 + 51);
  EXPECT_EQ(channel.bytes(), 4u * 64);
}

TEST(ChannelPort, WhatAnUpdateWritesGoesBeforeWritesThatWait) {
  IdealChannel channel({.latency = 50, .bytes_per_cycle = 64, .most = 1});
  ChannelPort port(channel);
  port.deliver(at(10, 1, FabricAccess::update, 1));
  port.deliver(at(11, 2, FabricAccess::write));
  port.deliver(at(12, 3, FabricAccess::write));
  const Seen seen = runOut(port);
  // The update is read by 61. The first write goes in then, since nothing is computed yet, and leaves by 112.
  EXPECT_EQ(seen.credit.at(2), 61u);
  EXPECT_EQ(seen.answered.at(1), 112u + 51);
  EXPECT_EQ(seen.credit.at(3), 112u + 51);
}

}  // namespace
}  // namespace etalon::sim
