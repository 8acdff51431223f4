"""Some of the images of a file, named by a range: the same as a file that has no others."""

import json
import shutil

import pytest

np = pytest.importorskip("numpy")

SCENARIO = """[scenario]
title = T
seed = 3
[dataset]
plugin = {plugin}
images = {images}
{more}
test_share = 0
secrets = 5
[defense none]
plugin = none
[attack verbatim]
plugin = verbatim
[metric recovery-rate]
"""

PIXELS = np.random.default_rng(3).integers(0, 256, size=(40, 3072), dtype=np.uint8)


def write_cifar(sandbox, name, rows):
    labels = np.arange(40, dtype=np.uint8)[rows, None] % 10
    (sandbox.path / name).write_bytes(np.hstack([labels, PIXELS[rows]]).tobytes())


def write_idx(sandbox, name, rows):
    images = PIXELS[rows, :784]
    head = b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (len(images), 28, 28))
    (sandbox.path / f"{name}.idx3").write_bytes(head + images.tobytes())
    labels = np.arange(40, dtype=np.uint8)[rows] % 10
    (sandbox.path / f"{name}.idx1").write_bytes(
        b"\0\0\x08\x01" + len(labels).to_bytes(4, "big") + labels.tobytes())


@pytest.fixture(name="files")
def made_files(sandbox):
    for write, end in ((write_cifar, ".bin"), (write_idx, "")):
        write(sandbox, f"all{end}", slice(0, 40))
        write(sandbox, f"some{end}", slice(10, 30))
        write(sandbox, f"rest{end}", slice(30, 40))


def run(sandbox, plugin, images, more="", code=0):
    sandbox.write("a.scenario", SCENARIO.format(plugin=plugin, images=images, more=more))
    shutil.rmtree(sandbox.path / "out", ignore_errors=True)
    checked = sandbox.assay("check", "a.scenario")
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, code)
    assert (checked.code == 0) == (code == 0), str(checked)
    if code != 0:
        return result.err
    return json.loads(sandbox.read("out/results.json"))["cells"][0]["dataset"]["sha256"]


def test_a_range_is_a_file_without_the_others(sandbox, files):
    whole = run(sandbox, "cifar", "some.bin", "public = rest.bin")
    assert run(sandbox, "cifar", "all.bin[10:30]", "public = all.bin[30:]") == whole
    assert run(sandbox, "cifar", "all.bin[:30]", "public = rest.bin") != whole
    labelled = "public = all.bin[30:40]\npublic_labels = yes"
    assert run(sandbox, "cifar", "some.bin", labelled) != whole
    whole = run(sandbox, "idx", "some.idx3", "labels = some.idx1\npublic = rest.idx3")
    assert run(sandbox, "idx", "all.idx3[10:30]",
               "labels = all.idx1[10:30]\npublic = all.idx3[30:]") == whole
    assert run(sandbox, "idx", "all.idx3[10:30]",
               "labels = all.idx1[11:31]\npublic = all.idx3[30:]") != whole


@pytest.mark.parametrize("plugin, images, more, message", [
    ("cifar", "all.bin[30:50]", "", "the range [30:50] reaches out of the file, which has 40 rows"),
    ("cifar", "all.bin[7:7]", "", "is an empty range"),
    ("cifar", "all.bin[0:5], some.bin", "", "expected one file where some of its images are named"),
    ("idx", "all.idx3[0:20]", "labels = all.idx1", "has 20 images, "),
    ("idx", "all.idx3", "labels = all.idx1[0:20]", "has 20 labels; expected as many"),
    ("idx", "all.idx3[41:]", "labels = all.idx1[41:]", "the range [41:] reaches out of the file"),
    ("idx", "some.idx3", "labels = some.idx1\npublic = rest.idx3[0:11]",
     "rest.idx3: the range [0:11] reaches out of the file"),
])
def test_a_range_lies_in_its_file(sandbox, files, plugin, images, more, message):
    assert message in run(sandbox, plugin, images, more, code=2)
