#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture that scripts/demo filters: a small harbour at dusk. Usage: make_picture.py FILE.png

Deterministic: the file in docs/media is what this script writes.
"""
import struct
import sys
import zlib

import numpy as np

WIDTH, HEIGHT = 192, 128


def blend(image, mask, colour):
    """Lays a colour over the picture where mask (0..1) says."""
    image += mask[..., None] * (np.asarray(colour, float) - image)


def polygon(x, y, corners):
    """1 inside a convex polygon given clockwise on the screen, with a soft edge of one pixel."""
    inside = np.full(x.shape, 1e9)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]):
        inside = np.minimum(inside, ((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / np.hypot(x1 - x0, y1 - y0))
    return np.clip(inside + 0.5, 0, 1)


def draw():
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    horizon = 74
    sky = np.clip(y / horizon, 0, 1)[..., None]
    image = (1 - sky) * np.array([58, 72, 140.0]) + sky * np.array([250, 170, 110.0])
    blend(image, np.clip(17 - np.hypot(x - 138, y - 58), 0, 1), (255, 232, 170))
    for base, height, pitch, colour in ((66, 16, 23.0, (120, 96, 130)), (72, 10, 15.0, (84, 70, 104))):
        ridge = base - height * (0.5 + 0.5 * np.sin(x / pitch)) * (0.6 + 0.4 * np.sin(x / 7.3 + base))
        blend(image, np.clip(y - ridge, 0, 1), colour)
    water = np.clip(y - horizon, 0, 1)
    ripple = 0.5 + 0.5 * np.sin(y * 2.1 + 3 * np.sin(x / 11.0)) * np.sin(x / 5.0 + y)
    depth = np.clip((y - horizon) / (HEIGHT - horizon), 0, 1)[..., None]
    sea = (1 - depth) * np.array([214, 140, 110.0]) + depth * np.array([30, 44, 92.0])
    image += water[..., None] * (sea + 14 * (ripple[..., None] - 0.5) - image)
    glitter = water * np.exp(-((x - 138) / (6 + np.maximum(y - horizon, 0) / 3)) ** 2) * (ripple > 0.62)
    blend(image, 0.8 * glitter, (255, 226, 170))
    # a jetty, a hut with a window, a boat with two sails
    blend(image, polygon(x, y, [(0, 96), (74, 96), (74, 101), (0, 101)]), (62, 44, 40))
    for post in range(6, 74, 14):
        blend(image, polygon(x, y, [(post, 101), (post + 3, 101), (post + 3, 118), (post, 118)]), (50, 36, 34))
    blend(image, polygon(x, y, [(12, 70), (46, 70), (46, 96), (12, 96)]), (150, 60, 52))
    blend(image, polygon(x, y, [(29, 54), (51, 71), (7, 71)]), (70, 58, 66))
    blend(image, polygon(x, y, [(20, 77), (29, 77), (29, 86), (20, 86)]), (255, 222, 130))
    blend(image, polygon(x, y, [(33, 78), (41, 78), (41, 96), (33, 96)]), (84, 40, 36))
    blend(image, polygon(x, y, [(92, 100), (128, 100), (120, 109), (99, 109)]), (46, 34, 52))
    blend(image, polygon(x, y, [(109, 58), (111, 58), (111, 100), (109, 100)]), (40, 30, 36))
    blend(image, polygon(x, y, [(113, 60), (128, 96), (113, 96)]), (244, 238, 226))
    blend(image, polygon(x, y, [(107, 64), (107, 96), (94, 96)]), (226, 206, 188))
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def png(pixels):
    """The bytes of an RGB PNG."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(png(draw()))
