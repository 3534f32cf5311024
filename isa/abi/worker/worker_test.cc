// SPDX-License-Identifier: Apache-2.0
// Whatever a plug-in does in its worker is an answer here, and names what it did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "isa/abi/device.h"

namespace etalon {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kPlugin = ETALON_BINARY_DIR "/isa/abi/libmisbehaving.so";

DeviceOptions doing(const std::string& what) {
  DeviceOptions options;
  options.configuration = "{\"do\": \"" + what + "\"}";
  options.timeout_ns = 300'000'000;
  return options;
}

/// Uses all of a device, in this order; stops at what fails.
Status tour(Device& device) {
  const std::vector<std::byte> image(8, std::byte{5});
  ETALON_RETURN_IF_ERROR(device.loadImage(image, "image"));
  Result<DeviceBuffer> block = device.alloc(64, "block");
  if (!block.ok()) return block.error();
  ETALON_RETURN_IF_ERROR(device.write(block->address(), image));
  DeviceLaunch launch;
  launch.argument_block = block->address();
  launch.console = [](std::string_view text) { EXPECT_EQ(text, "hello"); };
  const Result<DeviceLaunchResult> result = device.launch(launch);
  if (!result.ok()) return result.error();
  EXPECT_EQ(result->exit_code, 5U);
  ETALON_RETURN_IF_ERROR(device.beginSteps({}));
  std::vector<etalon_event> events;
  const Result<DeviceLaunchResult> stepped = device.step(8, events);
  if (!stepped.ok()) return stepped.error();
  EXPECT_EQ(events.size(), 3U);
  EXPECT_EQ(events.back().pc, 0x80000008U);
  std::vector<std::byte> state(4);
  ETALON_RETURN_IF_ERROR(device.peek(0, ETALON_SPACE_SEMAPHORE, 9, state));
  EXPECT_EQ(state[3], std::byte{9});
  const auto counters = device.counters();
  if (!counters.ok()) return counters.error();
  EXPECT_EQ((*counters)[1], (std::pair<std::string, uint64_t>{"cycles", ~uint64_t{0}}));
  abi::Array x{ElementType::i16, {5, 9}, std::vector<std::byte>(90, std::byte{0x31})};
  const auto y = device.runOnArrays({"copy", {}, {{"x", &x}}, {{"y", ElementType::i16, {5, 9}}}});
  if (!y.ok()) return y.error();
  EXPECT_EQ(y->front().data, x.data);
  ETALON_RETURN_IF_ERROR(device.reset());
  return device.close();
}

/// What goes wrong on a tour with this configuration; a failure of the test if nothing does.
DeviceFailure failureOf(const std::string& what) {
  DeviceFailure why;
  Result<Device> device = Device::openWorker(kPlugin, doing(what), &why);
  if (!device.ok()) return why;
  const Status status = tour(*device);
  EXPECT_FALSE(status.ok()) << what << " went unnoticed";
  if (status.ok()) return {};
  EXPECT_THAT(status.error().message, HasSubstr(device->failure()->message()));
  return *device->failure();
}

/// call and status and text, in one.
void expectFailure(const std::string& what, const std::string& call, etalon_status status,
                   const std::string& text) {
  SCOPED_TRACE(what);
  const DeviceFailure failure = failureOf(what);
  EXPECT_EQ(failure.call, call);
  EXPECT_EQ(failure.status, status) << failure.text;
  EXPECT_THAT(failure.text, ContainsRegex(text));
}

TEST(Worker, RunsAPlugInThatBehaves) {
  Result<Device> device = Device::openWorker(kPlugin, doing("nothing"));
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ(device->description().name, "misbehaving");
  const Status status = tour(*device);
  EXPECT_TRUE(status.ok()) << status.error().message;
}

TEST(Worker, HasTheFunctionsThatThePlugInHas) {
  Result<Device> device = Device::openWorker(kPlugin, doing("nothing"));
  ASSERT_TRUE(device.ok());
  for (int i = 0; i < kDeviceFeatures; ++i) {
    const auto feature = static_cast<DeviceFeature>(i);
    EXPECT_EQ(device->has(feature), feature != DeviceFeature::free) << deviceFeatureName(feature);
  }
}

TEST(Worker, CarriesGraphsCollectivesAndFaults) {
  Result<Device> device = Device::openWorker(kPlugin, doing("nothing"));
  ASSERT_TRUE(device.ok());
  EXPECT_THAT(device->runGraph({"{\"nodes\": []}", {}, {}, {}}).error().message,
              HasSubstr("run_graph: failed: {\"nodes\": []}"));
  DeviceCompute all_reduce{"all_reduce", {{"op", "sum"}}, {}, {}};
  for (const char* rank : {"rank0", "rank1"}) {
    all_reduce.inputs.push_back({rank, ElementType::bf16, {0}, 0, std::nullopt});
    all_reduce.outputs.push_back({rank, ElementType::bf16, {0}, 0, std::nullopt});
  }
  EXPECT_THAT(device->runCollective(all_reduce).error().message,
              HasSubstr("run_collective: failed: rank1"));
  EXPECT_THAT(device->injectFault("{\"bit\": 3}").error().message,
              HasSubstr("inject_fault: failed: {\"bit\": 3}"));
}

TEST(Worker, ReportsACrashInEveryFunction) {
  for (const char* function : {"open", "describe", "alloc", "copy", "run_operator", "close",
                               "reset", "load_image", "run_image", "step", "peek", "counters"})
    expectFailure(std::string("crash in ") + function, function, ETALON_LOST,
                  std::string("ended its process in ") + function + ": signal 11 \\(SIGSEGV\\)");
}

TEST(Worker, ReportsEveryWayToDie) {
  expectFailure("abort in run_operator", "run_operator", ETALON_LOST, "signal 6 \\(SIGABRT\\)");
  expectFailure("kill in run_operator", "run_operator", ETALON_LOST, "signal 9 \\(SIGKILL\\)");
  expectFailure("exit in run_operator", "run_operator", ETALON_LOST, "called exit with status");
  // Sanitizers see it coming, and exit.
  expectFailure("write far away", "run_operator", ETALON_LOST,
                "signal 11 \\(SIGSEGV\\)|called exit with status");
  expectFailure("disconnect in run_operator", "run_operator", ETALON_LOST, "ended its process");
}

TEST(Worker, EndsAPlugInThatHangs) {
  for (const char* what : {"hang in open", "spin in run_operator", "hang in run_image"})
    expectFailure(what, std::string(what).substr(8), ETALON_TIMEOUT,
                  "no answer within 0.3 s; the process was ended");
}

TEST(Worker, StaysLostAndSaysWhy) {
  Result<Device> device = Device::openWorker(kPlugin, doing("crash in run_image"));
  ASSERT_TRUE(device.ok());
  const Status first = tour(*device);
  ASSERT_FALSE(first.ok());
  for (const Status& status :
       {device->write(1, std::vector<std::byte>(1)), device->reset(), device->close()}) {
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(status.error().message,
                HasSubstr("lost: the plug-in ended its process in run_image"));
  }
}

TEST(Worker, FindsWritesOutsideOfBuffers) {
  expectFailure("write before", "run_operator", ETALON_BROKEN,
                "outside of 'y' was overwritten, 3 bytes before its begin");
  expectFailure("write behind", "run_operator", ETALON_BROKEN,
                "outside of 'y' was overwritten, 7 bytes past its end");
  expectFailure("touch an operand", "run_image", ETALON_BROKEN,
                "outside of 'block' was overwritten, 1 bytes before its begin");
  expectFailure("change input", "run_operator", ETALON_BROKEN,
                "changed its input 'x' at byte 45 of 90");
  expectFailure("copy too much", "copy", ETALON_BROKEN, "outside of the host memory");
  expectFailure("peek too much", "peek", ETALON_BROKEN, "outside of the host memory");
  expectFailure("overrun in run_operator", "run_operator", ETALON_BROKEN,
                "outside of the room for its error text");
}

TEST(Worker, FindsLies) {
  expectFailure("number in run_operator", "run_operator", ETALON_BROKEN, "returned 77");
  expectFailure("number in open", "open", ETALON_BROKEN, "returned 77");
  expectFailure("forget", "open", ETALON_BROKEN, "succeeded without a device");
  expectFailure("long in run_operator", "run_operator", ETALON_FAILED, "");
  expectFailure("describe endlessly", "describe", ETALON_BROKEN, "each call gives the same");
  expectFailure("describe terabytes", "describe", ETALON_BROKEN, "1099511627776 bytes; 4194304");
  expectFailure("describe nonsense", "describe", ETALON_BROKEN, "not JSON; .*'I am a chip'");
  expectFailure("alloc nothing", "alloc", ETALON_BROKEN, "address 0x0, which is not allowed");
  expectFailure("alloc askew", "alloc", ETALON_BROKEN, "not aligned as its description says");
  expectFailure("alloc twice", "alloc", ETALON_BROKEN, "overlap .* which are still in use");
  expectFailure("alloc at the end", "alloc", ETALON_BROKEN, "wrap around the address space");
  expectFailure("end strangely", "run_image", ETALON_BROKEN, "ended by 99, which is no reason");
  expectFailure("end never", "run_image", ETALON_BROKEN, "ended by 5, which is no reason");
  expectFailure("count events wrongly", "step", ETALON_BROKEN, "9 events in 8 instructions");
  expectFailure("count backwards", "counters", ETALON_BROKEN, "'macs' is '-1'");
  expectFailure("count nonsense", "counters", ETALON_BROKEN, "no JSON object");
  expectFailure("garble in run_operator", "run_operator", ETALON_BROKEN, "makes no sense");
}

TEST(Worker, PassesOnWhatAPlugInSaysAndCleansIt) {
  expectFailure("lose in run_operator", "run_operator", ETALON_LOST, "^the cable is out$");
  expectFailure("late in run_operator", "run_operator", ETALON_TIMEOUT, "^too slow$");
  expectFailure("refuse in alloc", "alloc", ETALON_INVALID, "^\\?\\[31mno\\?\\[0m$");
  expectFailure("refuse in open", "open", ETALON_INVALID, "^\\?\\[31mno\\?\\[0m$");
}

TEST(Worker, CutsADetailThatClaimsToBeLonger) {
  Result<Device> device = Device::openWorker(kPlugin, doing("detail terabytes"));
  ASSERT_TRUE(device.ok());
  const std::vector<std::byte> image(8, std::byte{1});
  ASSERT_TRUE(device->loadImage(image, "image").ok());
  const auto result = device->launch({});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_LE(result->detail.size(), 4000U);
}

TEST(Worker, AsksAgainForALongDescription) {
  Result<Device> device = Device::openWorker(kPlugin, doing("describe at length"));
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ(device->description().name, "long");
}

TEST(Worker, LeavesWhatAPlugInComputesWronglyToTheChecks) {
  Result<Device> device = Device::openWorker(kPlugin, doing("compute half"));
  ASSERT_TRUE(device.ok());
  abi::Array x{ElementType::f32, {4}, std::vector<std::byte>(16)};
  const auto y = device->runOnArrays({"copy", {}, {{"x", &x}}, {{"y", ElementType::f32, {4}}}});
  ASSERT_TRUE(y.ok());
  // What was not written is NaN, which no check takes for a number.
  EXPECT_EQ(y->front().data[15], std::byte{0xFF});
}

TEST(Worker, RefusesWhatIsNoPlugIn) {
  const auto messageOf = [](const std::string& path) {
    DeviceFailure why;
    const Result<Device> device = Device::openWorker(path, {}, &why);
    EXPECT_FALSE(device.ok());
    return why.call + ": " + why.text;
  };
  const std::string folder = ETALON_BINARY_DIR "/isa/abi/";
  EXPECT_THAT(messageOf("none.so"), HasSubstr("load: none.so: there is no such plug-in"));
  EXPECT_THAT(messageOf(ETALON_SOURCE_DIR "/LICENSE"), HasSubstr("cannot be loaded"));
  EXPECT_THAT(messageOf(ETALON_SOURCE_DIR), HasSubstr("cannot be loaded"));
  EXPECT_THAT(messageOf(folder + "libbad_entry_1.so"), HasSubstr("exports no etalon_device_entry"));
  EXPECT_THAT(messageOf(folder + "libbad_entry_2.so"), HasSubstr("does not serve version 1"));
  EXPECT_THAT(messageOf(folder + "libbad_entry_3.so"), HasSubstr("was built for version 0.7"));
  EXPECT_THAT(messageOf(folder + "libbad_entry_4.so"),
              HasSubstr("lacks mandatory functions: describe, alloc, copy, run_operator, close"));
  EXPECT_THAT(messageOf(folder + "libbad_entry_5.so"), HasSubstr("table of functions has 4 bytes"));
  EXPECT_THAT(messageOf(folder + "libbad_entry_6.so"), HasSubstr("signal 6 (SIGABRT)"));
  EXPECT_THAT(messageOf(folder + "libbad_entry_7.so"), HasSubstr("signal 6 (SIGABRT)"));
}

TEST(Worker, EndsWhenItsUserWantsToGoOnNoLonger) {
  DeviceOptions options = doing("hang in run_operator");
  options.timeout_ns = 0;
  int asked = 0;
  options.keep_going = [&] { return ++asked < 40; };
  Result<Device> device = Device::openWorker(kPlugin, options);
  ASSERT_TRUE(device.ok());
  ASSERT_FALSE(tour(*device).ok());
  EXPECT_EQ(device->failure()->status, ETALON_LOST);
  EXPECT_EQ(device->failure()->text, "interrupted; the process was ended");
}

TEST(Worker, KeepsThePlugInsOutputOffStdout) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  {
    EXPECT_TRUE(Device::openWorker(kPlugin, doing("print")).ok());
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a line on stdout\n");
}

TEST(Worker, TwoAtOnceDoNotKnowOfEachOther) {
  Result<Device> bad = Device::openWorker(kPlugin, doing("crash in run_operator"));
  Result<Device> good = Device::openWorker(kPlugin, doing("nothing"));
  ASSERT_TRUE(bad.ok() && good.ok());
  EXPECT_FALSE(tour(*bad).ok());
  const Status status = tour(*good);
  EXPECT_TRUE(status.ok()) << status.error().message;
}

}  // namespace
}  // namespace etalon
