// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/decode_cache.h"

#include "isa/base/bits.h"
#include "isa/codec/codec.h"
#include "sim/arch/core.h"

namespace etalon::sim {

const DecodeCache::Page* DecodeCache::page(uint64_t address) {
  auto& slot = recent_[(address / kPageBytes) % recent_.size()];
  if (slot.second && slot.first == address) return slot.second;
  const auto found = pages_.find(address);
  const Page* page = found != pages_.end() ? found->second.get() : decodePage(address);
  if (page) slot = {address, page};
  return page;
}

DecodeCache::Page* DecodeCache::decodePage(uint64_t address) {
  const uint64_t offset = address - memory_.globalBase();
  Region& global = memory_.global(device_);
  if (address < memory_.globalBase() || offset >= global.size()) return nullptr;
  if (pages_.size() >= kMaxPages) clear();
  auto page = std::make_unique<Page>();
  for (size_t i = 0; i < page->size(); ++i) {
    const uint64_t at = offset + 4 * i;
    const bool poisoned = global.poisoned(at, sizeof(uint32_t));
    (*page)[i] = isa::decode(poisoned ? Core::kPoisonedInstruction
                                      : loadBytes<uint32_t>(global.data() + at));
  }
  return pages_.emplace(address, std::move(page)).first->second.get();
}

void DecodeCache::clear() {
  pages_.clear();
  recent_.fill({0, nullptr});
}

}  // namespace etalon::sim
