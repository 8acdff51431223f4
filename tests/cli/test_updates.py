"""Models that users train together: what one update tells, and what is refused."""

import json
import re
import shutil
import subprocess

import pytest

from places import SOURCE

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
    return {value["measure"]: value["estimate"] for value in cells[cell]["measurements"]}


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


def test_averages_are_judged_as_numpy_does(sandbox):
    """Two samples a user: what the metric says of a guess, from its arrays."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(2)
    np.save(sandbox.path / "secrets.npy", rng.normal(size=(24, 6)).astype(np.float32))
    np.save(sandbox.path / "labels.npy", np.arange(24) % 8)
    sandbox.expect(sandbox.assay(
        "protect", "--defense", "average", "--set", "users=8", "--set", "trainer=step", "--set",
        "batch=2", "--set", "start=zero", "--set", "standardise=no", "--secrets", "secrets.npy",
        "--labels", "labels.npy", "--release", "release", "--truth", "truth"), 0)
    sandbox.expect(sandbox.assay("attack", "--attack", "update-average", "--release", "release",
                                 "--guess", "guess"), 0)
    result = sandbox.assay("measure", "--truth", "truth", "--guess", "guess", "--release",
                           "release", "--metric", "average-recovery", "--json")
    sandbox.expect(result, 0)
    found = {value["measure"]: value["estimate"] for value in json.loads(result.out)}
    secrets = np.load(sandbox.path / "secrets.npy").astype(float)
    users = np.load(sandbox.path / "truth/users.npy")
    steps = np.load(sandbox.path / "truth/steps.npy")
    guess = np.load(sandbox.path / "guess/estimates.npy").astype(float)
    rows = secrets / np.linalg.norm(secrets, axis=1)[:, None]
    firsts, cosines = [], []
    for estimate, user in zip(guess, np.load(sandbox.path / "guess/of-users.npy")):
        members = (users == user) & (steps == 0)
        assert members.sum() == 2
        firsts.append(members[(rows @ estimate).argmax()])
        mean = secrets[members].mean(axis=0)
        cosines.append(mean @ estimate / np.linalg.norm(mean) / np.linalg.norm(estimate))
    assert found["average-member-rate"] == pytest.approx(np.mean(firsts))
    assert found["average-cosine"] == pytest.approx(np.mean(cosines), abs=1e-5)
    assert found["average-member-chance"] == pytest.approx(2 / 24)
    # Two samples have two classes of eight at most; with all margins missed the blend is exact.
    assert np.mean(cosines) > 0.999


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


PICTURES = """[scenario]
title = T
seed = 3
[dataset]
plugin = shapes
public = digits
public_images = 800
size = 16
secrets = 40
[defense sparse]
plugin = average
users = {users}
trainer = step
batch = {batch}
start = zero
sparsity = 0.84
[attack leak]
plugin = update-leak
grants = messages
[attack inversion]
plugin = image-inversion
grants = messages; public
method = ridge; nearest
[metric image-recovery]
[pictures inverted]
count = 3
"""


def test_hidden_pixels_follow_from_public_pictures(sandbox):
    sandbox.write("a.scenario", PICTURES.format(users=40, batch=1))
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 0)
    found = [measured(sandbox, cell) for cell in range(3)]
    assert found[1]["image-correlation"] > found[0]["image-correlation"] + 0.05, found
    assert found[1]["image-correlation"] > found[1]["image-correlation-chance"] + 0.1, found
    assert found[1]["sample-columns"] == found[0]["sample-columns"] < 0.5
    assert (sandbox.path / "out/pictures/inverted.png").stat().st_size > 1000
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    assert {cell["status"] for cell in cells} == {"ok"}, cells
    # Of two pictures in a message there is no estimate, and no picture.
    sandbox.write("a.scenario", PICTURES.format(users=20, batch=2))
    shutil.rmtree(sandbox.path / "out")
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 0)
    for cell in 1, 2:
        assert abs(measured(sandbox, cell)["image-correlation"]) < 1e-6


def test_pictures_need_public_ones(sandbox):
    sandbox.write("a.scenario", PICTURES.format(users=40, batch=1).replace(
        "messages; public", "messages"))
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, 2)
    assert "needs the grant 'public'" in result.err


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
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    # Who would read messages is told before the run that there are none in clear.
    name = plugin.split()[0]
    sandbox.expect(result, 2)
    assert (f"attack 'update-leak' reads 'locals', which releases of defense '{name}' do not hold "
            "with these settings") in " ".join(result.err.split())
    sandbox.write("a.scenario", ENCRYPTED.format(users=5, plugin=plugin)
                  + "[defense plain]\nplugin = average\nusers = 5\nsteps = 4\n")
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, 0)
    results = json.loads(sandbox.read("out/results.json"))
    cells = {cell["attack"]["label"]: cell for cell in results["cells"]
             if cell["defense"]["label"] == "encrypted"}
    assert set(cells) == {"sums"}
    found = {value["measure"]: value["estimate"] for value in cells["sums"]["measurements"]}
    assert found["sample-recovery-rate"] > 0.6


def test_samples_of_one_sum_are_one_group(sandbox):
    """Two trials of four sums: eight groups. Samples of messages stay independent."""
    sandbox.write("a.scenario", ENCRYPTED.format(users=5, plugin="average").replace(
        "seed = 3", "seed = 3\ntrials = 2"))
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 0)
    for pooled in json.loads(sandbox.read("out/results.json"))["pooled"]:
        [found] = [value for value in pooled["measurements"]
                   if value["measure"] == "sample-recovery-rate"]
        assert found["n"] == 40
        assert found.get("groups") == (8 if pooled["attack"]["label"] == "sums" else None)


def test_packed_updates_have_no_supports_to_attack(sandbox):
    sandbox.write("a.scenario", ENCRYPTED.format(users=5, plugin="dphe\npacking = no; yes").replace(
        "update-leak\ngrants = messages", "support-leak\ngrants = user; messages").replace(
            "trainer = step", "trainer = step\nsparsity = 0.8"))
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 0)
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    played = [(cell["defense"]["settings"]["packing"], cell["attack"]["label"]) for cell in cells]
    assert (False, "messages") in played and (True, "messages") not in played, played


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


def test_users_are_judged_as_numpy_does(sandbox):
    """Claims that name users at random, and supports by the sum, user by user."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(4)
    np.save(sandbox.path / "secrets.npy", rng.normal(size=(40, 30)).astype(np.float32))
    np.save(sandbox.path / "labels.npy", np.arange(40) % 3)
    sandbox.expect(sandbox.assay(
        "protect", "--defense", "average", "--set", "users=4", "--set", "steps=3", "--set",
        "sparsity=0.7", "--set", "start=zero", "--set", "standardise=no", "--secrets",
        "secrets.npy", "--labels", "labels.npy", "--release", "release", "--truth", "truth"), 0)
    updates = np.load(sandbox.path / "truth/updates.npy").reshape(3, 4, -1)
    held = updates != 0

    def measured_by(attack, metric, *settings):
        sandbox.expect(sandbox.assay("attack", "--attack", attack, *settings, "--release",
                                     "release", "--guess", attack), 0)
        result = sandbox.assay("measure", "--truth", "truth", "--guess", attack, "--release",
                               "release", "--metric", metric, "--json")
        sandbox.expect(result, 0)
        return {value["measure"]: value["estimate"] for value in json.loads(result.out)}

    found = measured_by("single-holder", "user-recovery", "--set", "names=yes")
    claims = np.load(sandbox.path / "single-holder/weight-claims.npy")
    values = np.load(sandbox.path / "single-holder/claimed-values.npy")
    right = np.isclose(updates[tuple(claims.T)], values, rtol=1e-4) & held[tuple(claims.T)]
    users = claims[:, 1]
    assert 0.05 < right.mean() < 0.5 and set(users) == {0, 1, 2, 3}
    assert found["user-claims-right"] == pytest.approx(
        np.mean([right[users == user].mean() for user in range(4)]))
    assert found["user-weights-found"] == pytest.approx(
        np.mean([right[users == user].sum() / held[:, user].sum() for user in range(4)]))

    found = measured_by("support-guess", "user-supports")
    sums = np.abs(updates.sum(axis=1))
    areas = []
    for user in range(4):
        yes, no = sums[held[:, user]], sums[~held[:, user]]
        areas.append((yes[:, None] > no).mean() + (yes[:, None] == no).mean() / 2)
    assert found["user-support-auc"] == pytest.approx(np.mean(areas), abs=1e-3)


OVERLAPS = """[scenario]
title = T
seed = 3
[dataset]
plugin = gaussian-classes
count = 60
public_count = 200
columns = 24
classes = 10
secrets = 60
[defense open]
plugin = dphe
sparsity = 0.8
steps = 3
padding = none; random
[attack aggregator]
plugin = overlap
grants = aggregator; messages
[attack interceptor]
plugin = overlap
grants = messages
"""


def test_permutations_do_not_hide_what_users_have_in_common(sandbox):
    """The aggregator counts it exactly, but for padding; without the users' own permutations chance
    decides."""
    sandbox.write("a.scenario", OVERLAPS)
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 0)
    found = {}
    for cell in json.loads(sandbox.read("out/results.json"))["cells"]:
        key = cell["defense"]["settings"]["padding"], cell["attack"]["label"]
        found[key] = {value["measure"]: value["estimate"] for value in cell["measurements"]}
    assert found["none", "aggregator"]["overlap-exact-rate"] == 1
    assert found["none", "aggregator"]["overlap-error"] == 0
    assert found["none", "interceptor"]["overlap-exact-rate"] < 0.5
    assert found["random", "aggregator"]["overlap-exact-rate"] < 1
    assert 0 < found["random", "aggregator"]["overlap-error"] < 1


READERS = {
    "average": ("update-leak", "update-average", "sum-unmix", "single-holder", "subtract",
                "support-guess"),
    "dphe": ("sum-unmix", "single-holder", "subtract", "support-guess", "support-leak",
             "permutation-match", "overlap"),
}


def protected(sandbox, defense, *settings, code=0, rows=12, columns=8):
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(1)
    np.save(sandbox.path / "secrets.npy", rng.normal(size=(rows, columns)).astype(np.float32))
    np.save(sandbox.path / "labels.npy", np.arange(rows) % 3)
    words = [word for setting in ("start=zero", "standardise=no", *settings)
             for word in ("--set", setting)]
    return sandbox.expect(sandbox.assay(
        "protect", "--defense", defense, *words, "--secrets", "secrets.npy", "--labels",
        "labels.npy", "--release", "release", "--truth", "truth"), code)


def attacked(sandbox, attack, code=0):
    shutil.rmtree(sandbox.path / "guess", ignore_errors=True)
    return sandbox.expect(sandbox.assay("attack", "--attack", attack, "--release", "release",
                                        "--guess", "guess"), code)


@pytest.mark.parametrize("defense", READERS)
def test_updates_that_are_all_zero_tell_nothing(sandbox, defense):
    """Empty supports: every attack ends, and none claims a weight."""
    np = pytest.importorskip("numpy")
    more = ["padding=none"] if defense == "dphe" else []
    protected(sandbox, defense, "users=4", "steps=2", "penalty=1e5", "rate=1", *more)
    assert not np.load(sandbox.path / "release/models.npy").any()
    for attack in READERS[defense]:
        attacked(sandbox, attack)
        if (sandbox.path / "guess/weight-claims.npy").exists():
            assert np.load(sandbox.path / "guess/weight-claims.npy").shape[0] == 0, attack
        if (sandbox.path / "guess/known-columns.npy").exists():
            assert not np.load(sandbox.path / "guess/known-columns.npy").any(), attack
        if (sandbox.path / "guess/support-overlaps.npy").exists():
            assert not np.load(sandbox.path / "guess/support-overlaps.npy").any(), attack


@pytest.mark.parametrize("defense", READERS)
def test_models_that_are_no_numbers_or_of_no_step_are_refused(sandbox, defense):
    np = pytest.importorskip("numpy")
    protected(sandbox, defense, "users=4", "steps=2")
    models = np.load(sandbox.path / "release/models.npy")
    for name, wrong, said in (
            ("NaN", np.where(np.arange(models.shape[1]) == 3, np.nan, models),
             "models: row 0, column 3 is not a finite number"),
            ("T = 0", models[:1], "models has 1 row; expected 2 or more")):
        np.save(sandbox.path / "release/models.npy", wrong.astype(np.float32))
        for attack in READERS[defense]:
            result = attacked(sandbox, attack, code=2)
            assert said in " ".join(result.err.split()), (name, attack, result.err)


@pytest.mark.parametrize("settings, code, said", [
    (["capacity=0"], 2, "capacity = 0"),
    (["steps=0"], 2, "steps = 0"),
    (["users=13"], 2, "users = 13: expected at most as many as there are secrets, 12"),
    (["users=12", "partition=dirichlet", "concentration=0.001"], 2,
     "has none of the 12 secrets; expected more secrets, fewer users, or a larger concentration"),
    (["packing=yes", "largest=1e-6", "rate=1"], 3, "the largest: with 51 bits after the point"),
    (["trainer=step", "rate=1e6", "penalty=1e6", "mix=0", "steps=6"], 3, "a finite number"),
    (["key_folder=open"], 2, "can be read by others (mode 0755)"),
    (["key_folder=none"], 2, "none: there is no such folder"),
])
def test_what_cannot_be_encrypted_is_refused(sandbox, settings, code, said):
    (sandbox.path / "open").mkdir(mode=0o755)
    (sandbox.path / "open").chmod(0o755)
    words = settings if settings[0].startswith("users") else ["users=4", *settings]
    result = protected(sandbox, "dphe", *words, code=code)
    assert said in " ".join(result.err.split()), result.err
    assert not (sandbox.path / "release").exists()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")
def test_a_key_of_ones_own_is_made_as_the_page_says(sandbox):
    page = (SOURCE / "docs/papers/dphe.md").read_text(encoding="utf-8")
    commands = re.search("(?: {4}.*\n)*.*openssl prime.*\n(?: {4}.*\n)*", page).group()
    subprocess.run(["sh", "-ec", commands], cwd=sandbox.path, check=True)
    protected(sandbox, "dphe", "users=4", "key_folder=keys")
    assert json.loads(sandbox.read("release/release.json"))["parameters"]["key"] == "system"


def test_messages_of_others_are_checked(sandbox):
    """A release made elsewhere, with one number that cannot be."""
    np = pytest.importorskip("numpy")
    protected(sandbox, "dphe", "users=4", "steps=2", "renewal=fixed")
    weights = np.load(sandbox.path / "release/models.npy").shape[1]

    def change(array, place, value):
        array[place] = value
        return array

    for name, wrong, said in (
            ("slots", lambda a: change(a, (1, 0), weights),
             f"slots: message 1 has {weights}; expected -1 to {weights - 1}"),
            ("slots", lambda a: change(a, (0, 0), -2), "slots: message 0 has -2"),
            ("senders", lambda a: change(a, 0, 4), "senders: message 0 has 4; expected 0 to 3"),
            ("sent-steps", lambda a: change(a, 1, 2), "sent-steps: message 1 has 2"),
            ("permutations", lambda a: change(a, (0, 1), a[0, 0]), "permutations: number 1 of row"),
            ("own-permutations", lambda a: change(a, (1, 0), -1), "own-permutations: number 0"),
            ("modulus", lambda a: a[:64], "ciphertexts have 256 bytes and the modulus 64"),
            ("ciphertexts", lambda a: a[1:], "ciphertexts; expected")):
        kept = np.load(sandbox.path / f"release/{name}.npy")
        np.save(sandbox.path / f"release/{name}.npy", wrong(kept.copy()))
        for attack in ("single-holder", "permutation-match"):
            result = attacked(sandbox, attack, code=2)
            assert said in " ".join(result.err.split()), (name, result.err)
        np.save(sandbox.path / f"release/{name}.npy", kept)
    attacked(sandbox, "permutation-match")


def test_releases_and_reports_say_that_a_key_is_for_audits(sandbox):
    protected(sandbox, "dphe", "users=4")
    assert json.loads(sandbox.read("release/release.json"))["parameters"]["key"] == "seed"
    sandbox.write("a.scenario",
                  ENCRYPTED.format(users=5, plugin="dphe").split("[attack messages]")[0])
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 0)
    remark = "encrypted under a test key from a seed"
    [cell] = json.loads(sandbox.read("out/results.json"))["cells"]
    assert cell["defense"]["remark"].startswith(remark)
    assert remark in sandbox.read("out/report.html")
    sandbox.write("a.scenario",
                  ENCRYPTED.format(users=5, plugin="average").split("[attack messages]")[0])
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "plain"), 0)
    assert "remark" not in sandbox.read("plain/results.json")


def test_one_user_alone_has_nothing_to_subtract(sandbox):
    """N = 1: what is left of the sum is nothing; of users that encrypt, one is refused."""
    np = pytest.importorskip("numpy")
    for users in 1, 2:
        result = protected(sandbox, "dphe", f"users={users}", code=2)
        assert f"users = {users}: expected 3 or more" in result.err
    protected(sandbox, "average", "users=1")
    attacked(sandbox, "subtract")
    assert np.load(sandbox.path / "guess/weight-claims.npy").shape[0] == 0


def test_users_of_one_class_have_an_average(sandbox):
    """Each user has one class: all other rows add its samples up, and the estimate is exact."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(3)
    np.save(sandbox.path / "secrets.npy", rng.normal(size=(40, 8)).astype(np.float32))
    np.save(sandbox.path / "labels.npy", np.arange(40) % 4)
    sandbox.expect(sandbox.assay(
        "protect", "--defense", "average", "--set", "users=4", "--set", "partition=dirichlet",
        "--set", "concentration=0.001", "--set", "trainer=step", "--set", "batch=0", "--set",
        "start=zero", "--set", "standardise=no", "--secrets", "secrets.npy", "--labels",
        "labels.npy", "--seed", "8", "--release", "release", "--truth", "truth"), 0)
    attacked(sandbox, "update-average")
    users = np.load(sandbox.path / "truth/users.npy")
    secrets = np.load(sandbox.path / "secrets.npy")
    labels = np.load(sandbox.path / "labels.npy")
    alone = [user for user in range(4) if len(set(labels[users == user])) == 1]
    assert alone, users
    for user in alone:
        estimate = np.load(sandbox.path / "guess/estimates.npy")[user]
        assert np.abs(estimate - secrets[users == user].mean(axis=0)).max() < 1e-3


def test_the_shared_permutation_is_judged_as_numpy_does(sandbox):
    np = pytest.importorskip("numpy")
    protected(sandbox, "dphe", "users=4", "steps=40", "penalty=0.5", "rate=0.1", "renewal=fixed",
              "padding=none", rows=60, columns=40)
    attacked(sandbox, "permutation-match")
    result = sandbox.assay("measure", "--truth", "truth", "--guess", "guess", "--release",
                           "release", "--metric", "permutation-recovery", "--json")
    sandbox.expect(result, 0)
    [found] = [value["estimate"] for value in json.loads(result.out)]
    held = np.load(sandbox.path / "truth/updates.npy").any(axis=0)
    rows = np.load(sandbox.path / "guess/rows-of-weights.npy")
    shared = np.load(sandbox.path / "release/permutations.npy")
    assert rows.shape == shared.shape == (1, held.size) and held.sum() > 3
    assert found == pytest.approx((rows == shared)[0, held].mean(), abs=1e-6)
    # Guessing is right about one weight in all.
    assert found > 0.5


@pytest.mark.parametrize("permutations", ["single", "double"])
def test_rows_of_single_users_are_judged_as_numpy_does(sandbox, permutations):
    np = pytest.importorskip("numpy")
    protected(sandbox, "dphe", "users=3", "steps=60", "penalty=0.5", "rate=0.1", "renewal=fixed",
              "padding=none", f"permutations={permutations}", rows=60, columns=12)
    attacked(sandbox, "permutation-intercept")
    result = sandbox.assay("measure", "--truth", "truth", "--guess", "guess", "--release",
                           "release", "--metric", "interception", "--json")
    sandbox.expect(result, 0)
    [found] = [value["estimate"] for value in json.loads(result.out)]
    held = np.load(sandbox.path / "truth/updates.npy").reshape(60, 3, -1).any(axis=0)
    rows = np.load(sandbox.path / "guess/rows-of-users.npy")
    truth = np.repeat(np.load(sandbox.path / "release/permutations.npy"), 3, axis=0)
    if permutations == "double":
        own = np.load(sandbox.path / "release/own-permutations.npy")
        truth = np.array([own[user][truth[user]] for user in range(3)])
    assert (rows[0] == -1).all() and held[1:].any()
    assert found == pytest.approx((rows == truth)[1:][held[1:]].mean(), abs=1e-6)
