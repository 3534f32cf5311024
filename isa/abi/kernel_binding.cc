// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/kernel_binding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <map>

#include "isa/base/bits.h"
#include "isa/base/number.h"
#include "isa/base/text.h"

namespace etalon::abi {
namespace {

constexpr int64_t kMostExtent = (int64_t{1} << 48) - 1;  // what a view descriptor holds

class Binder {
 public:
  Binder(const KernelSpec& spec, const std::vector<GivenInput>& inputs)
      : spec_(spec), inputs_(inputs) {}

  Status takeValue(const GivenValue& value);
  Status checkInputs() const;
  Status unifyShapes();
  Status takeDefaults();
  Result<std::vector<uint64_t>> shapeOf(const KernelArgument& argument) const;
  Binding finish(std::map<std::string, std::vector<uint64_t>> shapes) const;

 private:
  struct Known {
    int64_t value;
    std::string by;  // `A (axis 1)`, `--arg K`
  };

  const GivenInput* given(const std::string& name) const;
  Status unify(const std::string& name, uint64_t extent, const std::string& by);
  std::optional<int64_t> lookup(std::string_view name) const;
  Error missingSymbol(const KernelArgument& argument, const std::string& symbol) const;
  std::string attributeValue(const std::string& text) const;
  std::string attributeElement(std::string_view text) const;

  const KernelSpec& spec_;
  const std::vector<GivenInput>& inputs_;
  std::map<std::string, Known, std::less<>> integers_;   // symbols and integer scalars
  std::map<std::string, uint32_t, std::less<>> floats_;  // f32 scalars, bits
};

std::string argumentNames(const KernelSpec& spec, bool tensors) {
  std::vector<std::string> names;
  for (const KernelArgument& argument : spec.arguments)
    if (argument.is_tensor == tensors && (!tensors || argument.direction != Direction::Out))
      names.push_back(argument.name);
  if (!tensors) names.insert(names.end(), spec.symbols.begin(), spec.symbols.end());
  return names.empty() ? "none" : joined(names);
}

const GivenInput* Binder::given(const std::string& name) const {
  for (const GivenInput& input : inputs_)
    if (input.name == name) return &input;
  return nullptr;
}

std::optional<int64_t> Binder::lookup(std::string_view name) const {
  const auto found = integers_.find(name);
  return found == integers_.end() ? std::nullopt : std::optional(found->second.value);
}

Status Binder::takeValue(const GivenValue& value) {
  const KernelArgument* argument = spec_.argument(value.name);
  if (argument != nullptr && argument->is_tensor)
    return Error{fmt::format("--arg {}: {} is a tensor, {}: give it with --in", value.name,
                             value.name, argument->typeText())};
  if (argument == nullptr && !spec_.isSymbol(value.name))
    return Error{fmt::format("--arg {}: {} has no such scalar or symbol; it has: {}",
                             quote(value.name), spec_.name, argumentNames(spec_, false))};
  const std::string by = "--arg " + value.name;
  if (integers_.contains(value.name) || floats_.contains(value.name))
    return Error{by + " is given twice"};
  const ElementType type = argument != nullptr ? argument->type : ElementType::i64;
  Result<uint64_t> slot = parseScalarSlot(type, value.text);
  if (!slot.ok()) return Error{fmt::format("{}: {}", by, slot.error().message)};
  if (type == ElementType::f32) {
    floats_[value.name] = static_cast<uint32_t>(*slot);
    return {};
  }
  const auto integer = static_cast<int64_t>(*slot);
  if (argument == nullptr && (integer < 0 || integer > kMostExtent))
    return Error{fmt::format("{}: {} is no extent; it may be 0 to 2^48 - 1", by, integer)};
  integers_[value.name] = {integer, by};
  return {};
}

Status Binder::checkInputs() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const GivenInput& input = inputs_[i];
    const KernelArgument* argument = spec_.argument(input.name);
    if (argument == nullptr || !argument->is_tensor)
      return Error{fmt::format("--in {}: {} has no such tensor; its inputs: {}", quote(input.name),
                               spec_.name, argumentNames(spec_, true))};
    if (argument->direction == Direction::Out)
      return Error{fmt::format("--in {}: {} is an output, {}", input.name, input.name,
                               argument->typeText())};
    if (given(input.name) != &input)
      return Error{fmt::format("--in {} is given twice", input.name)};
    if (input.type && *input.type != argument->type)
      return Error{fmt::format("{} is given as {}, but {} takes {}: convert it first", input.name,
                               elementInfo(*input.type).name, spec_.name, argument->typeText())};
    if (input.shape && input.shape->size() != argument->dims.size())
      return Error{fmt::format("{} is given with shape [{}], but {} takes {}", input.name,
                               fmt::join(*input.shape, ", "), spec_.name, argument->typeText())};
  }
  for (const KernelArgument& argument : spec_.arguments)
    if (argument.is_tensor && argument.direction != Direction::Out &&
        given(argument.name) == nullptr)
      return Error{fmt::format(
          "no input for {}, {}: give --in {}=FILE, --in {}=random:SEED or --in {}=zeros",
          argument.name, argument.typeText(), argument.name, argument.name, argument.name)};
  return {};
}

Status Binder::unify(const std::string& name, uint64_t extent, const std::string& by) {
  if (extent > static_cast<uint64_t>(kMostExtent))
    return Error{fmt::format("{} is {} by {}; an extent may be 0 to 2^48 - 1", name, extent, by)};
  const auto value = static_cast<int64_t>(extent);
  const auto [entry, is_new] = integers_.emplace(name, Known{value, by});
  if (!is_new && entry->second.value != value)
    return Error{fmt::format("{} is {} by {} but {} by {}", name, entry->second.value,
                             entry->second.by, value, by)};
  const KernelArgument* scalar = spec_.argument(name);
  if (is_new && scalar != nullptr)
    if (Result<uint64_t> slot = parseScalarSlot(scalar->type, fmt::format("{}", value)); !slot.ok())
      return Error{fmt::format("{} by {}: {}", name, by, slot.error().message)};
  return {};
}

Status Binder::unifyShapes() {
  for (const KernelArgument& argument : spec_.arguments) {
    const GivenInput* input = argument.is_tensor ? given(argument.name) : nullptr;
    if (input == nullptr || !input->shape) continue;
    for (size_t axis = 0; axis < argument.dims.size(); ++axis)
      if (const std::optional<std::string> name = argument.dims[axis].plainName())
        ETALON_RETURN_IF_ERROR(
            unify(*name, (*input->shape)[axis], fmt::format("{} (axis {})", argument.name, axis)));
  }
  return {};
}

Status Binder::takeDefaults() {
  for (const KernelArgument& argument : spec_.arguments) {
    if (argument.is_tensor || integers_.contains(argument.name) || floats_.contains(argument.name))
      continue;
    if (!argument.default_slot)
      return Error{fmt::format("the scalar {} ({}) has no value: give --arg {}=...", argument.name,
                               argument.typeText(), argument.name)};
    if (argument.type == ElementType::f32)
      floats_[argument.name] = static_cast<uint32_t>(*argument.default_slot);
    else
      integers_[argument.name] = {static_cast<int64_t>(*argument.default_slot), "its default"};
  }
  return {};
}

Error Binder::missingSymbol(const KernelArgument& argument, const std::string& symbol) const {
  std::string message = fmt::format("the shape of {}, {}, needs {}: give --arg {}=...",
                                    argument.name, argument.typeText(), symbol, symbol);
  for (const KernelArgument& other : spec_.arguments)
    for (size_t axis = 0; other.direction != Direction::Out && axis < other.dims.size(); ++axis)
      if (other.dims[axis].plainName() == symbol)
        return Error{fmt::format("{} or an array for {} (axis {})", message, other.name, axis)};
  return Error{message};
}

Result<std::vector<uint64_t>> Binder::shapeOf(const KernelArgument& argument) const {
  const NameLookup look = [this](std::string_view name) { return lookup(name); };
  const GivenInput* input = given(argument.name);
  std::vector<uint64_t> shape;
  for (const DimExpression& extent : argument.dims) {
    for (const std::string& name : extent.names())
      if (!lookup(name)) return missingSymbol(argument, name);
    const size_t axis = shape.size();
    Result<int64_t> value = evaluate(extent, look);
    if (!value.ok())
      return Error{fmt::format("{} (axis {}): {}", argument.name, axis, value.error().message)};
    if (*value < 0 || *value > kMostExtent)
      return Error{
          fmt::format("{} (axis {}) would have the extent {} = {}{}; it may be 0 to 2^48 - 1",
                      argument.name, axis, extent.text, *value, valuesOfNames(extent, look))};
    if (input != nullptr && input->shape && (*input->shape)[axis] != static_cast<uint64_t>(*value))
      return Error{fmt::format("{} (axis {}) is given with {}, but {} = {}{}", argument.name, axis,
                               (*input->shape)[axis], extent.text, *value,
                               valuesOfNames(extent, look))};
    shape.push_back(static_cast<uint64_t>(*value));
  }
  return shape;
}

std::string Binder::attributeElement(std::string_view text) const {
  if (const auto real = floats_.find(text); real != floats_.end())
    return fmt::format("{}", std::bit_cast<float>(real->second));
  const Result<DimExpression> expression = parseDimExpression(text);
  if (!expression.ok()) return std::string(text);
  const Result<int64_t> value =
      evaluate(*expression, [this](std::string_view name) { return lookup(name); });
  return value.ok() ? fmt::format("{}", *value) : std::string(text);
}

std::string Binder::attributeValue(const std::string& text) const {
  if (!text.starts_with('[') || !text.ends_with(']')) return attributeElement(text);
  std::string_view rest = std::string_view(text).substr(1, text.size() - 2);
  std::vector<std::string> elements;
  while (!rest.empty()) {
    const std::string_view element = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(element.size() + 1, rest.size()));
    const size_t begin = std::min(element.find_first_not_of(' '), element.size());
    elements.push_back(
        attributeElement(element.substr(begin, element.find_last_not_of(' ') + 1 - begin)));
  }
  return fmt::format("[{}]", joined(elements));
}

Binding Binder::finish(std::map<std::string, std::vector<uint64_t>> shapes) const {
  Binding binding;
  for (const KernelArgument& argument : spec_.arguments) {
    BoundArgument bound{
        argument.name, argument.direction, argument.is_tensor, argument.type, {}, 0};
    if (argument.is_tensor)
      bound.shape = std::move(shapes[argument.name]);
    else if (argument.type == ElementType::f32)
      bound.slot = floats_.find(argument.name)->second;
    else
      bound.slot = static_cast<uint64_t>(*lookup(argument.name));
    binding.arguments.push_back(std::move(bound));
  }
  for (const std::string& symbol : spec_.symbols)
    binding.symbols.emplace_back(symbol, *lookup(symbol));
  if (spec_.check)
    for (const auto& [key, text] : spec_.check->attributes)
      binding.attributes.emplace_back(key, attributeValue(text));
  return binding;
}

}  // namespace

Result<Binding> bindKernel(const KernelSpec& spec, const std::vector<GivenInput>& inputs,
                           const std::vector<GivenValue>& values) {
  Binder binder(spec, inputs);
  for (const GivenValue& value : values) ETALON_RETURN_IF_ERROR(binder.takeValue(value));
  ETALON_RETURN_IF_ERROR(binder.checkInputs());
  ETALON_RETURN_IF_ERROR(binder.unifyShapes());
  ETALON_RETURN_IF_ERROR(binder.takeDefaults());
  std::map<std::string, std::vector<uint64_t>> shapes;
  for (const KernelArgument& argument : spec.arguments) {
    if (!argument.is_tensor) continue;
    Result<std::vector<uint64_t>> shape = binder.shapeOf(argument);
    if (!shape.ok()) return shape.error();
    shapes[argument.name] = *std::move(shape);
  }
  return binder.finish(std::move(shapes));
}

std::vector<std::byte> Binding::argumentBlock(std::span<const uint64_t> addresses) const {
  std::vector<uint64_t> words;
  for (const BoundArgument& argument : arguments) {
    if (!argument.is_tensor) {
      words.push_back(argument.slot);
      continue;
    }
    ETALON_CHECK(!addresses.empty(), "an address for each tensor");
    words.push_back(addresses.front());
    addresses = addresses.subspan(1);
  }
  ETALON_CHECK(addresses.empty(), "more addresses than tensors");
  for (const auto& [name, value] : symbols) words.push_back(static_cast<uint64_t>(value));
  std::vector<std::byte> block(words.size() * 8);
  for (size_t i = 0; i < words.size(); ++i) storeBytes(&block[i * 8], words[i]);
  return block;
}

}  // namespace etalon::abi
