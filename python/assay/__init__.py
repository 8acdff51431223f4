"""Assay in Python: protects secrets, attacks releases, measures what was recovered, runs audits.

    import assay
    release, truth = assay.protect("affine-lifting", secrets, dimension=4, database=rows)
    guess = assay.attack("database", release, database=rows)
    assay.measure(truth, guess)["recovery-rate"]["estimate"]
    assay.run("scenarios/quickstart.scenario").verdict

What the numbers mean: docs/ of the source tree."""
import ctypes as _ctypes
import json as _json

from assay._library import BadInput, Cancelled, Error, library as _library_, take_text as _take_text
from assay.functions import Attack, Defense, attack, defense, protect
from assay.scenarios import results, run
from assay.steps import Guess, Release, Truth, guess, measure, release, rows, truth
from assay.tables import Measurements, Results

__version__ = _library_.assay_api_version().decode()
__all__ = ["Attack", "BadInput", "Cancelled", "Defense", "Error", "Guess", "Measurements",
           "Release", "Results", "Truth", "attack", "defense", "guess", "measure", "plugins",
           "protect", "release", "results", "rows", "run", "set_threads", "truth"]


def plugins():
    """{"defenses": {name: summary}, "attacks": ..., "metrics": ..., "datasets": ...}."""
    lists = _json.loads(_take_text(_library_.assay_api_list()))
    return {heading: {one["name"]: one["summary"] for one in found}
            for heading, found in lists.items()}


def set_threads(count):
    """0: one per processor. Results do not depend on it."""
    _library_.assay_api_set_threads(_ctypes.c_uint(count))
