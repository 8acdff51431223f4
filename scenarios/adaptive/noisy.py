"""A defense: normal noise of the deviation that is the text of the settings. Its numbers are those
of a seed that somebody thought of, in place of the one that Assay hands over."""

import array
import json
import pathlib
import random
import struct
import sys

folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
data = (folder / "secrets.npy").read_bytes()
start = 10 + struct.unpack("<H", data[8:10])[0]
deviation = float(request["settings"])

random.seed(1234)
numbers = array.array("f", (x + random.gauss(0, deviation) for x in array.array("f", data[start:])))
release = folder / "release"
release.mkdir()
(release / "vectors.npy").write_bytes(data[:start] + numbers.tobytes())
(release / "release.json").write_text(json.dumps({
    "format": "assay-release/1",
    "kind": "vectors",
    "arrays": {"vectors": {"file": "vectors.npy"}},
}))
