// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/store_log.h"

#include <utility>

namespace etalon::sim {

Result<StoreLog> StoreLog::create(uint64_t global_bytes) {
  auto pages = Backing::create((global_bytes / kPageBytes + 1) * sizeof(uint32_t), "race detector");
  if (!pages.ok()) return pages.error();
  StoreLog log;
  log.pages_ = std::move(pages).value();
  log.entries_.reserve(kEntries);
  log.seen_.resize(kSeen);
  return log;
}

}  // namespace etalon::sim
