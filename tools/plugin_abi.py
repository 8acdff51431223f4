#!/usr/bin/env python3
"""Whether what installed plugins rely on has changed without a new ABI number.

Usage: plugin_abi.py [--write]

Structures, enumerations and types of functions in the headers that plugins are compiled with
(plugin_headers in core/meson.build) have a hash, which core/plugin/abi-record holds with the number
ASSAY_PLUGIN_ABI that it belongs to. tools/check-sources finds a hash that is another one. Whoever
changes such a header raises the number in core/plugin/common.h, and records both with --write.
"""
import hashlib
import pathlib
import re
import sys

HEADERS = "core/meson.build"
NUMBER = "core/plugin/common.h"
RECORD = "core/plugin/abi-record"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# "typedef struct {...} Name;", "struct Name {...};", "typedef gboolean (*Name) (...);"
DECLARATION = re.compile(r"^(?:typedef\s.*?;|(?:struct|enum)\s[^;(]*\{.*?\n\}[^;\n]*;)$",
                         re.DOTALL | re.MULTILINE)
# Members and kinds that stand in macros.
MACRO = re.compile(r"^#define ASSAY_\w*(?:COMMON|KINDS)\b.*?[^\\]$", re.DOTALL | re.MULTILINE)
BODY = re.compile(r"^typedef (?:struct|enum|union)[^;{(]*\{.*?\n\}[^;\n]*;$", re.DOTALL | re.MULTILINE)


def declarations(text):
    """What is laid out in @text, without comments, and with one blank in place of several."""
    text = COMMENT.sub("", text)
    found = BODY.findall(text) + MACRO.findall(text)
    found += DECLARATION.findall(BODY.sub("", text))
    return sorted(" ".join(one.split()) for one in found)


def header_names(root):
    build = (root / HEADERS).read_text(encoding="utf-8")
    listed = build[build.index("plugin_headers = files("):]
    return ["core/" + name for name in re.findall(r"'([^']+)'", listed[:listed.index(")\n")])]


def hash_of(root):
    """Of the declarations of all headers. Their order, and moving one, count for nothing."""
    found = [one for name in header_names(root)
             for one in declarations((root / name).read_text(encoding="utf-8"))]
    return hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()[:16]


def number_of(root):
    text = (root / NUMBER).read_text(encoding="utf-8")
    return int(re.search(r"#define ASSAY_PLUGIN_ABI (\d+)", text)[1])


def findings(root):
    """As check-sources prints them: (file, line, what)."""
    if not (root / RECORD).exists():
        return
    number, known = (root / RECORD).read_text(encoding="utf-8").split()
    if int(number) != number_of(root):
        yield RECORD, 1, f"is of ABI {number}, not {number_of(root)}: tools/plugin_abi.py --write"
    elif known != hash_of(root):
        yield NUMBER, 1, ("structures in the headers of plugins have changed: raise ASSAY_PLUGIN_ABI, "
                          "then tools/plugin_abi.py --write")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    if sys.argv[1:] == ["--write"]:
        (root / RECORD).write_text(f"{number_of(root)} {hash_of(root)}\n", encoding="utf-8")
        return 0
    if len(sys.argv) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(findings(root))
    for name, line, what in found:
        print(f"{name}:{line}: {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
