// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/base/status.h"

namespace etalon {

/// A parsed YAML value; internal to yaml.h.
struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  int line = 1;  // 1-based
  bool quoted = false;
  std::string scalar;
  std::vector<std::string> keys;  // of a Map, parallel to children
  std::vector<YamlNode> children;
};

/// Builds the tree under the rules of YamlDocument; yaml-cpp's exceptions end here.
Result<std::shared_ptr<const YamlNode>> parseYaml(std::string_view text, const std::string& file,
                                                  size_t most_bytes);

}  // namespace etalon
