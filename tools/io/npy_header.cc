// SPDX-License-Identifier: Apache-2.0
#include "tools/io/npy_header.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "isa/base/number.h"
#include "isa/base/text.h"
#include "tools/io/array.h"

namespace etalon::tools {
namespace {

/// Reads the few Python literals a header is made of.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : text_(text) {}

  Error error(std::string_view wanted) const {
    return Error{fmt::format("header column {}: expected {}, found {}", at_ + 1, wanted,
                             at_ < text_.size() ? quote(text_.substr(at_, 20)) : "the end")};
  }
  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool take(std::string_view token) {
    skipBlanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool atEnd() {
    skipBlanks();
    return at_ == text_.size();
  }
  Result<std::string> string() {
    skipBlanks();
    const char mark = at_ < text_.size() ? text_[at_] : ' ';
    if (mark == '[')
      return Error{
          "records (a list as descr) are not supported: save each field as an array of its own"};
    const size_t end =
        mark == '\'' || mark == '"' ? text_.find(mark, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return error("a string in quotes");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  Result<bool> boolean() {
    if (take("True")) return true;
    if (take("False")) return false;
    return error("True or False");
  }
  Result<std::vector<uint64_t>> shape() {
    if (!take("(")) return error("a shape such as (3, 4)");
    std::vector<uint64_t> extents;
    while (!take(")")) {
      skipBlanks();
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      Result<uint64_t> extent = parseUnsigned(text_.substr(begin, at_ - begin));
      if (!extent.ok()) {
        at_ = begin;
        return error("an extent (0 to 2^64 - 1)");
      }
      (void)take("L");  // written by Python 2
      extents.push_back(*extent);
      if (extents.size() > kMostArrayRank)
        return error(fmt::format("at most {} extents", kMostArrayRank));
      if (take(",")) continue;
      if (!take(")")) return error("',' or ')'");
      break;
    }
    return extents;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

constexpr std::array<std::pair<std::string_view, ElementType>, 4> kNames{
    {{"bfloat16", ElementType::bf16},
     {"float8_e4m3fn", ElementType::f8e4m3},
     {"float8_e5m2", ElementType::f8e5m2},
     {"float8_e8m0fnu", ElementType::e8m0}}};
// Kind and size as NumPy writes them, without the byte order.
constexpr std::array<std::pair<std::string_view, ElementType>, 11> kCodes{
    {{"i1", ElementType::i8},
     {"u1", ElementType::u8},
     {"i2", ElementType::i16},
     {"u2", ElementType::u16},
     {"i4", ElementType::i32},
     {"u4", ElementType::u32},
     {"i8", ElementType::i64},
     {"f1", ElementType::f8e5m2},
     {"f2", ElementType::f16},
     {"f4", ElementType::f32},
     {"V2", ElementType::bf16}}};

Status readKey(LiteralReader& reader, const std::string& key, NpyHeader& header) {
  if (key == "descr") {
    Result<std::string> descr = reader.string();
    if (!descr.ok()) return descr.error();
    header.descr = *descr;
  } else if (key == "fortran_order") {
    Result<bool> order = reader.boolean();
    if (!order.ok()) return order.error();
    header.fortran_order = *order;
  } else if (key == "shape") {
    Result<std::vector<uint64_t>> shape = reader.shape();
    if (!shape.ok()) return shape.error();
    header.shape = *shape;
  } else {
    return Error{fmt::format("header has an unknown key {}; known: descr, fortran_order, shape",
                             quote(key))};
  }
  return {};
}

}  // namespace

Result<NpyHeader> parseNpyHeader(std::string_view text) {
  LiteralReader reader(text);
  NpyHeader header;
  std::vector<std::string> seen;
  if (!reader.take("{")) return reader.error("'{'");
  while (!reader.take("}")) {
    Result<std::string> key = reader.string();
    if (!key.ok()) return key.error();
    for (const std::string& other : seen)
      if (other == *key) return Error{fmt::format("header has the key {} twice", quote(*key))};
    seen.push_back(*key);
    if (!reader.take(":")) return reader.error("':'");
    ETALON_RETURN_IF_ERROR(readKey(reader, *key, header));
    if (reader.take(",")) continue;
    if (!reader.take("}")) return reader.error("',' or '}'");
    break;
  }
  if (!reader.atEnd()) return reader.error("nothing after '}'");
  if (seen.size() != 3)
    return Error{"header lacks a key; needed: descr, fortran_order, shape; found: " + joined(seen)};
  return header;
}

Result<NpyType> npyType(const std::string& descr, std::optional<ElementType> expected) {
  for (const auto& [name, type] : kNames)
    if (descr == name) return NpyType{type};
  const std::string_view code = descr.size() > 1 ? std::string_view(descr).substr(1) : "";
  const char order = descr.empty() ? ' ' : descr[0];
  const auto refuse = [&](std::string_view why) {
    return Error{fmt::format("element type {} is not supported: {}", quote(descr), why)};
  };
  if (order != '<' && order != '>' && order != '|')
    return refuse("a type begins with '<', '>' or '|'");
  if (code == "b1") return NpyType{ElementType::u8, false, true};
  if (code == "V1") {
    if (expected == ElementType::f8e4m3 || expected == ElementType::f8e5m2 ||
        expected == ElementType::e8m0)
      return NpyType{*expected};
    return refuse(
        expected
            ? fmt::format("one byte of raw data can be f8e4m3, f8e5m2 or e8m0, but {} is wanted",
                          elementInfo(*expected).name)
            : std::string("one byte of raw data can be f8e4m3, f8e5m2 or e8m0, and nothing here "
                          "says which"));
  }
  for (const auto& [known, type] : kCodes) {
    if (code != known) continue;
    if (order == '|' && elementInfo(type).bits > 8 && code[0] != 'V')
      return refuse("it has no byte order");
    return NpyType{type, order == '>' && elementInfo(type).bits > 8};
  }
  if (code == "f8") return refuse("the machine has no float64; save array.astype(numpy.float32)");
  if (code == "u8") return refuse("the machine has no uint64; save array.astype(numpy.int64)");
  return refuse("known: i1 u1 i2 u2 i4 u4 i8 f2 f4 b1, V2 (bf16), V1 and f1 (8-bit floats)");
}

std::optional<std::string_view> npyDescr(ElementType type) {
  switch (type) {
    case ElementType::i8: return "|i1";
    case ElementType::u8: return "|u1";
    case ElementType::i16: return "<i2";
    case ElementType::u16: return "<u2";
    case ElementType::i32: return "<i4";
    case ElementType::u32: return "<u4";
    case ElementType::i64: return "<i8";
    case ElementType::f16: return "<f2";
    case ElementType::f32: return "<f4";
    case ElementType::bf16: return "<V2";
    case ElementType::f8e4m3:
    case ElementType::f8e5m2:
    case ElementType::e8m0: return "|V1";
    case ElementType::i4:
    case ElementType::u4:
    case ElementType::f4e2m1: break;
  }
  return std::nullopt;
}

}  // namespace etalon::tools
