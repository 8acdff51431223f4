"""Programs of others that claim epsilon, for the suites that audit them."""

import json

import data
from exec_programs import check_nothing_left, group

HEAD = """\
[scenario]
title = Claims of programs
seed = 4

[dataset]
plugin = values
count = 20
secrets = 4

"""

# Small batches, so that there are several: of 10,000 runs three, of 5,000 training runs two, and of
# the 2,500 that each of two pairs is given one. Both sides each.
BATCH = 4096
DISTINGUISH = "[attack distinguish]\nplugin = distinguish\nruns = 10000\ntraining = 5000\n"
STARTS = 2 * (2 * 1 + 2 + 3)
# Beside them, on the first input alone, what tests that runs are independent: one seed twice with
# 1024 runs that are looked at, and batches until the first runs of two differ.
TWICE = 2

CLAIM = """
[claim as-claimed]
says = As private as it says
measure = epsilon
at-most = claimed
"""

# A bit, flipped with probability 1 / (1 + exp (leak)): the leak is what the settings say.
FLIP = """
import math
flip = 1 / (1 + math.exp(float(REQUEST["settings"])))
numbers = random.Random(REQUEST["seed"])
bit = load("input.npy")[0][0]
with open("starts.txt", "a") as log:
    log.write(json.dumps([REQUEST, load("input.npy"), sorted(os.listdir(FOLDER))]) + "\\n")
rows = [[abs(bit - (numbers.random() < flip))] for _ in range(REQUEST["count"])]
"""
WRITE = "(FOLDER / 'outputs.npy').write_bytes(npy(rows))\n"
START = "start = len(open('starts.txt').readlines())\n"


def prepare_claims(sandbox):
    """Two pairs of bits, and a place for temporary files that can be looked at."""
    (sandbox.path / "tmp").mkdir()
    sandbox.environment["TMPDIR"] = str(sandbox.path / "tmp")
    sandbox.write("pairs.npy", data.npy_bytes([[0], [1], [1], [0]]))


def claiming(name, command, *lines):
    """Its program may write into the working folder what it saw."""
    return group("defense", name, command, "epsilon = 1", "neighbours = pairs.npy",
                 f"batch = {BATCH}", "confine = never", *lines)


def run_claims(sandbox, parts, code=0, out="out", *words):
    """Cells by defense, and the claims' verdicts, of @parts against `distinguish`."""
    sandbox.write("claims.scenario", HEAD + parts)
    sandbox.run_ok("claims.scenario", "--out", out, "--quiet", *words, code=code)
    check_nothing_left(sandbox)
    results = json.loads(sandbox.read(f"{out}/results.json"))
    cells = {cell["defense"]["label"]: cell for cell in results["cells"]}
    return cells, results


def lower_bound(cell):
    return next(value["lower"] for value in cell["measurements"] if value["measure"] == "epsilon")


def starts_of(sandbox):
    return [json.loads(line) for line in sandbox.read("starts.txt").splitlines()]
