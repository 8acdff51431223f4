#!/usr/bin/env python3
"""How well `assay plan --time` foretells a run, and `assay run` what is left of it.

Usage: time-left.py [--plan SECONDS] ASSAY SCENARIO...

With --plan each scenario is planned with --time SECONDS and then run, and a row of a table in
Markdown says what was foretold and what it took, by the clock and by what processors worked; the
last line is the share of which both were within a factor of two. What could not be timed counts as
missed. On a machine with other work to do only the latter can be compared: how much of a processor
the run gets is not that of the minute before.

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
import resource
import subprocess
import tempfile
import time

LEFT = re.compile(rb"about (\d+) (s|min) left")
DURATION = r"(a second|\d+ (?:s|min|h))"
FORETOLD = re.compile(rf"^time: about {DURATION} \({DURATION} of processors\); "
                      r"parts of up to (\S+) ", re.M)
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


def seconds_of(duration):
    number, unit = duration.split()
    return 1.0 if number == "a" else float(number) * UNITS[unit]


def is_near(foretold, took):
    # "a second" is rounded, as is the least that is said.
    return 0.5 <= foretold / took <= 2 or abs(foretold - took) <= 1


def spent():
    """The clock, and what processors worked for processes that ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic(), ended.ru_utime + ended.ru_stime


def say_what_was_planned(assay, scenario, seconds):
    """Prints a row; whether time and work were foretold within a factor of two."""
    text = subprocess.run([assay, "plan", "--time", str(seconds), scenario], check=True,
                          capture_output=True, text=True).stdout
    found = FORETOLD.search(text)
    with tempfile.TemporaryDirectory() as folder:
        before = spent()
        subprocess.run([assay, "run", "--quiet", "--out", f"{folder}/out", scenario], check=False,
                       stdout=subprocess.DEVNULL)
        took, work = (after - start for after, start in zip(spent(), before))
    name = os.path.basename(scenario).removesuffix(".scenario")
    if found is None:
        said = text.rstrip().rpartition("time: ")[2].partition(":")[0]
        print(f"| {name} | | {said} | {took:.1f} s | | | {work:.1f} s | |", flush=True)
        return False
    times, works = seconds_of(found[1]), seconds_of(found[2])
    print(f"| {name} | {found[3]} | {times:.0f} s | {took:.1f} s | {times / took:.2f} "
          f"| {works:.0f} s | {work:.1f} s | {works / work:.2f} |", flush=True)
    return is_near(times, took) and is_near(works, work)


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
    print("| scenario | parts up to | foretold | taken | ratio | of processors | taken | ratio |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    near = sum(say_what_was_planned(given.assay, scenario, given.plan)
               for scenario in given.scenarios)
    print(f"{near} of {len(given.scenarios)} within a factor of two")


if __name__ == "__main__":
    main()
