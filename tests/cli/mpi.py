"""Starting the program as ranks of MPI."""

import os
import pathlib
import shutil
import subprocess

import pytest


def launch(sandbox, n, *arguments, machines=None):
    """The words of a command that makes @n ranks of the program, by default on this machine; each
    is started by a script, if the sandbox has rank.sh."""
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed")
    if "libmpi" not in subprocess.run(["ldd", sandbox.assay_path], capture_output=True,
                                      text=True).stdout:
        pytest.skip("this build is without MPI")
    is_root = os.geteuid() == 0 or machines is not None
    words = [*(machines.before if machines else []), "mpirun",
             *(["--allow-run-as-root"] if is_root else []), "--oversubscribe",
             *(machines.options if machines else []), "-n", str(n)]
    script = sandbox.path / "rank.sh"
    if script.exists():
        script.chmod(0o755)
        words.append(str(script))
    return [*words, str(sandbox.assay_path), *map(str, arguments)]


def environment():
    # A run that is itself a step of a cluster's job is none here.
    found = {key: value for key, value in os.environ.items() if "SLURM" not in key}
    # Open MPI leaks memory of its own. What ranks share with workers is looked at with workers.
    found["ASAN_OPTIONS"] = "detect_leaks=0"
    return found


def children_of(pid):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if entry.name.isdigit() and int(fields[1]) == pid:
            found.append(int(entry.name))
    return found
