#!/usr/bin/env python3
"""How well `assay run` foretells what is left of a run.

Usage: time-left.py ASSAY SCENARIO...

Plays each scenario on a terminal of its own, notes when it says "about ... left", and compares with
what then was left. Prints for each scenario its seconds, the first forecast of which three seconds
or more were left, with what came of it, and the share of all such forecasts that were within a
factor of two. Needs the data that the scenarios need, and a machine with nothing else to do.
"""
import os
import pty
import re
import subprocess
import sys
import tempfile
import time

LEFT = re.compile(rb"about (\d+) (s|min) left")
LEAST = 3  # seconds that are left: below, rounding decides


def forecasts(assay, scenario):
    """(seconds since the start, seconds foretold) of a run, and how long it took."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = pty.openpty()
        start = time.monotonic()
        with subprocess.Popen([assay, "run", "--out", f"{folder}/out", scenario], stderr=theirs,
                              stdout=subprocess.DEVNULL) as run:
            os.close(theirs)
            while True:
                try:
                    text = os.read(ours, 65536)
                except OSError:  # the terminal goes with the program
                    break
                if not text:
                    break
                for number, unit in LEFT.findall(text)[-1:]:
                    found.append((time.monotonic() - start,
                                  int(number) * (60 if unit == b"min" else 1)))
        os.close(ours)
        return found, time.monotonic() - start


def main():
    for scenario in sys.argv[2:]:
        found, took = forecasts(sys.argv[1], scenario)
        late = [(at, foretold) for at, foretold in found if took - at >= LEAST]
        name = os.path.basename(scenario)
        if not late:
            print(f"{name}: {took:.1f} s, nothing foretold")
            continue
        near = sum(0.5 <= foretold / (took - at) <= 2 for at, foretold in late)
        at, foretold = late[0]
        print(f"{name}: {took:.1f} s; first at {at:.1f} s: {foretold} s for {took - at:.1f} s; "
              f"{near} of {len(late)} within a factor of two", flush=True)


if __name__ == "__main__":
    main()
