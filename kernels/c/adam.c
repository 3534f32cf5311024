/* SPDX-License-Identifier: Apache-2.0 */
/* One step of Adam with decoupled weight decay (AdamW) on N parameters, f32, and a bf16 copy of them:

     m' = beta1 m + (1 - beta1) g            correction1 = 1 - beta1^t, which the host knows best
     v' = beta2 v + (1 - beta2) g^2          correction2 = 1 - beta2^t
     p' = (1 - lr weight_decay) p - lr (m' / correction1) / (sqrt(v' / correction2) + eps)

   What to learn here: three results are three passes, each a chain whose constants are set once; the
   copy in bf16 is no pass at all, since a store converts. State goes in and out in different tensors,
   so that a reference can judge it.

   Memory binds: a piece is loaded while the one before is computed and stored. Tensors of one size
   often begin a power of two apart, where equal offsets are in one bank of DRAM but in other rows of
   it. So each tensor is moved in parts, one a channel, and all channels are at one tensor at a time. */
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

enum { TN = 65536, PART = TN / 4, LT = TN * 4 };     /* elements of a tile and its parts, bytes */
enum { PLACES = 3, PLACE = 4 * LT };                 /* pieces in local memory, bytes of one */
enum { VP, VG, VM, VV, VPOUT, VMOUT, VVOUT, VCOPY }; /* view registers */
enum { P, G, M, V };                                 /* tile registers, and order in a place */
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

/* Loads a view register with a tensor of N elements. */
#define TENSOR(VR, tensor, type)                                                  \
  do {                                                                            \
    const et_view view = et_matrix_view(a->tensor, type, 1, a->N, a->N, 1, PART); \
    et_load_view(VR, view);                                                       \
  } while (0)
/* et_ld or et_st of elements n to n + cols, part by part; T stands for the last of them then. */
#define MOVE(how, T, VR)                                \
  for (long j = 0; j < cols; j += PART) {               \
    const long part = least(PART, cols - j);            \
    et_tile(T, at + (T) * LT + j * 4, 1, part, ET_F32); \
    et_vseek(VR, n + j, 1), et_vext(VR, part, 1);       \
    how(T, VR, ET_RNE);                                 \
  }

/* Loads elements n to n + cols to the place at byte `at`. */
static void load(long n, long cols, long at) {
  MOVE(et_ld, G, VG);
  MOVE(et_ld, M, VM);
  MOVE(et_ld, V, VV);
  MOVE(et_ld, P, VP);
}

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

  const long step = cores * TN;
  long n = core * TN, at = 0;
  load(n, least(TN, a->N - n), at);
  for (; n < a->N; n += step) {
    const long cols = least(TN, a->N - n), next = at < (PLACES - 1) * PLACE ? at + PLACE : 0;
    load(n + step, least(TN, a->N - n - step), next);
    et_tile(P, at + P * LT, 1, cols, ET_F32);
    et_tile(G, at + G * LT, 1, cols, ET_F32);
    et_tile(M, at + M * LT, 1, cols, ET_F32);
    et_tile(V, at + V * LT, 1, cols, ET_F32);
    et_vx(M, M, G, MOMENT);
    et_vx(V, V, G, SQUARE);
    et_vx(P, P, M, UPDATE);
    MOVE(et_st, M, VMOUT);
    MOVE(et_st, V, VVOUT);
    MOVE(et_st, P, VPOUT);
    MOVE(et_st, P, VCOPY);
    at = next;
  }
  return 0;
}
