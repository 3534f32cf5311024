# SPDX-License-Identifier: Apache-2.0
# Names a tile of 2 x 3 i32 in local memory, writes 10, 11, ... to all but its last element, and exits with 0.
        .globl  _start
_start: la      t0, image
        et.tld  tr3, (t0)
        li      t4, 0x10000000
        li      t5, 10
        li      t6, 15
fill:   sw      t5, 0(t4)
        addi    t4, t4, 4
        addi    t5, t5, 1
        bne     t5, t6, fill
        li      a0, 1
        la      t1, tohost
        sd      a0, 0(t1)
        j       .

        .section .rodata
        .balign 8
image:  .8byte  3 << 32 | 6 << 56 | 1 << 62     # base 0, 3 columns, i32, column step 1
        .8byte  1 | 2 << 24                     # 1 x 2 rows
        .8byte  12 << 32, 0                     # inner stride
