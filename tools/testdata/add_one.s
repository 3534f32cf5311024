# SPDX-License-Identifier: Apache-2.0
# y[i] = x[i] + 1 for i32 arrays; core 0 works, the others stop.
        .globl  main
main:   bnez    a1, done
        ld      t0, 0(a0)               # x
        ld      t1, 8(a0)               # y
        ld      t2, 16(a0)              # n
loop:   beqz    t2, done
        lw      t3, 0(t0)
        addi    t3, t3, 1
        sw      t3, 0(t1)
        addi    t0, t0, 4
        addi    t1, t1, 4
        addi    t2, t2, -1
        j       loop
done:   li      a0, 0
        ret

        .section .note.etalon, "a", @note
        .balign 4
        .4byte  7, 2f - 1f, 1
        .asciz  "Etalon"
        .balign 4
1:      .4byte  1, 24
        .asciz  "add_one(x: i32[n], out y: i32[n])"
        .balign 4
2:
