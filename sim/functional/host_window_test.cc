// SPDX-License-Identifier: Apache-2.0
// A driver confines a program by the window registers of the page.
#include "isa/state/rule_test.h"
#include "sim/functional/host_test_driver.h"

namespace etalon::sim {
namespace {

using isa::X;

constexpr uint64_t kImage = 0x8000'0000, kSeen = 0x5000'0000;

/// Adds 1 to the word at kSeen, for ever if `endless`.
void addOne(isa::ProgramBuilder& p, bool endless) {
  const auto loop = p.label();
  p.li(X{5}, static_cast<int64_t>(kSeen));
  p.bind(loop);
  p.ld(X{6}, 0, X{5});
  p.addi(X{6}, X{6}, 1);
  p.sd(X{6}, 0, X{5});
  if (endless) p.jal(X{0}, loop);
  p.et_halt();
}

void setWindow(HostDriver& driver, unsigned core, unsigned window, const isa::Window& w) {
  driver.set(ET_HOST_WINDOW_BASE(core, window), w.base);
  driver.set(ET_HOST_WINDOW_SIZE(core, window), w.size);
  driver.set(ET_HOST_WINDOW_OFFSET(core, window), w.offset);
  driver.set(ET_HOST_WINDOW_RIGHTS(core, window),
             w.rights | uint64_t{w.device} << ET_HOST_WINDOW_RIGHTS_DEVICE_SHIFT);
}

const isa::Window kCode{kImage, 0x1000, 0, isa::right::execute, 0};

TEST(HostWindows, ConfineAndMoveAProgram) {
  SHOWS(host_windows, window_access, window_meaning);
  HostDriver driver;
  isa::ProgramBuilder p;
  addOne(p, false);
  et_launch_descriptor launch = driver.load(p, kImage);
  launch.first_core = 2;
  const isa::Window data{kSeen, 8, driver.data - kSeen, isa::right::read | isa::right::write, 1};
  setWindow(driver, 2, 0, kCode);
  setWindow(driver, 2, 7, data);
  EXPECT_EQ(driver.get(ET_HOST_WINDOW_BASE(2, 7)), kSeen);
  EXPECT_EQ(driver.get(ET_HOST_WINDOW_OFFSET(2, 7)), driver.data - kSeen);
  EXPECT_EQ(driver.get(ET_HOST_WINDOW_RIGHTS(2, 7)), uint64_t{1} << 48 | 3);
  driver.putOne(driver.data, uint64_t{41});
  driver.open();
  driver.submit(launch);
  EXPECT_EQ(driver.wait().end, uint32_t{ET_LAUNCH_EXITED});
  EXPECT_EQ(driver.getOne<uint64_t>(driver.data), 42u);
  driver.set(ET_HOST_WINDOW_SIZE(2, 7), 7);
  driver.submit(launch);
  const et_completion_record record = driver.wait();
  EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_FAULT});
  EXPECT_EQ(record.core, 2u);
  EXPECT_EQ(record.value, 5u);
  EXPECT_EQ(record.mtval, kSeen);
}

TEST(HostWindows, AreNotWrittenWhileALaunchRunsAndGoneAfterReset) {
  SHOWS(host_windows, host_reset);
  VIOLATES(host_windows);
  HostDriver driver;
  isa::ProgramBuilder p;
  addOne(p, true);
  const et_launch_descriptor launch = driver.load(p, kImage);
  setWindow(driver, 0, 0, kCode);
  setWindow(driver, 0, 1, {kSeen, 8, driver.data - kSeen, 3, 0});
  driver.open();
  driver.submit(launch);
  EXPECT_TRUE(driver.host().advance(1000));
  EXPECT_EQ(driver.host().write(ET_HOST_WINDOW_SIZE(0, 1), 8, 0), HostAnswer::wrong_value);
  EXPECT_TRUE(driver.host().advance(1000)) << "it goes on";
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_RESET);
  EXPECT_EQ(driver.get(ET_HOST_WINDOW_RIGHTS(0, 1)), 0u);
  EXPECT_EQ(driver.device().memory().windows(0), isa::Windows());
}

}  // namespace
}  // namespace etalon::sim
