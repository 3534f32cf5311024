/* SPDX-License-Identifier: Apache-2.0 */
/* The device runtime compiled for the host, under names that do not replace the host's own. */
#include "tools/runtime/runtime_on_host.h"

#include "tools/runtime/runtime.c"
