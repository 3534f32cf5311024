// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/contracts/contract_loader.h"

namespace etalon::isa::test {

/// A document with these sections.
inline std::string document(const std::string& sections) {
  return "{\n\"name\": \"chip\",\n\"title\": \"A chip\"" +
         (sections.empty() ? "" : ",\n" + sections) + "\n}\n";
}
inline std::string multiply(const std::string& rule) {
  return document("\"multiply\": {\"default\": {" + rule + "}}");
}
inline numerics::Contract read(const std::string& text) {
  return parseContract(text, "d/chip.json").value();
}
}  // namespace etalon::isa::test
