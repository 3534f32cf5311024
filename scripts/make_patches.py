#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds noise to the picture of make_picture.py and writes what attention takes to remove it. Usage: make_patches.py DIR

Non-local means (Buades, Coll, Morel 2005) is attention: a pixel becomes the mean of the pixels whose surroundings look
like its own, weighted by exp(-distance / h). With a patch p of 5 x 5 pixels around each,

    -|p - p'|^2 = 2 p . p' - |p'|^2 - |p|^2,

and the last term, the same for all keys, changes no weight: queries are (p, 1, 1), keys (2 p', -|p'|^2 in two parts),
values the pixels. Rows of the picture are heads, so that the output is a picture; eight neighbours share one head of
keys, the band of 16 rows around them. Writes harbour-noisy.png and the bf16 arrays q.npy [1, 128, 192, 77],
k.npy [1, 16, 3072, 77] and v.npy [1, 16, 3072, 3] in the form that ml_dtypes gives bf16 (two raw bytes an element).
"""
import sys

import numpy as np

from make_picture import draw, png

NOISE = 0.1  # standard deviation, of 0..1
RADIUS = 2  # of a patch
SHARE = 8  # rows of the picture that share a band of keys
MARGIN = 4  # rows of the band above and below them


def bf16(values):
    """Rounded to nearest even; finite values only."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def as_float(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_patches.py DIR")
    clean = draw() / 255
    noisy = np.clip(clean + np.random.default_rng(1).normal(0, NOISE, clean.shape), 0, 1)
    with open(f"{sys.argv[1]}/harbour-noisy.png", "wb") as out:
        out.write(png(np.rint(noisy * 255).astype(np.uint8)))

    height, width, _ = noisy.shape
    centred = np.pad(noisy - 0.5, [(RADIUS, RADIUS), (RADIUS, RADIUS), (0, 0)], mode="reflect")
    side = range(2 * RADIUS + 1)
    patches = as_float(bf16(np.concatenate([centred[r:r + height, c:c + width] for r in side for c in side], axis=2)))
    norms = np.square(patches).sum(axis=2, keepdims=True)
    coarse = as_float(bf16(norms))
    queries = np.concatenate([patches, np.ones((height, width, 2))], axis=2)
    keys = np.concatenate([2 * patches, -coarse, coarse - norms], axis=2)

    first = np.clip(np.arange(0, height, SHARE) - MARGIN, 0, height - SHARE - 2 * MARGIN)
    bands = first[:, None] + np.arange(SHARE + 2 * MARGIN)
    for name, array in {"q": queries, "k": keys[bands], "v": noisy[bands]}.items():
        shape = (1, height, width, -1) if name == "q" else (1, len(bands), bands.shape[1] * width, array.shape[-1])
        np.save(f"{sys.argv[1]}/{name}.npy", bf16(array).reshape(shape).view("V2"))


if __name__ == "__main__":
    main()
