// SPDX-License-Identifier: Apache-2.0
// Long tier: one f32 unary function over all 2^32 arguments, or one shard of them, against a
// reference that shares nothing with it but the host's libm: a double by other formulas decides
// where its error bound allows, MPFR decides the rest.
//   etalon_exhaustive FUNCTION [--shard I/N]
// Prints the hard arguments, then counts of arguments, of those that MPFR decided and of mismatches,
// and a digest of the results that does not depend on the sharding: digests of shards combine by
// xor. Exit status 1 on any mismatch. scripts/exhaustive runs all shards and keeps what they print.
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "isa/numerics/function.h"
#include "isa/numerics/function_reference.h"

namespace {

using namespace etalon;  // NOLINT: a program, not a header

/// Nearer than this to a rounding boundary, relative to the value, an argument is hard: MPFR decides
/// it. 64 ulp of double; filter() stays within 8.
constexpr double kBound = 0x1p-47;

/// The value of the function by formulas other than those of function.cc, x a float.
double filter(std::string_view name, double x) {
  constexpr double kLn2 = 0.693147180559945309417232121458176568;
  constexpr double kTwoBySqrtPi = 1.12837916709551257389615890312154517;
  const double a = std::fabs(x);
  const auto square = [](double v) { return v * v; };
  if (name == "exp") return a < 1 ? 1 + std::expm1(x) : square(std::exp(x / 2));
  if (name == "exp2") return a < 1 ? 1 + std::expm1(x * kLn2) : square(std::exp2(x / 2));
  if (name == "log") return std::fabs(x - 1) < 0.25 ? std::log1p(x - 1) : std::log2(x) * kLn2;
  if (name == "log2") return (std::fabs(x - 1) < 0.25 ? std::log1p(x - 1) : std::log(x)) / kLn2;
  if (name == "sqrt") return std::sqrt(x);
  if (name == "rsqrt") return std::sqrt(x) / x;
  if (name == "recip") return 1 / x;
  if (name == "tanh") return std::copysign(-std::expm1(-2 * a) / (2 + std::expm1(-2 * a)), x);
  if (name == "sigmoid") return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (2 + std::expm1(-x));
  if (name == "sin") return 2 * std::sin(x / 2) * std::cos(x / 2);
  if (name == "cos") return a < 0x1p-26 ? 1 - a * a / 2 : std::sin(2 * x) / (2 * std::sin(x));
  if (a < 0x1p-14) return kTwoBySqrtPi * x * (1 - x * x / 3);
  return std::copysign(
      a < 0.5 ? static_cast<double>(std::erf(static_cast<long double>(a))) : 1 - std::erfc(a), x);
}

/// One 64-bit word per (argument, result), mixed so that the xor over all of them notices any
/// change or swap.
uint64_t mix(uint32_t argument, uint32_t result) {
  uint64_t z = (uint64_t{argument} << 32 | result) + 0x9e3779b97f4a7c15;  // SplitMix64
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

struct Tally {
  uint64_t arguments = 0;
  uint64_t by_mpfr = 0;
  uint64_t mismatches = 0;
  uint64_t digest = 0;
  std::vector<uint32_t> hard;
};

Tally compare(std::string_view name, numerics::UnaryFunction function, uint64_t first,
              uint64_t last) {
  reference::MpfrFunction mpfr(name);
  Tally tally;
  for (uint64_t argument = first; argument < last; ++argument) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(argument));
    const uint32_t got = std::bit_cast<uint32_t>(function(x));
    const double value = filter(name, x);
    const float low = static_cast<float>(value * (1 - kBound));
    const bool domain_error = x < 0 && value != value;
    const bool decided = domain_error || low == static_cast<float>(value * (1 + kBound));
    const uint32_t want =
        domain_error ? 0x7fc00000 : std::bit_cast<uint32_t>(decided ? low : mpfr(x));
    if (!decided && value == value) tally.hard.push_back(static_cast<uint32_t>(argument));
    tally.by_mpfr += decided ? 0 : 1;
    tally.digest ^= mix(static_cast<uint32_t>(argument), got);
    ++tally.arguments;
    if (got == want) continue;
    if (++tally.mismatches <= 10)
      fmt::print("{}({:08x}) is {:08x}, want {:08x}\n", name, argument, got, want);
  }
  return tally;
}

}  // namespace

int main(int argc, char** argv) {
  numerics::UnaryFunction function = nullptr;
  for (const ElementwiseInfo& info : kElementwiseOps)
    if (argc >= 2 && info.name == argv[1]) function = numerics::unaryFunction(info.op);
  unsigned shard = 0;
  unsigned shards = 1;
  const bool sharded = argc == 4 && std::strcmp(argv[2], "--shard") == 0 &&
                       std::sscanf(argv[3], "%u/%u", &shard, &shards) == 2 && shards != 0 &&
                       shard < shards;
  if (function == nullptr || (argc != 2 && !sharded)) {
    fmt::print(stderr,
               "usage: etalon_exhaustive FUNCTION [--shard I/N], 0 <= I < N; FUNCTION is one of");
    for (const std::string_view name : reference::MpfrFunction::names())
      fmt::print(stderr, " {}", name);
    fmt::print(stderr, "\n");
    return 2;
  }
  const uint64_t all = uint64_t{1} << 32;
  const Tally tally = compare(argv[1], function, all * shard / shards, all * (shard + 1) / shards);
  for (const uint32_t argument : tally.hard) fmt::print("{} hard {:08x}\n", argv[1], argument);
  fmt::print("{} shard {}/{}: {} arguments, {} decided by MPFR, {} mismatches, digest {:016x}\n",
             argv[1], shard, shards, tally.arguments, tally.by_mpfr, tally.mismatches,
             tally.digest);
  return tally.mismatches == 0 ? 0 : 1;
}
