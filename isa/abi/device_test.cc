// SPDX-License-Identifier: Apache-2.0
// What a device behind the table sees of Device's calls; worker/worker_test.cc has what plug-ins do wrong.
#include "isa/abi/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

/// Notes what it is asked.
struct etalon_device {
  std::map<uint64_t, std::vector<std::byte>> memory;
  std::vector<std::string> calls;
  std::string operation;  // the last one, written out
  uint64_t timeout_ns = 0;
  uint64_t launches = 0;
  uint64_t next = 0x1000;
};

namespace etalon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

etalon_device* current = nullptr;  // the one that open() made last, for the tests to look at

int32_t openDevice(const etalon_open_request* request, etalon_device** device, etalon_text* error) {
  if (std::strcmp(request->configuration, "{}") != 0)
    return etalon_set_text(error, ETALON_INVALID, request->configuration);
  current = *device = new etalon_device;
  return ETALON_OK;
}

int32_t describe(etalon_device* /*device*/, etalon_text* json, etalon_text* /*error*/) {
  return etalon_set_text(
      json, ETALON_OK,
      R"({"name": "noting", "title": "t", "vendor": "v", "version": "1", "kind": "model",
          "profiles": [], "operators": ["scale"], "numerics": "canonical",
          "limits": {"memory_bytes": 65536, "alignment": 256, "rank": 2}})");
}

int32_t alloc(etalon_device* device, const etalon_alloc_request* request, uint64_t* address,
              etalon_text* error) {
  if (request->bytes > 65536) return etalon_set_text(error, ETALON_NO_MEMORY, "65536 bytes");
  EXPECT_EQ(request->alignment, 256U);
  *address = device->next;
  device->next += 0x100000;
  device->memory[*address].resize(request->bytes);
  return ETALON_OK;
}

std::byte* find(etalon_device* device, uint64_t address, uint64_t bytes) {
  for (auto& [begin, content] : device->memory)
    if (address >= begin && address + bytes <= begin + content.size())
      return content.data() + (address - begin);
  return nullptr;
}

int32_t copy(etalon_device* device, const etalon_copy_request* request, etalon_text* error) {
  std::byte* at = find(device, request->address, request->bytes);
  if (at == nullptr) return etalon_set_text(error, ETALON_INVALID, "not allocated");
  if (request->direction == ETALON_TO_DEVICE)
    std::memcpy(at, request->host, request->bytes);
  else
    std::memcpy(request->host, at, request->bytes);
  return ETALON_OK;
}

std::string describeOperand(const etalon_operand& operand) {
  if (operand.is_scalar != 0)
    return std::string(operand.name) + "=" + std::to_string(operand.value);
  std::string text = std::string(operand.name) + ":" + operand.type;
  for (uint32_t axis = 0; axis < operand.rank; ++axis)
    text += (axis == 0 ? "[" : ",") + std::to_string(operand.shape[axis]);
  return text + "]/" + std::to_string(operand.bytes);
}

int32_t runOperator(etalon_device* device, const etalon_compute_request* request,
                    etalon_text* /*error*/) {
  device->timeout_ns = request->timeout_ns;
  device->operation = request->what;
  for (uint64_t i = 0; i < request->attribute_count; ++i)
    device->operation +=
        std::string(" ") + request->attributes[i]->name + "=" + request->attributes[i]->value;
  for (uint64_t i = 0; i < request->input_count; ++i)
    device->operation += " " + describeOperand(*request->inputs[i]);
  device->operation += " ->";
  for (uint64_t i = 0; i < request->output_count; ++i)
    device->operation += " " + describeOperand(*request->outputs[i]);
  return ETALON_OK;
}

int32_t closeDevice(etalon_device* device, etalon_text* /*error*/) {
  delete device;
  current = nullptr;
  return ETALON_OK;
}

int32_t freeMemory(etalon_device* device, uint64_t address, etalon_text* error) {
  if (device->memory.erase(address) == 0)
    return etalon_set_text(error, ETALON_INVALID, "not allocated");
  return ETALON_OK;
}

int32_t loadImage(etalon_device* device, const etalon_image_request* request,
                  etalon_text* /*error*/) {
  device->calls.push_back(std::string("load ") + request->name);
  return ETALON_OK;
}

/// A program that counts its launches in memory at its argument block.
int32_t runImage(etalon_device* device, const etalon_launch_request* request,
                 etalon_launch_result* result, etalon_text* /*error*/) {
  std::byte* at = find(device, request->argument_block, 1);
  *at = static_cast<std::byte>(static_cast<int>(*at) + 1);
  device->calls.push_back("run on " + std::to_string(request->cores));
  result->instructions = ++device->launches;
  if (request->instruction_limit == 1) {
    result->end = ETALON_END_FAULT;
    result->fault_core = 2;
    result->fault_pc = 0x80000010;
    result->fault_cause = 5;
    result->fault_value = 7;
    result->fault_instruction = 0x13;
    result->race_count = 1;
    result->order_dependent_count = 2;
    etalon_set_text(result->detail, ETALON_OK, "bad load\n\x1b");
  }
  return ETALON_OK;
}

etalon_device_api table() {
  etalon_device_api api{};
  api.size = sizeof api;
  api.major = ETALON_DEVICE_ABI_MAJOR;
  api.open = openDevice;
  api.describe = describe;
  api.alloc = alloc;
  api.copy = copy;
  api.run_operator = runOperator;
  api.close = closeDevice;
  api.free = freeMemory;
  api.load_image = loadImage;
  api.run_image = runImage;
  return api;
}

Device opened(const DeviceOptions& options = {}) {
  static const etalon_device_api api = table();
  Result<Device> device = Device::open(api, options);
  EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().message);
  return *std::move(device);
}

TEST(Device, ClosesItselfWhenTheLastOfItIsGone) {
  DeviceBuffer buffer;
  {
    Device device = opened();
    buffer = *device.alloc(16, "x");
  }
  EXPECT_NE(current, nullptr);
  buffer = DeviceBuffer();
  EXPECT_EQ(current, nullptr);
}

TEST(Device, GivesMemoryBackAndNeverTwice) {
  Device device = opened();
  {
    DeviceBuffer a = *device.alloc(16, "a");
    DeviceBuffer moved = std::move(a);
    EXPECT_EQ(current->memory.size(), 1U);
  }
  EXPECT_TRUE(current->memory.empty());
  EXPECT_FALSE(device.failure().has_value());
}

TEST(Device, RemembersMemoryThatDidNotComeBackButHidesNoEarlierFailure) {
  for (const bool earlier : {false, true}) {
    Device device = opened();
    {
      const DeviceBuffer buffer = *device.alloc(16, "x");
      current->memory.clear();
      if (earlier) {
        EXPECT_FALSE(device.alloc(1 << 20, "y").ok());
      }
    }
    ASSERT_TRUE(device.failure().has_value());
    EXPECT_EQ(device.failure()->call, earlier ? "alloc" : "free");
  }
}

TEST(Device, AnEmptyBufferNeedsNoMemory) {
  Device device = opened();
  const DeviceBuffer buffer = *device.alloc(0, "none");
  EXPECT_EQ(buffer.address(), 0U);
  EXPECT_TRUE(device.write(buffer.address(), {}).ok());
  EXPECT_TRUE(current->memory.empty());
}

TEST(Device, ReadsBackWhatItWrote) {
  Device device = opened();
  const DeviceBuffer buffer = *device.alloc(8, "x");
  std::vector<std::byte> out(4), in{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  ASSERT_TRUE(device.write(buffer.address() + 4, in).ok());
  ASSERT_TRUE(device.read(buffer.address() + 4, out).ok());
  EXPECT_EQ(out, in);
}

TEST(Device, WithoutGuardsAsksForTheBytesAlone) {
  Device device = opened({.guard_bytes = 0});
  const DeviceBuffer buffer = *device.alloc(24, "x");
  EXPECT_EQ(current->memory.at(buffer.address()).size(), 24U);
}

TEST(Device, PassesOperatorsOnAsTheyAre) {
  Device device = opened({.timeout_ns = 12345});
  const DeviceBuffer x = *device.alloc(24, "x"), y = *device.alloc(6, "y");
  const DeviceCompute scale{"scale",
                            {{"saturate", "1"}, {"pads", "[0, 1]"}},
                            {{"x", ElementType::bf16, {3, 4}, x.address(), std::nullopt},
                             {"factor", ElementType::f32, {}, 0, 2.5}},
                            {{"y", ElementType::i4, {3, 3}, y.address(), std::nullopt}}};
  ASSERT_TRUE(device.runOperator(scale).ok());
  EXPECT_EQ(current->operation,
            "scale saturate=1 pads=[0, 1] x:bf16[3,4]/24 factor=2.500000 -> y:i4[3,3]/6");
  EXPECT_EQ(current->timeout_ns, 12345U);
}

TEST(Device, AsksForNoOperatorThatTheDescriptionHasNot) {
  Device device = opened();
  const Status status = device.runOperator({"matmul", {}, {}, {}});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "device 'noting': run_operator: not supported: the device has no operator 'matmul'; it "
            "has: scale");
  EXPECT_EQ(current->operation, "");
}

TEST(Device, RefusesMoreAxesThanTheDescriptionHas) {
  Device device = opened();
  const abi::Array x{ElementType::i8, {1, 1, 1}, std::vector<std::byte>(1)};
  const auto result = device.runOnArrays({"scale", {}, {{"x", &x}}, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("'x' has 3 axes; the device takes 2"));
  EXPECT_EQ(device.failure()->status, ETALON_NOT_SUPPORTED);
}

TEST(Device, RefusesAnOutputThatNoHostCanHold) {
  Device device = opened();
  const auto result = device.runOnArrays(
      {"scale", {}, {}, {{"y", ElementType::f32, {uint64_t{1} << 40, uint64_t{1} << 40}}}});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("y: f32[1099511627776, 1099511627776] is larger"));
  EXPECT_FALSE(device.failure().has_value());
}

TEST(Device, LaunchesAgainOnMemoryAsItIs) {
  Device device = opened();
  const DeviceBuffer block = *device.alloc(1, "count");
  ASSERT_TRUE(device.write(block.address(), std::vector<std::byte>(1)).ok());
  ASSERT_TRUE(device.loadImage({}, "a").ok());
  for (unsigned launch = 1; launch <= 3; ++launch) {
    if (launch == 3) {
      ASSERT_TRUE(device.loadImage({}, "b").ok());
    }
    const auto result = device.launch({.cores = launch, .argument_block = block.address()});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->instructions, launch);
  }
  std::vector<std::byte> count(1);
  ASSERT_TRUE(device.read(block.address(), count).ok());
  EXPECT_EQ(count[0], std::byte{3});
  EXPECT_THAT(current->calls, ElementsAre("load a", "run on 1", "run on 2", "load b", "run on 3"));
}

TEST(Device, TellsAFaultOfTheProgramFromAFailure) {
  Device device = opened();
  const DeviceBuffer block = *device.alloc(1, "count");
  ASSERT_TRUE(device.loadImage({}, "a").ok());
  const auto result = device.launch({.argument_block = block.address(), .instruction_limit = 1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->end, ETALON_END_FAULT);
  ASSERT_TRUE(result->fault.has_value());
  EXPECT_EQ(result->fault->core, 2U);
  EXPECT_EQ(result->fault->pc, 0x80000010U);
  EXPECT_EQ(result->race_count, 1U);
  EXPECT_EQ(result->order_dependent_count, 2U);
  EXPECT_EQ(result->detail, "bad load\n?");
  EXPECT_FALSE(device.failure().has_value());
}

TEST(Device, SaysThatAnOptionalFunctionIsAbsent) {
  Device device = opened();
  std::vector<etalon_event> events;
  std::vector<std::byte> word(8);
  for (const Status& status :
       {device.beginSteps({}), device.reset(), device.peek(0, ETALON_SPACE_PC, 0, word),
        device.runGraph({}), device.runCollective({}), device.injectFault("{}")}) {
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(status.error().message,
                HasSubstr("not supported: the device has no such function"));
  }
  EXPECT_FALSE(device.step(1, events).ok());
  EXPECT_FALSE(device.counters().ok());
}

TEST(Device, TakesATableThatEndsEarlierAsOneWithoutTheRest) {
  etalon_device_api api = table();
  api.size = offsetof(etalon_device_api, reset);
  const Result<Device> device = Device::open(api);
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE(device->has(DeviceFeature::free));
  EXPECT_FALSE(device->has(DeviceFeature::load_image));
}

TEST(Device, ADeviceThatCanLoadButNotRunCannotLoad) {
  etalon_device_api api = table();
  api.run_image = nullptr;
  const Result<Device> device = Device::open(api);
  ASSERT_TRUE(device.ok());
  EXPECT_FALSE(device->has(DeviceFeature::load_image));
}

TEST(Device, KeepsTheReasonWhyItCouldNotBeOpened) {
  static const etalon_device_api api = table();
  DeviceFailure why;
  const Result<Device> device = Device::open(api, {.configuration = "{\"x\": 1}"}, &why);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().message, "open: refused: {\"x\": 1}");
  EXPECT_EQ(why.status, ETALON_INVALID);
}

TEST(Device, SaysWhenMemoryRunsOut) {
  Device device = opened();
  const auto buffer = device.alloc(65536, "big");
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.error().message, "device 'noting': alloc: no memory: 65536 bytes");
  EXPECT_FALSE(device.alloc(~uint64_t{0}, "more").ok());
  EXPECT_EQ(device.failure()->status, ETALON_NO_MEMORY);
}

TEST(Device, IsClosedOnce) {
  Device device = opened();
  EXPECT_TRUE(device.close().ok());
  EXPECT_FALSE(device.close().ok());
  EXPECT_FALSE(device.write(1, std::vector<std::byte>(1)).ok());
}

}  // namespace
}  // namespace etalon
