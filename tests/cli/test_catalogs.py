"""Catalogues of data sets: the one that is built in, and what can be wrong with one."""

import re

import pytest

import data
from fetching import ABOUT
from places import data_folder


def test_the_list(sandbox):
    """The catalogue that is built in; the files of it that are at hand have the sha256 it says."""
    result = sandbox.expect(sandbox.assay("dataset", "fetch"), 0, err="")
    lines = {line.split()[0]: line for line in result.out.splitlines()}
    assert (re.fullmatch(r"fashion-mnist +29\.4 MiB  verified +Fashion-MNIST: .*",
                         lines["fashion-mnist"])), lines["fashion-mnist"]
    assert " unverified " in lines["gist1m"], lines["gist1m"]
    # Without a network nothing is fetched, and nothing left.
    sandbox.expect(sandbox.assay("dataset", "fetch", "siftsmall", "--out", "out"), 2, err=(
        "assay: ftp://ftp.irisa.fr/local/texmex/corpus/siftsmall.tar.gz: the catalogue has no "
        "sha256{*}\n"))


def test_the_catalogue_says_the_truth(sandbox):
    """Files that are here whole: fetch finds that they fit, and asks no server."""
    place = data_folder()
    if place is None:
        pytest.skip("real data is neither in ASSAY_DATA nor in ../shared/data")
    (sandbox.path / "fashion_mnist").mkdir()
    for path in (place / "fashion_mnist").glob("*.gz"):
        (sandbox.path / "fashion_mnist" / path.name).symlink_to(path)
    result = sandbox.expect(sandbox.assay("dataset", "fetch", "fashion-mnist"), err="")
    assert result.out.count(": was there, and its sha256 fits\n") == 4, result.out


GOOD = f"[rows]\n{ABOUT}\n[rows r.bin]\nurl = http://x/\nsize = 1\n"
NAMES = "expected [NAME] or [NAME FILE] of letters, digits, -, _, . and +"
TAR = GOOD.replace("r.bin", "r.tar.gz")
CATALOGS = [
    ("", "c.ini: names no data set; expected [NAME] and [NAME FILE]"),
    ("size = 1\n", "c.ini:1: 'size = 1': expected a group as [NAME] before the first key"),
    ("[rows\n", "c.ini:1: '[rows': expected a group as [NAME]"),
    ("[../rows]\n", f"c.ini:1: group [../rows]: {NAMES}"),
    ("[rows a b]\n", f"c.ini:1: group [rows a b]: {NAMES}"),
    (f"[rows]\n{ABOUT}[rows ../r]\n", f"c.ini:6: group [rows ../r]: {NAMES}"),
    (f"[rows]\n{ABOUT}[rows .r]\n", f"c.ini:6: group [rows .r]: {NAMES}"),
    ("[rows r.bin]\n", "c.ini:1: [rows r.bin] there is no [rows]"),
    ("[rows]\ntitle = a\n", "c.ini:1: [rows] page '': expected an address"),
    (f"[rows]\n{ABOUT}", "c.ini:1: [rows] has no files; expected [rows FILE]"),
    (f"[rows]\n{ABOUT}[rows r.bin]\nsize = 1\n", "c.ini:6: [rows r.bin] url '': expected https://, http:// or ftp://"),
    (f"[rows]\n{ABOUT}title = b\n", "c.ini:6: key 'title' is already on line 2"),
    (GOOD.replace("licence", "folder = ../out\nlicence"), "c.ini:4: [rows] folder '../out': expected a name of {*}"),
    (GOOD.replace("licence", "url = u\nlicence"), "c.ini:4: [rows] unknown key 'url'{*}"),
    (GOOD + "[rows]\n", "c.ini:10: group [rows] is already on line 1"),
    (GOOD + "[rows r.bin]\n", "c.ini:10: group [rows r.bin] is already on line 7"),
    (GOOD + "size = 1\n", "c.ini:10: key 'size' is already on line 9"),
    (GOOD + "sha256 =\n", "c.ini:10: [rows r.bin] sha256 '': expected 64 hexadecimal digits{*}"),
    (GOOD + "sha256 = abc\n", "c.ini:10: [rows r.bin] sha256 'abc': expected 64 hexadecimal digits "
     "in lower case; leave the key out where it is not known"),
    (GOOD + "md5 = abc\n", "c.ini:10: [rows r.bin] unknown key 'md5'"),
    (GOOD + "unpack = a/b\n", "c.ini:10: [rows r.bin] unpack: expected a file whose name ends in "
     ".tar.gz"),
    (TAR + "unpack = a/b; c/b\n", "c.ini:10: [rows r.tar.gz] unpack: two members would have the name of 'c/b'"),
    (TAR + "unpack = a/..\n", "c.ini:10: [rows r.tar.gz] unpack 'a/..': expected {*}"),
    (GOOD.replace("http:", "file:"), "c.ini:8: [rows r.bin] url 'file://x/': expected https://, "
     "http:// or ftp://"),
    (GOOD.replace("size = 1", "size = 1k"), "c.ini:9: [rows r.bin] size '1k': expected a number of "
     "bytes"),
    (GOOD.replace("size = 1", "size = 0"), "c.ini:9: [rows r.bin] size '0': expected a number of "
     "bytes"),
    (GOOD + "word\n", "c.ini:10: 'word': expected KEY = VALUE or [GROUP]"),
    (b"[rows]\n\xff\n", "c.ini: expected UTF-8 text"),
    ("#" * (1 << 20) + "\n", "c.ini: 1048577 bytes are too many (1 MiB at most)"),
]


def test_catalogues_that_are_wrong(sandbox):
    for content, message in CATALOGS:
        sandbox.write("c.ini", content)
        sandbox.expect(sandbox.assay("dataset", "fetch", "--catalog", "c.ini"), 2, "",
                       f"assay: {message}\n")
    sandbox.expect(sandbox.assay("dataset", "fetch", "--catalog", "none.ini"), 2, "",
                   "assay: none.ini: cannot be read: No such file or directory\n")
    sandbox.expect(sandbox.assay("dataset", "fetch", "--catalog", "."), 2, "",
                   "assay: .: is not a regular file\n")


def test_names_and_options_that_are_wrong(sandbox):
    sandbox.expect(sandbox.assay("dataset", "fetch", "fashion-mnis"), 2, "", (
        "assay: the catalogue has no 'fashion-mnis' (did you mean 'fashion-mnist'?); 'assay dataset "
        "fetch' lists what it has\n"))
    for timeout in ("0", "-1", "86401"):
        sandbox.expect(sandbox.assay("dataset", "fetch", "mnist", f"--timeout={timeout}"), 2, "", (
            f"assay dataset fetch: --timeout {timeout}: expected 1 to 86400 seconds\n"))
    assert not any(sandbox.path.iterdir()), "something was made"


def test_import_is_convert(sandbox):
    sandbox.write("a.csv", "1,2\n3,4\n")
    sandbox.expect(sandbox.assay("dataset", "import", "a.csv", "a.npy"), 0, "", "")
    assert data.read_npy(sandbox.path / "a.npy") == ("int64", (2, 2), [1, 2, 3, 4]), "numbers"
