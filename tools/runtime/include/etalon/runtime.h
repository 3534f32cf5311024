/* SPDX-License-Identifier: Apache-2.0 */
/* What a program on the device has besides the instructions: console, exit, assert, and the four
   memory functions that compilers call. Everything may be called from every core at once. */
#ifndef ETALON_RUNTIME_H_
#define ETALON_RUNTIME_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program: called once on every core.
     args   the argument block that the host prepared
     core   0 .. cores - 1, this core's index in the launch
     cores  how many cores run the program
   Returning 0 halts this core; any other value ends the run with that exit code. */
int main(void* args, unsigned long core, unsigned long cores);

/* Writes text to the console. One call's output is not mixed with that of other cores. */
void et_print(const char* text);

/* Formatted output: %d %i %u %x (int), %ld %lu %lx (long), %p, %s, %c, %%, and %f, which takes
   et_f32(x) and prints six decimals, rounded to nearest. There is no double on a core, and C would
   pass a plain float as one: `et_printf("%f\n", et_f32(x))`. An unknown conversion is printed as it
   stands. Output longer than 128 characters goes out in pieces. */
void et_printf(const char* format, ...);

/* The bits of a float, for %f. */
static inline uint32_t et_f32(float value) {
  union {
    float value;
    uint32_t bits;
  } u = {value};
  return u.bits;
}

/* Ends the run for all cores; the exit code 0 is success. Only bits 30:0 of the code count. */
__attribute__((noreturn)) void et_exit(int code);

__attribute__((noreturn)) void et_assert_failed(const char* file, int line, const char* condition);

/* Ends the run with exit code 134 and a message if the condition is false; always on. */
#define et_assert(condition) \
  ((condition) ? (void)0 : et_assert_failed(__FILE__, __LINE__, #condition))

void* memcpy(void* to, const void* from, size_t size);
void* memmove(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);
size_t strlen(const char* text);

#ifdef __cplusplus
}
#endif

#endif /* ETALON_RUNTIME_H_ */
