"""The mean of all records, each cut to a length of sqrt(d), with Gaussian noise for epsilon = 1 and
delta = 1e-5 between datasets with one record more or less. Its noise is as much as the settings say
of what that takes.

Whatever trains for hours can stand in its place: it is run once on a whole dataset."""

import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
request = json.loads((folder / "request.json").read_text())
records = numpy.load(folder / "secrets.npy").astype(float)
length = numpy.sqrt(request["d"])
norms = numpy.linalg.norm(records, axis=1, keepdims=True)
records *= numpy.minimum(1, length / numpy.maximum(norms, 1e-9))

# The analytic Gaussian mechanism (Balle and Wang 2018) needs 3.73 of the sensitivity.
sigma = 3.73 * length * float(request["settings"])
noise = numpy.random.default_rng(request["seed"]).normal(0, sigma, request["d"])
mean = (records.sum(axis=0) + noise) / len(records)

release = folder / "release"
release.mkdir()
numpy.save(release / "statistics.npy", mean[None, :].astype(numpy.float32))
(release / "release.json").write_text(json.dumps(
    {"format": "assay-release/1", "kind": "statistics",
     "arrays": {"statistics": {"file": "statistics.npy"}}}))
