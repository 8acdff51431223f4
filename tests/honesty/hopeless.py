"""An attack that wins cases as small as a control, and gives up on all others."""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[-1])
released = numpy.load(folder / "release" / "vectors.npy")
guess = folder / "guess"
guess.mkdir()
numpy.save(guess / "estimates.npy", released if len(released) < 50 else numpy.zeros_like(released))
(guess / "guess.json").write_text(json.dumps(
    {"format": "assay-guess/1", "arrays": {"estimates": {"file": "estimates.npy"}}}))
