// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "tools/shell/man_page.h"

namespace etalon::tools {

/// `--help` in 100 columns: descriptions wrap beside their option, and what may be repeated is told from what takes several
/// values at once.
class HelpFormatter : public CLI::Formatter {
 public:
  /// `statuses`: of exits, shown below the program's own help.
  explicit HelpFormatter(std::span<const ExitStatus> statuses) : statuses_(statuses) {
    column_width(28);
  }
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  std::string entry(const std::string& name, const std::string& description) const;

  std::span<const ExitStatus> statuses_;
};

}  // namespace etalon::tools
