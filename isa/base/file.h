// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon {

/// Whole content of a file. Errors name the path and the system's reason; a directory is an error.
Result<std::string> readFile(const std::string& path);

/// Replaces the file's content, by a temporary file and rename so that a reader never sees half of
/// it.
Status writeFile(const std::string& path, std::string_view content);

/// Paths of the directory's regular files whose names end in `suffix`, sorted by name. A missing
/// directory is an error.
Result<std::vector<std::string>> listFiles(const std::string& directory, std::string_view suffix);

}  // namespace etalon
