"""The JSON Schemas of share/ against what the program writes, and against what it never would."""

import copy
import json

import pytest

import test_epsilon
import test_pictures
import test_steps
import tiny
from places import SOURCE
from test_html import CLAIMS

jsonschema = pytest.importorskip("jsonschema")

DELETED = (("claims", 0, "verdict"), ("cells", 0, "measurements", 0, "lower"), ("scenario", "seed"))
CHANGED = ((("format",), "assay-results/2"), (("claims", 0, "verdict"), "passed"),
           (("claims", 0, "p_value"), "0.1"), (("cells", 0, "status"), "fine"),
           (("cells", 0, "unknown"), 1), (("claims", 0, "hypotheses", 0, "p_upheld"), 1.5))


def validator(name):
    schema = json.loads((SOURCE / "share" / f"assay-{name}-1.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def check(name, record):
    wrong = [f"{list(one.absolute_path)}: {one.message[:200]}"
             for one in validator(name).iter_errors(record)]
    assert not wrong, wrong


def results(sandbox, text, codes):
    sandbox.write("a.scenario", text)
    result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    assert result.code in codes, result
    return json.loads(sandbox.read("out/results.json"))


def inner(record, path):
    for step in path[:-1]:
        record = record[step]
    return record


def test_results(sandbox):
    tiny.write(sandbox, tiny.SCENARIO + CLAIMS)
    record = results(sandbox, tiny.SCENARIO + CLAIMS, (1,))
    check("results", record)
    schema = validator("results")
    for path in DELETED:
        broken = copy.deepcopy(record)
        del inner(broken, path)[path[-1]]
        assert not schema.is_valid(broken), f"{path} may be missing"
    for path, value in CHANGED:
        broken = copy.deepcopy(record)
        inner(broken, path)[path[-1]] = value
        assert not schema.is_valid(broken), f"{path} may be {value}"


def test_results_of_audits(sandbox):
    text = test_epsilon.HEAD.replace("20000", "2000").replace("10000", "1000")
    record = results(sandbox, text + test_epsilon.RIGHT + test_epsilon.CLAIM, (0, 3))
    assert any("audit" in cell for cell in record["cells"]), "no audit"
    check("results", record)


def test_release(sandbox):
    tiny.write(sandbox, tiny.SCENARIO)
    test_steps.protect(sandbox, "--set", "dimension=2")
    record = json.loads(sandbox.read("release/release.json"))
    check("release", record)
    for key, value in (("kind", "vector"), ("format", "assay-release/2"), ("arrays", {}),
                       ("more", 1)):
        assert not validator("release").is_valid({**record, key: value}), f"{key} may be {value}"


def refused(name, record, *changes):
    """None of the changes passes: (member, value), or a member alone that is taken away."""
    for path, *value in changes:
        broken = copy.deepcopy(record)
        if value:
            inner(broken, path)[path[-1]] = value[0]
        else:
            del inner(broken, path)[path[-1]]
        assert not validator(name).is_valid(broken), f"{path}: {value}"


def test_truth_and_guess(sandbox):
    tiny.write(sandbox, tiny.SCENARIO)
    test_steps.protect(sandbox, "--set", "dimension=2")
    test_steps.attack(sandbox, "database", "--database", "database.fvecs", "--set", "neighbours=40")
    truth = json.loads(sandbox.read("truth/truth.json"))
    check("truth", truth)
    refused("truth", truth, (("format",), "assay-truth/2"), (("arrays",), {}), (("arrays",),),
            (("arrays", "secrets", "file"), "../secrets.npy"), (("arrays", "secrets", "file"),))
    guess = json.loads(sandbox.read("guess/guess.json"))
    check("guess", guess)
    check("guess", {**guess, "unordered": True, "says": "by hand", "confidence": 0.5})
    refused("guess", guess, (("format",), "assay-release/1"), (("arrays",), {}),
            (("unordered",), "yes"), (("says",), "two\nlines"), (("says",), "x" * 2000),
            (("confidence",), 1.5))


def test_run_and_pictures(sandbox):
    sandbox.write("faces.scenario", test_pictures.FACES)
    sandbox.run_ok("faces.scenario", "--out", "out", "--quiet")
    legend = json.loads(sandbox.read("out/pictures/faces.json"))
    check("pictures", legend)
    refused("pictures", legend, (("columns", 0, "role"), "shown"), (("columns", 1, "defense"),),
            (("columns", 2, "cell"), "first"), (("columns", 2, "status"), "fine"),
            (("columns", 0, "attack"), {}), (("rows", 0, "y"), -1), (("rows",), []))
    run = json.loads(sandbox.read("out/run.json"))
    check("run", run)
    refused("run", run, (("start",), "yesterday"), (("threads",), 0), (("seconds", "first"), 1),
            (("machine", "name"), "ours"), (("libraries", "blas"),))
