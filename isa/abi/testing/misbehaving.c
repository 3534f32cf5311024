/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that does what its configuration names, {"do": "crash in run_operator"}, and behaves otherwise: it has 1 MiB of
 * memory, the operator `copy`, and images that are not programs: run_image exits with the image's first byte. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/abi/etalon_device.h"

enum { ARENA = 1 << 20 };

struct etalon_device {
  char does[64];
  const char* description; /* of the configuration, or NULL */
  uint64_t used, last;
  uint64_t steps;
  uint8_t image;
  _Alignas(4096) uint8_t arena[ARENA];
};

static int does(const etalon_device* device, const char* what) {
  return strcmp(device->does, what) == 0;
}

/* Misbehaves in ways that any function can, if told to for this one. Returns a status to return, or -1. */
static int32_t trouble(const etalon_device* device, const char* function, etalon_text* error) {
  char what[64];
  const size_t at = strcspn(device->does, " ");
  snprintf(what, sizeof what, "%.*s", (int)at, device->does);
  const char* where = device->does[at] ? device->does + at + 4 : ""; /* after " in " */
  if (strcmp(where, function) != 0) return -1;
  /* Raised and not provoked: compilers and sanitizers take a store to nowhere into their own hands. */
  if (!strcmp(what, "crash")) raise(SIGSEGV);
  if (!strcmp(what, "abort")) abort();
  if (!strcmp(what, "exit")) exit(3);
  if (!strcmp(what, "kill")) raise(SIGKILL);
  if (!strcmp(what, "hang"))
    for (;;) pause();
  if (!strcmp(what, "spin"))
    for (volatile unsigned i = 0;; ++i) {
    }
  if (!strcmp(what, "disconnect"))
    for (int fd = 3; fd < 256; ++fd) close(fd);
  if (!strcmp(what, "garble"))
    for (int fd = 3; fd < 256; ++fd) {
      struct stat kind;
      if (fstat(fd, &kind) == 0 && S_ISSOCK(kind.st_mode) &&
          write(fd, "garbage garbage garbage", 23) < 0)
        return ETALON_FAILED;
    }
  if (!strcmp(what, "number")) return 77;
  if (!strcmp(what, "lose")) return etalon_set_text(error, ETALON_LOST, "the cable is out");
  if (!strcmp(what, "refuse")) return etalon_set_text(error, ETALON_INVALID, "\033[31mno\033[0m");
  if (!strcmp(what, "late")) return etalon_set_text(error, ETALON_TIMEOUT, "too slow");
  if (!strcmp(what, "overrun")) memset(error->data, 'x', error->capacity + 100);
  if (!strcmp(what, "long")) {
    error->length = (uint64_t)1 << 60;
    return ETALON_FAILED;
  }
  return -1;
}
#define TROUBLE(device, function)                             \
  do {                                                        \
    const int32_t bad = trouble((device), (function), error); \
    if (bad != -1) return bad;                                \
  } while (0)

static int32_t open_device(const etalon_open_request* request, etalon_device** device,
                           etalon_text* error) {
  etalon_device* made = aligned_alloc(4096, sizeof *made);
  memset(made, 0, sizeof *made);
  const char* key = strstr(request->configuration, "\"do\": \"");
  if (key) snprintf(made->does, sizeof made->does, "%.*s", (int)strcspn(key + 7, "\""), key + 7);
  const char* description = strstr(request->configuration, "\"description\": ");
  if (description) made->description = strdup(description + 15);
  if (does(made, "print")) printf("a line on stdout\n");
  if (does(made, "print")) fflush(stdout);
  TROUBLE(made, "open");
  *device = does(made, "forget") ? NULL : made;
  return ETALON_OK;
}

static int32_t describe(etalon_device* device, etalon_text* json, etalon_text* error) {
  TROUBLE(device, "describe");
  if (device->description) { /* all of it but the brace that ends the configuration */
    json->length = strlen(device->description) - 1;
    memcpy(json->data, device->description,
           json->length < json->capacity ? json->length : json->capacity);
    return ETALON_OK;
  }
  if (does(device, "describe endlessly")) return json->length = json->capacity + 1, ETALON_OK;
  if (does(device, "describe terabytes")) return json->length = (uint64_t)1 << 40, ETALON_OK;
  if (does(device, "describe nonsense")) return etalon_set_text(json, ETALON_OK, "I am a chip");
  if (does(device, "describe at length")) { /* more than a first guess of room */
    static const char kLong[] = ETALON_JSON({
      "name" : "long",
      "title" : "t",
      "vendor" : "v",
      "version" : "1",
      "kind" : "model",
      "profiles" : [],
      "operators" : [],
      "numerics" : "canonical",
      "limits" : {"memory_bytes" : 1}
    });
    char* text = calloc(1, 200001);
    memset(text, ' ', 200000);
    memcpy(text + 199000, kLong, sizeof kLong - 1);
    etalon_set_text(json, ETALON_OK, text);
    free(text);
    return ETALON_OK;
  }
  return etalon_set_text(
      json, ETALON_OK,
      "{\"name\": \"misbehaving\", \"title\": \"For tests\", \"vendor\": \"Etalon\", \"version\": "
      "\"1\","
      " \"kind\": \"model\", \"profiles\": [\"Et-base\"], \"operators\": [\"copy\"],"
      " \"numerics\": \"canonical\", \"limits\": {\"memory_bytes\": 1048576, \"rank\": 4}}");
}

static int32_t alloc(etalon_device* device, const etalon_alloc_request* request, uint64_t* address,
                     etalon_text* error) {
  TROUBLE(device, "alloc");
  if (request->bytes > ARENA - device->used)
    return etalon_set_text(error, ETALON_NO_MEMORY, "1048576 bytes in all");
  *address = (uint64_t)(uintptr_t)device->arena + device->used;
  if (does(device, "alloc twice") && device->last) *address = device->last;
  if (does(device, "alloc nothing")) *address = 0;
  if (does(device, "alloc askew")) *address += 2;
  if (does(device, "alloc at the end")) *address = ~(uint64_t)4095;
  device->last = *address;
  device->used += (request->bytes + 4095) / 4096 * 4096;
  return ETALON_OK;
}

static int32_t copy(etalon_device* device, const etalon_copy_request* request, etalon_text* error) {
  TROUBLE(device, "copy");
  void* at = (void*)(uintptr_t)request->address;
  if (request->direction == ETALON_TO_DEVICE) {
    memcpy(at, request->host, request->bytes);
  } else {
    memcpy(request->host, at, request->bytes);
    if (does(device, "copy too much")) memcpy(request->host, at, request->bytes + 16);
  }
  return ETALON_OK;
}

static int32_t run_operator(etalon_device* device, const etalon_compute_request* request,
                            etalon_text* error) {
  TROUBLE(device, "run_operator");
  if (strcmp(request->what, "copy") != 0 || request->input_count != 1 || request->output_count != 1)
    return etalon_set_text(error, ETALON_NOT_SUPPORTED, request->what);
  const etalon_operand *in = request->inputs[0], *out = request->outputs[0];
  uint8_t *from = (uint8_t*)(uintptr_t)in->address, *to = (uint8_t*)(uintptr_t)out->address;
  memcpy(to, from, in->bytes);
  if (does(device, "write before")) to[-3] ^= 1;
  if (does(device, "write behind")) to[out->bytes + 7] ^= 1;
  if (does(device, "write far away"))
    memset((void*)(uintptr_t)((uintptr_t)device->arena + ARENA), 1, (size_t)1 << 40);
  if (does(device, "change input")) from[in->bytes / 2] ^= 0x80;
  if (does(device, "compute nonsense")) to[0] ^= 0x40;
  if (does(device, "compute half")) memset(to + out->bytes / 2, 0xFF, out->bytes - out->bytes / 2);
  return ETALON_OK;
}

static int32_t close_device(etalon_device* device, etalon_text* error) {
  TROUBLE(device, "close");
  free(device);
  return ETALON_OK;
}

static int32_t reset(etalon_device* device, etalon_text* error) {
  TROUBLE(device, "reset");
  device->used = device->last = 0;
  return ETALON_OK;
}

static int32_t load_image(etalon_device* device, const etalon_image_request* request,
                          etalon_text* error) {
  TROUBLE(device, "load_image");
  device->image = *(const uint8_t*)request->elf;
  return ETALON_OK;
}

static int32_t run_image(etalon_device* device, const etalon_launch_request* request,
                         etalon_launch_result* result, etalon_text* error) {
  TROUBLE(device, "run_image");
  if (request->console) request->console(request->context, "hello", 5);
  device->steps = 3;
  result->end = request->flags & ETALON_LAUNCH_STEPPED ? ETALON_END_RUNNING : ETALON_END_EXITED;
  result->exit_code = device->image;
  if (does(device, "end strangely")) result->end = 99;
  if (does(device, "end never")) result->end = ETALON_END_RUNNING;
  if (does(device, "detail terabytes")) result->detail->length = (uint64_t)1 << 40;
  if (does(device, "touch an operand") && request->argument_block)
    *(uint8_t*)(uintptr_t)(request->argument_block - 1) ^= 1;
  return ETALON_OK;
}

static int32_t step(etalon_device* device, etalon_step_request* request,
                    etalon_launch_result* result, etalon_text* error) {
  TROUBLE(device, "step");
  for (; request->event_count < request->max_instructions && device->steps > 0;
       --device->steps, ++request->event_count) {
    const etalon_event event = {.instruction = 0x13, .pc = 0x80000000 + 4 * (3 - device->steps)};
    memcpy((char*)request->events + request->event_count * request->event_bytes, &event,
           sizeof event);
  }
  result->end = device->steps ? ETALON_END_RUNNING : ETALON_END_EXITED;
  if (does(device, "count events wrongly")) request->event_count = request->max_instructions + 1;
  return ETALON_OK;
}

static int32_t peek(etalon_device* device, const etalon_peek_request* request, etalon_text* error) {
  TROUBLE(device, "peek");
  memset(request->data, (int)request->index,
         request->bytes + (does(device, "peek too much") ? 8 : 0));
  return ETALON_OK;
}

static int32_t counters(etalon_device* device, etalon_text* json, etalon_text* error) {
  TROUBLE(device, "counters");
  if (does(device, "count backwards")) return etalon_set_text(json, ETALON_OK, "{\"macs\": -1}");
  if (does(device, "count nonsense")) return etalon_set_text(json, ETALON_OK, "[1, 2]");
  return etalon_set_text(json, ETALON_OK, "{\"macs\": 12, \"cycles\": 18446744073709551615}");
}

static int32_t run_graph(etalon_device* device, const etalon_compute_request* request,
                         etalon_text* error) {
  TROUBLE(device, "run_graph");
  return etalon_set_text(error, ETALON_FAILED, request->what);
}

static int32_t run_collective(etalon_device* device, const etalon_compute_request* request,
                              etalon_text* error) {
  TROUBLE(device, "run_collective");
  return etalon_set_text(error, ETALON_FAILED, request->inputs[request->input_count - 1]->name);
}

static int32_t inject_fault(etalon_device* device, const char* fault, etalon_text* error) {
  TROUBLE(device, "inject_fault");
  return etalon_set_text(error, ETALON_FAILED, fault);
}

ETALON_EXPORT const etalon_device_api* etalon_device_entry(uint32_t major) {
  /* No `free`: memory comes back at reset. */
  static const etalon_device_api api = {
      .size = sizeof api,
      .major = ETALON_DEVICE_ABI_MAJOR,
      .minor = ETALON_DEVICE_ABI_MINOR,
      .open = open_device,
      .describe = describe,
      .alloc = alloc,
      .copy = copy,
      .run_operator = run_operator,
      .close = close_device,
      .reset = reset,
      .load_image = load_image,
      .run_image = run_image,
      .step = step,
      .peek = peek,
      .counters = counters,
      .run_graph = run_graph,
      .run_collective = run_collective,
      .inject_fault = inject_fault,
  };
  return major == ETALON_DEVICE_ABI_MAJOR ? &api : NULL;
}
