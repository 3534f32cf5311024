// SPDX-License-Identifier: Apache-2.0
#include "tools/run/what_if.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "tools/run/session.h"

namespace etalon::tools {
namespace {

/// A resource, and the numbers of a machine on which it costs next to nothing.
struct Resource {
  const char* name;
  std::vector<std::string> overrides;
};

std::vector<Resource> resourcesOf(const isa::Machine& machine, uint64_t devices) {
  // No port may be wider than all banks.
  const isa::LocalTiming& local = machine.timing->local;
  const std::string ports = std::to_string(local.banks * local.bank_bytes);
  std::vector<Resource> resources{
      {"scalar",
       {"scalar.branch_taken=0", "scalar.load_use=0", "scalar.multiply=1", "scalar.divide=1",
        "scalar.divide_word=1", "scalar.fp=1", "scalar.fp_divide=1", "scalar.csr=1",
        "scalar.local=1", "scalar.store_buffer=1024"}},
      {"dispatch", {"dispatch.window=64", "dispatch.queue=64", "dispatch.resolve=1"}},
      {"matrix",
       {"matrix.rate_32=64", "matrix.rate_16=64", "matrix.rate_8=64", "matrix.rate_4=64",
        "matrix.weight_bits=4096", "matrix.latency=1", "matrix.forward=0",
        "matrix.port_bytes=" + ports, "matrix.accumulator_port_bytes=" + ports}},
      {"vector",
       {"vector.lanes=65536", "vector.stages=64", "vector.start=1", "vector.exp_slots=1",
        "vector.function_slots=1", "vector.fold=1", "vector.scan=65536",
        "vector.port_bytes=" + ports, "vector.read_ports=16", "vector.write_ports=16"}},
      {"local", {"local.bank_bytes=65536"}},
      {"dma",
       {"dma.load_channels=64", "dma.store_channels=64", "dma.outstanding=65536", "dma.start=0",
        "dma.runs=1024", "dma.indices=1024", "dma.port_bytes=" + ports}},
      {"network",
       {"network.ports=64", "network.port_bytes=65536", "network.latency=2", "network.queue=1024"}},
      {"memory", {"memory.preset=free"}}};
  if (devices > 1)
    resources.push_back({"links",
                         {"links.megabytes_per_second=10000000", "links.latency_ns=1",
                          "links.switch_ns=0", "links.outstanding=65536"}});
  return resources;
}

/// A run in a child process: where its cycles are told, 0 for a run that did not end by itself.
struct Child {
  pid_t process = -1;
  int answer = -1;
};

Result<Child> start(const RunRequest& request) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return Error{"--what-if: no more pipes"};
  const pid_t process = fork();
  if (process < 0) return Error{"--what-if: no more processes"};
  if (process == 0) {
    const Result<RunReport> report = runProgram(request, {});
    const Cycles cycles =
        report.ok() && report->finished() && report->timing ? report->timing->cycles : 0;
    _exit(write(ends[1], &cycles, sizeof cycles) == sizeof cycles ? 0 : 1);
  }
  close(ends[1]);
  return Child{process, ends[0]};
}

Cycles finish(const Child& child) {
  Cycles cycles = 0;
  if (read(child.answer, &cycles, sizeof cycles) != sizeof cycles) cycles = 0;
  close(child.answer);
  waitpid(child.process, nullptr, 0);
  return cycles;
}

}  // namespace

Result<std::vector<sim::WhatIf>> whatIf(const RunRequest& request, const isa::Machine& machine) {
  const std::vector<Resource> resources = resourcesOf(machine, request.devices);
  const size_t at_once = std::max(1u, std::thread::hardware_concurrency());
  std::vector<sim::WhatIf> answers;
  std::vector<Child> running;
  Status status;
  const auto collect = [&] {
    const std::string name = resources[answers.size()].name;
    answers.push_back({name, finish(running.front())});
    running.erase(running.begin());
    if (answers.back().cycles == 0 && status.ok())
      status = Error{fmt::format("--what-if: the run with a free {} did not end by itself", name)};
  };
  for (const Resource& resource : resources) {
    RunRequest changed = request;
    changed.what_if = changed.check = false;
    changed.outputs.clear();
    changed.dumps.clear();
    changed.trace.clear();
    changed.report_page.clear();
    changed.overrides.insert(changed.overrides.end(), resource.overrides.begin(),
                             resource.overrides.end());
    Result<Child> child = start(changed);
    if (!child.ok()) {
      status = child.error();
      break;
    }
    running.push_back(*child);
    if (running.size() == at_once) collect();
  }
  while (!running.empty()) collect();
  if (!status.ok()) return status.error();
  return answers;
}

}  // namespace etalon::tools
