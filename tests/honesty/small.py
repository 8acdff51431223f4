"""An attack that finds whom it is shown, and says nothing of counts."""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[-1])
shown = folder / "release" / "vectors.npy"
guess = folder / "guess"
guess.mkdir()
numpy.save(guess / "estimates.npy",
           numpy.load(shown) if shown.exists() else numpy.zeros((60, 16), numpy.float32))
(guess / "guess.json").write_text(json.dumps(
    {"format": "assay-guess/1", "arrays": {"estimates": {"file": "estimates.npy"}}}))
