/* SPDX-License-Identifier: Apache-2.0 */
/* One step of Adam with decoupled weight decay (AdamW) on N parameters, f32, and a bf16 copy of them:

     m' = beta1 m + (1 - beta1) g            correction1 = 1 - beta1^t, which the host knows best
     v' = beta2 v + (1 - beta2) g^2          correction2 = 1 - beta2^t
     p' = (1 - lr weight_decay) p - lr (m' / correction1) / (sqrt(v' / correction2) + eps)

   What to learn here: three results are three passes, each a chain whose constants are set once; the
   copy in bf16 is no pass at all, since a store converts. State goes in and out in different tensors,
   so that a reference can judge it. */
#include <etalon/xet.h>

struct args {
  const float *p, *g, *m, *v;
  float *p_out, *m_out, *v_out;
  et_bf16* p_bf16;
  /* an argument takes 8 bytes */
  struct {
    float value;
    uint32_t pad;
  } lr, beta1, beta2, eps, weight_decay, correction1, correction2;
  int64_t N;
};
ETALON_KERNEL(struct args,
              "adam(p: f32[N], g: f32[N], m: f32[N], v: f32[N], out p_out: f32[N], "
              "out m_out: f32[N], out v_out: f32[N], out p_bf16: bf16[N], lr: f32 = 0.001, "
              "beta1: f32 = 0.9, beta2: f32 = 0.999, eps: f32 = 1e-8, weight_decay: f32 = 0, "
              "correction1: f32 = 0.1, correction2: f32 = 0.001) "
              "check adam(p, g, m, v) -> p_out, m_out, v_out, p_bf16 with lr=lr, beta1=beta1, "
              "beta2=beta2, epsilon=eps, weight_decay=weight_decay, correction1=correction1, "
              "correction2=correction2")

enum { TN = 65536, LT = TN * 4, PLACE = 4 * LT };    /* elements and bytes of a tile, of all four */
enum { VP, VG, VM, VV, VPOUT, VMOUT, VVOUT, VCOPY }; /* view registers */
enum { P, G, M, V };                                 /* tile registers */
enum { MOMENT, SQUARE, UPDATE };                     /* chain registers */

static long least(long a, long b) { return a < b ? a : b; }

/* a = m, b = g; constants beta1, 1 - beta1 */
static const et_chain moment = {
    .version = 1,
    .nsteps = 2,
    .third_tile = ET_NO_TILE,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(0),
    .step = {ET_STEP_F32(MUL, 0, ET_SEL_B, ET_SEL_CONST(1), 0),
             ET_STEP_F32(FMA, 0, ET_SEL_A, ET_SEL_CONST(0), ET_SEL_TEMP(0))}};
/* a = v, b = g; constants beta2, 1 - beta2 */
static const et_chain square = {
    .version = 1,
    .nsteps = 3,
    .third_tile = ET_NO_TILE,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(0),
    .step = {ET_STEP_F32(MUL, 0, ET_SEL_B, ET_SEL_B, 0),
             ET_STEP_F32(MUL, 0, ET_SEL_TEMP(0), ET_SEL_CONST(1), 0),
             ET_STEP_F32(FMA, 0, ET_SEL_A, ET_SEL_CONST(0), ET_SEL_TEMP(0))}};
/* a = p, b = m', c = v'; constants 1 / correction2, eps, lr / correction1, 1 - lr weight_decay */
static const et_chain update = {.version = 1,
                                .nsteps = 7,
                                .third_tile = V,
                                .reduction_tile = ET_NO_TILE,
                                .td_selector = ET_SEL_TEMP(0),
                                .step = {ET_STEP_F32(MUL, 0, ET_SEL_C, ET_SEL_CONST(0), 0),
                                         ET_STEP_F32(SQRT, 0, ET_SEL_TEMP(0), 0, 0),
                                         ET_STEP_F32(ADD, 0, ET_SEL_TEMP(0), ET_SEL_CONST(1), 0),
                                         ET_STEP_F32(MUL, 1, ET_SEL_B, ET_SEL_CONST(2), 0),
                                         ET_STEP_F32(DIV, 1, ET_SEL_TEMP(1), ET_SEL_TEMP(0), 0),
                                         ET_STEP_F32(MUL, 0, ET_SEL_A, ET_SEL_CONST(3), 0),
                                         ET_STEP_F32(SUB, 0, ET_SEL_TEMP(0), ET_SEL_TEMP(1), 0)}};

/* Loads a view register with a tensor of N elements, and moves it to a piece of it. */
#define TENSOR(VR, tensor, type)                                                \
  do {                                                                          \
    const et_view view = et_matrix_view(a->tensor, type, 1, a->N, a->N, 1, TN); \
    et_load_view(VR, view);                                                     \
  } while (0)
#define PIECE(VR) et_vseek(VR, n, 1), et_vext(VR, cols, 1)

int main(void* arguments, unsigned long core, unsigned long cores) {
  const struct args* a = arguments;
  TENSOR(VP, p, ET_F32);
  TENSOR(VG, g, ET_F32);
  TENSOR(VM, m, ET_F32);
  TENSOR(VV, v, ET_F32);
  TENSOR(VPOUT, p_out, ET_F32);
  TENSOR(VMOUT, m_out, ET_F32);
  TENSOR(VVOUT, v_out, ET_F32);
  TENSOR(VCOPY, p_bf16, ET_BF16);
  et_load_chain(MOMENT, moment);
  et_load_chain(SQUARE, square);
  et_load_chain(UPDATE, update);
  et_cset(MOMENT, et_float(a->beta1.value), 0);
  et_cset(MOMENT, et_float(1.0f - a->beta1.value), 1);
  et_cset(SQUARE, et_float(a->beta2.value), 0);
  et_cset(SQUARE, et_float(1.0f - a->beta2.value), 1);
  et_cset(UPDATE, et_float(1.0f / a->correction2.value), 0);
  et_cset(UPDATE, et_float(a->eps.value), 1);
  et_cset(UPDATE, et_float(a->lr.value / a->correction1.value), 2);
  et_cset(UPDATE, et_float(1.0f - a->lr.value * a->weight_decay.value), 3);

  long at = 0; /* of two places in turn: one piece comes in while the one before is computed */
  for (long n = core * TN; n < a->N; n += cores * TN, at ^= PLACE) {
    const long cols = least(TN, a->N - n);
    et_tile(P, at, 1, cols, ET_F32);
    et_tile(G, at + LT, 1, cols, ET_F32);
    et_tile(M, at + 2 * LT, 1, cols, ET_F32);
    et_tile(V, at + 3 * LT, 1, cols, ET_F32);
    PIECE(VP), PIECE(VG), PIECE(VM), PIECE(VV);
    PIECE(VPOUT), PIECE(VMOUT), PIECE(VVOUT), PIECE(VCOPY);
    et_ld(G, VG, ET_RNE);
    et_ld(M, VM, ET_RNE);
    et_ld(V, VV, ET_RNE);
    et_ld(P, VP, ET_RNE);
    et_vx(M, M, G, MOMENT);
    et_st(M, VMOUT, ET_RNE);
    et_vx(V, V, G, SQUARE);
    et_st(V, VVOUT, ET_RNE);
    et_vx(P, P, M, UPDATE);
    et_st(P, VPOUT, ET_RNE);
    et_st(P, VCOPY, ET_RNE);
  }
  return 0;
}
