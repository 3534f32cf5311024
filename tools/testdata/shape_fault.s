# SPDX-License-Identifier: Apache-2.0
# A product of empty tiles of no float type: illegal at the line the test looks for.
        .globl  _start
_start: li      t0, 1
        et.mm   tr0, tr1, tr2           # line 5
        j       .
