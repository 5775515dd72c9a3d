"""Would a GNN work on my graph? Network usable information, measured without training one.

:func:`probe` measures how much information a graph carries about a task. :func:`act` solves the task
and evaluates the solution. Both accept a graph in any form that :meth:`Graph.of` reads. The
estimators follow the scikit-learn API.

Examples
--------
>>> import netinfof
>>> result = netinfof.probe("synth:demo", task="nodes")
>>> print(result.verdict.headline)
A GNN should help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._graph import Graph, GraphLike
from ._model import Model
from ._native import __version__
from ._options import Options, Progress, ProgressCallback, RandomState, Task
from ._result import Result, Tested, Verdict
from ._table import Table
from ._tasks import act, probe

if TYPE_CHECKING:
    from ._embedding import NetInfoFEmbedding
    from ._links import LinkPredictor, LinkProbe
    from ._metrics import auc, average_precision, hits_at_k, information_score, mrr
    from ._nodes import NodeClassifier, NodeProbe
    from ._regressor import NodeRegressor
    from ._split_checks import Checked, Finding, check_split
    from ._splits import LinkSplit, NodeSplit, SplitLike, link_split, node_split

__all__ = [
    "Checked",
    "Finding",
    "Graph",
    "GraphLike",
    "LinkPredictor",
    "LinkProbe",
    "LinkSplit",
    "Model",
    "NetInfoFEmbedding",
    "NodeClassifier",
    "NodeProbe",
    "NodeRegressor",
    "NodeSplit",
    "Options",
    "Progress",
    "ProgressCallback",
    "RandomState",
    "Result",
    "SplitLike",
    "Table",
    "Task",
    "Tested",
    "Verdict",
    "__version__",
    "act",
    "auc",
    "average_precision",
    "check_split",
    "hits_at_k",
    "information_score",
    "link_split",
    "mrr",
    "node_split",
    "probe",
]

#: Modules of the names that are imported on first use, so that `import netinfof` is fast.
_LATER = {
    **dict.fromkeys(("LinkPredictor", "LinkProbe"), "_links"),
    **dict.fromkeys(("NodeClassifier", "NodeProbe"), "_nodes"),
    "NetInfoFEmbedding": "_embedding",
    "NodeRegressor": "_regressor",
    **dict.fromkeys(("auc", "average_precision", "hits_at_k", "information_score", "mrr"), "_metrics"),
    **dict.fromkeys(("Checked", "Finding", "check_split"), "_split_checks"),
    **dict.fromkeys(("LinkSplit", "NodeSplit", "SplitLike", "link_split", "node_split"), "_splits"),
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        value = getattr(import_module(f".{_LATER[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'netinfof' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
