/* SPDX-License-Identifier: Apache-2.0 */
/* A device to start from: copy this file, and put your driver where the comments say `yours`.
 * docs/how-to/write-a-device-plugin.md goes on from here; isa/abi/etalon_device.h is the reference. */
#include <stdlib.h>

#include "isa/abi/etalon_device.h"

/* Yours: what one opened device needs, a file descriptor, a mapping, a queue. */
struct etalon_device {
  uint64_t allocations;
};

/* Yours: who you are, and what you can. */
/* clang-format off */
static const char kDescription[] = ETALON_JSON({
  "name": "template",
  "title": "The device of the how-to",
  "vendor": "You",
  "version": "0.1",
  "kind": "library",
  "profiles": [],
  "operators": ["copy"],
  "numerics": "undeclared",
  "limits": {"memory_bytes": 1073741824, "alignment": 64, "rank": 8}
});
/* clang-format on */

/* Yours: find the device that the configuration names and start it. */
static int32_t open_device(const etalon_open_request* request, etalon_device** device,
                           etalon_text* error) {
  if (strcmp(request->configuration, "{}") != 0)
    return etalon_set_text(error, ETALON_INVALID, "the configuration must be {}");
  *device = calloc(1, sizeof **device);
  return *device ? ETALON_OK : etalon_set_text(error, ETALON_NO_MEMORY, "no host memory");
}

static int32_t describe(etalon_device* device, etalon_text* json, etalon_text* error) {
  return etalon_set_text(json, ETALON_OK, kDescription);
}

/* Yours: memory of the device. Here it is the host's, and addresses are pointers. */
static int32_t alloc(etalon_device* device, const etalon_alloc_request* request, uint64_t* address,
                     etalon_text* error) {
  const uint64_t most = 1073741824;
  void* memory = NULL;
  if (request->bytes <= most) memory = aligned_alloc(4096, (request->bytes + 4095) / 4096 * 4096);
  if (!memory) return etalon_set_text(error, ETALON_NO_MEMORY, "more than 1 GiB");
  ++device->allocations;
  *address = (uint64_t)(uintptr_t)memory;
  return ETALON_OK;
}

static int32_t free_memory(etalon_device* device, uint64_t address, etalon_text* error) {
  --device->allocations;
  free((void*)(uintptr_t)address);
  return ETALON_OK;
}

/* Yours: move bytes, and return when they have arrived. */
static int32_t copy(etalon_device* device, const etalon_copy_request* request, etalon_text* error) {
  void* at = (void*)(uintptr_t)request->address;
  if (request->direction == ETALON_TO_DEVICE)
    memcpy(at, request->host, request->bytes);
  else
    memcpy(request->host, at, request->bytes);
  return ETALON_OK;
}

/* Yours: one function an operator. copy(x) -> y is the same elements in y. */
static int32_t run_copy(const etalon_compute_request* request, etalon_text* error) {
  const etalon_operand *x = request->inputs[0], *y = request->outputs[0];
  if (x->is_scalar || x->bytes != y->bytes)
    return etalon_set_text(error, ETALON_NOT_SUPPORTED, "copy takes one tensor and gives one");
  if (x->bytes > 0) memcpy((void*)(uintptr_t)y->address, (void*)(uintptr_t)x->address, x->bytes);
  return ETALON_OK;
}

static const struct {
  const char* name;
  uint64_t inputs;
  int32_t (*run)(const etalon_compute_request* request, etalon_text* error);
} kOperators[] = {
    {"copy", 1, run_copy},
};

static int32_t run_operator(etalon_device* device, const etalon_compute_request* request,
                            etalon_text* error) {
  for (size_t i = 0; i < sizeof kOperators / sizeof *kOperators; ++i)
    if (strcmp(kOperators[i].name, request->what) == 0 &&
        kOperators[i].inputs == request->input_count && request->output_count == 1 &&
        request->attribute_count == 0)
      return kOperators[i].run(request, error);
  return etalon_set_text(error, ETALON_NOT_SUPPORTED,
                         "no operator of this name, inputs and attributes");
}

/* Yours: leave the device as you found it. */
static int32_t close_device(etalon_device* device, etalon_text* error) {
  const uint64_t left = device->allocations;
  free(device);
  if (left == 0) return ETALON_OK;
  return etalon_set_text(error, ETALON_FAILED, "memory was not given back");
}

/* Yours: functions that you leave out, the optional ones, say that the device cannot do it. */
ETALON_EXPORT const etalon_device_api* etalon_device_entry(uint32_t major) {
  static const etalon_device_api api = {
      .size = sizeof api,
      .major = ETALON_DEVICE_ABI_MAJOR,
      .minor = ETALON_DEVICE_ABI_MINOR,
      .open = open_device,
      .describe = describe,
      .alloc = alloc,
      .copy = copy,
      .run_operator = run_operator,
      .close = close_device,
      .free = free_memory,
  };
  return major == ETALON_DEVICE_ABI_MAJOR ? &api : NULL;
}
