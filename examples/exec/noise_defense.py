#!/usr/bin/env python3
"""A defense in NumPy: adds Gaussian noise to every number. Assay calls it with a folder."""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
secrets = numpy.load(folder / "secrets.npy")  # n x d, float32

# Settings are whatever text the scenario passes on; here it is the noise's deviation. All random
# numbers come from the request's seed: the same run then gives the same results.
deviation = float(request["settings"])
random = numpy.random.default_rng(request["seed"])
vectors = secrets + deviation * random.standard_normal(secrets.shape)

release = folder / "release"
release.mkdir()
numpy.save(release / "vectors.npy", vectors.astype("float32"))
(release / "release.json").write_text(json.dumps({
    "format": "assay-release/1",
    "kind": "vectors",
    "arrays": {"vectors": {"file": "vectors.npy"}},
}))
