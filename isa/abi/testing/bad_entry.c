/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are no usable plug-ins; which one, BAD_ENTRY says. */
#include <stdlib.h>

#include "isa/abi/etalon_device.h"

enum { MISSING = 1, REFUSES, OLD, INCOMPLETE, TRUNCATED, CRASHES, CRASHES_WHEN_LOADED };

#if BAD_ENTRY != 1
static int32_t never(const etalon_open_request* request, etalon_device** device,
                     etalon_text* error) {
  return ETALON_FAILED;
}

ETALON_EXPORT const etalon_device_api* etalon_device_entry(uint32_t major) {
  static etalon_device_api api;
  (void)major;
  api.size = sizeof api;
  api.major = BAD_ENTRY == OLD ? 0 : ETALON_DEVICE_ABI_MAJOR;
  api.minor = 7;
  api.open = never;
  if (BAD_ENTRY == TRUNCATED) api.size = 4;
  if (BAD_ENTRY == CRASHES) abort();
  return BAD_ENTRY == REFUSES ? NULL : &api;
}
#endif

#if BAD_ENTRY == 7
__attribute__((constructor)) static void loaded(void) { abort(); }
#endif

/* Something to export, so that none of the variants is empty. */
ETALON_EXPORT int bad_entry_variant = BAD_ENTRY;
