// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// One complaint about a source text. Lines and columns count from 1; 0 means unknown.
struct SourceDiagnostic {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;
  std::string source_line;  ///< the text of that line, empty where there is none to show
};

/// One Error out of all complaints, each as `file:line:col: message`, the source line and a caret
/// under the column. Only the first 20 are spelled out. `diagnostics` is not empty.
Error errorOf(const std::vector<SourceDiagnostic>& diagnostics);

}  // namespace etalon::tools
