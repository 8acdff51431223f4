"""Images as other programs keep them: arrays n x h x w x c and n x c x h x w, CIFAR's and IDX
files as public rows, in the scale that a release tells of; and the InstaHide challenge's files."""

import json
import math
import os
import random
import re
import shutil
import struct
import subprocess

import pytest

import data
from places import SOURCE, data_folder

SIDE, CHANNELS = 32, 3
PIXELS = SIDE * SIDE
MEAN, DEVIATION = (0.5, 0.4, 0.3), (0.2, 0.25, 0.3)


def make_images(count, channels=CHANNELS, pixels=PIXELS):
    """Bytes, plane after plane."""
    draw = random.Random(1)
    return [[draw.randrange(256) for _ in range(channels * pixels)] for _ in range(count)]


def scaled(image):
    """Plane after plane, in the scale of the release."""
    return [(value / 255 - MEAN[i // PIXELS]) / DEVIATION[i // PIXELS]
            for i, value in enumerate(image)]


def interleaved(numbers):
    return [numbers[c * PIXELS + p] for p in range(PIXELS) for c in range(CHANNELS)]


def write_release(sandbox, numbers, shape, geometry, kind="float32"):
    sandbox.write("release/vectors.npy", data.npy_bytes(numbers, kind, shape=shape))
    sandbox.write("release/release.json", json.dumps({
        "format": "assay-release/1", "kind": "vectors", "geometry": geometry,
        "arrays": {"vectors": {"file": "vectors.npy"}}}))


def nearest(sandbox, public):
    sandbox.shell("rm -rf guess")
    sandbox.expect(sandbox.assay("attack", "--attack", "nearest", "--release", "release",
                                 "--public", public, "--guess", "guess"), out="", err="")
    _, shape, flat = data.read_npy(sandbox.path / "guess/estimates.npy")
    return [flat[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]


def assert_near(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) < 1e-5


@pytest.mark.parametrize("order", ["planes", "interleaved", "rows"])
def test_cifar_file_is_brought_to_the_release(sandbox, order):
    """The attack `nearest` finds each image itself only if order and scale are those of the
    release."""
    images = make_images(6)
    sandbox.write("public.bin", b"".join(bytes([7] + image) for image in images))
    expected = [interleaved(scaled(image)) for image in images]
    planes = (6, CHANNELS, SIDE, SIDE)
    geometry = {"height": SIDE, "width": SIDE, "channels": CHANNELS, "mean": MEAN,
                "deviation": DEVIATION}
    if order == "interleaved":
        write_release(sandbox, expected, (6, SIDE, SIDE, CHANNELS), geometry)
    else:
        write_release(sandbox, [scaled(image) for image in images],
                      planes if order == "planes" else (6, CHANNELS * PIXELS),
                      geometry | ({"order": "planes"} if order == "rows" else {}))
    assert_near(nearest(sandbox, "public.bin"), expected)
    assert_near(nearest(sandbox, "public.bin[0:3]")[:3], expected[:3])
    sandbox.write("public.npy", data.npy_bytes([scaled(image) for image in images], shape=planes))
    assert_near(nearest(sandbox, "public.npy"), expected)


def test_idx_file_of_another_size_is_refused(sandbox):
    images = make_images(4, 1, 12 * 10)
    numbers = [[value / 255 for value in image] for image in images]
    sandbox.write("images.idx", struct.pack(">IIII", 0x803, 4, 12, 10)
                  + bytes(value for image in images for value in image))
    geometry = {"height": 12, "width": 10, "channels": 1, "black": 0, "white": 1}
    write_release(sandbox, numbers, (4, 12, 10), geometry)
    assert_near(nearest(sandbox, "images.idx"), numbers)
    write_release(sandbox, numbers, (4, 120), geometry | {"height": 10, "width": 12})
    sandbox.refuses(
        sandbox.assay("attack", "--attack", "nearest", "--release", "release", "--public",
                      "images.idx", "--guess", "again"),
        "--public: ./images.idx: images of 12 x 10 pixels with 1 channel; expected 10 x 12 with "
        "1, as the release says")


@pytest.mark.parametrize("geometry, message", [
    ({"order": "columns"}, 'expected order to be "interleaved" or "planes"'),
    ({"mean": [0.5]}, "expected mean and deviation, or neither of them"),
    ({"mean": [0.5], "deviation": [0]}, "expected deviation to be a list of a finite number above "
     "0 for each of the channels, of which there are 1 to 3"),
    ({"mean": [0.5, 0.5], "deviation": [1]}, "expected mean to be a list of a finite number for "
     "each of the channels, of which there are 1 to 3"),
])
def test_geometry_that_is_wrong_is_refused(sandbox, geometry, message):
    write_release(sandbox, [[0.0] * 120] * 4, (4, 120),
                  {"height": 12, "width": 10, "channels": 1, "black": 0, "white": 1} | geometry)
    sandbox.refuses(
        sandbox.assay("attack", "--attack", "nearest", "--release", "release", "--public",
                      "release/vectors.npy", "--guess", "guess"),
        f"release: release.json: geometry: {message}")


# ---- The challenge ----


SMALL = """\
[scenario]
title = Mixtures of the challenge's form
seed = 1

[dataset]
plugin = shapes
private_images = 200
test_images = 0
public_images = 100
size = 24
scale = dataset
secrets = 10

[defense instahide]
plugin = instahide-cross
k = 3
epochs = 40

[attack inversion]
plugin = mixture-inversion
grants = public; labels

[metric encoding-recovery]
"""


def play_challenge(sandbox, k):
    sandbox.write("challenge.scenario",
                  (SOURCE / "examples/instahide-challenge/challenge.scenario").read_text())
    record = json.loads((SOURCE / "examples/instahide-challenge/release.json").read_text())
    record["parameters"] |= k
    sandbox.write("challenge/release/release.json", json.dumps(record))
    shutil.copy(SOURCE / "examples/instahide-challenge/truth.json",
                sandbox.path / "challenge/truth/truth.json")
    plan = sandbox.assay("plan", "challenge.scenario")
    result = sandbox.assay("run", "challenge.scenario", "--out", "out", "--quiet")
    assert result.code in (0, 3), str(result)
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    return plan, {entry["measure"]: entry for entry in cells[0]["measurements"]}


def planned_mebibytes(plan):
    """What `assay plan` expects to be needed."""
    return float(re.search(r"^memory: about ([0-9.]+) MiB", plan.out, re.MULTILINE).group(1))


NEEDED = """\
[scenario]
title = Memory of mixture-inversion
seed = 1

[dataset]
plugin = shapes
private_images = {secrets}
test_images = 0
public_images = {public}
size = {size}
channels = 1
scale = dataset
secrets = {secrets}

[defense instahide]
plugin = instahide-cross
epochs = {epochs}

[attack inversion]
plugin = mixture-inversion
grants = public; labels
rounds = 0
tries = 1

[metric image-recovery]
"""


@pytest.mark.parametrize("sizes", (pytest.param({"size": 32, "secrets": 20, "public": 3000, "epochs": 20},
                                                marks=pytest.mark.slow),
                                   {"size": 16, "secrets": 120, "public": 2000, "epochs": 12}), ids=str)
def test_memory_is_foreseen(sandbox, sizes):
    """Of large images what is learned of the public ones takes most, of many secrets how alike
    candidates for them are; what the program itself takes is in both."""
    if sandbox.is_sanitized():
        pytest.skip("the sanitizers keep what is freed")
    sandbox.write("needed.scenario", NEEDED.format(**sizes))
    planned = planned_mebibytes(sandbox.assay("plan", "needed.scenario"))
    process = sandbox.start("run", "needed.scenario", "--quiet", "--jobs", 1, "--out", "out",
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 3), f"exit code {process.returncode}"
    taken = used.ru_maxrss / 1024
    assert 1 / 1.5 < planned / taken < 1.5, f"{planned} MiB planned, {taken:.1f} taken"


def reshape(sandbox, source, target, side, channels):
    kind, shape, flat = data.read_npy(sandbox.path / source)
    sandbox.write(target, data.npy_bytes(flat, kind, shape=(shape[0], side, side, channels)))


def test_challenge_files_are_read(sandbox):
    """Mixtures made here, laid out as the challenge lays them out: the same measures to the last
    digit as in the run that made them, but for the random numbers of the attack."""
    sandbox.write("small.scenario", SMALL)
    result = sandbox.assay("run", "small.scenario", "--out", "small", "--quiet")
    assert result.code in (0, 3), str(result)
    cell = json.loads(sandbox.read("small/results.json"))["cells"][0]
    measured = {entry["measure"]: entry["estimate"] for entry in cell["measurements"]}
    sandbox.expect(sandbox.assay("export", "small", "--cell", cell["id"], "--to", "cell"),
                   err=None)
    geometry = json.loads(sandbox.read("cell/truth/truth.json"))["geometry"]
    sides = (geometry["height"], geometry["channels"])
    sandbox.shell("mkdir -p challenge/release challenge/truth")
    reshape(sandbox, "cell/release/images.npy", "challenge/release/encryption.npy", *sides)
    reshape(sandbox, "cell/truth/secrets.npy", "challenge/truth/private.npy", *sides)
    reshape(sandbox, "cell/knowledge/public.npy", "challenge/public.npy", *sides)
    sandbox.shell("cp cell/release/labels.npy challenge/release/label.npy; "
                  "cp cell/truth/sources.npy challenge/truth/; "
                  "cp cell/truth/labels.npy challenge/truth/private-labels.npy")
    plan, found = play_challenge(sandbox, {"k": 3, "partners": 1, "epochs": 40})
    # As many mixtures, made elsewhere, need as much.
    made_here = planned_mebibytes(sandbox.assay("plan", "small.scenario"))
    assert 0.8 < planned_mebibytes(plan) / made_here < 1.25, str(plan)
    names = ("encoding-ssim-max", "encoding-ssim-mean", "encoding-l2-max", "encoding-l2-mean")
    assert set(names) <= set(found), sorted(found)
    assert found["encoding-ssim-max"]["n"] == 400
    assert found["encoding-ssim-max"]["estimate"] >= found["encoding-ssim-mean"]["estimate"]
    assert found["encoding-l2-max"]["estimate"] >= found["encoding-l2-mean"]["estimate"]
    # Black and white are not told there: each picture has a scale of its own.
    assert abs(found["encoding-ssim-max"]["estimate"] - measured["encoding-ssim-max"]) < 0.1


def test_challenge_itself(sandbox):
    """The published files, where somebody has them."""
    place = data_folder()
    folder = place / "instahide-challenge" if place is not None else None
    if folder is None or not (folder / "release/encryption.npy").exists():
        pytest.skip("ASSAY_DATA has no instahide-challenge/release/encryption.npy: "
                    "examples/instahide-challenge/challenge.scenario says what belongs there")
    shutil.copytree(folder, sandbox.path / "challenge")
    _, found = play_challenge(sandbox, {})
    assert found["encoding-ssim-max"]["n"] == 5000


@pytest.mark.parametrize("shape, expected", [
    ([4, 8, 8, 3], (8, 8, 3)), ([4, 3, 8, 8], (8, 8, 3)), ([4, 8, 6], (8, 6, 1)),
    ([4, 192], None), ([4, 5, 7, 2], None)])
def test_protect_keeps_the_sides_of_images(sandbox, shape, expected):
    """Of an array of images `protect` knows height, width and channels, and writes them."""
    count = 4 * math.prod(shape[1:])
    draw = random.Random(2)
    sandbox.write("images.npy", data.npy_bytes([draw.random() for _ in range(count)], "float32",
                                               shape=tuple(shape)))
    sandbox.expect(sandbox.assay("protect", "--defense", "none", "--secrets", "images.npy[1:]",
                                 "--release", "release", "--truth", "truth", "--seed", 1),
                   0, None, "")
    for name in ("release/release.json", "truth/truth.json"):
        geometry = json.loads(sandbox.read(name)).get("geometry", {})
        found = "height" in geometry and tuple(geometry[side]
                                               for side in ("height", "width", "channels"))
        assert found == (expected or False), f"{name}: {geometry}"
