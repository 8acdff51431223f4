"""The benchmarks of bench/run that time the program itself: whole runs of `assay run`.

cells    more and more cells that do next to nothing
workers  such cells by one, two and three processes
ranks    what sharing a run among processes costs: the same cells in one process, by two workers and
         by three ranks of MPI, of which two work; and attacks by more and more ranks
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

CELLS = (1000, 10000, 100000)
WORKERS = (1, 2, 3)
RANKS = (2, 3, 4)
NAMES = ("cells", "workers", "ranks")

NULL_CELLS = """[scenario]
title = Null cells
seed = 1
trials = {trials}

[dataset]
plugin = values
kind = real
columns = 4
count = {trials}
secrets = 1

[defense none]
plugin = none

[attack verbatim]
plugin = verbatim

[metric relative-error]
"""

# Cells of some milliseconds: a mechanism played over and over.
AUDITS = """[scenario]
title = Audits
seed = 1
trials = {trials}

[dataset]
plugin = values
kind = whole
values = 10
secrets = 10

[defense coin]
plugin = randomised-response
epsilon = 0.5; 1; 1.5; 2; 2.5; 3; 3.5; 4; 4.5; 5

[attack distinguish]
plugin = distinguish
runs = 30000
training = 10000
"""

# Ten times as long.
LONG_AUDITS = AUDITS.replace("runs = 30000", "runs = 300000").replace("training = 10000",
                                                                      "training = 100000")

# Cells of some milliseconds, three of which share a release.
ATTACKS = """[scenario]
title = Attacks
seed = 1
trials = {trials}

[dataset]
plugin = scenes
private_images = 16
public_images = 4
database_images = 16
per_image = 100
width = 160
height = 120
secrets = 40

[defense lifting]
plugin = affine-lifting
variant = random; hybrid
dimension = 4; 8; 16

[attack database]
plugin = database
grants = database
neighbours = 20; 50; 100
"""

# Scenario, trials, cells a trial: about so long as to be told from the start of a process.
KINDS = {"null cells": (NULL_CELLS, 5000, 1), "audits": (AUDITS, 80, 10),
         "long audits": (LONG_AUDITS, 20, 10), "attacks": (ATTACKS, 30, 18)}
START_TRIALS = 1


class Failed(Exception):
    """A benchmark cannot be run, and why."""


class LeftOut(Exception):
    """A benchmark of something that this program does not have."""


# ---- One run ----

def run_program(assay, scenario, arguments, folder, launcher=()):
    """Seconds by the clock, of the processor, and the peak in MiB of `assay run` with all its
    processes (the peak is that of the largest)."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = [*launcher, str(assay), "run", "-q", "-o", str(out), str(scenario), *arguments]
    start = time.monotonic()
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        if process.returncode != 0:
            messages.seek(0)
            raise Failed(messages.read().decode(errors="replace").strip())
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def times_of(clock, cpu):
    ordered = sorted(clock)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return {"minimum": ordered[0], "median": middle, "cpu": min(cpu)}


def output_of(*command):
    try:
        return subprocess.run([str(word) for word in command], check=True, capture_output=True,
                              encoding="utf-8").stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def launcher_of(assay, n):
    """The words before the program that make @n ranks of it; None: there is no MPI, or the program
    is built without."""
    if shutil.which("mpirun") is None or "libmpi" not in output_of("ldd", assay):
        return None
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "-n", str(n)]


# ---- Null cells ----

def measure_null(name, assay, options, folder):
    runs = options.runs or (1 if options.quick else 3)
    part = 20 if options.quick else 1
    if name == "cells":
        plan = [(f"cells {n // part}", n // part, []) for n in CELLS]
    else:
        plan = [(f"workers {n}", 5000 // part, ["--workers", str(n)]) for n in WORKERS]
    cases = []
    scenario = folder / "null.scenario"
    for case, count, arguments in plan:
        scenario.write_text(NULL_CELLS.format(trials=count), encoding="utf-8")
        if options.threads is not None:
            arguments = arguments + ["--jobs", str(options.threads)]
        clock, cpu, peak = zip(*(run_program(assay, scenario, arguments, folder)
                                 for _ in range(runs)))
        values = {"s": times_of(clock, cpu), "ms a cell": 1e3 * min(clock) / count,
                  "CPU ms a cell": 1e3 * min(cpu) / count, "peak MiB": max(peak)}
        cases.append({"name": case, "values": values})
    return {"about": "Null cells of one run of the program", "runs": runs, "cases": cases}


# ---- What sharing costs ----

def ways_of(assay):
    """Name: the words before and after the program. The first is what the others are held
    against."""
    ways = {"alone, 1 thread": ((), ("--jobs", "1")), "alone, 2 threads": ((), ("--jobs", "2")),
            "2 workers": ((), ("--workers", "2", "--jobs", "2"))}
    launcher = launcher_of(assay, 3)
    if launcher is not None:
        ways["3 ranks"] = (launcher, ("--jobs", "1"))
    return ways


def take_turns(assay, scenario, ways, more, runs, folder):
    """Times by way; ways take turns, so that what else the machine does meets all of them."""
    samples = {name: [] for name in ways}
    for _ in range(runs):
        for name, (launcher, arguments) in ways.items():
            samples[name].append(run_program(assay, scenario, [*arguments, *more], folder,
                                             launcher)[:2])
    return {name: times_of(*zip(*taken)) for name, taken in samples.items()}


def loss(part, whole):
    return 100 * (part / whole - 1) if whole > 0 else None


def sharing_cases(kind, whole, start, count):
    """Cells are what a run takes beyond one of a single trial; the loss is against one process with
    one thread: of the processors' time, and by the clock against half of it."""
    cases = []
    cells = {name: {key: max(whole[name][key] - start[name][key], 0) for key in ("minimum", "cpu")}
             for name in whole}
    alone = next(iter(cells.values()))
    for name, times in whole.items():
        by_clock = None
        if name not in ("alone, 1 thread", "alone, 2 threads"):
            by_clock = loss(2 * cells[name]["minimum"], alone["minimum"])
        cases.append({"name": f"{kind}, {name}", "values": {
            "s": times, "start s": start[name], "ms a cell": 1e3 * cells[name]["minimum"] / count,
            "CPU ms a cell": 1e3 * cells[name]["cpu"] / count,
            "CPU loss %": loss(cells[name]["cpu"], alone["cpu"]), "clock loss %": by_clock}})
    return cases


def growth_cases(assay, scenario, runs, folder):
    cases = []
    for n in RANKS:
        way = {"ranks": (launcher_of(assay, n), ("--jobs", "1"))}
        cases.append({"name": f"ranks {n}", "values": {
            "s": take_turns(assay, scenario, way, (), runs, folder)["ranks"]}})
    return cases


def measure_ranks(assay, options, folder):
    runs = options.runs or (1 if options.quick else 3)
    ways = ways_of(assay)
    cases = []
    scenario = folder / "shared.scenario"
    for kind, (text, trials, of_trial) in KINDS.items():
        trials = max(trials // (10 if options.quick else 1), 2)
        scenario.write_text(text.format(trials=trials), encoding="utf-8")
        whole = take_turns(assay, scenario, ways, (), runs, folder)
        start = take_turns(assay, scenario, ways, ("--trials", str(START_TRIALS)), runs, folder)
        cases += sharing_cases(kind, whole, start, (trials - START_TRIALS) * of_trial)
    about = "Cells by one process and shared; start: a run of one trial, which the others are beyond"
    if launcher_of(assay, 2) is None:
        about += "; no MPI here, so no ranks"
    else:
        cases += growth_cases(assay, scenario, runs, folder)
    return {"about": about, "runs": runs, "cases": cases}


def measure(name, assay, options):
    if name != "cells" and "--workers" not in output_of(assay, "run", "--help"):
        raise LeftOut("this program has no --workers")
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as text:
        folder = pathlib.Path(text)
        result = (measure_ranks(assay, options, folder) if name == "ranks"
                  else measure_null(name, assay, options, folder))
    return {"bench": name, **result, "is_quick": options.quick}
