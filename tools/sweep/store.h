// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "isa/base/status.h"

namespace etalon::tools {

/// How `etalon run` ended, kept as long as the folder is.
struct FinishedRun {
  int exit_status = 0;  // 0, 1 or 2, as `etalon run` gives it
  std::string result;   // its JSON; empty: there is none (status 2)
  std::string message;  // what it said on stderr, of status 2
};

/// The folder of a study's results: `points/KEY.run`, one file a finished run; `programs/`; a lock.
///
/// A run's file is put there by a rename and begins with the digest of what follows, so one that was being written when
/// its writer or the host died counts as not there.
class ResultStore {
 public:
  /// Makes the folder if need be and locks it until the store goes. The lock is the kernel's: it ends with the process,
  /// however that ends. Errors: another process has it.
  static Result<ResultStore> open(const std::string& folder);
  ResultStore(ResultStore&& other) noexcept;
  ResultStore& operator=(ResultStore&&) = delete;
  ~ResultStore();

  /// The run of this key, if a whole one is there.
  std::optional<FinishedRun> find(const std::string& key) const;
  Status keep(const std::string& key, const FinishedRun& run) const;
  /// Puts an image there; its absolute path.
  Result<std::string> addProgram(const std::string& name, std::string_view bytes) const;
  Status write(const std::string& name, std::string_view content) const;

  const std::string& folder() const { return folder_; }

 private:
  ResultStore(std::string folder, int lock) : folder_(std::move(folder)), lock_(lock) {}
  std::string pathOf(const std::string& key) const;

  std::string folder_;  // absolute
  int lock_;
};

/// The same look-up without a lock, for a folder that need not be there.
std::optional<FinishedRun> findRun(const std::string& folder, const std::string& key);

}  // namespace etalon::tools
