"""A run that goes on and on: memory, open files and threads are looked at while it lasts, and do not
grow with the cells that are done. The short form takes a minute;

    ASSAY_TEST_SOAK_SECONDS=3600 tests/cli/run -m slow -s soak

takes an hour, and prints what it measured."""

import os
import pathlib
import re
import signal
import sqlite3
import statistics
import time

import pytest

from test_shared import NULL_CELLS

SECONDS = float(os.environ.get("ASSAY_TEST_SOAK_SECONDS", "60"))
# More than are done by then; a plan takes ten million.
CELLS = int(min(3000 * max(SECONDS, 60), 9e6))
MOST_TRIALS = 1_000_000  # of a scenario; more cells are those of more defenses
# As of test_shared: a cell that stays in memory takes 1,000. What every cell leaves for good, its
# outcome among it, is some 60.
MOST_BYTES_A_CELL = 300


def look(pid, store):
    """(cells done, bytes of its own, open files, threads)."""
    place = pathlib.Path(f"/proc/{pid}")
    status = (place / "status").read_text()
    own = int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) * 1024
    threads = int(re.search(r"Threads:\s+(\d+)", status)[1])
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=30)
    try:
        done = connection.execute("SELECT count(*) FROM cells WHERE status <> 0").fetchone()[0]
    finally:
        connection.close()
    return done, own, len(os.listdir(place / "fd")), threads


def watch(process, store):
    """What was seen, a line a look; the first ones, while things are set up, are left out."""
    seen = []
    end = time.monotonic() + 600
    while not store.exists() or store.stat().st_size < 100_000:
        assert process.poll() is None and time.monotonic() < end, "the run does not begin"
        time.sleep(0.1)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        time.sleep(max(0.5, SECONDS / 1000))
        assert process.poll() is None, "the run is over: more cells are needed"
        seen.append(look(process.pid, store))
    return seen[len(seen) // 5:]


@pytest.mark.slow
def test_nothing_grows_with_what_is_done(sandbox):
    defenses = -(-CELLS // MOST_TRIALS)
    scenario = NULL_CELLS.format(cells=-(-CELLS // defenses))
    scenario += "".join(f"\n[defense none-{at}]\nplugin = none\n" for at in range(1, defenses))
    sandbox.write("null.scenario", scenario)
    process = sandbox.start("run", "null.scenario", "--quiet", "--jobs", 1, "--out", "out")
    try:
        seen = watch(process, sandbox.path / "out" / "run.sqlite")
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=300)[1]
    finally:
        process.kill()
    assert process.returncode == 130 and "Go on with:" in err, err
    done, own, files, threads = zip(*seen)
    slope = statistics.linear_regression(done, own).slope
    print(f"{done[-1]} cells in {SECONDS:.0f} s, {own[-1] / 2**20:.1f} MiB at the end, "
          f"{slope:.1f} bytes a cell")
    assert done[-1] - done[0] > 500 and len(seen) > 20, "too little was seen"
    assert slope < MOST_BYTES_A_CELL, f"{slope:.0f} bytes a cell"
    assert statistics.median(files[-5:]) <= statistics.median(files[:5]), "files stay open"
    assert statistics.median(threads[-5:]) <= statistics.median(threads[:5]), "threads stay"
