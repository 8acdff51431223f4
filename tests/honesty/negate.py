"""A defense that releases -x."""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[-1])
release = folder / "release"
release.mkdir()
numpy.save(release / "vectors.npy", -numpy.load(folder / "secrets.npy"))
(release / "release.json").write_text(json.dumps(
    {"format": "assay-release/1", "kind": "vectors",
     "arrays": {"vectors": {"file": "vectors.npy"}}}))
