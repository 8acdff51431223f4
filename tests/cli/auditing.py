"""What the tests of assay audit share."""

import random
import re
import shlex
import sys

import data

# Programs without any module: what is released is what was given, after @body.
PROGRAM = """
import array, json, math, pathlib, random, struct, sys, time
folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
content = (folder / "secrets.npy").read_bytes()
start = 10 + struct.unpack("<H", content[8:10])[0]
rows = array.array("f", content[start:])
rng = random.Random(request["seed"])
{body}
(folder / "release").mkdir()
(folder / "release" / "vectors.npy").write_bytes(content[:start] + rows.tobytes())
(folder / "release" / "release.json").write_text(json.dumps({{
    "format": "assay-release/1", "kind": "vectors", "arrays": {{"vectors": {{"file": "vectors.npy"}}}}}}))
"""


# All principal components of the rows of this release, by power iteration.
COMPONENTS = """
d = {columns}
table = [list(rows[i:i + d]) for i in range(0, len(rows), d)]
mean = [sum(column) / len(table) for column in zip(*table)]
table = [[x - m for x, m in zip(row, mean)] for row in table]
cov = [[sum(row[i] * row[j] for row in table) for j in range(d)] for i in range(d)]
axes = []
for _ in range(d):
    axis = [rng.gauss(0, 1) for _ in range(d)]
    for _ in range(60):
        axis = [sum(c * a for c, a in zip(line, axis)) for line in cov]
        for other in axes:
            dot = sum(a * b for a, b in zip(axis, other))
            axis = [a - dot * b for a, b in zip(axis, other)]
        length = math.sqrt(sum(a * a for a in axis))
        axis = [a / length for a in axis]
    axes.append(axis)
rows = array.array("f", (sum(x * a for x, a in zip(row, axis)) for row in table for axis in axes))
"""


def program(sandbox, name, body):
    sandbox.write(name, PROGRAM.format(body=body))
    return f"{shlex.quote(sys.executable)} {name}"


def people(sandbox, n=400, cols=4):
    """Rows without clusters, and the sign of the first number as a word."""
    rng = random.Random(5)
    rows = [[rng.gauss(0, 1) for _ in range(cols)] for _ in range(n)]
    sandbox.write("people.npy", data.npy_bytes(rows))
    sandbox.write("people.csv", "a,b,c,d\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    sandbox.write("class.csv", "id,class\n" + "".join(
        f"{i},{'high' if row[0] > 0 else 'low'}\n" for i, row in enumerate(rows)))


def verdicts(out):
    return {found[2]: found[1] for found in
            re.finditer(r"^(upheld|violated|inconclusive): claim (\S+)", out, re.MULTILINE)}


def place(out, word):
    return re.search(rf"^{word}: +(\S+)", out, re.MULTILINE)[1]
