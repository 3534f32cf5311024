// SPDX-License-Identifier: Apache-2.0
#include "tools/gdb/registers.h"

#include <fmt/format.h>

#include "isa/base/bits.h"
#include "isa/codec/instruction_info.h"
#include "isa/csr.h"

namespace etalon::tools::gdb {
namespace {

constexpr uint64_t kCsrs = 4096;
// What debuggers call x0 to x31.
constexpr const char* kNames[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                    "fp",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                    "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                    "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

const isa::CsrInfo* csrOf(uint64_t number) {
  if (number < kFirstCsrNumber || number >= kFirstCsrNumber + kCsrs) return nullptr;
  return isa::csrNumbered(static_cast<uint32_t>(number - kFirstCsrNumber));
}

std::string makeDescription() {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM "
      "\"gdb-target.dtd\">\n<target "
      "version=\"1.0\">\n"
      "<architecture>riscv:rv64</architecture>\n<osabi>none</osabi>\n<feature "
      "name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (int i = 0; i < 32; ++i)
    text += fmt::format("<reg name=\"{}\" bitsize=\"64\" type=\"{}\" regnum=\"{}\"/>\n", kNames[i],
                        i == 2 || i == 8 ? "data_ptr"
                        : i == 1         ? "code_ptr"
                                         : "int",
                        i);
  text += fmt::format(
      "<reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\" "
      "regnum=\"{}\"/>\n</feature>\n",
      kPcNumber);
  text += "<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (uint64_t number = kFirstCsrNumber; number < kFirstCsrNumber + kCsrs; ++number)
    if (const isa::CsrInfo* csr = csrOf(number))
      text += fmt::format("<reg name=\"{}\" bitsize=\"64\" regnum=\"{}\" group=\"csr\"/>\n",
                          csr->name, number);
  return text + "</feature>\n</target>\n";
}

}  // namespace

const std::string& targetDescription() {
  static const std::string text = makeDescription();
  return text;
}

std::optional<uint64_t> readRegister(const sim::Core& core, uint64_t number) {
  if (number < 32) return core.x(static_cast<int>(number));
  if (number == kPcNumber) return core.pc();
  if (const isa::CsrInfo* csr = csrOf(number)) return core.readCsr(csr->number);
  return std::nullopt;
}

bool writeRegister(sim::Core& core, uint64_t number, uint64_t value) {
  if (number < 32) {
    core.setX(static_cast<int>(number), value);
    return true;
  }
  if (number == kPcNumber) {
    if (value % 4 != 0) return false;
    core.pc_ = value;
    return true;
  }
  const isa::CsrInfo* csr = csrOf(number);
  // A program's write of these two counts the instruction that writes; a
  // debugger has none.
  if (!csr || csr->number == isa::csr::kMcycle || csr->number == isa::csr::kMinstret) return false;
  if (!core.csrWritable(csr->number)) return false;
  core.writeCsr(csr->number, value);
  return true;
}

}  // namespace etalon::tools::gdb
