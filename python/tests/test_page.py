"""The blocks of docs/python.md, one after another."""
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_block_runs():
    blocks = BLOCK.findall((SOURCE / "docs" / "python.md").read_text(encoding="utf-8"))
    assert len(blocks) == 4
    pathlib.Path("page.ipynb").write_text(json.dumps(
        {"cells": [{"cell_type": "code", "source": [block]} for block in blocks]}))
    done = subprocess.run(
        [sys.executable, SOURCE / "python" / "tests" / "run_notebook.py", "page.ipynb"],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE / "python")})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] in ("'violated'", "'upheld'", "'inconclusive'")
