// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "isa/base/text.h"
#include "tools/io/safetensors.h"
#include "tools/io/safetensors_types.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::json;

/// Takes the header's JSON event by event: nothing is built that a hostile header could make deep
/// or large, and duplicate keys, which nlohmann's own tree drops, are seen. Every callback returns
/// false to stop.
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  std::vector<SafetensorsEntry> entries;
  std::string problem;

  bool null() override { return fail("null has no place here"); }
  bool boolean(bool) override { return fail("true and false have no place here"); }
  bool number_integer(number_integer_t value) override {
    return fail(fmt::format("{} is negative", value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    return fail(fmt::format("{} is not a whole number below 2^64", quote(text)));
  }
  bool binary(binary_t&) override { return fail("binary data have no place here"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ != 3) return fail(fmt::format("the number {} has no place here", value));
    if (field_ == "shape") entries.back().shape.push_back(value);
    if (field_ == "data_offsets") offsets_.push_back(value);
    return entries.back().shape.size() <= kMostArrayRank && offsets_.size() <= 2
               ? true
               : fail(fmt::format("{} has too many values", field_));
  }
  bool string(string_t& value) override {
    if (depth_ == 2 && metadata_) return true;
    if (depth_ != 2 || field_ != "dtype")
      return fail(fmt::format("the text {} has no place here", quote(value)));
    entries.back().dtype = value;
    return true;
  }
  bool start_object(size_t) override {
    if (depth_ > 1) return fail("an object has no place here");
    ++depth_;
    return true;
  }
  bool start_array(size_t) override {
    if (depth_ != 2 || metadata_ || (field_ != "shape" && field_ != "data_offsets"))
      return fail("a list has no place here");
    ++depth_;
    return true;
  }
  bool end_array() override { return --depth_, true; }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      if (!names_.insert(name).second) return fail(fmt::format("{} stands twice", quote(name)));
      metadata_ = name == "__metadata__";
      fields_.clear();
      offsets_.clear();
      field_.clear();
      if (!metadata_) entries.emplace_back().name = name;
      return true;
    }
    if (!fields_.insert(name).second)
      return fail(fmt::format("the key {} stands twice", quote(name)));
    field_ = name;
    if (!metadata_ && name != "dtype" && name != "shape" && name != "data_offsets")
      return fail(fmt::format("unknown key {}; known: dtype, shape, data_offsets", quote(name)));
    return true;
  }
  bool end_object() override {
    if (--depth_ != 1 || metadata_) return true;
    if (fields_.size() != 3) return fail("needs dtype, shape and data_offsets");
    if (offsets_.size() != 2) return fail("data_offsets needs two values");
    entries.back().begin = offsets_[0];
    entries.back().end = offsets_[1];
    return true;
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    problem = fmt::format("header is not valid JSON at byte {}", position);
    return false;
  }

 private:
  bool fail(const std::string& what) {
    problem = names_.empty() || entries.empty() || metadata_
                  ? fmt::format("header: {}", what)
                  : fmt::format("header: tensor {}: {}", quote(entries.back().name), what);
    return false;
  }

  int depth_ = 0;  // 1: tensors, 2: the fields of one, 3: a list
  bool metadata_ = false;
  std::string field_;
  std::set<std::string> names_, fields_;
  std::vector<uint64_t> offsets_;
};

/// Bytes that dtype and shape ask for must be the bytes that the offsets give.
Status checkEntry(SafetensorsEntry& entry, uint64_t data_bytes) {
  const auto error = [&](const std::string& what) {
    return Error{fmt::format("header: tensor {}: {}", quote(entry.name), what)};
  };
  if (entry.begin > entry.end || entry.end > data_bytes)
    return error(fmt::format("data_offsets [{}, {}] do not lie in the {} bytes of data",
                             entry.begin, entry.end, data_bytes));
  entry.type = safetensorsType(entry.dtype);
  if (!entry.type) return {};  // its element size is not known here; reading it is an error
  Result<uint64_t> bytes = arrayBytes(*entry.type, entry.shape);
  if (!bytes.ok()) return error(bytes.error().message);
  if (*bytes != entry.end - entry.begin)
    return error(fmt::format("{} needs {} bytes, but data_offsets give {}",
                             describe(*entry.type, entry.shape), *bytes, entry.end - entry.begin));
  return {};
}

}  // namespace

Result<std::vector<SafetensorsEntry>> parseSafetensorsHeader(std::string_view header,
                                                             uint64_t data_bytes) {
  if (!header.starts_with('{')) return Error{"header does not begin with '{'"};
  HeaderReader reader;
  if (!Json::sax_parse(header.begin(), header.end(), &reader))
    return Error{reader.problem.empty() ? "header is not valid JSON" : reader.problem};
  for (SafetensorsEntry& entry : reader.entries)
    ETALON_RETURN_IF_ERROR(checkEntry(entry, data_bytes));
  std::vector<SafetensorsEntry> entries = std::move(reader.entries);
  std::sort(entries.begin(), entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
              return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
            });
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered)
      return Error{fmt::format(
          "header: tensor {} begins at byte {} of the data, but those before it end at {}: {}",
          quote(entry.name), entry.begin, covered,
          entry.begin < covered ? "they overlap" : "a gap")};
    covered = entry.end;
  }
  if (covered != data_bytes)
    return Error{fmt::format("{} bytes of data, but the tensors take {}", data_bytes, covered)};
  return entries;
}

}  // namespace etalon::tools
