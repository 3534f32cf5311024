// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "isa/base/status.h"
#include "sim/functional/functional_device.h"
#include "validation/fuzz/outcome.h"
#include "validation/fuzz/program.h"

namespace etalon::fuzz {

/// A program as targets take it.
struct RunRequest {
  std::span<const std::byte> image;  // from makeImage()
  const Program* program = nullptr;
};

/// Something that executes random programs.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::string name() const = 0;
  /// Runs the program from reset. Errors: the target refused the image or the launch, or is lost.
  virtual Result<Outcome> run(const RunRequest& request) = 0;
};

/// Sees every instruction that retires, and the core after it.
using Observer = std::function<void(const sim::Core&, const sim::Commit&)>;

/// The functional model itself, a new device for each program. The observer may be empty. `finished`, if given, sees the
/// device after each run.
std::unique_ptr<Target> modelTarget(
    Observer observer = nullptr,
    std::function<void(const sim::FunctionalDevice&, const Outcome&)> finished = nullptr);

/// The same, but twice in the middle of each run the device is made again from its snapshot.
std::unique_ptr<Target> snapshotTarget();

/// How a plug-in is used.
struct DeviceTargetOptions {
  std::string plugin;    // path of the shared library
  bool worker = false;   // in a process of its own
  bool stepped = false;  // a stepped launch, whose events give the commits
  uint64_t registers_each =
      1;  // registers are read of every n-th program; a call a register, which a worker makes slow
};

/// A device behind isa/abi/etalon_device.h that takes the configuration of libetalon_functional.so. Functions that it lacks
/// leave out their parts of the outcome; what only the model looks for counts only of the model.
std::unique_ptr<Target> deviceTarget(const DeviceTargetOptions& options);

}  // namespace etalon::fuzz
