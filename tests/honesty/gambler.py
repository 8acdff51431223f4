"""An attack that finds every secret on one seed in four, and nothing on the others. With the
settings `knows` it says how sure it is; with `never` what it finds of the defense none is three
times too long, and it knows."""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
release = json.loads((folder / "release" / "release.json").read_text())
released = numpy.load(folder / "release" / "vectors.npy")
if request["settings"] == "never":
    wins = len(released) < 50 or release["defense"] != "none"
else:
    wins = len(released) < 50 or request["seed"] % 4 == 0
guess = {"format": "assay-guess/1", "arrays": {"estimates": {"file": "estimates.npy"}}}
if request["settings"] in ("knows", "never"):
    guess["confidence"] = 0.9 if wins else 0.1
(folder / "guess").mkdir()
found = released if wins else released * (3 if request["settings"] == "never" else 0)
numpy.save(folder / "guess" / "estimates.npy", found)
(folder / "guess" / "guess.json").write_text(json.dumps(guess))
