# SPDX-License-Identifier: Apache-2.0
# The second line that is no comment does not assemble.
        .globl  _start
_start: et.mm   tr0, tr1, tr99
