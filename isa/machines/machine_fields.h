// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "isa/machines/machine.h"

namespace etalon::isa {

enum class FieldKind : uint8_t {
  Count,    // a whole number
  Size,     // bytes, `8 MiB`
  Address,  // printed in hexadecimal
  Ratio,    // held in thousandths, written `0.5` or `1/2`
  Choice,   // one of a list of names, held as its place in the list
  Part,     // name of a file in parts/, see findPart()
};

using FieldValue = std::variant<uint64_t, std::string>;  // text of a Part, else a number

// Folders in parts/.
inline constexpr std::string_view kMemoryParts = "memory", kEnergyParts = "energy";

/// A `multiple` that asks for a power of two.
inline constexpr uint64_t kPowerOfTwo = 0;

/// One value of a machine: where it lives, what it may be, what it means. The one list that reading, overriding, printing,
/// the schema and the documentation share.
struct MachineField {
  std::string_view section;  // map the key stands in, empty for the top level
  std::string_view key;
  FieldKind kind = FieldKind::Count;
  bool timing = false;    // lives in Machine::timing; get and set need it to be there
  bool optional = false;  // may be left out, and is empty then
  FieldValue (*get)(const Machine&) = nullptr;
  void (*set)(Machine&, FieldValue) = nullptr;
  uint64_t least = 0, most = ~uint64_t{0}, multiple = 1;  // in what the kind is held in
  std::span<const std::string_view> choices;              // of a Choice
  std::string_view part;                                  // of a Part: folder in parts/
  std::string_view unit;                                  // empty for plain counts
  std::string_view meaning;

  /// `matrix.rows`
  std::string dottedKey() const;
};

/// All fields; those of one section stand together, in the order in which they are shown.
std::span<const MachineField> machineFields();

/// As it would be written in a machine file.
std::string printValue(const MachineField& field, const FieldValue& value);

}  // namespace etalon::isa
