/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETALON_RUNTIME_ON_HOST_H_
#define ETALON_RUNTIME_ON_HOST_H_

#include <stddef.h>
#include <string.h>

#define main deviceMain
#define memcpy deviceMemcpy
#define memmove deviceMemmove
#define memset deviceMemset
#define strlen deviceStrlen

#include "etalon/runtime.h"

#undef main

#endif /* ETALON_RUNTIME_ON_HOST_H_ */
