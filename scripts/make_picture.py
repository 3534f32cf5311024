#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/media/harbour.png, the picture that scripts/demo filters: gradients, edges and texture, the same bytes each time.

usage: make_picture.py FILE.png
"""
import struct
import sys
import zlib

import numpy as np

HEIGHT, WIDTH = 120, 160
Y, X = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
HORIZON = 72


def mix(a, b, t):
    """From colour a at t = 0 to colour b at t = 1, for each pixel."""
    t = np.clip(t, 0, 1)[..., None]
    return np.array(a) * (1 - t) + np.array(b) * t


def paint(picture, where, colour):
    """Colour (one, or one a pixel) where `where` is 1; values between blend, which keeps edges smooth."""
    cover = np.clip(where, 0, 1)[..., None]
    return picture * (1 - cover) + np.asarray(colour) * cover


def box(x0, y0, x1, y1):
    return ((X >= x0) & (X < x1) & (Y >= y0) & (Y < y1)).astype(float)


def disc(x, y, radius):
    return radius + 0.5 - np.hypot(X - x, Y - y)


def hills(picture):
    for height, phase, colour in ((20, 0.4, (0.48, 0.50, 0.64)), (11, 2.1, (0.30, 0.40, 0.42))):
        ridge = HORIZON - height * (0.55 + 0.30 * np.sin(X / 23 + phase) + 0.15 * np.sin(X / 7 + 3 * phase))
        picture = paint(picture, (Y - ridge) * (Y < HORIZON), colour)
    return picture


def water(picture):
    deep = mix((0.72, 0.56, 0.46), (0.08, 0.20, 0.34), (Y - HORIZON) / (HEIGHT - HORIZON))
    waves = np.sin(Y * 1.9 + 1.5 * np.sin(X / 5 + Y / 3)) * (Y - HORIZON) / (HEIGHT - HORIZON)
    picture = paint(picture, Y >= HORIZON, deep + 0.06 * waves[..., None])
    glitter = np.exp(-((X - 112) / (5 + np.maximum(Y - HORIZON, 0) / 4)) ** 2) * (np.sin(Y * 2.2 + X / 3) > 0.1)
    return paint(picture, 0.7 * glitter * (Y >= HORIZON), (1.0, 0.86, 0.62))


def house(picture):
    picture = paint(picture, box(0, 78, 62, 120), (0.24, 0.22, 0.20))  # the quay
    stones = (((Y - 78) % 7 < 1) | ((X + 5 * ((Y - 78) // 7)) % 11 < 1)) * box(0, 78, 62, 120)
    picture = paint(picture, stones, (0.13, 0.12, 0.11))
    picture = paint(picture, box(12, 46, 50, 78), (0.93, 0.90, 0.82))
    roof = (Y >= 28) & (Y < 47) & (np.abs(X - 30.5) < (Y - 26) * 1.15)
    tiles = 0.06 * (((Y // 3) + (X // 4)) % 2)[..., None]
    picture = paint(picture, roof, np.array((0.64, 0.20, 0.14)) + tiles)
    picture = paint(picture, box(40, 24, 46, 38), (0.45, 0.18, 0.14))
    for x in (17, 38):
        picture = paint(picture, box(x, 53, x + 8, 63), (0.20, 0.26, 0.36))
        picture = paint(picture, box(x + 3.5, 53, x + 4.5, 63) + box(x, 57.5, x + 8, 58.5), (0.93, 0.90, 0.82))
    return paint(picture, box(28, 60, 35, 78), (0.16, 0.36, 0.30))


def boat(picture):
    hull = (Y >= 90) & (Y < 98) & (X > 92 + (Y - 90) * 0.9) & (X < 136 - (Y - 90) * 1.3)
    picture = paint(picture, hull, (0.92, 0.92, 0.95))
    picture = paint(picture, hull & (Y >= 94), (0.70, 0.14, 0.16))
    picture = paint(picture, box(112, 50, 114, 90), (0.30, 0.20, 0.14))
    picture = paint(picture, (Y > 53) & (Y < 87) & (X >= 115) & (X < 115 + (Y - 53) * 0.55), (0.97, 0.95, 0.88))
    return paint(picture, (Y > 58) & (Y < 87) & (X < 111) & (X > 111 - (Y - 58) * 0.45), (0.85, 0.82, 0.76))


def draw():
    picture = mix((0.20, 0.36, 0.66), (0.98, 0.74, 0.52), Y / HORIZON)
    glow = np.exp(-np.hypot(X - 128, Y - 30) / 22)
    picture = paint(picture, 0.5 * glow, (1.0, 0.92, 0.70))
    picture = paint(picture, disc(128, 30, 11), (1.0, 0.95, 0.78))
    for layer in (hills, water, house, boat):
        picture = layer(picture)
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)


def png(pixels):
    """The bytes of an RGB PNG file; each row is stored as its difference to the row above."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    above = np.vstack([np.zeros_like(pixels[:1]), pixels[:-1]])
    rows = (pixels - above).reshape(len(pixels), -1)
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\x02" + row.tobytes() for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(png(draw()))
