/* SPDX-License-Identifier: Apache-2.0 */
/* Says which forms the machine has, and draws the greatest of 16 random words if it can. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  uint32_t* top;
  int32_t* at;
};
ETALON_KERNEL(struct args, "top_words(out top: u32[3], out at: i32[3])")

static void say(const char* form, unsigned long has) {
  et_printf("%s: %s\n", form, has ? "yes" : "no");
}

int main(void* p, unsigned long core, unsigned long cores) {
  (void)core;
  (void)cores;
  const struct args* a = p;
  say("mm f32 bf16 bf16", et_has(MM, ET_F32, ET_BF16, ET_BF16));
  say("mm f32 f16 f16", et_has(MM, ET_F32, ET_F16, ET_F16));
  say("mm bf16 bf16 bf16", et_has(MM, ET_BF16, ET_BF16, ET_BF16));
  say("cvt.sr f8e4m3 f32 u32", et_has(CVT_SR, ET_F8E4M3, ET_F32, ET_U32));
  if (!et_has(RAND_BITS, ET_U32) || !et_has(TOPK, ET_U32, ET_U32, ET_I32)) return 3;
  et_seed(5, 6);
  et_tile(1, 0, 1, 16, ET_U32);
  et_tile(2, 64, 1, 3, ET_U32);
  et_tile(3, 128, 1, 3, ET_I32);
  et_rand_bits(1, 100, 0);
  et_topk(2, 1, 3, ET_DESCENDING);
  et_view top = et_matrix_view(a->top, ET_U32, 1, 3, 3, 1, 3);
  et_view at = et_matrix_view(a->at, ET_I32, 1, 3, 3, 1, 3);
  et_load_view(0, top);
  et_load_view(1, at);
  et_st(2, 0, ET_RNE);
  et_st(3, 1, ET_RNE);
  return 0;
}
