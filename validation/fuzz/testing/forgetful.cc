// SPDX-License-Identifier: Apache-2.0
// A defective device for tests: the functional model, but of programs with an et.transpose one bit of global memory is
// wrong. ETALON_FORGETFUL_OF names the plug-in of the model.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "isa/abi/etalon_device.h"
#include "isa/codec/codec.h"

namespace {

etalon_device_api table;
const etalon_device_api* model;
bool transposes;

int32_t loadImage(etalon_device* device, const etalon_image_request* request, etalon_text* error) {
  transposes = false;
  for (uint64_t at = 0; at + 4 <= request->bytes; at += 4) {
    uint32_t word = 0;
    std::memcpy(&word, static_cast<const char*>(request->elf) + at, sizeof word);
    transposes |= etalon::isa::decode(word).id == etalon::isa::InstructionId::et_transpose;
  }
  return model->load_image(device, request, error);
}

int32_t copy(etalon_device* device, const etalon_copy_request* request, etalon_text* error) {
  const int32_t status = model->copy(device, request, error);
  if (status == ETALON_OK && request->direction == ETALON_FROM_DEVICE && transposes)
    *static_cast<unsigned char*>(request->host) ^= 1;
  return status;
}

}  // namespace

const etalon_device_api* etalon_device_entry(uint32_t major) {
  const char* path = std::getenv("ETALON_FORGETFUL_OF");
  void* library = path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return nullptr;
  const auto entry =
      reinterpret_cast<etalon_device_entry_function>(dlsym(library, ETALON_DEVICE_ENTRY));
  model = entry != nullptr ? entry(major) : nullptr;
  if (model == nullptr) return nullptr;
  table = *model;
  table.load_image = loadImage;
  table.copy = copy;
  return &table;
}
