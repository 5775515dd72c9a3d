"""What probe and act found."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native
from ._table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._model import Model


class Verdict(NamedTuple):
    """The answer, why, and what to do next."""

    #: ``gnn``, ``combine``, ``structure``, ``features``, ``any``, ``nothing`` or ``undecided``: docs/python.md says what each means.
    kind: str
    #: The answer in a few words.
    headline: str
    #: The figures behind it.
    reason: str
    #: What to do next.
    next: str

    def __str__(self) -> str:
        return f"{self.headline}\n{self.reason}\n{self.next}"


class Result:
    """What a run found. The JSON is the truth; everything else is a view of it.

    >>> import netinfof
    >>> result = netinfof.probe("synth:demo")
    >>> result.verdict.kind
    'structure'
    >>> result.scores["component"]
    ['U', 'R', 'F', 'P', 'S', 'D', 'X']
    """

    def __init__(self, json_text: str, model: Model | None = None, tested: Tested | None = None) -> None:
        self._json = json_text
        self._data: dict[str, Any] | None = None
        #: The fitted model of the first split; None after a probe.
        self.model = model
        #: The test data of the first split with its scores; None after a probe.
        self.tested = tested

    @property
    def data(self) -> dict[str, Any]:
        """The whole report (docs/json.md)."""
        if self._data is None:
            self._data = json.loads(self._json)
        return self._data

    @property
    def task(self) -> str:
        """``links`` or ``nodes``."""
        return str(self.data["task"])

    @property
    def verdict(self) -> Verdict:
        """Would a GNN help?"""
        told = self.data["verdict"]
        return Verdict(told["kind"], _native.headline(told["kind"]), told["reason"], told["next"])

    @property
    def information(self) -> Table:
        """A row for each group of components, and for each component alone: the evidence behind the verdict, means over the splits.

        - ``bits``, ``low``, ``high``: bits about the target that a linear model predicts on samples it has not seen, with their 95 % interval;
        - ``share``: of the target's entropy; ``score``: 2 to the power of minus the cross entropy.
        """
        found = self.data["predictive_information"]
        groups = found["groups"]
        return Table(
            {
                "group": [group["name"] for group in groups],
                "bits": [group["bits"]["value"] for group in groups],
                "low": [group["bits"]["interval"][0] for group in groups],
                "high": [group["bits"]["interval"][1] for group in groups],
                "share": [group["bits"]["value"] / max(found["entropy"], 1e-12) for group in groups],
                "score": [group["score"] for group in groups],
            }
        )

    @property
    def scores(self) -> Table:
        """A row for each component, means over the splits.

        - ``score``: NetInfoF score, 2 to the power of minus the entropy of the labels given the component;
        - ``corrected``, ``low``, ``high``: the score less its bias from few samples, which is what is printed, and its 95 % interval;
        - ``normalized``: the score from 0, knowing nothing, to 1; ``no_information``: the score of knowing nothing;
        - ``accuracy``: of the same table, never below the score; ``held_out``: of what the table says, on samples it has not seen;
        - ``p_value``: how often shuffled labels score as high; ``tells``: whether that is seldom enough to be no chance;
        - ``group``: what the component stands for: structure, features, propagation or other.
        """
        components = self.data["components"]
        table: dict[str, list[Any]] = {"component": list(components)}
        for key in ("group", "score", "corrected"):
            table[key] = [found[key] for found in components.values()]
        for at, key in enumerate(("low", "high")):
            table[key] = [found["interval"][at] for found in components.values()]
        for key in ("normalized", "accuracy", "no_information"):
            table[key] = [found[key] for found in components.values()]
        table["held_out"] = [found["held_out"]["value"] for found in components.values()]
        for key in ("p_value", "tells"):
            table[key] = [found[key] for found in components.values()]
        return Table(table)

    @property
    def test(self) -> dict[str, float]:
        """Mean test metrics over the splits; empty after a probe."""
        return dict(self.data["mean"].get("test", {}))

    @property
    def graph(self) -> dict[str, Any]:
        """Facts about the graph."""
        return dict(self.data["graph"])

    @property
    def notices(self) -> list[str]:
        """What one should know about the run."""
        return list(self.data["notices"])

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report as the command writes it with ``--json``; written to a file too where one is named."""
        if path is not None:
            _write(path, self._json + "\n")
        return self._json

    @classmethod
    def from_json(cls, text: str | os.PathLike[str]) -> Result:
        """A result again from its JSON, or from the command's: the text, or the file that holds it."""
        if not isinstance(text, str) or not text.lstrip().startswith("{"):
            with open(text, encoding="utf-8") as file:
                text = file.read()
        _native.table(text)
        return cls(text)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report as a self-contained page; written to a file too where one is named."""
        page = _native.page(self._json)
        if path is not None:
            _write(path, page)
        return page

    def plot(self, ax: Any = None) -> Any:
        """Scores with their intervals, by component: a plot of matplotlib; returns its axes."""
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(6.4, 0.45 * len(self.scores["component"]) + 1.4), layout="constrained")
        colours = {"structure": "#3b6fb6", "features": "#c0692b", "propagation": "#2e8b57", "other": "#8a6fb0"}
        rows = self.scores.rows()[::-1]
        for at, row in enumerate(rows):
            # The corrected value may leave its interval by rounding alone.
            error = [[max(0.0, row["corrected"] - row["low"])], [max(0.0, row["high"] - row["corrected"])]]
            colour = colours[row["group"]] if row["tells"] else "#b5b5b5"
            ax.errorbar(row["corrected"], at, xerr=error, fmt="o", color=colour, capsize=3)
            ax.annotate(f"{row['corrected']:.2f}", (row["corrected"], at), (0, 6), textcoords="offset points", ha="center", fontsize=8)
        floor = rows[0]["no_information"] if rows else 0.5
        ax.axvline(floor, color="#999999", linestyle=":", linewidth=1)
        ax.set_yticks(range(len(rows)), [row["component"] for row in rows])
        ax.set_ylim(-0.6, len(rows) - 0.2)
        ax.set_xlim(min(floor - 0.03, *(row["low"] - 0.02 for row in rows)), 1.0)
        ax.set_xlabel("NetInfoF score, corrected, with 95 % intervals (dotted: knowing nothing)")
        for name in dict.fromkeys(row["group"] for row in reversed(rows) if row["tells"]):
            ax.plot([], [], "o", color=colours[name], label=name)
        if any(not row["tells"] for row in rows):
            ax.plot([], [], "o", color="#b5b5b5", label="tells nothing")
        ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        ax.set_title(f"{self.data['graph']['name']}, {self.task}: {self.verdict.headline}", fontsize=10, loc="left")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax

    def _repr_html_(self) -> str:
        import html

        # A frame of its own: the page's styles must not reach the notebook, nor the notebook's the page.
        # Links within the page must stay in it.
        page = _native.page(self._json).replace("<head>", '<head><base href="about:srcdoc">', 1)
        page = html.escape(page, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:1px solid #8885;border-radius:6px" title="netinfof report"></iframe>'

    def __str__(self) -> str:
        return _native.table(self._json)

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {score:.2f}" for name, score in self.data["mean"]["components"].items())
        test = "".join(f", {name} {value:.3f}" for name, value in list(self.test.items())[:2])
        return f"Result('{self.data['graph']['name']}', {self.task}: {self.verdict.headline}; {scores}{test})"


class Tested(NamedTuple):
    """Test data with what a model makes of it."""

    #: Pairs of node numbers, or node numbers.
    items: NDArray[np.int64]
    #: 1 for edges and 0 for other pairs, or places of the true classes.
    truth: NDArray[np.int64]
    #: Log-odds before calibration, a column for each class; one for links.
    scores: NDArray[np.float64]


def _write(path: str | os.PathLike[str], text: str) -> None:
    """As a whole or not at all."""
    path = os.fspath(path)
    part = f"{path}.{os.getpid()}.tmp"
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{folder}: no such folder")
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise
