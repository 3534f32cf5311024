// SPDX-License-Identifier: Apache-2.0
#include "tools/run/model_run.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "isa/base/text.h"
#include "sim/arch/snapshot.h"

namespace etalon::tools {
namespace {

uint64_t digestOf(const sim::ElfImage& image) {
  uint64_t digest = image.entry();
  for (const sim::Segment& segment : image.segments()) {
    digest = mixed(mixed(digest, segment.address), segment.size);
    digest = sim::snapshotChecksum(segment.bytes, digest);
  }
  return digest;
}

uint64_t digestOf(const PreparedLaunch& launch) {
  std::vector<uint64_t> addresses;
  for (const PlacedTensor& tensor : launch.tensors) addresses.push_back(tensor.address);
  uint64_t digest = sim::snapshotChecksum(launch.binding.argumentBlock(addresses));
  for (const PlacedTensor& tensor : launch.tensors) digest = mixed(digest, tensor.bytes);
  for (const Array& input : launch.inputs) digest = sim::snapshotChecksum(input.data, digest);
  return digest;
}

/// The first line in which two labels differ, of each.
std::pair<std::string, std::string> difference(std::string_view theirs, std::string_view ours) {
  while (!theirs.empty() || !ours.empty()) {
    const std::string_view line = theirs.substr(0, theirs.find('\n'));
    const std::string_view own = ours.substr(0, ours.find('\n'));
    if (line != own) return {std::string(line), std::string(own)};
    theirs.remove_prefix(std::min(theirs.size(), line.size() + 1));
    ours.remove_prefix(std::min(ours.size(), own.size() + 1));
  }
  return {};
}

Status restore(std::unique_ptr<sim::FunctionalDevice>& device, const RunRequest& request,
               const sim::LaunchOptions& options, const std::string& label) {
  const auto refused = [&](const std::string& why) {
    return Error{fmt::format("--restore {}: {}", quote(request.restore), why)};
  };
  const Result<std::string> file = readFile(request.restore);
  if (!file.ok()) return Error{"--restore: " + file.error().message};
  const isa::Machine machine = device->machine();
  const numerics::Contract contract = device->contract();
  device.reset();  // its memory is only needed twice otherwise
  Result<sim::RestoredDevice> restored =
      sim::FunctionalDevice::restore(machine, contract, std::as_bytes(std::span(*file)), options);
  if (!restored.ok()) return refused(restored.error().message);
  if (!restored->device->started()) return refused("no program runs in it");
  if (restored->label != label) {
    const auto [theirs, ours] = difference(restored->label, label);
    return refused(
        fmt::format("it is of another run: {} there, {} here", quote(theirs), quote(ours)));
  }
  device = std::move(restored->device);
  return {};
}

/// Writes a file by a temporary one beside it, so that half a snapshot never bears the name.
Status writeSnapshot(const sim::FunctionalDevice& device, const std::string& path,
                     const std::string& label) {
  const auto refused = [&] {
    return Error{
        fmt::format("--snapshot: cannot write {} ({})", quote(path), std::strerror(errno))};
  };
  const std::string temporary = path + ".part";
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(temporary.c_str(), "wb"),
                                                       std::fclose);
  if (!file) return refused();
  Status status = device.snapshot(
      [&](std::span<const std::byte> bytes) -> Status {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size()) return {};
        return refused();
      },
      label);
  if (status.ok() && std::fclose(file.release()) != 0) status = refused();
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) status = refused();
  if (!status.ok()) std::remove(temporary.c_str());
  return status;
}

}  // namespace

std::string snapshotLabel(const sim::ElfImage& image, const PreparedLaunch& launch,
                          const sim::LaunchOptions& options) {
  return fmt::format(
      "cores {}\ndevices {}\nseed {}\nprogram {:016x}\narguments and inputs {:016x}\n",
      options.cores, launch.devices, options.seed, digestOf(image), digestOf(launch));
}

Result<sim::RunResult> runLaunch(std::unique_ptr<sim::FunctionalDevice>& device,
                                 const RunRequest& request, const RunHooks& hooks,
                                 const sim::LaunchOptions& options, const std::string& label,
                                 SourceLines& lines) {
  ETALON_RETURN_IF_ERROR(request.restore.empty() ? device->start(options)
                                                 : restore(device, request, options, label));
  if (!request.snapshot.empty()) {
    const uint64_t executed = device->executed();
    if (executed > request.snapshot_at || (executed == request.snapshot_at && executed != 0))
      return Error{fmt::format("--snapshot-at {}: the run goes on from {} instructions",
                               request.snapshot_at, executed)};
    const auto early =
        request.snapshot_at > 0 ? device->advance(request.snapshot_at - executed) : std::nullopt;
    if (early)
      return Error{fmt::format(
          "--snapshot-at {}: the run ended before, after {} instructions ({}); nothing was written",
          request.snapshot_at, early->instructions, sim::runStatusName(early->status))};
    ETALON_RETURN_IF_ERROR(writeSnapshot(*device, request.snapshot, label));
  }
  if (hooks.debugger) return hooks.debugger(*device, lines);
  return *device->advance(~uint64_t{0});
}

}  // namespace etalon::tools
