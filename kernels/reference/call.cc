// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/base/number.h"
#include "isa/base/text.h"

namespace etalon::kernels {
namespace {

std::string typeNames(std::initializer_list<ElementType> types) {
  std::vector<std::string> names;
  for (const ElementType type : types) names.emplace_back(elementInfo(type).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool contains(std::initializer_list<ElementType> types, ElementType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

const Array* find(std::span<const NamedArray> arguments, std::string_view name) {
  for (const NamedArray& argument : arguments)
    if (argument.name == name) return argument.array;
  return nullptr;
}

}  // namespace

Result<Call> Call::create(const abi::CheckSpec& spec, std::span<const NamedArray> arguments,
                          const std::map<std::string, double>& scalars) {
  Call call;
  call.operation_ = spec.operation;
  call.attributes_ = spec.attributes;
  call.scalars_ = scalars;
  for (const NamedArray& argument : arguments) {
    const Result<uint64_t> bytes = abi::arrayBytes(argument.array->type, argument.array->shape);
    if (!bytes.ok()) return call.error(bytes.error().message);
    if (*bytes != argument.array->data.size())
      return call.error(fmt::format("{}: {} takes {} bytes, but has {}", argument.name,
                                    abi::describe(argument.array->type, argument.array->shape),
                                    *bytes, argument.array->data.size()));
  }
  for (const std::string& name : spec.inputs) {
    const Array* array = find(arguments, name);
    const auto scalar = scalars.find(name);
    if (array == nullptr && scalar == scalars.end())
      return call.error(fmt::format("input {} is no argument that was given", quote(name)));
    call.inputs_.push_back({name, array, array == nullptr ? scalar->second : 0});
  }
  if (spec.outputs.empty()) return call.error("no output");
  const Result<bool> saturate = call.flag("saturate");
  if (!saturate.ok()) return saturate.error();
  for (const std::string& name : spec.outputs) {
    const Array* array = find(arguments, name);
    if (array == nullptr)
      return call.error(fmt::format("output {} is no array that was given", quote(name)));
    call.outputs_.push_back({name, array, *saturate});
  }
  return call;
}

Error Call::error(std::string_view what) const {
  return Error{fmt::format("check {}: {}", operation_, what)};
}

std::string Call::describeInput(size_t index) const {
  const CallInput& input = inputs_[index];
  if (input.array == nullptr) return fmt::format("{}: scalar", input.name);
  return fmt::format("{}: {}", input.name, abi::describe(input.array->type, input.array->shape));
}

Status Call::expectInputs(size_t least, size_t most, std::string_view usage, size_t outputs) const {
  if (inputs_.size() < least || inputs_.size() > most)
    return error(fmt::format("{} inputs; it is used as {}", inputs_.size(), usage));
  if (outputs_.size() != outputs)
    return error(fmt::format("{} outputs; it is used as {}", outputs_.size(), usage));
  return {};
}

Result<const Array*> Call::array(size_t index, std::initializer_list<ElementType> types) const {
  const Array* array = inputs_[index].array;
  if (array == nullptr || !contains(types, array->type))
    return error(
        fmt::format("{}; it must be an array of {}", describeInput(index), typeNames(types)));
  return array;
}

Status Call::expectOutputType(std::initializer_list<ElementType> types, size_t output) const {
  if (contains(types, outputType(output))) return {};
  return error(fmt::format("output {} is {}; from these inputs it may be {}", outputs_[output].name,
                           elementInfo(outputType(output)).name, typeNames(types)));
}

Status Call::expectOutputShape(const Shape& shape, size_t output) const {
  if (outputShape(output) == shape) return {};
  std::vector<std::string> inputs;
  inputs.reserve(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) inputs.push_back(describeInput(i));
  return error(fmt::format("output {} has the shape [{}]; from {} it would be [{}]",
                           outputs_[output].name, fmt::join(outputShape(output), ", "),
                           joined(inputs), fmt::join(shape, ", ")));
}

Status Call::expectAttributes(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, value] : attributes_) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return error(
        fmt::format("unknown attribute {}; it has {}", quote(key),
                    known.size() == 0 ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  }
  return {};
}

std::optional<std::string> Call::text(std::string_view key) const {
  for (const auto& [name, value] : attributes_)
    if (name == key) return value;
  return std::nullopt;
}

Result<double> Call::real(std::string_view key, double fallback) const {
  const std::optional<std::string> written = text(key);
  if (!written) return fallback;
  if (const auto scalar = scalars_.find(*written); scalar != scalars_.end()) return scalar->second;
  const Result<float> value = parseFloat(*written);
  if (!value.ok()) return error(fmt::format("attribute {}: {}", key, value.error().message));
  return static_cast<double>(*value);
}

Result<int64_t> Call::integer(std::string_view key, int64_t low, int64_t high,
                              int64_t fallback) const {
  const Result<std::vector<int64_t>> one = integers(key, 1, low, high, fallback);
  if (!one.ok()) return one.error();
  return one->front();
}

Result<std::vector<int64_t>> Call::integers(std::string_view key, size_t count, int64_t low,
                                            int64_t high, int64_t fallback) const {
  const std::optional<std::string> written = text(key);
  if (!written) return std::vector<int64_t>(count, fallback);
  std::string_view rest = *written;
  const bool list = rest.starts_with('[') && rest.ends_with(']');
  if (list) rest = rest.substr(1, rest.size() - 2);
  std::vector<int64_t> values;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    word = word.substr(0, word.find_last_not_of(' ') + 1);
    const auto scalar = scalars_.find(std::string(word));
    const Result<int64_t> value = scalar == scalars_.end()
                                      ? parseSigned(word)
                                      : Result<int64_t>(static_cast<int64_t>(scalar->second));
    if (!value.ok()) return error(fmt::format("attribute {}: {}", key, value.error().message));
    if (*value < low || *value > high)
      return error(fmt::format("attribute {} is {}; it may be {} to {}", key, *value, low, high));
    values.push_back(*value);
  }
  if (!list && values.size() == 1) values.resize(count, values.front());
  if (values.size() != count)
    return error(fmt::format("attribute {} is {}; it has {} number(s)", key, *written, count));
  return values;
}

Result<bool> Call::flag(std::string_view key) const {
  const Result<int64_t> value = integer(key, 0, 1, 0);
  if (!value.ok()) return value.error();
  return *value != 0;
}

Result<std::string> Call::choice(std::string_view key,
                                 std::initializer_list<std::string_view> of) const {
  const std::optional<std::string> written = text(key);
  if (!written) return std::string(*of.begin());
  if (std::find(of.begin(), of.end(), *written) != of.end()) return *written;
  return error(
      fmt::format("attribute {} is {}; it may be {}", key, quote(*written), fmt::join(of, ", ")));
}

}  // namespace etalon::kernels
