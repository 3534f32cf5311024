// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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
  abi::BoundArgument argument;  // shape and bytes on one device
  uint64_t address = 0;         // on every device
  uint64_t bytes = 0;
  bool split = false;  // the input has a part for each device; else each gets all of it
};

/// What a launch was given, kept for reading outputs back and checking them.
struct PreparedLaunch {
  std::optional<abi::KernelSpec> spec;  // of the launch note, if there is one
  abi::Binding binding;
  std::vector<PlacedTensor> tensors;  // in the order of the arguments
  std::vector<Array> inputs;          // as given, for each tensor; outputs hold no data
  uint64_t argument_block = 0;        // a0; 0 without a launch note
  unsigned devices = 1;

  /// Bits 55:48 of the addresses of a device, counted from 0; 0 where there is one.
  uint64_t deviceField(unsigned device) const {
    return devices == 1 ? 0 : uint64_t{sim::Cluster::id(device)} << isa::kDeviceShift;
  }
};

/// The launch note of an image; an image without one takes no arguments.
/// Errors: a malformed note; --in, --out or --arg for an image without note.
Result<std::optional<abi::KernelSpec>> readNote(const sim::ElfImage& image,
                                                const RunRequest& request);

/// Binds shapes and values, and makes or reads the inputs; nothing has an address yet.
/// Errors: --in, --out or --arg without that name; everything bindKernel(), readArray() and generate() refuse.
Result<PreparedLaunch> bindLaunch(std::optional<abi::KernelSpec> spec, const RunRequest& request);

/// Memory of a device, as much of it as arguments need.
struct LaunchMemory {
  std::function<Result<uint64_t>(uint64_t bytes, const std::string& name)> allocate;
  std::function<Status(uint64_t address, std::span<const std::byte> bytes)> write;
};

/// Puts tensors and argument block into memory of every device. Output tensors are left unwritten, so that reading one before it was
/// computed is found where the device can find it. Errors: more than the device's memory.
Status placeLaunch(PreparedLaunch& launch, const LaunchMemory& memory);

/// readNote(), bindLaunch() and placeLaunch() on the functional model, whose image is loaded.
Result<PreparedLaunch> prepareLaunch(sim::FunctionalDevice& device, const sim::ElfImage& image,
                                     const RunRequest& request);

/// An output after the run.
struct Output {
  Array array;
  std::optional<uint64_t> first_unwritten;  // index of an element (C order) that no one wrote
  std::optional<uint64_t>
      first_left_out;  // the same of one whose value a run by --timing-only left out
  std::string name;
  std::string file;  // where it was asked to go, or empty
};

/// An output's array and file, its data still to be read.
Result<Output> makeOutput(const PlacedTensor& tensor, const RunRequest& request);

/// Reads the out and inout tensors back; those of several devices stand behind each other, by one more dim.
Result<std::vector<Output>> readOutputs(sim::FunctionalDevice& device, const PreparedLaunch& launch,
                                        const RunRequest& request);

}  // namespace etalon::tools
