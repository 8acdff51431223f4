"""assay dataset fetch, against a server on loopback: whole files, interrupted and resumed ones, and
archives. What goes wrong is in test_fetch_failures.py."""

import gzip
import io
import signal
import tarfile
import time

import data
from fetching import (COMMAND, CONTENT, PART, TARGET, fails, fetch, fetched,
                      part, sha256, write_catalog)
from file_server import FileServer, FtpServer, Page
from sandbox import TIMEOUT_S


# ---- Whole files ----


def test_whole(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT)
        write_catalog(sandbox, server.url + "/r")
        result = fetched(sandbox)
        assert (result.out == "Test rows\n  page      http://example.org/about\n  licence   CC0\n"
                "  cite      Nobody, 2020\nout/rows/rows.bin: fetched, and its sha256 fits\n"), (
            result.out)
        assert result.err == "", result.err
        again = fetched(sandbox)
        assert again.out.endswith("out/rows/rows.bin: was there, and its sha256 fits\n"), again.out
        assert server.requests == [("/r", None)], str(server.requests)


def test_of_unknown_length(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT, is_chunked=True)
        write_catalog(sandbox, server.url + "/r")
        fetched(sandbox)


def test_goes_where_data_is_looked_for(sandbox):
    """To ASSAY_DATA and there to the folder of the catalogue; then dataset info finds it by name."""
    rows = data.texmex_bytes([[1, 2, 3], [4, 5, 6]], ".bvecs")
    with FileServer() as server:
        server.pages["/r"] = Page(rows)
        write_catalog(sandbox, server.url + "/r", rows, "r.bvecs")
        sandbox.write("catalog.ini", sandbox.read("catalog.ini").replace(
            "licence", "folder = elsewhere\nlicence", 1))
        place = {"ASSAY_DATA": str(sandbox.path / "data")}
        sandbox.expect(sandbox.assay("dataset", "fetch", "rows", "--catalog", "catalog.ini", **place))
        assert (sandbox.path / "data/elsewhere/r.bvecs").read_bytes() == rows, "content"
        info = sandbox.expect(sandbox.assay("dataset", "info", "elsewhere/r.bvecs", **place))
        assert "2 x 3" in info.out, info.out


def test_redirects_are_followed_to_a_limit(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT)
        for hop in range(6):
            server.pages[f"/{hop}"] = Page(location=f"/{hop - 1}" if hop else "/r")
        server.pages["/loop"] = Page(location="/loop")
        write_catalog(sandbox, server.url + "/4")
        fetched(sandbox)
        (sandbox.path / TARGET).unlink()
        for name in ("5", "loop"):
            write_catalog(sandbox, f"{server.url}/{name}")
            left = fails(sandbox, 2, f"{server.url}/{name}: Maximum (5) redirects followed")
            assert left == [], str(left)
        assert server.requests.count(("/loop", None)) == 6, str(server.requests)


def test_redirects_out_of_the_web_are_refused(sandbox):
    sandbox.write("secret", CONTENT)
    with FileServer() as server:
        for location in (f"file://{sandbox.path}/secret", "ftp://127.0.0.1:1/r",
                         "gopher://127.0.0.1:1/r"):
            server.pages["/r"] = Page(location=location)
            write_catalog(sandbox, server.url + "/r")
            left = fails(sandbox, 2, f"{server.url}/r: Protocol {{*}}")
            assert left == [], str(left)


def test_ftp(sandbox):
    """The TEXMEX corpus is published in no other way."""
    with FtpServer(CONTENT) as server:
        write_catalog(sandbox, server.url + "/r")
        part(sandbox, CONTENT[:1000])
        fetched(sandbox)
        assert "REST 1000" in server.commands and "RETR r" in server.commands, str(server.commands)
        (sandbox.path / TARGET).unlink()
        server.content = CONTENT + b"?"
        left = fails(sandbox, 2, f"{server.url}/r: has 300,001 bytes, expected 300,000: it is not the "
                     "file that the catalogue means")
        assert left == [], str(left)


# ---- Partial files ----


def test_cut_and_resumed(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT, cut_after=100_000)
        write_catalog(sandbox, server.url + "/r")
        left = fails(sandbox, 4, f"{server.url}/r: {{*}}; {PART} has 100000 of 300000 bytes, and the "
                     "same command goes on from there")
        assert left == ["rows.bin.part"], str(left)
        assert (sandbox.path / PART).read_bytes() == CONTENT[:100_000], "the part"
        server.pages["/r"] = Page(CONTENT)
        fetched(sandbox)
        assert server.requests == [("/r", None), ("/r", "bytes=100000-")], str(server.requests)


def test_servers_that_cannot_go_on(sandbox):
    """They know no ranges, or send another one: everything is taken from the beginning."""
    for page in (Page(CONTENT, has_ranges=False), Page(CONTENT, range_shift=-5)):
        with FileServer() as server:
            server.pages["/r"] = page
            write_catalog(sandbox, server.url + "/r")
            part(sandbox, b"?" * 1000)
            fetched(sandbox)
            assert server.requests == [("/r", "bytes=1000-"), ("/r", None)], str(server.requests)
        (sandbox.path / TARGET).unlink()


def test_part_of_another_version(sandbox):
    """What was put together does not fit; all of it is fetched again, and does."""
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT)
        write_catalog(sandbox, server.url + "/r")
        part(sandbox, b"?" * 1000)
        result = fetched(sandbox)
        assert (result.err == "assay: rows.bin: does not fit what had come before; fetching all of it "
                "again\n"), result.err
        assert server.requests == [("/r", "bytes=1000-"), ("/r", None)], str(server.requests)


def test_parts_of_full_length_and_more(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT)
        write_catalog(sandbox, server.url + "/r")
        part(sandbox, CONTENT)
        fetched(sandbox)
        assert server.requests == [], "a whole part was fetched again"
        for content in (b"?" * len(CONTENT), CONTENT + b"?"):
            (sandbox.path / TARGET).unlink()
            part(sandbox, content)
            fetched(sandbox)
        assert server.requests == [("/r", None)] * 2, str(server.requests)


def test_file_changed_on_the_server(sandbox):
    """Another length is refused before anything comes; the same length by its sha256."""
    with FileServer() as server:
        write_catalog(sandbox, server.url + "/r")
        for changed in (CONTENT + b"?", CONTENT[:200_000], CONTENT[:500]):
            server.pages["/r"] = Page(changed)
            left = fails(sandbox, 2, f"{server.url}/r: has {len(changed):,} bytes, expected 300,000: "
                         "it is not the file that the catalogue means")
            assert left == [], str(left)
        # There are no bytes behind those of the part: asked for from the beginning, it is too short.
        part(sandbox, CONTENT[:1000])
        fails(sandbox, 2, f"{server.url}/r: has 500 bytes, expected 300,000: it is not the file that "
              "the catalogue means")
        assert [asked for _, asked in server.requests][-2:] == ["bytes=1000-", None], (
            str(server.requests))
        changed = CONTENT[:-1] + bytes([CONTENT[-1] ^ 1])
        server.pages["/r"] = Page(changed)
        left = fails(sandbox, 2, f"{server.url}/r: what came has sha256 {sha256(changed)}, expected "
                     f"{sha256(CONTENT)}; it is kept as {TARGET}.wrong")
        assert left == ["rows.bin.wrong"], str(left)
        # Nothing of it is believed afterwards.
        server.pages["/r"] = Page(CONTENT)
        sandbox.expect(fetch(sandbox))
        assert (sandbox.path / TARGET).read_bytes() == CONTENT, "content"


def test_interrupted(sandbox):
    """Ctrl-C keeps what has come; so does kill -9."""
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT, stall_after=150_000)
        write_catalog(sandbox, server.url + "/r")
        for name, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
            process = sandbox.start(*COMMAND)
            wait_for(lambda: (sandbox.path / PART).exists()
                     and (sandbox.path / PART).stat().st_size >= 150_000)
            process.send_signal(name)
            _, err = process.communicate(timeout=TIMEOUT_S)
            assert process.returncode == code, f"{process.returncode}\n{err}"
            if code == 130:
                assert (err == f"assay: {server.url}/r: interrupted; {PART} has 150000 of 300000 bytes, and the same "
                        "command goes on from there\n"), err
            (sandbox.path / PART).write_bytes((sandbox.path / PART).read_bytes()[:150_000 - 1])
        assert (sandbox.path / PART).read_bytes() == CONTENT[:149_999], "the part"
        server.pages["/r"] = Page(CONTENT)
        fetched(sandbox)
        assert server.requests[-1] == ("/r", "bytes=149999-"), str(server.requests)


def wait_for(claim):
    end = time.monotonic() + 100
    while not claim():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def test_two_processes_at_once(sandbox):
    """The second stands back and says so; the first ends well."""
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT, pause_s=0.1)
        write_catalog(sandbox, server.url + "/r")
        first = sandbox.start(*COMMAND)
        wait_for(lambda: (sandbox.path / PART).exists() and (sandbox.path / PART).stat().st_size > 0)
        sandbox.expect(fetch(sandbox), 4, err=f"assay: {PART}: another process fetches this file at "
                       "the moment\n")
        out, err = first.communicate(timeout=TIMEOUT_S)
        assert first.returncode == 0 and err == "", out + err
        fetched(sandbox)
        assert len(server.requests) == 1, str(server.requests)


def test_many_processes_at_once(sandbox):
    """However they meet: each ends well or stands back, and the file is right."""
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT)
        write_catalog(sandbox, server.url + "/r")
        for _ in range(4):
            processes = [sandbox.start(*COMMAND) for _ in range(6)]
            ends = [(process.communicate(timeout=TIMEOUT_S), process.returncode) for process in processes]
            assert (all(code == 0 or (code == 4 and "another process" in err)
                        for (_, err), code in ends)), str(ends)
            assert any(code == 0 for _, code in ends), str(ends)
            fetched(sandbox)
            (sandbox.path / TARGET).unlink()


# ---- Without a sha256 ----


def test_unverified(sandbox):
    with FileServer() as server:
        server.pages["/r"] = Page(CONTENT)
        write_catalog(sandbox, server.url + "/r", sha256=None, size=400_000)
        left = fails(sandbox, 2, f"{server.url}/r: the catalogue has no sha256 for it, so nothing "
                     "would tell whether what comes is what the authors published; "
                     "--accept-unverified fetches it all the same")
        assert left == [] and server.requests == [], f"{left} {server.requests}"
        part(sandbox, b"?" * 1000)  # never gone on with: nothing would tell a mixture
        result = sandbox.expect(fetch(sandbox, "--accept-unverified"))
        assert f"{TARGET}.unverified: NOT verified; its sha256 is\n  {sha256(CONTENT)}\n" in result.out, (
            result.out)
        assert server.requests == [("/r", None)], str(server.requests)
        assert sandbox.tree("out/rows") == {"rows.bin.unverified": sha256(CONTENT)}, "files"
        write_catalog(sandbox, server.url + "/r", sha256=None, size=200_000)
        sandbox.expect(fetch(sandbox, "--accept-unverified", "--force"), 2, err=(
            f"assay: {server.url}/r: has 300,000 bytes, expected at most 200,000: it is not the file "
            "that the catalogue means\n"))


# ---- Archives ----


def archive(members, kind=tarfile.GNU_FORMAT):
    """A .tar.gz of (name, content), or (name, [type]) of what is no file."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=kind) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
            else:
                info.type, info.linkname = content[0], "/etc/passwd"
                tar.addfile(info)
    return packed.getvalue()


def fetch_archive(sandbox, server, packed, unpack, *options):
    server.pages["/r"] = Page(packed)
    write_catalog(sandbox, server.url + "/r", packed, "rows.tar.gz", f"unpack = {unpack}\n")
    return fetch(sandbox, *options)


def test_unpacked(sandbox):
    """Only what the catalogue names, whatever else is in it and wherever that leads."""
    long = "a-folder-with-a-long-name/" * 5 + "deep.bin"
    members = [("../../evil", b"evil"), ("/evil", b"evil"), ("set", [tarfile.DIRTYPE]),
               ("set/a.bin", CONTENT), ("set/link", [tarfile.SYMTYPE]), ("other/b.bin", b"b"),
               (long, b"deep"), ("set/empty.bin", b"")]
    names = f"set/a.bin; other/b.bin; set/empty.bin; {long}"
    for kind in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        with FileServer() as server:
            packed = archive(members, kind)
            result = sandbox.expect(fetch_archive(sandbox, server, packed, names))
            assert "\n  out/rows/a.bin\n  out/rows/b.bin\n" in result.out, result.out
            found = sandbox.tree("out/rows")
            expected = {"a.bin": CONTENT, "b.bin": b"b", "empty.bin": b"", "deep.bin": b"deep",
                        "rows.tar.gz": packed}
            assert found == {name: sha256(content) for name, content in expected.items()}, (
                str(found))
            assert not list(sandbox.path.rglob("evil")), "something was written outside"
            # What lacks is unpacked again, without another download; the rest stays.
            sandbox.write("out/rows/a.bin", "edited")
            (sandbox.path / "out/rows/b.bin").unlink()
            sandbox.expect(fetch(sandbox))
            assert sandbox.read("out/rows/a.bin") == "edited", "an edited file was replaced"
            assert sandbox.read("out/rows/b.bin") == "b", "a lost file was not unpacked"
            assert len(server.requests) == 1, str(server.requests)
            sandbox.expect(fetch(sandbox, "--force"))
            assert (sandbox.path / "out/rows/a.bin").read_bytes() == CONTENT, "--force"
        sandbox.shell("rm -r out")


def test_archives_that_are_none(sandbox):
    whole = archive([("set/a.bin", CONTENT)])
    half = gzip.compress(gzip.decompress(whole)[:5000])
    for packed, message in (
            (b"no archive at all", "cannot be unpacked: Unrecognized archive format"),
            (gzip.compress(b"\1" * 4096), "cannot be unpacked: Unrecognized archive format"),
            (whole[:len(whole) // 2], "cannot be unpacked: truncated gzip input"),
            (half, "cannot be unpacked: Truncated tar archive"),
            (whole, "has no member 'set/z.bin', which the catalogue names"),
            (archive([("set/z.bin", [tarfile.SYMTYPE])]),
             "has no member 'set/z.bin', which the catalogue names"),
            (archive([("set/z.bin", [tarfile.LNKTYPE])]),
             "has no member 'set/z.bin', which the catalogue names")):
        with FileServer() as server:
            name = "set/z.bin" if "z.bin" in message else "set/a.bin"
            sandbox.expect(fetch_archive(sandbox, server, packed, name), 2,
                           err=f"assay: out/rows/rows.tar.gz: {message}\n")
            assert list(sandbox.tree("out/rows")) == ["rows.tar.gz"], str(sandbox.tree("out/rows"))
        sandbox.shell("rm -r out")


# ---- Without libcurl or libarchive ----


def test_without_libcurl(sandbox):
    """What was fetched otherwise is verified all the same."""
    sandbox.write("lib/libcurl.so.4", "")
    place = {"LD_LIBRARY_PATH": str(sandbox.path / "lib")}
    write_catalog(sandbox, "http://127.0.0.1:1/r")
    sandbox.expect(sandbox.assay(*COMMAND, **place), 4, err=(
        "assay: http://127.0.0.1:1/r: libcurl.so.4 cannot be loaded: {*}\n"))
    assert not (sandbox.path / PART).exists(), "something is left"
    sandbox.write(TARGET, CONTENT)
    sandbox.expect(sandbox.assay(*COMMAND, **place))
