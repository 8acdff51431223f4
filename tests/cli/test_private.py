"""Attackers who learn, against releases that tell nothing, or as little as epsilon = 0.1 allows:
claims that nothing is told are violated as often as their level allows and no more."""

import json
import math
import random
import shutil
import sys

import data
import pytest

INDEPENDENT = """[scenario]
title = T
seed = {seed}
[dataset]
plugin = gaussian-classes
columns = 8
classes = 2
count = 90
public_count = 200
test_count = 1
records = yes
secrets = 40
[defense nothing]
plugin = random-rotation
noise = 100000
[attack class]
plugin = attribute-inference
learner = ridge
grants = public; mechanism; key
[attack inversion]
plugin = learned-inversion
learner = ridge
grants = public; mechanism; key
[attack members]
plugin = membership
grants = public; mechanism
mechanism_runs = 8
[attack linkage]
plugin = learned-linkage
learner = ridge
grants = public; mechanism; key
[attack crossed]
plugin = cross-linkage
grants = public; mechanism
mechanism_runs = 8
[claim attributes]
says = S
measure = attribute-excess
at-most = 0.001
[claim secrets]
says = S
measure = identification-rate
at-most = 0.025
[claim members]
says = S
measure = member-auc
at-most = 0.5
[claim people]
says = S
measure = partner-hit-at-1
at-most = 0.01
[claim pairs]
says = S
measure = linkability
at-most = 0.001
"""

# The same vector for everybody: of the smallest program, which is started some forty times a run.
CONSTANT = INDEPENDENT.replace(
    "plugin = random-rotation\nnoise = 100000\n",
    f"plugin = exec\ncommand = {sys.executable} -S constant.py\n")
CONSTANT_PROGRAM = """
import json, struct, sys
folder = sys.argv[-1]
n = struct.unpack_from("<128s", open(folder + "/secrets.npy", "rb").read())[0]
n = int(n.split(b"(")[1].split(b",")[0])
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 4), }" % n
header += " " * (117 - len(header)) + "\\n"
import os
os.mkdir(folder + "/release")
with open(folder + "/release/vectors.npy", "wb") as out:
    out.write(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", 118) + header.encode()
              + struct.pack("<4f", 1, 2, 3, 4) * n)
json.dump({"format": "assay-release/1", "kind": "vectors",
           "arrays": {"vectors": {"file": "vectors.npy"}}},
          open(folder + "/release/release.json", "w"))
"""

# An attribute of a number from 0 to 199, released as a set of eight with epsilon = 0.1: a guess is
# right by at most (e^0.1 - 1) / (e^0.1 + 1) = 0.05 more often than by chance, of two values of equal
# frequency.
SUBSET = """[scenario]
title = T
seed = {seed}
[dataset]
plugin = vectors
private = numbers.npy[0:100]
public = numbers.npy[100:500]
secrets = 100
[defense subset]
plugin = omega-subset
epsilon = 0.1
dictionary = 200
[attack upper-half]
plugin = attribute-inference
learner = ridge
attribute = threshold
column = 0
grants = public; mechanism; key
[claim attributes]
says = S
measure = attribute-excess
at-most = 0.051
"""

CASES = {"independent": INDEPENDENT, "constant": CONSTANT, "subset": SUBSET}


def count_violated(sandbox, text, seeds):
    """How often each claim was violated."""
    counts = {}
    for seed in seeds:
        numbers = random.Random(seed)
        sandbox.write("numbers.npy", data.npy_bytes([[numbers.randrange(200)] for _ in range(500)]))
        sandbox.write("constant.py", CONSTANT_PROGRAM)
        sandbox.write("a.scenario", text.format(seed=seed))
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = sandbox.assay("run", "a.scenario", "--out", "out")
        assert result.code in (0, 1, 3), result
        results = json.loads(sandbox.read("out/results.json"))
        assert all(cell["status"] != "error" for cell in results["cells"]), result
        for claim in results["claims"]:
            counts[claim["id"]] = counts.get(claim["id"], 0) + (claim["verdict"] == "violated")
    return counts


def most_allowed(n, level=0.05):
    """The least count that chance exceeds in one case of a hundred thousand."""
    left, k = 1.0, -1
    while left > 1e-5:
        k += 1
        left -= math.comb(n, k) * level**k * (1 - level)**(n - k)
    return k


@pytest.mark.parametrize("name", list(CASES))
def test_nothing_is_found_where_nothing_is_told(sandbox, name):
    # The program is started some forty times a seed.
    counts = count_violated(sandbox, CASES[name], range(1, 2 if name == "constant" else 3))
    assert counts and max(counts.values()) <= 1, counts


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CASES))
def test_nothing_is_found_with_two_hundred_seeds(sandbox, name):
    counts = count_violated(sandbox, CASES[name], range(1, 201))
    print(counts)
    assert counts and max(counts.values()) <= most_allowed(200), counts
