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


class Measurements(list):
    """One dictionary a measure: metric, estimate, lower, upper, n, unit ..."""

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        for record in self:
            if record["measure"] == key:
                return record
        raise KeyError(f"{key}: measured are {', '.join(record['measure'] for record in self)}")

    def frame(self):
        return frame(self)

    def _repr_html_(self):
        return table(self, ["measure", "estimate", "lower", "upper", "n", "unit"])


COLOURS = {"violated": "#b3261e", "upheld": "#1b6e3c", "inconclusive": "#8a5a00"}


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

    def frame(self, what="measurements"):
        """"measurements" or "claims" as a pandas DataFrame."""
        return frame(getattr(self, what))

    @property
    def report(self):
        """The path of report.html."""
        return self.folder / "report.html"

    def __repr__(self):
        claims = "; ".join(f"{claim['id']}: {claim['verdict']}" for claim in self.claims)
        return f"<assay.Results {claims or 'no claims'}; report in {self.report}>"

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
