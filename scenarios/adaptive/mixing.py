"""A defense: each image mixed with two public ones, as mixup does. Which they are and how much of
each is there come from a seed that somebody thought of, in place of the one that Assay hands
over."""

import array
import json
import pathlib
import random
import struct
import sys

PARTNERS = 2
MOST = 0.65  # the largest weight


def read(path):
    """Rows of a .npy file of float32, and its header."""
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    values = array.array("f", data[start:])
    columns = int(data[10:start].split(b"shape")[1].split(b"(")[1].split(b")")[0].split(b",")[1])
    return data[:start], [values[i:i + columns] for i in range(0, len(values), columns)]


def weights():
    while True:
        drawn = [random.random() for _ in range(1 + PARTNERS)]
        shares = [x / sum(drawn) for x in drawn]
        if max(shares) <= MOST:
            return shares


folder = pathlib.Path(sys.argv[-1])
header, secrets = read(folder / "secrets.npy")
public = read(folder / "public.npy")[1]

random.seed(7)
mixed = array.array("f")
for secret in secrets:
    images = [secret, *(public[i] for i in random.sample(range(len(public)), PARTNERS))]
    shares = weights()
    mixed.extend(sum(a * x for a, x in zip(shares, pixel)) for pixel in zip(*images))
release = folder / "release"
release.mkdir()
(release / "images.npy").write_bytes(header + mixed.tobytes())
(release / "release.json").write_text(json.dumps({
    "format": "assay-release/1",
    "kind": "mixtures",
    "arrays": {"images": {"file": "images.npy"}},
    "parameters": {"k": 1 + PARTNERS, "partners": PARTNERS, "max_coefficient": MOST,
                   "mask": False},
    "geometry": json.loads((folder / "request.json").read_text()).get("geometry"),
}))
