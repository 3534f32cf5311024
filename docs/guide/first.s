# SPDX-License-Identifier: Apache-2.0
# A first program for the scalar core: adds 1 to 100 and ends with exit status 0 if the sum is 5050, else 1.
#   etalon run docs/guide/first.s

        .globl _start
_start: csrr    t0, mhartid             # every core starts here; one is enough for this
        bnez    t0, idle

        li      a0, 0                   # sum
        li      a1, 100                 # next number to add
add:    add     a0, a0, a1
        addi    a1, a1, -1
        bnez    a1, add

        li      a2, 5050
        xor     a0, a0, a2
        snez    a0, a0                  # exit status: 0 if equal, else 1

        slli    a0, a0, 1               # tohost takes status * 2 + 1, as in the public RISC-V tests
        ori     a0, a0, 1
        la      t1, tohost
        sd      a0, 0(t1)
idle:   j       idle                    # the write above ends the run

        .section .tohost, "aw", @progbits
        .balign 64
        .globl  tohost, fromhost
tohost: .dword  0
        .balign 64
fromhost: .dword 0
