"""Programs of others as attacks that infer attributes, tell members, and link two releases."""

import json

from exec_programs import check_nothing_left, group, prepare, write_program

PEOPLE = """\
[scenario]
title = People
seed = 2

[dataset]
plugin = gaussian-classes
count = 480
columns = 8
classes = 3
secrets = 60

[defense noisy]
plugin = additive-noise
share = 0.02

"""

WHOLE = """
import math


def numbers(name):
    content = (FOLDER / name).read_bytes()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:10 + length].decode())
    assert header["descr"] == "<i8", header
    return header["shape"], struct.unpack(f"<{(len(content) - 10 - length) // 8}q",
                                          content[10 + length:])


released = load("release/vectors.npy")
"""

INFER = WHOLE + """
assert REQUEST["game"] == "infer", REQUEST
known = load("pairs/0/release/vectors.npy")
labels = numbers("pairs/0/truth/labels.npy")[1]
near = [min(range(len(known)), key=lambda k: math.dist(known[k], row)) for row in released]
scores = [[float(labels[k] == c) for c in range(max(labels) + 1)] for k in near]
"""
GUESS_INFER = "answer('guess', **{'class-scores': npy(scores)})\n"

MEMBER = WHOLE + """
records = load("records.npy")
shape, members = numbers("members.npy")
assert REQUEST["game"] == "member" and shape == (8, len(records)), (REQUEST, shape)
assert all(sum(members[r * shape[1] + i] for r in range(8)) == 4 for i in range(shape[1])), members


def near(row, items):
    return -math.log(1e-12 + min(math.dist(row, item) for item in items))


with_it, without = [], []
for r in range(8):
    items = load(f"shadows/{r}/vectors.npy")
    for i in range(0, shape[1], 4):
        (with_it if members[r * shape[1] + i] else without).append(near(records[i], items))
assert sum(with_it) / len(with_it) > sum(without) / len(without), "the shadows show no record"
scores = [[near(row, released) for row in records]]
"""
GUESS_MEMBER = "answer('guess', **{'member-scores': npy(scores, (len(scores[0]),))})\n"

CROSS = WHOLE + """
crossed = load("crossed/vectors.npy")
first, second = load("shadows/0/vectors.npy"), load("shadows/1/vectors.npy")
assert math.dist(first[0], second[0]) < math.dist(first[0], second[1]), "not of the same rows"
scores = [[-math.dist(row, other) for other in crossed] for row in released]
"""
GUESS_CROSS = "answer('guess', **{'cross-scores': npy(scores)})\n"

GRANTS = "grants = public; mechanism; other-releases"
GAMES = (("infer", INFER, GUESS_INFER, "attribute-accuracy", 0.6),
         ("member", MEMBER, GUESS_MEMBER, "member-auc", 0.95),
         ("cross", CROSS, GUESS_CROSS, "cross-auc", 0.95))


def cells_of(sandbox, text, code=0, out="out"):
    sandbox.write("games.scenario", text)
    sandbox.run_ok("games.scenario", "--out", out, "--quiet", code=code)
    check_nothing_left(sandbox)
    return {cell["attack"]["label"]: cell
            for cell in json.loads(sandbox.read(f"{out}/results.json"))["cells"]}


def test_games_about_people(sandbox):
    """Each program wins where little is hidden, beside its control that looks like the cell; one that
    gives the same answer for all loses that."""
    prepare(sandbox)
    text = PEOPLE
    for game, body, guess, _, _ in GAMES:
        for name, change in ((game, ""), (f"{game}-blind",
                                          "scores = [[0.5 for _ in row] for row in scores]\n")):
            command = write_program(sandbox, f"{name}.py", body + change + guess)
            text += group("attack", name, command, GRANTS, f"game = {game}", "mechanism_runs = 8")
    found = cells_of(sandbox, text, 3)
    for game, _, _, measure, least in GAMES:
        cell = found[game]
        assert cell["status"] == "ok", cell
        values = {value["measure"]: value["estimate"] for value in cell["measurements"]}
        assert values[measure] >= least, (game, values)
        assert found[f"{game}-blind"]["status"] == "control-failed", found[f"{game}-blind"]


def test_answers_that_fit_no_game(sandbox):
    prepare(sandbox)
    text = PEOPLE
    wrong = (("infer", INFER + "scores.pop()\n" + GUESS_INFER,
              "expected class-scores for each of 60 secrets"),
             ("member", MEMBER + "scores[0].pop()\n" + GUESS_MEMBER, "expected member-scores of 120"),
             ("cross", CROSS + "scores.pop()\n" + GUESS_CROSS, "expected cross-scores of 60 x"))
    for game, body, _ in wrong:
        text += group("attack", game, write_program(sandbox, f"{game}.py", body), GRANTS,
                      f"game = {game}", "mechanism_runs = 8")
    found = cells_of(sandbox, text, 3)
    for game, _, message in wrong:
        assert found[game]["status"] == "error" and message in found[game]["message"], found[game]
