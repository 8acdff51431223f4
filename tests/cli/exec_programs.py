"""Programs of others for the suites that play them: scripts of the standard library alone, and the
commands that start them."""

import json
import os
import pathlib
import shutil
import sys
import time

import tiny

# What the scripts share; a script is a body of a few lines behind it.
HELPER = '''
import ast, json, os, pathlib, random, stat, struct, sys

FOLDER = pathlib.Path(sys.argv[-1])
REQUEST = json.loads((FOLDER / "request.json").read_text())


def load(name):
    content = (FOLDER / name).read_bytes()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:10 + length].decode())
    flat = struct.unpack(f"<{(len(content) - 10 - length) // 4}f", content[10 + length:])
    n, d = header["shape"]
    return [list(flat[i * d:(i + 1) * d]) for i in range(n)]


def npy(rows, shape=None):
    shape = shape or (len(rows), len(rows[0]))
    header = repr({"descr": "<f4", "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\\n"
    flat = [value for row in rows for value in row]
    return (b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(flat)}f", *flat))


def answer(name, **arrays):
    folder = FOLDER / name
    folder.mkdir()
    record = {"format": f"assay-{name}/1", "kind": "vectors",
              "arrays": {key: {"file": key + ".npy"} for key in arrays}}
    for key, content in arrays.items():
        (folder / (key + ".npy")).write_bytes(content)
    (folder / (name + ".json")).write_text(json.dumps(record))


def scaled(rows, factor):
    return [[factor * value for value in row] for row in rows]
'''


def write_program(sandbox, name, body):
    """A script @name that begins with the helper; returns the command."""
    sandbox.write(name, HELPER + body)
    return f"{sys.executable} {name}"


def prepare(sandbox):
    """The data, and a place for temporary files that can be looked at."""
    tiny.write(sandbox)
    (sandbox.path / "tmp").mkdir()
    sandbox.environment["TMPDIR"] = str(sandbox.path / "tmp")


def check_nothing_left(sandbox):
    left = os.listdir(sandbox.path / "tmp")
    assert left == [], f"left behind: {left}"


def protect(sandbox, command, *words):
    shutil.rmtree(sandbox.path / "release", ignore_errors=True)
    shutil.rmtree(sandbox.path / "truth", ignore_errors=True)
    result = sandbox.assay("protect", "--defense", "exec", "--set", f"command={command}",
                           "--secrets", "private.fvecs[0:8]", "--release", "release", "--truth",
                           "truth", *words)
    check_nothing_left(sandbox)
    return result


def run_scenario(sandbox, parts, code=0, out="out", seed=3, words=()):
    """{(defense, attack): [cells]} of a run of @parts on the tiny data."""
    head = tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0].replace("seed = 3", f"seed = {seed}")
    sandbox.write("exec.scenario", head + parts)
    sandbox.run_ok("exec.scenario", "--out", out, "--quiet", *words, code=code)
    check_nothing_left(sandbox)
    found = {}
    for cell in json.loads(sandbox.read(f"{out}/results.json"))["cells"]:
        key = (cell["defense"]["label"], cell["attack"]["label"])
        found.setdefault(key, []).append(cell)
    return found


SCALE = "answer('release', vectors=npy(scaled(load('secrets.npy'), 1.25)))\n"
UNSCALE = "answer('guess', estimates=npy(scaled(load('release/vectors.npy'), 1 / 1.25)))\n"


def median_errors(cells):
    return [value["estimate"] for cell in cells for value in cell["measurements"]
            if value["measure"] == "relative-error-median"]


VERBATIM = "[attack verbatim]\nplugin = verbatim\n"


def group(role, name, command, *lines):
    rest = "".join(f"{line}\n" for line in lines)
    return f"[{role} {name}]\nplugin = exec\ncommand = {command}\n{rest}"


def find_processes(word):
    """Those that run with the argument @word; zombies have none."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in place.read_bytes().split(b"\0"):
                found.append(place.parent.name)
        except OSError:
            continue
    return found


def check_ended(word):
    end = time.monotonic() + 100
    while time.monotonic() < end:
        if not find_processes(word):
            return
        time.sleep(0.05)
    assert False, f"processes {find_processes(word)} are still there"
