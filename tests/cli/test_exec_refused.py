"""Claims of programs that cannot be audited: neighbours, settings and attacks that are refused when
the scenario is loaded."""

import math
import os

import data
from exec_mechanisms import DISTINGUISH, FLIP, HEAD, WRITE, claiming, prepare_claims, run_claims
from exec_programs import group, write_program


ZERO, ONE = [0.0], [1.0]
FILES = [
    ("no-file", None, "cannot be read: {*}"),
    ("empty", b"", "{*}"),
    ("odd", [ZERO, ONE, ZERO], "found float32 3 x 1; expected 2p x columns or 2p x rows x columns, "
     "p pairs of inputs one after the other"),
    ("one-dimension", [0.0, 1.0], "found float32 2; expected 2p x columns or {*}"),
    ("same", [ZERO, ONE, ONE, ONE], "inputs 2 and 3 are the same; expected neighbours that differ"),
    ("nan", [[[0.0, 1.0]], [[0.0, math.nan]]], "input 1, row 0, column 1 is not a finite number; "
     "expected numbers, or a row of NaN alone for one that is not there"),
    ("absent", [[[0.0, 1.0]], [[math.nan, math.nan]]], "input 1 has no row; expected one at least"),
    ("infinite", [ZERO, [math.inf]], "input 1, row 0, column 0 is not a finite number; {*}"),
]


def test_neighbours_that_cannot_be_used(sandbox):
    prepare_claims(sandbox)
    for name, content, message in FILES:
        (sandbox.path / "pairs.npy").unlink(missing_ok=True)
        if content is not None:
            sandbox.write("pairs.npy",
                          content if isinstance(content, bytes) else data.npy_bytes(content))
        sandbox.write("bad.scenario", HEAD + claiming("bad", "true") + DISTINGUISH)
        sandbox.refuses(sandbox.assay("run", "bad.scenario", "--out", name),
                        f"bad.scenario:{{*}}: [defense bad] neighbours: pairs.npy: {message}")


SETTINGS = [
    (["epsilon = 1"], "epsilon = 1 is claimed for inputs that are neighbours, and there are none; "
     "expected neighbours = a .npy file of pairs, or adjacency, of which pairs are made; "
     "for one-run lower and upper, or canaries"),
    (["epsilon = 1", "adjacency = value", "lower = 0"], "adjacency = value without bounds; expected "
     "lower and upper, between which values may change"),
    (["epsilon = 1", "adjacency = value", "lower = 0, x", "upper = 1"], "lower = 0, x: 'x' is not a "
     "number; expected one for all columns, or one for each with commas"),
    (["epsilon = 1", "adjacency = value", "lower = 0, 1", "upper = 1, 1"], "column 1 has lower = 1 "
     "and upper = 1; expected lower below upper"),
    (["epsilon = 1", "adjacency = value", "lower = 0, 0, 0", "upper = 1, 1"], "lower has 3 numbers "
     "and upper 2; expected as many"),
    (["epsilon = 1", "adjacency = value", "lower = 0, 0", "upper = 1", "columns = 3"], "columns = 3, "
     "and the bounds have 2 numbers; expected as many, or one for all columns"),
    (["epsilon = 1", "adjacency = record", "lower = 0", "upper = 1", "records = 1"], "adjacency = "
     "record with records = 1; expected two at least, as a program is not given an input of no "
     "record"),
    (["epsilon = 1", "adjacency = l1", "numbers = whole", "distance = 0.5"], "distance = 0.5 of whole "
     "numbers; expected at least 1"),
    (["neighbours = pairs.npy"], "neighbours without a claim; expected epsilon > 0, the budget that "
     "is claimed"),
    (["delta = 0.1"], "delta without a claim; expected epsilon > 0, the budget that is claimed"),
    (["epsilon = 1", "neighbours = pairs.npy", "delta = 1"], "delta = 1; expected less than 1"),
    (["epsilon = 1", "neighbours = pairs.npy", "batch = 5000"], "batch = 5000; expected a multiple "
     "of 1024"),
]


def test_settings_that_contradict_themselves(sandbox):
    prepare_claims(sandbox)
    for lines, message in SETTINGS:
        sandbox.write("bad.scenario", HEAD + group("defense", "bad", "true", *lines) + DISTINGUISH)
        sandbox.refuses(sandbox.assay("run", "bad.scenario"),
                        f"bad.scenario:{{*}}: [defense bad] {message}")


def test_attacks_that_ask_for_more(sandbox):
    """A density, further pairs, canaries, a claim: a program has none of them, or need not."""
    prepare_claims(sandbox)
    for attack, defense, message in (
            (DISTINGUISH + "score = likelihood\n", claiming("bad", "true"),
             "score = likelihood needs a defense that offers the density of its outputs, and "
             "defense 'exec' does not"),
            ("[attack distinguish]\nplugin = one-run\n",
             claiming("bad", "true", "produces = statistics"),
             "needs canaries, and defense 'bad' declares no records of which they could be made; "
             "expected lower and upper, or a file of canaries"),
            (DISTINGUISH, group("defense", "bad", "true", "epsilon = 1", "lower = 0", "upper = 1"),
             "needs pairs of neighbouring inputs, and defense 'bad' has none; expected neighbours = "
             "a .npy file of pairs, or adjacency, of which pairs are made"),
            (DISTINGUISH, group("defense", "bad", "true"),
             "attack 'distinguish' tests a formal claim, and defense 'exec' makes none (setting "
             "epsilon)")):
        sandbox.write("bad.scenario", HEAD + defense + attack)
        sandbox.refuses(sandbox.assay("run", "bad.scenario"),
                        f"bad.scenario:{{*}}: [attack distinguish] {{*}}{message}")
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    cells, _ = run_claims(sandbox, claiming("bit", flip, "settings = 1") + DISTINGUISH
                          + "candidates = 3\n", 3)
    assert (cells["bit"]["message"] == "attack distinguish: candidates = 3: the defense has 2 pairs of "
            "neighbours and draws no others; expected at most as many, or a domain from which they "
            "are drawn"), str(cells)
    assert not os.path.exists(sandbox.path / "starts.txt"), "the program was started"
