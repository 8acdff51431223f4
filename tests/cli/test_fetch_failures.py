"""assay dataset fetch, when a server, a disk or the folder is not as it should be."""

import os
import pty
import re
import socket
import subprocess
import threading
import time

from fetching import (COMMAND, CONTENT, PART, TARGET, fails, fetch, fetched, sha256,
                      write_catalog)
from file_server import FileServer, Page
from test_disk import SmallDisk


# ---- Servers that misbehave ----


def test_status_codes(sandbox):
    with FileServer() as server:
        for status, code in ((404, 2), (403, 2), (410, 2), (429, 4), (500, 4), (503, 4)):
            if status != 404:
                server.pages["/r"] = Page(status=status)
            write_catalog(sandbox, server.url + "/r")
            left = fails(sandbox, code, f"{server.url}/r: The requested URL returned error: {status}{{*}}")
            assert left == [], str(left)


def test_too_large(sandbox):
    """Told by its length before, or noticed when more comes than there should be."""
    with FileServer() as server:
        write_catalog(sandbox, server.url + "/r")
        server.pages["/r"] = Page(CONTENT * 3)
        fails(sandbox, 2, f"{server.url}/r: has 900,000 bytes, expected 300,000: it is not the file "
              "that the catalogue means")
        server.pages["/r"] = Page(CONTENT * 3, is_chunked=True)
        left = fails(sandbox, 2, f"{server.url}/r: has {{*}} bytes or more, expected 300,000: it is not the file "
                     f"that the catalogue means{{*}}")
        assert all((sandbox.path / "out/rows" / name).stat().st_size <= 300_000 for name in left), (
            str(left))


def test_silent_server(sandbox):
    """It connects and says nothing; or it begins and stops."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/r"
        write_catalog(sandbox, url)
        start = time.monotonic()
        left = fails(sandbox, 4, f"{url}: {{*}} (--timeout)", "--timeout", "1")
        assert left == [] and time.monotonic() - start < 30, str(left)
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT, stall_after=50_000)
        write_catalog(sandbox, server.url + "/r")
        fails(sandbox, 4, f"{server.url}/r: {{*}} (--timeout); {PART} has 50000 of "
              "300000 bytes, and the same command goes on from there", "--timeout", "3")


def test_another_protocol(sandbox):
    """Whatever listens there, it is no web server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def greet():
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
        threading.Thread(target=greet, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/r"
        write_catalog(sandbox, url)
        left = fails(sandbox, 2, f"{url}: Received HTTP/0.9 when not allowed")
        assert left == [], str(left)


def test_nobody_listens(sandbox):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/r"
    write_catalog(sandbox, url)
    assert fails(sandbox, 4, f"{url}: Failed to connect to {{*}}") == [], "something is left"
    write_catalog(sandbox, "http://no-such-host.invalid/r")
    fails(sandbox, 4, "http://no-such-host.invalid/r: Could not resolve host: {*}")


def test_empty_answer(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(b"")
        write_catalog(sandbox, server.url + "/r")
        left = fails(sandbox, 4, f"{server.url}/r: ended after 0 of 300000 bytes")
        assert left == [], str(left)


# ---- This side ----


def test_disk_full(sandbox):
    with FileServer() as server, SmallDisk(sandbox, 128) as disk:
        server.pages["/r"] = Page(CONTENT)
        write_catalog(sandbox, server.url + "/r")
        command = ("dataset", "fetch", "rows", "--catalog", "catalog.ini", "--out", "disk")
        result = sandbox.assay(*command)
        assert (result.code == 4 and "what comes cannot be written: No space left" in result.err
                and "the same command goes on from there" in result.err), str(result)
        kept = (disk.path / "rows/rows.bin.part").read_bytes()
        assert CONTENT.startswith(kept) and len(kept) >= 64 * 1024, f"{len(kept)} bytes are kept"
        disk.grow()
        sandbox.expect(sandbox.assay(*command))
        assert (disk.path / "rows/rows.bin").read_bytes() == CONTENT, "content"
        assert server.requests[-1] == ("/r", f"bytes={len(kept)}-"), str(server.requests)


def test_other_file_in_the_place(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT)
        write_catalog(sandbox, server.url + "/r")
        sandbox.write(TARGET, b"mine")
        sandbox.expect(fetch(sandbox), 2, err=f"assay: {TARGET}: is there with sha256 "
                       f"{sha256(b'mine')}, expected {sha256(CONTENT)}; --force fetches it again\n")
        assert sandbox.read(TARGET) == "mine", "it was replaced"
        fetched(sandbox, "--force")
        (sandbox.path / TARGET).unlink()
        (sandbox.path / TARGET).mkdir()
        sandbox.expect(fetch(sandbox, "--force"), 2,
                       err=f"assay: {TARGET}: is there, and is no plain file\n")


def test_link_in_the_place_of_the_part(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT)
        write_catalog(sandbox, server.url + "/r")
        sandbox.write("precious", "precious")
        (sandbox.path / "out/rows").mkdir(parents=True)
        os.symlink(sandbox.path / "precious", sandbox.path / PART)
        fails(sandbox, 4, f"{PART}: cannot be written: Too many levels of symbolic links")
        assert sandbox.read("precious") == "precious", "the link was followed"


def test_folder_that_cannot_be_made(sandbox):
    write_catalog(sandbox, "http://127.0.0.1:1/r")
    sandbox.write("out", "a file")
    sandbox.expect(fetch(sandbox), 4, err="assay: out/rows: the folder cannot be made: Not a "
                   "directory\n")


def test_progress_on_a_terminal(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT, pause_s=0.05)
        write_catalog(sandbox, server.url + "/r")
        ours, theirs = pty.openpty()
        process = sandbox.start(*COMMAND, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the other side is closed
            pass
        os.close(ours)
        assert process.wait(60) == 0, shown.decode()
        sizes = re.findall(rb"rows\.bin: ([\d.]+) KiB of 293\.0 KiB", shown)
        assert len(sizes) >= 3 and sizes == sorted(sizes, key=float), str(shown)
        assert shown.endswith(b"\r\x1b[K"), "the line stays"
