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

/// True if an input of this shape has a part for each of several devices.
bool isSplit(const abi::KernelArgument* argument, const std::vector<uint64_t>& shape,
             const RunRequest& request) {
  return request.devices > 1 && argument != nullptr && shape.size() == argument->dims.size() + 1 &&
         shape[0] == request.devices;
}

/// The shape of what all devices have of a tensor.
std::vector<uint64_t> stacked(std::vector<uint64_t> shape, uint64_t devices) {
  if (devices > 1) shape.insert(shape.begin(), devices);
  return shape;
}

/// Arrays of the inputs that come from files, in the order of the request; generated ones are empty.
Result<std::vector<Array>> readFiles(const abi::KernelSpec& spec, const RunRequest& request,
                                     std::vector<abi::GivenInput>& given) {
  std::vector<Array> arrays(request.inputs.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const InputSource& input = request.inputs[i];
    const abi::KernelArgument* argument = spec.argument(input.name);
    if (isGenerator(input.source)) {
      given.push_back({input.name, std::nullopt, input.shape});
      if (input.shape && isSplit(argument, *input.shape, request))
        given.back().shape->erase(given.back().shape->begin());
      continue;
    }
    Result<Array> array =
        readArray(input.source, argument != nullptr ? std::optional(argument->type) : std::nullopt);
    if (!array.ok()) return Error{fmt::format("--in {}: {}", input.name, array.error().message)};
    given.push_back({input.name, array->type, array->shape});
    if (isSplit(argument, array->shape, request))
      given.back().shape->erase(given.back().shape->begin());
    arrays[i] = *std::move(array);
  }
  return arrays;
}

/// The data of an in or inout tensor, of all devices if it is split, now that its shape is known.
Result<Array> inputData(const abi::BoundArgument& argument, const RunRequest& request,
                        std::vector<Array>& files) {
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const InputSource& input = request.inputs[i];
    if (input.name != argument.name) continue;
    if (!isGenerator(input.source)) return std::move(files[i]);
    const bool split = input.shape && input.shape->size() > argument.shape.size();
    Result<Array> array =
        generate(input.source, argument.type, stacked(argument.shape, split ? request.devices : 1));
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
  launch.devices = static_cast<unsigned>(request.devices);
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
    launch.tensors.push_back({argument, 0, *bytes, data.shape.size() > argument.shape.size()});
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
    if (tensor.argument.direction == abi::Direction::Out || tensor.bytes == 0) continue;
    for (unsigned device = 0; device < launch.devices; ++device) {
      const std::span<const std::byte> all = launch.inputs[i].data;
      ETALON_RETURN_IF_ERROR(
          memory.write(launch.deviceField(device) | *address,
                       tensor.split ? all.subspan(device * tensor.bytes, tensor.bytes) : all));
    }
  }
  const std::vector<std::byte> block = launch.binding.argumentBlock(addresses);
  const Result<uint64_t> address = memory.allocate(block.size(), "the argument block");
  if (!address.ok()) return address.error();
  for (unsigned device = 0; device < launch.devices && !block.empty(); ++device)
    ETALON_RETURN_IF_ERROR(memory.write(launch.deviceField(device) | *address, block));
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
  Result<Array> array =
      makeArray(tensor.argument.type, stacked(tensor.argument.shape, request.devices));
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
    for (unsigned i = 0; i < launch.devices && tensor.bytes != 0; ++i) {
      const uint64_t address = launch.deviceField(i) | tensor.address;
      const uint64_t begin = i * tensor.bytes;
      ETALON_RETURN_IF_ERROR(
          device.read(address, std::span(output.array.data).subspan(begin, tensor.bytes)));
      const auto at = device.memory().find(0, address, tensor.bytes);
      const auto element = [&](uint64_t byte) {
        return (begin + byte) * 8 / static_cast<unsigned>(elementInfo(tensor.argument.type).bits);
      };
      const auto byte = at->region->init.firstUnset(at->offset, tensor.bytes);
      if (byte && !output.first_unwritten) output.first_unwritten = element(*byte - at->offset);
      const auto poisoned = device.firstPoisoned(address, tensor.bytes);
      if (poisoned && !output.first_left_out) output.first_left_out = element(*poisoned - address);
    }
  }
  return outputs;
}

}  // namespace etalon::tools
