# SPDX-License-Identifier: Apache-2.0
# Core 0 loads a word of global memory into a tile; core 1 stores to it with nothing that orders the two.
        .globl  _start
_start: csrr    t0, mhartid
        la      t1, word
        bnez    t0, store
        la      t2, image
        et.tld  tr0, (t2)
        la      t2, view
        et.vld  vr0, (t2)
        et.ld   tr0, vr0, rne
        et.fence
        et.halt
store:  sw      t0, 0(t1)
        et.halt

        .data
        .balign 8
word:   .8byte  7
image:  .8byte  1 << 32 | 6 << 56 | 1 << 62, 1 | 1 << 24, 4 << 32, 0
view:   .8byte  word                            # naxes 0, nbox 0: the element at base
        .byte   6, 0, 0, 0, 1, 0, 0, 0          # i32, version 1
        .zero   240
