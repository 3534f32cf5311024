/* SPDX-License-Identifier: Apache-2.0 */
/* y = x / (1 - p) where a random number of the element is p or more, else 0.

   What to learn here: et_rand_uniform numbers the elements, here r * N + c, and word number e is the
   same whoever asks for it. So the mask depends on seed, stream and place in the tensor alone, never
   on tiles or cores, and the backward pass makes it again instead of storing it. tile_rows and
   tile_cols cut the work and change no bit. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  const et_bf16* x;
  et_bf16* y;
  float p;
  uint32_t pad_; /* an argument takes 8 bytes */
  uint64_t seed, stream;
  int64_t tile_rows, tile_cols;
  int64_t R, N;
};
ETALON_KERNEL(struct args,
              "dropout(x: bf16[R, N], out y: bf16[R, N], p: f32 = 0.5, seed: u32 = 1, "
              "stream: u32 = 0, tile_rows: i32 = 64, tile_cols: i32 = 2048) "
              "check dropout(x) -> y with p=p, seed=seed, stream=stream")

enum { VX, VY };  /* view registers */
enum { X, U, Y }; /* tile registers */
enum { KEEP };    /* chain register */

static long least(long a, long b) { return a < b ? a : b; }

/* y = u >= p ? x * scale : 0, with p and scale in constants 0 and 1 */
static const et_chain keep = {
    .version = 1,
    .nsteps = 3,
    .third_tile = ET_NO_TILE,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(1),
    .step = {{ET_OP_GE, ET_F32, ET_U32, 0, 0, ET_SEL_B, ET_SEL_CONST(0), 0},
             ET_STEP_F32(MUL, 1, ET_SEL_A, ET_SEL_CONST(1), 0),
             ET_STEP_F32(SELECT, 1, ET_SEL_TEMP(0), ET_SEL_TEMP(1), ET_SEL_CONST(2))},
    .constant = {0, 0, 0 /* +0.0 */}};

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const long tr = a->tile_rows, tn = a->tile_cols, lx = tr * tn * 2, lu = tr * tn * 4;
  et_assert(tr > 0 && tn > 0 && 2 * (2 * lx + lu) <= (long)et_local_bytes());
  const et_view vx = et_matrix_view(a->x, ET_BF16, a->R, a->N, a->N, tr, tn);
  const et_view vy = et_matrix_view(a->y, ET_BF16, a->R, a->N, a->N, tr, tn);
  et_load_view(VX, vx);
  et_load_view(VY, vy);
  et_load_chain(KEEP, keep);
  et_cset(KEEP, et_float(a->p), 0);
  et_cset(KEEP, et_float(1.0f / (1.0f - a->p)), 1);
  et_seed(a->seed, a->stream);
  et_tile(X, 0, tr, tn, ET_BF16);
  et_tile(U, 0, tr, tn, ET_F32);
  et_tile(Y, 0, tr, tn, ET_BF16);

  const long across = (a->N + tn - 1) / tn, tiles = (a->R + tr - 1) / tr * across;
  long at = 0; /* of two places in turn */
  for (long t = core; t < tiles; t += cores, at ^= 2 * lx + lu) {
    const long m = t / across * tr, n = t % across * tn;
    const long rows = least(tr, a->R - m), cols = least(tn, a->N - n);
    et_vseek(VX, m, 0), et_vext(VX, rows, 0), et_vseek(VX, n, 1), et_vext(VX, cols, 1);
    et_vseek(VY, m, 0), et_vext(VY, rows, 0), et_vseek(VY, n, 1), et_vext(VY, cols, 1);
    et_tbase(X, at + lu), et_tshape(X, 1, rows), et_tcols(X, cols);
    et_tbase(U, at), et_tshape(U, 1, rows), et_tcols(U, cols);
    et_tbase(Y, at + lu + lx), et_tshape(Y, 1, rows), et_tcols(Y, cols);
    et_ld(X, VX, ET_RNE);
    et_rand_uniform(U, m * a->N + n, a->N);
    et_vx(Y, X, U, KEEP);
    et_st(Y, VY, ET_RNE);
  }
  return 0;
}
