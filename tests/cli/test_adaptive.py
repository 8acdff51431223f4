"""Attackers who run the defense on rows of their own: grants mechanism and key, pairs in folders."""

import json
import random
import re
import shutil
import sys

import data
from auditing import COMPONENTS, program

ROTATED = """[scenario]
title = T
seed = 3
[dataset]
plugin = gaussian-classes
columns = 8
rank = 4
count = 200
public_count = 400
test_count = 1
records = yes
secrets = 40
[defense rotation]
plugin = random-rotation
"""
BLIND = "[attack blind]\nplugin = learned-inversion\ngrants = public; mechanism\n"
KEYED = "[attack keyed]\nplugin = learned-inversion\ngrants = public; mechanism; key\n"
LINK = "[attack link]\nplugin = learned-linkage\ngrants = public; mechanism; key\n"

# A rotation of two columns by an angle that is the release's key, without any module.
TURN = """
import array, json, math, pathlib, random, struct, sys
folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
data = (folder / "secrets.npy").read_bytes()
start = 10 + struct.unpack("<H", data[8:10])[0]
numbers = array.array("f", data[start:])
angle = random.Random(request[sys.argv[1]]).uniform(0, 2 * math.pi)
for i in range(0, len(numbers), 2):
    x, y = numbers[i:i + 2]
    numbers[i] = math.cos(angle) * x - math.sin(angle) * y
    numbers[i + 1] = math.sin(angle) * x + math.cos(angle) * y
(folder / "release").mkdir()
(folder / "release" / "vectors.npy").write_bytes(data[:start] + numbers.tobytes())
(folder / "release" / "release.json").write_text(json.dumps({
    "format": "assay-release/1", "kind": "vectors",
    "arrays": {"vectors": {"file": "vectors.npy"}}}))
"""


def run(sandbox, text, code=0, *words):
    sandbox.write("a.scenario", text)
    shutil.rmtree(sandbox.path / "out", ignore_errors=True)
    result = sandbox.assay("run", "a.scenario", "--out", "out", *words)
    sandbox.expect(result, code)
    return result, {cell["attack"]["label"]: cell
                    for cell in json.loads(sandbox.read("out/results.json"))["cells"]}


def measured(cell, name):
    return next(value["estimate"] for value in cell["measurements"] if value["measure"] == name)


def test_a_key_is_what_the_rotation_rests_on(sandbox):
    result, cells = run(sandbox, ROTATED + BLIND + KEYED + LINK)
    assert re.search(r"blind against rotation: learned nothing from \d+ pairs", result.out), result
    assert "keyed against rotation: ridge, from " in result.out, result
    assert measured(cells["blind"], "relative-error-median") > 0.5
    assert measured(cells["keyed"], "relative-error-median") < 0.05
    assert measured(cells["link"], "partner-hit-at-1") > 0.95
    # The cumulative match characteristic: of each attack that links, and chance under them.
    lines = [line.split(",") for line in sandbox.read("out/plots/cmc-of-links.csv").splitlines()]
    points = {(line, float(rank)): float(rate) for line, rank, rate, *_ in lines[1:]}
    ranks = sorted({rank for _, rank in points})
    assert ranks[:3] == [1, 3, 10] and len(points) == 2 * len(ranks), points
    for rank in ranks:
        assert points["1", rank] == measured(cells["link"], f"partner-cmc-at-{rank:.0f}")
        assert points["2", rank] == measured(cells["link"], f"partner-cmc-chance-at-{rank:.0f}")
        assert points["1", rank] > points["2", rank] > 0, points
    assert cells["keyed"]["attack"]["grants"] == ["public", "mechanism", "key"]
    assert cells["keyed"]["message"].startswith("ridge, from ")


def test_the_same_with_workers(sandbox):
    run(sandbox, ROTATED + BLIND + KEYED + LINK)
    one = sandbox.read("out/results.json")
    run(sandbox, ROTATED + BLIND + KEYED + LINK, 0, "--workers", "2")
    assert sandbox.read("out/results.json") == one


def test_a_program_draws_its_key_from_the_key(sandbox):
    """From the seed alone, every run is another; so the key that is granted says nothing."""
    sandbox.write("turn.py", TURN)
    for source, is_undone in (("key", True), ("seed", False)):
        defense = (f"plugin = exec\ncommand = {sys.executable} turn.py {source}\n")
        _, cells = run(sandbox, ROTATED.replace("plugin = random-rotation\n", defense)
                       .replace("[attack", "[attack") + KEYED + "mechanism_runs = 3\n")
        assert (measured(cells["keyed"], "relative-error-median") < 0.05) == is_undone, source


def test_a_defense_that_fails_on_the_attackers_rows_is_an_error(sandbox):
    sandbox.write("turn.py", TURN.replace(
        "numbers = array", "assert 'release' not in sys.argv and len(data) < 3000, 'too many'\n"
        "numbers = array"))
    defense = f"plugin = exec\ncommand = {sys.executable} turn.py key\n"
    _, cells = run(sandbox, ROTATED.replace("plugin = random-rotation\n", defense) + KEYED
                   + "mechanism_runs = 1\n", 3)
    assert cells["keyed"]["status"] == "error"
    assert re.search(r"run 1 of the defense on \d+ rows of the attacker's own: defense exec: ",
                     cells["keyed"]["message"]), cells["keyed"]["message"]


def test_runs_that_take_too_long_are_an_error_that_says_how_far_it_came(sandbox):
    sandbox.write("turn.py", TURN + "import time\ntime.sleep(0.2)\n")
    defense = f"plugin = exec\ncommand = {sys.executable} turn.py key\n"
    _, cells = run(sandbox, ROTATED.replace("plugin = random-rotation\n", defense) + BLIND
                   + "mechanism_runs = 5\nmechanism_time = 0.1\n", 3)
    assert re.search(r"the first 1 of 5 runs of the defense on rows of the attacker's own took \d+ "
                     r"s, more than mechanism_time = 0.1", cells["blind"]["message"]), cells


# ---- By hand ----


def by_hand(sandbox, rows="0:200", widths="8"):
    """secrets and pairs of one rotation: the same seed, and so the same key."""
    sandbox.write("make.py", """
import random, struct, sys
random.seed(int(sys.argv[2]))
n, d = int(sys.argv[3]), int(sys.argv[4])
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (n, d)
header += " " * (117 - len(header)) + "\\n"
open(sys.argv[1], "wb").write(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", 118) + header.encode()
    + struct.pack("<%df" % (n * d), *(random.gauss(0, 1) for _ in range(n * d))))
""")
    sandbox.shell(f"{sys.executable} make.py secrets.npy 1 20 8")
    sandbox.shell(f"{sys.executable} make.py own.npy 2 200 {widths}")
    for what, to in (("secrets.npy", "."), ("own.npy", "pairs")):
        sandbox.shell(f"mkdir -p {to}")
        sandbox.expect(sandbox.assay(
            "protect", "--defense", "random-rotation", "--secrets", what, "--release",
            f"{to}/release", "--truth", f"{to}/truth", "--seed", "5"), 0)


def attack(sandbox, *words):
    return sandbox.assay("attack", "--attack", "learned-inversion", "--release", "release",
                         "--guess", "guess", *words)


def test_pairs_of_a_folder_undo_a_release_of_the_same_key(sandbox):
    by_hand(sandbox)
    sandbox.expect(attack(sandbox, "--pairs", "pairs"), 0)
    guess = json.loads(sandbox.read("guess/guess.json"))
    assert guess["says"].startswith("ridge, from 200 pairs: expected relative error 0.0"), guess
    measures = sandbox.assay("measure", "--truth", "truth", "--guess", "guess")
    assert re.search(r"recovery-rate.*100\.0 %|recovery-rate.* 1\b", measures.out), measures


def test_pairs_that_do_not_fit_are_refused(sandbox):
    by_hand(sandbox, widths="9")
    result = attack(sandbox, "--pairs", "pairs")
    sandbox.expect(result, 2)
    assert ("pairs: release 0: an item has 9 numbers, but one of the release under attack 8"
            in result.err), result
    result = attack(sandbox, "--pairs", "nowhere")
    assert "nowhere: there is no such folder" in result.err, result
    result = attack(sandbox)
    assert "attack 'learned-inversion' needs 'mechanism', which was not granted" in result.err


def test_pairs_that_are_not_finite_are_refused(sandbox):
    by_hand(sandbox)
    path = sandbox.path / "pairs" / "truth" / "secrets.npy"
    data = bytearray(path.read_bytes())
    data[-4:] = b"\x00\x00\xc0\x7f"
    path.write_bytes(bytes(data))
    result = attack(sandbox, "--pairs", "pairs")
    sandbox.expect(result, 2)
    assert "pairs/truth: " in result.err and "is not a finite number" in result.err, result


# Rows of no preferred direction: the components of every release are others.
FITTED = """[scenario]
title = T
seed = 3
[dataset]
plugin = gaussian-classes
columns = 4
classes = 2
separation = 0
count = 100
public_count = 300
test_count = 1
secrets = 50
[defense fitted]
plugin = exec
command = {command}
[attack runs]
plugin = learned-inversion
grants = public; mechanism; key
[attack knows]
plugin = learned-inversion
grants = public
known_rows = 30
"""


def test_what_is_fitted_to_a_release_is_learned_from_rows_in_it(sandbox):
    command = program(sandbox, "fitted.py", COMPONENTS.format(columns=4))
    result, cells = run(sandbox, FITTED.format(command=command))
    assert measured(cells["runs"], "relative-error-median") > 0.5, result
    assert measured(cells["knows"], "relative-error-median") < 0.05, result
    # The known rows are pairs, and no secrets.
    assert "from 30 pairs" in cells["knows"]["message"]
    assert {m["n"] for m in cells["knows"]["measurements"]} == {50}


def test_known_rows_that_do_not_fit_are_refused(sandbox):
    text = ROTATED + KEYED.replace("; mechanism; key", "") + "known_rows = {}\n"
    for entry, old, new, says in (
            ("500", "", "", "known_rows = 500: the dataset has 400 public rows that are of nobody"),
            ("30\npairs = here", "", "", "there are pairs = here already; expected one of the two"),
            ("30", "learned-inversion", "verbatim", "attack 'verbatim' learns from no pairs")):
        sandbox.write("a.scenario", text.format(entry).replace(old, new) if old else text.format(entry))
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = sandbox.assay("run", "a.scenario", "--out", "out")
        assert result.code in (2, 3) and says in result.err + result.out, result


# ---- Labels, and data that say nothing ----

SUPERVISED = """[scenario]
title = T
seed = 3
[dataset]
plugin = gaussian-classes
columns = 8
count = 200
public_count = 200
test_count = 1
records = yes
secrets = 60
[defense ksh]
plugin = ksh
bits = 8
anchors = 20
labelled = 50
[defense sdh]
plugin = sdh
bits = 8
anchors = 20
[attack members]
plugin = membership
grants = public; mechanism
mechanism_runs = 8
[attack crossed]
plugin = cross-linkage
grants = public; mechanism
mechanism_runs = 8
"""


def test_supervised_hashing_is_run_with_labels(sandbox):
    """Which it learns from: of public rows and of records."""
    sandbox.write("a.scenario", SUPERVISED)
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 0)
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    assert [cell["status"] for cell in cells] == ["ok"] * 4, cells


def test_fewer_pairs_than_columns_are_learned_from(sandbox):
    """Ridge then interpolates (docs/adaptive.md)."""
    _, cells = run(sandbox, ROTATED + KEYED.replace("\n", "\nmechanism_rows = 6\n", 1))
    assert cells["keyed"]["status"] == "ok" and "from 6 pairs" in cells["keyed"]["message"], cells


def test_the_grant_needs_public_rows(sandbox):
    sandbox.write("a.scenario", (ROTATED + BLIND).replace("records = yes\n", "records = no\n")
                  .replace("public_count = 400\n", "public_count = 0\n"))
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    assert result.code == 2 and "public" in result.err, result
    assert not (sandbox.path / "out").exists()


def labelled(sandbox, secret, public):
    numbers = random.Random(4)
    for name, n, label in (("private", 60, secret), ("public", 120, public)):
        sandbox.write(f"{name}.npy", data.npy_bytes(
            [[numbers.gauss(0, 1) for _ in range(4)] for _ in range(n)]))
        sandbox.write(f"{name}-labels.npy",
                      data.npy_bytes([label(i) for i in range(n)], "int64"))
    return run(sandbox, """[scenario]
title = T
seed = 3
[dataset]
plugin = vectors
private = private.npy
public = public.npy
labels = private-labels.npy
public_labels = public-labels.npy
secrets = 60
[defense noise]
plugin = random-rotation
noise = 0.5
[attack class]
plugin = attribute-inference
grants = public; mechanism; key
""", 3 if public(0) == public(1) else 0)


def test_labels_of_one_class_are_nothing_to_learn(sandbox):
    _, cells = labelled(sandbox, lambda i: i % 2, lambda i: 0)
    assert cells["class"]["status"] == "error"
    assert ("the attribute has the value 0 in all 120 rows to learn from; expected two values at "
            "least" in cells["class"]["message"]), cells


def test_an_attribute_that_is_constant_among_control_people_has_no_excess(sandbox):
    """An accuracy, and no excess: who guesses it of one has guessed it of all."""
    result, cells = labelled(sandbox, lambda i: 1, lambda i: i % 2)
    names = {value["measure"] for value in cells["class"]["measurements"]
             if value.get("estimate") is not None}
    assert "attribute-accuracy" in names and "attribute-excess" not in names, names
    assert "attribute-excess is left out: the attribute has the value 1 in all 60 secrets" in (
        result.out + result.err), result
