// SPDX-License-Identifier: Apache-2.0
#include "isa/contracts/contract_loader.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "isa/base/file.h"
#include "isa/base/share_folder.h"
#include "isa/base/text.h"
#include "isa/contracts/contract_reader.h"

namespace etalon::isa {
namespace {

using numerics::Contract;
using numerics::ProductOverride;

/// Tables of 16-bit types are large.
constexpr size_t kMostBytes = 16 << 20;

constexpr ElementType kSourceTypes[] = {
    ElementType::f4e2m1, ElementType::f8e4m3, ElementType::f8e5m2, ElementType::f16,
    ElementType::bf16,   ElementType::f32,    ElementType::i4,     ElementType::u4,
    ElementType::i8,     ElementType::u8};

Status readTypes(const YamlValue& map, std::string_view key, std::vector<ElementType>& types) {
  const Result<YamlValue> value = map.at(key);
  if (!value.ok()) return value.error();
  const Result<std::vector<YamlValue>> items = value->asList();
  if (!items.ok()) return items.error();
  if (items->empty()) return value->error("names no type");
  std::vector<std::string_view> words;
  for (const ElementType type : kSourceTypes) words.push_back(elementInfo(type).name);
  for (const YamlValue& item : *items) {
    const Result<size_t> index = readWord(item, words.data(), words.size());
    if (!index.ok()) return index.error();
    for (const ElementType type : types)
      if (type == kSourceTypes[*index])
        return item.error(fmt::format("{} stands twice", words[*index]));
    types.push_back(kSourceTypes[*index]);
  }
  return {};
}

/// A pair in two overrides would have two rules.
Status checkPairs(const YamlValue& value, const std::vector<ProductOverride>& earlier,
                  const ProductOverride& added) {
  for (const ElementType a : added.a)
    for (const ElementType b : added.b)
      for (size_t i = 0; i < earlier.size(); ++i)
        for (const ElementType x : earlier[i].a)
          for (const ElementType y : earlier[i].b)
            if (x == a && y == b)
              return value.error(fmt::format("the pair {} x {} has a rule in overrides[{}] already",
                                             elementInfo(a).name, elementInfo(b).name, i));
  return {};
}

Status readMultiply(const YamlValue& root, Contract& contract) {
  const std::optional<YamlValue> map = root.find("multiply");
  if (!map) return {};
  ETALON_RETURN_IF_ERROR(map->allowKeys({"default", "overrides"}));
  if (const std::optional<YamlValue> rule = map->find("default"))
    ETALON_RETURN_IF_ERROR(readProductRule(*rule, contract.product));
  const std::optional<YamlValue> overrides = map->find("overrides");
  if (!overrides) return {};
  const Result<std::vector<YamlValue>> items = overrides->asList();
  if (!items.ok()) return items.error();
  for (const YamlValue& item : *items) {
    ETALON_RETURN_IF_ERROR(item.allowKeys({"a", "b", "rule"}));
    ProductOverride added;
    ETALON_RETURN_IF_ERROR(readTypes(item, "a", added.a));
    ETALON_RETURN_IF_ERROR(readTypes(item, "b", added.b));
    ETALON_RETURN_IF_ERROR(checkPairs(item, contract.overrides, added));
    const Result<YamlValue> rule = item.at("rule");
    if (!rule.ok()) return rule.error();
    ETALON_RETURN_IF_ERROR(readProductRule(*rule, added.rule));
    contract.overrides.push_back(std::move(added));
  }
  return {};
}

Status readNames(const YamlValue& root, const std::string& path, Contract& contract) {
  for (const auto& [key, target] :
       {std::pair{"name", &contract.name}, std::pair{"title", &contract.title}}) {
    const Result<YamlValue> value = root.at(key);
    if (!value.ok()) return value.error();
    const Result<std::string> text = value->asString();
    if (!text.ok()) return text.error();
    *target = *text;
  }
  const Result<YamlValue> name = root.at("name");
  const std::string stem = std::filesystem::path(path).stem().string();
  if (contract.name != stem)
    return name->error(
        fmt::format("{} is not the name of the file; expected '{}'", quote(contract.name), stem));
  if (contract.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") !=
      std::string::npos)
    return name->error(fmt::format("{} may hold a-z, 0-9, _ and - only", quote(contract.name)));
  if (contract.name == Contract().name)
    return name->error(
        fmt::format("{} is the name of the standard's own arithmetic", quote(contract.name)));
  return {};
}

}  // namespace

Result<Contract> loadContract(const std::string& path) {
  const Result<std::string> text = readFile(path);
  if (!text.ok()) return text.error();
  return parseContract(*text, path);
}

Result<Contract> parseContract(std::string_view text, const std::string& path) {
  const Result<YamlDocument> document = YamlDocument::parse(text, path, kMostBytes);
  if (!document.ok()) return document.error();
  const YamlValue root = document->root();
  ETALON_RETURN_IF_ERROR(root.allowKeys(
      {"name", "title", "multiply", "arithmetic", "conversions", "reductions", "functions"}));
  Contract contract;
  ETALON_RETURN_IF_ERROR(readNames(root, path, contract));
  ETALON_RETURN_IF_ERROR(readMultiply(root, contract));
  ETALON_RETURN_IF_ERROR(readVectorContract(root, contract.vector));
  contract.hash = contractHash(contract);
  return contract;
}

Result<std::string> findContract(const std::string& name_or_path) {
  const bool is_path = name_or_path.find('/') != std::string::npos ||
                       name_or_path.ends_with(".json") || name_or_path.ends_with(".yaml");
  if (is_path) return name_or_path;
  const Result<std::vector<std::string>> files = listFiles(isaFolder() + "/contracts", ".json");
  if (!files.ok()) return files.error();
  std::vector<std::string> known;
  for (const std::string& path : *files) {
    known.push_back(std::filesystem::path(path).stem().string());
    if (known.back() == name_or_path) return path;
  }
  return Error{fmt::format("unknown contract {}; known: {} (or give the path of a .json file)",
                           quote(name_or_path), joined(known))};
}

Result<Contract> openContract(const std::string& name_or_path) {
  const Result<std::string> path = findContract(name_or_path);
  if (!path.ok()) return path.error();
  return loadContract(*path);
}

}  // namespace etalon::isa
