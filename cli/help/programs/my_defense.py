#!/usr/bin/env python3
"""A defense in NumPy, as a beginning: Assay calls it with a folder, once for each release."""
import json
import pathlib
import sys

try:
    import numpy
except ImportError:
    sys.exit("this program needs NumPy (on Debian: apt install python3-numpy)")

folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
secrets = numpy.load(folder / "secrets.npy")  # n x d, float32

# All random numbers come from the request's seed: the same run then gives the same results. An
# attacker who runs the program is given other seeds.
random = numpy.random.default_rng(request["seed"])

# ---- Your defense in place of this: every number gets noise of deviation 1 ----
vectors = secrets + random.standard_normal(secrets.shape)

release = folder / "release"
release.mkdir()
numpy.save(release / "vectors.npy", vectors.astype("float32"))
(release / "release.json").write_text(json.dumps({
    "format": "assay-release/1",
    "kind": "vectors",
    "arrays": {"vectors": {"file": "vectors.npy"}},
}))
