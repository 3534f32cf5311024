// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/abi/array.h"
#include "isa/element_type.h"

namespace etalon::kernels {

/// An input of a case: what `--in` takes, or an array that the test made.
struct CaseInput {
  CaseInput(std::string input_name, std::string text)
      : name(std::move(input_name)), source(std::move(text)) {}
  CaseInput(std::string input_name, abi::Array made)
      : name(std::move(input_name)), array(std::move(made)) {}

  std::string name;
  std::string source;  // `random:7[64,32]`
  std::optional<abi::Array> array;
};

/// One launch of a kernel.
struct KernelCase {
  std::string title;  // `M=3 K=5 N=7`
  std::vector<CaseInput> inputs;
  std::vector<std::pair<std::string, std::string>> arguments = {};
  // The one legal value of the first output; else the reference judges all of them.
  std::optional<abi::Array> expected = {};
  std::vector<abi::Array> more_expected = {};  // of the other outputs, beside `expected`
};

/// Runs cases of one kernel and adds up what the test prints.
///
/// A case passes if it exits with 0 and without races, order-dependent results or uninitialised reads
/// on 1, 2, 4 and 7 cores, all with the same output bits, and if these are the expected ones, or right
/// by the reference where none are given; and, each fourth one, if it counts the same by
/// --timing-only. The machine is
/// `base` (`cores` overridden for 7), or `functional64` with local memories of the same 8 MiB for
/// kernels that need more profiles.
class KernelCases {
 public:
  enum class Machine { base, extended };
  explicit KernelCases(std::string kernel, Machine machine = Machine::base)
      : kernel_(std::move(kernel)), machine_(machine) {}
  /// Prints the summary and records it as properties of the test.
  ~KernelCases();
  KernelCases(const KernelCases&) = delete;
  KernelCases& operator=(const KernelCases&) = delete;

  void run(const KernelCase& kernel_case);
  /// Passes if the kernel, on 4 cores, prints the message and ends with an exit code that is not 0.
  void refuse(const KernelCase& kernel_case, std::string_view message);
  int count() const { return count_; }

 private:
  std::string kernel_;
  Machine machine_;
  int count_ = 0;
  double worst_ratio_ = 0;  // error of its bound, of the cases that the reference judges by a bound
  std::string worst_case_;
};

/// `random:SEED[EXTENTS]`; the seed is chosen by the caller, the same bytes on every host.
std::string randomSource(int seed, const std::vector<uint64_t>& shape, std::string_view range = "");

/// Array of the bits of 16-bit elements.
abi::Array arrayOfHalves(ElementType type, const std::vector<uint64_t>& shape,
                         const std::vector<uint16_t>& bits);

/// Skips the test in a build without LLVM, which has no C programs.
#ifdef ETALON_WITH_LLVM
#define ETALON_NEEDS_C_PROGRAMS()
#else
#define ETALON_NEEDS_C_PROGRAMS() \
  GTEST_SKIP() << "C programs need a build with LLVM (ETALON_WITH_LLVM)"
#endif

}  // namespace etalon::kernels
