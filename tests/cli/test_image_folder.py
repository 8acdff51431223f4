"""Images in folders: the same data as CIFAR's files with the same pixels, and folders that are
wrong."""

import json
import shutil
import struct
import zlib

import pytest

from auditing import place, verdicts

np = pytest.importorskip("numpy")

SCENARIO = """[scenario]
title = T
seed = 3
[dataset]
plugin = {plugin}
images = {images}
{more}
secrets = 5
[defense none]
plugin = none
[attack verbatim]
plugin = verbatim
[metric recovery-rate]
"""

PIXELS = np.random.default_rng(7).integers(0, 256, size=(40, 32, 32, 3), dtype=np.uint8)
LABELS = np.arange(40) % 4


def png(pixels):
    height, width, _ = pixels.shape

    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))

    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_folder(sandbox, name, rows, has_classes=True):
    for i in rows:
        folder = sandbox.path / name / (f"class-{LABELS[i]}" if has_classes else "")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i:03}.png").write_bytes(png(PIXELS[i]))


def write_cifar(sandbox, name, rows):
    """In the order of folders: class by class."""
    rows = sorted(rows, key=lambda i: (LABELS[i], i))
    planes = PIXELS[rows].transpose(0, 3, 1, 2).reshape(len(rows), -1)
    (sandbox.path / name).write_bytes(
        np.hstack([LABELS[rows, None].astype(np.uint8), planes]).tobytes())


def run(sandbox, plugin, images, more="", code=0):
    sandbox.write("a.scenario", SCENARIO.format(plugin=plugin, images=images, more=more))
    shutil.rmtree(sandbox.path / "out", ignore_errors=True)
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, code)
    return (result.err if code else
            json.loads(sandbox.read("out/results.json"))["cells"][0]["dataset"]["sha256"])


def test_the_same_as_a_file_of_the_same_images(sandbox):
    write_folder(sandbox, "private", range(24))
    write_folder(sandbox, "test", range(24, 30))
    write_folder(sandbox, "public", range(30, 40))
    for name, rows in (("private", range(24)), ("test", range(24, 30)), ("public", range(30, 40))):
        write_cifar(sandbox, f"{name}.bin", rows)
    (sandbox.path / "private/class-0/notes.txt").write_text("no image")
    (sandbox.path / "private/class-0/.hidden.png").write_text("no image")
    more = "test_images = test{end}\npublic = public{end}\n{labels}"
    found = run(sandbox, "image-folder", "private", more.format(end="", labels=""))
    assert found == run(sandbox, "cifar", "private.bin",
                        more.format(end=".bin", labels="public_labels = yes"))
    # Other pixels are other data, and so are other labels.
    (sandbox.path / "private/class-0/000.png").rename(sandbox.path / "private/class-1/000.png")
    assert found != run(sandbox, "image-folder", "private", more.format(end="", labels=""))


def test_squares_in_the_middle_are_reduced(sandbox):
    """Blocks of 2 x 2 equal pixels with borders on two sides: without them, and half as large."""
    write_folder(sandbox, "small", range(12), has_classes=False)
    (sandbox.path / "large").mkdir()
    for i in range(12):
        doubled = PIXELS[i].repeat(2, axis=0).repeat(2, axis=1)
        wide = np.full((64, 84, 3), 9, np.uint8)
        wide[:, 10:74] = doubled
        (sandbox.path / f"large/{i:03}.PNG").write_bytes(png(wide))
    assert (run(sandbox, "image-folder", "small", "test_share = 0")
            == run(sandbox, "image-folder", "large", "test_share = 0\nsize = 32"))
    assert (run(sandbox, "image-folder", "small", "test_share = 0\ncolour = grey")
            != run(sandbox, "image-folder", "small", "test_share = 0"))


def test_folders_that_are_wrong(sandbox):
    write_folder(sandbox, "private", range(12))
    write_folder(sandbox, "flat", range(12, 20), has_classes=False)
    write_folder(sandbox, "mixed", range(4))
    write_folder(sandbox, "mixed", range(4), has_classes=False)
    (sandbox.path / "empty/inside").mkdir(parents=True)
    write_folder(sandbox, "other", range(12, 14))
    (sandbox.path / "other/class-0").rename(sandbox.path / "other/strange")
    write_folder(sandbox, "broken", range(6), has_classes=False)
    whole = (sandbox.path / "broken/003.png").read_bytes()
    (sandbox.path / "broken/003.png").write_bytes(whole[:len(whole) // 2])
    write_folder(sandbox, "sizes", range(6), has_classes=False)
    (sandbox.path / "sizes/004.png").write_bytes(png(PIXELS[4][:20]))
    for images, more, message in (
            ("gone", "", "gone"),
            ("empty", "", "there are no images; expected files in .jpg, .jpeg or .png"),
            ("mixed", "", "there are images beside the sub-folder 'class-0'"),
            ("private", "public = other", "the sub-folder 'strange' is no class of the images"),
            ("broken", "", "broken/003.png"),
            ("sizes", "", "sizes/004.png: 32 x 20 pixels; expected 32 x 32 as the first image has"),
            ("flat", "size = 40", "32 x 32 pixels; expected 40 on each side or more"),
            ("private/class-0/000.png", "", "000.png")):
        err = run(sandbox, "image-folder", images, more, code=2)
        assert message in err, f"{images}: {err}"


def audit(sandbox, *words, code=0):
    result = sandbox.assay("audit", "--defense", "pixelation", "--set", "cells=2", "--time", "90s",
                           "-q", *words)
    if code == 2:
        assert result.code == 2, str(result)
        return result.err, None, None
    folder = sandbox.path / place(result.out, "scenario").removesuffix("/audit.scenario")
    return result, folder, (folder / "audit.scenario").read_text()


def write_pets(sandbox, name, n, seed, grey=False):
    """Photographs of two kinds, of which one is light above: 12 x 14 pixels."""
    pixels = np.random.default_rng(seed).integers(0, 200, size=(n, 12, 14, 3), dtype=np.uint8)
    if grey:
        pixels[...] = pixels[..., :1]
    for i, image in enumerate(pixels):
        kind = "cat" if i % 2 else "dog"
        image[:6] += 50 * (kind == "dog")
        folder = sandbox.path / name / kind
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i:03}.png").write_bytes(png(image))
    return pixels


def test_an_audit_of_a_folder(sandbox):
    """Rows are the pixels from 0 to 1, each with the label of its sub-folder; and what is released
    is seen."""
    pixels = write_pets(sandbox, "pets", 240, 1, grey=True)
    result, folder, scenario = audit(sandbox, "--data", "pets")
    assert "images = 12x14x1\n" in scenario and "[pictures recovered]" in scenario, scenario
    assert verdicts(result.out)["attribute-excess"] == "violated", str(result)
    assert list(folder.glob("look-*/pictures/*.png")), sorted(folder.glob("look-*/*"))
    known = {image[..., 0].tobytes(): i % 2 for i, image in enumerate(pixels)}
    labels = {0: set(), 1: set()}
    for role in ("private", "public"):
        rows = np.load(folder / f"{role}.npy")
        assert rows.shape == (120, 168) and rows.max() <= 1
        for row, label in zip(np.rint(rows * 255).astype(np.uint8),
                              np.load(folder / f"{role}-labels.npy")):
            labels[int(label)].add(known.pop(row.tobytes()))
    assert labels == {0: {1}, 1: {0}} and not known, "cats are class 0"


def test_an_audit_of_mixtures(sandbox):
    """What reads rows alone is played where nothing is protected, and no claim about mixtures is
    about it. Who tries seeds tries those by which public images were chosen, too. What is found is
    not looked at: images may be as small as they can be."""
    write_pets(sandbox, "pets", 240, 4, grey=True)
    result = sandbox.assay("audit", "--defense", "instahide-cross", "--set", "k=3", "--data", "pets",
                           "--size", "6", "--time", "60s", "-q", "--out", "out")
    assert result.code in (1, 3, 4), str(result)
    scenario = sandbox.read("out/audit.scenario")
    assert "plugin = weak-seed\ngrants = public\n" in scenario, scenario
    assert "[attack cross-linkage]" in scenario and "[claim linkability]" not in scenario, scenario
    assert "[claim image-ssim]" in scenario and "[claim pair-auc]" in scenario, scenario


@pytest.mark.slow
def test_an_audit_of_two_folders(sandbox):
    """Grey ones have one channel, of --public too; images of one folder alone have no labels."""
    write_pets(sandbox, "private", 130, 2, grey=True)
    write_pets(sandbox, "public", 60, 3)
    _, folder, scenario = audit(sandbox, "--data", "private", "--public", "public", "--size", "11")
    assert "images = 11x11x1\n" in scenario and "labels = private-labels.npy\n" in scenario, scenario
    assert np.load(folder / "public.npy").shape == (60, 121)
    assert sorted(np.load(folder / "public-labels.npy")) == [0] * 30 + [1] * 30
    words = ("--data", "private", "--public", "public/dog", "--out", "o")
    _, folder, scenario = audit(sandbox, *words)
    assert "labels" not in scenario.split("[defense")[0], scenario
    for words, message in (
            (("--data", "private", "--size", "13"), "private/cat/001.png: 14 x 12 pixels; "
             "expected 13 on each side or more"),
            (("--data", "private", "--public", "pets"), "--public: pets: no such file"),
            (("--data", "private/cat"), "--data: 65 rows are too few; expected 240 at least"),
            (("--data", "private", "--size", "-1"), "assay audit: --size: expected 1 to 4096")):
        assert message in audit(sandbox, *words, code=2)[0], words
