# SPDX-License-Identifier: Apache-2.0
# Small tile instructions, as many as the timing model can be given: each core does 200,000, products of 64 x 64 bf16 tiles and
# additions of the f32 result to another tile in turn, each waiting for the one before.
        .globl _start
_start: la      a0, tiles
        et.tld  tr0, (a0)               # A
        addi    a0, a0, 32
        et.tld  tr1, (a0)               # B
        addi    a0, a0, 32
        et.tld  tr2, (a0)               # A B
        addi    a0, a0, 32
        et.tld  tr3, (a0)               # A B + C
        addi    a0, a0, 32
        et.tld  tr4, (a0)               # C
        et.iota tr0, x0, x0, x0
        et.iota tr1, x0, x0, x0
        et.iota tr4, x0, x0, x0
        li      a1, 50000
1:      et.mm   tr2, tr0, tr1
        et.add  tr3, tr2, tr4
        et.mm   tr2, tr0, tr1
        et.add  tr3, tr2, tr4
        addi    a1, a1, -1
        bnez    a1, 1b
        et.halt
        .balign 64
tiles:                                  # 64 x 64, rows one behind the other: bf16 from 0 and 0x4000, f32 from 0x10000 on
        .dword  0x4e00004000000000, 0x40000001, 0x8000000000, 0x0
        .dword  0x4e00004000004000, 0x40000001, 0x8000000000, 0x0
        .dword  0x4f00004000010000, 0x40000001, 0x10000000000, 0x0
        .dword  0x4f00004000020000, 0x40000001, 0x10000000000, 0x0
        .dword  0x4f00004000030000, 0x40000001, 0x10000000000, 0x0
