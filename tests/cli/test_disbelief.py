"""Attacks that do not believe the audited party: what a vendor could say or do to a release, or to
the database that it grants, so that the attacks fail."""

import json
import random

import pytest

import data

COLS = 24
LIFT = ("--defense", "affine-lifting", "--set", "dimension=4", "--seed", "5")
DATABASE = ("--attack", "database", "--set", "neighbours=15", "--set", "averaged=3")


def write_rows(sandbox):
    """Six database rows and a secret beside each of 60 points that have nothing in common."""
    draw = random.Random(4)
    centres = data.make_scattered_rows(60, COLS, 3)
    near = [[value + draw.uniform(-0.2, 0.2) for value in centre]
            for centre in centres for _ in range(6)]
    secrets = [[value + draw.uniform(-0.2, 0.2) for value in centre] for centre in centres]
    sandbox.write("database.npy", data.npy_bytes(near))
    sandbox.write("secrets.npy", data.npy_bytes(secrets))
    return near


def lift(sandbox, database="database.npy", settings=()):
    sandbox.shell("rm -rf release truth")
    sandbox.expect(sandbox.assay("protect", *LIFT, *settings, "--secrets", "secrets.npy",
                                 "--database", database, "--release", "release", "--truth",
                                 "truth"))


def recover(sandbox, database="database.npy"):
    """The share of secrets that `database` recovers, and what it says."""
    sandbox.shell("rm -rf guess")
    sandbox.expect(sandbox.assay("attack", *DATABASE, "--release", "release", "--database",
                                 database, "--guess", "guess"))
    result = sandbox.assay("measure", "--truth", "truth", "--guess", "guess", "--metric",
                           "recovery-rate", "--json")
    sandbox.expect(result)
    return (json.loads(result.out)[0]["estimate"],
            json.loads(sandbox.read("guess/guess.json")).get("says", ""))


def edit_release(sandbox, edit):
    path = sandbox.path / "release" / "release.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    edit(record)
    path.write_text(json.dumps(record), encoding="utf-8")


@pytest.mark.parametrize("dimension, said", ((2, "random"), (2, "adversarial"), (4, "random"),
                                             (4, "adversarial"), (4, None)))
def test_what_the_release_says_of_its_variant(sandbox, dimension, said):
    """The same arrays under another label: the guess is the same to the bit."""
    write_rows(sandbox)
    lift(sandbox, settings=("--set", f"dimension={dimension}"))
    honest, _ = recover(sandbox)
    guess = (sandbox.path / "guess" / "estimates.npy").read_bytes()
    edit_release(sandbox, lambda record: record.update(
        parameters={} if said is None else {"variant": said}))
    rate, says = recover(sandbox)
    assert (sandbox.path / "guess" / "estimates.npy").read_bytes() == guess
    assert honest == rate > 0.8
    assert (said is None) == (says == ""), says


def test_a_variant_that_does_not_exist(sandbox):
    write_rows(sandbox)
    lift(sandbox)
    edit_release(sandbox, lambda record: record["parameters"].update(variant="hybird"))
    sandbox.refuses(sandbox.assay("attack", *DATABASE, "--release", "release", "--database",
                                  "database.npy", "--guess", "guess"),
                    "release: release.json: parameters: variant = 'hybird': expected one of "
                    "random, adversarial, hybrid, sub-hybrid (did you mean 'hybrid'?)")


def test_random_directions_through_secrets_of_the_database(sandbox):
    """The one row in each subspace is the secret then, though the label says that it is not."""
    write_rows(sandbox)
    (sandbox.path / "secrets.npy").write_bytes((sandbox.path / "database.npy").read_bytes())
    lift(sandbox, settings=("--set", "variant=random", "--set", "dimension=2"))
    edit_release(sandbox, lambda record: record.update(parameters={"variant": "hybrid"}))
    assert recover(sandbox)[0] == 1


@pytest.mark.parametrize("copies", (2, 40))
def test_copies_in_the_database(sandbox, copies):
    """As many as one likes, in the lifting or in what is granted alone."""
    near = write_rows(sandbox)
    sandbox.write("copies.npy", data.npy_bytes(near * copies))
    lift(sandbox)
    honest, _ = recover(sandbox)
    assert recover(sandbox, "copies.npy")[0] == honest > 0.8
    lift(sandbox, "copies.npy")
    assert recover(sandbox, "copies.npy")[0] > honest - 0.1


def test_another_database_than_the_one_of_the_lifting(sandbox):
    """Nothing of it lies in the subspaces: that the attack fails shows nothing."""
    write_rows(sandbox)
    sandbox.write("other.npy", data.npy_bytes(data.make_scattered_rows(300, COLS, 9)))
    lift(sandbox)
    _, says = recover(sandbox, "other.npy")
    assert says == ("the release says that each subspace holds 2 rows of the database; 0 are there, "
                    "so that it was lifted with another database than the one granted")
    assert json.loads(sandbox.read("guess/guess.json"))["confidence"] == 0
