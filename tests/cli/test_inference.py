"""What attackers infer of people beside their secret: attributes of files, and membership."""

import json
import random
import shutil

import data
import pytest
from auditing import program

N_PRIVATE, N_PUBLIC, COLS = 60, 300, 6

SCENARIO = """[scenario]
title = T
seed = 3
[dataset]
plugin = vectors
private = people.npy[0:60]
public = people.npy[60:360]
attributes = people.csv
public_attributes = people.csv
secrets = 60
[defense noise]
plugin = random-rotation
noise = 0.2
[attack smoker]
plugin = attribute-inference
name = smoker
learner = ridge
grants = public; mechanism; key
"""


def people(sandbox, header="id,smoker,town,country", lines=None):
    """Smokers by the first number, three towns by the second; the fourth column says nothing."""
    rng = random.Random(5)
    rows = [[rng.gauss(0, 1) for _ in range(COLS)] for _ in range(N_PRIVATE + N_PUBLIC)]
    sandbox.write("people.npy", data.npy_bytes(rows))
    towns = ['"Bern, old"' if row[1] < -0.5 else "Ulm" if row[1] < 0.5 else "Graz" for row in rows]
    table = [f"{i},{'yes' if row[0] > 0 else 'no'},{towns[i]},CH" for i, row in enumerate(rows)]
    sandbox.write("people.csv", "\n".join([header] + (lines(table) if lines else table)) + "\n")


def run(sandbox, text, code=0):
    sandbox.write("a.scenario", text)
    shutil.rmtree(sandbox.path / "out", ignore_errors=True)
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, code)
    if not (sandbox.path / "out" / "results.json").exists():
        return result, {}
    return result, {cell["attack"]["label"]: cell
                    for cell in json.loads(sandbox.read("out/results.json"))["cells"]}


def measured(cell, name):
    return next((value["estimate"] for value in cell["measurements"] if value["measure"] == name),
                None)


def test_attributes_of_a_file_are_inferred_by_name(sandbox):
    people(sandbox)
    text = SCENARIO + ("[attack town]\nplugin = attribute-inference\nlearner = ridge\nname = town\n"
                       "grants = public; mechanism; key\n"
                       "[attack second]\nplugin = attribute-inference\nlearner = ridge\nattribute = column\n"
                       "column = 2\ngrants = public; mechanism; key\n")
    _, cells = run(sandbox, text)
    assert measured(cells["smoker"], "attribute-accuracy") > 0.85
    assert measured(cells["smoker"], "attribute-excess") > 0.7
    assert measured(cells["town"], "attribute-accuracy") > 0.6
    assert measured(cells["town"], "attribute-baseline") < 0.5
    assert measured(cells["second"], "attribute-auc") == measured(cells["town"], "attribute-auc")


def test_attributes_of_a_truth_folder(sandbox):
    people(sandbox)
    sandbox.expect(sandbox.assay("protect", "--defense", "none", "--secrets", "people.npy[0:60]",
                                 "--release", "r", "--truth", "t"), 0)
    lines = sandbox.read("people.csv").splitlines()
    sandbox.write("own.csv", "\n".join(lines[:61]) + "\n")
    text = (SCENARIO.replace("plugin = vectors\nprivate = people.npy[0:60]",
                             "plugin = truth-folder\nfolder = t")
            .replace("attributes = people.csv\npublic_", "attributes = own.csv\npublic_"))
    _, cells = run(sandbox, text)
    assert measured(cells["smoker"], "attribute-accuracy") > 0.85


def test_numbers_of_an_array_and_labels_of_public_rows(sandbox):
    people(sandbox)
    rng = random.Random(5)
    rows = [[rng.gauss(0, 1) for _ in range(COLS)] for _ in range(N_PRIVATE + N_PUBLIC)]
    sandbox.write("codes.npy", data.npy_bytes([[7 if row[0] > 0 else 3, 1] for row in rows]))
    sandbox.write("labels.npy", data.npy_bytes([[int(row[1] > 0)] for row in rows]))
    text = (SCENARIO.replace("people.csv", "codes.npy").replace("name = smoker", "name = 0")
            .replace("secrets = 60", "labels = labels.npy[0:60]\n"
                     "public_labels = labels.npy[60:360]\nsecrets = 60"))
    _, cells = run(sandbox, text + "[attack label]\nplugin = attribute-inference\nlearner = ridge\n"
                   "grants = public; mechanism; key\n")
    assert measured(cells["smoker"], "attribute-accuracy") > 0.85
    assert measured(cells["label"], "attribute-accuracy") > 0.85


# What of the table or the scenario is wrong, and what is said.
BAD = {
    "fewer lines": (dict(lines=lambda table: table[:-3]), None,
                    "people.csv: has 357 rows; expected 360, one for each row of "),
    "a line with fewer fields": (dict(lines=lambda table: table[:4] + ["1,yes"] + table[5:]), None,
                                 "people.csv: line 6: has 2 fields; expected 4 as in the header"),
    "an empty value": (dict(lines=lambda table: table[:4] + ["4,,Ulm,CH"] + table[5:]), None,
                       "people.csv: line 6: the value of column 'smoker' is empty"),
    "a name twice": (dict(header="id,smoker,town,town"), None, "column 'town' stands there twice"),
    "no such name": ({}, ("name = smoker", "name = smokr"),
                     "name = smokr: there is no such attribute (did you mean 'smoker'?); expected one of "
                     "id, smoker, town, country"),
    "an identity": ({}, ("name = smoker", "name = id"),
                    "the attribute has 360 values in 300 rows to learn from; expected categories"),
    "one class": ({}, ("name = smoker", "name = country"),
                  "the attribute has the value 0 in all 300 rows to learn from"),
    "no table of public rows": ({}, ("public_attributes = people.csv\n", ""),
                                "further attributes of the public rows "
                                "(public_attributes)"),
    "no such file": ({}, ("\nattributes = people.csv", "\nattributes = nobody.csv"),
                     "attributes: nobody.csv"),
    "another format": ({}, ("\nattributes = people.csv", "\nattributes = people.txt"),
                       "people.txt"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_attributes(sandbox, what):
    table, change, says = BAD[what]
    people(sandbox, **table)
    sandbox.write("people.txt", "smoker\nyes\n")
    text = SCENARIO.replace(*change) if change else SCENARIO
    sandbox.write("a.scenario", text)
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    assert result.code in (2, 3), result
    assert says in result.err + result.out, result


def test_an_attribute_that_is_constant_among_the_secrets_has_no_excess(sandbox):
    """All private people smoke: others' guesses say nothing about them."""
    people(sandbox, lines=lambda table: [line.replace(",no,", ",yes,") for line in table[:60]]
           + table[60:])
    result, cells = run(sandbox, SCENARIO)
    assert measured(cells["smoker"], "attribute-excess") is None
    assert "has the value 1 in all 60 secrets" in sandbox.read("out/results.json")


# ---- Who was released, and who is in two releases ----

MADE = """[scenario]
title = T
seed = 3
[dataset]
plugin = gaussian-classes
columns = 8
rank = 4
count = 200
public_count = 300
test_count = 1
secrets = 60
[defense rotation]
plugin = random-rotation
"""


def test_two_releases_under_different_keys_are_linked(sandbox):
    text = MADE + ("[attack cross]\nplugin = cross-linkage\ngrants = public; mechanism\n"
                   "mechanism_runs = 10\n[claim unlinkable]\nsays = S\nmeasure = linkability\n"
                   "at-most = 0.2\n")
    result, cells = run(sandbox, text, 1)
    assert measured(cells["cross"], "cross-auc") > 0.95
    assert measured(cells["cross"], "linkability") > 0.8
    assert cells["cross"]["message"].startswith("links by axes"), cells["cross"]["message"]
    assert "violated: claim unlinkable" in result.out
    first = sandbox.read("out/results.json")
    shutil.rmtree(sandbox.path / "out")
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out", "--workers", "2"), 1)
    assert sandbox.read("out/results.json") == first


def test_a_key_that_is_granted_leaves_nothing_to_link(sandbox):
    result, cells = run(sandbox, MADE + "[attack cross]\nplugin = cross-linkage\n"
                        "grants = public; mechanism; key\n", 3)
    assert "the second release has a key of its own" in cells["cross"]["message"]


MEMBER = ("[attack member]\nplugin = membership\ngrants = public; mechanism; key\n"
          "mechanism_runs = 16\n")


def test_members_of_a_release_are_told(sandbox):
    result, cells = run(sandbox, MADE.replace("random-rotation", "none") + MEMBER)
    assert measured(cells["member"], "member-auc") > 0.95
    assert measured(cells["member"], "member-true-positives-at-1-percent") is None  # of 60 records
    assert cells["member"]["message"].startswith("by sign = nearest of 16 runs: expected area ")
    # The ROC curve has the rates that 30 others or more can have.
    figure = sandbox.read("out/plots/roc-of-members.csv").splitlines()
    assert figure[0].startswith("line,false positives,true positives,true positives.lower"), figure
    assert [(line.split(",")[1], float(line.split(",")[2])) for line in figure[1:]] == [
        (rate, measured(cells["member"], f"member-true-positives-at-{name}-percent"))
        for rate, name in (("0.03", 3), ("0.1", 10), ("0.3", 30))] + [
            (rate, float(rate)) for rate in ("0.03", "0.1", "0.3")], figure
    assert [line.split(",")[7] for line in figure[4:]] == ["by chance"] * 3, figure


def test_controls_and_baselines_are_lines_beside_hits(sandbox):
    """Of the measure that is called alike; they have no plots of their own."""
    swept = MADE.replace("random-rotation", "random-rotation\nnoise = 0.1; 0.3; 1")
    _, cells = run(sandbox, swept + MEMBER)
    plots = sorted(path.name for path in (sandbox.path / "out/plots").glob("*.csv"))
    assert "member-hits-over-noise.csv" in plots, plots
    assert not [name for name in plots if "baseline" in name or "control" in name], plots
    text = sandbox.read("out/plots/member-hits-over-noise.csv")
    rows = [line.split(",") for line in text.splitlines()]
    drawn = {}
    for row in rows[1:]:
        drawn.setdefault(row[rows[0].index("name")], []).append(float(row[2]))
    assert list(drawn) == ["rotation", "rotation (baseline)", "rotation (control)"], drawn
    assert drawn["rotation (baseline)"] == [0.5, 0.5, 0.5]
    for hit, control in zip(drawn["rotation"], drawn["rotation (control)"]):
        assert abs(hit + control - 1) < 1e-9, drawn


def test_members_need_others(sandbox):
    """Said when the scenario is loaded: all 200 are released."""
    sandbox.write("a.scenario", MADE.replace("secrets = 60", "secrets = 200") + MEMBER)
    for command in (["check"], ["run", "--out", "out"]):
        result = sandbox.assay(command[0], "a.scenario", *command[1:])
        sandbox.expect(result, 2)
        assert ("plays member, which asks for records that were not released, and all 200 secrets "
                "of the dataset are" in result.err), result


COUNTED = MADE.replace("plugin = random-rotation", "plugin = exec\ncommand = {command}\nconfine = never")
RUNS = 8
ASKING = {
    "first": "plugin = membership\nsign = best\n", "second": "plugin = membership\nsign = nearest\n",
    "third": "plugin = cross-linkage\nview = numbers\n",
    "fourth": "plugin = cross-linkage\nview = best\n",
    # Others are granted more, and see more of the same runs.
    "fifth": "plugin = membership\nsign = best\nmore = other-releases\n",
    "sixth": "plugin = learned-inversion\n",
    "seventh": "plugin = learned-inversion\nmore = other-releases\n",
}


def asking(*names):
    text = ""
    for name in names:
        plain = ASKING[name]
        more = "; other-releases" if "more" in plain else ""
        text += (f"[attack {name}]\n{plain.replace('more = other-releases', '')}"
                 f"grants = public; mechanism{more}\nmechanism_runs = {RUNS}\n")
    return text


def test_runs_are_made_once_for_all_attacks_of_a_defense(sandbox):
    """What each finds is what it finds alone."""
    counted = sandbox.path / "counted"
    command = program(sandbox, "mine.py", f"open({str(counted)!r}, 'a').write('.')\n"
                      "rows = array.array('f', (x + rng.gauss(0, .5) for x in rows))")

    def played(*names):
        counted.write_text("")
        _, cells = run(sandbox, COUNTED.format(command=command) + asking(*names))
        assert all(cell["status"] == "ok" for cell in cells.values()), cells
        return len(counted.read_text()), cells

    # Those that come second where all are played, and find their runs made.
    alone = {name: played(name) for name in ("second", "fourth")}
    pairs = 300 // 60
    # Beside the release under attack, which is made twice to see whether it repeats; of
    # cross-linkage there is a second one.
    assert {name: runs for name, (runs, _) in alone.items()} == {
        "second": 2 + RUNS, "fourth": 3 + RUNS}
    runs, together = played(*ASKING)
    assert runs == 3 + 2 * RUNS + pairs
    for name, (_, cells) in alone.items():
        assert together[name]["message"] == cells[name]["message"]
        assert together[name]["measurements"] == cells[name]["measurements"], name
