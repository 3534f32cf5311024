// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tools/runtime/runtime_on_host.h"

// The words the runtime talks through; the host side of the protocol is played by ConsoleHost.
extern "C" {
volatile uint64_t tohost;
volatile uint64_t fromhost;
}

namespace {

/// Answers write calls until it is destroyed, as a simulator does.
class ConsoleHost {
 public:
  ConsoleHost() : thread_([this] { serve(); }) {}
  ~ConsoleHost() {
    stop_ = true;
    thread_.join();
  }
  /// All text written so far. Only while no write is under way.
  const std::string& text() const { return text_; }

 private:
  void serve() {
    while (!stop_) {
      const uint64_t word = tohost;
      if (word == 0 || (word & 1) != 0) {  // odd: the run has ended
        std::this_thread::yield();
        continue;
      }
      std::atomic_thread_fence(std::memory_order_seq_cst);
      const auto* call = reinterpret_cast<const volatile uint64_t*>(word);
      EXPECT_EQ(call[0], 64u);
      EXPECT_EQ(call[1], 1u);
      EXPECT_EQ(word % 64, 0u) << "the call is not alone in its cache line";
      text_.append(reinterpret_cast<const char*>(call[2]), call[3]);
      tohost = 0;
      std::atomic_thread_fence(std::memory_order_seq_cst);
      fromhost = 1;
    }
  }

  std::atomic<bool> stop_ = false;
  std::string text_;
  std::thread thread_;
};

TEST(Console, PrintsText) {
  ConsoleHost host;
  et_print("hello\n");
  et_print("again");
  EXPECT_EQ(host.text(), "hello\nagain");
}

TEST(Console, PrintsEveryConversion) {
  ConsoleHost host;
  et_printf("%d %i %u %x %ld %lu %lx %s %c %% %p|", -5, 7, 4000000000u, 0xbeefu,
            std::numeric_limits<long>::min(), ~0ul, 0x123456789abcdefl, "text", 'z',
            reinterpret_cast<void*>(0x80000000));
  EXPECT_EQ(
      host.text(),
      "-5 7 4000000000 beef -9223372036854775808 18446744073709551615 123456789abcdef text z % "
      "0x80000000|");
}

TEST(Console, PrintsAnUnknownConversionAsItStands) {
  ConsoleHost host;
  et_printf("%q %ly %");
  EXPECT_EQ(host.text(), "%q %ly %");
}

TEST(Console, PrintsMoreThanOneBuffer) {
  ConsoleHost host;
  const std::string longer(1000, 'x');
  et_printf("%s%d", longer.c_str(), 1);
  EXPECT_EQ(host.text(), longer + "1");
}

TEST(Console, KeepsLinesOfSeveralCoresWhole) {
  ConsoleHost host;
  std::vector<std::thread> cores;
  for (int core = 0; core < 3; core++)
    cores.emplace_back([] {
      for (int i = 0; i < 20; i++) et_print("abc");
    });
  for (std::thread& core : cores) core.join();
  std::string expected;
  for (int i = 0; i < 60; i++) expected += "abc";
  EXPECT_EQ(host.text(), expected);
}

/// What the host's C library prints for the same value, which a double holds exactly.
std::string reference(float value) {
  char text[64];
  std::snprintf(text, sizeof text, "%f", static_cast<double>(value));
  return text;
}

TEST(Console, PrintsFloatsAsTheHostDoes) {
  ConsoleHost host;
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               -1.5f,
                               0.1f,
                               3.14159274f,
                               123456.789f,
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::min(),
                               std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::infinity(),
                               16777216.0f,
                               4294967296.0f,
                               1e20f,
                               5e-7f,
                               4.9e-7f,
                               0.9999999f,
                               0.0078125f,
                               0.00000762939453125f};
  // Every exponent once, and ties at the sixth decimal: odd multiples of 2^-7 have seven.
  for (int exponent = -149; exponent < 128; exponent++)
    values.push_back(std::ldexp(1.0f, exponent));
  for (int exponent = -126; exponent < 127; exponent++)
    values.push_back(std::ldexp(1.7654321f, exponent));
  for (int i = 1; i < 256; i += 2) values.push_back(static_cast<float>(i) / 128.0f);
  std::string expected;
  for (const float value : values) {
    expected += reference(value) + ' ';
    et_printf("%f ", et_f32(value));
  }
  et_printf("%f", et_f32(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(host.text(), expected + "nan");
}

/// The word that the run would end with.
[[noreturn]] void exitWithTohost(void (*call)()) {
  std::thread(call).detach();
  while ((tohost & 1) == 0) std::this_thread::yield();
  ::_exit(static_cast<int>(tohost));
}

TEST(Exit, WritesTheCodeShiftedWithTheLowBitSet) {
  EXPECT_EXIT(exitWithTohost([] { et_exit(0); }), ::testing::ExitedWithCode(1), "");
  EXPECT_EXIT(exitWithTohost([] { et_exit(5); }), ::testing::ExitedWithCode(11), "");
}

TEST(Assert, SaysNothingWhenTheConditionHolds) {
  ConsoleHost host;
  et_assert(1 + 1 == 2);
  EXPECT_EQ(host.text(), "");
}

TEST(Assert, PrintsThePlaceAndEndsTheRun) {
  EXPECT_EXIT(
      {
        ConsoleHost printed;
        std::thread([] { et_assert(2 < 1); }).detach();
        while (tohost != (134u << 1 | 1)) std::this_thread::yield();
        std::fputs(printed.text().c_str(), stderr);
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "runtime_test.cc:[0-9]+: assertion failed: 2 < 1");
}

TEST(Memory, CopiesAllSizesAndOffsets) {
  for (size_t from = 0; from < 9; from++)
    for (size_t to = 0; to < 9; to++)
      for (size_t size = 0; size < 40; size++) {
        std::vector<unsigned char> source(64), target(64, 0xee), expected(64, 0xee);
        for (size_t i = 0; i < source.size(); i++) source[i] = static_cast<unsigned char>(i + 1);
        for (size_t i = 0; i < size; i++) expected[to + i] = source[from + i];
        EXPECT_EQ(deviceMemcpy(&target[to], &source[from], size), &target[to]);
        ASSERT_EQ(target, expected) << from << " " << to << " " << size;
      }
}

TEST(Memory, MovesOverlappingBytesBothWays) {
  for (size_t from = 0; from < 20; from++)
    for (size_t to = 0; to < 20; to++) {
      std::vector<unsigned char> bytes(64);
      for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<unsigned char>(i);
      std::vector<unsigned char> expected = bytes;
      for (size_t i = 0; i < 30; i++) expected[to + i] = static_cast<unsigned char>(from + i);
      EXPECT_EQ(deviceMemmove(&bytes[to], &bytes[from], 30), &bytes[to]);
      ASSERT_EQ(bytes, expected) << from << " " << to;
    }
}

TEST(Memory, FillsAndMeasures) {
  char text[8] = "abcdefg";
  EXPECT_EQ(deviceMemset(text + 1, 'x', 3), text + 1);
  EXPECT_STREQ(text, "axxxefg");
  EXPECT_EQ(deviceStrlen(text), 7u);
  EXPECT_EQ(deviceStrlen(""), 0u);
}

}  // namespace
