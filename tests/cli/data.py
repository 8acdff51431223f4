"""Small data files, written and read with struct alone: no NumPy, so that the tests of the program
need nothing but Python.

Rows are made from uniform numbers (random.random is the same everywhere; gauss goes through the
machine's libm). They lie around a few centres, so that public rows say something about secrets, as
they do for descriptors."""

import itertools
import random
import struct

CENTRES = 8
SPREAD = 0.2

NPY_TYPES = {
    "float32": ("<f4", "f"),
    "float64": ("<f8", "d"),
    "uint8": ("|u1", "B"),
    "int32": ("<i4", "i"),
    "int64": ("<i8", "q"),
    "complex64": ("<c8", "d"),
}
TEXMEX_TYPES = {".fvecs": "f", ".bvecs": "B", ".ivecs": "i"}


def make_rows(rows, cols, seed):
    """rows x cols numbers around centres that depend on cols alone."""
    around = random.Random(cols)
    centres = [[around.uniform(-1, 1) for _ in range(cols)] for _ in range(CENTRES)]
    noise = random.Random(seed)
    return [
        [value + SPREAD * noise.uniform(-1, 1) for value in noise.choice(centres)]
        for _ in range(rows)
    ]


def make_scattered_rows(rows, cols, seed):
    """rows x cols numbers without clusters, so that every row is a unit of its own."""
    noise = random.Random(seed)
    return [[noise.uniform(-1, 1) for _ in range(cols)] for _ in range(rows)]


def make_bytes(rows, cols, seed):
    """The same as numbers from 0 to 255."""
    return [
        [min(255, max(0, round(100 + 80 * value))) for value in row]
        for row in make_rows(rows, cols, seed)
    ]


def shape_of(values):
    shape = []
    while isinstance(values, list):
        shape.append(len(values))
        values = values[0] if values else None
    return tuple(shape)


def flatten(values):
    if not isinstance(values, list):
        return [values]
    return list(itertools.chain.from_iterable(map(flatten, values)))


def npy_bytes(values, kind="float32", fortran=False, shape=None, version=(1, 0)):
    """The .npy file of nested lists; shape and fortran only change what the header says."""
    descr, code = NPY_TYPES[kind]
    order = ">" if descr.startswith(">") else "<"
    flat = flatten(values)
    header = repr(
        {"descr": descr, "fortran_order": fortran, "shape": tuple(shape or shape_of(values))}
    ).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return (
        b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(header)) + header
        + struct.pack(f"{order}{len(flat)}{code}", *flat)
    )


def texmex_bytes(rows, extension):
    code = TEXMEX_TYPES[extension]
    return b"".join(struct.pack(f"<i{len(row)}{code}", len(row), *row) for row in rows)


def file_bytes(name, rows, **options):
    """@rows as the format that the name says."""
    extension = name[name.rindex("."):]
    if extension in TEXMEX_TYPES:
        return texmex_bytes(rows, extension)
    return npy_bytes(rows, **options)


def read_npy(path):
    """Type, shape and the flat list of numbers of a .npy file that Assay wrote."""
    content = path.read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00", path
    length = struct.unpack("<H", content[8:10])[0]
    header = eval(content[10:10 + length].decode())  # a Python literal, by the format
    kind, code = next(
        (kind, code) for kind, (descr, code) in NPY_TYPES.items() if descr == header["descr"]
    )
    numbers = content[10 + length:]
    count = len(numbers) // struct.calcsize(code)
    return kind, header["shape"], list(struct.unpack(f"<{count}{code}", numbers))


# ---- What a case file asks for: data NAME rows=20 cols=16 ... ----


def made_file(name, options):
    """Content of the data file @name by the options of a case file.

    rows, cols, seed    sizes and seed
    type                of a .npy file
    set=ROW,COLUMN,X    one number replaced (nan, inf, 1e39)
    wide=ROW,D          row ROW of a TEXMEX file has D numbers
    fortran, shape=AxB, version=N     what the .npy header says
    cut=N, add=N        bytes taken from the end, or zeros put there
    """
    rows, cols = int(options.get("rows", 20)), int(options.get("cols", 16))
    kind = options.get("type", "float32")
    whole = name.endswith((".bvecs", ".ivecs")) or "int" in kind
    made = (make_bytes if whole else make_rows)(rows, cols, int(options.get("seed", 1)))
    if "set" in options:
        row, column, value = options["set"].split(",")
        made[int(row)][int(column)] = float(value)
    if "wide" in options:
        row, width = map(int, options["wide"].split(","))
        made[row] = (made[row] * width)[:width]
    extra = {}
    if name.endswith(".npy"):
        extra = {"kind": kind, "fortran": "fortran" in options}
        if "shape" in options:
            extra["shape"] = [int(size) for size in options["shape"].split("x")]
        if "version" in options:
            extra["version"] = (int(options["version"]), 0)
    content = file_bytes(name, made, **extra)
    content = content[:len(content) - int(options.get("cut", 0))]
    return content + bytes(int(options.get("add", 0)))


# Where float32 is easily spoilt: signed zero, subnormal, next to 1, largest, no short decimal form.
HARD_FLOATS = (-0.0, 0.0, 1e-45, 1.0000001, -3.4028234663852886e38, 0.1, 1 / 3, 16777217.0)


def hard_fvecs():
    floats = [struct.unpack("<f", struct.pack("<f", value))[0] for value in HARD_FLOATS]
    return texmex_bytes([floats, floats[::-1], make_rows(1, 8, 5)[0]], ".fvecs")


def idx_bytes(shape, numbers):
    return struct.pack(f">{1 + len(shape)}I", 0x0800 | len(shape), *shape) + bytes(numbers)


def random_bytes(count, seed):
    return random.Random(seed).randbytes(count)
