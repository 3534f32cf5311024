/* SPDX-License-Identifier: Apache-2.0 */
/* y[T,D] = table[ids[T], D]: rows picked by index; an id outside the table gives zeros.

   What to learn here: et_gather takes the coordinate on one axis of a view from a tile of indices.
   Box dim 0 counts the indices; the other box dims move whole rows at once. */
#include <etalon/xet.h>

struct args {
  const et_bf16* table;
  const int32_t* ids;
  et_bf16* y;
  int64_t V, D, T;
};
ETALON_KERNEL(
    struct args,
    "embedding(table: bf16[V, D], ids: i32[T], out y: bf16[T, D]) check gather(table, ids) -> y")

enum { TT = 128, TD = 2048 }; /* indices and columns of a tile */
enum { VTABLE, VIDS, VY };    /* view registers */
enum { Y, IDS };              /* tile registers */

static long least(long a, long b) { return a < b ? a : b; }

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const et_view vtable = et_matrix_view(a->table, ET_BF16, a->V, a->D, a->D, TT, TD);
  const et_view vids = et_matrix_view(a->ids, ET_I32, 1, a->T, a->T, 1, TT);
  const et_view vy = et_matrix_view(a->y, ET_BF16, a->T, a->D, a->D, TT, TD);
  et_load_view(VTABLE, vtable);
  et_load_view(VIDS, vids);
  et_load_view(VY, vy);
  et_tile(Y, 0, TT, TD, ET_BF16);
  et_tile(IDS, TT * TD * 2, 1, TT, ET_I32);

  for (long t = core * TT; t < a->T; t += cores * TT) {
    const long n = least(TT, a->T - t);
    et_vseek(VIDS, t, 1), et_vext(VIDS, n, 1);
    et_vseek(VY, t, 0), et_vext(VY, n, 0), et_vext(VTABLE, n, 0);
    et_tshape(Y, 1, n), et_tcols(IDS, n);
    et_ld(IDS, VIDS, ET_RNE);
    for (long d = 0; d < a->D; d += TD) {
      const long cols = least(TD, a->D - d);
      et_vseek(VTABLE, d, 1), et_vext(VTABLE, cols, 1);
      et_vseek(VY, d, 1), et_vext(VY, cols, 1);
      et_tcols(Y, cols);
      et_gather(Y, VTABLE, IDS, 0, ET_RNE);
      et_st(Y, VY, ET_RNE);
    }
  }
  return 0;
}
