"""What the tests of the command line are written with: sandboxes and expectations."""

import difflib
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from places import data_folder

# After this long a command hangs. On a quiet machine most take well under a second; at a load of 30
# the longest, of some seconds, took more than two minutes, and was right.
TIMEOUT_S = 600


class Result:
    """What a command gave back."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def __str__(self):
        return f"$ {self.command}\nexit {self.code}\nstdout:\n{self.out}stderr:\n{self.err}"


def explain_difference(expected, found):
    lines = difflib.unified_diff(
        expected.splitlines(), found.splitlines(), "expected", "found", lineterm=""
    )
    return "\n".join(lines)


def matches(expected, found):
    """Equal, but for {*} in @expected, which stands for anything within a line."""
    pattern = r"[^\n]*".join(re.escape(part) for part in expected.split("{*}"))
    return re.fullmatch(pattern, found) is not None


class Sandbox:
    """A folder of its own for one case, in which commands run."""

    def __init__(self, assay):
        self.assay_path = assay
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="assay-cli-")).resolve()
        self.path = self.root / "case"
        self.path.mkdir()
        # Commands say "assay", as people do.
        programs = self.root / "bin"
        programs.mkdir()
        (programs / "assay").symlink_to(assay)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(("ASAN_", "LSAN_", "UBSAN_", "G_SLICE", "OPENBLAS_", "GLIBC_", "OMP_"))
        }
        self.environment.update(
            PATH=f"{programs}:{os.environ['PATH']}",
            HOME=str(self.path), LC_ALL="C.UTF-8", COLUMNS="100", ASSAY_DATA=str(self.path),
            G_DEBUG="fatal-warnings",
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["chmod", "-R", "u+rwX", self.root], check=False)
        shutil.rmtree(self.root, ignore_errors=True)

    def use_real_data(self):
        if data_folder() is None:
            pytest.skip("real data is neither in ASSAY_DATA nor in ../shared/data")
        self.environment["ASSAY_DATA"] = str(data_folder())

    def is_sanitized(self):
        return b"__asan_init" in self.assay_path.read_bytes()

    # ---- Files ----

    def write(self, name, content):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return path

    def read(self, name):
        return (self.path / name).read_text()

    def tree(self, name="."):
        """Every file and folder below @name with a digest of its content."""
        root = self.path / name
        found = {}
        for path in sorted(root.rglob("*")):
            if path.is_file():
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                digest = "folder"
            found[str(path.relative_to(root))] = digest
        return found

    # ---- Commands ----

    def shell(self, command, **environment):
        """Runs a line of shell and waits for it."""
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.path, env={**self.environment, **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S,
        )
        return Result(command, done.returncode, done.stdout, done.stderr)

    def assay(self, *arguments, **environment):
        arguments = [str(argument) for argument in arguments]
        done = subprocess.run(
            ["assay", *arguments], cwd=self.path, env={**self.environment, **environment},
            executable=self.assay_path,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S,
        )
        return Result(" ".join(["assay", *arguments]), done.returncode, done.stdout, done.stderr)

    def start(self, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE):
        """Starts the program and does not wait. The caller ends it."""
        return subprocess.Popen(
            ["assay", *map(str, arguments)], cwd=self.path, executable=self.assay_path,
            env=self.environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
            text=True,
        )

    @staticmethod
    def kill(process):
        """kill -9, and what clang's OpenMP leaves in shared memory under the number of the dead."""
        process.kill()
        process.communicate()
        left = pathlib.Path(f"/dev/shm/__KMP_REGISTERED_LIB_{process.pid}_{os.getuid()}")
        left.unlink(missing_ok=True)

    # ---- Expectations ----

    def expect(self, result, code=0, out=None, err=None):
        """Checks a result; {dir} stands for this folder and {*} for anything within a line."""
        problems = []
        if result.code != code:
            problems.append(f"exit code {result.code}, expected {code}")
        for name, expected, found in (("stdout", out, result.out), ("stderr", err, result.err)):
            if expected is None:
                continue
            expected = expected.replace("{dir}", str(self.path))
            if not matches(expected, found):
                problems.append(f"{name}:\n{explain_difference(expected, found)}")
        assert not problems, "\n".join(problems) + f"\nby\n{result}"
        return result

    def refuses(self, result, message):
        """Bad input: exit code 2, one message, nothing else."""
        return self.expect(result, 2, "", f"assay: {message}\n")

    def run_ok(self, *arguments, code=0, **environment):
        return self.expect(self.assay("run", *arguments, **environment), code)
