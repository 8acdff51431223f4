"""What a run says of a cell that takes long: on a terminal, in a log, with workers, and nowhere.
And what the steps by hand and selftest say, which have no cells."""

import contextlib
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import termios

import pytest

import data

REDRAW = b"\r\x1b[K"


def scenario(steps):
    return f"""\
[scenario]
title = Deep
seed = 7

[dataset]
plugin = gaussian-classes
count = 400
test_count = 60
columns = 32
classes = 4
secrets = 400

[defense dpsh]
plugin = dpsh
bits = 16
hidden = 512
steps = {steps}

[utility map]
plugin = map
"""


class Terminal:
    """A run, or another command, that writes its progress to one of @columns."""

    def __init__(self, sandbox, columns, *arguments, command=("run", "a.scenario")):
        try:
            self.ours, theirs = pty.openpty()
        except OSError as problem:  # a container without /dev/pts
            pytest.skip(f"no terminal can be opened: {problem}")
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = sandbox.start(*command, *arguments, stderr=theirs)
        os.close(theirs)
        self.seen = b""

    def read(self, until=None):
        """To the end, or until it has shown @until."""
        with contextlib.suppress(OSError):  # the end of a terminal
            while not (until and re.search(until, self.seen)):
                self.seen += os.read(self.ours, 4096) or self.stop()
        return self.seen

    @staticmethod
    def stop():
        raise OSError

    def end(self, code=0):
        """Each line that it drew."""
        self.read()
        os.close(self.ours)
        self.process.communicate()
        assert self.process.returncode == code, f"exit code {self.process.returncode}"
        return [line.decode() for line in self.seen.split(REDRAW)]


def results(sandbox, folder):
    return sandbox.read(f"{folder}/results.json")


def test_how_far_a_cell_is(sandbox):
    """And who listens, and how many work, changes no byte of the results."""
    sandbox.write("a.scenario", scenario(150))
    sandbox.run_ok("a.scenario", "--out", "quiet", "--quiet")
    drawn = Terminal(sandbox, 120, "--out", "a").end()
    batches = [int(found[1]) for line in drawn
               if (found := re.search(r"0/1 cells  map of dpsh: making a release, batch (\d+) of "
                                      r"150(?:, loss [0-9.e-]+)?$", line))]
    assert batches and batches == sorted(set(batches)), f"{drawn}"
    assert drawn[-1] == "", f"the bar is not cleared: {drawn[-1]}"
    assert results(sandbox, "a") == results(sandbox, "quiet")


@pytest.mark.parametrize("columns", [30, 60, 80])
def test_a_line_is_never_longer_than_the_terminal(sandbox, columns):
    sandbox.write("a.scenario", scenario(80))
    drawn = [line for line in Terminal(sandbox, columns, "--out", "a").end() if "/1 cells" in line]
    assert max(map(len, drawn)) <= columns - 1, f"{drawn}"
    wanted = "  making a rel" if columns == 30 else r"making a release, batch \d"
    assert any(re.search(wanted, line) for line in drawn), f"{drawn}"


def test_quiet_shows_none_of_it(sandbox):
    sandbox.write("a.scenario", scenario(40))
    assert Terminal(sandbox, 80, "--out", "a", "--quiet").end() == [""]
    assert Terminal(sandbox, 80, "--out", "b", "--quiet", "--workers", 2).end() == [""]


def test_workers_say_it_too(sandbox):
    sandbox.write("a.scenario", scenario(1000000))
    terminal = Terminal(sandbox, 120, "--out", "a", "--workers", 2)
    drawn = terminal.read(until=rb"2 workers: map of dpsh: making a release, batch \d")
    sandbox.kill(terminal.process)
    os.close(terminal.ours)
    assert b"2 workers: map of dpsh: making a release, batch" in drawn, f"{drawn}"


def test_stopped_within_a_cell(sandbox):
    """Ctrl-C while it is told how far the cell is: the cell is run again, to the same bytes."""
    sandbox.write("a.scenario", scenario(150))
    sandbox.run_ok("a.scenario", "--out", "whole", "--quiet")
    terminal = Terminal(sandbox, 80, "--out", "a")
    terminal.read(until=rb"making a release, batch \d+")
    terminal.process.send_signal(signal.SIGINT)
    drawn = terminal.end(code=130)
    assert "interrupted after 0 of 1 cells" in drawn[-1], f"{drawn}"
    sandbox.run_ok("a.scenario", "--out", "a", "--quiet", "--resume")
    assert results(sandbox, "a") == results(sandbox, "whole")


def test_a_log_has_lines_of_cells_alone(sandbox):
    """Of a cell that takes no half minute it says nothing."""
    sandbox.write("a.scenario", scenario(40))
    loud = sandbox.run_ok("a.scenario", "--out", "a")
    assert loud.err == "opening the dataset\n0 of 1 cells\n1 of 1 cells\n", loud.err


@pytest.mark.slow
def test_a_log_of_a_long_cell(sandbox):
    """A line each half minute."""
    sandbox.write("a.scenario", scenario(1000000))
    process = sandbox.start("run", "a.scenario", "--out", "a")
    lines = [process.stderr.readline() for _ in range(4)]
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert lines[:2] == ["opening the dataset\n", "0 of 1 cells\n"], f"{lines}"
    for line in lines[2:]:
        assert re.fullmatch(r"0 of 1 cells; map of dpsh: making a release, batch \d+ of 1000000, "
                            r"loss [0-9.e-]+\n", line), f"{lines}"


# ---- Without cells: steps by hand, and selftest ----

def write_steps(sandbox, steps=150):
    """{command: its words}, of which each takes the folders of those before it."""
    for name, seed in (("private.npy", 1), ("other.npy", 2)):
        sandbox.write(name, data.npy_bytes(data.make_rows(400, 32, seed)))
    sandbox.write("labels.npy", data.npy_bytes([i % 4 for i in range(400)], "int64"))
    sandbox.expect(sandbox.assay(
        "protect", "--defense", "additive-noise", "--secrets", "other.npy", "--seed", 4,
        "--release", "pairs/release", "--truth", "pairs/truth"), out="", err="")
    sandbox.expect(sandbox.assay(
        "protect", "--defense", "additive-noise", "--secrets", "private.npy", "--seed", 3,
        "--release", "noisy", "--truth", "truth"), out="", err="")
    return {
        "protect": ("protect", "--defense", "dpsh", "--set", "bits=16", "--set", "hidden=512",
                    "--set", f"steps={steps}", "--secrets", "private.npy", "--labels",
                    "labels.npy", "--seed", 3, "--release", "codes", "--truth", "codes-truth"),
        "attack": ("attack", "--attack", "learned-inversion", "--set", "learner=network",
                   "--release", "noisy", "--pairs", "pairs", "--guess", "guess"),
        "measure": ("measure", "--truth", "truth", "--guess", "guess", "--metric",
                    "relative-error"),
    }


TOLD = {"protect": r"dpsh: making a release(, batch \d+ of 150(, loss [0-9.e-]+)?)?",
        "attack": r"learned-inversion: epoch \d+ of \d+(, batch \d+ of \d+)?(, loss [0-9.e-]+)?",
        "measure": "relative-error: measuring"}


def test_how_far_a_step_is(sandbox):
    """Each of the three, on one line that is cleared; the files and what is printed are the same as
    without a terminal and with --quiet."""
    for command, words in write_steps(sandbox).items():
        drawn = Terminal(sandbox, 120, command=words).end()
        assert len(drawn) > 2 and drawn[0] == drawn[-1] == "", f"{command}: {drawn}"
        for line in drawn[1:-1]:
            assert re.fullmatch(TOLD[command], line), f"{command}: {line}"
        if command == "protect":
            assert len(set(drawn)) > 3, f"it says where it is: {drawn}"
        made = sandbox.tree()
        written = {"protect": ("codes", "codes-truth"), "attack": ("guess",)}.get(command, ())
        for quiet in ((), ("--quiet",)):
            for folder in written:
                shutil.rmtree(sandbox.path / folder)
            again = sandbox.expect(sandbox.assay(*words, *quiet), err="")
            assert sandbox.tree() == made, f"{command} {quiet}"
            assert bool(again.out) == (command == "measure"), again.out


def test_quiet_steps_show_none_of_it(sandbox):
    for command, words in write_steps(sandbox).items():
        assert Terminal(sandbox, 80, *words, "--quiet", command=()).end() == [""], command


def test_selftest_says_which_control_it_plays(sandbox):
    terminal = Terminal(sandbox, 120, command=("selftest",))
    drawn = terminal.read(until=rb"control of [a-z-]+: [a-z]")
    sandbox.kill(terminal.process)
    os.close(terminal.ours)
    assert re.search(rb"\r\x1b\[Kcontrol of [a-z-]+: [a-z]", drawn), f"{drawn}"


MUTANTS = """\
[scenario]
[dataset]
plugin = values
[defense laplace]
plugin = laplace
epsilon = 1
[attack distinguish]
plugin = distinguish
runs = 100000000
[claim holds]
measure = epsilon
at-most = claimed
"""


def test_mutants_say_how_far_a_cell_is(sandbox):
    sandbox.write("a.scenario", MUTANTS)
    terminal = Terminal(sandbox, 120, command=("selftest", "--mutants", "a.scenario"))
    drawn = terminal.read(until=rb"distinguish against laplace: \w+")
    sandbox.kill(terminal.process)
    os.close(terminal.ours)
    assert re.search(rb"0/\d+ cells  distinguish against laplace: \w", drawn), f"{drawn}"


@pytest.mark.slow
def test_a_log_of_a_long_step(sandbox):
    """Nothing, and then a line each half minute."""
    process = sandbox.start(*write_steps(sandbox, 1000000)["protect"])
    lines = [process.stderr.readline() for _ in range(2)]
    sandbox.kill(process)
    for line in lines:
        assert re.fullmatch(r"dpsh: making a release, batch \d+ of 1000000, loss [0-9.e-]+\n",
                            line), f"{lines}"
