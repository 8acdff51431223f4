"""Features of images, and the pictures that an attack makes of them."""

import json

import pytest

np = pytest.importorskip("numpy")

SCENARIO = """[scenario]
title = T
seed = 3
[dataset]
plugin = cifar
images = private.bin
features = {features}
test_share = {share}
public = public.bin
public_labels = yes
public_features = {public}
secrets = 20
[defense average]
plugin = average
users = {users}
batch = {batch}
trainer = step
[attack image-inversion]
plugin = image-inversion
grants = messages; public
penalty = 1e-4
method = ridge; nearest
[metric original-recovery]
[metric sample-recovery]
"""


def write_pictures(sandbox, name, pictures):
    labels = np.arange(len(pictures))[:, None] % 10
    (sandbox.path / name).write_bytes(np.hstack([labels, pictures]).astype(np.uint8).tobytes())


@pytest.fixture(name="data")
def made_data(sandbox):
    """Pictures of 12 dimensions; 40 features, which are linear in their pixels."""
    rng = np.random.default_rng(5)
    base = np.cumsum(rng.normal(size=(12, 3072)), axis=1)
    base = base / np.abs(base).max(axis=1)[:, None]
    project = rng.normal(size=(3072, 40)) / 3072
    for name, n in (("private", 30), ("public", 200)):
        pictures = np.clip(128 + 40 * rng.normal(size=(n, 12)) @ base, 0, 255).round()
        write_pictures(sandbox, f"{name}.bin", pictures)
        np.save(sandbox.path / f"{name}.npy", (pictures @ project).astype(np.float32))


def run(sandbox, code=0, **settings):
    values = {"features": "private.npy", "public": "public.npy", "share": 0, "users": 20, "batch": 1}
    values.update(settings)
    text = SCENARIO.format(**values).replace("public_features = \n", "")
    sandbox.write("a.scenario", text)
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, code)
    return result


def test_pictures_come_back_from_features(sandbox, data):
    """Exactly, as far as they are linear in them; the nearest public one is less like them."""
    run(sandbox)
    found = {}
    for cell in json.loads(sandbox.read("out/results.json"))["cells"]:
        found[cell["attack"]["settings"]["method"]] = {
            value["measure"]: value["estimate"] for value in cell["measurements"]}
    assert found["ridge"]["sample-recovery-rate"] == 1
    assert found["ridge"]["original-correlation"] > 0.97
    assert found["ridge"]["original-identification-rate"] >= 0.95
    assert 0.1 < found["nearest"]["original-correlation"] < found["ridge"]["original-correlation"]
    assert abs(found["ridge"]["original-correlation-chance"]) < 0.5
    assert found["ridge"]["original-ssim"] > found["ridge"]["original-ssim-chance"] + 0.3
    assert found["ridge"]["original-identification-chance"] == pytest.approx(1 / 20)


def test_messages_of_several_make_no_picture(sandbox, data):
    """Silence, which is said, and no figure that could be taken for a weak attack."""
    result = run(sandbox, users=5, batch=0)
    names = [value["measure"] for cell in json.loads(sandbox.read("out/results.json"))["cells"]
             for value in cell["measurements"]]
    assert not [name for name in names if name.startswith("original")], names
    assert "of 5 messages 0 tell a sample; 5 are of several" in result.out, str(result)


@pytest.mark.parametrize("settings, message", [
    ({"features": "public.npy"}, "features: 200 rows; expected one for each image, 30"),
    ({"public": "public.npy[0:100]"}, "public_features: 100 rows; expected one for each image, 200"),
    ({"public": ""}, "public_features: none are named; expected features of secrets and of public "
                     "images, or of neither"),
    ({"share": 0.5}, "features: 30 rows; expected one for each image, 15"),
    ({"features": "gone.npy"}, "gone.npy"),
    ({"public": "wide.npy"}, "public_features: 41 columns; expected 40 as features have"),
])
def test_features_fit_their_images(sandbox, data, settings, message):
    np.save(sandbox.path / "wide.npy", np.zeros((200, 41), np.float32))
    result = run(sandbox, code=2, **settings)
    assert message in result.err, str(result)
