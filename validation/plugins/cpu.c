/* SPDX-License-Identifier: Apache-2.0 */
/* A device made of plain loops: operators of the references on the host's processor, in f32 and integers.
 *
 * Types: f32 and bf16 as floats, i8, u8 and i32 as integers. Operators and what each takes stand above their functions; what is
 * not taken is answered by "not supported". Memory is the host's: a device address is a pointer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "isa/abi/etalon_device.h"

enum { MOST_AXES = 8 };
static const uint64_t kMostBytes = (uint64_t)1 << 34;

/* An allocation; its bytes follow, at a multiple of 4096. */
typedef struct block {
  struct block* next;
  uint64_t bytes;
} block;

struct etalon_device {
  block* blocks;
};

static void* bytes_of(block* b) { return (char*)b + 4096; }

static int32_t open_device(const etalon_open_request* request, etalon_device** device,
                           etalon_text* error) {
  if (strcmp(request->configuration, "{}") != 0)
    return etalon_set_text(error, ETALON_INVALID,
                           "the configuration must be {}: this device has nothing to set");
  *device = calloc(1, sizeof **device);
  return *device ? ETALON_OK : etalon_set_text(error, ETALON_NO_MEMORY, "no host memory");
}

/* clang-format off */
static const char kDescription[] = ETALON_JSON({
  "name": "cpu", "title": "Plain loops on the host's processor", "vendor": "Etalon", "version": "1.0", "kind": "library",
  "profiles": [],
  "operators": ["copy", "fma_relu", "layer_norm", "matmul", "matmul_requantise", "mul_add_relu", "softmax"],
  "numerics": "undeclared",
  "limits": {"memory_bytes": 17179869184, "rank": 8}
});
/* clang-format on */

static int32_t describe(etalon_device* device, etalon_text* json, etalon_text* error) {
  return etalon_set_text(json, ETALON_OK, kDescription);
}

static int32_t alloc(etalon_device* device, const etalon_alloc_request* request, uint64_t* address,
                     etalon_text* error) {
  const uint64_t room = (request->bytes + 2 * 4096 - 1) / 4096 * 4096;
  block* b = request->bytes <= kMostBytes ? aligned_alloc(4096, room) : NULL;
  if (!b) return etalon_set_text(error, ETALON_NO_MEMORY, "more than 16 GiB, or than the host has");
  *b = (block){device->blocks, request->bytes};
  device->blocks = b;
  *address = (uint64_t)(uintptr_t)bytes_of(b);
  return ETALON_OK;
}

static int32_t free_memory(etalon_device* device, uint64_t address, etalon_text* error) {
  for (block** at = &device->blocks; *at; at = &(*at)->next) {
    block* b = *at;
    if ((uint64_t)(uintptr_t)bytes_of(b) != address) continue;
    *at = b->next;
    free(b);
    return ETALON_OK;
  }
  return etalon_set_text(error, ETALON_INVALID, "no allocation begins at this address");
}

static int32_t reset(etalon_device* device, etalon_text* error) {
  while (device->blocks) free_memory(device, (uint64_t)(uintptr_t)bytes_of(device->blocks), error);
  return ETALON_OK;
}

static int32_t close_device(etalon_device* device, etalon_text* error) {
  reset(device, error);
  free(device);
  return ETALON_OK;
}

/* The host memory of [address, address + bytes), NULL if it is not inside of one allocation. */
static void* find(etalon_device* device, uint64_t address, uint64_t bytes) {
  for (block* b = device->blocks; b; b = b->next) {
    const uint64_t begin = (uint64_t)(uintptr_t)bytes_of(b);
    if (address >= begin && address - begin <= b->bytes && bytes <= b->bytes - (address - begin))
      return (void*)(uintptr_t)address;
  }
  return NULL;
}

static int32_t copy(etalon_device* device, const etalon_copy_request* request, etalon_text* error) {
  void* at = find(device, request->address, request->bytes);
  if (!at)
    return etalon_set_text(error, ETALON_INVALID, "the bytes are not inside of one allocation");
  if (request->direction == ETALON_TO_DEVICE)
    memcpy(at, request->host, request->bytes);
  else
    memcpy(request->host, at, request->bytes);
  return ETALON_OK;
}

/* --- operands --- */

static uint64_t count_of(const etalon_operand* o) {
  uint64_t count = 1;
  for (uint32_t axis = 0; axis < o->rank; ++axis) count *= o->shape[axis];
  return count;
}
static int is(const etalon_operand* o, const char* type) {
  return !o->is_scalar && strcmp(o->type, type) == 0;
}
static int is_float(const etalon_operand* o) { return is(o, "f32") || is(o, "bf16"); }
static int is_byte(const etalon_operand* o) { return is(o, "i8") || is(o, "u8"); }

typedef union word {
  uint32_t bits;
  float value;
} word;
static float from_bf16(uint16_t bits) { return (word){.bits = (uint32_t)bits << 16}.value; }
static uint16_t to_bf16(float value) { /* to nearest, ties to even */
  const uint32_t bits = (word){.value = value}.bits;
  return value != value ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static const void* data(const etalon_operand* o) { return (const void*)(uintptr_t)o->address; }
static float float_at(const etalon_operand* o, uint64_t i) {
  if (o->is_scalar) return (float)o->value;
  return is(o, "f32") ? ((const float*)data(o))[i] : from_bf16(((const uint16_t*)data(o))[i]);
}
static int64_t integer_at(const etalon_operand* o, uint64_t i) {
  if (is(o, "i8")) return ((const int8_t*)data(o))[i];
  if (is(o, "u8")) return ((const uint8_t*)data(o))[i];
  return ((const int32_t*)data(o))[i];
}
static void put_float(const etalon_operand* o, uint64_t i, float value) {
  void* to = (void*)(uintptr_t)o->address;
  if (is(o, "f32"))
    ((float*)to)[i] = value;
  else
    ((uint16_t*)to)[i] = to_bf16(value);
}

/* The value of an attribute, `fallback` if it is left out. */
static const char* attribute(const etalon_compute_request* r, const char* name,
                             const char* fallback) {
  for (uint64_t i = 0; i < r->attribute_count; ++i)
    if (strcmp(r->attributes[i]->name, name) == 0) return r->attributes[i]->value;
  return fallback;
}
/* True if every attribute is one of the names in the list, " a b c ". */
static int attributes_are(const etalon_compute_request* r, const char* names) {
  for (uint64_t i = 0; i < r->attribute_count; ++i) {
    char name[64];
    snprintf(name, sizeof name, " %s ", r->attributes[i]->name);
    if (!strstr(names, name)) return 0;
  }
  return 1;
}

/* --- operators: each returns what it does not take, NULL when it is done --- */

static const char *const kOperands = "these operands", *const kShapes = "these shapes";

/* copy(x) -> y: any type, shapes of as many elements. */
static const char* run_copy(const etalon_compute_request* r) {
  const etalon_operand *x = r->inputs[0], *y = r->outputs[0];
  if (r->input_count != 1 || x->is_scalar || strcmp(x->type, y->type) != 0 || x->bytes != y->bytes)
    return kOperands;
  if (x->bytes) memcpy((void*)(uintptr_t)y->address, data(x), x->bytes);
  return NULL;
}

/* fma_relu, mul_add_relu(a, b, c) -> y: floats or scalars, broadcast as NumPy does. */
static const char* run_multiply_add(const etalon_compute_request* r) {
  const etalon_operand* y = r->outputs[0];
  if (r->input_count != 3 || !is_float(y) || y->rank > MOST_AXES) return kOperands;
  const int fused = strcmp(r->what, "fma_relu") == 0;
  uint64_t steps[3][MOST_AXES] = {{0}};
  for (int i = 0; i < 3; ++i) {
    const etalon_operand* o = r->inputs[i];
    if (!o->is_scalar && (!is_float(o) || o->rank > y->rank)) return kOperands;
    uint64_t step = 1;
    for (uint32_t back = 1; back <= o->rank; ++back) {
      const uint64_t extent = o->shape[o->rank - back];
      if (extent != 1 && extent != y->shape[y->rank - back]) return kShapes;
      steps[i][y->rank - back] = extent == 1 ? 0 : step;
      step *= extent;
    }
  }
  for (uint64_t i = 0, count = count_of(y); i < count; ++i) {
    float v[3];
    for (int k = 0; k < 3; ++k) {
      uint64_t rest = i, at = 0;
      for (uint32_t axis = y->rank; axis-- > 0; rest /= y->shape[axis])
        at += rest % y->shape[axis] * steps[k][axis];
      v[k] = float_at(r->inputs[k], at);
    }
    const float sum = fused ? fmaf(v[0], v[1], v[2]) : v[0] * v[1] + v[2];
    put_float(y, i, sum > 0 || sum != sum ? sum : 0);
  }
  return NULL;
}

/* softmax(x) -> y along the last axis: floats. */
static const char* run_softmax(const etalon_compute_request* r) {
  const etalon_operand *x = r->inputs[0], *y = r->outputs[0];
  if (r->input_count != 1 || !is_float(x) || !is_float(y) || count_of(x) != count_of(y))
    return kOperands;
  const uint64_t n = x->rank ? x->shape[x->rank - 1] : 1;
  for (uint64_t first = 0, count = count_of(x); first < count; first += n) {
    float greatest = -INFINITY, sum = 0;
    for (uint64_t i = 0; i < n; ++i) greatest = fmaxf(greatest, float_at(x, first + i));
    for (uint64_t i = 0; i < n; ++i) sum += expf(float_at(x, first + i) - greatest);
    for (uint64_t i = 0; i < n; ++i)
      put_float(y, first + i, expf(float_at(x, first + i) - greatest) / sum);
  }
  return NULL;
}

/* layer_norm(x[, gamma[, beta]]) -> y along the last axis, epsilon: floats. */
static const char* run_layer_norm(const etalon_compute_request* r) {
  const etalon_operand *x = r->inputs[0], *y = r->outputs[0];
  if (r->input_count > 3 || !is_float(x) || !is_float(y) || count_of(x) != count_of(y) ||
      x->rank == 0)
    return kOperands;
  const uint64_t n = x->shape[x->rank - 1];
  for (uint64_t i = 1; i < r->input_count; ++i)
    if (!is_float(r->inputs[i]) || count_of(r->inputs[i]) != n) return kOperands;
  const float epsilon = strtof(attribute(r, "epsilon", "1e-5"), NULL);
  for (uint64_t first = 0, count = count_of(x); first < count; first += n) {
    float sum = 0, squares = 0;
    for (uint64_t i = 0; i < n; ++i) sum += float_at(x, first + i);
    const float mean = sum / (float)n;
    for (uint64_t i = 0; i < n; ++i) {
      const float d = float_at(x, first + i) - mean;
      squares += d * d;
    }
    const float scale = 1 / sqrtf(squares / (float)n + epsilon);
    for (uint64_t i = 0; i < n; ++i) {
      float value = (float_at(x, first + i) - mean) * scale;
      if (r->input_count > 1) value *= float_at(r->inputs[1], i);
      if (r->input_count > 2) value += float_at(r->inputs[2], i);
      put_float(y, first + i, value);
    }
  }
  return NULL;
}

/* M, K, N and the steps of two matrices, either of which may be stored transposed. */
typedef struct product {
  uint64_t m, k, n, a_row, a_step, b_row, b_step;
} product;

static const char* product_of(const etalon_compute_request* r, product* p) {
  if (r->input_count < 2 || r->inputs[0]->rank != 2 || r->inputs[1]->rank != 2 ||
      r->outputs[0]->rank != 2)
    return kShapes;
  const uint64_t *a = r->inputs[0]->shape, *b = r->inputs[1]->shape, *c = r->outputs[0]->shape;
  int ta = 0, tb = 0;
  const char* transpose = attribute(r, "transpose", "[0, 0]");
  if (sscanf(transpose, "[%d , %d ]", &ta, &tb) != 2) ta = tb = atoi(transpose);
  ta = ta != 0, tb = tb != 0;
  *p = (product){a[ta], a[!ta], b[!tb], ta ? 1 : a[1], ta ? a[1] : 1, tb ? 1 : b[1], tb ? b[1] : 1};
  return p->k == b[tb] && c[0] == p->m && c[1] == p->n ? NULL : kShapes;
}

/* The sum of products of one element of C, modulo 2^32, that starts at the bias. */
static int32_t integer_dot(const etalon_compute_request* r, const product* p, uint64_t m,
                           uint64_t n, const etalon_operand* bias) {
  uint32_t sum = bias ? (uint32_t)integer_at(bias, n) : 0;
  for (uint64_t k = 0; k < p->k; ++k)
    sum += (uint32_t)(integer_at(r->inputs[0], m * p->a_row + k * p->a_step) *
                      integer_at(r->inputs[1], k * p->b_row + n * p->b_step));
  return (int32_t)sum;
}
static int is_relu(const etalon_compute_request* r) {
  return *attribute(r, "activation", "") == 'r';
}

/* matmul(A, B[, bias]) -> C: floats to floats, i8 and u8 to i32; two axes; transpose, activation. */
static const char* run_matmul(const etalon_compute_request* r) {
  product p;
  const char* wrong = product_of(r, &p);
  if (wrong) return wrong;
  const etalon_operand *a = r->inputs[0], *b = r->inputs[1], *c = r->outputs[0];
  const etalon_operand* bias = r->input_count > 2 ? r->inputs[2] : NULL;
  const int whole = is_byte(a) && is_byte(b) && is(c, "i32") && (!bias || is(bias, "i32"));
  const int real = is_float(a) && is_float(b) && is_float(c) && (!bias || is_float(bias));
  if (r->input_count > 3 || !(whole || real) || (bias && count_of(bias) != p.n)) return kOperands;
  const int relu = is_relu(r);
  for (uint64_t i = 0; whole && i < p.m * p.n; ++i) {
    const int32_t sum = integer_dot(r, &p, i / p.n, i % p.n, bias);
    ((int32_t*)(uintptr_t)c->address)[i] = relu && sum < 0 ? 0 : sum;
  }
  if (whole) return NULL;
  float* weights = malloc((p.k * p.n + 1) * sizeof *weights);
  float* sums = malloc((p.n + 1) * sizeof *sums);
  for (uint64_t i = 0; i < p.k * p.n; ++i)
    weights[i] = float_at(b, i / p.n * p.b_row + i % p.n * p.b_step);
  for (uint64_t m = 0; m < p.m; ++m) {
    for (uint64_t n = 0; n < p.n; ++n) sums[n] = 0;
    for (uint64_t k = 0; k < p.k; ++k) {
      const float value = float_at(a, m * p.a_row + k * p.a_step);
      for (uint64_t n = 0; n < p.n; ++n) sums[n] += value * weights[k * p.n + n];
    }
    for (uint64_t n = 0; n < p.n; ++n) {
      const float sum = bias ? sums[n] + float_at(bias, n) : sums[n];
      put_float(c, m * p.n + n, relu && sum < 0 ? 0 : sum);
    }
  }
  free(weights);
  free(sums);
  return NULL;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* matmul_requantise(A, B, multiplier, shift[, bias]) -> C: i8 and u8 to i8 or u8; transpose,
 * zero_point, activation. */
static const char* run_matmul_requantise(const etalon_compute_request* r) {
  product p;
  const char* wrong = product_of(r, &p);
  if (wrong) return wrong;
  const etalon_operand *const *in = r->inputs, *c = r->outputs[0];
  if (r->input_count < 4 || r->input_count > 5 || !is_byte(in[0]) || !is_byte(in[1]) || !is_byte(c))
    return kOperands;
  for (uint64_t i = 2; i < r->input_count; ++i)
    if (!is(in[i], "i32") || (count_of(in[i]) != p.n && (i == 4 || count_of(in[i]) != 1)))
      return kOperands;
  const int64_t zero_point = strtoll(attribute(r, "zero_point", "0"), NULL, 10);
  const int relu = is_relu(r), is_signed = is(c, "i8");
  for (uint64_t i = 0; i < p.m * p.n; ++i) {
    const uint64_t n = i % p.n;
    const int32_t sum = integer_dot(r, &p, i / p.n, n, r->input_count > 4 ? in[4] : NULL);
    const int64_t product = sum * integer_at(in[2], count_of(in[2]) == 1 ? 0 : n);
    const int shift = (int)(integer_at(in[3], count_of(in[3]) == 1 ? 0 : n) & 63);
    /* (product + 2^(shift - 1)) >> shift, which does not fit into 64 bits as written */
    const int64_t scaled = shift ? ((product >> (shift - 1)) + 1) >> 1 : product;
    int64_t value = clamp(scaled, INT32_MIN, INT32_MAX) + zero_point;
    value = is_signed ? clamp(value, -128, 127) : clamp(value, 0, 255);
    ((uint8_t*)(uintptr_t)c->address)[i] = (uint8_t)(relu && value < 0 ? 0 : value);
  }
  return NULL;
}

static const struct {
  const char *name, *attributes;
  const char* (*run)(const etalon_compute_request*);
} kOperators[] = {
    {"copy", "", run_copy},
    {"fma_relu", "", run_multiply_add},
    {"layer_norm", " epsilon ", run_layer_norm},
    {"matmul", " transpose activation ", run_matmul},
    {"matmul_requantise", " transpose zero_point activation ", run_matmul_requantise},
    {"mul_add_relu", "", run_multiply_add},
    {"softmax", " rescales ", run_softmax},
};

static int32_t run_operator(etalon_device* device, const etalon_compute_request* request,
                            etalon_text* error) {
  for (size_t i = 0; i < sizeof kOperators / sizeof *kOperators; ++i) {
    if (strcmp(kOperators[i].name, request->what) != 0) continue;
    const char* wrong = "this number of operands";
    if (request->input_count > 0 && request->output_count == 1)
      wrong = attributes_are(request, kOperators[i].attributes) ? kOperators[i].run(request)
                                                                : "these attributes";
    if (!wrong) return ETALON_OK;
    char text[128];
    snprintf(text, sizeof text, "%s does not take %s here", request->what, wrong);
    return etalon_set_text(error, ETALON_NOT_SUPPORTED, text);
  }
  return etalon_set_text(error, ETALON_NOT_SUPPORTED, "there is no such operator");
}

const etalon_device_api* etalon_device_entry(uint32_t major) {
  static const etalon_device_api api = {.size = sizeof api,
                                        .major = ETALON_DEVICE_ABI_MAJOR,
                                        .minor = ETALON_DEVICE_ABI_MINOR,
                                        .open = open_device,
                                        .describe = describe,
                                        .alloc = alloc,
                                        .copy = copy,
                                        .run_operator = run_operator,
                                        .close = close_device,
                                        .free = free_memory,
                                        .reset = reset};
  return major == ETALON_DEVICE_ABI_MAJOR ? &api : NULL;
}
