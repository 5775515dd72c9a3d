"""Results of baselines: one entry per model and split, kept as JSON."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from .._result import _write, json_text
from .._table import Table
from ._models import MODELS

FORMAT = 1


class Baselines:
    """Results of trained models on the splits of one graph.

    Attributes
    ----------
    data
        The content of the JSON file; docs/json.md describes it.

    Examples
    --------
    >>> from netinfof.baselines import Baselines
    >>> entry = {"model": "gcn", "seed": 0, "status": "ok", "test": {"accuracy": 0.8}, "seconds": 2.0, "peak_memory_bytes": 10**8}
    >>> found = Baselines({"baselines": 1, "task": "nodes", "graph": {"name": "demo"}, "runs": [entry]})
    >>> found.mean("gcn")
    {'accuracy': 0.8}
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @property
    def task(self) -> str:
        """The task: ``links`` or ``nodes``."""
        return str(self.data["task"])

    @property
    def models(self) -> list[str]:
        """Names of the models, in the order of the documentation."""
        present = {run["model"] for run in self.data["runs"]}
        known = [name for name in MODELS[self.data["task"]] if name in present]
        return known + sorted(present - set(known))

    def runs(self, model: str) -> list[dict[str, Any]]:
        """Return the entries of one model, by split.

        Parameters
        ----------
        model
            Name of the model.

        Returns
        -------
        list
            The entries.
        """
        return sorted((run for run in self.data["runs"] if run["model"] == model), key=lambda run: run["seed"])

    def mean(self, model: str) -> dict[str, float]:
        """Return the test metrics of one model as means over its splits.

        Parameters
        ----------
        model
            Name of the model.

        Returns
        -------
        dict
            The metrics; empty if the model failed on every split.
        """
        return {name: sum(values) / len(values) for name, values in self._values(model).items()}

    def std(self, model: str) -> dict[str, float]:
        """Return the standard deviations of the test metrics over the splits of one model.

        Parameters
        ----------
        model
            Name of the model.

        Returns
        -------
        dict
            The standard deviations, with the number of splits as divisor, as in results of netinfof.
        """
        means = self.mean(model)
        return {name: (sum((value - means[name]) ** 2 for value in values) / len(values)) ** 0.5 for name, values in self._values(model).items()}

    def _values(self, model: str) -> dict[str, list[float]]:
        """The test metrics of one model, one value per split that has a result."""
        done = [run["test"] for run in self.runs(model) if run["status"] == "ok"]
        return {name: [test[name] for test in done] for name in (done[0] if done else ())}

    def table(self) -> Table:
        """Return one row per model: the test metrics, seconds and memory, as means over the splits.

        ``status`` is ``ok``, or why a model has no result.
        """
        rows = []
        for model in self.models:
            runs = self.runs(model)
            failed = [run["status"] for run in runs if run["status"] != "ok"]
            info = MODELS[self.data["task"]].get(model)
            rows.append(
                {
                    "model": model,
                    "family": info.family if info else "other",
                    **self.mean(model),
                    "seconds": sum(run["seconds"] for run in runs) / len(runs),
                    "memory": max(run["peak_memory_bytes"] for run in runs),
                    "status": failed[0] if failed else "ok",
                    "splits": len(runs) - len(failed),
                }
            )
        names = list(dict.fromkeys(name for row in rows for name in row if name not in ("seconds", "memory", "status", "splits")))
        return Table({name: [row.get(name) for row in rows] for name in [*names, "seconds", "memory", "status", "splits"]})

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the JSON text, and optionally write it to a file.

        Parameters
        ----------
        path
            File to write. None: no file.

        Returns
        -------
        str
            The text, which ``netinfof report --baselines`` reads.
        """
        text = json.dumps(self.data, indent=1)
        if path is not None:
            _write(path, text + "\n")
        return text

    @classmethod
    def from_json(cls, text: str | os.PathLike[str]) -> Baselines:
        """Read results from a JSON file or text.

        Parameters
        ----------
        text
            The JSON text, or the path of a file that holds it.

        Returns
        -------
        Baselines
            The results.

        Raises
        ------
        ValueError
            If the text is not a file of baselines.
        """
        text, where = json_text(text)
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"{where} is not a file of baselines: {error} (need one that `python -m netinfof.baselines --json` wrote)") from None
        if not isinstance(data, dict) or data.get("baselines") != FORMAT or not isinstance(data.get("runs"), list):
            raise ValueError(f"{where} is not a file of baselines (need one that `python -m netinfof.baselines --json` wrote)")
        return cls(data)

    def __str__(self) -> str:
        return shown(self)

    def __repr__(self) -> str:
        return f"Baselines('{self.data['graph']['name']}', {self.task}: {', '.join(self.models)})"


def compared(report: dict[str, Any], found: Baselines) -> Table:
    """Return one row per baseline and one for the result of ``act``, the best first."""
    if "test" not in report["mean"]:
        raise ValueError("this is the result of a probe (need a result of act, which has test metrics)")
    if found.task != report["task"]:
        raise ValueError(f"these are baselines of '{found.task}' (need those of the same task: this is a result of '{report['task']}')")
    if re.search(r" split=…|--split[ =]|--train[ =]", report.get("command", "")):
        raise ValueError("this is a result on a split of its own, or by masks (need the same splits: baselines are trained on random ones, as with `split='random'`)")
    graph = report["graph"]
    for key in ("name", "nodes", "edges"):
        if found.data["graph"][key] == graph[key]:
            continue
        raise ValueError(f"these are baselines of {found.data['graph'][key]!r} (need those of the same graph: its {key} is {graph[key]!r})")
    split = report["params"]["split"]
    for key, value in found.data.get("split", {}).items():
        if key in split and split[key] != value:
            raise ValueError(f"these are baselines with {key} = {value!r} (need the same split: this is a result with {split[key]!r})")
    mine = {"model": "netinfof act", "family": "combination", **report["mean"]["test"]}
    mine |= {
        "seconds": sum(part["seconds"]["total"] for part in report["splits"]) / len(report["splits"]),
        "memory": report["peak_memory_bytes"],
        "status": "ok",
        "splits": len(report["splits"]),
    }
    rows = [mine, *found.table().rows()]
    metric = main_metric(found.task, list(report["mean"]["test"]))
    rows.sort(key=lambda row: -1.0 if row.get(metric) is None else row[metric], reverse=True)
    names = [name for name in mine if name not in ("seconds", "memory", "status", "splits")]
    return Table({name: [row.get(name) for row in rows] for name in [*names, "seconds", "memory", "status", "splits"]})


def main_metric(task: str, names: list[str]) -> str:
    """Return the name of the metric that a task is judged by."""
    return "accuracy" if task == "nodes" else next((name for name in names if name.startswith("hits@")), "auc")


def shown(found: Baselines) -> str:
    """Return the results as text: one line per model."""
    table = found.table()
    metrics = [name for name in table if name not in ("model", "family", "seconds", "memory", "status", "splits")]
    first = main_metric(found.task, metrics)
    second = "auc" if found.task == "links" else "balanced_accuracy"
    chosen = [name for name in (first, second) if name in metrics]
    lines = [["model", "sees", *chosen, "seconds", "memory"]]
    for row in table.rows():
        std = found.std(row["model"])
        cells = [f"{100 * row[name]:.1f} ± {100 * std[name]:.1f}" if row[name] is not None else "–" for name in chosen]
        if row["status"] != "ok":
            cells[:1] = [row["status"] if row["splits"] == 0 else f"{cells[0]} ({row['splits']} splits; {row['status']})"]
        lines.append([row["model"], row["family"], *cells, f"{row['seconds']:.1f}", f"{row['memory'] / 2**20:.0f} MiB"])
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if at < 2 else cell.rjust(width) for at, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)
