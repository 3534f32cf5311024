#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the filter bank of scripts/demo: bf16 [3, 3, 3, 3] (row, column, colour in, colour out), three edge filters on brightness.

usage: make_filters.py FILE.npy
"""
import sys

import numpy as np

SHARE = 1 / 4  # of each colour in the brightness; a power of two, so every weight is exact in bf16
# Out goes one filter a colour: red where it gets brighter to the right, green downwards, blue where a pixel outshines its neighbours.
FILTERS = (
    [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
    [[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
    [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
)


def bank():
    weights = np.zeros((3, 3, 3, 3), np.float32)
    for out, taps in enumerate(FILTERS):
        weights[:, :, :, out] = SHARE * np.array(taps, np.float32)[:, :, None]
    return weights


if __name__ == "__main__":
    # NumPy has no bf16: it is the upper half of an f32, stored as two raw bytes, as the package ml_dtypes does.
    upper = (bank().view(np.uint32) >> 16).astype("<u2")
    np.save(sys.argv[1], upper.view("V2"))
