"""Users whose updates are noisy: prr10-updates and ra12-updates, and what attacks make of them."""

import json
import shutil

import pytest

SCENARIO = """[scenario]
title = T
seed = 5
[dataset]
plugin = gaussian-classes
count = 60
public_count = 200
columns = 24
classes = 6
secrets = 30
[defense users]
plugin = {defense}
[attack a]
plugin = {attack}
"""


def cells(sandbox, defense, attack, code=0):
    sandbox.write("a.scenario", SCENARIO.format(defense=defense, attack=attack))
    shutil.rmtree(sandbox.path / "out", ignore_errors=True)
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, code)
    return result, json.loads(sandbox.read("out/results.json"))["cells"]


def measured(sandbox, defense, attack):
    _, found = cells(sandbox, defense, attack)
    return {value["measure"]: value["estimate"] for value in found[0]["measurements"]}


READ = "read-messages\ngrants = messages"
LEAK = "update-leak\ngrants = messages"
ONE_ROW = "ra12-updates\npublic_rows = no\nusers = 30\nsteps = 1\nrate = 0.1\n"


def test_messages_in_clear_are_read(sandbox):
    found = measured(sandbox, "average\nusers = 5", READ)
    assert found["weight-claims-right"] == 1
    assert found["weights-found"] == 1
    assert found["user-claims-right"] == 1


@pytest.mark.parametrize("noise, share", [("none", 1), ("both", 0)])
def test_noise_hides_what_is_sent(sandbox, noise, share):
    found = measured(sandbox, f"ra12-updates\nnoise = {noise}", READ)
    assert found["weights-found"] == pytest.approx(share, abs=1e-3)


def test_shortened_samples_are_identified_without_noise_alone(sandbox):
    found = measured(sandbox, ONE_ROW + "noise = none", LEAK)
    assert found["sample-identification-rate"] == 1
    assert found["sample-label-rate"] == 1
    assert 0.01 < found["sample-error-median"] < 0.3  # the length is lost, and the direction is not
    assert measured(sandbox, ONE_ROW, LEAK)["sample-identification-rate"] < 0.2


def test_what_nobody_sees_is_told_before_the_run(sandbox):
    sandbox.write("a.scenario", SCENARIO.format(defense="prr10-updates", attack=READ))
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, 2)
    assert "reads 'locals', which releases of defense 'prr10-updates' do not hold" in result.err


@pytest.mark.parametrize("defense, instead", [
    ("prr10-updates", "train to the optimum"),
    ("average\ntrainer = optimum\nloss = logistic\npenalty = 1\nmix = 0\nbatch = 0\nsteps = 1\n"
     "standardise = no", "train to the optimum (trainer = optimum)"),
    ("average\ntrainer = clusters\nbatch = 0\nbias = no",
     "send centroids of clusters (trainer = clusters)")])
def test_what_is_no_gradient_step_is_told_before_the_run(sandbox, defense, instead):
    sandbox.write("a.scenario", SCENARIO.format(defense=defense, attack="sum-unmix"))
    result = sandbox.assay("check", "a.scenario")
    sandbox.expect(result, 2)
    name = defense.split("\n", maxsplit=1)[0]
    assert (f"attack 'sum-unmix' reads gradient steps, and with defense '{name}' users {instead}"
            in result.err), str(result)


def test_who_names_nobody_is_right_about_nobody(sandbox):
    """Claims that name no user are left out of what is counted user by user; and where no weight is
    zero there are no supports to tell."""
    result, found = cells(sandbox, "average", "single-holder")
    metrics = {value["measure"] for value in found[0]["measurements"]}
    assert "user-claims-right" not in metrics and "weight-claims-right" in metrics, metrics
    assert "user-claims-right is left out: no claim names a user" in result.out, str(result)
    result, found = cells(sandbox, "average", "support-guess")
    assert "support-auc is left out: none of the weights of the updates are 0" in result.out, str(
        result)
    result, found = cells(sandbox, "average\npenalty = 1e5\nmix = 1", "support-guess")
    assert "support-auc is left out: all weights of the updates are 0" in result.out, str(result)


def test_a_user_subtracts_in_vain(sandbox):
    assert measured(sandbox, "prr10-updates", "subtract\ngrants = user")["weights-found"] == 0


CHEAT = "sum-of-one\ngrants = aggregator"


@pytest.mark.parametrize("defense, least, most", [
    ("dphe\nsparsity = 0.6\nusers = 5\ncheats = yes", 1, 1),
    ("dphe\npacking = yes\nusers = 5\ncheats = yes", 0.95, 1),
    ("dphe\nsparsity = 0.6\nusers = 5", 0, 0.5),
    ("secure-sum\nusers = 5\ncheats = yes", 0, 0)])
def test_an_aggregator_that_cheats_sees_one_user(sandbox, defense, least, most):
    """What is encrypted is decrypted for it; masks that cancel out do not let it."""
    assert least <= measured(sandbox, defense, CHEAT)["weight-claims-right"] <= most
