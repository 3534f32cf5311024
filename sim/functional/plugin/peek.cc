// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>

#include "isa/codec/instruction_info.h"
#include "sim/functional/plugin/plugin_device.h"

namespace etalon::sim {
namespace {

/// Hands out `size` bytes at `from` if the request asks for so many of something numbered below `count`.
Status give(const etalon_peek_request& request, std::string_view what, uint64_t count,
            const void* from, uint64_t size) {
  if (request.index >= count)
    return Error{fmt::format("there is no {} {}; they are numbered 0 to {}", what, request.index,
                             count - 1)};
  if (request.bytes != size)
    return Error{fmt::format("{} bytes asked for; a {} has {}", request.bytes, what, size)};
  std::memcpy(request.data, from, size);
  return {};
}

template <int kBytes, class Register, class Store>
Status giveImage(const etalon_peek_request& request, std::string_view what, int count, Register get,
                 Store store) {
  std::array<std::byte, kBytes> image{};
  if (request.index < static_cast<uint64_t>(count))
    store(get(static_cast<int>(request.index)), std::span<std::byte, kBytes>(image));
  return give(request, what, static_cast<uint64_t>(count), image.data(), kBytes);
}

Status giveLocal(FunctionalDevice& model, const etalon_peek_request& request) {
  Region& local = model.memory().local(request.core);
  if (request.index > local.size() || request.bytes > local.size() - request.index)
    return Error{fmt::format("{} bytes at {:#x}; local memory has {}", request.bytes, request.index,
                             local.size())};
  std::memcpy(request.data, local.data() + request.index, request.bytes);
  return {};
}

}  // namespace

Status peekCore(FunctionalDevice& model, const etalon_peek_request& request) {
  if (request.core >= model.cores())
    return Error{
        fmt::format("there is no core {}; the machine has {}", request.core, model.cores())};
  const Core& core = model.core(request.core);
  switch (static_cast<etalon_space>(request.space)) {
    case ETALON_SPACE_X: {
      const uint64_t value = request.index < 32 ? core.x(static_cast<int>(request.index)) : 0;
      return give(request, "x register", 32, &value, sizeof value);
    }
    case ETALON_SPACE_PC: {
      const uint64_t value = core.pc();
      return give(request, "pc", 1, &value, sizeof value);
    }
    case ETALON_SPACE_CSR: {
      const auto number = static_cast<uint32_t>(std::min<uint64_t>(request.index, ~0U));
      if (isa::csrNumbered(number) == nullptr)
        return Error{fmt::format("there is no CSR {:#x}", request.index)};
      const uint64_t value = core.readCsr(number);
      return give(request, "CSR", uint64_t{number} + 1, &value, sizeof value);
    }
    case ETALON_SPACE_TILE:
      return giveImage<isa::kTileImageBytes>(
          request, "tile register", isa::kTileRegisters,
          [&](int i) -> const isa::TileRegister& { return core.tile(i); }, isa::storeTileImage);
    case ETALON_SPACE_VIEW:
      return giveImage<isa::kViewImageBytes>(
          request, "view register", isa::kViewRegisters,
          [&](int i) -> const isa::ViewDescriptor& { return core.view(i); }, isa::storeViewImage);
    case ETALON_SPACE_CHAIN:
      return giveImage<isa::kChainImageBytes>(
          request, "chain register", isa::kChainRegisters,
          [&](int i) -> const isa::ChainDescriptor& { return core.chain(i); },
          isa::storeChainImage);
    case ETALON_SPACE_LOCAL: return giveLocal(model, request);
    case ETALON_SPACE_SEMAPHORE: {
      const uint32_t value =
          request.index < kSemaphores ? core.semaphore(static_cast<unsigned>(request.index)) : 0;
      return give(request, "semaphore", kSemaphores, &value, sizeof value);
    }
  }
  return Error{fmt::format("there is no space {}", request.space)};
}

}  // namespace etalon::sim
