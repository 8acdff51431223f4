"""One run, one result: whatever the number of threads, and however often it was stopped."""

import json
import random
import shutil
import signal
import sqlite3
import time

import pytest

import tiny
from sandbox import TIMEOUT_S

SHORT_KILLS = 25
LONG_KILLS = 200

SCENES = """\
[dataset]
plugin = scenes
private_images = 3
public_images = 3
database_images = 4
per_image = 100
width = 160
height = 120
secrets = 20
tune_secrets = 10

[defense lifting]
plugin = affine-lifting
variant = hybrid; sub-hybrid

[attack nearest]
plugin = nearest
grants = public

[attack tuned]
plugin = database
grants = database
tune.neighbours = 50; 100
tune_measure = relative-error-median
"""


RUN = ("run", "tiny.scenario", "--quiet", "--jobs", "1", "--out")


class Whole:
    """An undisturbed run in the folder "whole", and what it left."""

    def __init__(self, sandbox, text=tiny.LONGER):
        tiny.write(sandbox, text)
        sandbox.expect(sandbox.assay(*RUN, "whole"))
        self.results = sandbox.read("whole/results.json")
        self.files = set(sandbox.tree("whole"))

    def check_same(self, sandbox, folder):
        found = sandbox.read(f"{folder}/results.json")
        assert found == self.results, f"{folder}: other results"
        files = set(sandbox.tree(folder))
        assert files == self.files, f"{folder}: other files: {files ^ self.files}"


def wait_until_begun(sandbox, folder):
    wal = sandbox.path / folder / "run.sqlite-wal"
    end = time.monotonic() + 100
    while not wal.exists():
        assert time.monotonic() < end, "the run does not begin"
        time.sleep(0.0005)


def resumed(sandbox, folder, whole):
    sandbox.expect(sandbox.assay(*RUN, folder, "--resume"), err="")
    whole.check_same(sandbox, folder)


# ---- Threads ----


def same_with_any_threads(sandbox, scenario):
    tiny.write(sandbox, scenario)
    for jobs in (1, 2, 3):
        sandbox.run_ok("tiny.scenario", "--out", f"out{jobs}", "--quiet", "--jobs", jobs)
    first = sandbox.read("out1/results.json")
    for jobs in (2, 3):
        assert sandbox.read(f"out{jobs}/results.json") == first, f"--jobs {jobs}: other results"
        assert json.loads(sandbox.read(f"out{jobs}/run.json"))["threads"] == jobs, "threads used"


def test_same_bytes_with_1_2_3_threads(sandbox):
    same_with_any_threads(sandbox, tiny.LONGER)


def test_same_bytes_with_1_2_3_threads_on_scenes(sandbox):
    same_with_any_threads(sandbox, SCENES)


# ---- Kills ----


def seconds_of_a_run(sandbox):
    """The shortest of three: a longer time would put most kills behind the end."""
    seconds = []
    for i in range(3):
        start = time.monotonic()
        sandbox.expect(sandbox.assay(*RUN, f"timed{i}"))
        seconds.append(time.monotonic() - start)
        shutil.rmtree(sandbox.path / f"timed{i}")
    return min(seconds)


def kill_at(sandbox, folder, delay_s):
    """Starts a run and kills it; TRUE if it was still under way."""
    process = sandbox.start(*RUN, folder)
    time.sleep(delay_s)
    sandbox.kill(process)
    return process.returncode == -signal.SIGKILL


def kill_often(sandbox, count):
    whole = Whole(sandbox)
    seconds = seconds_of_a_run(sandbox)
    moments = random.Random(2024)
    n_hit = 0
    for i in range(count):
        n_hit += kill_at(sandbox, f"out{i}", moments.uniform(0, seconds))
        try:
            resumed(sandbox, f"out{i}", whole)
        except AssertionError as problem:
            raise AssertionError(f"kill {i}: {problem}") from problem
    assert n_hit >= count / 3, f"only {n_hit} of {count} kills met a run that was under way"


def test_killed_at_25_moments(sandbox):
    kill_often(sandbox, SHORT_KILLS)


@pytest.mark.slow
def test_killed_at_200_moments(sandbox):
    kill_often(sandbox, LONG_KILLS)


def kill_while_replacing(sandbox, count):
    """At any moment the folder holds one whole run."""
    whole = Whole(sandbox)
    seconds = seconds_of_a_run(sandbox)
    moments = random.Random(7)
    for i in range(count):
        kill_at(sandbox, "whole", moments.uniform(0.3, 1.1) * seconds)
        whole.check_same(sandbox, "whole")
        resumed(sandbox, "whole", whole)
        if i % 5 == 4:
            sandbox.expect(sandbox.assay(*RUN, "whole"))
    folders = {path.name for path in sandbox.path.iterdir() if path.is_dir()}
    assert folders == {"whole"}, f"left behind: {folders}"


def test_killed_while_replacing(sandbox):
    kill_while_replacing(sandbox, 10)


@pytest.mark.slow
def test_killed_while_replacing_100_times(sandbox):
    kill_while_replacing(sandbox, 100)


def test_killed_before_the_store_said_what_it_runs(sandbox):
    """A store without tables, as a kill between two writes leaves it, is no obstacle."""
    whole = Whole(sandbox)
    for name, statements in (
        ("empty", []),
        ("header", ["PRAGMA journal_mode = WAL", "PRAGMA user_version = 0"]),
        ("schema", [*schema_of(sandbox, "whole"), "PRAGMA application_id = 1634956153",
                    "PRAGMA user_version = 1"]),
    ):
        (sandbox.path / name).mkdir()
        change_store(sandbox, name, *statements)
        if not statements:
            sandbox.write("empty/run.sqlite", b"")
        resumed(sandbox, name, whole)


# ---- Interrupts ----


def interrupt(sandbox, folder, number, *words):
    """Sends a signal to a run that has begun; the run meets it when it goes on."""
    process = sandbox.start("run", "tiny.scenario", "--jobs", "1", "--out", folder, *words)
    wait_until_begun(sandbox, folder)
    process.send_signal(signal.SIGSTOP)
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, f"exit code {process.returncode}\n{out}{err}"
    assert out == "", f"stdout: {out}"
    return err


def goes_on_as_told(sandbox, err, folder, results):
    """What the message says to type, typed."""
    lines = err.splitlines()
    assert lines[-2] == "Go on with:", err
    assert f"of {tiny.LONGER_CELLS} cells; what is done is kept in {folder}" in lines[-3], err
    sandbox.expect(sandbox.shell(lines[-1].strip()))
    assert sandbox.read(f"{folder}/results.json") == results, "other results"


def test_interrupted(sandbox):
    whole = Whole(sandbox)
    for number in (signal.SIGINT, signal.SIGTERM):
        folder = f"out{int(number)}"
        goes_on_as_told(sandbox, interrupt(sandbox, folder, number), folder, whole.results)


def test_interrupted_with_words_that_need_quotes(sandbox):
    tiny.write(sandbox, tiny.LONGER)
    words = ("--seed", "12", "--set", "defense lifting.dimension=2; 4", "--set",
             "scenario.title=It's $HOME; `id` \"here\"", "--quiet")
    sandbox.run_ok("tiny.scenario", "--out", "whole", *words)
    expected = sandbox.read("whole/results.json")
    err = interrupt(sandbox, "the 'out' folder", signal.SIGINT, *words)
    goes_on_as_told(sandbox, err, "the 'out' folder", expected)


def test_interrupted_twice_ends_at_once(sandbox):
    whole = Whole(sandbox)
    process = sandbox.start(*RUN, "out")
    wait_until_begun(sandbox, "out")
    process.send_signal(signal.SIGSTOP)
    # Two of one kind would be one; any two are two requests.
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode in (130, -signal.SIGINT), f"exit code {process.returncode}"
    resumed(sandbox, "out", whole)


# ---- What the store says of an earlier process ----


def change_store(sandbox, folder, *statements):
    database = sqlite3.connect(sandbox.path / folder / "run.sqlite")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def schema_of(sandbox, folder):
    database = sqlite3.connect(sandbox.path / folder / "run.sqlite")
    found = [row[0] for row in database.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")]
    database.close()
    return found


def take_back(begun):
    """Makes cell 3 of a whole run one that was begun so often and never finished."""
    return (
        f"UPDATE cells SET status = 0, begun = {begun} WHERE cell = 3",
        "DELETE FROM outcomes WHERE cell = 3",
        "DELETE FROM meta WHERE key = 'state'",
    )


def test_unfinished_stops_and_names_resume(sandbox):
    whole = Whole(sandbox)
    change_store(sandbox, "whole", *take_back(1))
    before = sandbox.tree()
    sandbox.refuses(
        sandbox.assay(*RUN, "whole"),
        "output folder whole holds an unfinished run of this scenario; expected --resume to go on "
        "with it, or --out with another folder")
    assert sandbox.tree() == before, "the refused run changed something"
    resumed(sandbox, "whole", whole)


def test_cell_that_ended_the_process_once_is_played_again(sandbox):
    whole = Whole(sandbox)
    change_store(sandbox, "whole", *take_back(1))
    resumed(sandbox, "whole", whole)


def test_cell_that_ended_the_process_twice_is_passed_over(sandbox):
    whole = Whole(sandbox)
    change_store(sandbox, "whole", *take_back(2))
    for _ in range(2):  # and stays so
        result = sandbox.expect(sandbox.assay(*RUN, "whole", "--resume"), 3)
        assert "the process ended twice while this cell ran" in result.out, result.out
    cells = json.loads(sandbox.read("whole/results.json"))["cells"]
    others = json.loads(whole.results)["cells"]
    assert (cells[3]["status"], cells[3]["measurements"]) == ("error", []), str(cells[3])
    del cells[3], others[3]
    assert cells == others, "other cells changed"


def test_lost_control_is_inconclusive(sandbox):
    """A control that the store knows as lost counts against every cell of its attack."""
    whole = Whole(sandbox)
    change_store(
        sandbox, "whole", "DELETE FROM cells", "DELETE FROM outcomes",
        "DELETE FROM meta WHERE key = 'state'",
        "UPDATE meta SET value = 'lost 0.25 12' WHERE key = 'control.1.0'")
    result = sandbox.expect(sandbox.assay(*RUN, "whole", "--resume"), 3)
    assert "control" in result.out and "!" in result.out, result.out
    before = json.loads(whole.results)["cells"]
    after = json.loads(sandbox.read("whole/results.json"))["cells"]
    for old, new in zip(before, after, strict=True):
        expected = "control-failed" if old["attack"]["label"] == "database" else "ok"
        assert new["status"] == expected, f"{old['attack']['label']}: {new['status']}"
        assert new["measurements"] == old["measurements"], "measurements changed"


def test_data_changed_before_resume(sandbox):
    Whole(sandbox)
    change_store(sandbox, "whole", *take_back(1))
    path = sandbox.path / "private.fvecs"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    results = sandbox.read("whole/results.json")
    sandbox.refuses(
        sandbox.assay(*RUN, "whole", "--resume"),
        "the data of the run changed since it began (sha256 {*}, now {*}); expected a new run with "
        "--out")
    assert sandbox.read("whole/results.json") == results, "results.json changed"


def test_data_changed_after_the_run_was_finished(sandbox):
    """Results of other data are not handed out; and not for cells that are all done either."""
    whole = Whole(sandbox)
    path = sandbox.path / "database.fvecs"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    for statements in ([], ["DELETE FROM meta WHERE key = 'state'"]):
        change_store(sandbox, "whole", *statements)
        sandbox.refuses(
            sandbox.assay(*RUN, "whole", "--resume"),
            "the data of the run changed since it began (sha256 {*}, now {*}); expected a new run "
            "with --out")
    assert sandbox.read("whole/results.json") == whole.results, "results.json changed"


def meta(sandbox, folder, key):
    database = sqlite3.connect(sandbox.path / folder / "run.sqlite")
    found = database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    database.close()
    return found[0]


def test_killed_between_exchange_and_clean_up(sandbox):
    """The run that was replaced does not come back."""
    whole = Whole(sandbox)
    shutil.copytree(sandbox.path / "whole", sandbox.path / "old")
    sandbox.expect(sandbox.assay(*RUN, "whole"))
    assert int(meta(sandbox, "whole", "serial")) == int(meta(sandbox, "old", "serial")) + 1, (
        "the serial number of a run that replaces another is one more")
    newer = meta(sandbox, "whole", "serial")
    for words in (["--resume"], []):
        shutil.copytree(sandbox.path / "old", sandbox.path / "whole.new")
        sandbox.expect(sandbox.assay(*RUN, "whole", *words), err="")
        assert int(meta(sandbox, "whole", "serial")) == int(newer) + (not words), "the old one"
        assert not (sandbox.path / "whole.new").exists(), "whole.new was left behind"
        whole.check_same(sandbox, "whole")


def test_killed_before_the_exchange(sandbox):
    """The run that is whole, and newer, takes its place."""
    whole = Whole(sandbox)
    shutil.copytree(sandbox.path / "whole", sandbox.path / "old")
    sandbox.expect(sandbox.assay(*RUN, "whole"))
    newer = meta(sandbox, "whole", "serial")
    (sandbox.path / "whole").rename(sandbox.path / "whole.new")
    (sandbox.path / "old").rename(sandbox.path / "whole")
    resumed(sandbox, "whole", whole)
    assert meta(sandbox, "whole", "serial") == newer, "the old one"
    assert not (sandbox.path / "whole.new").exists(), "whole.new was left behind"


def test_begun_by_another_version(sandbox):
    """Cells of two versions do not end in one table; a finished run is read by any."""
    whole = Whole(sandbox)
    other = "UPDATE meta SET value = '0.0.1 (abc)' WHERE key = 'version'"
    ours = meta(sandbox, "whole", "version")
    change_store(sandbox, "whole", other)
    resumed(sandbox, "whole", whole)
    change_store(sandbox, "whole", *take_back(1))
    before = sandbox.tree()
    sandbox.refuses(
        sandbox.assay(*RUN, "whole", "--resume"),
        "output folder whole holds an unfinished run that Assay 0.0.1 (abc) began, and this is "
        f"{ours}; expected the same, or --out with another folder")
    assert sandbox.tree() == before, "the refused run changed something"


def test_begun_with_a_byte_order_mark(sandbox):
    """As some editors write it: the same run."""
    whole = Whole(sandbox)
    sandbox.write("tiny.scenario", b"\xef\xbb\xbf" + tiny.LONGER.encode())
    sandbox.expect(sandbox.assay("plan", "tiny.scenario"), err="")
    sandbox.expect(sandbox.assay(*RUN, "whole", "--resume"), err="")
    assert (json.loads(sandbox.read("whole/results.json"))["cells"]
            == json.loads(whole.results)["cells"]), "other cells"


def test_resume_with_another_number_of_threads(sandbox):
    whole = Whole(sandbox)
    change_store(sandbox, "whole", *take_back(1))
    sandbox.run_ok("tiny.scenario", "--out", "whole", "--resume", "--quiet", "--jobs", "3")
    whole.check_same(sandbox, "whole")
