/* SPDX-License-Identifier: Apache-2.0 */
/* Scales a vector, and says so on the console. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  const int32_t* x;
  int32_t* y;
  int64_t factor;
  int64_t n;
};
ETALON_KERNEL(struct args, "scale(x: i32[n], out y: i32[n], factor: i64 = 2)")

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  if (core == 0) et_print("hello\n");
  for (long i = core; i < a->n; i += cores) a->y[i] = (int32_t)(a->x[i] * a->factor);
  return 0;
}
