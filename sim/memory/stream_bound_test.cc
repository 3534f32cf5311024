// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/stream_bound.h"

#include <gtest/gtest.h>

#include "isa/machines/find_machine.h"

namespace etalon::sim {
namespace {

/// Thousandths of a byte a cycle of `base` with another memory.
uint64_t bound(const char* preset, Bytes reads, Bytes writes) {
  const auto machine = isa::openMachine("base", {std::string("memory.preset=") + preset});
  EXPECT_TRUE(machine.ok());
  const auto memory = isa::openDramPreset(preset);
  EXPECT_TRUE(memory.ok());
  return streamBound(*machine->timing, *memory, reads, writes);
}

constexpr double kPeak = 32 * 19.2;  // bytes a cycle of 1 ns: 32 channels of 19.2 GB/s

TEST(StreamBound, OfReadsAloneIsThePeakLessRefresh) {
  // Refresh takes (RTP + RP + RFC + RCD) of REFI: (6 + 17 + 313 + 17) of 4682 nCK of HBM2-2400.
  const double refresh = 353.0 / 4682;
  EXPECT_NEAR(static_cast<double>(bound("hbm2-2400", 1, 0)) / 1000 / kPeak, 1 - refresh, 0.03);
}

TEST(StreamBound, OfAMixtureIsLessForTheTurnaroundsAndMoreThanHalf) {
  const uint64_t mixed = bound("hbm2-2400", 1, 1);
  EXPECT_LT(mixed, bound("hbm2-2400", 1, 0));
  EXPECT_GT(static_cast<double>(mixed) / 1000, kPeak / 2);
}

TEST(StreamBound, OfAFixedMemoryIsItsBandwidth) {
  EXPECT_NEAR(static_cast<double>(bound("fixed-100ns-64b", 3, 1)) / 1000, 32 * 64.0,
              32 * 64 * 0.03);
}

TEST(StreamBound, OfNothingIsNothing) { EXPECT_EQ(bound("hbm2-2400", 0, 0), 0u); }

}  // namespace
}  // namespace etalon::sim
