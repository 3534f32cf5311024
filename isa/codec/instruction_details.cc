// SPDX-License-Identifier: Apache-2.0
#include "isa/codec/instruction_details.h"

#include "isa/base/check.h"

namespace etalon::isa {
namespace {

constexpr InstructionDetails kDetails[] = {
#include "isa/instruction_details.inc"
};
static_assert(sizeof(kDetails) / sizeof(kDetails[0]) == kInstructions - 1);

}  // namespace

const InstructionDetails& instructionDetails(InstructionId id) {
  ETALON_CHECK(id != InstructionId::illegal, "no details of an illegal instruction");
  return kDetails[static_cast<size_t>(id) - 1];
}

}  // namespace etalon::isa
