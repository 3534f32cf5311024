// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace etalon::isa {

// Numbers of a machine that decide when things happen and at what cost, never what they compute. A member is named like its
// key in the machine file (machine_fields.cc has them all); docs/spec/microarchitecture.md says what each means. Times are
// cycles of the core's clock, sizes bytes, unless the name says otherwise. All numbers are uint64_t, so that one table can
// read, override and print them.

/// `scalar`: the in-order scalar core.
struct ScalarTiming {
  uint64_t branch_taken = 0;  // more cycles after a taken branch or jump
  uint64_t load_use = 0;      // more cycles until a load's result can be used
  uint64_t multiply = 0;      // cycles until the result; pipelined
  uint64_t divide = 0;        // cycles until the result; not pipelined
  uint64_t divide_word = 0;   // of the 32-bit forms
  uint64_t fp = 0;            // Zfinx add, multiply, fma, convert, compare; pipelined
  uint64_t fp_divide = 0;     // Zfinx divide and square root; not pipelined
  uint64_t csr = 0;           // cycles of a CSR access or fence.i
  uint64_t local = 0;         // cycles until a load from own local memory returns
  uint64_t line_bytes = 0;    // of both caches
  uint64_t ways = 0;          // of both caches
  uint64_t icache_bytes = 0;
  uint64_t dcache_bytes = 0;
  uint64_t store_buffer = 0;  // stores to global memory on their way
};

/// `dispatch`: window and queues between scalar core and units.
struct DispatchTiming {
  uint64_t window = 0;   // tile instructions issued and not done
  uint64_t queue = 0;    // entries of each of the four queues
  uint64_t issue = 0;    // tile instructions a cycle
  uint64_t resolve = 0;  // cycles of the hazard check
};

/// `matrix`: the array of rows (k) by cols (n) elements.
struct MatrixTiming {
  static constexpr uint64_t kWeightStationary = 0, kOutputStationary = 1;
  uint64_t dataflow = kWeightStationary;
  uint64_t rows = 0, cols = 0;
  uint64_t latency = 0;  // of an element: cycles from one partial sum to the next
  uint64_t forward = 0;  // cycles from a row's last partial sum to where it can enter again
  // Rows of A a cycle by the width of the wider operand's elements, in thousandths: 500 is a row in two cycles.
  uint64_t rate_32 = 0, rate_16 = 0, rate_8 = 0, rate_4 = 0;
  uint64_t weight_bits = 0;  // bits of each column of B loaded in a cycle: 16 loads a row of bf16
  uint64_t port_bytes = 0;   // of each of the two read ports of local memory
  uint64_t accumulator_port_bytes = 0;  // of the read and of the write port of accumulators
};

/// `vector`: lanes that elements stream through.
struct VectorTiming {
  uint64_t lanes = 0;           // f32
  uint64_t stages = 0;          // simple chain steps at work at once
  uint64_t start = 0;           // cycles from taking an instruction to its first write
  uint64_t exp_slots = 0;       // passes of exp and exp2
  uint64_t function_slots = 0;  // of the other functions, div and sqrt
  uint64_t fold = 0;            // levels of the tree that folds the 64 lanes of a row
  uint64_t scan = 0;            // elements a cycle of a scan along one row
  uint64_t port_bytes = 0;      // of each port of local memory
  uint64_t read_ports = 0, write_ports = 0;
};

/// `local`: banks of local memory.
struct LocalTiming {
  uint64_t banks = 0;
  uint64_t bank_bytes = 0;  // one access of so much a bank a cycle
};

/// `dma`: the load and the store engine.
struct DmaTiming {
  uint64_t load_channels = 0, store_channels = 0;
  uint64_t outstanding = 0;  // bursts of each channel
  uint64_t burst_bytes = 0;
  uint64_t start = 0;       // cycles of a descriptor before its first burst
  uint64_t runs = 0;        // runs formed in a cycle by each engine
  uint64_t indices = 0;     // of a gather or scatter read in a cycle
  uint64_t port_bytes = 0;  // between local memory and each engine in a cycle
};

/// `network`: between cores and memory channels.
struct NetworkTiming {
  static constexpr uint64_t kCrossbar = 0, kMesh = 1, kRing = 2;
  uint64_t topology = kCrossbar;
  uint64_t ports = 0;       // of each core
  uint64_t port_bytes = 0;  // a cycle, each way
  uint64_t latency = 0;     // cycles one way through a crossbar; of each hop of a mesh or ring
  uint64_t queue = 0;       // bursts that wait at an output
};

/// `memory`: the channels of global memory. What a channel is stands in a preset, isa/machines/parts/memory.
struct MemoryTiming {
  std::string preset;             // name of the part
  uint64_t channels = 0;          // pseudo-channels, sub-channels
  uint64_t interleave_bytes = 0;  // consecutive bytes in one channel
};

/// `links`: from chip to chip. All are 0 on a chip without links.
struct LinkTiming {
  static constexpr uint64_t kRing = 0, kTorus = 1, kSwitch = 2;
  uint64_t topology = kRing;
  uint64_t count = 0;                 // of a chip
  uint64_t megabytes_per_second = 0;  // of each link, each way
  uint64_t latency_ns = 0;            // of one link, from sender to receiver
  uint64_t switch_ns = 0;             // of a packet inside a chip on its way, or inside the switch
  uint64_t packet_bytes = 0;          // most payload of a packet
  uint64_t header_bytes = 0;          // of each packet
  uint64_t outstanding = 0;           // bursts of each DMA channel on their way to other devices
};

/// `host`: what the register page of a device costs.
struct HostTiming {
  uint64_t access = 0;  // cycles of an access
  uint64_t fetch = 0;   // from a launch's turn until its cores start
  uint64_t record = 0;  // from the end of a launch until its record is in memory
};

/// All of it, for one machine.
struct Timing {
  uint64_t clock_mhz = 0;
  ScalarTiming scalar;
  DispatchTiming dispatch;
  MatrixTiming matrix;
  VectorTiming vector;
  LocalTiming local;
  DmaTiming dma;
  NetworkTiming network;
  MemoryTiming memory;
  LinkTiming links;
  HostTiming host;
  uint64_t signal_latency =
      0;  // `signal.latency`: cycles from performing et.sig to its own core's semaphore
  uint64_t barrier_latency = 0;  // `barrier.latency`: cycles from the last arrival to completion
  std::string energy_table;      // `energy.table`: name of the part; empty if no joules are known
};

}  // namespace etalon::isa
