"""The pixels of contact sheets, and that they are the same whatever happens to a run."""

import base64
import json
import random
import struct
import time
import zlib

import browser
from test_html import Parsed


KILLS = 6

FACES = """\
[scenario]
trials = 2

[dataset]
plugin = shapes
private_images = 40
test_images = 0
public_images = 20
size = 16
secrets = 6

[defense plain]
plugin = none

[defense mixed]
plugin = mixup

[defense hidden]
plugin = instahide-inside

[attack verbatim]
plugin = verbatim

[attack averaging]
plugin = averaging

[pictures faces]
released = yes
"""

# Whole photographs, painted.
PAINTED = """\
[dataset]
plugin = scenes
pictures = yes
private_images = 3
public_images = 2
database_images = 2
per_image = 15
width = 64
height = 48
secret_groups = 2

[defense plain]
plugin = none

[defense lifting]
plugin = affine-lifting
variant = random

[attack verbatim]
plugin = verbatim

[pictures painted]
"""


# ---- PNG, read by the letter of its specification ----


def chunks(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def predict(a, b, c):
    """The Paeth filter's guess from left, above, and above left."""
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def unfilter(kind, line, above):
    for i, value in enumerate(line):
        a, b, c = (line[i - 3] if i >= 3 else 0), above[i], (above[i - 3] if i >= 3 else 0)
        guess = (0, a, b, (a + b) // 2, predict(a, b, c))[kind]
        line[i] = (value + guess) % 256
    return line


FRAME = bytes([208, 32, 32])


class Sheet:
    def __init__(self, sandbox, folder, name):
        data = (sandbox.path / folder / "pictures" / f"{name}.png").read_bytes()
        parts = list(chunks(data))
        header = dict(parts)[b"IHDR"]
        self.width, self.height = struct.unpack(">II", header[:8])
        assert header[8:] == b"\x08\x02\x00\x00\x00", "8 bits of red, green and blue"
        self.texts = dict(part.split(b"\0") for kind, part in parts if kind == b"tEXt")
        self.kinds = {kind for kind, _ in parts}
        packed = b"".join(part for kind, part in parts if kind == b"IDAT")
        raw, stride = bytearray(zlib.decompress(packed)), 3 * self.width
        above, self.lines = bytearray(stride), []
        for y in range(self.height):
            at = y * (stride + 1)
            above = unfilter(raw[at], raw[at + 1:at + 1 + stride], above)
            self.lines.append(above)
        self.legend = json.loads(sandbox.read(f"{folder}/pictures/{name}.json"))

    def tile(self, column, row):
        x, y = self.legend["columns"][column], self.legend["rows"][row]
        return [bytes(line[3 * x["x"]:3 * (x["x"] + x["width"])])
                for line in self.lines[y["y"]:y["y"] + y["height"]]]


def marks(sheet, column, row):
    """Whether a picture is marked, by the legend."""
    return sheet.legend["columns"][column].get("marks", [False] * 6)[row]


def test_columns_and_tiles(sandbox):
    """What is released as it is, is recovered as it is; a mixture is neither."""
    sandbox.write("faces.scenario", FACES)
    sandbox.run_ok("faces.scenario", "--out", "out", "--quiet")
    sheet = Sheet(sandbox, "out", "faces")
    says = [column["says"] for column in sheet.legend["columns"]]
    assert (says == ["original", "released by plain", "recovered by verbatim from plain",
                     "released by mixed", "recovered by averaging from mixed",
                     "released by hidden", "recovered by averaging from hidden"]), str(says)
    assert [row["unit"] for row in sheet.legend["rows"]] == list(range(6)), "rows"
    assert sheet.texts[b"Title"] == b"faces.scenario", str(sheet.texts)
    assert (sheet.texts[b"Description"].decode()
            == "Columns from left to right: "
            + "; ".join(f"{i} {what}" for i, what in enumerate(says, 1))
            + ". A red frame: shows another secret"), str(sheet.texts)
    assert b"tIME" not in sheet.kinds, "a time"
    # 16 x 16 images, six times as large, with gaps of 2.
    assert (sheet.width, sheet.height) == (2 + 7 * 98, 2 + 6 * 98), "size"
    for row in range(6):
        original = sheet.tile(0, row)
        assert sheet.tile(1, row) == original and sheet.tile(2, row) == original, f"row {row}"
        for column in range(3, 7):
            assert sheet.tile(column, row) != original, f"row {row}, column {column}"
        pixels = {bytes(line[x:x + 18]) for line in original for x in range(0, len(line), 18)}
        assert all(pixel == pixel[:3] * 6 for pixel in pixels), "pixels are blocks of 6 x 6"
        assert len(pixels) > 10, "an image"
    cells = [column["cell"] for column in sheet.legend["columns"] if "cell" in column]
    results = json.loads(sandbox.read("out/results.json"))["cells"]
    assert cells == [cell["id"] for cell in results if cell["trial"] == 0], "cells of trial 0"


def test_painted_photographs(sandbox):
    sandbox.write("painted.scenario", PAINTED)
    sandbox.run_ok("painted.scenario", "--out", "out", "--quiet")
    sheet = Sheet(sandbox, "out", "painted")
    roles = [column["role"] for column in sheet.legend["columns"]]
    assert roles == ["original", "recovered", "recovered"], str(roles)
    # 64 x 48 photographs, twice as large.
    assert (sheet.width, sheet.height) == (2 + 3 * 130, 2 + 2 * 98), "size"
    tiles = [sheet.tile(column, row) for column in range(3) for row in range(2)]
    for i, tile in enumerate(tiles):
        assert all(tile != other for other in tiles[:i]), "six different pictures"


def test_scores_and_names(sandbox):
    """One trial of all that is shown: the mean of the scores under the pictures is the measure. The
    page has the pixels of the file."""
    sandbox.write("faces.scenario", FACES)
    sandbox.run_ok("faces.scenario", "--out", "out", "--quiet", "--trials", "1")
    sheet = Sheet(sandbox, "out", "faces")
    assert sheet.legend["measure"] == "image-ssim"
    results = json.loads(sandbox.read("out/results.json"))
    means = {cell["id"]: one["estimate"] for cell in results["cells"]
             for one in cell["measurements"] if one["measure"] == "image-ssim"}
    columns = [column for column in sheet.legend["columns"] if column["role"] == "recovered"]
    assert len(columns) == 3 and len(means) == 3, columns
    for column in columns:
        scores = column["scores"]
        assert len(scores) == 6 and abs(sum(scores) / 6 - means[column["cell"]]) < 1e-12, column
    assert any(len(set(column["scores"])) == 6 for column in columns), "scores of each"

    page = Parsed(sandbox.read("out/report.html"))
    table = page.all("table", **{"class": "sheet"})
    assert len(table) == 1
    names = [one["text"] for one in page.all("th", scope="row")]
    assert names == [f"secret {row}" for row in range(6)], names
    heads = [one["text"] for one in page.all("th", scope="col")
             if one.get("class") is None and one["text"] in
             [column["says"] for column in sheet.legend["columns"]]]
    assert heads == [column["says"] for column in sheet.legend["columns"]], heads
    images = page.all("img")
    assert [one["alt"] for one in images] == [f"secret {row}, {says}" for row in range(6)
                                              for says in heads]
    for i, one in enumerate(images):
        rows = browser.pixels(base64.b64decode(one["src"].partition("base64,")[2]))
        tile = sheet.tile(i % len(heads), i // len(heads))
        assert (one["width"], one["height"]) == ("96", "96") and len(rows) == 16, one["alt"]
        for y, row in enumerate(rows):
            wide = b"".join(bytes(pixel) * 6 for pixel in row)
            # The file draws a frame over the 3 outermost pixels of a marked picture.
            line = tile[6 * y + 3 if y == 0 else 6 * y]
            assert wide[9:-9] == line[9:-9], f"{one['alt']}, line {y}"
            if not marks(sheet, i % len(heads), i // len(heads)):
                assert wide == tile[6 * y], f"{one['alt']}, line {y}"
            elif y == 0:
                assert tile[0] == FRAME * 96, f"{one['alt']}: a red frame"
    shown = [one["text"] for one in page.elements if one.get("class") == "score"]
    exact = [column["scores"][row] for row in range(6) for column in columns]
    assert len(shown) == len(exact)
    for text, score in zip(shown, exact):
        assert abs(float(text) - score) < 1e-3 * max(1, abs(score)), (text, score)


# ---- The same bytes ----


def read_sheet(sandbox, folder):
    place = sandbox.path / folder / "pictures"
    return {path.name: path.read_bytes() for path in place.iterdir()}


def test_same_bytes_with_1_and_3_threads(sandbox):
    for name, text in (("faces", FACES), ("painted", PAINTED)):
        sandbox.write(f"{name}.scenario", text)
        for jobs in (1, 3):
            sandbox.run_ok(f"{name}.scenario", "--out", f"{name}{jobs}", "--quiet", "--jobs", jobs)
        first, second = (read_sheet(sandbox, f"{name}{jobs}") for jobs in (1, 3))
        assert first == second, f"{name}: other bytes with other threads"


def test_killed_and_resumed(sandbox):
    sandbox.write("faces.scenario", FACES)
    start = time.monotonic()
    sandbox.run_ok("faces.scenario", "--out", "whole", "--quiet")
    seconds = time.monotonic() - start
    whole = read_sheet(sandbox, "whole")
    assert set(whole) == {"faces.png", "faces.json"}, str(set(whole))
    moments = random.Random(5)
    for i in range(KILLS):
        process = sandbox.start("run", "faces.scenario", "--quiet", "--out", f"out{i}")
        time.sleep(moments.uniform(0, seconds))
        sandbox.kill(process)
        sandbox.run_ok("faces.scenario", "--out", f"out{i}", "--quiet", "--resume")
        assert read_sheet(sandbox, f"out{i}") == whole, f"kill {i}: another sheet"
