"""The scenario that most suites play: milliseconds, on generated rows."""

import data

PRIVATE = data.make_rows(40, 16, 1)
PUBLIC = data.make_rows(60, 16, 2)
DATABASE = data.make_rows(200, 16, 3)

SCENARIO = """\
[scenario]
title = Tiny
seed = 3
trials = 2

[dataset]
plugin = vectors
private = private.fvecs
public = public.npy
database = database.fvecs
secrets = 8

[defense plain]
plugin = none

[defense lifting]
plugin = affine-lifting
dimension = 2; 4

[attack nearest]
plugin = nearest
grants = public

[attack database]
plugin = database
grants = database
neighbours = 40
averaged = 3
"""
CELLS = 10

# More cells and tuning, so that there is something to interrupt.
LONGER = SCENARIO.replace("trials = 2", "trials = 4") + """
[attack tuned]
plugin = database
grants = database
tune.neighbours = 40; 60; 100
averaged = 3
tune_measure = relative-error-median
"""


def write(sandbox, text=SCENARIO, name="tiny.scenario"):
    """The scenario and its data into the sandbox."""
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", PRIVATE))
    sandbox.write("public.npy", data.file_bytes("public.npy", PUBLIC))
    sandbox.write("database.fvecs", data.file_bytes("database.fvecs", DATABASE))
    sandbox.write(name, text)
LONGER_CELLS = 28
