// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/abi/kernel_binding.h"
#include "isa/abi/kernel_spec.h"
#include "isa/base/status.h"
#include "sim/arch/elf_image.h"
#include "sim/functional/functional_device.h"
#include "tools/io/array.h"
#include "tools/run/request.h"

namespace etalon::tools {

/// An argument tensor in the device's memory.
struct PlacedTensor {
  abi::BoundArgument argument;
  uint64_t address = 0;
  uint64_t bytes = 0;
};

/// What a launch was given, kept for reading outputs back and checking them.
struct PreparedLaunch {
  std::optional<abi::KernelSpec> spec;  // of the image's launch note, if it has one
  abi::Binding binding;
  std::vector<PlacedTensor> tensors;  // in the order of the arguments
  std::vector<Array> inputs;          // as given, for each tensor; outputs hold no data
  uint64_t argument_block = 0;        // a0; 0 without a launch note
};

/// Binds shapes and values, makes or reads the inputs, and puts all into the memory of `device`, whose image is loaded.
///
/// Output tensors are allocated and left unwritten, so that reading one before it was computed is found.
/// Errors: a malformed note; --in, --out or --arg for an image without note or without that name; everything
/// bindKernel(), readArray() and generate() refuse; more than the device's memory.
Result<PreparedLaunch> prepareLaunch(sim::FunctionalDevice& device, const sim::ElfImage& image,
                                     const RunRequest& request);

/// An output after the run.
struct Output {
  Array array;
  std::optional<uint64_t> first_unwritten;  // index of an element (C order) that no one wrote
  std::string name;
  std::string file;  // where it was asked to go, or empty
};

/// Reads the out and inout tensors back.
Result<std::vector<Output>> readOutputs(sim::FunctionalDevice& device, const PreparedLaunch& launch,
                                        const RunRequest& request);

}  // namespace etalon::tools
