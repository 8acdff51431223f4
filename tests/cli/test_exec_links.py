"""Programs of others as attacks that link releases and pair mixtures."""

import json
import shutil

from exec_programs import check_nothing_left, group, prepare, write_program
from sandbox import matches


# Public rows hold another record of every secret.
RECORDS = """\
[scenario]
title = Links
seed = 2

[dataset]
plugin = gaussian-classes
count = 120
columns = 16
secrets = 12
records = {records}

[defense plain]
plugin = none

"""

LINK = """
import math
public = load("public.npy")
order = lambda row: sorted(range(len(public)), key=lambda i: math.dist(public[i], row))[:5]
released = load("release/" + ("images" if (FOLDER / "release/images.npy").exists() else "vectors")
                + ".npy")
candidates = [order(row) for row in released]
"""
WHOLE = """
def whole(rows):
    content = npy(rows).replace(b"<f4", b"<i8")
    flat = [value for row in rows for value in row]
    return content[:len(content) - 4 * len(flat)] + struct.pack(f"<{len(flat)}q", *flat)


"""
GUESS_LINK = WHOLE + "answer('guess', candidates=whole(candidates))\n"
LINKING = ("grants = public; other-releases", "game = link")


def cells_of(sandbox, text, code=0, out="out"):
    sandbox.write("games.scenario", text)
    sandbox.run_ok("games.scenario", "--out", out, "--quiet", code=code)
    check_nothing_left(sandbox)
    return {cell["attack"]["label"]: cell
            for cell in json.loads(sandbox.read(f"{out}/results.json"))["cells"]}


def value_of(cell, measure):
    return next(value["estimate"] for value in cell["measurements"] if value["measure"] == measure)


def test_links_of_a_program(sandbox):
    """The nearest public row is another record of the secret; a program that does not look loses its
    control."""
    prepare(sandbox)
    link = write_program(sandbox, "link.py", LINK + GUESS_LINK)
    blind = write_program(sandbox, "blind.py", LINK + "candidates = [[i, i + 1] for i in "
                          "range(len(candidates))]\n" + GUESS_LINK)
    found = cells_of(sandbox, RECORDS.format(records="yes")
                     + group("attack", "link", link, *LINKING)
                     + group("attack", "mixed", link, *LINKING, "control = mixtures")
                     + group("attack", "blind", blind, *LINKING), 3)
    for name in ("link", "mixed"):
        assert found[name]["status"] == "ok" and value_of(found[name], "partner-hit-at-1") == 1, (
            str(found[name]))
    assert found["blind"]["status"] == "control-failed", str(found["blind"])


def test_links_that_cannot_be_judged(sandbox):
    prepare(sandbox)
    link = write_program(sandbox, "link.py", LINK + GUESS_LINK)
    for records, lines, message in (
            ("yes", ("grants = other-releases", "game = link"),
             "attack 'exec' needs the grant 'public'; expected grants = public"),
            ("no", LINKING, "attack 'exec' looks for the public row that is a record of a secret; "
             "expected a dataset with {*}"),
            ("yes", ("grants = other-releases", "game = pair"),
             "fits no defense of the scenario: attack 'exec' reads mixtures or gradients, but "
             "defense 'none' releases vectors"),
            ("yes", ("grants = other-releases", "control = mixtures"),
             "control = mixtures is one of the game link; expected vectors or subspaces with game = "
             "reconstruct")):
        sandbox.write("bad.scenario", RECORDS.format(records=records)
                      + group("attack", "bad", link, *lines))
        sandbox.refuses(sandbox.assay("run", "bad.scenario"),
                        f"bad.scenario:{{*}}: [attack bad] {message}")
    for body, message in (
            ("candidates[0][1] = candidates[0][0]\n" + GUESS_LINK, "public row {*} appears twice "
             "among the candidates of item 0"),
            ("candidates[2][0] = 10**6\n" + GUESS_LINK, "candidate 0 of item 2 is 1000000, which is none "
             "of the {*} public rows"),
            ("candidates.pop()\n" + GUESS_LINK, "expected candidates for each of {*} released "
             "items, found {*} x 5"),
            ("answer('guess', estimates=npy(released))\n", "expected candidates for each of {*}")):
        bad = write_program(sandbox, "bad.py", LINK + body)
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        cell = cells_of(sandbox, RECORDS.format(records="yes")
                        + group("attack", "bad", bad, *LINKING), 3)["bad"]
        assert cell["status"] == "error" and matches("{*}attack exec: " + message, cell["message"]), (
            cell["message"])


MIXTURES = """\
[scenario]
title = Pairs
seed = 2

[dataset]
plugin = shapes
secrets = 10

[defense mixup]
plugin = mixup
k = 2
epochs = 4

[attack built-in]
plugin = inner-product-pair

"""

PAIR = WHOLE + """
images = load("release/images.npy")
pairs = [[i, j] for i in range(len(images)) for j in range(i)]
scores = [sum(a * b for a, b in zip(images[i], images[j])) for i, j in pairs]
"""
GUESS_PAIR = """
answer("guess", pairs=whole(pairs), scores=npy([scores], (len(scores),)))
"""
PAIRING = ("grants = other-releases", "game = pair")


def test_pairs_of_a_program(sandbox):
    """Inner products in Python are those of the built-in attack; equal scores lose the control."""
    prepare(sandbox)
    pair = write_program(sandbox, "pair.py", PAIR + GUESS_PAIR)
    flat = write_program(sandbox, "flat.py", PAIR + "scores = [1.0] * len(scores)\n" + GUESS_PAIR)
    bad = write_program(sandbox, "bad.py", PAIR + "pairs[3] = [4, 4]\n" + GUESS_PAIR)
    found = cells_of(sandbox, MIXTURES + group("attack", "pair", pair, *PAIRING)
                     + group("attack", "flat", flat, *PAIRING)
                     + group("attack", "bad", bad, *PAIRING), 3)
    ours, theirs = (value_of(found[name], "pair-auc") for name in ("built-in", "pair"))
    assert 0.5 < ours < 1 and abs(ours - theirs) < 1e-4, f"{ours} and {theirs}"
    assert found["pair"]["status"] == "ok", str(found["pair"])
    assert found["flat"]["status"] == "control-failed", str(found["flat"])
    assert (found["bad"]["status"] == "error" and "pair 3 is of items 4 and 4" in
            found["bad"]["message"]), str(found["bad"])
