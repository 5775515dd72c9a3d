"""The models, what they see, and the settings that are tried."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

from .._options import Task


@dataclass(frozen=True)
class Model:
    """A baseline of one task.

    Attributes
    ----------
    name
        Name in ``models=``.
    title
        Name in tables.
    family
        What the model sees: ``features``, ``structure``, ``propagation`` (features passed along edges) or ``combination``.
    grid
        Values of each parameter; all combinations are tried, and validation chooses.
    """

    name: str
    title: str
    family: str
    grid: dict[str, list[Any]] = field(default_factory=dict)

    def settings(self) -> list[dict[str, Any]]:
        """Return all combinations of the grid."""
        return [dict(zip(self.grid, values)) for values in product(*self.grid.values())]


#: How rows of words are scaled, dropout, and weight decay. The amount of words, which dividing their rows loses, needs a strong weight decay beside them.
_INPUT = [("sum", 0.5, 5e-4), ("sum", 0.5, 0.0), ("length", 0.8, 5e-4), ("length", 0.8, 0.0), ("amount", 0.5, 5e-2), ("amount", 0.5, 5e-3)]
_MLP_INPUT = [
    *_INPUT,
    *[("sum", 0.5, 5e-3), ("length", 0.8, 5e-3), ("sum", 0.0, 5e-3), ("sum", 0.0, 5e-4), ("raw", 0.8, 5e-3), ("raw", 0.8, 5e-4)],
    *[("amount", 0.5, 2e-2), ("amount", 0.0, 5e-2), ("amount", 0.0, 1e-1)],
]
#: The search space of the paper (its Table of hyperparameters) but for its second learning rate, 0.001, with which training takes several times as long.
_PAPER: dict[str, list[Any]] = {"lr": [0.01], "input": _INPUT}
#: Links: with some edges hidden from the messages in every step (`hide`), or none.
_LINKS = {"lr": [0.01], "weight_decay": [0.0], "dropout": [0.5, 0.2], "hide": [0.2, 0.0]}
_WHOLE = {"lr": [0.01, 0.001], "weight_decay": [0.0], "dropout": [0.5, 0.2]}
_BUDDY: dict[str, list[Any]] = {"lr": [0.01], "weight_decay": [0.0], "dropout": [0.5], "batch": [1024]}

_NODES = [
    Model("mlp", "MLP", "features", {**_PAPER, "input": _MLP_INPUT, "choose": ["loss"]}),
    Model("label-propagation", "Label propagation", "structure", {"alpha": [0.5, 0.8, 0.9, 0.99]}),
    Model("gcn", "GCN", "propagation", _PAPER),
    Model("sage", "GraphSAGE", "propagation", _PAPER),
    Model("gat", "GAT", "propagation", {**_PAPER, "heads": [8, 16]}),
    Model("appnp", "APPNP", "propagation", {**_PAPER, "alpha": [0.1, 0.2]}),
    Model("gpr", "GPR-GNN", "propagation", {**_PAPER, "alpha": [0.1, 0.2, 0.5, 0.9]}),
    Model("h2gcn", "H2GCN", "combination", {**_PAPER, "layers": [1, 2]}),
    Model("linkx", "LINKX", "combination", _PAPER),
    Model("gcn-skip", "GCN with skip connections", "combination", _PAPER),
]
_LINK_MODELS = [
    Model("cn", "Common neighbours", "structure"),
    Model("aa", "Adamic-Adar", "structure"),
    Model("ra", "Resource allocation", "structure"),
    Model("katz", "Katz index", "structure", {"beta": [0.05, 0.005]}),
    Model("ppr", "Personalised PageRank", "structure", {"alpha": [0.15, 0.5]}),
    Model("mlp", "MLP", "features", _WHOLE),
    Model("gcn-embedding", "GCN on free embeddings", "structure", _LINKS),
    Model("gcn", "GCN", "propagation", _LINKS),
    Model("sage", "GraphSAGE", "propagation", _LINKS),
    Model("gat", "GAT", "propagation", _WHOLE),
    Model("gpr", "GPR-GNN", "propagation", {**_LINKS, "alpha": [0.1, 0.5]}),
    Model("h2gcn", "H2GCN", "combination", {**_WHOLE, "layers": [1]}),
    Model("seal", "SEAL", "combination", {"lr": [0.002], "hops": [1], "hidden": [128], "dropout": [0.5], "feature_dropout": [0.5, 0.8]}),
    Model("ncn", "NCN", "combination", {"published": ["Cora", "CiteSeer", "PubMed"]}),
    Model("ncn-structure", "NCN on free embeddings", "structure", {"published": ["Cora", "CiteSeer", "PubMed"]}),
    Model("buddy", "BUDDY", "combination", {**_BUDDY, "feature_dropout": [0.8, 0.5]}),
    Model("buddy-structure", "BUDDY without features", "structure", {**_BUDDY, "feature_dropout": [0.0]}),
]
MODELS: dict[Task, dict[str, Model]] = {
    "nodes": {model.name: model for model in _NODES},
    "links": {model.name: model for model in _LINK_MODELS},
}


def select(models: Any, task: Task) -> list[Model]:
    """Return the models of these names; all of the task for None."""
    known = MODELS[task]
    if models is None or models == "all":
        return list(known.values())
    names = [name.strip() for name in models.split(",")] if isinstance(models, str) else list(models)
    for name in names:
        if name not in known:
            elsewhere = "" if all(name not in other for other in MODELS.values()) else f", which is a model for {'nodes' if task == 'links' else 'links'}"
            raise ValueError(f"invalid `models`: {name!r}{elsewhere} (need one or more of {', '.join(known)})")
    if not names:
        raise ValueError(f"invalid `models`: empty (need one or more of {', '.join(known)})")
    return [known[name] for name in dict.fromkeys(names)]
