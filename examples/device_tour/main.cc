// SPDX-License-Identifier: Apache-2.0
// A tour of etalon::Device: what a device is, memory, an operator, and an image launched several times on live memory.
//
//   device_tour PLUGIN [IMAGE]
//
// PLUGIN is a shared library that is a device (isa/abi/etalon_device.h). IMAGE is a program that adds 1 to the 32-bit word
// whose address its argument block holds; count.s is one, built by `etalon asm count.s -o count.elf`.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "isa/abi/device.h"

using etalon::Device;
using etalon::DeviceBuffer;
using etalon::DeviceFeature;
using etalon::Result;
using etalon::Status;

namespace {

/// Bytes of a vector of numbers, as Device takes and fills them.
template <class T>
std::span<std::byte> bytesOf(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

void introduce(const Device& device) {
  const etalon::DeviceDescription& d = device.description();
  std::printf("%s: %s, by %s, version %s\n", d.name.c_str(), d.title.c_str(), d.vendor.c_str(),
              d.version.c_str());
  for (int i = 0; i < etalon::kDeviceFeatures; ++i) {
    const auto feature = static_cast<DeviceFeature>(i);
    if (device.has(feature))
      std::printf("  can %s\n", std::string(etalon::deviceFeatureName(feature)).c_str());
  }
}

/// C = A B for matrices of 2 x 3 and 3 x 2, step by step. Every call may fail: a Status or Result says why.
Status multiply(Device& device) {
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 0, 1, 1, 1}, c(4);
  // Buffers give themselves back when they go out of scope.
  Result<DeviceBuffer> buffer_a = device.alloc(bytesOf(a).size(), "A");
  Result<DeviceBuffer> buffer_b = device.alloc(bytesOf(b).size(), "B");
  Result<DeviceBuffer> buffer_c = device.alloc(bytesOf(c).size(), "C");
  for (const auto* buffer : {&buffer_a, &buffer_b, &buffer_c})
    if (!buffer->ok()) return buffer->error();
  ETALON_RETURN_IF_ERROR(device.write(buffer_a->address(), bytesOf(a)));
  ETALON_RETURN_IF_ERROR(device.write(buffer_b->address(), bytesOf(b)));

  etalon::DeviceCompute matmul;
  matmul.what = "matmul";
  using enum etalon::ElementType;
  matmul.inputs = {{"A", f32, {2, 3}, buffer_a->address(), {}},
                   {"B", f32, {3, 2}, buffer_b->address(), {}}};
  matmul.outputs = {{"C", f32, {2, 2}, buffer_c->address(), {}}};
  ETALON_RETURN_IF_ERROR(device.runOperator(matmul));

  ETALON_RETURN_IF_ERROR(device.read(buffer_c->address(), bytesOf(c)));
  for (const float value : c) std::printf(" %g", static_cast<double>(value));
  std::printf("\n");
  return {};
}

/// Three launches of one image; the word in device memory lives on between them.
Status count(Device& device, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> elf((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ETALON_RETURN_IF_ERROR(device.loadImage(bytesOf(elf), path));

  std::vector<uint32_t> word = {0};
  Result<DeviceBuffer> counter = device.alloc(bytesOf(word).size(), "counter");
  if (!counter.ok()) return counter.error();
  ETALON_RETURN_IF_ERROR(device.write(counter->address(), bytesOf(word)));
  std::vector<uint64_t> arguments = {counter->address()};
  Result<DeviceBuffer> block = device.alloc(bytesOf(arguments).size(), "arguments");
  if (!block.ok()) return block.error();
  ETALON_RETURN_IF_ERROR(device.write(block->address(), bytesOf(arguments)));

  for (int launch = 1; launch <= 3; ++launch) {
    const Result<etalon::DeviceLaunchResult> result =
        device.launch({.argument_block = block->address()});
    if (!result.ok()) return result.error();
    // What the program did wrong is no error of the call.
    if (result->end != ETALON_END_EXITED) return etalon::Error{result->detail};
    ETALON_RETURN_IF_ERROR(device.read(counter->address(), bytesOf(word)));
    std::printf("launch %d: the word is %u\n", launch, word[0]);
  }
  if (!device.has(DeviceFeature::counters)) return {};
  const auto counters = device.counters();
  if (!counters.ok()) return counters.error();
  for (const auto& [name, value] : *counters)
    if (value != 0)
      std::printf("  %s %llu\n", name.c_str(), static_cast<unsigned long long>(value));
  return {};
}

int fail(const etalon::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: device_tour PLUGIN [IMAGE]\n");
    return 2;
  }
  // In a worker process: should the plug-in crash or hang, this program is told.
  Result<Device> device = Device::openWorker(argv[1], {.timeout_ns = 10'000'000'000});
  if (!device.ok()) return fail(device.error());
  introduce(*device);

  if (device->description().hasOperator("matmul")) {
    if (const Status status = multiply(*device); !status.ok()) return fail(status.error());
  }
  if (argc == 3) {
    if (const Status status = count(*device, argv[2]); !status.ok()) return fail(status.error());
  }
  if (const Status status = device->close(); !status.ok()) return fail(status.error());
  return 0;
}
