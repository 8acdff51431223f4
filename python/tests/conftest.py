"""The package of this source tree, in a folder of its own for each test."""
import pathlib
import sys

import pytest

PYTHON = pathlib.Path(__file__).resolve().parents[1]
pytest.importorskip("numpy", reason="this python has no NumPy")
sys.path.insert(0, str(PYTHON))


def pytest_addoption(parser):
    parser.addoption("--assay", default=str(PYTHON.parent / "build" / "assay"),
                     help="the program, which the package is compared with")


@pytest.fixture
def program(request):
    return str(pathlib.Path(request.config.getoption("--assay")).resolve())


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path
