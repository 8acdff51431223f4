"""What the tests of `assay dataset fetch` share: a catalogue of one file, and how a fetch ends."""

import hashlib

from data import random_bytes

CONTENT = random_bytes(300_000, 11)
ABOUT = """\
title = Test rows
page = http://example.org/about
licence = CC0
citation = Nobody, 2020
"""
PART = "out/rows/rows.bin.part"
TARGET = "out/rows/rows.bin"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def write_catalog(sandbox, url, content=CONTENT, name="rows.bin", extra="", **changed):
    """A catalogue of one set of one file; changed keys of None are left out."""
    keys = {"url": url, "size": len(content), "sha256": sha256(content)} | changed
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items() if value is not None)
    sandbox.write("catalog.ini", f"[rows]\n{ABOUT}\n[rows {name}]\n{lines}{extra}")


COMMAND = ("dataset", "fetch", "rows", "--catalog", "catalog.ini", "--out", "out")


def fetch(sandbox, *options):
    return sandbox.assay(*COMMAND, *options)


def fetched(sandbox, *options):
    """Succeeds, and leaves the right file alone."""
    result = sandbox.expect(fetch(sandbox, *options))
    assert (sandbox.path / TARGET).read_bytes() == CONTENT, "content"
    assert list(sandbox.tree("out/rows")) == ["rows.bin"], str(sandbox.tree("out/rows"))
    return result


def fails(sandbox, code, message, *options):
    """One message; the file does not have its name. Returns what there is beside it."""
    result = fetch(sandbox, *options)
    sandbox.expect(result, code, err=f"assay: {message}\n")
    assert not (sandbox.path / TARGET).exists(), "a file has its name"
    return sorted(sandbox.tree("out/rows")) if (sandbox.path / "out/rows").exists() else []


def part(sandbox, content):
    sandbox.write(PART, content)
