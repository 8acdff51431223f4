"""Commands beside "run" that are killed at any system call which changes the disk, and the Python
package: what they write is there whole or not at all, and the same command again ends as if nothing
had been."""

import collections
import shutil
import signal

import pytest

from disturbed_runs import EPSILON, lasting
from fetching import COMMAND, CONTENT, TARGET, fetched, write_catalog
from file_server import FileServer, Page
from places import SOURCE
from system_calls import at_each, choose, inject, points_of, strace

COUNTS = pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])


def without_beside(found):
    """Without files on their way to their place, and SQLite's own."""
    return {name: digest for name, digest in found.items()
            if not name.endswith((".tmp", "-wal", "-shm")) and digest != "folder"}


def killed_at_calls(sandbox, count, words, whole, names=None):
    """@words write into the folder "written", where each file is that of @whole or of before."""
    shutil.rmtree(sandbox.path / "written", ignore_errors=True)
    points = points_of(sandbox, *words)
    least = collections.Counter(name for name, _, _ in points)
    assert least["write"] >= 3 and least["rename"] >= 3, f"few calls: {least}"

    def kill(point):
        for before in ({}, whole):
            if not before:
                shutil.rmtree(sandbox.path / "written", ignore_errors=True)
            result = strace(sandbox, inject(point, "signal=KILL"), *words)
            # Folders are made once.
            assert result.code == -signal.SIGKILL or before, f"not killed: {result}"
            if (sandbox.path / "written").exists():
                found = without_beside(lasting(sandbox, "written"))
                half = [name for name in found if found[name] != whole.get(name)]
                assert not half, f"half or other: {half}"
                assert not before or found == whole, "what was there is missing"
            sandbox.expect(sandbox.assay(*words))
            assert lasting(sandbox, "written") == whole | {
                name: "folder" for name in ("plots", "pictures")
                if (sandbox.path / "written" / name).is_dir()}

    at_each(choose(points, count), kill)


@pytest.fixture
def places(sandbox):
    """The folders of two finished runs whose defenses can be compared."""
    for out, epsilon in (("one", "1; 3"), ("two", "2; 4")):
        sandbox.write("epsilon.scenario", EPSILON.replace("1; 3", epsilon))
        sandbox.assay("run", "epsilon.scenario", "--quiet", "--out", out)
    return [next((sandbox.path / out).glob("run.sqlite")).parent for out in ("one", "two")]


@COUNTS
def test_report(sandbox, places, count):
    words = ["report", str(places[0]), "--quiet", "--out", "written"]
    before = sandbox.tree(places[0])
    sandbox.expect(sandbox.assay(*words))
    killed_at_calls(sandbox, count, words, without_beside(lasting(sandbox, "written")))
    assert sandbox.tree(places[0]) == before, "the run has changed"


@COUNTS
def test_compare(sandbox, places, count):
    words = ["compare", *map(str, places), "--out", "written"]
    before = [sandbox.tree(place) for place in places]
    sandbox.expect(sandbox.assay(*words))
    killed_at_calls(sandbox, count, words, without_beside(lasting(sandbox, "written")))
    assert [sandbox.tree(place) for place in places] == before, "a run has changed"


@COUNTS
def test_dataset_fetch(sandbox, count):
    """How many pieces a file comes in is the network's; a call that is not reached ends well."""
    with FileServer() as server:
        server.pages["/rows.bin"] = Page(CONTENT)
        write_catalog(sandbox, f"{server.url}/rows.bin")
        points = points_of(sandbox, *COMMAND)
        n_killed = 0

        def kill(point):
            nonlocal n_killed
            shutil.rmtree(sandbox.path / "out", ignore_errors=True)
            result = strace(sandbox, inject(point, "signal=KILL"), *COMMAND)
            assert result.code in (0, -signal.SIGKILL), str(result)
            n_killed += result.code != 0
            target = sandbox.path / TARGET
            assert not target.exists() or target.read_bytes() == CONTENT, "half a file has its name"
            fetched(sandbox)

        chosen = choose(points, count)
        at_each(chosen, kill)
        assert n_killed >= len(chosen) / 2, f"only {n_killed} of {len(chosen)} kills met a fetch"


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import assay
record = assay.run(open("epsilon.scenario").read(), out=sys.argv[2], resume=True).record
for cell in record["cells"]:
    print(cell["status"], [one["estimate"] for one in cell.get("measurements", [])])
"""


@COUNTS
def test_python_package(sandbox, numpy_python, count):
    library = sandbox.assay_path.parent / "lib" / "libassay.so.0"
    if not library.exists():
        pytest.skip("libassay is not built")
    sandbox.environment["ASSAY_LIBRARY"] = str(library)
    sandbox.write("epsilon.scenario", EPSILON)
    sandbox.write("script.py", SCRIPT)
    words = ["-B", "script.py", str(SOURCE / "python"), "out"]
    whole = sandbox.shell(f"{numpy_python} {' '.join(words[:-1])} whole")
    sandbox.expect(whole, out="{*}\n{*}\n{*}\n{*}\n", err="")
    points = points_of(sandbox, *words, program=numpy_python)
    assert len(points) > 100, f"few calls: {points}"

    def kill(point):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = strace(sandbox, inject(point, "signal=KILL"), *words, program=numpy_python)
        assert result.code == -signal.SIGKILL, f"not killed: {result}"
        again = sandbox.shell(f"{numpy_python} {' '.join(words)}")
        sandbox.expect(again, out=whole.out, err="")
        ours, theirs = lasting(sandbox, "out"), lasting(sandbox, "whole")
        assert ours == theirs, "other files than an undisturbed run"

    at_each(choose(points, count), kill)
