// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/konata_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "isa/codec/codec.h"

namespace etalon::sim {
namespace {

/// A command of the log: at `time`, of instruction `id` of the file, after those of lower `step`.
struct Command {
  Cycles time = 0;
  size_t id = 0;
  int step = 0;
  std::string text;
};

}  // namespace

void KonataTrace::tile(const TileRecord& record) {
  if (output_->failed()) return;
  if (records_.size() == most_) {
    records_.clear();
    output_->fail(
        Error{fmt::format("a konata trace has {} tile instructions at most, and this run has more; "
                          "the perfetto format has no limit",
                          most_)});
    return;
  }
  records_.push_back(record);
}

void KonataTrace::finish(Cycles /*total*/) {
  std::ranges::sort(records_, {},
                    [](const TileRecord& r) { return std::tuple(r.issue, r.core, r.sequence); });
  std::map<std::pair<uint16_t, uint64_t>, size_t> ids;
  std::vector<size_t> by_end(records_.size());
  for (size_t id = 0; id < records_.size(); ++id) {
    ids[{records_[id].core, records_[id].sequence}] = id;
    by_end[id] = id;
  }
  std::ranges::sort(by_end, {}, [&](size_t id) { return std::tuple(records_[id].done, id); });
  std::vector<Command> commands;
  for (size_t id = 0; id < records_.size(); ++id) {
    const TileRecord& r = records_[id];
    commands.push_back(
        {r.issue, id, 0,
         fmt::format("I\t{0}\t{1}\t{2}\nL\t{0}\t0\t{3:x}: {4}\nL\t{0}\t1\tsequence {1}, unit {5}, "
                     "macs {6}, "
                     "elements {7}, bytes {8}\nS\t{0}\t0\tIs\n",
                     id, r.sequence, r.core, r.pc, isa::disassemble(r.instruction.raw),
                     trackName(r.track), r.macs, r.elements, r.bytes)});
    if (const auto producer = ids.find({r.core, r.waited_for}); producer != ids.end())
      commands.push_back({r.ready, id, 1, fmt::format("W\t{}\t{}\t0\n", id, producer->second)});
    commands.push_back({r.ready, id, 2, fmt::format("S\t{}\t0\tRd\n", id)});
    commands.push_back({r.taken, id, 3, fmt::format("S\t{}\t0\tTk\n", id)});
    commands.push_back({r.start, id, 4, fmt::format("S\t{}\t0\tSt\n", id)});
  }
  for (size_t retired = 0; retired < by_end.size(); ++retired) {
    const size_t id = by_end[retired];
    commands.push_back({records_[id].done, id, 5, fmt::format("R\t{}\t{}\t0\n", id, retired)});
  }
  std::ranges::sort(commands, {},
                    [](const Command& c) { return std::tuple(c.time, c.id, c.step); });
  Cycles now = commands.empty() ? 0 : commands.front().time;
  output_->write(fmt::format("Kanata\t0004\nC=\t{}\n", now));
  for (const Command& command : commands) {
    if (command.time != now) output_->write(fmt::format("C\t{}\n", command.time - now));
    now = command.time;
    output_->write(command.text);
  }
}

}  // namespace etalon::sim
