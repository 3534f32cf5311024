// SPDX-License-Identifier: Apache-2.0
// Snapshots of a functional device: magic, version, checksum at the end, the machine in words, then the state.
#include <fmt/format.h>

#include <algorithm>

#include "isa/base/text.h"
#include "isa/codec/codec.h"
#include "sim/functional/functional_device.h"

namespace etalon::sim {
namespace {

constexpr std::array<char, 8> kMagic{'E', 't', 'S', 'n', 'a', 'p', '\r', '\n'};
/// Changes with whatever a transfer() hands over, and with what the model makes of it.
constexpr uint32_t kVersion = 6;
constexpr size_t kHeaderBytes = sizeof kMagic + sizeof kVersion, kChecksumBytes = 8;

/// What makes two machines one to a program: values in words, by key; never where they come from, nor when things happen.
using Identity = std::map<std::string, std::string>;
Identity identityOf(const isa::Machine& machine, const numerics::Contract& contract) {
  Identity identity{{"profiles", joined(machine.profiles)},
                    {"the contract's hash", fmt::format("{:#x}", contract.hash)}};
  for (const isa::MachineValue& value : isa::machineValues(machine))
    if (!value.timing) identity[value.key] = value.value;
  return identity;
}

Status checkMachine(const isa::Machine& machine, const Identity& ours, const std::string& name,
                    const Identity& theirs) {
  if (ours == theirs) return {};
  std::vector<std::string> differences;
  for (const auto& [key, value] : theirs) {
    const auto own = ours.find(key);
    const std::string text = own == ours.end() ? "nothing" : own->second;
    if (text != value)
      differences.push_back(fmt::format("{} is {} there and {} here", key, quote(value), text));
  }
  return Error{fmt::format("it is of machine {}, this is '{}': {}", quote(name),
                           machine.displayName(), joined(differences))};
}

/// Takes magic, version and checksum off.
Result<std::span<const std::byte>> openSnapshot(std::span<const std::byte> file) {
  if (file.size() < kHeaderBytes + kChecksumBytes ||
      std::memcmp(file.data(), kMagic.data(), sizeof kMagic) != 0)
    return Error{"it is no snapshot of a device"};
  const auto version = loadBytes<uint32_t>(file.data() + sizeof kMagic);
  if (version != kVersion)
    return Error{fmt::format("it is a snapshot of version {}; this build reads version {}", version,
                             kVersion)};
  const auto content = file.first(file.size() - kChecksumBytes);
  if (snapshotChecksum(content) != loadBytes<uint64_t>(file.data() + content.size()))
    return Error{"it is damaged or cut off (its checksum is wrong)"};
  return content.subspan(kHeaderBytes);
}

Error impossible(const SnapshotReader& in) {
  return Error{fmt::format("it describes a device that cannot be: {}", in.problem())};
}

}  // namespace

template <class Archive, class Self>
void DecodeCache::transfer(Archive& archive, Self& self) {
  // Where memory has changed since a page was decoded: index and word of what is executed there all the same.
  using StaleWords = std::map<uint16_t, uint32_t>;
  if constexpr (Archive::kReading) {
    self.clear();
    std::map<uint64_t, StaleWords> pages;
    archive(pages);
    archive.require(pages.size() <= kMaxPages, "more decoded pages than are kept");
    for (const auto& [address, stale] : pages) {
      if (archive.failed()) return;
      Page* page = address % kPageBytes == 0 ? self.decodePage(address) : nullptr;
      archive.require(page != nullptr, "a decoded page that is not in memory");
      for (const auto& [index, word] : stale) {
        archive.require(index < kPageBytes / 4, "a decoded word that is not in its page");
        if (!archive.failed()) (*page)[index] = isa::decode(word);
      }
    }
  } else {
    std::map<uint64_t, StaleWords> pages;
    for (const auto& [address, page] : self.pages_) {
      StaleWords& stale = pages[address];
      const std::byte* words =
          self.memory_.global(self.device_).data() + (address - self.memory_.globalBase());
      for (uint16_t i = 0; i < page->size(); ++i)
        if ((*page)[i].raw != loadBytes<uint32_t>(words + 4 * i)) stale[i] = (*page)[i].raw;
    }
    archive(pages);
  }
}

template <class Archive, class Self>
void Schedule::transfer(Archive& archive, Self& self) {
  archive(self.round_, self.everyone_);
  if constexpr (Archive::kReading) self.drawOrder();
}

template <class Archive, class Self>
void FunctionalDevice::Running::transfer(Archive& archive, Self& self) {
  archive(self.schedule, self.limit, self.left, self.turn, self.begun, self.turn_left, self.moved,
          self.held_back, self.waiting);
}

template <class Archive, class Self>
void FunctionalDevice::transfer(Archive& archive, Self& self) {
  archive(*self.memory_, self.findings_, self.entry_, self.tohost_, self.fromhost_,
          self.images_end_, self.buffers_);
  if constexpr (Archive::kReading) {
    self.pristine_ = false;
    for (auto& core : self.cores_) core->windowsChanged();
  }
  for (auto& core : self.cores_) archive(*core);
  for (auto& cache : self.caches_) archive(*cache);
}

template <class Archive, class Self>
void FunctionalDevice::transferLaunch(Archive& archive, Self& self) {
  uint32_t first = self.launch_ ? self.launch_->firstCore() : 0;
  uint32_t cores = self.launch_ ? self.launch_->cores() : 0;
  bool running = self.running_.has_value();
  uint64_t seed = running ? self.running_->schedule.seed() : 0;
  archive(first, cores, running, seed);
  if constexpr (Archive::kReading) {
    archive.require(first <= self.machine_.cores && cores <= self.machine_.cores - first &&
                        (cores > 0 || !running),
                    "a launch on too many cores");
    if (archive.failed() || cores == 0) return;
    Schedule schedule(seed, self.cluster().devices * cores);
    auto launch = LaunchState::create(cores, *self.memory_, schedule.defersSignals(), true, first);
    archive.require(launch.ok(), "a launch that the host has no memory for");
    if (archive.failed()) return;
    self.launch_ = std::move(*launch);
    for (unsigned i = 0; i < self.launch_->size(); ++i) self.launched(i).join(*self.launch_);
    LaunchOptions options;
    options.first_core = first;
    options.cores = cores;
    options.seed = seed;
    if (running)
      self.running_.emplace(Running{options, self.makeHtif(options), std::move(schedule), 0, 0});
  }
  if (self.launch_) {
    archive(*self.launch_);
    for (unsigned i = 0; i < self.launch_->size(); ++i)
      Core::transferSignals(archive, self.launched(i));
  }
  if (self.running_) archive(*self.running_);
}

void FunctionalDevice::checkRead(SnapshotReader& in) const {
  const uint64_t begin = machine_.global_base, end = begin + machine_.global_bytes;
  in.require(entry_ % 4 == 0, "an entry point that is odd");
  in.require(!tohost_ || memory_->find(0, *tohost_, 8), "a tohost outside of memory");
  in.require(images_end_ >= begin && images_end_ <= end, "images that end outside of memory");
  uint64_t last = begin;
  for (const auto& [from, to] : buffers_) {
    in.require(last <= from && from < to && to <= end && from % kPage == 0 && to % kPage == 0,
               "a buffer outside of memory");
    last = to;
  }
  if (!running_) return;
  in.require(running_->left <= running_->limit && running_->turn <= launch_->size() &&
                 running_->turn_left <= Schedule::kTurn,
             "a turn that no core can have");
  for (unsigned i = 0; i < cores_.size(); ++i)
    in.require(cores_[i]->state() == CoreState::halted ||
                   (launch_->allCores() >> cores_[i]->number() & 1 &&
                    cores_[i]->state() == CoreState::running),
               "a core that runs although it cannot");
}

/// Gives the launch that was read what no file can keep.
Status FunctionalDevice::resume(const LaunchOptions& options) {
  if (!running_) return {};
  const uint64_t executed = this->executed();
  const uint64_t limit = options.instruction_limit ? options.instruction_limit : ~uint64_t{0};
  if (limit <= executed)
    return Error{
        fmt::format("it stands after {} instructions; the limit of {} is behind", executed, limit)};
  const Running read = *running_;
  running_.emplace(Running{options, makeHtif(options), read.schedule, limit, limit - executed,
                           read.turn, read.begun, read.turn_left, read.moved, read.held_back,
                           read.waiting});
  running_->options.first_core = read.options.first_core;
  running_->options.cores = read.options.cores;
  running_->options.seed = read.options.seed;
  for (const auto& core : cores_) core->watchTohost(tohost_.value_or(~uint64_t{0}));
  startClock();
  return {};
}

Status FunctionalDevice::snapshot(const SnapshotSink& sink, const std::string& label) const {
  if (values() == Values::left_out)
    return Error{"a device without values has no snapshot: what is poisoned is not kept in one"};
  if (running_ && !launch_->observes())
    return Error{
        "a launch that does not observe has no snapshot: it does not know what the launch that "
        "goes on "
        "from there has to"};
  SnapshotWriter out(sink);
  const uint32_t devices = cluster().devices;
  out(kMagic, kVersion, machine_.displayName(), identityOf(machine_, contract_), label, devices);
  transfer(out, *this);
  transferLaunch(out, *this);
  return out.finish();
}

Result<RestoredDevice> FunctionalDevice::restore(const isa::Machine& machine,
                                                 numerics::Contract contract,
                                                 std::span<const std::byte> snapshot,
                                                 const LaunchOptions& options) {
  const auto content = openSnapshot(snapshot);
  if (!content.ok()) return content.error();
  SnapshotReader in(*content);
  std::string name, label;
  Identity identity;
  uint32_t devices = 0;
  in(name, identity, label, devices);
  if (!in.failed())
    ETALON_RETURN_IF_ERROR(checkMachine(machine, identityOf(machine, contract), name, identity));
  in.require(devices >= 1 && devices <= isa::kMaxDevices, "a cluster of so many devices");
  if (in.failed()) return impossible(in);
  auto device = create(machine, std::move(contract), Values::computed, devices);
  if (!device.ok()) return device.error();
  transfer(in, **device);
  transferLaunch(in, **device);
  in.require(in.left() == 0, "more than a device");
  if (!in.failed()) (*device)->checkRead(in);
  if (in.failed()) return impossible(in);
  ETALON_RETURN_IF_ERROR((*device)->resume(options));
  return RestoredDevice{std::move(*device), std::move(label)};
}

}  // namespace etalon::sim
