# SPDX-License-Identifier: Apache-2.0
# Adds 1 to the 32-bit word whose address the argument block (a0) holds. Core 0 does it, the others halt at once.
        .globl _start
_start: csrr    t0, mhartid
        bnez    t0, done
        ld      t1, 0(a0)
        lw      t2, 0(t1)
        addi    t2, t2, 1
        sw      t2, 0(t1)
done:   et.halt
