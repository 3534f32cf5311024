// SPDX-License-Identifier: Apache-2.0
// main of every test program of a woven build. With ETALON_MUTANT_TRACE=FILE it writes one line a test case:
// name, seconds, the numbers of the mutants whose places the case executed. Those executed before the first case
// count for it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "validation/mutants/runtime.h"

namespace {

constexpr int kNumbers = 1 << 16;

class Trace : public testing::EmptyTestEventListener {
 public:
  explicit Trace(std::FILE* file) : file_(file) {}
  ~Trace() override { std::fclose(file_); }

  void OnTestEnd(const testing::TestInfo& test) override {
    std::fprintf(file_, "%s.%s %.6f", test.test_suite_name(), test.name(),
                 static_cast<double>(test.result()->elapsed_time()) / 1000);
    for (int number = 1; number < kNumbers; ++number)
      if (etalon_mutants::reached[number] != 0) std::fprintf(file_, " %d", number);
    std::fprintf(file_, "\n");
    std::memset(etalon_mutants::reached, 0, kNumbers);
  }

 private:
  std::FILE* file_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const char* path = std::getenv("ETALON_MUTANT_TRACE")) {
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) {
      std::fprintf(stderr, "ETALON_MUTANT_TRACE: cannot write %s\n", path);
      return 2;
    }
    testing::UnitTest::GetInstance()->listeners().Append(new Trace(file));
  }
  return RUN_ALL_TESTS();
}
