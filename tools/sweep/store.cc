// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "isa/base/file.h"
#include "isa/base/sha256.h"
#include "isa/base/text.h"

namespace etalon::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string digest(std::string_view text) {
  return fmt::format("{:02x}", fmt::join(sha256(text), ""));
}

std::string runPath(const std::string& folder, const std::string& key) {
  return fmt::format("{}/points/{}.run", folder, key);
}

/// Files that a writer left half done when it was killed.
void removeHalves(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> halves;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().find(".tmp") != std::string::npos)
      halves.push_back(entry.path());
  for (const fs::path& half : halves) fs::remove(half, ignored);
}

}  // namespace

Result<ResultStore> ResultStore::open(const std::string& folder) {
  std::error_code code;
  const fs::path root = fs::absolute(folder, code);
  for (const fs::path& path : {root / "points", root / "programs"}) {
    fs::create_directories(path, code);
    if (code)
      return Error{
          fmt::format("cannot make the folder {}: {}", quote(path.string()), code.message())};
  }
  const std::string lock_path = (root / "lock").string();
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0)
    return Error{fmt::format("cannot open {}: {}", quote(lock_path), std::strerror(errno))};
  ResultStore store(root.lexically_normal().string(), lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const Result<std::string> holder = readFile(lock_path);
    return Error{fmt::format(
        "{} is in use by another sweep{}; wait for its end, or give --output another folder",
        quote(folder), holder.ok() && !holder->empty() ? " (process " + *holder + ")" : "")};
  }
  const std::string pid = fmt::format("{}", ::getpid());
  if (::ftruncate(lock, 0) != 0 ||
      ::pwrite(lock, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    return Error{fmt::format("cannot write {}: {}", quote(lock_path), std::strerror(errno))};
  for (const fs::path& path : {root, root / "points", root / "programs"}) removeHalves(path);
  return store;
}

ResultStore::ResultStore(ResultStore&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)) {}

ResultStore::~ResultStore() {
  if (lock_ >= 0) ::close(lock_);
}

std::optional<FinishedRun> findRun(const std::string& folder, const std::string& key) {
  const Result<std::string> file = readFile(runPath(folder, key));
  if (!file.ok()) return std::nullopt;
  const size_t end = file->find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::string_view body = std::string_view(*file).substr(end + 1);
  if (std::string_view(*file).substr(0, end) != digest(body)) return std::nullopt;
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("exit_status")) return std::nullopt;
  return FinishedRun{json["exit_status"].get<int>(), json["result"].get<std::string>(),
                     json["message"].get<std::string>()};
}

std::optional<FinishedRun> ResultStore::find(const std::string& key) const {
  return findRun(folder_, key);
}

Status ResultStore::keep(const std::string& key, const FinishedRun& run) const {
  const Json json{
      {"exit_status", run.exit_status}, {"message", run.message}, {"result", run.result}};
  const std::string body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return writeFile(runPath(folder_, key), digest(body) + "\n" + body);
}

Result<std::string> ResultStore::addProgram(const std::string& name, std::string_view bytes) const {
  std::string path = fmt::format("{}/programs/{}.elf", folder_, name);
  ETALON_RETURN_IF_ERROR(writeFile(path, bytes));
  return path;
}

Status ResultStore::write(const std::string& name, std::string_view content) const {
  return writeFile(folder_ + "/" + name, content);
}

}  // namespace etalon::tools
