#!/usr/bin/env python3
"""A release and a guess of one's own, as folders that Assay reads. Needs NumPy."""

import json
import pathlib

import numpy as np


def save(folder, record, **arrays):
    """One .npy for each array, and the JSON file that names them."""
    folder.mkdir(parents=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", np.ascontiguousarray(array))
    record["arrays"] = {name: {"file": f"{name}.npy"} for name in arrays}
    name = record["format"].split("/")[0].removeprefix("assay-")
    (folder / f"{name}.json").write_text(json.dumps(record))


rng = np.random.default_rng(1)
mine = pathlib.Path("mine")
people = rng.standard_normal((300, 16)).astype(np.float32)
secrets = people[:100]

# Who has the truth can measure. It is never given to an attack.
save(mine / "truth", {"format": "assay-truth/1"}, secrets=secrets)

# What was released: row i is of secret i.
released = secrets + rng.normal(0, 0.5, secrets.shape)
save(mine / "release", {"format": "assay-release/1", "kind": "vectors"}, vectors=released)

# What the attacker knows beside it, and what an attack of one's own made of both.
np.save(mine / "public.npy", people)
nearest = [np.argmin(((people - row) ** 2).sum(axis=1)) for row in released]
save(mine / "guess", {"format": "assay-guess/1"}, estimates=people[nearest])
