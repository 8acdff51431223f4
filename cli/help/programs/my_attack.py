#!/usr/bin/env python3
"""An attack in NumPy, as a beginning: Assay calls it with a folder, and measures what it writes.

It sees the release and what the scenario grants it, here public rows, and never the secrets.
"""
import json
import pathlib
import sys

try:
    import numpy
except ImportError:
    sys.exit("this program needs NumPy (on Debian: apt install python3-numpy)")

folder = pathlib.Path(sys.argv[-1])
released = numpy.load(folder / "release" / "vectors.npy").astype(float)  # n x k
public = numpy.load(folder / "public.npy").astype(float)                 # rows of other people

# ---- Your attack in place of this: noise is what is wider than people are ----
# Along each direction in which public rows vary by v and released ones by w, of which the noise is
# w - v, the best linear guess keeps v / w of what was released (Wiener 1949).
centre = public.mean(axis=0)
values, directions = numpy.linalg.eigh(numpy.cov(public.T))
turned = (released - released.mean(axis=0)) @ directions
kept = numpy.minimum(values / numpy.maximum(turned.var(axis=0), 1e-12), 1)
estimates = centre + (turned * kept) @ directions.T

guess = folder / "guess"
guess.mkdir()
numpy.save(guess / "estimates.npy", estimates.astype("float32"))
(guess / "guess.json").write_text(json.dumps({
    "format": "assay-guess/1",
    "arrays": {"estimates": {"file": "estimates.npy"}},
}))
