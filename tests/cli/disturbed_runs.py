"""What a run that was killed, or whose disk failed, must leave: what it leaves undisturbed."""

import hashlib
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import time


# Attacks, one of them tuned, utilities, pictures, plots, a claim.
SCENES = """\
[scenario]
title = Scenes
seed = 5
trials = 2

[dataset]
plugin = scenes
pictures = yes
views = yes
private_images = 8
public_images = 2
database_images = 2
per_image = 15
width = 64
height = 48
secret_groups = 2
tune_secrets = 10

[defense plain]
plugin = none

[defense lifting]
plugin = affine-lifting
variant = random

[defense ldp]
plugin = ldp-feat
epsilon = 5
dictionary = 16

[attack verbatim]
plugin = verbatim

[attack nearest]
plugin = nearest
grants = public

[attack tuned]
plugin = database
grants = database
tune.neighbours = 10; 20
tune_measure = relative-error-median

[utility matching]
plugin = matching

[claim hidden]
attack = verbatim
defense = lifting
measure = recovery-rate
at-most = 0.5

[pictures painted]
"""

# An audit of a mechanism.
EPSILON = """\
[scenario]
title = Epsilon
seed = 5
trials = 2

[dataset]
plugin = values
kind = whole
values = 10

[defense coin]
plugin = randomised-response
epsilon = 1; 3

[attack distinguish]
plugin = distinguish
runs = 20000
training = 10000

[claim holds]
measure = epsilon
at-most = claimed
"""

RUN = ("run", "scenes.scenario", "epsilon.scenario", "--quiet", "--jobs", "1", "--out")
WHOLE_CODE = 3  # four photographs are too few for the claim


class Whole:
    """An undisturbed run in the folder "whole", and what it left."""

    def __init__(self, sandbox):
        sandbox.write("scenes.scenario", SCENES)
        sandbox.write("epsilon.scenario", EPSILON)
        sandbox.expect(sandbox.assay(*RUN, "whole"), WHOLE_CODE, err="")
        self.files = lasting(sandbox, "whole")
        kinds = ("results.json", "results.csv", "claims.xml", "summary.md", "report.html",
                 "run.sqlite", "run.json")
        for folder in ("scenes-", "epsilon-"):
            for kind in kinds:
                assert any(name.startswith(folder) and name.endswith(kind) for name in self.files), (
                    f"the whole run has no {kind}")
        assert any("pictures/painted.png" in name for name in self.files), "no pictures"
        assert any("plots/" in name for name in self.files), "no plots"

    def check_same(self, sandbox, folder):
        found = lasting(sandbox, folder)
        other = sorted(name for name in found.keys() | self.files.keys()
                       if found.get(name) != self.files.get(name))
        assert not other, f"{folder}: other, missing or too many: {other}"


NUMBER = re.compile(rb"(run of this scenario in its folder, number</dt>\s*<dd><code><bdi>)\d+")


def lasting(sandbox, folder):
    """Digests of what must be the same bytes. Seconds and the number of begun cells need not be, nor
    how often the scenario was run in its folder."""
    found = sandbox.tree(folder)
    for name in found:
        if name.endswith(("run.json", "run.sqlite")):
            found[name] = "any"
        elif name.endswith("report.html"):
            text = (sandbox.path / folder / name).read_bytes()
            found[name] = hashlib.sha256(NUMBER.sub(rb"\1any", text)).hexdigest()
    return found


def check_no_orphans(sandbox):
    """No process works in the sandbox; one that has just been told to end may take a moment."""
    end = time.monotonic() + 100
    while found := [place for place in pathlib.Path("/proc").glob("[0-9]*/cwd")
                    if works_in(place, sandbox.root)]:
        assert time.monotonic() < end, f"orphans: {found}"
        time.sleep(0.01)


def works_in(link, root):
    try:
        return pathlib.Path(os.readlink(link)).is_relative_to(root)
    except OSError:  # it has ended, or is another user's
        return False


def forgive_cells(sandbox, folder):
    """A cell that two processes ended in is passed over, which tests/cli/test_resume.py is about.
    Here it is chance that strikes twice. Returns how often that was."""
    count = 0
    for path in (sandbox.path / folder).glob("*/run.sqlite"):
        copy = sandbox.path / "looked-at"
        shutil.copytree(path.parent, copy)
        try:
            is_twice = begun_twice(copy / "run.sqlite")
        finally:
            shutil.rmtree(copy)
        if is_twice:
            change(path, "UPDATE cells SET begun = 1 WHERE status = 0")
            count += 1
    return count


def begun_twice(path):
    database = sqlite3.connect(path)
    try:
        return database.execute("SELECT count(*) FROM cells WHERE status = 0 AND begun > 1"
                                ).fetchone()[0] > 0
    except sqlite3.OperationalError:  # killed before there were tables
        return False
    finally:
        database.close()


def change(path, *statement):
    database = sqlite3.connect(path)
    database.execute(*statement)
    database.commit()
    database.close()


def resumed(sandbox, folder, whole):
    sandbox.expect(sandbox.assay(*RUN, folder, "--resume"), WHOLE_CODE, err="")
    whole.check_same(sandbox, folder)


def kill_after(sandbox, delay_s, *words):
    """Starts a run and kills it; TRUE if it was still under way."""
    process = sandbox.start(*words)
    time.sleep(delay_s)
    sandbox.kill(process)
    return process.returncode == -signal.SIGKILL
