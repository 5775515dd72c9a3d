"""Results of ``probe`` and ``act``."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import _native
from ._table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._model import Model
    from .baselines import Baselines


VerdictKind = Literal["gnn", "combine", "structure", "features", "any", "nothing", "undecided"]


class Verdict(NamedTuple):
    """The verdict of a run: whether a GNN should help, why, and what to do next.

    Attributes
    ----------
    kind
        ``gnn``, ``combine``, ``structure``, ``features``, ``any``, ``nothing`` or ``undecided``;
        docs/python.md explains them.
    headline
        The verdict in a few words.
    reason
        The figures that it is based on.
    next
        The recommended next step.
    """

    kind: VerdictKind
    headline: str
    reason: str
    next: str

    def __str__(self) -> str:
        return f"{self.headline}\n{self.reason}\n{self.next}"


class Result:
    """The result of a run of :func:`probe` or :func:`act`.

    All properties are views of the JSON report. In a notebook a result is displayed as a page.

    Attributes
    ----------
    model
        The fitted :class:`Model` of the first split; None after a probe.
    tested
        The test data of the first split with their scores, a :class:`Tested`; None after a probe.

    Examples
    --------
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
        self.model = model
        self.tested = tested

    @property
    def data(self) -> dict[str, Any]:
        """The whole report as a dictionary; docs/json.md describes it."""
        if self._data is None:
            self._data = json.loads(self._json)
        return self._data

    @property
    def task(self) -> str:
        """The task: ``links`` or ``nodes``."""
        return str(self.data["task"])

    @property
    def verdict(self) -> Verdict:
        """The verdict: whether a GNN should help, why, and what to do next."""
        told = self.data["verdict"]
        return Verdict(told["kind"], _native.headline(told["kind"]), told["reason"], _in_python(told["next"]))

    @property
    def information(self) -> Table:
        """Predictive information, the evidence behind the verdict.

        One row per group of components and per component, as means over the splits:

        - ``group``: name of the group or component;
        - ``bits``, ``low``, ``high``: bits about the target that a linear model predicts on samples that it has not seen, and their 95 % interval;
        - ``share``: bits as a share of the entropy of the target;
        - ``score``: 2 to the power of minus the cross entropy.
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
    def weights(self) -> Table:
        """Weights of the fitted model; empty after a probe.

        One row per component, as means over the splits:

        - ``component``: its name;
        - ``weight``: norm of its weights, exactly 0 if the model does not use it;
        - ``nonzero``: number of weights that are not 0.
        """
        splits = [split for split in self.data["splits"] if "weights" in split]
        names = list(dict.fromkeys(name for split in splits for name in split["weights"]))
        rows = {key: [sum(split[key].get(name, 0) for split in splits) / len(splits) for name in names] for key in ("weights", "nonzero")}
        return Table({"component": names, "weight": rows["weights"], "nonzero": rows["nonzero"]})

    @property
    def scores(self) -> Table:
        """NetInfoF scores.

        One row per component, as means over the splits:

        - ``component``, ``group``: name of the component, and what it represents: structure, features, propagation or other;
        - ``score``: NetInfoF score, 2 to the power of minus the entropy of the labels given the component;
        - ``corrected``, ``low``, ``high``: score corrected for the bias of few samples, which is the printed one, and its 95 % interval;
        - ``normalized``: score on a scale from 0 (no information) to 1;
        - ``accuracy``: accuracy of the same table, never below the score;
        - ``no_information``: score of a component that carries no information;
        - ``held_out``: accuracy of the table's predictions on samples that it has not seen;
        - ``p_value``: how often permuted labels score as high, as the median of the splits;
        - ``tells``: whether the component carries a detectable signal.
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
        """Test metrics, as means over the splits; empty after a probe."""
        return dict(self.data["mean"].get("test", {}))

    @property
    def no_information(self) -> dict[str, float]:
        """Test metrics of a model without information, as means over the splits; empty after a probe.

        For nodes it predicts the most frequent training class; for links ``auc`` and ``ap`` are those of a
        random ranking.
        """
        return dict(self.data["mean"].get("no_information", {}))

    def compare(self, baselines: Baselines | str | os.PathLike[str]) -> Table:
        """Compare the test metrics with those of trained baselines on the same splits.

        Parameters
        ----------
        baselines
            Results of :func:`netinfof.baselines.run`, or the path of their JSON file.

        Returns
        -------
        Table
            One row per model, the best first: what it sees, the test metrics as means over the splits, their
            number, seconds per split and peak memory in bytes.

        Raises
        ------
        ValueError
            If the baselines belong to another graph, task or split, or this is not a result of :func:`act`.
        """
        from .baselines._result import Baselines, compared

        found = baselines if isinstance(baselines, Baselines) else Baselines.from_json(baselines)
        return compared(self.data, found)

    @property
    def graph(self) -> dict[str, Any]:
        """Facts about the graph; see :meth:`Graph.facts`."""
        return dict(self.data["graph"])

    @property
    def notices(self) -> list[str]:
        """Notices about the run."""
        return list(self.data["notices"])

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the JSON report, and optionally write it to a file.

        Parameters
        ----------
        path
            File to write. None: no file.

        Returns
        -------
        str
            The report, in the format of the command.
        """
        if path is not None:
            _write(path, self._json + "\n")
        return self._json

    @classmethod
    def from_json(cls, text: str | os.PathLike[str]) -> Result:
        """Read a result from a JSON report of this package or of the command.

        Parameters
        ----------
        text
            The JSON text, or the path of a file that holds it.

        Returns
        -------
        Result
            The result, without model and test data.

        Raises
        ------
        ValueError
            If the text is not a report of netinfof.
        """
        text, _ = json_text(text)
        _native.table(text)
        return cls(text)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the report as a self-contained page, and optionally write it to a file.

        Parameters
        ----------
        path
            File to write. None: no file.

        Returns
        -------
        str
            The page.
        """
        page = _native.page(self._json)
        if path is not None:
            _write(path, page)
        return page

    def plot(self, ax: Any = None) -> Any:
        """Plot the scores of the components with their intervals; needs matplotlib.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on. None: a new figure.

        Returns
        -------
        Axes
            The axes.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(6.4, 0.45 * len(self.scores["component"]) + 1.4), layout="constrained")
        colours = {"structure": "#3b6fb6", "features": "#c0692b", "propagation": "#2e8b57", "other": "#8a6fb0"}
        rows = self.scores.rows()[::-1]
        for at, row in enumerate(rows):
            # The corrected value may lie outside its interval because of rounding.
            error = [[max(0.0, row["corrected"] - row["low"])], [max(0.0, row["high"] - row["corrected"])]]
            colour = colours[row["group"]] if row["tells"] else "#b5b5b5"
            ax.errorbar(row["corrected"], at, xerr=error, fmt="o", color=colour, capsize=3)
            ax.annotate(f"{row['corrected']:.2f}", (row["corrected"], at), (0, 6), textcoords="offset points", ha="center", fontsize=8)
        floor = rows[0]["no_information"] if rows else 0.5
        ax.axvline(floor, color="#999999", linestyle=":", linewidth=1)
        ax.set_yticks(range(len(rows)), [row["component"] for row in rows])
        ax.set_ylim(-0.6, len(rows) - 0.2)
        ax.set_xlim(min(floor - 0.03, *(row["low"] - 0.02 for row in rows)), 1.0)
        ax.set_xlabel("NetInfoF score, corrected, with 95 % intervals (dotted: no information)")
        for name in dict.fromkeys(row["group"] for row in reversed(rows) if row["tells"]):
            ax.plot([], [], "o", color=colours[name], label=name)
        if any(not row["tells"] for row in rows):
            ax.plot([], [], "o", color="#b5b5b5", label="no detectable signal")
        ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        ax.set_title(f"{self.data['graph']['name']}, {self.task}: {self.verdict.headline}", fontsize=10, loc="left")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax

    def _repr_html_(self) -> str:
        import html

        # A separate frame keeps the styles of the page and of the notebook apart.
        # The base address keeps links within the page.
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
    """Test data with the scores of the model.

    Attributes
    ----------
    items
        Pairs of node numbers, or node numbers.
    truth
        1 for edges and 0 for negatives; for nodes, the position of the true class.
    scores
        Log-odds before calibration: one column for links, one column per class for nodes.
    """

    items: NDArray[np.int64]
    truth: NDArray[np.int64]
    scores: NDArray[np.float64]


def json_text(source: str | os.PathLike[str]) -> tuple[str, str]:
    """Return a JSON text that is given itself or as the path of its file, and a name for it in messages."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return source, "the text"
    with open(source, encoding="utf-8") as file:
        return file.read(), os.fspath(source)


def _write(path: str | os.PathLike[str], text: str) -> None:
    """Write a file completely or not at all."""
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


def _in_python(text: str) -> str:
    """Return a text with commands and options as calls and keywords."""

    def keyword(found: re.Match[str]) -> str:
        name, value = found[1].replace("-", "_"), found[2]
        if value is None:
            return f"`{name}`"
        parts = value.split(",")
        numbers = all(re.fullmatch(r"[0-9.]+", part) for part in parts)
        shown = ", ".join(parts) if numbers else f'"{value}"'
        return f"`{name}=({shown})`" if numbers and len(parts) > 1 else f"`{name}={shown}`"

    text = re.sub(r"`netinfof (\w+) --([a-z-]+)`", lambda found: f"`netinfof.{found[1]}` and its `{found[2].replace('-', '_')}`", text)
    text = re.sub(r"`netinfof (\w+)`", r"`netinfof.\1`", text)
    return re.sub(r"`--([a-z-]+)(?: ([^`]+))?`", keyword, text)
