// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/kernel_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "isa/abi/spec_cursor.h"
#include "isa/base/number.h"
#include "isa/base/text.h"

namespace etalon::abi {
namespace {

std::string elementTypeList() {
  std::vector<std::string> names;
  for (const ElementInfo& info : kElementInfo) names.emplace_back(info.name);
  return joined(names);
}

bool isScalarType(ElementType type) {
  return type == ElementType::i32 || type == ElementType::i64 || type == ElementType::u32 ||
         type == ElementType::f32;
}

class SpecParser {
 public:
  explicit SpecParser(std::string_view text) : cursor_(text) {}

  Result<KernelSpec> parse() {
    Result<std::string> name = cursor_.name("the kernel's name");
    if (!name.ok()) return name.error();
    spec_.name = *name;
    ETALON_RETURN_IF_ERROR(cursor_.expect("(", "the kernel's name"));
    if (!cursor_.take(")")) {
      do {
        ETALON_RETURN_IF_ERROR(argument());
      } while (cursor_.take(","));
      if (!cursor_.take(")")) return cursor_.expected("',' or ')' after an argument");
    }
    ETALON_RETURN_IF_ERROR(resolveNames());
    if (cursor_.takeWord("check")) ETALON_RETURN_IF_ERROR(check());
    if (!cursor_.atEnd()) return cursor_.expected("'check' or the end");
    return std::move(spec_);
  }

 private:
  Status argument() {
    KernelArgument argument;
    cursor_.skipBlanks();
    const size_t begin = cursor_.position();
    bool qualified = true;
    if (cursor_.takeQualifier("out"))
      argument.direction = Direction::Out;
    else if (cursor_.takeQualifier("inout"))
      argument.direction = Direction::InOut;
    else
      qualified = cursor_.takeQualifier("in");
    cursor_.skipBlanks();
    const size_t at = cursor_.position();
    Result<std::string> name =
        cursor_.name(qualified ? "an argument's name" : "an argument (NAME: TYPE)");
    if (!name.ok()) return name.error();
    argument.name = *name;
    if (spec_.argument(*name) != nullptr)
      return cursor_.errorAt(at, fmt::format("argument '{}' stands twice", *name));
    ETALON_RETURN_IF_ERROR(cursor_.expect(":", fmt::format("the argument's name '{}'", *name)));
    ETALON_RETURN_IF_ERROR(type(argument));
    if (!argument.is_tensor && argument.direction != Direction::In)
      return cursor_.errorAt(
          begin,
          fmt::format("the scalar '{}' can only be in: return it in a tensor of one element, {}[1]",
                      argument.name, elementInfo(argument.type).name));
    if (spec_.arguments.size() >= kMostArguments)
      return cursor_.errorAt(begin, fmt::format("more than {} arguments", kMostArguments));
    spec_.arguments.push_back(std::move(argument));
    return {};
  }

  Status type(KernelArgument& argument) {
    cursor_.skipBlanks();
    const size_t at = cursor_.position();
    Result<std::string> word = cursor_.name("an element type");
    if (!word.ok()) return word.error();
    const std::optional<ElementType> type = elementTypeNamed(*word);
    if (!type)
      return cursor_.errorAt(
          at, fmt::format("unknown element type '{}'; known: {}", *word, elementTypeList()));
    argument.type = *type;
    argument.is_tensor = cursor_.take("[");
    if (argument.is_tensor) return dims(argument);
    if (!isScalarType(*type))
      return cursor_.errorAt(
          at,
          fmt::format("a scalar cannot be {}; it can be i32, i64, u32 or f32 (a tensor is {}[...])",
                      *word, *word));
    if (!cursor_.take("=")) return {};
    cursor_.skipBlanks();
    const size_t value_at = cursor_.position();
    const std::string_view text = cursor_.numberText();
    Result<uint64_t> slot = parseScalarSlot(*type, text);
    if (!slot.ok()) return cursor_.errorAt(value_at, slot.error().message);
    argument.default_slot = *slot;
    return {};
  }

  Status dims(KernelArgument& argument) {
    if (cursor_.take("]")) return {};
    do {
      cursor_.skipBlanks();
      dim_places_.push_back(cursor_.position());
      Result<DimExpression> extent = cursor_.expression();
      if (!extent.ok()) return extent.error();
      argument.dims.push_back(*std::move(extent));
    } while (cursor_.take(","));
    if (!cursor_.take("]")) return cursor_.expected("',' or ']' after an extent");
    return {};
  }

  /// Tells symbols from scalar arguments, once all arguments are known.
  Status resolveNames() {
    size_t place = 0;
    for (const KernelArgument& argument : spec_.arguments) {
      for (const DimExpression& extent : argument.dims) {
        const size_t at = dim_places_[place++];
        for (const std::string& name : extent.names()) {
          const KernelArgument* named = spec_.argument(name);
          if (named != nullptr && !named->isInteger())
            return cursor_.errorAt(at, fmt::format("'{}' is {}, and an extent needs an integer",
                                                   name, named->typeText()));
          if (named != nullptr || spec_.isSymbol(name)) continue;
          if (spec_.symbols.size() >= kMostArguments)
            return cursor_.errorAt(at, fmt::format("more than {} symbols", kMostArguments));
          spec_.symbols.push_back(name);
        }
      }
    }
    return {};
  }

  Status check() {
    CheckSpec check;
    Result<std::string> operation = cursor_.name("the operation to check against");
    if (!operation.ok()) return operation.error();
    check.operation = *operation;
    ETALON_RETURN_IF_ERROR(cursor_.expect("(", "the operation"));
    if (!cursor_.take(")")) {
      do {
        ETALON_RETURN_IF_ERROR(checkOperand(check.inputs, false));
      } while (cursor_.take(","));
      ETALON_RETURN_IF_ERROR(cursor_.expect(")", "the inputs of the check"));
    }
    ETALON_RETURN_IF_ERROR(cursor_.expect("->", "the inputs of the check"));
    do {
      ETALON_RETURN_IF_ERROR(checkOperand(check.outputs, true));
    } while (cursor_.take(","));
    if (cursor_.takeWord("with")) {
      do {
        ETALON_RETURN_IF_ERROR(attribute(check));
      } while (cursor_.take(","));
    }
    spec_.check = std::move(check);
    return {};
  }

  Status checkOperand(std::vector<std::string>& into, bool output) {
    cursor_.skipBlanks();
    const size_t at = cursor_.position();
    Result<std::string> name = cursor_.name("an argument's name");
    if (!name.ok()) return name.error();
    const KernelArgument* argument = spec_.argument(*name);
    if (argument == nullptr)
      return cursor_.errorAt(at, fmt::format("the check names '{}', which is no argument", *name));
    if (output && argument->direction == Direction::In)
      return cursor_.errorAt(
          at, fmt::format("the check's output '{}' is an input of the kernel", *name));
    if (!output && argument->direction == Direction::Out)
      return cursor_.errorAt(
          at, fmt::format("the check's input '{}' is an output of the kernel", *name));
    into.push_back(*name);
    return {};
  }

  Status attribute(CheckSpec& check) {
    cursor_.skipBlanks();
    const size_t at = cursor_.position();
    Result<std::string> key = cursor_.name("an attribute (key=value)");
    if (!key.ok()) return key.error();
    for (const auto& [other, value] : check.attributes)
      if (other == *key)
        return cursor_.errorAt(at, fmt::format("attribute '{}' stands twice", *key));
    ETALON_RETURN_IF_ERROR(cursor_.expect("=", fmt::format("the attribute '{}'", *key)));
    const std::string_view value = cursor_.valueText();
    if (value.empty()) return cursor_.expected(fmt::format("a value for the attribute '{}'", *key));
    check.attributes.emplace_back(*key, value);
    return {};
  }

  SpecCursor cursor_;
  KernelSpec spec_;
  std::vector<size_t> dim_places_;  // of every extent, in order
};

}  // namespace

std::string KernelArgument::typeText() const {
  std::vector<std::string> texts;
  for (const DimExpression& extent : dims) texts.push_back(extent.text);
  return is_tensor ? fmt::format("{}[{}]", elementInfo(type).name, joined(texts))
                   : std::string(elementInfo(type).name);
}

const KernelArgument* KernelSpec::argument(std::string_view name) const {
  for (const KernelArgument& argument : arguments)
    if (argument.name == name) return &argument;
  return nullptr;
}

bool KernelSpec::isSymbol(std::string_view name) const {
  return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
}

Result<KernelSpec> parseKernelSpec(std::string_view text) {
  if (text.size() > kMostSpecBytes)
    return Error{
        fmt::format("kernel spec of {} bytes; the limit is {}", text.size(), kMostSpecBytes)};
  return SpecParser(text).parse();
}

Result<DimExpression> parseDimExpression(std::string_view text) {
  if (text.size() > kMostSpecBytes)
    return Error{
        fmt::format("an extent of {} bytes; the limit is {}", text.size(), kMostSpecBytes)};
  SpecCursor cursor(text);
  Result<DimExpression> extent = cursor.expression();
  if (extent.ok() && !cursor.atEnd()) return cursor.expected("the end of the extent");
  return extent;
}

Result<uint64_t> parseScalarSlot(ElementType type, std::string_view text) {
  if (type == ElementType::f32) {
    Result<float> value = parseFloat(text);
    if (!value.ok()) return value.error();
    return std::bit_cast<uint32_t>(*value);
  }
  Result<int64_t> value = parseSigned(text);
  if (!value.ok()) return value.error();
  int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  if (type == ElementType::i32)
    least = std::numeric_limits<int32_t>::min(), most = std::numeric_limits<int32_t>::max();
  if (type == ElementType::u32) least = 0, most = std::numeric_limits<uint32_t>::max();
  if (*value < least || *value > most)
    return Error{fmt::format("{} is outside {} to {}, the range of {}", *value, least, most,
                             elementInfo(type).name)};
  return static_cast<uint64_t>(*value);
}

}  // namespace etalon::abi
