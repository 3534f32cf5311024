/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels in C want beside the bare instructions: descriptors as structs, dense tiles, the launch note.
   Included by etalon/xet.h. Layouts are those of the manual, checked against the models by a test. */
#ifndef ETALON_HELPERS_H_
#define ETALON_HELPERS_H_

#include <stddef.h>
#include <stdint.h>

typedef uint16_t et_bf16; /* bits of a bf16, f16 or FP8 element: C does not compute with them */
typedef uint16_t et_f16;
typedef uint8_t et_f8;

#define ET_LOCAL_BASE 0x10000000ul /* the core's own local memory, for scalar accesses */
#define ET_CORE_WINDOW \
  0x4000000000ul /* core c's local memory at ET_CORE_WINDOW + c * ET_CORE_STRIDE */
#define ET_CORE_STRIDE 0x10000000ul

/* A byte of the own local memory as a C pointer. */
#define ET_LOCAL(offset) ((void*)(ET_LOCAL_BASE + (offset)))

/* Bytes of local memory (CSR etlocalbytes). */
static inline unsigned long et_local_bytes(void) {
  unsigned long bytes;
  __asm__("csrr %0, 0xfc2" : "=r"(bytes));
  return bytes;
}

/* Address of semaphore s of core c, for et_sig. */
static inline unsigned long et_semaphore(unsigned long core, unsigned long s) {
  return ET_CORE_WINDOW + core * ET_CORE_STRIDE + et_local_bytes() + 4 * s;
}

/* Devices that are joined. A program runs on all of them, with one image and its buffers at the same addresses. */

/* Devices of the cluster; 1 alone. Of programs that etalon's crt0 starts. */
static inline unsigned long et_devices(void) {
  unsigned long devices;
  __asm__("mv %0, tp" : "=r"(devices));
  return devices;
}
/* 0 .. et_devices() - 1, this device among them: its id less 1 (CSR etself). */
static inline unsigned long et_rank(void) {
  unsigned long self;
  __asm__("csrr %0, 0xfc4" : "=r"(self));
  return (self >> 16) - 1;
}
/* What stands at this address on the device of a rank: a buffer, or another address that means the same there. Needs
   profile Et-net, for the own rank, too. */
static inline unsigned long et_peer(unsigned long rank, unsigned long address) {
  return (rank + 1) << 48 | address;
}
/* A byte of the local memory, and semaphore s, of a core there. */
static inline unsigned long et_peer_local(unsigned long rank, unsigned long core,
                                          unsigned long offset) {
  return et_peer(rank, ET_CORE_WINDOW + core * ET_CORE_STRIDE + offset);
}
static inline unsigned long et_peer_semaphore(unsigned long rank, unsigned long core,
                                              unsigned long s) {
  return et_peer(rank, et_semaphore(core, s));
}

/* Element types of an instruction's operands, tiles and views in the order of its syntax, as et_cap takes them. */
#define ET_TYPES(...) ET_TYPES_(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define ET_TYPES_(a, b, c, d, e, f, ...)                                     \
  ((unsigned long)(a) | (unsigned long)(b) << 8 | (unsigned long)(c) << 16 | \
   (unsigned long)(d) << 24 | (unsigned long)(e) << 32 | (unsigned long)(f) << 40)
/* 1 if this machine has an instruction for operands of these types, else 0: et_has(MM, ET_F32, ET_F16, ET_F16). */
#define et_has(instruction, ...) et_cap(ET_WORD_##instruction, ET_TYPES(__VA_ARGS__))

/* Seed and stream of the random numbers that follow (CSRs etseed and etstream). */
static inline void et_seed(unsigned long seed, unsigned long stream) {
  __asm__ volatile("csrw 0x7c9, %0\n\tcsrw 0x7ca, %1" : : "r"(seed), "r"(stream));
}

/* Waits until every core of the launch is here; orders everything before it before everything after. */
#define et_barrier_all() et_barrier(-1l, -1l)

/* The bits of a float, for instructions and constants that take an f32 scalar. */
static inline unsigned long et_float(float value) {
  union {
    float value;
    uint32_t bits;
  } u = {value};
  return u.bits;
}

/* Bytes of an element type of 8 bits or more. */
static inline unsigned long et_size(unsigned type) {
  switch (type) {
    case ET_F32:
    case ET_I32:
    case ET_U32: return 4;
    case ET_BF16:
    case ET_F16:
    case ET_I16:
    case ET_U16: return 2;
    case ET_I64: return 8;
    default: return 1;
  }
}

/* Bytes of a row of cols elements: rows of 4-bit elements begin on a byte. */
static inline unsigned long et_row_bytes(unsigned type, unsigned long cols) {
  return type == ET_I4 || type == ET_U4 || type == ET_F4E2M1 ? (cols + 1) / 2
                                                             : cols * et_size(type);
}

/* A tile of rows x cols elements at local byte `base`, rows `stride` bytes apart. */
#define et_tile_strided(tr, base, rows, cols, type, stride)                                   \
  et_tset(tr,                                                                                 \
          (unsigned long)(base) | (unsigned long)(cols) << 32 | (unsigned long)(type) << 56 | \
              1ul << 62,                                                                      \
          1ul | (unsigned long)(rows) << 24, (unsigned long)(stride) << 32)
/* The same with rows one after another. */
#define et_tile(tr, base, rows, cols, type) \
  et_tile_strided(tr, base, rows, cols, type, et_row_bytes(type, cols))
/* A row of cols elements that stands for every one of `rows` rows. */
#define et_tile_row(tr, base, rows, cols, type) et_tile_strided(tr, base, rows, cols, type, 0)
/* A column of `rows` elements that stands for every one of `cols` columns (column step 0). */
#define et_tile_column(tr, base, rows, cols, type)                                               \
  et_tset(tr, (unsigned long)(base) | (unsigned long)(cols) << 32 | (unsigned long)(type) << 56, \
          1ul | (unsigned long)(rows) << 24, et_size(type) << 32)

/* et_tlink(tr, n) links a matrix operand to the tile of its block scales, or A to its 2:4 metadata and that to the scales;
   et_tlink(tr, ET_NO_LINK) clears the link, as et_tile does. */
#define ET_NO_LINK (-1l)

/* View descriptor, 256 bytes (manual: view registers). */
typedef struct {
  uint64_t dim;   /* elements */
  int64_t stride; /* bytes; of 4-bit types nibbles */
  int64_t origin;
} et_axis;
typedef struct {
  uint32_t extent_axis; /* extent | axis << 24 */
  int32_t step;
} et_box;
typedef struct __attribute__((aligned(8))) {
  uint64_t base;
  uint8_t type, naxes, nbox, ncol, version, zero[3];
  uint64_t fill;
  et_axis axis[6];
  et_box box[8];
  uint64_t zero2[3];
} et_view;

#define ET_BOX(extent, axis, step) {(uint32_t)(extent) | (uint32_t)(axis) << 24, (step)}

/* A view of a matrix with a box of box_rows x box_cols at its origin; move it with et_vseek: axis 0 rows, axis 1 columns.
   Elements outside the matrix load as 0 and are dropped on store, so edge tiles need no special case. Of 4-bit types the
   row stride, box_cols and the origin of axis 1 are even. */
static inline et_view et_matrix_view(const void* base, unsigned type, unsigned long rows,
                                     unsigned long cols, unsigned long row_stride_elements,
                                     unsigned box_rows, unsigned box_cols) {
  const int64_t size = (int64_t)et_size(type);
  et_view v = {.base = (uint64_t)base,
               .type = (uint8_t)type,
               .naxes = 2,
               .nbox = 2,
               .ncol = 1,
               .version = 1,
               .axis = {{rows, (int64_t)row_stride_elements * size, 0}, {cols, size, 0}},
               .box = {ET_BOX(box_rows, 0, 1), ET_BOX(box_cols, 1, 1)}};
  return v;
}
/* The compiler must have written the descriptor before the instruction reads it; the address operand says so. */
#define et_load_view(vr, view) et_vld(vr, &(view))

/* Chain descriptor, 128 bytes (manual: chain registers). */
typedef struct {
  uint8_t op, compute, result, mode, dest, a, b, c;
} et_step;
typedef struct __attribute__((aligned(8))) {
  uint8_t version, nsteps, flags, reduction_op;
  uint8_t third_tile, reduction_tile, reduction_selector, td_selector;
  uint64_t zero;
  et_step step[8];
  uint32_t constant[12];
} et_chain;

#define ET_CHAIN_NO_TD 1
#define ET_CHAIN_REDUCE 2
#define ET_CHAIN_ACCUMULATE 4
#define ET_NO_TILE 0xff
/* Selectors: tiles a, b, c; temporaries; constants; tile a or b displaced by the bytes in a constant. */
#define ET_SEL_A 0
#define ET_SEL_B 1
#define ET_SEL_C 2
#define ET_SEL_TEMP(n) (8 + (n))
#define ET_SEL_CONST(n) (16 + (n))
#define ET_SEL_A_AT(n) (32 + (n))
#define ET_SEL_B_AT(n) (48 + (n))
/* Mode byte of a conversion step: a rounding, and saturation with it. A stochastic one takes its random words from b. */
#define ET_MODE_RNE 0
#define ET_MODE_RZ 1
#define ET_MODE_STOCHASTIC 2
#define ET_MODE_SAT 8
/* A step in f32: temporary dest = op(a, b, c). */
#define ET_STEP_F32(op, dest, a, b, c) {ET_OP_##op, ET_F32, ET_F32, 0, dest, a, b, c}
#define et_load_chain(ch, chain) et_cld(ch, &(chain))

/* The launch note: names, types and shapes of the kernel's arguments, for tools that prepare them. `args` is the struct
   main receives: 8 bytes an argument in order, then 8 a symbolic dimension in order of first appearance.

     struct args { const et_bf16* A; const et_bf16* B; float* C; int64_t M, K, N; };
     ETALON_KERNEL(struct args, "gemm(A: bf16[M, K], B: bf16[K, N], out C: f32[M, N]) check matmul(A, B) -> C")  */
#define ETALON_KERNEL(args, spec)                                                  \
  __attribute__((section(".note.etalon"), used, aligned(4))) static const struct { \
    uint32_t name_bytes, desc_bytes, type;                                         \
    char name[8];                                                                  \
    uint32_t version, args_bytes;                                                  \
    char text[(sizeof(spec) + 3) & ~3ul];                                          \
  } et_kernel_note_ = {7, 8 + sizeof(spec), 1, "Etalon\0", 1, sizeof(args), spec};

#endif /* ETALON_HELPERS_H_ */
