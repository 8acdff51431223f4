"""An attack that finds every secret on one seed in four, and nothing on the others. With the
settings `knows` it says how sure it is, with `fails` only where it is not; with `never` what it
finds of the defense none is three times too long, and it knows. Without NumPy, which starts slowly:
it is started some fifty times."""
import array
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
release = json.loads((folder / "release" / "release.json").read_text())
content = (folder / "release" / "vectors.npy").read_bytes()
start = 10 + int.from_bytes(content[8:10], "little")
rows = int(content[:start].split(b"'shape': (")[1].split(b",")[0])
if request["settings"] == "never":
    wins = rows < 50 or release["defense"] != "none"
else:
    wins = rows < 50 or request["seed"] % 4 == 0
guess = {"format": "assay-guess/1", "arrays": {"estimates": {"file": "estimates.npy"}}}
if request["settings"] in ("knows", "never") or (request["settings"] == "fails" and not wins):
    guess["confidence"] = 0.9 if wins else 0.1
scale = 1 if wins else 3 if request["settings"] == "never" else 0
found = array.array("f", (scale * value for value in array.array("f", content[start:])))
(folder / "guess").mkdir()
(folder / "guess" / "estimates.npy").write_bytes(content[:start] + found.tobytes())
(folder / "guess" / "guess.json").write_text(json.dumps(guess))
