// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/machine_fields.h"

#include <fmt/format.h>

#include <array>
#include <type_traits>
#include <utility>

#include "isa/base/number.h"
#include "isa/machines/address_map.h"

namespace etalon::isa {
namespace {

constexpr uint64_t kPage = 4096;
constexpr std::array<std::string_view, 2> kDataflows{"weight_stationary", "output_stationary"};
constexpr std::array<std::string_view, 3> kTopologies{"crossbar", "mesh", "ring"};
constexpr std::array<std::string_view, 3> kLinkTopologies{"ring", "torus", "switch"};

template <auto... members>
struct InMachine {
  static FieldValue get(const Machine& machine) { return (machine.*....*members); }
  static void set(Machine& machine, FieldValue value) {
    auto& place = (machine.*....*members);
    place = std::get<std::remove_reference_t<decltype(place)>>(std::move(value));
  }
};
template <auto... members>
struct InTiming {
  static FieldValue get(const Machine& machine) { return (machine.timing.value().*....*members); }
  static void set(Machine& machine, FieldValue value) {
    auto& place = (machine.timing.value().*....*members);
    place = std::get<std::remove_reference_t<decltype(place)>>(std::move(value));
  }
};

// What a value may be: a field without its place.

constexpr MachineField count(uint64_t least, uint64_t most, std::string_view unit = "",
                             uint64_t multiple = 1) {
  MachineField made;
  made.least = least, made.most = most, made.multiple = multiple, made.unit = unit;
  return made;
}
/// Of something in the core: a thousand are more than any structure here takes.
constexpr MachineField cycles(uint64_t least) { return count(least, 1000, "cycles"); }
/// Bytes in a cycle; a power of two, so that rows, banks and bursts meet it without a remainder.
constexpr MachineField port() { return count(1, 64 << 10, "B/cycle", kPowerOfTwo); }
constexpr MachineField size(uint64_t least, uint64_t most, uint64_t multiple = 1) {
  MachineField made = count(least, most, "B", multiple);
  made.kind = FieldKind::Size;
  return made;
}
constexpr MachineField address(uint64_t least, uint64_t most, uint64_t multiple) {
  MachineField made = count(least, most, "", multiple);
  made.kind = FieldKind::Address;
  return made;
}
constexpr MachineField rate() {
  MachineField made = count(1, 64'000, "rows/cycle");
  made.kind = FieldKind::Ratio;
  return made;
}
constexpr MachineField choice(std::span<const std::string_view> choices) {
  MachineField made = count(0, choices.size() - 1);
  made.kind = FieldKind::Choice, made.choices = choices;
  return made;
}
constexpr MachineField part(std::string_view folder) {
  MachineField made;
  made.kind = FieldKind::Part, made.part = folder;
  return made;
}
constexpr MachineField optionally(MachineField made) {
  made.optional = true;
  return made;
}

// Where it lives.

template <auto... members>
constexpr MachineField own(std::string_view section, std::string_view key, MachineField made,
                           std::string_view meaning) {
  made.section = section, made.key = key, made.meaning = meaning;
  made.get = InMachine<members...>::get, made.set = InMachine<members...>::set;
  return made;
}
template <auto... members>
constexpr MachineField timed(std::string_view section, std::string_view key, MachineField made,
                             std::string_view meaning) {
  made.section = section, made.key = key, made.meaning = meaning, made.timing = true;
  made.get = InTiming<members...>::get, made.set = InTiming<members...>::set;
  return made;
}

template <auto member>
constexpr MachineField scalar(std::string_view key, const MachineField& made,
                              std::string_view meaning) {
  return timed<&Timing::scalar, member>("scalar", key, made, meaning);
}
template <auto member>
constexpr MachineField dispatch(std::string_view key, const MachineField& made,
                                std::string_view meaning) {
  return timed<&Timing::dispatch, member>("dispatch", key, made, meaning);
}
template <auto member>
constexpr MachineField matrix(std::string_view key, const MachineField& made,
                              std::string_view meaning) {
  return timed<&Timing::matrix, member>("matrix", key, made, meaning);
}
template <auto member>
constexpr MachineField vector(std::string_view key, const MachineField& made,
                              std::string_view meaning) {
  return timed<&Timing::vector, member>("vector", key, made, meaning);
}
template <auto member>
constexpr MachineField local(std::string_view key, const MachineField& made,
                             std::string_view meaning) {
  return timed<&Timing::local, member>("local", key, made, meaning);
}
template <auto member>
constexpr MachineField dma(std::string_view key, const MachineField& made,
                           std::string_view meaning) {
  return timed<&Timing::dma, member>("dma", key, made, meaning);
}
template <auto member>
constexpr MachineField network(std::string_view key, const MachineField& made,
                               std::string_view meaning) {
  return timed<&Timing::network, member>("network", key, made, meaning);
}
template <auto member>
constexpr MachineField memory(std::string_view key, const MachineField& made,
                              std::string_view meaning) {
  return timed<&Timing::memory, member>("memory", key, made, meaning);
}
template <auto member>
constexpr MachineField links(std::string_view key, const MachineField& made,
                             std::string_view meaning) {
  return timed<&Timing::links, member>("links", key, made, meaning);
}
template <auto member>
constexpr MachineField hosts(std::string_view key, const MachineField& made,
                             std::string_view meaning) {
  return timed<&Timing::host, member>("host", key, made, meaning);
}

constexpr MachineField kFields[] = {
    own<&Machine::cores>("", "cores", count(1, 64), "cores of the chip"),
    own<&Machine::local_bytes>("", "local_bytes", size(64 << 10, 64 << 20, kPage),
                               "local memory of each core"),
    timed<&Timing::clock_mhz>("", "clock_mhz", count(1, 100'000, "MHz"),
                              "clock of cores and network"),
    own<&Machine::macs_log2>("work_cap", "macs_log2", count(30, 63, "log2"),
                             "most multiply-accumulates of one instruction"),
    own<&Machine::elements_log2>("work_cap", "elements_log2", count(24, 48, "log2"),
                                 "most elements of one instruction"),
    own<&Machine::bytes_log2>("work_cap", "bytes_log2", count(26, 48, "log2"),
                              "most bytes of one instruction"),
    own<&Machine::global_base>("address_map", "global_base",
                               address(kGlobalRegionBase, kGlobalRegionEnd - kPage, kPage),
                               "first address of global memory"),
    own<&Machine::global_bytes>("address_map", "global_bytes",
                                size(1 << 20, kGlobalRegionEnd - kGlobalRegionBase, kPage),
                                "global memory"),

    scalar<&ScalarTiming::branch_taken>("branch_taken", cycles(0),
                                        "more after a taken branch or jump"),
    scalar<&ScalarTiming::load_use>("load_use", cycles(0),
                                    "more until a cached load's result can be used"),
    scalar<&ScalarTiming::multiply>("multiply", cycles(1),
                                    "until the result of a multiplication; pipelined"),
    scalar<&ScalarTiming::divide>("divide", cycles(1),
                                  "until the result of a division; not pipelined"),
    scalar<&ScalarTiming::divide_word>("divide_word", cycles(1), "the same of the 32-bit forms"),
    scalar<&ScalarTiming::fp>("fp", cycles(1),
                              "until the result of a Zfinx add, multiply, fma, convert; pipelined"),
    scalar<&ScalarTiming::fp_divide>(
        "fp_divide", cycles(1), "until the result of a Zfinx divide, square root; not pipelined"),
    scalar<&ScalarTiming::csr>("csr", cycles(1), "of a CSR access or fence.i"),
    scalar<&ScalarTiming::local>("local", cycles(1), "until a load from own local memory returns"),
    scalar<&ScalarTiming::line_bytes>("line_bytes", size(16, 1024, kPowerOfTwo),
                                      "line of both caches"),
    scalar<&ScalarTiming::ways>("ways", count(1, 64), "of both caches"),
    scalar<&ScalarTiming::icache_bytes>("icache_bytes", size(256, 16 << 20), "instruction cache"),
    scalar<&ScalarTiming::dcache_bytes>("dcache_bytes", size(256, 16 << 20), "data cache"),
    scalar<&ScalarTiming::store_buffer>("store_buffer", count(1, 1024, "stores"),
                                        "to global memory on their way"),

    dispatch<&DispatchTiming::window>("window", count(1, 64, "entries"),
                                      "tile instructions issued and not done"),
    dispatch<&DispatchTiming::queue>("queue", count(1, 64, "entries"),
                                     "of each of the four queues"),
    dispatch<&DispatchTiming::issue>("issue", count(1, 1, "per cycle"),
                                     "tile instructions leaving the scalar core"),
    dispatch<&DispatchTiming::resolve>("resolve", cycles(1), "of the hazard check"),

    matrix<&MatrixTiming::dataflow>("dataflow", choice(kDataflows), "what stays in the array"),
    matrix<&MatrixTiming::rows>("rows", count(1, 1024), "of the array, along k"),
    matrix<&MatrixTiming::cols>("cols", count(1, 1024), "of the array, along n"),
    matrix<&MatrixTiming::latency>("latency", cycles(1),
                                   "of an element, from one partial sum to the next"),
    matrix<&MatrixTiming::forward>("forward", cycles(0),
                                   "from a row's last partial sum to where it can enter again"),
    matrix<&MatrixTiming::rate_32>("rate_32", rate(),
                                   "of A, if the wider operand has 32-bit elements"),
    matrix<&MatrixTiming::rate_16>("rate_16", rate(),
                                   "of A, if the wider operand has 16-bit elements"),
    matrix<&MatrixTiming::rate_8>("rate_8", rate(),
                                  "of A, if the wider operand has 8-bit elements"),
    matrix<&MatrixTiming::rate_4>("rate_4", rate(),
                                  "of A, if the wider operand has 4-bit elements"),
    matrix<&MatrixTiming::weight_bits>("weight_bits", count(1, 4096, "bit/cycle"),
                                       "of each column of B loaded"),
    matrix<&MatrixTiming::port_bytes>("port_bytes", port(), "of each of the two read ports"),
    matrix<&MatrixTiming::accumulator_port_bytes>(
        "accumulator_port_bytes", port(), "of the read and of the write port of accumulators"),

    vector<&VectorTiming::lanes>("lanes", count(1, 64 << 10, "f32", kPowerOfTwo),
                                 "elements at work side by side"),
    vector<&VectorTiming::stages>("stages", count(1, 64, "steps"),
                                  "simple steps of a chain at work at once"),
    vector<&VectorTiming::start>("start", cycles(1),
                                 "from taking an instruction to its first write"),
    vector<&VectorTiming::exp_slots>("exp_slots", count(1, 1000, "passes"), "of exp and exp2"),
    vector<&VectorTiming::function_slots>("function_slots", count(1, 1000, "passes"),
                                          "of other functions, div and sqrt"),
    vector<&VectorTiming::fold>("fold", count(1, 64, "levels"),
                                "of the tree that folds the 64 lanes of a row"),
    vector<&VectorTiming::scan>("scan", count(1, 64 << 10, "elements/cycle", kPowerOfTwo),
                                "of a scan along one row"),
    vector<&VectorTiming::port_bytes>("port_bytes", port(), "of each port"),
    vector<&VectorTiming::read_ports>("read_ports", count(1, 16), "that read local memory"),
    vector<&VectorTiming::write_ports>("write_ports", count(1, 16), "that write local memory"),

    local<&LocalTiming::banks>("banks", count(1, 4096, "", kPowerOfTwo), "of local memory"),
    local<&LocalTiming::bank_bytes>("bank_bytes", port(), "of each bank, read or written"),

    dma<&DmaTiming::load_channels>("load_channels", count(1, 64), "loads at work at once"),
    dma<&DmaTiming::store_channels>("store_channels", count(1, 64), "stores at work at once"),
    dma<&DmaTiming::outstanding>("outstanding", count(1, 64 << 10, "bursts"),
                                 "of each channel on their way"),
    dma<&DmaTiming::burst_bytes>("burst_bytes", size(16, 4096, kPowerOfTwo),
                                 "most that one request asks for"),
    dma<&DmaTiming::start>("start", cycles(0), "of a descriptor before its first burst"),
    dma<&DmaTiming::runs>("runs", count(1, 1024, "per cycle"), "runs formed by each engine"),
    dma<&DmaTiming::indices>("indices", count(1, 1024, "per cycle"), "of a gather or scatter read"),
    dma<&DmaTiming::port_bytes>("port_bytes", port(), "between local memory and each engine"),

    network<&NetworkTiming::topology>("topology", choice(kTopologies),
                                      "between cores and memory channels"),
    network<&NetworkTiming::ports>("ports", count(1, 64, "", kPowerOfTwo), "of each core"),
    network<&NetworkTiming::port_bytes>("port_bytes", port(), "of each port, each way"),
    network<&NetworkTiming::latency>("latency", cycles(1),
                                     "one way through a crossbar; of each hop of a mesh or ring"),
    network<&NetworkTiming::queue>("queue", count(1, 1024, "bursts"), "that wait at an output"),

    memory<&MemoryTiming::preset>("preset", part(kMemoryParts),
                                  "what a channel is: a file in parts/memory"),
    memory<&MemoryTiming::channels>("channels", count(1, 1024, "", kPowerOfTwo),
                                    "pseudo-channels, sub-channels: each has a controller"),
    memory<&MemoryTiming::interleave_bytes>("interleave_bytes", size(16, 1 << 20, kPowerOfTwo),
                                            "consecutive in one channel"),

    links<&LinkTiming::topology>("topology", choice(kLinkTopologies), "between chips"),
    links<&LinkTiming::count>("count", count(0, 16), "from the chip to others"),
    links<&LinkTiming::megabytes_per_second>("megabytes_per_second", count(0, 10'000'000, "MB/s"),
                                             "of each link, each way"),
    links<&LinkTiming::latency_ns>("latency_ns", count(0, 1'000'000, "ns"),
                                   "of one link, from sender to receiver"),
    links<&LinkTiming::switch_ns>("switch_ns", count(0, 1'000'000, "ns"),
                                  "of a packet inside a chip on its way, or inside the switch"),
    links<&LinkTiming::packet_bytes>("packet_bytes", size(0, 64 << 10), "most payload of a packet"),
    links<&LinkTiming::header_bytes>("header_bytes", size(0, 1024), "of each packet"),
    links<&LinkTiming::outstanding>("outstanding", count(0, 64 << 10, "bursts"),
                                    "of each DMA channel on their way to other devices"),

    hosts<&HostTiming::access>("access", count(1, 100'000, "cycles"), "of a register access"),
    hosts<&HostTiming::fetch>("fetch", count(1, 1'000'000, "cycles"),
                              "from a launch's turn until its cores start"),
    hosts<&HostTiming::record>("record", count(1, 1'000'000, "cycles"),
                               "from the end of a launch until its record is in memory"),

    timed<&Timing::signal_latency>("signal", "latency", cycles(1),
                                   "from performing et.sig to the semaphore of its own core"),
    timed<&Timing::barrier_latency>("barrier", "latency", cycles(1),
                                    "from the last arrival to completion"),
    timed<&Timing::energy_table>("energy", "table", optionally(part(kEnergyParts)),
                                 "picojoules of actions: a file in parts/energy"),
};

}  // namespace

std::string MachineField::dottedKey() const {
  return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
}

std::span<const MachineField> machineFields() { return kFields; }

std::string printValue(const MachineField& field, const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const uint64_t number = std::get<uint64_t>(value);
  switch (field.kind) {
    case FieldKind::Size: return formatBytes(number);
    case FieldKind::Address: return fmt::format("{:#x}", number);
    case FieldKind::Ratio: return formatThousandths(number);
    case FieldKind::Choice: return std::string(field.choices[number]);
    case FieldKind::Count:
    case FieldKind::Part: break;
  }
  return fmt::format("{}", number);
}

}  // namespace etalon::isa
