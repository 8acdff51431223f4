"""A full disk: the run stops, says so, keeps what it has, and goes on once there is room."""

import os
import re
import subprocess

import pytest

import tiny

RUN = ("run", "tiny.scenario", "--quiet", "--jobs", "1", "--out")


def whole_results(sandbox):
    tiny.write(sandbox, tiny.LONGER)
    sandbox.expect(sandbox.assay(*RUN, "whole"))
    return sandbox.read("whole/results.json")


def check_stopped(result, folder):
    """Exit code 4, and what the message says. Returns how to go on; None: nothing was begun."""
    assert result.code == 4, str(result)
    assert result.out == "", str(result)
    lines = result.err.splitlines()
    assert re.match(rf"assay: (output folder )?{folder}\b.*: .*(full|space|I/O)", lines[0]), (
        str(result))
    if len(lines) == 1:
        return None
    assert lines[1:3] == [f"What is done is kept in {folder}", "Go on with:"], str(result)
    return lines[3].strip()


class SmallDisk:
    """A tmpfs in the sandbox, whose size can be changed."""

    def __init__(self, sandbox, size_kib):
        self.path = sandbox.path / "disk"
        self.path.mkdir()
        self.size = f"size={size_kib}k"

    def __enter__(self):
        if os.geteuid() != 0:
            pytest.skip("only root can mount a small disk")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", self.size, "tmpfs", self.path],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.path.rmdir()
            pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.path], check=True)
        self.path.rmdir()

    def grow(self):
        subprocess.run(["mount", "-o", "remount,size=16m", self.path], check=True)


def test_full_disk(sandbox):
    expected = whole_results(sandbox)
    n_stopped = n_begun = 0
    for size_kib in (4, 16, 32, 64, 96, 128, 192, 256, 512):
        with SmallDisk(sandbox, size_kib) as disk:
            result = sandbox.assay(*RUN, "disk/out")
            if result.code == 0:
                continue
            n_stopped += 1
            again = check_stopped(result, "disk/out")
            if again is None:
                assert sandbox.tree("disk") == {}, f"left behind: {sandbox.tree('disk')}"
                again = " ".join(["assay", *RUN, "disk/out"])
            else:
                n_begun += 1
                # Full disks say nothing against a cell, however often they are met.
                for _ in range(3):
                    check_stopped(sandbox.shell(again), "disk/out")
            disk.grow()
            sandbox.expect(sandbox.shell(again))
            assert sandbox.read("disk/out/results.json") == expected, f"{size_kib} KiB: results"
    assert n_stopped >= 4 and n_begun >= 3, f"{n_stopped} sizes too small, {n_begun} begun"


def test_full_disk_while_replacing(sandbox):
    """The run that is there stays."""
    expected = whole_results(sandbox)
    with SmallDisk(sandbox, 16384) as disk:
        sandbox.expect(sandbox.assay(*RUN, "disk/out"))
        before = sandbox.tree("disk/out")
        subprocess.run(["mount", "-o", "remount,size=1024k", disk.path], check=True)
        (disk.path / "ballast").write_bytes(bytes(1024 * 1024 - used(disk.path) - 192 * 1024))
        again = check_stopped(sandbox.assay(*RUN, "disk/out"), "disk/out.new")
        assert sandbox.tree("disk/out") == before, "the finished run changed"
        disk.grow()
        sandbox.expect(sandbox.shell(again))
        assert sandbox.read("disk/out/results.json") == expected, "results"
        left = sorted(path.name for path in disk.path.iterdir())
        assert left == ["ballast", "out"], f"left behind: {left}"


def test_mount_point_is_not_replaced(sandbox):
    """It can hold a run, but cannot be exchanged for another: told before the second begins."""
    tiny.write(sandbox)
    with SmallDisk(sandbox, 16384):
        sandbox.run_ok("tiny.scenario", "--out", "disk", "--quiet")
        before = sandbox.tree("disk")
        sandbox.refuses(
            sandbox.assay("run", "tiny.scenario", "--out", "disk"),
            "output folder disk holds a finished run and cannot be replaced: it is a mount point; "
            "expected --resume to show it, or --out with another folder")
        sandbox.run_ok("tiny.scenario", "--out", "disk", "--quiet", "--resume")
        assert set(sandbox.tree("disk")) == set(before), "other files"


def used(path):
    about = os.statvfs(path)
    return (about.f_blocks - about.f_bfree) * about.f_frsize


def test_file_size_limit(sandbox):
    """The same without root: files may not grow beyond a limit."""
    libraries = subprocess.run(["ldd", sandbox.assay_path], capture_output=True, text=True,
                               check=False).stdout
    if "libomp" in libraries:
        pytest.skip("clang's OpenMP makes a file in shared memory, and falls to the limit itself")
    expected = whole_results(sandbox)
    n_stopped = 0
    for blocks in (1, 16, 32, 64, 128, 256):
        folder = f"out{blocks}"
        result = sandbox.shell(f"ulimit -f {blocks}; "
                               + " ".join(["assay", *RUN, folder]))
        if result.code == 0:
            continue
        n_stopped += 1
        again = check_stopped(result, folder)
        sandbox.expect(sandbox.shell(again or " ".join(["assay", *RUN, folder])))
        assert sandbox.read(f"{folder}/results.json") == expected, f"{blocks} blocks: results"
    assert n_stopped >= 3, f"{n_stopped} limits too small"


def test_full_disk_under_a_step(sandbox):
    tiny.write(sandbox)
    with SmallDisk(sandbox, 16) as disk:
        result = sandbox.assay(
            "protect", "--defense", "affine-lifting", "--secrets", "private.fvecs", "--database",
            "database.fvecs", "--release", "disk/release", "--truth", "truth")
        sandbox.expect(result, 4, "", "assay: disk/release: {*}: cannot be written: "
                                      "No space left on device\n")
        assert list(disk.path.iterdir()) == [], "half a release was left behind"
    assert not (sandbox.path / "truth").exists(), "a truth without a release"
