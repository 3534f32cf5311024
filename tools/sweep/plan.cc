// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/plan.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "isa/abi/kernel_note.h"
#include "isa/base/file.h"
#include "isa/base/sha256.h"
#include "isa/base/text.h"
#include "isa/machines/find_machine.h"
#include "tools/io/generate.h"
#include "tools/program/program.h"
#include "tools/sweep/study_parts.h"

namespace etalon::tools {
namespace {

std::string digest(std::string_view text) {
  return fmt::format("{:02x}", fmt::join(sha256(text), ""));
}

Result<std::optional<abi::KernelSpec>> noteOf(const sim::ElfImage& image) {
  const auto section = image.section(abi::kNoteSection);
  if (!section) return std::optional<abi::KernelSpec>();
  return abi::parseKernelNote(*section);
}

/// Names that the launch note does not have would fail at every point.
Status checkNames(const Workload& workload, const std::optional<abi::KernelSpec>& spec) {
  std::vector<std::string> inputs, arguments;
  if (spec) {
    for (const abi::KernelArgument& argument : spec->arguments)
      if (!argument.is_tensor)
        arguments.push_back(argument.name);
      else if (argument.direction != abi::Direction::Out)
        inputs.push_back(argument.name);
    arguments.insert(arguments.end(), spec->symbols.begin(), spec->symbols.end());
  }
  for (const auto& [given, known, what] : {std::tuple{&workload.inputs, &inputs, "input"},
                                           std::tuple{&workload.arguments, &arguments, "argument"}})
    for (const NamedText& one : *given)
      if (std::ranges::find(*known, one.name) == known->end())
        return one.place.error(fmt::format("{} has no {} {}; it has: {}", workload.program, what,
                                           quote(one.name),
                                           known->empty() ? "none" : joined(*known)));
  for (const std::string& input : inputs)
    if (std::ranges::find(workload.inputs, input, &NamedText::name) == workload.inputs.end())
      return workload.program_place.error(
          fmt::format("wants an input {}; add `inputs: {{{}: \"random:1\"}}` to the workload",
                      quote(input), input));
  return {};
}

SweepPoint makePoint(const Study& study, std::vector<size_t> steps,
                     const std::vector<isa::Profile>& profiles) {
  SweepPoint point;
  point.steps = std::move(steps);
  point.overrides = study.overrides;
  point.machine = study.base;
  for (size_t a = 0; a < study.axes.size(); ++a) {
    const Axis& axis = study.axes[a];
    for (size_t k = 0; k < axis.keys.size(); ++k) {
      point.overrides.push_back(axis.keys[k] + "=" + axis.steps[point.steps[a]][k]);
      const Status set = isa::applyOverride(point.machine, point.overrides.back(), profiles);
      ETALON_CHECK(set.ok(), "loadStudy() has tried every value");
    }
  }
  for (const Expression& constraint : study.constraints) {
    const Result<double> value = constraint.evaluate(
        [&](std::string_view name) { return machineNumber(point.machine, name); });
    ETALON_CHECK(value.ok(), "loadStudy() has looked up every name");
    if (*value != 1 && point.excluded.empty()) point.excluded = constraint.text();
  }
  if (const Status status = isa::checkMachine(point.machine); !status.ok())
    point.impossible = status.error().message;
  return point;
}

/// Steps of every point, in order.
std::vector<std::vector<size_t>> allSteps(const Study& study) {
  std::vector<std::vector<size_t>> all;
  if (study.one_at_a_time) {
    std::vector<size_t> base;
    for (const Axis& axis : study.axes) base.push_back(axis.base);
    all.push_back(base);
    for (size_t a = 0; a < study.axes.size(); ++a)
      for (size_t step = 0; step < study.axes[a].steps.size(); ++step) {
        if (step == base[a]) continue;
        all.push_back(base);
        all.back()[a] = step;
      }
    return all;
  }
  all.emplace_back();
  for (const Axis& axis : study.axes) {
    std::vector<std::vector<size_t>> longer;
    for (const std::vector<size_t>& steps : all)
      for (size_t step = 0; step < axis.steps.size(); ++step) {
        longer.push_back(steps);
        longer.back().push_back(step);
      }
    all = std::move(longer);
  }
  return all;
}

/// The part of a key that all points of a workload share.
Result<std::string> workloadText(const Study& study, const Workload& workload,
                                 const BuiltProgram& program) {
  std::string text = fmt::format("program {}\n", digest(program.bytes));
  for (const NamedText& input : workload.inputs) {
    text += fmt::format("in {}={}\n", input.name, input.text);
    if (isGenerator(input.text)) continue;
    const Result<std::string> content = readFile(inFolder(study, inputFile(input.text)));
    if (!content.ok()) return input.place.error(content.error().message);
    text += fmt::format("file {}\n", digest(*content));
  }
  for (const NamedText& argument : workload.arguments)
    text += fmt::format("arg {}={}\n", argument.name, argument.text);
  return text + fmt::format("cores {}\ndevices {}\n", workload.cores.value_or(0), workload.devices);
}

std::string machineText(const isa::Machine& machine) {
  std::string text =
      fmt::format("machine {}\nprofiles {}\n", machine.displayName(), joined(machine.profiles));
  for (const isa::MachineValue& value : isa::machineValues(machine)) {
    text += fmt::format("{}={}\n", value.key, value.value);
    // A part is a name; what it means stands in a file that may change under it.
    const std::string_view kind = value.key == "memory.preset"  ? "memory"
                                  : value.key == "energy.table" ? "energy"
                                                                : "";
    if (kind.empty() || value.value.empty()) continue;
    const Result<std::string> part = isa::findPart(kind, value.value, machine.folder);
    const Result<std::string> content = part.ok() ? readFile(*part) : part;
    if (content.ok()) text += fmt::format("part {}\n", digest(*content));
  }
  return text;
}

int findBuildId(dl_phdr_info* info, size_t, void* into) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const char* const end = at + header.p_memsz;
    while (end - at >= static_cast<ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* const name = at + sizeof note;
      const char* const content = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        for (size_t b = 0; b < note.n_descsz; ++b)
          *static_cast<std::string*>(into) +=
              fmt::format("{:02x}", static_cast<unsigned char>(content[b]));
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;  // the program itself comes first; libraries are left out
}

std::string shellQuoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

Result<std::vector<BuiltProgram>> buildPrograms(const Study& study) {
  std::vector<BuiltProgram> built;
  for (const Workload& workload : study.workloads) {
    // By its absolute path: that stands in the line table, and the image must not depend on where it is built from.
    std::error_code code;
    const std::string path =
        std::filesystem::canonical(inFolder(study, workload.program), code).string();
    if (code) return workload.program_place.error(code.message());
    const Result<Program> program = openProgram(path);
    if (!program.ok()) return workload.program_place.error(program.error().message);
    const Result<std::optional<abi::KernelSpec>> spec = noteOf(program->image);
    if (!spec.ok()) return workload.program_place.error("launch note: " + spec.error().message);
    ETALON_RETURN_IF_ERROR(checkNames(workload, *spec));
    const std::span<const std::byte> file = program->image.file();
    built.push_back(
        {std::string(reinterpret_cast<const char*>(file.data()), file.size()), program->warnings});
  }
  return built;
}

std::vector<SweepPoint> planPoints(const Study& study) {
  const Result<std::vector<isa::Profile>> profiles = isa::shippedProfiles();
  ETALON_CHECK(profiles.ok(), "loadStudy() has read them");
  std::vector<SweepPoint> points;
  for (std::vector<size_t>& steps : allSteps(study))
    points.push_back(makePoint(study, std::move(steps), *profiles));
  return points;
}

Result<std::string> ownBuildId() {
  std::string id;
  ::dl_iterate_phdr(findBuildId, &id);
  if (id.empty())
    return Error{
        "this etalon has no build id, so results of two builds could not be told apart; link it "
        "with -Wl,--build-id"};
  return id;
}

Result<std::vector<PlannedRun>> planRuns(const Study& study, const std::vector<SweepPoint>& points,
                                         const std::vector<BuiltProgram>& programs,
                                         const ToolVersion& version) {
  std::vector<PlannedRun> runs;
  for (size_t w = 0; w < study.workloads.size(); ++w) {
    const Result<std::string> workload = workloadText(study, study.workloads[w], programs[w]);
    if (!workload.ok()) return workload.error();
    for (size_t p = 0; p < points.size(); ++p) {
      PlannedRun run{w, p, ""};
      if (points[p].excluded.empty() && points[p].impossible.empty())
        run.key = digest(
            fmt::format("etalon sweep 1\nversion {} {}\ndevice {}\nlimit {}\ntiming only {}\n{}{}",
                        version.number, version.build_id, study.device, study.limit.value_or(0),
                        study.timing_only, *workload, machineText(points[p].machine)));
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

std::vector<std::string> runArguments(const Study& study, const Workload& workload,
                                      const SweepPoint& point, const std::string& image,
                                      const std::string& folder) {
  const auto path = [&](const std::string& text) {
    return folder.empty() ? text : (std::filesystem::path(folder) / text).string();
  };
  const bool is_path =
      study.machine.find('/') != std::string::npos || study.machine.ends_with(".yaml");
  std::vector<std::string> arguments{"run",       image,
                                     "--device",  study.device,
                                     "--machine", is_path ? path(study.machine) : study.machine};
  const auto add = [&](std::string option, std::string value) {
    arguments.push_back(std::move(option));
    arguments.push_back(std::move(value));
  };
  for (const std::string& override : point.overrides) add("--set", override);
  for (const NamedText& input : workload.inputs)
    add("--in", input.name + "=" + (isGenerator(input.text) ? input.text : path(input.text)));
  for (const NamedText& argument : workload.arguments)
    add("--arg", argument.name + "=" + argument.text);
  if (workload.cores) add("--cores", fmt::format("{}", *workload.cores));
  if (workload.devices != 1) add("--devices", fmt::format("{}", workload.devices));
  if (study.limit) add("--limit", fmt::format("{}", *study.limit));
  if (study.timing_only) arguments.emplace_back("--timing-only");
  arguments.emplace_back("--json");
  return arguments;
}

std::string commandLine(const Study& study, const Workload& workload, const SweepPoint& point) {
  std::vector<std::string> arguments = runArguments(study, workload, point, workload.program, "");
  arguments.pop_back();  // --json
  std::string line = "etalon";
  for (const std::string& argument : arguments) line += " " + shellQuoted(argument);
  return line;
}

}  // namespace etalon::tools
