"""Public parameters of releases: what attacks know of a defense, and go without."""

import json

import tiny

SCENARIO = tiny.SCENARIO.replace("dimension = 2; 4", "dimension = 4\nvariant = adversarial").replace(
    "trials = 2", "trials = 1")
BLIND = SCENARIO.replace("grants = database\n", "grants = database; no-parameters\n")


def cells_of(sandbox, text, code=0):
    """The cells of `database` against the lifting, run in `out`."""
    tiny.write(sandbox, text)
    sandbox.shell("rm -rf out")
    sandbox.expect(sandbox.assay("run", "tiny.scenario", "--out", "out", "--quiet"), code)
    results = json.loads(sandbox.read("out/results.json"))
    return [cell for cell in results["cells"] if cell.get("attack", {}).get("label") == "database"]


def found(cell):
    return {record["measure"]: record["estimate"] for record in cell["measurements"]}


def edit_release(sandbox, **members):
    """release.json with other members; None: without it."""
    path = sandbox.path / "release" / "release.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record = {name: value for name, value in {**record, **members}.items() if value is not None}
    path.write_text(json.dumps(record), encoding="utf-8")


def attack(sandbox, *words):
    sandbox.shell("rm -rf guess")
    return sandbox.assay("attack", "--attack", "database", "--set", "neighbours=40", "--set",
                         "averaged=3", *words, "--release", "release", "--database",
                         "database.fvecs", "--guess", "guess")


def adversarial(sandbox):
    """How many rows the guess names in each subspace."""
    record = json.loads(sandbox.read("guess/guess.json"))
    return record["arrays"].get("adversarial", {"shape": [0, 0]})["shape"][1]


def test_what_is_withheld_is_counted_or_a_setting_of_the_attack(sandbox):
    """All rows of the basis are adversarial: found in the data, or told by the setting."""
    known, = cells_of(sandbox, SCENARIO)
    counted, = cells_of(sandbox, BLIND)
    told, = cells_of(sandbox, BLIND + "adversarial = all\n")
    assert known["attack"]["grants"] == ["database"]
    assert told["attack"]["grants"] == ["database", "no-parameters"]
    assert found(known) == found(counted) == found(told)
    assert found(known)["adversarial-found"] == 1


def test_the_release_that_is_seen_has_no_settings_and_no_parameters(sandbox):
    cell, = cells_of(sandbox, BLIND + "adversarial = all\n")
    sandbox.expect(sandbox.assay("export", "out", "--cell", cell["id"], "--to", "cell"))
    whole = json.loads(sandbox.read("cell/release/release.json"))
    seen = json.loads(sandbox.read("cell/seen/release.json"))
    assert whole["parameters"] == {"variant": "adversarial", "adversarial": 4}
    assert whole["settings"]["variant"] == "adversarial"
    assert seen["settings"] == {} and "parameters" not in seen
    assert whole["arrays"] == seen["arrays"]


def test_folders_say_them_and_are_checked(sandbox):
    tiny.write(sandbox)
    sandbox.expect(sandbox.assay("protect", "--defense", "affine-lifting", "--set", "dimension=4",
                                 "--set", "variant=adversarial", "--secrets", "private.fvecs",
                                 "--database", "database.fvecs", "--release", "release", "--truth",
                                 "truth"))
    sandbox.expect(attack(sandbox))
    assert adversarial(sandbox) == 4, "as the release says"
    guess = sandbox.read("guess/guess.json")
    assert '"says"' not in guess, "nothing contradicts it"
    # What it says of itself is not believed.
    for parameters, said in (({"variant": "random"}, "0 rows of the database; 4 are there"),
                             ({"adversarial": 2}, "2 rows of the database; 4 are there")):
        edit_release(sandbox, parameters=parameters)
        sandbox.expect(attack(sandbox))
        assert adversarial(sandbox) == 4, parameters
        guess = json.loads(sandbox.read("guess/guess.json"))
        assert guess["says"] == f"the release says that each subspace holds {said}", guess
        assert "confidence" not in guess
    edit_release(sandbox, parameters=None, settings={"variant": "random"})
    sandbox.expect(attack(sandbox))
    assert adversarial(sandbox) == 4, "counted where nothing is said"
    sandbox.expect(attack(sandbox, "--withhold-parameters"))
    assert adversarial(sandbox) == 4, "and where it is withheld"
    sandbox.expect(attack(sandbox, "--withhold-parameters", "--set", "adversarial=none"))
    assert adversarial(sandbox) == 0, "the setting"
    edit_release(sandbox, parameters={"adversarial": "4"})
    sandbox.refuses(attack(sandbox), "release: release.json: parameters: expected 'adversarial' to "
                                     "be a whole number")
    edit_release(sandbox, parameters={"adverserial": 4})
    sandbox.refuses(attack(sandbox), "release: release.json: parameters: unknown parameter "
                                     "'adverserial' (did you mean 'adversarial'?); releases of "
                                     "kind subspaces have variant, adversarial, sub_databases")
