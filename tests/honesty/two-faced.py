"""An attack that wins cases as small as a control, and releases that say that nothing was added to
them, and gives up on all others. Without NumPy, which starts slowly."""
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[-1])
content = (folder / "release" / "vectors.npy").read_bytes()
start = 10 + int.from_bytes(content[8:10], "little")
rows = int(content[:start].split(b"'shape': (")[1].split(b",")[0])
tries = rows < 50 or "gaussian" not in (folder / "release" / "release.json").read_text()
guess = folder / "guess"
guess.mkdir()
(guess / "estimates.npy").write_bytes(
    content if tries else content[:start] + bytes(len(content) - start))
(guess / "guess.json").write_text(json.dumps(
    {"format": "assay-guess/1", "arrays": {"estimates": {"file": "estimates.npy"}}}))
