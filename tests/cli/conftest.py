"""The program under test, a sandbox for each case, and case files beside the test files."""

import functools
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.dont_write_bytecode = True

import casefile  # noqa: E402
import fetching  # noqa: E402
from browser import Page, start  # noqa: E402
from places import SOURCE  # noqa: E402
from sandbox import Sandbox  # noqa: E402

NOTHING_PLAYED = 77  # tells meson that all was skipped


def pytest_addoption(parser):
    parser.addoption("--assay", default=SOURCE / "build" / "assay", type=pathlib.Path,
                     help="the program under test (default: build/assay)")


def pytest_configure(config):
    # A leak ends a command with another exit code than expected, and with words on stderr.
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=1")
    program = config.option.assay = config.getoption("--assay").resolve()
    if not os.access(program, os.X_OK):
        raise pytest.UsageError(f"{program} is not there; build it, or name another with --assay")


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".test":
        return casefile.CaseFile.from_parent(parent, path=file_path)
    return None


def pytest_sessionfinish(session, exitstatus):
    counts = session.config.pluginmanager.get_plugin("terminalreporter").stats
    # Nothing is collected of a suite whose cases are all slow.
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and not counts.get(
            "passed"):
        session.exitstatus = NOTHING_PLAYED


@pytest.fixture
def sandbox(request):
    """A folder of its own, in which the program is "assay"."""
    with Sandbox(request.config.getoption("--assay")) as made:
        yield made


@pytest.fixture(scope="module")
def browser():
    """The one browser of all cases of a suite."""
    started = start()
    yield started
    started.quit()


@pytest.fixture
def open_page(sandbox, browser):
    """Opens the report of the run in "out"."""
    return functools.partial(Page, browser, sandbox.path / "out" / "report.html")


@pytest.fixture(scope="session")
def numpy_python():
    """A python3 that has NumPy, for the programs of users."""
    for python in ("/usr/bin/python3", sys.executable):
        if shutil.which(python) is not None:
            tried = subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False)
            if tried.returncode == 0:
                return python
    return pytest.skip("neither /usr/bin/python3 nor this python3 has NumPy")


@pytest.fixture
def python3_has_numpy(sandbox, numpy_python):
    """As pages and scenarios ask for that name python3."""
    (sandbox.root / "bin" / "python3").symlink_to(numpy_python)
