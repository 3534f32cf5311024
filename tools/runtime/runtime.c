/* SPDX-License-Identifier: Apache-2.0 */
#include <etalon/runtime.h>
#include <stdarg.h>

/* Host interface as the public RISC-V tests use it (HTIF): a value with bit 0 set ends the run with
   exit code value >> 1; any other is the address of {number, a0, a1, a2}, a system call, answered by
   fromhost != 0. */
extern volatile uint64_t tohost;
extern volatile uint64_t fromhost;

enum { kSyscallWrite = 64, kStdout = 1, kAssertExitCode = 134 };

/* There is one tohost for all cores. */
static int host_lock;

static void lockHost(void) {
  while (__atomic_exchange_n(&host_lock, 1, __ATOMIC_ACQUIRE)) {
  }
}

static void unlockHost(void) { __atomic_store_n(&host_lock, 0, __ATOMIC_RELEASE); }

static void writeConsole(const char* text, size_t size) {
  /* On the caller's stack, so each core has its own; alone in its cache line, as the host reads it
     behind the core's back. */
  volatile uint64_t call[8] __attribute__((aligned(64)));
  call[0] = kSyscallWrite;
  call[1] = kStdout;
  call[2] = (uint64_t)(uintptr_t)text;
  call[3] = size;
  lockHost();
  __sync_synchronize();
  tohost = (uint64_t)(uintptr_t)call;
  while (fromhost == 0) {
  }
  fromhost = 0;
  __sync_synchronize();
  unlockHost();
}

void et_exit(int code) {
  lockHost(); /* never given back: no other core may overwrite the answer */
  __sync_synchronize();
  for (;;) tohost = ((uint64_t)((uint32_t)code & 0x7fffffffu) << 1) | 1;
}

void et_print(const char* text) { writeConsole(text, strlen(text)); }

void et_assert_failed(const char* file, int line, const char* condition) {
  et_printf("%s:%d: assertion failed: %s\n", file, line, condition);
  et_exit(kAssertExitCode);
}

/* ---- formatted output ---- */

struct Output {
  size_t used;
  char text[128];
};

static void flush(struct Output* out) {
  if (out->used > 0) writeConsole(out->text, out->used);
  out->used = 0;
}

static void putCharacter(struct Output* out, char c) {
  if (out->used == sizeof out->text) flush(out);
  out->text[out->used++] = c;
}

static void putText(struct Output* out, const char* text) {
  while (*text) putCharacter(out, *text++);
}

/* At least `digits` digits. */
static void putUnsigned(struct Output* out, uint64_t value, unsigned base, int digits) {
  char reversed[24];
  int n = 0;
  do {
    reversed[n++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0 || n < digits);
  while (n > 0) putCharacter(out, reversed[--n]);
}

static void putSigned(struct Output* out, int64_t value) {
  if (value < 0) putCharacter(out, '-');
  putUnsigned(out, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, 1);
}

/* significand * 2^exponent with exponent >= 0: exact, in four 32-bit limbs, 9 digits at a time. */
static void putBigInteger(struct Output* out, uint32_t significand, int exponent) {
  uint32_t limbs[4] = {0, 0, 0, 0};
  const uint64_t shifted = (uint64_t)significand << (exponent % 32);
  limbs[exponent / 32] = (uint32_t)shifted;
  if (exponent / 32 < 3) limbs[exponent / 32 + 1] = (uint32_t)(shifted >> 32);
  uint32_t groups[5];
  int n = 0;
  do {
    uint64_t rest = 0;
    for (int i = 3; i >= 0; i--) {
      rest = (rest << 32) | limbs[i];
      limbs[i] = (uint32_t)(rest / 1000000000u);
      rest %= 1000000000u;
    }
    groups[n++] = (uint32_t)rest;
  } while (limbs[0] | limbs[1] | limbs[2] | limbs[3]);
  putUnsigned(out, groups[--n], 10, 1);
  while (n > 0) putUnsigned(out, groups[--n], 10, 9);
}

/* Six decimals of an f32, ties to even, in integers: a core has no double and this needs no division
   of floats. */
static void putFloat(struct Output* out, uint32_t bits) {
  const int biased = (int)((bits >> 23) & 0xff);
  uint32_t significand = bits & 0x7fffff;
  if (biased == 255) {
    putText(out, significand ? "nan" : bits >> 31 ? "-inf" : "inf");
    return;
  }
  if (bits >> 31) putCharacter(out, '-');
  if (biased > 0) significand |= 0x800000;
  const int exponent = (biased > 0 ? biased : 1) - 150;
  if (exponent >= 0) {
    putBigInteger(out, significand, exponent);
    putText(out, ".000000");
    return;
  }
  const int shift = -exponent;
  /* significand * 10^6 < 2^44; below 2^-45 the value rounds to 0 whatever its bits are. */
  uint64_t scaled = 0;
  if (shift < 64) {
    const uint64_t product = (uint64_t)significand * 1000000u;
    const uint64_t rest = product & (((uint64_t)1 << shift) - 1);
    const uint64_t half = (uint64_t)1 << (shift - 1);
    scaled = product >> shift;
    if (rest > half || (rest == half && (scaled & 1))) scaled++;
  }
  putUnsigned(out, scaled / 1000000u, 10, 1);
  putCharacter(out, '.');
  putUnsigned(out, scaled % 1000000u, 10, 6);
}

void et_printf(const char* format, ...) {
  struct Output out;
  out.used = 0;
  va_list arguments;
  va_start(arguments, format);
  for (const char* at = format; *at; at++) {
    if (*at != '%') {
      putCharacter(&out, *at);
      continue;
    }
    const char* conversion = at++;
    const int is_long = *at == 'l';
    if (is_long) at++;
    switch (*at) {
      case 'd':
      case 'i': putSigned(&out, is_long ? va_arg(arguments, long) : va_arg(arguments, int)); break;
      case 'u':
        putUnsigned(&out, is_long ? va_arg(arguments, unsigned long) : va_arg(arguments, unsigned),
                    10, 1);
        break;
      case 'x':
        putUnsigned(&out, is_long ? va_arg(arguments, unsigned long) : va_arg(arguments, unsigned),
                    16, 1);
        break;
      case 'p':
        putText(&out, "0x");
        putUnsigned(&out, (uintptr_t)va_arg(arguments, void*), 16, 1);
        break;
      case 's': putText(&out, va_arg(arguments, const char*)); break;
      case 'c': putCharacter(&out, (char)va_arg(arguments, int)); break;
      case 'f': putFloat(&out, va_arg(arguments, uint32_t)); break;
      case '%': putCharacter(&out, '%'); break;
      default:
        while (conversion < at) putCharacter(&out, *conversion++);
        at--; /* the character that is no conversion comes next, the end of the text included */
    }
  }
  va_end(arguments);
  flush(&out);
}

/* ---- functions that compilers call ---- */

/* Eight bytes at a time where both sides allow it. */
void* memcpy(void* to, const void* from, size_t size) {
  typedef uint64_t __attribute__((may_alias)) Word;
  unsigned char* t = to;
  const unsigned char* f = from;
  if ((((uintptr_t)t ^ (uintptr_t)f) & 7) == 0) {
    for (; size > 0 && ((uintptr_t)t & 7) != 0; size--) *t++ = *f++;
    for (; size >= 8; size -= 8, t += 8, f += 8) *(Word*)t = *(const Word*)f;
  }
  for (; size > 0; size--) *t++ = *f++;
  return to;
}

void* memmove(void* to, const void* from, size_t size) {
  unsigned char* t = to;
  const unsigned char* f = from;
  if ((uintptr_t)t - (uintptr_t)f >= size) return memcpy(to, from, size);
  while (size > 0) {
    size--;
    t[size] = f[size];
  }
  return to;
}

void* memset(void* to, int value, size_t size) {
  typedef uint64_t __attribute__((may_alias)) Word;
  const uint64_t word = (unsigned char)value * 0x0101010101010101u;
  unsigned char* t = to;
  for (; size > 0 && ((uintptr_t)t & 7) != 0; size--) *t++ = (unsigned char)value;
  for (; size >= 8; size -= 8, t += 8) *(Word*)t = word;
  for (; size > 0; size--) *t++ = (unsigned char)value;
  return to;
}

size_t strlen(const char* text) {
  size_t size = 0;
  while (text[size]) size++;
  return size;
}
