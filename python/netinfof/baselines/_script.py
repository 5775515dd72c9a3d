"""Training scripts to continue from."""

from __future__ import annotations

import os
from typing import Any

from .._graph import Graph, GraphLike
from .._options import RandomState, Task, seed_of
from .._result import _write
from .._splits import link_split, node_split
from ._features import prepare
from ._run import hits_of

_LAYERS = {
    "mlp": ("Linear", "Linear({0}, {1})", False),
    "gcn": ("GCNConv", "GCNConv({0}, {1})", True),
    "sage": ("SAGEConv", "SAGEConv({0}, {1})", True),
    "gat": ("GATConv", "GATConv({0}, {1}, heads=8, concat=False)", True),
}

_HEAD = '''"""Trains {title} on {name}, {task}: the split of seed {seed} that netinfof uses. Needs torch and torch_geometric."""

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.nn import {layer}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = {{name: torch.from_numpy(array).to(device) for name, array in np.load({file!r}).items()}}
x, edges = data["x"], data["edge_index"]
torch.manual_seed({seed})


class Encoder(torch.nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.first = {first}
        self.second = {second}

    def forward(self, x):
        x = F.dropout(x, 0.5, self.training)
        x = F.relu(self.first(x{messages}))
        x = F.dropout(x, 0.5, self.training)
        return self.second(x{messages})

'''

_NODES = '''
model = Encoder(int(data["y"].max()) + 1).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
best, waited = (0.0, -1e9), 0
for epoch in range(1000):
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x)[data["train"]], data["y"][data["train"]])
    loss.backward()
    optimizer.step()

    model.eval()
    with torch.no_grad():
        scores = model(x)
    right = (scores.argmax(dim=1) == data["y"]).float()
    valid = (float(right[data["valid"]].mean()), -float(F.cross_entropy(scores[data["valid"]], data["y"][data["valid"]])))
    waited += 1
    if valid > best:
        best, waited, test = valid, 0, float(right[data["test"]].mean())
        print(f"epoch {epoch}: loss {loss.item():.4f}, validation accuracy {valid[0]:.4f}, test accuracy {test:.4f}")
    if waited == 200:
        break
print(f"test accuracy at the best validation: {test:.4f}")
'''

_LINKS = '''
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder(128)
        self.first, self.second = torch.nn.Linear(128, 128), torch.nn.Linear(128, 1)

    def score(self, nodes, pairs):
        both = nodes[pairs[:, 0]] * nodes[pairs[:, 1]]
        return self.second(F.dropout(F.relu(self.first(both)), 0.5, self.training)).squeeze(1)


def hits(positive, negative, k={hits}):
    return float((positive > negative.topk(k).values[-1]).float().mean())


model = Model().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
best, waited = 0.0, 0
for epoch in range(1000):
    model.train()
    optimizer.zero_grad()
    nodes = model.encoder(x)
    none = torch.randint(len(x), data["train"].shape, device=device)
    loss = F.softplus(-model.score(nodes, data["train"])).mean() + F.softplus(model.score(nodes, none)).mean()
    loss.backward()
    optimizer.step()

    model.eval()
    with torch.no_grad():
        nodes = model.encoder(x)
        valid, test = (hits(model.score(nodes, data[part]), model.score(nodes, data[part + "_negatives"])) for part in ("valid", "test"))
    waited += 1
    if valid > best:
        best, waited, chosen = valid, 0, test
        print(f"epoch {epoch}: loss {loss.item():.4f}, validation Hits@{hits} {valid:.4f}, test Hits@{hits} {test:.4f}")
    if waited == 200:
        break
print(f"test Hits@{hits} at the best validation: {chosen:.4f}")
'''


def script(
    model: str,
    graph: GraphLike,
    path: str | os.PathLike[str] | None = None,
    *,
    task: Task = "links",
    random_state: RandomState = 0,
) -> str:
    """Write a short training script on the split that :func:`netinfof.act` uses, to continue from.

    The script needs PyTorch and PyTorch Geometric, not netinfof. Graph, features and split are written beside
    it as an npz file.

    Parameters
    ----------
    model
        ``mlp``, ``gcn``, ``sage`` or ``gat``.
    graph
        A graph in any form that :meth:`Graph.of` accepts.
    path
        File to write, ending in ``.py``. None: ``train_MODEL.py`` in the current folder.
    task
        ``links`` or ``nodes``.
    random_state
        Seed of the split.

    Returns
    -------
    str
        The path of the script.
    """
    import numpy as np

    if model not in _LAYERS:
        raise ValueError(f"invalid `model`: {model!r} (need one of {', '.join(_LAYERS)})")
    if task not in ("links", "nodes"):
        raise ValueError(f"invalid `task`: {task!r} (need 'links' or 'nodes')")
    path = os.fspath(f"train_{model}.py" if path is None else path)
    if not path.endswith(".py"):
        raise ValueError(f"invalid `path`: {path!r} (need a name that ends in .py)")
    seed = seed_of(random_state)
    whole = Graph.from_file(graph, random_state=seed) if isinstance(graph, (str, os.PathLike)) else Graph.of(graph)
    whole._warn_of_context("used here")
    features = prepare(whole.x).scaled("length" if task == "links" else "sum")
    arrays: dict[str, Any] = {"x": features if features is not None else _degrees(whole)}
    if task == "nodes":
        split: Any = node_split(whole, random_state=seed)
        arrays |= {"y": whole.y, "train": split.train, "valid": split.valid, "test": split.test}
        index, body = whole.edge_index, _NODES
    else:
        split = link_split(whole, random_state=seed)
        arrays |= {name: getattr(split, name) for name in ("train", "valid", "valid_negatives", "test", "test_negatives")}
        index, body = split.train.T, _LINKS.replace("{hits}", str(hits_of(split)))
    arrays["edge_index"] = np.concatenate([index, index[::-1]], axis=1)
    layer, make, messages = _LAYERS[model]
    file = path[:-3] + ".npz"
    text = _HEAD.format(
        title={"mlp": "an MLP", "gcn": "a GCN", "sage": "GraphSAGE", "gat": "a GAT"}[model],
        name=whole.name,
        task=task,
        seed=seed,
        layer=layer,
        file=os.path.basename(file),
        first=make.format(arrays["x"].shape[1], 128),
        second=make.format(128, "outputs"),
        messages=", edges" if messages else "",
    )
    np.savez(file, **arrays)
    _write(path, text + body)
    return path


def _degrees(graph: Graph) -> Any:
    """Logarithms of degrees and a constant, as features of a graph that has none."""
    import numpy as np

    degree = np.log1p(np.bincount(graph.edge_index.ravel(), minlength=graph.num_nodes)).astype(np.float32)
    return np.stack([degree, np.ones_like(degree)], axis=1)
