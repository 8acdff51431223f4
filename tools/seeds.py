#!/usr/bin/env python3
"""Runs a scenario with several seeds and prints the mean of each measure, and how far seeds are
apart.

Usage: seeds.py [--seeds N] [--assay PROGRAM] [--results FOLDER] [--set GROUP.KEY=VALUE]...
                [--measure NAME]... [--digits N] SCENARIO...

Seeds are 1 to N (5). For each attack and utility there is a table: a row for each defense, with the
settings in which cells of the same label differ, and a column for each measure, or for those that
are named: the mean over the seeds and, in brackets, the least and the most of them. Intervals of
single runs are over their units, and say nothing of other seeds; this is what does.

With --results a run is kept as FOLDER/STEM/seed-N, of STEM.scenario, and not made again where it is
there. --set is handed on to `assay run`; runs that are kept are then those of other settings, so
that the two are not taken together. tools/check-figures compares tables that are marked `seeds: N`
with the same means.

Ends with 1 where a run has no results or a cell of one failed.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


class Failed(Exception):
    """A run without results, or a cell without figures."""


def run(assay, scenario, out, options=()):
    """The results of a scenario, the same on every processor, made in the folder `out` unless they
    are there."""
    if not (out / "results.json").exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([assay, "run", "--portable", "--quiet", "--out", out, *options,
                               scenario],
                              check=False, stdout=subprocess.DEVNULL)
        # 1 says that a claim was not upheld, and the results are there.
        if not (out / "results.json").exists():
            raise Failed(" ".join([f"{scenario}: assay run", *options,
                                   f"ended with {done.returncode}"]))
    return json.loads((out / "results.json").read_text(encoding="utf-8"))


def run_all(assay, scenario, seeds, folder, settings=()):
    stem = pathlib.Path(scenario).stem
    extra = [word for one in settings for word in ("--set", one)]
    return [run(assay, scenario, folder / stem / f"seed-{seed}", ["--seed", str(seed), *extra])
            for seed in range(1, seeds + 1)]


def part_of(cell):
    return cell["attack"] if "attack" in cell else cell["utility"]


def key_of(cell):
    """What makes two cells of different seeds the same one."""
    parts = [cell["dataset"]["settings"], cell["defense"], part_of(cell)]
    return json.dumps(parts, sort_keys=True)


def mean_of(measurements):
    values = [one["estimate"] for one in measurements]
    bounds = (None, None, None)
    if None not in values:
        bounds = (sum(values) / len(values), min(values), max(values))
    return {**measurements[0], **dict(zip(("estimate", "lower", "upper"), bounds)),
            "n": len(values), "method": "mean, least and most of the seeds"}


def means(results):
    """Results like those of one run, whose estimates are means, and whose bounds are the least and
    the most of the seeds."""
    by_key = {}
    for one in results:
        for cell in one["pooled"]:
            if cell["status"] != "ok":
                raise Failed(f"{part_of(cell)['label']} on {cell['defense']['label']}: "
                             f"{cell['message']}")
            by_key.setdefault(key_of(cell), []).append(cell)
    pooled = []
    for cells in by_key.values():
        names = [[(m["measure"], str(m["settings"])) for m in cell["measurements"]]
                 for cell in cells]
        if len(cells) != len(results) or any(one != names[0] for one in names):
            raise Failed(f"{part_of(cells[0])['label']} on {cells[0]['defense']['label']} does not "
                         "have the same measures with every seed")
        pooled.append({**cells[0], "measurements": [
            mean_of(list(same))
            for same in zip(*(cell["measurements"] for cell in cells))]})
    return {"pooled": pooled}


def varying(cells):
    """The settings of defenses in which cells of the same label differ."""
    values = {}
    for cell in cells:
        for name, value in cell["defense"]["settings"].items():
            values.setdefault((cell["defense"]["label"], name), set()).add(json.dumps(value))
    return {one for one, found in values.items() if len(found) > 1}


def print_table(cells, wanted, digits):
    varied = varying(cells)
    names = list(dict.fromkeys(m["measure"] for cell in cells for m in cell["measurements"]
                               if not wanted or m["measure"] in wanted))
    if not names:
        return
    print(f"\n{part_of(cells[0])['label']}:\n")
    print("| " + " | ".join(["defense", *names]) + " |")
    print("| --- " * (len(names) + 1) + "|")
    for cell in cells:
        label = cell["defense"]["label"]
        texts = [label, *(f"{name} = {value}" for name, value in cell["defense"]["settings"].items()
                          if (label, name) in varied)]
        row = [", ".join(texts)]
        for name in names:
            found = next((m for m in cell["measurements"] if m["measure"] == name), None)
            row.append("" if found is None or found["estimate"] is None else
                       "{:.{d}f} [{:.{d}f}, {:.{d}f}]".format(
                           found["estimate"], found["lower"], found["upper"], d=digits))
        print("| " + " | ".join(row) + " |")


def print_means(found, wanted, digits):
    for label in dict.fromkeys(part_of(cell)["label"] for cell in found["pooled"]):
        print_table([cell for cell in found["pooled"] if part_of(cell)["label"] == label], wanted,
                    digits)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, metavar="N")
    parser.add_argument("--assay", default=here / "build" / "assay", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--set", action="append", default=[], dest="settings")
    parser.add_argument("--measure", action="append", default=[])
    parser.add_argument("--digits", type=int, default=3)
    parser.add_argument("scenarios", nargs="+", metavar="SCENARIO")
    given = parser.parse_args()
    if given.seeds < 1:
        parser.error(f"--seeds {given.seeds}: expected 1 at least")
    if given.results and given.settings:
        parser.error("--results keeps runs of scenarios as they stand, without --set")
    with tempfile.TemporaryDirectory() as made:
        folder = given.results or pathlib.Path(made)
        for name in given.scenarios:
            try:
                found = means(run_all(given.assay.resolve(), name, given.seeds, folder,
                                      given.settings))
            except Failed as failure:
                print(f"seeds.py: {failure}", file=sys.stderr)
                return 1
            print(f"{name}, seeds 1 to {given.seeds}: mean [least, most]")
            print_means(found, given.measure, given.digits)
    return 0


if __name__ == "__main__":
    sys.exit(main())
