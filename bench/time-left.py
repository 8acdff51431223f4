#!/usr/bin/env python3
"""How well `assay plan --time` foretells a run, and `assay run` what is left of it.

Usage: time-left.py [--plan SECONDS] ASSAY SCENARIO...

With --plan each scenario is planned with --time SECONDS and then run, and a row of a table in
Markdown says what was foretold and what it took; the last line is the share within a factor of two.
What could not be timed counts as missed.

Without it, plays each scenario on a terminal of its own, notes when it says "about ... left", and
compares with what then was left. Prints for each scenario its seconds, the first forecast of which
three seconds or more were left, with what came of it, and the share of all such forecasts that were
within a factor of two.

Needs the data that the scenarios need, and a machine with nothing else to do.
"""
import argparse
import os
import pty
import re
import subprocess
import tempfile
import time

LEFT = re.compile(rb"about (\d+) (s|min) left")
FORETOLD = re.compile(r"^time: about (?:a second|(\d+) (s|min|h)); parts of up to (\S+) ", re.M)
UNITS = {"s": 1, "min": 60, "h": 3600}
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


def say_what_is_left(assay, scenario):
    found, took = forecasts(assay, scenario)
    late = [(at, foretold) for at, foretold in found if took - at >= LEAST]
    name = os.path.basename(scenario)
    if not late:
        print(f"{name}: {took:.1f} s, nothing foretold")
        return
    near = sum(0.5 <= foretold / (took - at) <= 2 for at, foretold in late)
    at, foretold = late[0]
    print(f"{name}: {took:.1f} s; first at {at:.1f} s: {foretold} s for {took - at:.1f} s; "
          f"{near} of {len(late)} within a factor of two", flush=True)


def say_what_was_planned(assay, scenario, seconds):
    """Prints a row; whether the time was foretold within a factor of two."""
    text = subprocess.run([assay, "plan", "--time", str(seconds), scenario], check=True,
                          capture_output=True, text=True).stdout
    found = FORETOLD.search(text)
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        subprocess.run([assay, "run", "--quiet", "--out", f"{folder}/out", scenario], check=False,
                       stdout=subprocess.DEVNULL)
        took = time.monotonic() - start
    name = os.path.basename(scenario).removesuffix(".scenario")
    if found is None:
        said = text.rstrip().rpartition("time: ")[2].partition(":")[0]
        print(f"| {name} | {said} | | {took:.1f} s | |", flush=True)
        return False
    foretold = float(found[1] or 1) * UNITS[found[2] or "s"]
    print(f"| {name} | {foretold:.0f} s | {found[3]} | {took:.1f} s | {foretold / took:.2f} |",
          flush=True)
    # "a second" is rounded, as is the least that is said.
    return 0.5 <= foretold / took <= 2 or abs(foretold - took) <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", type=float, metavar="SECONDS")
    parser.add_argument("assay", metavar="ASSAY")
    parser.add_argument("scenarios", nargs="+", metavar="SCENARIO")
    given = parser.parse_args()
    if given.plan is None:
        for scenario in given.scenarios:
            say_what_is_left(given.assay, scenario)
        return
    print("| scenario | foretold | of parts up to | taken | ratio |\n| --- | ---: | ---: | ---: | ---: |")
    near = sum(say_what_was_planned(given.assay, scenario, given.plan)
               for scenario in given.scenarios)
    print(f"{near} of {len(given.scenarios)} within a factor of two")


if __name__ == "__main__":
    main()
