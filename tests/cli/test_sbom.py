"""tools/sbom: names what a program loads, whoever asks."""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess

import pytest

import places


def sbom(sandbox, **environment):
    command = [str(places.SOURCE / "tools" / "sbom"), sandbox.assay_path]
    done = subprocess.run(command, env={**sandbox.environment, **environment}, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def _has_the_tools():
    for tool in ("ldd", "readelf"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")


def test_every_library_is_named_with_its_hash(sandbox):
    document = json.loads(sbom(sandbox))
    packages = {package["name"]: package for package in document["packages"]}
    lines = subprocess.run(["ldd", sandbox.assay_path], check=True, capture_output=True,
                           text=True).stdout
    loaded = re.findall(r"(\S+) => (/\S+)", lines)
    assert any(name.startswith("libopenblas") for name, _ in loaded)
    for name, path in loaded:
        digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
        assert packages[name]["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest}]
    linked = {relation["relatedSpdxElement"] for relation in document["relationships"]
              if relation["relationshipType"] == "DYNAMIC_LINK"}
    assert packages["libsqlite3.so.0"]["SPDXID"] in linked
    assert packages["libffi.so.8"]["SPDXID"] not in linked, "GLib loads it, not the program"
    late = {relation["spdxElementId"] for relation in document["relationships"]
            if relation["relationshipType"] == "RUNTIME_DEPENDENCY_OF"}
    flint = next(name for name in packages if name.startswith("libflint.so."))
    assert packages[flint]["SPDXID"] in late and flint not in dict(loaded)
    assert any(name.startswith("libmpfr.so.") for name in packages), "FLINT loads it"


def test_document_is_as_spdx_has_it(sandbox):
    document = json.loads(sbom(sandbox))
    assert document["spdxVersion"] == "SPDX-2.3" and document["SPDXID"] == "SPDXRef-DOCUMENT"
    identifiers = [package["SPDXID"] for package in document["packages"]]
    assert len(set(identifiers)) == len(identifiers)
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in identifiers)
    known = {*identifiers, "SPDXRef-DOCUMENT"}
    for relation in document["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known


def test_same_program_same_text(sandbox):
    one = sbom(sandbox, SOURCE_DATE_EPOCH="1700000000")
    assert one == sbom(sandbox, SOURCE_DATE_EPOCH="1700000000", TZ="Asia/Kathmandu")
    assert json.loads(one)["creationInfo"]["created"] == "2023-11-14T22:13:20Z"


def test_no_program_is_an_error(sandbox):
    done = subprocess.run([str(places.SOURCE / "tools" / "sbom"), "absent"], cwd=sandbox.path,
                          check=False, capture_output=True, text=True)
    assert done.returncode != 0 and "absent: expected a built program" in done.stderr
