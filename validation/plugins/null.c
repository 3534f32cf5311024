/* SPDX-License-Identifier: Apache-2.0 */
/* A device that can nothing: it opens, says what it is, and answers everything else by "not supported". What a run on it
 * reports is what a run reports for anything that a device cannot do. */
#include "isa/abi/etalon_device.h"

struct etalon_device {
  char unused;
};
static etalon_device the_device;

/* clang-format off */
static const char kDescription[] = ETALON_JSON({
  "name": "null", "title": "A device that can nothing", "vendor": "Etalon", "version": "1.0", "kind": "library",
  "profiles": [], "operators": [], "numerics": "undeclared", "limits": {"memory_bytes": 1}
});
/* clang-format on */

static int32_t open_device(const etalon_open_request* request, etalon_device** device,
                           etalon_text* error) {
  if (strcmp(request->configuration, "{}") != 0)
    return etalon_set_text(error, ETALON_INVALID, "the configuration must be {}");
  *device = &the_device;
  return ETALON_OK;
}

static int32_t describe(etalon_device* device, etalon_text* json, etalon_text* error) {
  return etalon_set_text(json, ETALON_OK, kDescription);
}

static int32_t alloc(etalon_device* device, const etalon_alloc_request* request, uint64_t* address,
                     etalon_text* error) {
  return etalon_set_text(error, ETALON_NOT_SUPPORTED, "this device has no memory");
}

static int32_t copy(etalon_device* device, const etalon_copy_request* request, etalon_text* error) {
  return etalon_set_text(error, ETALON_NOT_SUPPORTED, "this device has no memory");
}

static int32_t run_operator(etalon_device* device, const etalon_compute_request* request,
                            etalon_text* error) {
  return etalon_set_text(error, ETALON_NOT_SUPPORTED, "this device has no operators");
}

static int32_t close_device(etalon_device* device, etalon_text* error) { return ETALON_OK; }

const etalon_device_api* etalon_device_entry(uint32_t major) {
  static const etalon_device_api api = {.size = sizeof api,
                                        .major = ETALON_DEVICE_ABI_MAJOR,
                                        .minor = ETALON_DEVICE_ABI_MINOR,
                                        .open = open_device,
                                        .describe = describe,
                                        .alloc = alloc,
                                        .copy = copy,
                                        .run_operator = run_operator,
                                        .close = close_device};
  return major == ETALON_DEVICE_ABI_MAJOR ? &api : NULL;
}
