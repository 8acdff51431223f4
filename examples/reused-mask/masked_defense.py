#!/usr/bin/env python3
"""A defense that is subtly wrong: adds a secret mask to every vector, as a one-time pad does.

Assay calls it with a folder. The mistake is explained in README.md; find it first.
"""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
secrets = numpy.load(folder / "secrets.npy")  # n x d, float32


def make_mask(columns):
    """Noise that nobody knows, ten times as large as the numbers that it hides."""
    random = numpy.random.default_rng(request["seed"])
    return 10 * random.standard_normal(columns)


masked = numpy.array([vector + make_mask(len(vector)) for vector in secrets])

release = folder / "release"
release.mkdir()
numpy.save(release / "vectors.npy", masked.astype("float32"))
(release / "release.json").write_text(json.dumps({
    "format": "assay-release/1",
    "kind": "vectors",
    "arrays": {"vectors": {"file": "vectors.npy"}},
}))
