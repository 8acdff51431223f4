"""Tables of Markdown that a command fills: the rows of what it measured, in the place of those that
were there before of the same name (the first column)."""
import pathlib


def cells_of(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def find(lines, head):
    """Where the rows of the table with this head begin and end."""
    begin = lines.index(head) + 2
    end = next((i for i in range(begin, len(lines)) if not lines[i].startswith("|")), len(lines))
    return begin, end


def read(path, head):
    """{name: cells} of a table."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    begin, end = find(lines, head)
    return {cells_of(line)[0]: cells_of(line) for line in lines[begin:end]}


def write(path, head, rows, total=None):
    """Puts `rows`, {name: cells}, into a table in the order of names; `total` of all rows is the
    cells of a last one, "all"."""
    path = pathlib.Path(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    begin, end = find(lines, head)
    kept = read(path, head) | rows
    kept.pop("all", None)
    merged = [kept[name] for name in sorted(kept)]
    if total is not None:
        merged.append(total(merged))
    text = [f"| {' | '.join(map(str, row))} |" for row in merged]
    path.write_text("\n".join([*lines[:begin], *text, *lines[end:]]) + "\n", encoding="utf-8")
