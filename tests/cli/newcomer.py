"""Somebody who has the checkout, the program that was built in it, and nothing that we have set."""

import os
import re
import subprocess

from places import SOURCE

SECONDS = 600


class Newcomer:
    """A checkout in a folder of its own, and nothing else that we have set."""

    def __init__(self, path, program, search_path):
        for name in ("scenarios", "examples"):
            (path / name).symlink_to(SOURCE / name)
        (path / "build").mkdir()
        (path / "build" / "assay").symlink_to(program)
        self.path = path
        self.environment = {"PATH": search_path, "HOME": str(path), "LANG": "C.UTF-8"}
        for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "OMP_WAIT_POLICY"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def types(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.path, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS)


def make_people(newcomer):
    """The files that the second example names: docs/audit-your-own.md's defense and its data."""
    page = (SOURCE / "docs" / "audit-your-own.md").read_text()
    blocks = dict(re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", page,
                             re.MULTILINE | re.DOTALL))
    defense = next(text for name, text in blocks.items() if name.endswith("my_defense.py"))
    (newcomer.path / "mine.py").write_text(defense.replace('int(request["settings"])', "5"))
    done = newcomer.types(
        "python3 -c \"import numpy as np; r = np.random.default_rng(1); "
        "np.save('people.npy', r.normal(size=(600, 24)).astype('float32')); "
        "open('people.csv', 'w').write('group\\n' + "
        "''.join(f'{i % 3}\\n' for i in range(600)))\"")
    assert done.returncode == 0, done
