"""Models that users train together: what one update tells, and what is refused."""

import json
import shutil

import pytest

SCENARIO = """[scenario]
title = T
seed = 3
[dataset]
plugin = gaussian-classes
count = 60
public_count = 200
columns = 24
classes = 6
secrets = 30
[defense average]
plugin = average
users = {users}
trainer = step
{defense}
[attack leak]
plugin = update-leak
grants = {grants}
"""


def run(sandbox, defense="", grants="messages", code=0, users=30):
    sandbox.write("a.scenario", SCENARIO.format(defense=defense, grants=grants, users=users))
    shutil.rmtree(sandbox.path / "out", ignore_errors=True)
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, code)
    return result


def measured(sandbox, cell=0):
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    return {value["metric"]: value["estimate"] for value in cells[cell]["measurements"]}


def test_one_update_gives_its_sample(sandbox):
    run(sandbox, "loss = hinge; logistic")
    for cell in 0, 1:
        found = measured(sandbox, cell)
        assert found["sample-recovery-rate"] == 1
        assert found["sample-error-median"] < 1e-4
        assert found["sample-identification-rate"] == 1
        assert found["sample-label-rate"] == 1


def test_several_local_steps_give_the_sample_as_one_does(sandbox):
    run(sandbox, "local_steps = 4\nrate = 1e-4")
    assert measured(sandbox)["sample-recovery-rate"] >= 0.9


def test_a_batch_gives_a_blend(sandbox):
    run(sandbox, "batch = 0", users=3)
    found = measured(sandbox)
    assert found["sample-recovery-rate"] < 0.2
    # Three messages can name three of thirty samples at most.
    assert found["sample-identification-rate"] <= 0.1


def test_sparse_updates_tell_some_columns(sandbox):
    run(sandbox, "sparsity = 0.9")
    found = measured(sandbox)
    assert 0.2 < found["sample-columns"] < 0.95
    assert found["sample-identification-rate"] > 0.9


def test_messages_must_be_granted(sandbox):
    result = run(sandbox, grants="aggregator", code=2)
    assert "needs the grant 'messages'" in result.err
    run(sandbox, grants="messages; no-parameters", code=3)
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    assert "no-parameters" in cells[0]["message"]


def test_users_need_samples_and_labels(sandbox):
    result = run(sandbox, users=31, code=2)
    assert "users = 31" in result.err
    assert "expected at most as many as there are secrets, 30" in result.err


def test_a_release_is_read_back_and_checked(sandbox):
    """Steps by hand: protect, attack, measure; and releases that cannot be."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(1)
    np.save(sandbox.path / "secrets.npy", rng.normal(size=(12, 8)).astype(np.float32))
    np.save(sandbox.path / "labels.npy", np.arange(12) % 3)
    sandbox.expect(sandbox.assay(
        "protect", "--defense", "average", "--set", "users=12", "--set", "trainer=step", "--set",
        "start=zero", "--set", "standardise=no", "--secrets", "secrets.npy", "--labels",
        "labels.npy", "--release", "release", "--truth", "truth"), 0)
    sandbox.expect(sandbox.assay("attack", "--attack", "update-leak", "--release", "release",
                                 "--guess", "guess"), 0)
    guess = np.load(sandbox.path / "guess/estimates.npy")
    users = np.load(sandbox.path / "truth/users.npy")
    of_users = np.load(sandbox.path / "guess/of-users.npy")
    secrets = np.load(sandbox.path / "secrets.npy")
    for row, user in zip(guess, of_users):
        assert np.abs(row - secrets[users == user][0]).max() < 1e-3
    # The mean of what users sent is the next model.
    models = np.load(sandbox.path / "release/models.npy")
    locals_ = np.load(sandbox.path / "release/locals.npy")
    assert np.abs(models[1] - locals_.mean(axis=0)).max() < 1e-6
    np.save(sandbox.path / "release/locals.npy", locals_[:11])
    result = sandbox.assay("attack", "--attack", "update-leak", "--release", "release", "--guess",
                           "other")
    sandbox.expect(result, 2)
    assert "locals has 11 rows; expected 12" in result.err


ENCRYPTED = """[scenario]
title = T
seed = 3
[dataset]
plugin = gaussian-classes
count = 60
public_count = 200
columns = 24
classes = 10
secrets = 20
[defense encrypted]
plugin = {plugin}
users = {users}
steps = 4
trainer = step
loss = logistic
[attack sums]
plugin = sum-unmix
[attack messages]
plugin = update-leak
grants = messages
"""


@pytest.mark.parametrize("plugin", ["dphe", "dphe\npacking = yes", "secure-sum"])
def test_encryption_hides_messages_and_not_their_sum(sandbox, plugin):
    sandbox.write("a.scenario", ENCRYPTED.format(users=5, plugin=plugin))
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 3)
    cells = {cell["attack"]["label"]: cell
             for cell in json.loads(sandbox.read("out/results.json"))["cells"]}
    found = {value["metric"]: value["estimate"] for value in cells["sums"]["measurements"]}
    assert found["sample-recovery-rate"] > 0.6
    assert "no messages in clear" in cells["messages"]["message"]


def test_sums_of_two_are_refused(sandbox):
    sandbox.write("a.scenario", ENCRYPTED.format(users=2, plugin="dphe"))
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, 2)
    assert "users = 2: expected 3 or more" in result.err


def test_the_decrypted_mean_is_the_mean(sandbox):
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(1)
    np.save(sandbox.path / "secrets.npy", rng.normal(size=(12, 8)).astype(np.float32))
    np.save(sandbox.path / "labels.npy", np.arange(12) % 3)
    for defense in "average", "dphe":
        sandbox.expect(sandbox.assay(
            "protect", "--defense", defense, "--set", "users=4", "--set", "start=zero", "--set",
            "standardise=no", "--secrets", "secrets.npy", "--labels", "labels.npy", "--seed", "5",
            "--release", defense, "--truth", defense + "-truth"), 0)
    plain = np.load(sandbox.path / "average/models.npy")
    decrypted = np.load(sandbox.path / "dphe/models.npy")
    locals_ = np.load(sandbox.path / "dphe-truth/updates.npy")
    assert not (sandbox.path / "dphe/locals.npy").exists()
    assert np.abs(decrypted[1] - locals_.mean(axis=0)).max() < 1e-7
    assert decrypted.shape == plain.shape and np.abs(plain[1]).max() > 0
