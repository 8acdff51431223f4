import math
import pathlib
import sys

import numpy

HERE = pathlib.Path(__file__).resolve()
numpy.seterr(over='ignore', invalid='ignore')


# ---- Numbers as whole numbers: core/plugin/outputs.h, event-score.c ----

def bits_of(values):
    return numpy.ascontiguousarray(values, numpy.float64).view(numpy.uint64)


def key(values):
    """Whole numbers in the order of values: -0 below 0, NaN last."""
    bits = bits_of(values)
    top = numpy.uint64(1 << 63)
    keys = numpy.where(bits & top, ~bits, bits | top)
    return numpy.where(numpy.isnan(values), numpy.uint64(2**64 - 2) + failed(values), keys)


def failed(values):
    """Whether the program failed in that run."""
    return bits_of(values) == numpy.uint64(0x7FF8FA17ED000000)


def row_hash(y):
    """One number for a whole row."""
    rows = numpy.full(len(y), y.shape[1], numpy.uint64)
    for column in range(y.shape[1]):
        rows = (rows ^ key(y[:, column])) * numpy.uint64(0xFF51AFD7ED558CCD)
        rows ^= rows >> numpy.uint64(32)
    return rows


def listed(keys, scores):
    """The score of each number that is in the list, else 0."""
    return numpy.array([scores.get(int(one), 0.0) for one in keys])


# ---- Cells of a column: score-classifier.c ----

def find_cells(values, atoms, edges, n_bins):
    """The number of the value among frequent ones, else that of its bin."""
    keys = key(values)
    cells = len(atoms) + numpy.searchsorted(numpy.array(edges, numpy.uint64), keys)
    for number, atom in enumerate(atoms):
        cells[keys == numpy.uint64(atom)] = number
    return numpy.minimum(cells, len(atoms) + n_bins)


def standardise(values, cells, n_atoms, centre, scale):
    if scale == 0:
        return numpy.zeros(len(values))
    deviations = numpy.fmin(numpy.fmax((values - centre) / scale, -8), 8)
    return numpy.where(cells < n_atoms, 0, deviations)


# ---- What outputs have in common with others, as numbers of a few: table-feature.c ----

def whole(values):
    return numpy.where(numpy.isfinite(values), values, 0).astype(numpy.int64)


def tail(y, column=0, edges=()):
    return numpy.searchsorted(numpy.array(edges, numpy.uint64), key(y[:, column]))


def residue(values, modulus):
    is_whole = abs(values) <= 2.0**53
    rest = numpy.mod(numpy.rint(numpy.where(is_whole, values, 0)), modulus)
    return whole(numpy.where(is_whole, rest, modulus))


def digit(y, column=0, which=0):
    return residue(y[:, column] * 10.0**which, 10)


def modulus(y, column=0, which=0):
    values = y[:, column]
    return numpy.where(values == numpy.trunc(values), residue(values, which), which)


def fraction(y, column=0):
    parts = (y[:, column] - numpy.floor(y[:, column])) * 64
    return numpy.where(numpy.isfinite(y[:, column]), numpy.minimum(whole(parts), 63), 64)


def low_bits_of_float(y, column=0):
    narrow = y[:, column].astype(numpy.float32).view(numpy.uint32) & numpy.uint32(15)
    return numpy.where(numpy.isfinite(y[:, column]), narrow, 16).astype(numpy.int64)


def power(y, column=0, place=0.0):
    values = y[:, column] - place
    mantissas, exponents = numpy.frexp(abs(numpy.where(numpy.isfinite(values), values, 0)))
    digits = numpy.ldexp(mantissas, 53).astype(numpy.int64)
    zeros = numpy.frexp((digits & -digits).astype(numpy.float64))[1] - 1
    cells = numpy.clip(exponents + zeros - 53 + 90, 0, 125)
    return numpy.where(numpy.isfinite(values), numpy.where(values == 0, 126, cells), 127)


def keys_of(y, most):
    return numpy.stack([key(y[:, j]) for j in range(min(y.shape[1], most))], axis=1)


def extreme(y, which=0):
    keys = keys_of(y, 128)
    return numpy.argmax(keys, axis=1) if which else numpy.argmin(keys, axis=1)


def compared(y, column=0, other=0):
    first, second = key(y[:, column]), key(y[:, other])
    return numpy.where(first < second, 0, numpy.where(first == second, 1, 2))


def permutation(y, other=0):
    keys = keys_of(y, other)
    code = numpy.zeros(len(y), numpy.int64)
    for i in range(other):
        smaller = (keys[:, i + 1:] < keys[:, i:i + 1]).sum(axis=1)
        code = code * (other - i) + smaller
    return code


def neighbours(y, which=0):
    keys = keys_of(y, y.shape[1])
    pairs = keys[:, :-1] > keys[:, 1:] if which else keys[:, :-1] == keys[:, 1:]
    return numpy.minimum(pairs.sum(axis=1), 127)


def column_finite(y, column=0):
    values = y[:, column]
    return (numpy.isnan(values) * numpy.where(failed(values), 8, 1)
            + 2 * (values == numpy.inf) + 4 * (values == -numpy.inf))


def row_finite(y):
    cells = numpy.zeros(len(y), numpy.int64)
    for column in range(y.shape[1]):
        cells |= column_finite(y, column)
    return cells


# ---- And what the bits of doubles say: bit-feature.c ----

def low_bits(y, column=0, place=0.0):
    return (bits_of(y[:, column] - place) & numpy.uint64(63)).astype(numpy.int64)


def zeros(y, column=0):
    bits = (bits_of(y[:, column]) | numpy.uint64(1 << 52)).astype(numpy.int64)
    return numpy.frexp((bits & -bits).astype(numpy.float64))[1] - 1


def number_class(y, column=0):
    values = y[:, column]
    size = numpy.where(values == 0, 0, numpy.where(abs(values) < 2.0**-1022, 1,
                                                   numpy.where(numpy.isinf(values), 3, 2)))
    return numpy.where(numpy.isnan(values), 8, 2 * size + numpy.signbit(values))


def bit_residue(y, column=0, which=0):
    return ((bits_of(y[:, column]) & numpy.uint64(2**32 - 1)) % numpy.uint64(which)).astype(
        numpy.int64)


def reached(y, column=0, which=0, place=0.0, scale=0.0):
    """Whether noise by inversion reaches the value. The exponential is that of the C library."""
    cells = numpy.full(len(y), 12)
    for i, value in enumerate(y[:, column]):
        distance = abs(value - place)
        if not math.isfinite(distance):
            continue
        t = math.ldexp(math.exp(-distance / scale), which)
        unsure = t * ((abs(value) + 2 * distance) / scale * 2.0**-53 + 2.0**-52)
        off = abs(t - numpy.rint(t))
        levels = [level for level in (2.0**-10, 2.0**-6, 2.0**-4, 2.0**-2) if unsure >= level]
        if len(levels) < 4:
            cells[i] = 3 * len(levels) + (0 if off <= unsure else 1 if off <= 2 * unsure else 2)
    return cells


