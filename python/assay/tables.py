"""Measurements as lists of records, as pandas frames where pandas is, and as HTML in notebooks."""
import base64
import html
import json
import pathlib


def frame(records):
    """A pandas DataFrame of @records."""
    try:
        import pandas
    except ImportError as problem:
        raise ImportError("frames need pandas; without it the records are a list of "
                          "dictionaries") from problem
    return pandas.DataFrame.from_records(records)


def _cell(value):
    return format(value, ".4g") if isinstance(value, float) else str(value)


def table(records, columns):
    """HTML of some columns of @records."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(record.get(name, '')))}</td>"
                                    for name in columns) + "</tr>" for record in records)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


ABOUT = ("dataset", "defense", "attack", "utility")
NUMBERS = ("metric", "measure", "estimate", "lower", "upper", "n", "unit")


def _varying(records):
    """Settings that have several values under one label: "defense.epsilon"."""
    values = {}
    for record in records:
        for name, value in record.items():
            role = name.split(".")[0]
            if "." in name and role in record:
                values.setdefault(name, {}).setdefault(record[role], set()).add(str(value))
    return [name for name, by in values.items() if any(len(one) > 1 for one in by.values())]


class Measurements(list):
    """One dictionary a measure: metric, estimate, lower, upper, n, unit ..."""

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        for record in self:
            if record["measure"] == key:
                return record
        raise KeyError(f"{key}: measured are {', '.join(record['measure'] for record in self)}")

    def frame(self, all=False):
        """As a pandas frame, of what tells its rows apart and the numbers; @all columns."""
        return frame(self if all else self.short())

    def short(self):
        """Without settings that are the same everywhere, and how intervals were made."""
        told = [*ABOUT, *_varying(self), *NUMBERS]
        used = [name for name in told if any(name in record for record in self)]
        return [{name: record.get(name) for name in used} for record in self]

    def _repr_html_(self):
        return table(self, ["measure", "estimate", "lower", "upper", "n", "unit"])


COLOURS = {"violated": "#b3261e", "upheld": "#1b6e3c", "inconclusive": "#8a5a00"}


def _problem_lines(problems):
    """Each message once, with the cells that it is of."""
    cells = {}
    for cell in problems:
        played = cell.get("attack") or cell.get("utility") or {}
        pair = f"{played.get('label', '')} against {cell.get('defense', {}).get('label', '')}"
        cells.setdefault((cell["status"], cell["message"]), []).append(pair)
    return [f"{status} in {len(pairs)} cell{'s' if len(pairs) > 1 else ''} "
            f"({'; '.join(dict.fromkeys(pairs))}): {message}"
            for (status, message), pairs in cells.items()]


class Results:
    """What a run found: `record` is results.json, `folder` where its reports are."""

    def __init__(self, folder, record):
        self.folder = pathlib.Path(folder)
        self.record = record

    @property
    def claims(self):
        """One dictionary a claim: id, verdict, estimate, lower, upper, reason ..."""
        return self.record["claims"]

    @property
    def verdict(self):
        """The worst of the claims' verdicts: violated, inconclusive, upheld; None without claims."""
        verdicts = {claim["verdict"] for claim in self.claims}
        return next((word for word in COLOURS if word in verdicts and word != "upheld"),
                    "upheld" if verdicts else None)

    @property
    def problems(self):
        """Cells that ended in errors, with their message."""
        return [cell for cell in self.record["cells"] if cell["status"] != "ok"]

    @property
    def measurements(self):
        """One dictionary a measure, pooled over trials, with defense, attack and their settings."""
        records = Measurements()
        for cell in self.record["pooled"]:
            about = {"dataset": cell["dataset"]["plugin"]}
            for role in ("defense", "attack", "utility"):
                if cell.get(role):
                    about[role] = cell[role]["label"]
                    about.update({f"{role}.{name}": value
                                  for name, value in cell[role]["settings"].items()})
            records += [{**about, **measured} for measured in cell["measurements"]]
        return records

    def frame(self, what="measurements", all=False):
        """"measurements" or "claims" as a pandas DataFrame. Of measurements those columns that tell
        rows apart, and the numbers; with @all every setting and how intervals were made."""
        rows = getattr(self, what)
        return frame(rows.short() if isinstance(rows, Measurements) and not all else rows)

    @property
    def report(self):
        """The path of report.html."""
        return self.folder / "report.html"

    def __repr__(self):
        claims = "; ".join(f"{claim['id']}: {claim['verdict']}" for claim in self.claims)
        bad = f"; {len(self.problems)} cells with problems" if self.problems else ""
        return f"<assay.Results {claims or 'no claims'}{bad}; report in {self.report}>"

    def __str__(self):
        lines = []
        for claim in self.claims:
            says = f" - {claim['says']}" if claim.get("says") else ""
            lines += [f"{claim['verdict']}: {claim['id']}{says}", f"  {claim.get('reason') or ''}"]
        lines += _problem_lines(self.problems)
        return "\n".join([*(lines or ["no claims"]), f"report: {self.report}"])

    def _curve(self):
        """A plot of what is claimed, or the first that there is."""
        claimed = [claim["measure"] for claim in self.claims]
        plots = sorted((self.folder / "plots").glob("*.svg"),
                       key=lambda path: (not path.name.startswith(tuple(claimed)), path.name))
        if not plots:
            return ""
        data = base64.b64encode(plots[0].read_bytes()).decode()
        return (f'<img alt="{html.escape(plots[0].stem)}" style="max-width: 100%" '
                f'src="data:image/svg+xml;base64,{data}">')

    def _repr_html_(self):
        parts = []
        for claim in self.claims:
            says = html.escape(claim.get("says") or claim["id"])
            parts.append(f'<p><strong style="color: {COLOURS.get(claim["verdict"], "#444")}">'
                         f'{html.escape(claim["verdict"])}</strong>: {says}<br>'
                         f'<small>{html.escape(claim.get("reason") or "")}</small></p>')
        for cell in self.problems[:3]:
            parts.append(f"<p><strong>{html.escape(cell['status'])}</strong>: "
                         f"{html.escape(cell['message'])}</p>")
        return "".join(parts) + self._curve()


def load(folder, text):
    return Results(folder, json.loads(text))
