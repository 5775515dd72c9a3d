"""Splits of edges and of nodes: made here or brought along, and handed to other libraries."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _convert, _native
from ._graph import Graph, GraphLike
from ._options import RandomState, Task, how, integer, seed_of, warn, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: What `split=` takes.
SplitLike = Union["LinkSplit", "NodeSplit", str, "os.PathLike[str]"]


class LinkSplit:
    """Which edges train, validate and test, and which pairs are the negatives; arrays of two columns, of node numbers.

    >>> import netinfof
    >>> split = netinfof.link_split("synth:demo")
    >>> split
    LinkSplit(train=2816, valid=402+402, test=805+805)

    Make one of your own for ``split=``; negatives are drawn where there are none.
    """

    def __init__(
        self,
        train: Any,
        valid: Any,
        test: Any,
        *,
        valid_negatives: Any = None,
        test_negatives: Any = None,
        graph: GraphLike | None = None,
        negatives_each: int = 0,
    ) -> None:
        #: Training edges.
        self.train = _pairs(train)
        #: Validation edges.
        self.valid = _pairs(valid)
        #: Pairs to tell them from.
        self.valid_negatives = _pairs(valid_negatives)
        #: Test edges.
        self.test = _pairs(test)
        #: Pairs to tell them from.
        self.test_negatives = _pairs(test_negatives)
        #: How many negatives each edge has of its own, one after the other; 0 where all share them.
        self.negatives_each = integer(negatives_each, "negatives_each")
        #: The graph that was split.
        self.graph = None if graph is None else Graph.of(graph)

    def _native(self) -> list[Any]:
        return [_pairs(part) for part in (self.train, self.valid, self.valid_negatives, self.test, self.test_negatives)]

    def _shared(self) -> None:
        """Negatives of each edge's own cannot be told from shared ones any more once they are arrays."""
        if self.negatives_each:
            raise ValueError(
                'invalid split: each edge has negatives of its own, which a split cannot bring along (ask for `negatives="heart"` with the same seed instead)'
            )

    def _whole(self) -> Graph:
        if self.graph is None:
            raise ValueError("the split knows no graph; give it one: LinkSplit(..., graph=graph)")
        return self.graph

    def to_pyg(self) -> tuple[Any, Any, Any]:
        """Three `Data` of PyG as `RandomLinkSplit` gives them: training, validation and test.

        Messages pass along training edges in all three (``edge_index``, both directions). ``edge_label_index`` and ``edge_label`` hold the
        pairs to score: edges (1), then negatives (0). The training part has edges alone: draw negatives anew in every epoch.
        """
        import numpy as np
        import torch
        from torch_geometric.data import Data

        whole = self._whole().to_pyg()
        messages = torch.from_numpy(np.concatenate([self.train, self.train[:, ::-1]]).T.copy())

        def part(edges: Any, negatives: Any) -> Any:
            data = Data(edge_index=messages, num_nodes=whole.num_nodes)
            for name in ("x", "y"):
                if name in whole:
                    data[name] = whole[name]
            data.edge_label_index = torch.from_numpy(np.concatenate([edges, negatives]).T.copy())
            data.edge_label = torch.cat([torch.ones(len(edges)), torch.zeros(len(negatives))])
            return data

        none = np.zeros((0, 2), np.int64)
        return part(self.train, none), part(self.valid, self.valid_negatives), part(self.test, self.test_negatives)

    def to_dgl(self) -> tuple[Any, dict[str, Any]]:
        """The training graph of DGL (both directions, with ``feat`` and ``label``), and the pairs to score as tensors of two columns."""
        import dgl
        import numpy as np
        import torch

        whole = self._whole()
        both = np.concatenate([self.train, self.train[:, ::-1]])
        graph = dgl.graph((torch.from_numpy(both[:, 0].copy()), torch.from_numpy(both[:, 1].copy())), num_nodes=whole.num_nodes)
        _fill_dgl(graph, whole)
        names = ("train", "valid", "valid_negatives", "test", "test_negatives")
        return graph, {name: torch.from_numpy(np.array(getattr(self, name))) for name in names}

    def check(self, graph: GraphLike | None = None) -> Checked:
        """What is wrong with the split: see :func:`check_split`."""
        return check_split(self._whole() if graph is None else graph, self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as npz for the command's ``--split``."""
        import numpy as np

        self._shared()
        names = ("train_edge", "valid_edge", "valid_edge_neg", "test_edge", "test_edge_neg")
        np.savez(os.fspath(path), **dict(zip(names, self._native())))

    def __repr__(self) -> str:
        return (
            f"LinkSplit(train={len(self.train)}, valid={len(self.valid)}+{len(self.valid_negatives)},"
            f" test={len(self.test)}+{len(self.test_negatives)})"
        )


class NodeSplit:
    """Which labelled nodes train, validate and test: node numbers.

    >>> import netinfof
    >>> netinfof.node_split("synth:demo", train=0.1, valid=0.1)
    NodeSplit(train=120, valid=120, test=960)
    """

    def __init__(self, train: Any, valid: Any, test: Any, *, graph: GraphLike | None = None) -> None:
        #: Training nodes.
        self.train = _nodes(train)
        #: Validation nodes.
        self.valid = _nodes(valid)
        #: Test nodes.
        self.test = _nodes(test)
        #: The graph that was split.
        self.graph = None if graph is None else Graph.of(graph)

    @classmethod
    def from_masks(cls, train: Any, valid: Any, test: Any, *, graph: GraphLike | None = None) -> NodeSplit:
        """From three masks, as in PyG's `Data`."""
        return cls(*(_masked(mask) for mask in (train, valid, test)), graph=graph)

    def masks(self, num_nodes: int | None = None) -> dict[str, NDArray[np.bool_]]:
        """Masks over all nodes, under PyG's names."""
        import numpy as np

        if num_nodes is None:
            num_nodes = self._whole().num_nodes
        found = {}
        for name, nodes in (("train_mask", self.train), ("val_mask", self.valid), ("test_mask", self.test)):
            mask = np.zeros(integer(num_nodes, "num_nodes"), bool)
            mask[nodes] = True
            found[name] = mask
        return found

    def _native(self) -> list[Any]:
        return [_nodes(part) for part in (self.train, self.valid, self.test)]

    def _whole(self) -> Graph:
        if self.graph is None:
            raise ValueError("the split knows no graph; give it one: NodeSplit(..., graph=graph)")
        return self.graph

    def to_pyg(self) -> Any:
        """A `Data` of PyG with ``train_mask``, ``val_mask`` and ``test_mask``."""
        import torch

        data = self._whole().to_pyg()
        for name, mask in self.masks().items():
            data[name] = torch.from_numpy(mask)
        return data

    def to_dgl(self) -> Any:
        """A graph of DGL with the masks in ``ndata``."""
        import dgl
        import numpy as np
        import torch

        whole = self._whole()
        index = whole.edge_index
        both = np.concatenate([index, index[::-1]], axis=1)
        graph = dgl.graph((torch.from_numpy(both[0].copy()), torch.from_numpy(both[1].copy())), num_nodes=whole.num_nodes)
        _fill_dgl(graph, whole)
        for name, mask in self.masks().items():
            graph.ndata[name] = torch.from_numpy(mask)
        return graph

    def check(self, graph: GraphLike | None = None) -> Checked:
        """What is wrong with the split: see :func:`check_split`."""
        return check_split(self._whole() if graph is None else graph, self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as npz for the command's ``--split``."""
        import numpy as np

        masks = self.masks()
        np.savez(os.fspath(path), train_mask=masks["train_mask"], val_mask=masks["val_mask"], test_mask=masks["test_mask"])

    def __repr__(self) -> str:
        return f"NodeSplit(train={len(self.train)}, valid={len(self.valid)}, test={len(self.test)})"


def link_split(
    data: GraphLike,
    *,
    train: float = 0.7,
    valid: float = 0.1,
    protocol: Literal["clean", "paper"] = "clean",
    negatives: Literal["uniform", "degree", "heart"] = "uniform",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> LinkSplit:
    """Splits the edges of a graph and draws negatives: the very split that probe and act use for the same seed.

    >>> import netinfof
    >>> split = netinfof.link_split("synth:demo", random_state=1)
    >>> split.check().findings
    []
    """
    graph = Graph.of(data)
    options = {"shares": (train, valid), "protocol": protocol, "negatives": negatives}
    said = words(options, of="link_split", random_state=random_state)
    parts, each = _native.link_split(graph._native, said, how(n_jobs, None))
    own, valid_edges, valid_none, test_edges, test_none = parts
    return LinkSplit(
        own,
        valid_edges,
        test_edges,
        valid_negatives=valid_none,
        test_negatives=test_none,
        graph=graph,
        negatives_each=each,
    )


def node_split(
    data: GraphLike,
    *,
    train: float = 0.025,
    valid: float = 0.025,
    min_class: int = 0,
    random_state: RandomState = 0,
) -> NodeSplit:
    """Splits the labelled nodes class by class: the very split that probe and act use for the same seed and shares."""
    graph = Graph.of(data)
    least = integer(min_class, "min_class")
    if least < 0:
        raise ValueError(f"invalid `min_class`: {min_class} (need 0 or more)")
    rest = (least, seed_of(random_state))
    return NodeSplit(*_native.node_split(graph._native, float(train), float(valid), rest, how(1, None)), graph=graph)


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a split."""

    #: A word for scripts, such as ``test-in-training``.
    kind: str
    #: What is wrong.
    what: str
    #: How many.
    count: int
    #: A few of them.
    examples: list[str]


@dataclass(frozen=True)
class Checked:
    """What a check found, and what it looked at. True where nothing is wrong."""

    findings: list[Finding]
    #: What was looked for.
    checks: list[str]
    #: What could not be looked at, and why.
    skipped: list[str]

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        if not self.findings:
            return f"nothing is wrong ({len(self.checks)} checks)"
        return "\n".join(f"{f.kind}: {f.what}, such as {', '.join(f.examples)}" if f.examples else f"{f.kind}: {f.what}" for f in self.findings)


def check_split(
    data: GraphLike, split: SplitLike | Mapping[str, Any], *, task: Task | None = None, n_jobs: int | None = None
) -> Checked:
    """Leaks, overlaps, negatives that are edges or too easy, features that hold the answer: what ``netinfof check-split`` looks for.

    `task` says what a file splits, ``links`` or ``nodes``; without it, nodes where it holds masks.

    >>> import netinfof
    >>> split = netinfof.link_split("synth:demo")
    >>> split.train[0] = split.test[0]
    >>> [finding.kind for finding in netinfof.check_split("synth:demo", split).findings]
    ['test-in-training']
    """
    graph = Graph.of(data)
    if isinstance(split, Mapping):
        split = LinkSplit(**split)
    if task is None:
        task = "nodes" if isinstance(split, NodeSplit) or split == "masks" or _holds_masks(split) else "links"
    own = own_split(split, graph, task)
    told = json.loads(_native.check_split(graph._native, own, how(n_jobs, None)))
    return Checked([Finding(**finding) for finding in told["findings"]], told["checks"], told["skipped"])


def own_split(split: Any, graph: Graph, task: str) -> list[Any]:
    """The arrays of a split that somebody brought along."""
    if isinstance(split, LinkSplit):
        split._shared()
        _warn_of_unknown_nodes(split, graph)
    if isinstance(split, (LinkSplit, NodeSplit)):
        return split._native()
    if isinstance(split, str) and split == "masks":
        masks = graph.masks
        if masks is None:
            raise ValueError("invalid `split`: masks (the graph brought no train_mask, val_mask and test_mask)")
        return NodeSplit.from_masks(masks["train"], masks["val"], masks["test"])._native()
    if isinstance(split, (str, os.PathLike)):
        return _native.load_split(graph._native, os.fspath(split), task == "nodes")
    raise TypeError(f"no split can be made of {type(split).__qualname__}; take a LinkSplit, a NodeSplit, 'masks', or a file")


def _holds_masks(path: Any) -> bool:
    import zipfile

    if not isinstance(path, (str, os.PathLike)) or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as file:
        return "train_mask.npy" in file.namelist()


def _warn_of_unknown_nodes(split: LinkSplit, graph: Graph) -> None:
    """Training edges that the graph does not have are labels taken for numbers, more often than not."""
    import numpy as np

    def keys(ends: Any) -> Any:
        return np.minimum(*ends) * graph.num_nodes + np.maximum(*ends)

    train = split.train.T
    strange = int((~np.isin(keys(train), keys(graph.edge_index))).sum())
    if strange:
        text = f"{strange} of {len(split.train)} training edges are no edges of the graph; splits hold node numbers, as `graph.numbers_of` gives them for labels"
        warn(text)


def _pairs(pairs: Any) -> NDArray[np.int64]:
    import numpy as np

    if pairs is None:
        return np.zeros((0, 2), np.int64)
    found = _convert.array(pairs)
    if found.size == 0:
        return np.zeros((0, 2), np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        turned = "; `.T` turns an edge index round" if found.ndim == 2 and found.shape[0] == 2 else ""
        raise ValueError(f"invalid split: pairs of shape {found.shape} and {found.dtype} (need two columns of node numbers{turned})")
    return np.ascontiguousarray(found, np.int64)


def _nodes(nodes: Any) -> NDArray[np.int64]:
    import numpy as np

    found = _convert.array(nodes)
    if found.dtype.kind == "b":
        return _masked(found)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise ValueError(f"invalid split: nodes of shape {found.shape} and {found.dtype} (need node numbers, or a mask)")
    return np.ascontiguousarray(found, np.int64)


def _masked(mask: Any) -> NDArray[np.int64]:
    import numpy as np

    found = _convert.array(mask)
    if found.ndim != 1:
        raise ValueError(f"invalid split: a mask of shape {found.shape} (need one of them: NodeSplit.from_masks(data.train_mask[:, 0], ...))")
    return np.flatnonzero(found).astype(np.int64)


def _fill_dgl(graph: Any, whole: Graph) -> None:
    for name, values in whole._tensors().items():
        graph.ndata[{"x": "feat", "y": "label"}[name]] = values
