/* SPDX-License-Identifier: Apache-2.0 */
/* y = 2 x, for a debugger to look at. */
#include <etalon/xet.h>

struct args {
  const float* x;
  float* y;
  int64_t N;
};
ETALON_KERNEL(struct args, "twice(x: f32[N], out y: f32[N])")

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  (void)core, (void)cores;
  const et_view vx = et_matrix_view(a->x, ET_F32, 1, a->N, a->N, 1, a->N);
  const et_view vy = et_matrix_view(a->y, ET_F32, 1, a->N, a->N, 1, a->N);
  et_load_view(1, vx);
  et_load_view(2, vy);
  et_tile(4, 0, 1, a->N, ET_F32);
  et_ld(4, 1, ET_RNE);
  et_mul_x(4, 4, et_float(2.0f));
  et_st(4, 2, ET_RNE);
  return 0;
}
