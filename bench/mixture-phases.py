#!/usr/bin/env python3
"""Draws how much of a release of mixtures comes back, by the number of mixtures of each image.

Usage: bench-mixture-inversion --table phases --grey | mixture-phases.py OUT.svg      (needs gnuplot)

Reads the table that the benchmark prints; one picture for each k, one line for each share of the
public set that the attacker knows, and the share of images above a correlation of 0.8.
"""
import re
import subprocess
import sys

ROW = re.compile(r"\| k (\d+), (all|\d+ %) known, T (\d+) \|")
COLUMN = "above .8"
PICTURE = 380  # pixels

HEAD = """set terminal svg size {width},360 font 'sans-serif,12' background rgb 'white'
set output '{out}'
set multiplot layout 1,{count}
set xlabel 'mixtures of each image, T'
set ylabel 'images above 0.8 (%)'
set logscale x 10
set xtics ({tics})
set yrange [0:105]
set key below horizontal title 'share of the public set that is known'
set xrange [4:60]
set grid
"""


def read_cells(lines):
    """{k: {share: [(T, percent)]}}, in the order of the table."""
    head, cells = None, {}
    for line in lines:
        fields = [field.strip() for field in line.strip().strip("|").split("|")]
        if fields[0] == "case":
            head = fields
        named = ROW.match(line)
        if named is None or head is None:
            continue
        values = dict(zip(head, fields))
        percent = 100 * float(values[COLUMN]) / float(values["secrets"])
        of_k = cells.setdefault(int(named[1]), {})
        of_k.setdefault(named[2], []).append((int(named[3]), percent))
    return cells


def script_of(cells, out):
    tics = sorted({t for shares in cells.values() for points in shares.values() for t, _ in points})
    text = HEAD.format(width=PICTURE * len(cells), out=out.replace("'", "''"), count=len(cells),
                       tics=", ".join(map(str, tics)))
    for k, shares in sorted(cells.items()):
        lines = [f"'-' using 1:2 with linespoints pointtype {5 + 2 * i} linewidth 2 "
                 f"title '{share}'" for i, share in enumerate(shares)]
        text += f"set title 'k = {k}'\nplot " + ", ".join(lines) + "\n"
        for points in shares.values():
            text += "".join(f"{t} {percent}\n" for t, percent in sorted(points)) + "e\n"
    return text + "unset multiplot\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cells = read_cells(sys.stdin)
    if not cells:
        sys.exit("mixture-phases.py: expected the table of bench-mixture-inversion --table phases")
    subprocess.run(["gnuplot", "-"], input=script_of(cells, sys.argv[1]), check=True,
                   encoding="utf-8")


if __name__ == "__main__":
    main()
