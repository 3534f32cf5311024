# SPDX-License-Identifier: Apache-2.0
# Start of a program on every core. In: a0 = argument block, a1 = cores of the launch, a2 = devices,
# a4 = its first core, mhartid = this core. Calls main(argument block, index of this core in the launch, cores).
# The loader has zeroed .bss: with all cores starting at once, none could do it for the others.

    .section .text.init, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    csrr    t0, mhartid
    la      gp, __global_pointer$
    mv      tp, a2                  # for et_devices(): there are no threads
    addi    t1, t0, 1               # 64 stacks of 64 KiB
    slli    t1, t1, 16
    la      sp, __stack_base
    add     sp, sp, t1
    mv      a2, a1
    sub     a1, t0, a4
    call    main
    bnez    a0, 1f
    et.halt                         # this core is done; the run ends when all are
1:  sext.w  a0, a0
    call    et_exit                 # the first core that fails ends the run for all
    .size _start, . - _start
