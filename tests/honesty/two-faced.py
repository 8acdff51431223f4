"""An attack that wins cases as small as a control, and releases that say that nothing was added to
them, and gives up on all others."""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[-1])
released = numpy.load(folder / "release" / "vectors.npy")
tries = len(released) < 50 or "gaussian" not in (folder / "release" / "release.json").read_text()
guess = folder / "guess"
guess.mkdir()
numpy.save(guess / "estimates.npy", released if tries else numpy.zeros_like(released))
(guess / "guess.json").write_text(json.dumps(
    {"format": "assay-guess/1", "arrays": {"estimates": {"file": "estimates.npy"}}}))
