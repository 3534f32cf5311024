#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a picture filter as convolution weights. Usage: make_filter.py edges|sharpen|emboss FILE.npy

The weights are bf16 [3, 3, 3, 3] (rows, columns, channels in, channels out), each channel filtered by itself, in the
.npy form that ml_dtypes gives bf16 (two raw bytes an element).
"""
import sys

import numpy as np

FILTERS = {
    "edges": [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
    "sharpen": [[0, -1, 0], [-1, 5, -1], [0, -1, 0]],
    "emboss": [[-2, -1, 0], [-1, 1, 1], [0, 1, 2]],
}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in FILTERS:
        sys.exit(f"usage: make_filter.py {'|'.join(FILTERS)} FILE.npy")
    weights = np.einsum("rs,cf->rscf", np.array(FILTERS[sys.argv[1]], np.float32), np.eye(3, dtype=np.float32))
    # Small integers: bf16 is the upper half of the f32, exactly.
    bits = (np.ascontiguousarray(weights, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    np.save(sys.argv[2], bits.view("V2"))


if __name__ == "__main__":
    main()
