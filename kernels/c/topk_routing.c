/* SPDX-License-Identifier: Apache-2.0 */
/* Top-k routing of a mixture of experts: for each token the k experts with the greatest logits, greatest
   first, and the softmax of these k logits as their gates.

   What to learn here: et_topk gives values and the columns they came from; of equal logits the lower
   expert comes first, so routing has one answer. The values are sorted, so the maximum that the
   softmax subtracts is a column that is there already, and the chain sums the exponentials on the
   way. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  const float* logits;
  int32_t* expert;
  float* gate;
  int64_t k;
  int64_t T, E;
};
ETALON_KERNEL(struct args,
              "topk_routing(logits: f32[T, E], out expert: i32[T, k], out gate: f32[T, k], "
              "k: i32 = 2) check topk_routing(logits) -> expert, gate")

enum { TT = 128 };                                     /* tokens of a tile at most */
enum { VLOGITS, VEXPERT, VGATE };                      /* view registers */
enum { LOGITS, VALUE, EXPERT, GATE, MAXB, SUM, SUMB }; /* tile registers; B: along the rows */
enum { EXP_SUM };                                      /* chain register */

static long least(long a, long b) { return a < b ? a : b; }

/* gate = exp(value - max), and their sum */
static const et_chain exp_sum = {.version = 1,
                                 .nsteps = 2,
                                 .flags = ET_CHAIN_REDUCE,
                                 .reduction_op = 0,
                                 .third_tile = ET_NO_TILE,
                                 .reduction_tile = SUM,
                                 .reduction_selector = ET_SEL_TEMP(1),
                                 .td_selector = ET_SEL_TEMP(1),
                                 .step = {ET_STEP_F32(SUB, 0, ET_SEL_A, ET_SEL_B, 0),
                                          ET_STEP_F32(EXP, 1, ET_SEL_TEMP(0), 0, 0)}};

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  et_assert(a->k >= 0 && a->k <= a->E);
  if (a->k == 0) return 0;
  long tt = TT; /* two places for everything: a block comes in while the one before goes out */
  while (tt > 1 && 2 * tt * (a->E + 3 * a->k + 1) * 4 > (long)et_local_bytes()) tt /= 2;
  et_assert(2 * tt * (a->E + 3 * a->k + 1) * 4 <= (long)et_local_bytes());
  const et_view vlogits = et_matrix_view(a->logits, ET_F32, a->T, a->E, a->E, tt, a->E);
  const et_view vexpert = et_matrix_view(a->expert, ET_I32, a->T, a->k, a->k, tt, a->k);
  const et_view vgate = et_matrix_view(a->gate, ET_F32, a->T, a->k, a->k, tt, a->k);
  et_load_view(VLOGITS, vlogits);
  et_load_view(VEXPERT, vexpert);
  et_load_view(VGATE, vgate);
  et_load_chain(EXP_SUM, exp_sum);
  const long llogits = tt * a->E * 4, lk = tt * a->k * 4, place = llogits + 3 * lk + tt * 4;

  long turn = 0;
  for (long t = core * tt; t < a->T; t += cores * tt, turn ^= 1) {
    const long rows = least(tt, a->T - t), at = turn * place, value = at + llogits;
    et_vseek(VLOGITS, t, 0), et_vext(VLOGITS, rows, 0);
    et_vseek(VEXPERT, t, 0), et_vext(VEXPERT, rows, 0);
    et_vseek(VGATE, t, 0), et_vext(VGATE, rows, 0);
    et_tile(LOGITS, at, rows, a->E, ET_F32);
    et_tile(VALUE, value, rows, a->k, ET_F32);
    et_tile_strided(MAXB, value, rows, a->k, ET_F32, a->k * 4);
    et_ttype(MAXB, ET_F32, 0); /* column 0 of the values on all columns */
    et_tile(EXPERT, value + lk, rows, a->k, ET_I32);
    et_tile(GATE, value + 2 * lk, rows, a->k, ET_F32);
    et_tile(SUM, value + 3 * lk, rows, 1, ET_F32);
    et_tile_column(SUMB, value + 3 * lk, rows, a->k, ET_F32);
    et_ld(LOGITS, VLOGITS, ET_RNE);
    et_topk(VALUE, LOGITS, EXPERT, ET_DESCENDING);
    et_st(EXPERT, VEXPERT, ET_RNE);
    et_vx(GATE, VALUE, MAXB, EXP_SUM);
    et_div(GATE, GATE, SUMB);
    et_st(GATE, VGATE, ET_RNE);
  }
  return 0;
}
