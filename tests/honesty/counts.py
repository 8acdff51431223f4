"""A defense that releases how many secrets have how large a first number, in ten bins."""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[-1])
secrets = numpy.load(folder / "secrets.npy")
counts = numpy.histogram(secrets[:, 0], 10)[0].astype(numpy.float32)
release = folder / "release"
release.mkdir()
numpy.save(release / "statistics.npy", counts[None])
(release / "release.json").write_text(json.dumps(
    {"format": "assay-release/1", "kind": "statistics",
     "arrays": {"statistics": {"file": "statistics.npy"}}}))
