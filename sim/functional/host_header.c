/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: etalon/host.h is C, and its layouts are those of docs/spec/08-images.md, written out once more. */
#include <stddef.h>

#include "include/etalon/host.h"

_Static_assert(offsetof(struct et_launch_descriptor, arguments) == 8, "arguments");
_Static_assert(offsetof(struct et_launch_descriptor, first_core) == 16, "first core");
_Static_assert(offsetof(struct et_launch_descriptor, cores) == 20, "cores");
_Static_assert(offsetof(struct et_launch_descriptor, tag) == 24, "tag");
_Static_assert(offsetof(struct et_launch_descriptor, tohost) == 32, "tohost");
_Static_assert(offsetof(struct et_launch_descriptor, fromhost) == 40, "fromhost");
_Static_assert(sizeof(struct et_launch_descriptor) == 64, "launch descriptor");
_Static_assert(offsetof(struct et_completion_record, end) == 8, "end");
_Static_assert(offsetof(struct et_completion_record, core) == 12, "core");
_Static_assert(offsetof(struct et_completion_record, value) == 16, "value");
_Static_assert(offsetof(struct et_completion_record, mepc) == 24, "mepc");
_Static_assert(offsetof(struct et_completion_record, mtval) == 32, "mtval");
_Static_assert(sizeof(struct et_completion_record) == 64, "completion record");
_Static_assert(ET_HOST_MTIMECMP(3) == 0x1020 && ET_HOST_MSIP(3) == 0x200c, "one a core");
_Static_assert(ET_HOST_WINDOW_RIGHTS(2, 7) == 0x102f8, "windows");
