# SPDX-License-Identifier: Apache-2.0
# Every core adds the float of a tile to one word of global memory, with nothing that orders the cores.
        .globl  _start
_start: la      t2, image
        et.tld  tr0, (t2)
        la      t2, view
        et.vld  vr0, (t2)
        li      t0, 0x10000000
        lui     t1, 0x3f800                     # 1.0
        sw      t1, 0(t0)
        et.st.add tr0, vr0
        et.halt

        .data
        .balign 8
word:   .8byte  0
image:  .8byte  1 << 32 | 15 << 56 | 1 << 62, 1 | 1 << 24, 4 << 32, 0
view:   .8byte  word                            # naxes 0, nbox 0: the element at base
        .byte   15, 0, 0, 0, 1, 0, 0, 0         # f32, version 1
        .zero   240
