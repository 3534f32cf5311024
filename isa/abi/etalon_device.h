/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETALON_DEVICE_H
#define ETALON_DEVICE_H
/*
 * What a device gives Etalon: a shared library with the one exported symbol `etalon_device_entry`.
 *
 * How to write one: docs/how-to/write-a-device-plugin.md. Why it is as it is: docs/design/0004-device-abi.md.
 * C11 and C++; needs no other file of Etalon and no library of it.
 *
 * Rules that hold for every function
 * ----------------------------------
 * Sizes      Each struct begins with `size`, which whoever makes the struct sets to its sizeof. The other side touches only
 *            fields that end within it (ETALON_HAS) and takes the others as 0. So structs grow at their end, and a plug-in
 *            built against an older or newer minor version of this file works on.
 * Ownership  Pointers that the host passes are valid until the function returns; a plug-in copies what it keeps. The table
 *            of functions lives as long as the library is loaded, an etalon_device until close.
 * Threads    A device is used by one thread at a time, not always the same one; two devices of one plug-in may be used by
 *            two threads at once. A plug-in may have threads of its own. No function is called from a signal handler or
 *            from inside a callback.
 * Results    Every function returns an etalon_status. Out parameters count only with ETALON_OK. A call that is refused has
 *            no effect, and the device works on after every status but ETALON_LOST.
 * Texts      `error` is never NULL. With any status but ETALON_OK the plug-in writes a sentence there: what was wrong, its
 *            value, the limit. Texts are UTF-8.
 * Never NULL Unless said otherwise, no pointer argument or pointer field is NULL. Pointers to arrays of 0 elements may be.
 * Addresses  Device memory has 64-bit addresses, counted in bytes. An allocation of n bytes at a is [a, a + n); every
 *            address inside is valid in a request, not only the first. The host puts patterned guard zones around its
 *            buffers and checks them: a device writes only where a request tells it to.
 * Numbers    Little endian. Tensors are dense in C order; 4-bit types put two elements into a byte, the even one in bits
 *            3:0, and each row (last axis) begins on a byte.
 * Process    A plug-in runs in a worker process: a crash, hang or exit ends that process and is reported. What the plug-in
 *            prints on stdout goes to stderr.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* NOLINTBEGIN: names and casts of C, in a header that is C */
#ifdef __cplusplus
extern "C" {
#endif

/* A new major version breaks plug-ins; a new minor one adds fields and functions at the end of structs. */
#define ETALON_DEVICE_ABI_MAJOR 1
#define ETALON_DEVICE_ABI_MINOR 1

/* Before the definition of the entry function; everything else can stay hidden (-fvisibility=hidden). */
#define ETALON_EXPORT __attribute__((visibility("default")))

/* True if the struct at `pointer` has the field. */
#define ETALON_HAS(pointer, field) \
  (offsetof(__typeof__(*(pointer)), field) + sizeof((pointer)->field) <= (pointer)->size)

typedef enum etalon_status {
  ETALON_OK = 0,
  ETALON_NOT_SUPPORTED =
      1, /* the device cannot do this at all: an operator, type or shape it does not have */
  ETALON_INVALID = 2,   /* the request contradicts itself or this file */
  ETALON_NO_MEMORY = 3, /* not enough device memory */
  ETALON_TIMEOUT = 4,   /* timeout_ns passed; what the call was to write is undefined */
  ETALON_FAILED = 5,    /* the device tried and failed; what the call was to write is undefined */
  ETALON_LOST = 6,      /* the device is gone; only close may follow */
  ETALON_BROKEN =
      7 /* never returned by plug-ins: the host's word for a plug-in that broke these rules */
} etalon_status;

/* A device that was opened; its content is the plug-in's. */
typedef struct etalon_device etalon_device;

/* Room for a text that the plug-in writes. etalon_set_text below fills it in. */
typedef struct etalon_text {
  uint64_t size;
  char* data;        /* the host's; need not end in NUL */
  uint64_t capacity; /* bytes of data */
  uint64_t
      length; /* set by the plug-in: bytes of the whole text. More than capacity: data holds its beginning, and the
                        host may ask again with more room. 0 before the call */
} etalon_text;

typedef struct etalon_open_request {
  uint64_t size;
  const char*
      configuration; /* a JSON object, NUL-terminated; "{}" when the user gave none. A plug-in refuses keys that it
                                does not know with ETALON_INVALID and names those it knows */
} etalon_open_request;

typedef struct etalon_alloc_request {
  uint64_t size;
  uint64_t bytes;     /* 1 or more */
  uint64_t alignment; /* the address is a multiple of it; a power of two, 1 to 4096 */
} etalon_alloc_request;

typedef enum etalon_direction {
  ETALON_TO_DEVICE = 0,  /* reads host, writes the device */
  ETALON_FROM_DEVICE = 1 /* reads the device, writes host */
} etalon_direction;

typedef struct etalon_copy_request {
  uint64_t size;
  uint32_t direction; /* etalon_direction */
  uint32_t reserved;  /* 0 */
  uint64_t
      address; /* device memory; [address, address + bytes) lies in one allocation or in an image's segment */
  void* host;     /* host memory of `bytes` bytes; only read with ETALON_TO_DEVICE */
  uint64_t bytes; /* 1 or more */
} etalon_copy_request;

/* `name=value` of an operator, as launch notes write it: `epsilon` and `1e-05`, `transpose` and `[0, 1]`. */
typedef struct etalon_attribute {
  uint64_t size;
  const char* name;  /* NUL-terminated */
  const char* value; /* NUL-terminated: a number, a [list] of numbers or a word */
} etalon_attribute;

/* An operand: a tensor in device memory, or a number. */
typedef struct etalon_operand {
  uint64_t size;
  const char*
      name; /* as the caller calls it, NUL-terminated; expressions of `elementwise` use it */
  const char*
      type; /* element type by name: "f32", "bf16", "i8" (isa/numerics/element_types.yaml) */
  uint32_t is_scalar;    /* 1: the operand is `value`, and shape, address and bytes are 0 */
  uint32_t rank;         /* axes; 0: one element */
  const uint64_t* shape; /* `rank` extents in elements, outermost first; an extent may be 0 */
  uint64_t address;      /* of the first element; 0 if bytes is 0 */
  uint64_t bytes;        /* of the data, as type and shape say */
  double value;          /* of a scalar; an i64 beyond 2^53 is rounded to nearest even */
} etalon_operand;

/* Something to compute, synchronously: an operator, a graph or a collective.
 * Operands of one request do not overlap. Inputs are read and stay as they are; every byte of the outputs is written. */
typedef struct etalon_compute_request {
  uint64_t size;
  const char* what; /* NUL-terminated; see the three functions that take this */
  const etalon_attribute* const* attributes; /* attribute_count of them, names all different */
  uint64_t attribute_count;
  const etalon_operand* const* inputs; /* input_count of them, in the operator's order */
  uint64_t input_count;
  const etalon_operand* const*
      outputs; /* output_count of them, in the operator's order, none a scalar */
  uint64_t output_count;
  uint64_t
      timeout_ns; /* give up after this long with ETALON_TIMEOUT; 0: no limit. The host ends a plug-in that does not */
} etalon_compute_request;

/* A program of the ISA level: a RISC-V ELF executable as docs/spec/08-images.md describes it. */
typedef struct etalon_image_request {
  uint64_t size;
  const void* elf; /* the file, `bytes` of it */
  uint64_t bytes;
  const char* name; /* for messages, NUL-terminated */
} etalon_image_request;

typedef enum etalon_launch_flag {
  ETALON_LAUNCH_STEPPED =
      1 /* put the cores at the entry point and return ETALON_END_RUNNING; step executes */
} etalon_launch_flag;

typedef struct etalon_launch_request {
  uint64_t size;
  uint32_t cores;             /* cores 0 to cores - 1 start; 0: all of the device */
  uint32_t flags;             /* etalon_launch_flag, or-ed */
  uint64_t argument_block;    /* a0 at entry: a device address, or 0 */
  uint64_t instruction_limit; /* over all cores; 0: none */
  uint64_t
      timeout_ns; /* as in etalon_compute_request, but the launch ends with ETALON_END_TIMEOUT */
  /* What the program prints, in pieces of `bytes` bytes without NUL. Called from inside run_image and step, by any one
     thread at a time; must not call the device. NULL: nobody listens. */
  void (*console)(void* context, const char* text, uint64_t bytes);
  void* context; /* handed to console as it is; may be NULL */
} etalon_launch_request;

typedef enum etalon_end {
  ETALON_END_EXITED = 0,            /* all cores halted, or the program exited with exit_code */
  ETALON_END_FAULT = 1,             /* a fault that no trap vector took */
  ETALON_END_DEADLOCK = 2,          /* no core can go on */
  ETALON_END_INSTRUCTION_LIMIT = 3, /* instruction_limit was reached */
  ETALON_END_TIMEOUT = 4,           /* timeout_ns passed */
  ETALON_END_RUNNING = 5            /* of a stepped launch: not over */
} etalon_end;

/* How a launch ended. What the program does wrong stands here, not in the status. All but size and detail is 0 before. */
typedef struct etalon_launch_result {
  uint64_t size;
  uint32_t end;          /* etalon_end */
  uint32_t fault_core;   /* of ETALON_END_FAULT, as the four below */
  uint64_t exit_code;    /* 0: success; also when all cores halted */
  uint64_t instructions; /* executed over all cores; 0 from a device that does not count */
  uint64_t fault_pc;
  uint64_t fault_cause;       /* mcause */
  uint64_t fault_value;       /* mtval */
  uint64_t fault_instruction; /* the word at fault_pc */
  uint64_t race_count;        /* data races found; 0 from a device that does not look */
  uint64_t
      uninitialised_read_count; /* reads of bytes that nobody wrote; 0 from a device that does not look */
  etalon_text* detail;          /* for people: the fault, who waits for what, each race; lines */
  uint64_t
      order_dependent_count; /* atomic floating adds whose result depends on the order; 0 from a device that does not look */
} etalon_launch_result;

/* One retired instruction. */
typedef struct etalon_event {
  uint32_t core;
  uint32_t instruction; /* the word */
  uint64_t pc;
  uint32_t x_register; /* 1 to 31: x register that was written; 0: none */
  uint32_t reserved;   /* 0 */
  uint64_t x_value;    /* what was written */
} etalon_event;

typedef struct etalon_step_request {
  uint64_t size;
  uint64_t
      max_instructions; /* most to execute over all cores, 1 or more; `events` has room for as many */
  etalon_event* events; /* written in the order of retirement */
  uint64_t event_bytes; /* distance of two events; a plug-in writes at most so many bytes of each */
  uint64_t
      event_count; /* set by the plug-in: events written. Fewer than executed if instructions trapped */
} etalon_step_request;

typedef enum etalon_space {
  ETALON_SPACE_X = 0,        /* index 0 to 31; 8 bytes */
  ETALON_SPACE_PC = 1,       /* index 0; 8 bytes */
  ETALON_SPACE_CSR = 2,      /* index: number of the CSR; 8 bytes */
  ETALON_SPACE_TILE = 3,     /* index 0 to 31; 32 bytes as et.tst stores them */
  ETALON_SPACE_VIEW = 4,     /* index 0 to 15; 256 bytes as et.vst stores them */
  ETALON_SPACE_CHAIN = 5,    /* index 0 to 7; 128 bytes as et.cst stores them */
  ETALON_SPACE_LOCAL = 6,    /* index: offset in the core's local memory; any number of bytes */
  ETALON_SPACE_SEMAPHORE = 7 /* index 0 to 63; 4 bytes */
} etalon_space;

typedef struct etalon_peek_request {
  uint64_t size;
  uint32_t core;
  uint32_t space; /* etalon_space; global memory is read by copy */
  uint64_t index;
  void* data; /* `bytes` bytes, written */
  uint64_t bytes;
} etalon_peek_request;

/* The functions of a plug-in. The first six are mandatory; of the others NULL means that the device cannot do it. */
typedef struct etalon_device_api {
  uint64_t size;
  uint32_t
      major; /* ETALON_DEVICE_ABI_MAJOR and _MINOR of the header that the plug-in was built with */
  uint32_t minor;

  /* --- mandatory --- */

  /* A fresh device: no memory allocated, no image loaded. *device is set with ETALON_OK and not NULL then. */
  int32_t (*open)(const etalon_open_request* request, etalon_device** device, etalon_text* error);

  /* What the device is: a JSON object after isa/schema/device.schema.json with its identity, the profiles it implements,
   * its numerics contract, its operators and its limits. The same text at every call. */
  int32_t (*describe)(etalon_device* device, etalon_text* json, etalon_text* error);

  /* Device memory with undefined content at *address, which is never 0. It overlaps no other allocation and no image. */
  int32_t (*alloc)(etalon_device* device, const etalon_alloc_request* request, uint64_t* address,
                   etalon_text* error);

  /* Moves bytes between host and device. Done when it returns. */
  int32_t (*copy)(etalon_device* device, const etalon_copy_request* request, etalon_text* error);

  /* Computes one operator. request->what is its name, "matmul": meaning, operands and attributes of each are those of the
   * references (kernels/reference/operators, one file an operator). The host asks for no operator that the description
   * does not list; a type, shape or attribute that the device does not have is ETALON_NOT_SUPPORTED. */
  int32_t (*run_operator)(etalon_device* device, const etalon_compute_request* request,
                          etalon_text* error);

  /* Ends a device and frees all it has, also after ETALON_LOST. The handle is gone whatever the status. */
  int32_t (*close)(etalon_device* device, etalon_text* error);

  /* --- optional --- */

  /* Gives an allocation back; `address` is what alloc returned. Absent: memory comes back at reset and close. */
  int32_t (*free)(etalon_device* device, uint64_t address, etalon_text* error);

  /* The device as after open: memory, images and counters are gone. */
  int32_t (*reset)(etalon_device* device, etalon_text* error);

  /* Puts the image's segments into device memory. An image loaded before stays where the new one does not cover it, and is
   * no longer the one that run_image starts. A segment that overlaps an allocation is ETALON_INVALID. */
  int32_t (*load_image)(etalon_device* device, const etalon_image_request* request,
                        etalon_text* error);

  /* Runs the image that was loaded last until it ends. Cores start from reset; device memory is what earlier launches and
   * copies left. Present if and only if load_image is. */
  int32_t (*run_image)(etalon_device* device, const etalon_launch_request* request,
                       etalon_launch_result* result, etalon_text* error);

  /* Executes instructions of a launch that began with ETALON_LAUNCH_STEPPED, and reports them. result->end is
   * ETALON_END_RUNNING until the launch is over; calling step after that is ETALON_INVALID. The order of cores may differ
   * between devices, the order within a core may not. */
  int32_t (*step)(etalon_device* device, etalon_step_request* request, etalon_launch_result* result,
                  etalon_text* error);

  /* State of a core while nothing runs: after run_image, or between two steps. */
  int32_t (*peek)(etalon_device* device, const etalon_peek_request* request, etalon_text* error);

  /* Counters of the last launch or computation: a JSON object of names and whole numbers of 0 or more. A name of the ISA
   * (isa/instructions/counters.yaml) has the ISA's meaning. */
  int32_t (*counters)(etalon_device* device, etalon_text* json, etalon_text* error);

  /* Computes a graph. request->what is the graph as a JSON object; its operands are the request's, by name. */
  int32_t (*run_graph)(etalon_device* device, const etalon_compute_request* request,
                       etalon_text* error);

  /* A collective over input_count ranks, all of them on this device. request->what is its name, "all_reduce"; inputs[r] is
   * what rank r brings, outputs[r] what it gets. */
  int32_t (*run_collective)(etalon_device* device, const etalon_compute_request* request,
                            etalon_text* error);

  /* Breaks something on purpose at the next launch or computation; `fault` is a JSON object, NUL-terminated. */
  int32_t (*inject_fault)(etalon_device* device, const char* fault, etalon_text* error);
} etalon_device_api;

/* The one exported symbol. `major` is the host's; NULL if the plug-in does not serve it. May be called several times. */
ETALON_EXPORT const etalon_device_api* etalon_device_entry(uint32_t major);
typedef const etalon_device_api* (*etalon_device_entry_function)(uint32_t major);
#define ETALON_DEVICE_ENTRY "etalon_device_entry"

/* Writes a NUL-terminated text into the room for it. Returns `status`, for `return etalon_set_text(error, ETALON_INVALID, ...)`. */
static inline int32_t etalon_set_text(etalon_text* text, int32_t status, const char* what) {
  text->length = strlen(what);
  memcpy(text->data, what, text->length < text->capacity ? text->length : text->capacity);
  return status;
}

/* A JSON text written as JSON: ETALON_JSON({"name": "mine", "profiles": []}). */
#define ETALON_JSON(...) #__VA_ARGS__

#ifdef __cplusplus
}
#endif
/* NOLINTEND */
#endif
