// SPDX-License-Identifier: Apache-2.0
// Executes the worked examples of one instruction, for add_an_instruction_test.py. Usage: run_examples JSON INSTRUCTION
#include <cstdio>

#include "isa/machines/find_machine.h"
#include "sim/functional/example_runner.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string name = argv[2];
  const auto machine = etalon::isa::openMachine("functional64", {"cores=1"});
  const auto described = etalon::sim::loadExamples(argv[1]);
  if (!machine.ok() || !described.ok()) {
    std::puts((machine.ok() ? described.error() : machine.error()).message.c_str());
    return 2;
  }
  int examples = 0, wrong = 0;
  for (const auto& instruction : *described) {
    if (instruction.name != name) continue;
    for (const auto& example : instruction.examples) {
      ++examples;
      for (const std::string& line : etalon::sim::runExample(*machine, example.text)) {
        std::printf("%s: %s\n", example.name.c_str(), line.c_str());
        ++wrong;
      }
    }
  }
  if (wrong == 0) std::printf("%d examples of %s come out as written\n", examples, name.c_str());
  return wrong == 0 ? 0 : 1;
}
