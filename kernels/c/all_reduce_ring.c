/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of x[n], f32, over all devices, in place: afterwards every device has the same bits.

   What to learn here: devices work together by stores into each other's local memory and signals. The
   devices stand in a ring. Each chunk of x starts at one device and takes up the elements of the next
   ones as it goes around (reduce-scatter); when it is complete it goes around once more (all-gather).
   So the order of a sum depends on where its element stands, and on nothing else.

   A message is a chunk that a core stores into a slot in the local memory of the same core of the next
   device. A signal says that it is there, another one back that slots are free again. Links answer
   late: so several blocks are on their way at once, each core has a part of x and semaphores of its
   own, and odd cores go the other way around, since links go both ways. */
#include <etalon/xet.h>

struct args {
  float* x;
  int64_t n;
};
ETALON_KERNEL(struct args, "all_reduce_ring(inout x: f32[n])")

enum { AHEAD = 2, SLOTS = 2 * AHEAD };           /* blocks on their way at once; messages */
enum { MOST = 131072, LEAST = 1024, LINE = 16 }; /* elements of a chunk; of a line of memory */
enum { PARTS = 2 };                              /* of a chunk that is stored: one a channel */
enum { ARRIVED, FREED };       /* semaphores: messages that came, slots that are free again */
enum { VX, VNEXT };            /* view registers */
enum { RECEIVED, MINE, PART }; /* tile registers */

struct ring {
  long rank, devices;           /* as they stand in the direction of this core */
  long begin, end;              /* this core's part of x */
  long chunk;                   /* elements of a chunk; a block has one for each device */
  long place;                   /* elements from slot to slot */
  unsigned long arrived, freed; /* semaphores: of the next device, of the one before */
  long received, sent;          /* messages */
};

static long least(long a, long b) { return a < b ? a : b; }
static long most(long a, long b) { return a > b ? a : b; }
static long quotient(long a, long b) { return (a + b - 1) / b; }

/* The device `steps` further in the direction of a core. */
static long neighbour(long steps, unsigned long core) {
  const long devices = et_devices(), rank = et_rank();
  return (rank + (core % 2 ? devices - steps : steps)) % devices;
}

static struct ring ring_begin(const struct args* a, unsigned long core, unsigned long cores) {
  const long devices = et_devices(), rank = et_rank();
  const long next = neighbour(1, core), last = neighbour(devices - 1, core);
  struct ring r = {.rank = core % 2 ? (devices - rank) % devices : rank, .devices = devices};
  const long part = quotient(quotient(a->n, cores), LINE) * LINE;
  r.begin = least(a->n, core * part);
  r.end = least(a->n, r.begin + part);
  r.place = least(MOST, et_local_bytes() / (2 * SLOTS * sizeof(float)) / LINE * LINE);
  const long even = quotient(quotient(part, devices * AHEAD), LINE) * LINE;
  r.chunk = least(r.place, most(LEAST, even));
  r.arrived = et_peer_semaphore(next, core, ARRIVED);
  r.freed = et_peer_semaphore(last, core, FREED);
  const long slots = SLOTS * r.place;
  const et_view vx = et_matrix_view(a->x, ET_F32, 1, a->n, a->n, 1, r.chunk);
  const et_view vnext =
      et_matrix_view((void*)et_peer_local(next, core, 0), ET_F32, 1, slots, slots, 1, r.chunk);
  et_load_view(VX, vx);
  et_load_view(VNEXT, vnext);
  return r;
}

/* Stores `count` elements of local memory from byte `from` on to elements of a view from `to` on. */
#define PUT(view, from, to, count)                                          \
  for (long j = 0, part = quotient(count, PARTS); j < (count); j += part) { \
    const long here = least(part, (count) - j);                             \
    et_tile(PART, (from) + j * 4, 1, here, ET_F32);                         \
    et_vseek(view, (to) + j, 1), et_vext(view, here, 1);                    \
    et_st(PART, view, ET_RNE);                                              \
  }

/* Step `m` of a block: its chunk comes from the device before (not at first), takes up what is here or is complete, and
   goes to the next device (not at last). */
static void step(struct ring* r, long block, long m) {
  const long chunk = (r->rank - m + 2 * r->devices) % r->devices;
  const long at = r->begin + (block * r->devices + chunk) * r->chunk;
  const long count = most(0, least(r->chunk, r->end - at));
  const int adds = m < r->devices, sends = m < 2 * r->devices - 2;
  const long came = r->received % SLOTS * r->place * 4;
  const long to = r->sent % SLOTS * r->place, mine = (SLOTS * r->place + to) * 4;
  const long from = adds ? mine : came;
  if (adds) {
    et_vseek(VX, at, 1), et_vext(VX, count, 1);
    et_tile(MINE, mine, 1, count, ET_F32);
    et_ld(MINE, VX, ET_RNE);
  }
  if (m > 0) et_wait(ARRIVED, ++r->received);
  if (m > 0 && adds) {
    et_tile(RECEIVED, came, 1, count, ET_F32);
    et_add(MINE, RECEIVED, MINE);
  }
  if (sends) {
    et_wait(FREED, ++r->sent - SLOTS);
    PUT(VNEXT, from, to, count);
    et_sig(r->arrived, 1);
  }
  if (m >= r->devices - 1) PUT(VX, from, at, count); /* the sum is complete */
}

int main(void* arguments, unsigned long core, unsigned long cores) {
  const struct args* a = arguments;
  if (et_devices() == 1) return 0;
  struct ring r = ring_begin(a, core, cores);
  const long blocks = quotient(r.end - r.begin, r.devices * r.chunk);
  for (long first = 0; first < blocks; first += AHEAD) {
    const long together = least(AHEAD, blocks - first);
    for (long m = 0; m < 2 * r.devices - 1; ++m) {
      for (long b = 0; b < together; ++b) step(&r, first + b, m);
      if (m > 0) et_sig(r.freed, together);
    }
  }
  return 0;
}
