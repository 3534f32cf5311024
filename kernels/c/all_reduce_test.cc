// SPDX-License-Identifier: Apache-2.0
// all_reduce_ring on clusters: sums by an independent reference, the same bits on every device, nothing found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "isa/base/file.h"
#include "isa/machines/address_map.h"
#include "isa/machines/find_machine.h"
#include "kernels/c/kernel_cases.h"
#include "sim/functional/functional_device.h"

namespace etalon::kernels {
namespace {

using sim::FunctionalDevice;
using Floats = std::vector<float>;

struct Shape {
  unsigned devices, cores;
  uint64_t n;
  const char* local_bytes = "64 KiB";  // slots of 2048 elements
};
std::string titleOf(const Shape& s) {
  return fmt::format("{} devices, {} cores, n={}, {}", s.devices, s.cores, s.n, s.local_bytes);
}

/// What each device has after the kernel; empty if something was wrong.
class AllReduce {
 public:
  explicit AllReduce(const Shape& shape) : shape_(shape) {
    const auto machine =
        isa::openMachine("functional64", {fmt::format("cores={}", shape.cores),
                                          fmt::format("local_bytes={}", shape.local_bytes),
                                          "address_map.global_bytes=64 MiB"});
    device_ = *FunctionalDevice::create(*machine, {}, sim::Values::computed, shape.devices);
    const std::string path = std::string(ETALON_KERNEL_DIR) + "/all_reduce_ring.elf";
    const auto file = readFile(path);
    EXPECT_TRUE(file.ok()) << path;
    const auto bytes = std::as_bytes(std::span(*file));
    EXPECT_TRUE(
        device_->load(*sim::ElfImage::parse({bytes.begin(), bytes.end()}, "all_reduce_ring")).ok());
    x_ = *device_->allocate(std::max<uint64_t>(4 * shape.n, 1));
    block_ = *device_->allocate(16);
  }

  std::vector<Floats> run(const std::vector<Floats>& x, uint64_t seed = 0) {
    const uint64_t arguments[] = {x_, shape_.n};
    for (unsigned d = 0; d < shape_.devices; ++d) {
      EXPECT_TRUE(device_->write(field(d) | x_, std::as_bytes(std::span(x[d]))).ok());
      EXPECT_TRUE(device_->write(field(d) | block_, std::as_bytes(std::span(arguments))).ok());
    }
    sim::LaunchOptions options;
    options.cores = shape_.cores;
    options.arguments = block_;
    options.instruction_limit = 100'000'000;
    options.seed = seed;
    const auto result = device_->launch(options);
    EXPECT_TRUE(result.ok() && result->status == sim::RunStatus::exited && result->exit_code == 0);
    for (const isa::Fault& fault : device_->findings().faults()) ADD_FAILURE() << fault.detail;
    for (const sim::RaceReport& race : device_->races().reports()) ADD_FAILURE() << race.text;
    EXPECT_EQ(device_->races().orderDependenceCount(), 0u);
    EXPECT_EQ(device_->findings().uninitialisedCount(), 0u);
    std::vector<Floats> sums(shape_.devices, Floats(shape_.n));
    for (unsigned d = 0; d < shape_.devices; ++d)
      EXPECT_TRUE(device_->read(field(d) | x_, std::as_writable_bytes(std::span(sums[d]))).ok());
    return sums;
  }

 private:
  uint64_t field(unsigned device) const {
    return shape_.devices == 1 ? 0 : uint64_t{device + 1} << isa::kDeviceShift;
  }

  Shape shape_;
  std::unique_ptr<FunctionalDevice> device_;
  uint64_t x_ = 0, block_ = 0;
};

/// Integers so small that every sum of them is exact.
std::vector<Floats> exactData(const Shape& shape) {
  std::vector<Floats> x(shape.devices, Floats(shape.n));
  for (unsigned d = 0; d < shape.devices; ++d)
    for (uint64_t i = 0; i < shape.n; ++i)
      x[d][i] = static_cast<float>(static_cast<int64_t>((i * 7919 + d * 104729) % 20011) - 10005);
  return x;
}

void expectExact(const Shape& shape) {
  SCOPED_TRACE(titleOf(shape));
  const std::vector<Floats> x = exactData(shape);
  Floats expected(shape.n);
  for (uint64_t i = 0; i < shape.n; ++i) {
    int64_t sum = 0;
    for (const Floats& device : x) sum += static_cast<int64_t>(device[i]);
    expected[i] = static_cast<float>(sum);
  }
  const std::vector<Floats> sums = AllReduce(shape).run(x);
  for (unsigned d = 0; d < shape.devices; ++d)
    EXPECT_TRUE(sums[d] == expected) << "device " << d + 1;
}

TEST(AllReduceRing, IsExactOnEveryClusterForEveryLength) {
  ETALON_NEEDS_C_PROGRAMS();
  for (const unsigned devices : {2u, 3u, 4u, 7u, 8u})
    for (const unsigned cores : {1u, 2u, 4u, 7u})
      for (const uint64_t n : {0, 1, 6, 17, 1023, 9001}) expectExact({devices, cores, n});
}

TEST(AllReduceRing, TakesManyBlocksThroughSlotsThatAreUsedAgain) {
  ETALON_NEEDS_C_PROGRAMS();
  // 7, 5 and 3 blocks of a core, in twos and one that is left.
  expectExact({2, 1, 2 * 1024 * 12 + 5});
  expectExact({3, 2, 2 * 3 * 1024 * 8 + 1000});
  expectExact({8, 1, 8 * 1024 * 5});
  expectExact({4, 2, 300'007, "1 MiB"});
  expectExact({2, 1, 1'000'003, "8 MiB"});
}

TEST(AllReduceRing, LeavesALoneDeviceAsItIs) {
  ETALON_NEEDS_C_PROGRAMS();
  expectExact({1, 2, 1000});
}

/// n values of a device, of both signs and of magnitudes from 2^-20 to 2^20.
Floats randomData(uint64_t n, unsigned device) {
  std::mt19937_64 random(device + 1);
  Floats x(n);
  for (float& value : x)
    value = std::ldexp(static_cast<float>(static_cast<int64_t>(random() % (1 << 24)) - (1 << 23)),
                       static_cast<int>(random() % 41) - 43);
  return x;
}

TEST(AllReduceRing, IsWithinItsBoundWithTheSameBitsOnEveryDeviceAndInEveryOrder) {
  ETALON_NEEDS_C_PROGRAMS();
  for (const Shape& shape :
       {Shape{2, 1, 5003}, Shape{3, 2, 20'011}, Shape{7, 4, 9001}, Shape{8, 7, 40'009}}) {
    SCOPED_TRACE(titleOf(shape));
    std::vector<Floats> x;
    for (unsigned d = 0; d < shape.devices; ++d) x.push_back(randomData(shape.n, d));
    AllReduce kernel(shape);
    const std::vector<Floats> sums = kernel.run(x);
    for (unsigned d = 1; d < shape.devices; ++d)
      EXPECT_EQ(std::memcmp(sums[0].data(), sums[d].data(), 4 * shape.n), 0) << "device " << d + 1;
    // Of N - 1 additions, each off by half an ulp: |error| <= (N - 1) u sum |x| / (1 - (N - 1) u), u = 2^-24.
    const double steps = (shape.devices - 1) * std::ldexp(1.0, -24);
    for (uint64_t i = 0; i < shape.n; ++i) {
      long double sum = 0, magnitude = 0;
      for (const Floats& device : x) {
        sum += device[i];
        magnitude += std::fabs(device[i]);
      }
      const auto bound = static_cast<long double>(steps / (1 - steps)) * magnitude;
      ASSERT_LE(std::fabs(static_cast<long double>(sums[0][i]) - sum), bound) << "element " << i;
    }
    for (const uint64_t seed : {1, 2})
      EXPECT_TRUE(kernel.run(x, seed) == sums) << "interleaved by seed " << seed;
  }
}

}  // namespace
}  // namespace etalon::kernels
