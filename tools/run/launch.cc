// SPDX-License-Identifier: Apache-2.0
#include "tools/run/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/abi/kernel_note.h"
#include "isa/base/text.h"
#include "tools/io/array_file.h"
#include "tools/io/generate.h"

namespace etalon::tools {
namespace {

Status checkOutputs(const abi::KernelSpec& spec, const RunRequest& request) {
  for (const Assignment& output : request.outputs) {
    const abi::KernelArgument* argument = spec.argument(output.name);
    if (argument == nullptr || !argument->is_tensor || argument->direction == abi::Direction::In) {
      std::vector<std::string> names;
      for (const abi::KernelArgument& a : spec.arguments)
        if (a.is_tensor && a.direction != abi::Direction::In) names.push_back(a.name);
      return Error{fmt::format("--out {}: {} has no such output; it has: {}", quote(output.name),
                               spec.name, names.empty() ? "none" : joined(names))};
    }
    if (std::ranges::count(request.outputs, output.name, &Assignment::name) > 1)
      return Error{fmt::format("--out {} is given twice", output.name)};
    // Found out before the run, which may be long.
    const std::string folder = std::filesystem::path(output.text).parent_path().string();
    std::error_code ignored;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
      return Error{fmt::format("--out {}={}: there is no folder {}", output.name, output.text,
                               quote(folder))};
    if (const Status writable = checkArrayTarget(output.text); !writable.ok())
      return Error{fmt::format("--out {}: {}", output.name, writable.error().message)};
  }
  return {};
}

/// Arrays of the inputs that come from files, in the order of the request; generated ones are empty.
Result<std::vector<Array>> readFiles(const abi::KernelSpec& spec, const RunRequest& request,
                                     std::vector<abi::GivenInput>& given) {
  std::vector<Array> arrays(request.inputs.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const InputSource& input = request.inputs[i];
    if (isGenerator(input.source)) {
      given.push_back({input.name, std::nullopt, input.shape});
      continue;
    }
    const abi::KernelArgument* argument = spec.argument(input.name);
    Result<Array> array =
        readArray(input.source, argument != nullptr ? std::optional(argument->type) : std::nullopt);
    if (!array.ok()) return Error{fmt::format("--in {}: {}", input.name, array.error().message)};
    given.push_back({input.name, array->type, array->shape});
    arrays[i] = *std::move(array);
  }
  return arrays;
}

/// The data of an in or inout tensor, now that its shape is known.
Result<Array> inputData(const abi::BoundArgument& argument, const RunRequest& request,
                        std::vector<Array>& files) {
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    if (request.inputs[i].name != argument.name) continue;
    if (!isGenerator(request.inputs[i].source)) return std::move(files[i]);
    Result<Array> array = generate(request.inputs[i].source, argument.type, argument.shape);
    if (!array.ok()) return Error{fmt::format("--in {}: {}", argument.name, array.error().message)};
    return array;
  }
  return Error{fmt::format("no input for {}", argument.name)};  // bindKernel has refused it already
}

}  // namespace

Result<std::optional<abi::KernelSpec>> readNote(const sim::ElfImage& image,
                                                const RunRequest& request) {
  if (const auto section = image.section(abi::kNoteSection)) {
    Result<std::optional<abi::KernelSpec>> spec = abi::parseKernelNote(*section);
    if (!spec.ok())
      return Error{fmt::format("{}: launch note: {}", image.name(), spec.error().message)};
    if (*spec) return spec;
  }
  const char* option = !request.inputs.empty()      ? "--in"
                       : !request.outputs.empty()   ? "--out"
                       : !request.arguments.empty() ? "--arg"
                                                    : nullptr;
  if (option != nullptr)
    return Error{fmt::format(
        "{}: takes no {}: the image has no launch note that names its arguments (ETALON_KERNEL in "
        "<etalon/helpers.h> makes one)",
        image.name(), option)};
  return std::optional<abi::KernelSpec>();
}

Result<PreparedLaunch> bindLaunch(std::optional<abi::KernelSpec> spec, const RunRequest& request) {
  PreparedLaunch launch;
  launch.spec = std::move(spec);
  if (!launch.spec) return launch;
  ETALON_RETURN_IF_ERROR(checkOutputs(*launch.spec, request));

  std::vector<abi::GivenInput> given;
  Result<std::vector<Array>> files = readFiles(*launch.spec, request, given);
  if (!files.ok()) return files.error();
  std::vector<abi::GivenValue> values;
  for (const Assignment& argument : request.arguments)
    values.push_back({argument.name, argument.text});
  Result<abi::Binding> binding = abi::bindKernel(*launch.spec, given, values);
  if (!binding.ok()) return binding.error();
  launch.binding = *std::move(binding);

  for (const abi::BoundArgument& argument : launch.binding.arguments) {
    if (!argument.is_tensor) continue;
    Array data{argument.type, argument.shape, {}};
    const Result<uint64_t> bytes = arrayBytes(argument.type, argument.shape);
    if (!bytes.ok()) return Error{fmt::format("{}: {}", argument.name, bytes.error().message)};
    if (argument.direction != abi::Direction::Out) {
      Result<Array> input = inputData(argument, request, *files);
      if (!input.ok()) return input.error();
      data = *std::move(input);
    }
    launch.tensors.push_back({argument, 0, *bytes});
    launch.inputs.push_back(std::move(data));
  }
  return launch;
}

Status placeLaunch(PreparedLaunch& launch, const LaunchMemory& memory) {
  if (!launch.spec) return {};
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < launch.tensors.size(); ++i) {
    PlacedTensor& tensor = launch.tensors[i];
    const std::string& name = tensor.argument.name;
    const Result<uint64_t> address = memory.allocate(tensor.bytes, name);
    if (!address.ok()) return Error{fmt::format("{}: {}", name, address.error().message)};
    tensor.address = *address;
    addresses.push_back(*address);
    if (tensor.argument.direction != abi::Direction::Out && tensor.bytes != 0)
      ETALON_RETURN_IF_ERROR(memory.write(*address, launch.inputs[i].data));
  }
  const std::vector<std::byte> block = launch.binding.argumentBlock(addresses);
  const Result<uint64_t> address = memory.allocate(block.size(), "the argument block");
  if (!address.ok()) return address.error();
  if (!block.empty()) ETALON_RETURN_IF_ERROR(memory.write(*address, block));
  launch.argument_block = *address;
  return {};
}

Result<PreparedLaunch> prepareLaunch(sim::FunctionalDevice& device, const sim::ElfImage& image,
                                     const RunRequest& request) {
  Result<std::optional<abi::KernelSpec>> spec = readNote(image, request);
  if (!spec.ok()) return spec.error();
  Result<PreparedLaunch> launch = bindLaunch(*std::move(spec), request);
  if (!launch.ok()) return launch;
  ETALON_RETURN_IF_ERROR(placeLaunch(
      *launch, {[&](uint64_t bytes, const std::string&) { return device.allocate(bytes); },
                [&](uint64_t address, std::span<const std::byte> bytes) {
                  return device.write(address, bytes);
                }}));
  return launch;
}

Result<Output> makeOutput(const PlacedTensor& tensor, const RunRequest& request) {
  Result<Array> array = makeArray(tensor.argument.type, tensor.argument.shape);
  if (!array.ok()) return array.error();
  Output output{*std::move(array), {}, {}, tensor.argument.name, ""};
  for (const Assignment& asked : request.outputs)
    if (asked.name == output.name) output.file = asked.text;
  return output;
}

Result<std::vector<Output>> readOutputs(sim::FunctionalDevice& device, const PreparedLaunch& launch,
                                        const RunRequest& request) {
  std::vector<Output> outputs;
  for (const PlacedTensor& tensor : launch.tensors) {
    if (tensor.argument.direction == abi::Direction::In) continue;
    Result<Output> made = makeOutput(tensor, request);
    if (!made.ok()) return made.error();
    Output& output = outputs.emplace_back(*std::move(made));
    if (tensor.bytes == 0) continue;
    ETALON_RETURN_IF_ERROR(device.read(tensor.address, output.array.data));
    const auto at = device.memory().find(0, tensor.address, tensor.bytes);
    const auto element = [&](uint64_t byte) {
      return byte * 8 / static_cast<unsigned>(elementInfo(tensor.argument.type).bits);
    };
    if (const auto byte = at->region->init.firstUnset(at->offset, tensor.bytes))
      output.first_unwritten = element(*byte - at->offset);
    if (const auto address = device.firstPoisoned(tensor.address, tensor.bytes))
      output.first_left_out = element(*address - tensor.address);
  }
  return outputs;
}

}  // namespace etalon::tools
