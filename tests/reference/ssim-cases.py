#!/usr/bin/env python3
"""The table of tests/unit/test-image-quality.c: MAE, PSNR and SSIM of fixed pairs of pictures by
NumPy and scikit-image, in float64. Prints the versions and the rows, as C.

The pictures are made of whole numbers, which the C test makes in the same way; a pixel is
scale * number + offset, exact in float32. The numbers of picture a (LCG seed 1), in memory order:

  noise      a byte of a linear congruential generator, the upper 8 bits of its 32
  ramp       4 x + 2 y + 9 channel, modulo 256
  flat       100

and of picture b (LCG seed 2; r its next byte):

  noise      r
  near       a + r / 8 - 16, cut to 0 .. 255
  channel    near in channel 1, equal to a elsewhere
  reversed   255 - a
  flat       140

Needs python3-skimage (made with 0.19.3 of Debian 12).
"""

import numpy as np
import scipy
import skimage
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

# name, height, width, channels, a, b, scale, offset, data range
CASES = [
    ("noise", 32, 32, 1, "noise", "noise", 1, 0, 255),
    ("near", 32, 32, 1, "noise", "near", 1 / 256, 0, 1),
    ("near, colour, centred", 32, 32, 3, "noise", "near", 1 / 128, -1, 2),
    ("smallest", 11, 11, 1, "noise", "near", 1, 0, 255),
    ("smallest, colour", 11, 11, 3, "noise", "near", 1 / 256, 0, 1),
    ("wide", 17, 40, 1, "noise", "near", 1 / 128, -1, 2),
    ("tall", 40, 13, 3, "noise", "noise", 1 / 128, -1, 2),
    ("one channel", 24, 24, 3, "noise", "channel", 1, 0, 255),
    ("ramps", 24, 37, 3, "ramp", "reversed", 1, 0, 255),
    ("noisy ramp", 48, 64, 1, "ramp", "near", 1 / 256, 0, 1),
    ("reversed, centred", 32, 32, 1, "noise", "reversed", 1 / 128, -1, 2),
    ("flat", 16, 16, 1, "flat", "flat", 1, 0, 255),
    ("flat, small range", 16, 16, 3, "flat", "flat", 1, 0, 1),
    ("flat against noise", 19, 16, 1, "flat", "noise", 1 / 256, 0, 1),
    ("far from 0", 20, 20, 1, "noise", "near", 1 / 16, 65536, 16),
    ("range too small", 21, 33, 3, "ramp", "near", 1, 0, 2),
]


def byte_stream(seed):
    while True:
        seed = (1664525 * seed + 1013904223) % 2**32
        yield seed >> 24


def make_pair(height, width, channels, kind_a, kind_b):
    stream_a, stream_b = byte_stream(1), byte_stream(2)
    a = np.zeros((height, width, channels))
    b = np.zeros((height, width, channels))
    for y, x, c in np.ndindex(height, width, channels):
        first, second = next(stream_a), next(stream_b)
        a[y, x, c] = {"noise": first, "ramp": (4 * x + 2 * y + 9 * c) % 256, "flat": 100}[kind_a]
        near = min(max(a[y, x, c] + second // 8 - 16, 0), 255)
        b[y, x, c] = {"noise": second, "near": near, "channel": near if c == 1 else a[y, x, c],
                      "reversed": 255 - a[y, x, c], "flat": 140}[kind_b]
    return a, b


def main():
    print(f"/* scikit-image {skimage.__version__}, SciPy {scipy.__version__}, "
          f"NumPy {np.__version__} */")
    for name, height, width, channels, kind_a, kind_b, scale, offset, data_range in CASES:
        a, b = (scale * numbers + offset
                for numbers in make_pair(height, width, channels, kind_a, kind_b))
        assert (a == a.astype(np.float32)).all() and (b == b.astype(np.float32)).all()
        ssim = structural_similarity(a, b, gaussian_weights=True, sigma=1.5,
                                     use_sample_covariance=False, data_range=data_range,
                                     channel_axis=-1)
        psnr = peak_signal_noise_ratio(a, b, data_range=data_range)
        print(f'  {{ "{name}", {{ {height}, {width}, {channels} }}, A_{kind_a.upper()}, '
              f'B_{kind_b.upper()}, {scale!r}, {offset}, {data_range}, {np.abs(a - b).mean():.10g}, '
              f'{psnr:.10g}, {ssim:.10g} }},')


main()
