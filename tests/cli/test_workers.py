"""Runs that several processes share: workers of one machine, and ranks of MPI."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import mpi
import tiny
from disturbed_runs import EPSILON, WHOLE_CODE, lasting
from disturbed_runs import SCENES as PAINTED
from sandbox import TIMEOUT_S
from test_resume import SCENES
from two_machines import TwoMachines


# Many cells that take some milliseconds each, so that there is time to meet processes at work.
MANY = tiny.SCENARIO.replace("trials = 2", "trials = 5").replace(
    "dimension = 2; 4", "variant = random\ndimension = 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12"
).replace("neighbours = 40\naveraged = 3", "neighbours = 40; 50; 60\naveraged = 1; 2; 3; 4")

# A utility, and pictures of secrets, releases and guesses.
KINDS = """\
[scenario]
title = All kinds of cells
seed = 5
trials = 2

[dataset]
plugin = shapes
size = 12
private_images = 60
test_images = 40
public_images = 40
secrets = 10

[defense mixed]
plugin = mixup
k = 2; 3

[attack averaging]
plugin = averaging
grants = groups; other-releases

[utility accuracy]
plugin = classification
epochs = 1

[pictures faces]
released = yes
count = 4
"""

# All that a cell can leave in a store: with painted photographs, groups and a claim, and with the
# audit of a mechanism.
ALL_KINDS = (KINDS, PAINTED, EPSILON)

# The program ends whoever plays it: the worker.
DEADLY = """\
import os, signal, sys
os.kill(os.getppid(), signal.SIGKILL)
"""


def code_of(text):
    return WHOLE_CODE if text == PAINTED else 0


def check_same_bytes(sandbox, folder):
    """As the folder "alone", which holds the run of one process: pictures and plots as well."""
    found, expected = lasting(sandbox, folder), lasting(sandbox, "alone")
    other = sorted(name for name in found.keys() | expected.keys()
                   if found.get(name) != expected.get(name))
    assert not other, f"{folder}: other bytes, missing or too many: {other}"
    for name in ("results.json", "results.csv", "report.html", "summary.md"):
        assert name in found, f"{folder} has no {name}"


def same_as_alone(sandbox, folder, *how, code=0):
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", folder, *how, code=code)
    check_same_bytes(sandbox, folder)


def play_alone(sandbox, text):
    """The run of one process; what it left is what its scenario is here for."""
    tiny.write(sandbox, text)
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "alone", code=code_of(text))
    results = json.loads(sandbox.read("alone/results.json"))
    assert all(cell["status"] == "ok" for cell in results["cells"]), "a cell has no result"
    if "[pictures" in text:
        sheets = [name for name in sandbox.tree("alone") if re.match(r"pictures/.*\.png", name)]
        assert sheets, "there are no pictures"
    if text == EPSILON:
        assert all(cell["audit"]["hits"] > 0 for cell in results["cells"]), "nothing was audited"


def wait_for(condition, what):
    end = time.monotonic() + 100
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.001)


def start_at_work(sandbox, folder, workers=2):
    """A run of which some cells are done and most are not; its process and its workers."""
    process = sandbox.start("run", "tiny.scenario", "--quiet", "--workers", workers, "--out", folder)
    wal = sandbox.path / folder / "run.sqlite-wal"
    wait_for(lambda: wal.exists() and wal.stat().st_size > 100_000, "the run does not begin")
    return process, mpi.children_of(process.pid)


def is_gone(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


# ---- Workers ----


def test_same_bytes_with_any_number_of_workers(sandbox):
    tiny.write(sandbox, tiny.LONGER)
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "alone")
    for n in (1, 2, 5):
        same_as_alone(sandbox, f"with{n}", "--workers", n)


def test_same_bytes_on_scenes_and_other_kinds_of_cells(sandbox):
    for text in (SCENES, *ALL_KINDS):
        play_alone(sandbox, text)
        same_as_alone(sandbox, "with2", "--workers", 2, "--jobs", 2, code=code_of(text))
        shutil.rmtree(sandbox.path / "alone")
        shutil.rmtree(sandbox.path / "with2")


def test_settings_of_the_command_line_reach_workers(sandbox):
    tiny.write(sandbox)
    how = ("--seed", 9, "--trials", 3, "--set", "defense lifting.dimension=6;8")
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "alone", *how)
    same_as_alone(sandbox, "with2", "--workers", 2, *how)
    assert json.loads(sandbox.read("with2/results.json"))["scenario"]["seed"] == 9, "the seed"


def test_several_scenarios(sandbox):
    tiny.write(sandbox)
    tiny.write(sandbox, tiny.SCENARIO.replace("seed = 3", "seed = 4"), "other.scenario")
    for folder, workers in (("one", 1), ("two", 2)):
        sandbox.run_ok("tiny.scenario", "other.scenario", "--quiet", "--out", folder,
                       "--workers", workers)
    found = [sorted(path for path in sandbox.tree(folder) if path.endswith("results.json"))
             for folder in ("one", "two")]
    assert len(found[0]) == 2 and found[0] == found[1], str(found)
    for path in found[0]:
        assert sandbox.read(f"one/{path}") == sandbox.read(f"two/{path}"), path


def test_a_worker_that_is_killed_costs_nothing(sandbox):
    tiny.write(sandbox, MANY)
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "alone", "--jobs", 1)
    process, workers = start_at_work(sandbox, "out")
    assert len(workers) == 2, f"{len(workers)} workers"
    os.kill(workers[0], signal.SIGKILL)
    err = process.communicate(timeout=TIMEOUT_S)[1]
    assert process.returncode == 0 and not err.strip(), f"exit {process.returncode}: {err}"
    assert sandbox.read("out/results.json") == sandbox.read("alone/results.json"), "other bytes"


def test_a_killed_run_takes_its_workers_along_and_goes_on(sandbox):
    tiny.write(sandbox, MANY)
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "alone", "--jobs", 1)
    process, workers = start_at_work(sandbox, "out")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=TIMEOUT_S)
    wait_for(lambda: all(is_gone(pid) for pid in workers), "workers outlive their run")
    same_as_alone(sandbox, "out", "--resume", "--workers", 3)


def test_an_interrupted_run_ends_and_goes_on(sandbox):
    tiny.write(sandbox, MANY)
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "alone", "--jobs", 1)
    process, workers = start_at_work(sandbox, "out")
    for pid in (process.pid, *workers):  # as a terminal does it
        os.kill(pid, signal.SIGINT)
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, f"exit {process.returncode}, expected 130"
    assert all(is_gone(pid) for pid in workers), "workers outlive their run"
    same_as_alone(sandbox, "out", "--resume")


def test_a_cell_that_kills_workers_is_marked_and_passed_over(sandbox):
    sandbox.write("deadly.py", DEADLY)
    tiny.write(sandbox, tiny.SCENARIO.replace("[attack nearest]", f"""[defense deadly]
plugin = exec
command = {sys.executable} deadly.py
confine = never

[attack nearest]"""))
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "out", "--workers", 2, code=3)
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    for cell in cells:
        expected = "error" if cell["defense"]["label"] == "deadly" else "ok"
        assert cell["status"] == expected, f"{cell['defense']['label']}: {cell['status']}"
        assert expected == "ok" or cell["message"] == "the process ended twice while this cell ran", (
            cell["message"])
    assert any(cell["status"] == "error" for cell in cells), "no cell was deadly"


def test_numbers_of_workers(sandbox):
    tiny.write(sandbox)
    for wrong in ("-1", "1025"):
        sandbox.expect(sandbox.assay("run", "tiny.scenario", "--workers", wrong), 2, "",
                       "assay run: --workers: expected 1 to 1024\n")


# ---- Ranks ----


def mpirun(sandbox, n, *arguments, machines=None):
    return subprocess.run(mpi.launch(sandbox, n, *arguments, machines=machines), cwd=sandbox.path,
                          env=mpi.environment(), capture_output=True, text=True, timeout=TIMEOUT_S)


def ranks(sandbox, n, *arguments, code=0, machines=None):
    result = mpirun(sandbox, n, "run", *arguments, machines=machines)
    if machines is not None:
        machines.check_permitted(result)
    assert result.returncode == code, (
        f"exit {result.returncode}, expected {code}\n{result.stdout}{result.stderr}")
    return result


def test_same_bytes_with_ranks(sandbox):
    for text in (tiny.LONGER, *ALL_KINDS):
        play_alone(sandbox, text)
        for n in (1, 3):
            ranks(sandbox, n, "tiny.scenario", "--quiet", "--out", f"ranks{n}", code=code_of(text))
            check_same_bytes(sandbox, f"ranks{n}")
            shutil.rmtree(sandbox.path / f"ranks{n}")
        shutil.rmtree(sandbox.path / "alone")


def test_same_bytes_with_ranks_on_two_machines(sandbox):
    """The second has another network, and of the first no more than the launcher's agent."""
    play_alone(sandbox, KINDS)
    machines = TwoMachines(sandbox, 3)
    ranks(sandbox, 3, "tiny.scenario", "--quiet", "--out", "ranks", machines=machines)
    check_same_bytes(sandbox, "ranks")
    places = machines.places()
    assert ({rank: host for rank, (host, _) in places.items()}
            == {0: "here", 1: "there", 2: "there"}), f"the ranks are elsewhere: {places}"
    assert places[0][1] != places[1][1] == places[2][1], f"one network: {places}"
    assert machines.sent() > 20_000, f"{machines.sent()} bytes of news"


def test_a_rank_on_another_machine_is_named(sandbox):
    tiny.write(sandbox)
    tiny.write(sandbox, tiny.SCENARIO.replace("seed = 3", "seed = 4"), "other.scenario")
    machines = TwoMachines(sandbox, 2)
    sandbox.write("rank.sh", '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 0 ] || set -- "$1" run '
                             'other.scenario\nexec "$@"\n').chmod(0o755)
    result = ranks(sandbox, 2, "tiny.scenario", "--quiet", "--out", "out", code=2,
                   machines=machines)
    assert "rank 1 on there has another plan" in result.stderr, result.stderr


def test_ranks_play_several_scenarios_and_pass_over_finished_ones(sandbox):
    tiny.write(sandbox)
    tiny.write(sandbox, tiny.SCENARIO.replace("seed = 3", "seed = 4"), "other.scenario")
    both = ("tiny.scenario", "other.scenario", "--quiet", "--out")
    sandbox.run_ok(*both, "alone")
    result = ranks(sandbox, 3, *both, "ranks")
    assert result.stdout.count("results in ") == 2, result.stdout
    ranks(sandbox, 3, *both, "ranks", "--resume")
    for path in sandbox.tree("alone"):
        if path.endswith("results.json"):
            assert sandbox.read(f"alone/{path}") == sandbox.read(f"ranks/{path}"), path


def test_one_rank_tells_what_is_wrong(sandbox):
    tiny.write(sandbox, tiny.SCENARIO.replace("plugin = none", "plugin = nothing"))
    result = ranks(sandbox, 3, "tiny.scenario", code=2)
    assert result.stderr.count("unknown defense 'nothing'") == 1, result.stderr


def test_ranks_that_read_another_scenario_are_refused(sandbox):
    tiny.write(sandbox)
    tiny.write(sandbox, tiny.SCENARIO.replace("seed = 3", "seed = 4"), "other.scenario")
    sandbox.write("rank.sh", '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 0 ] || set -- "$1" run '
                             'other.scenario\nexec "$@"\n')
    result = ranks(sandbox, 2, "tiny.scenario", "--quiet", "--out", "out", code=2)
    assert "rank 1 on " in result.stderr and "has another plan" in result.stderr, result.stderr


def test_a_rank_that_is_killed_ends_the_run_which_goes_on(sandbox):
    tiny.write(sandbox, MANY)
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "alone", "--jobs", 1)
    sandbox.write("rank.sh", '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 2 ] && '
                             '(while [ ! -s out/run.sqlite-wal ]; do sleep 0.01; done; '
                             'sleep 0.05; kill -9 $$) &\nexec "$@"\n')
    result = mpirun(sandbox, 3, "run", "tiny.scenario", "--quiet", "--out", "out")
    assert result.returncode != 0, "a rank was killed, and nobody noticed"
    same_as_alone(sandbox, "out", "--resume")
