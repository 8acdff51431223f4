"""Which file includes which, and what of that must not be.

Folders are layers (LAYERS, from the bottom up): a file includes headers of its own folder and of
those below it. Plugins see the core and their own kind; a report sees plain results. Both hold for
whatever a file gets to see by way of other headers, too. A module is NAME.c with NAME.h; no two
modules need each other, directly or round a circle, so that each can be read after those below it.
"""
import pathlib
import re

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)')

# From the bottom up. The longest prefix of a file's name is its layer.
LAYERS = (
    "core/base", "core/data", "core/graph", "core/math", "core/network", "core/stats", "core/search", "core/learn",
    "core/crypto", "core/plugin", "core/games", "core/external",
    "attacks", "datasets", "defenses", "metrics",
    "runner/plan", "runner/store", "runner/witness", "runner/judge", "runner/compare", "runner/run", "runner/by-hand",
    "runner/mutants",
    "runner/foretell",
    "runner/workers",
    "report/exports", "report/plots", "report/html", "report",
    "lib", "cli",
)

# What is seen of the project, for folders that do not see all that is below them.
SEES = {
    "attacks": ("core/", "attacks/"),
    "datasets": ("core/", "datasets/"),
    "defenses": ("core/", "defenses/"),
    "metrics": ("core/", "metrics/"),
    "runner": ("core/", "runner/", "config.h"),
    "report": ("core/base/", "core/stats/", "runner/judge/results.h", "runner/store/attachments.h",
               "runner/plan/plain.h", "runner/compare/comparison.h", "runner/plan/folders.h",
               "report/", "config.h"),
}

# Libraries with one user.
ONLY_USER = {
    "cblas": "core/math/linalg.c",
    "lapacke": "core/math/linalg.c",
    "faiss/": "core/search/knn.c",
    "oneapi/": "core/network/convolution.c",
}


def layer_of(name):
    """The place of a file's folder in LAYERS; None: it is in none of them."""
    fitting = [layer for layer in LAYERS if name.startswith(layer + "/")]
    return LAYERS.index(max(fitting, key=len)) if fitting else None


def read_includes(root, names):
    """For every C file its includes, as (line number, quote or bracket, header)."""
    includes = {}
    for name in names:
        lines = (root / name).read_text(encoding="utf-8", errors="replace").split("\n")
        matches = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, 1))
        includes[name] = [(number, *match.groups()) for number, match in matches if match]
    return includes


def reached_by(includes, name):
    """Headers that a file sees, as {header: (line of the include in the file, its header)}."""
    seen = {}
    for number, quote, first in includes.get(name, []):
        stack = [first] if quote == '"' else []
        while stack:
            header = stack.pop()
            if header not in seen:
                seen[header] = number, first
                stack += [h for _, q, h in includes.get(header, []) if q == '"']
    return seen


def check_layers(includes, name):
    """Findings on what one file sees, as (line number, what)."""
    own = layer_of(name)
    if own is None:
        return
    sees = SEES.get(name.split("/")[0], ("",))
    for header, (number, first) in reached_by(includes, name).items():
        way = "" if header == first else f", which {first} leads to"
        other = layer_of(header)
        if not header.startswith(sees) or (other is not None and other > own):
            yield number, f"{LAYERS[own]}/ may not include {header}{way}"


def check_libraries(includes, name):
    for number, _, header in includes[name]:
        for library, user in ONLY_USER.items():
            if header.startswith(library) and name != user and layer_of(name) is not None:
                yield number, f"only {user} may include {header}"


def module_of(name):
    return str(pathlib.PurePosixPath(name).with_suffix(""))


def find_circles(includes):
    """Sets of modules that need each other: strongly connected components (Tarjan 1972)."""
    needs = {}
    for name, found in includes.items():
        if layer_of(name) is not None:
            needs.setdefault(module_of(name), set()).update(
                module_of(header) for _, quote, header in found
                if quote == '"' and header in includes and module_of(header) != module_of(name))
    index, low, on_stack, stack, circles = {}, {}, set(), [], []

    def visit(module):
        index[module] = low[module] = len(index)
        stack.append(module)
        on_stack.add(module)
        for other in sorted(needs.get(module, ())):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in on_stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            circle = set()
            while module not in circle:
                circle.add(stack.pop())
            on_stack.difference_update(circle)
            if len(circle) > 1:
                circles.append(sorted(circle))

    for module in sorted(needs):
        if module not in index:
            visit(module)
    return sorted(circles)
