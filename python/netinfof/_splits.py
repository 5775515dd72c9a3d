"""Splits of edges and of nodes: drawn here or supplied by the user, and exported to other libraries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _convert, _native
from ._graph import Graph, GraphLike
from ._options import RandomState, how, integer, seed_of, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._split_checks import Checked

#: Anything that `split=` accepts.
SplitLike = Union["LinkSplit", "NodeSplit", str, "os.PathLike[str]"]


class LinkSplit:
    """A split of edges into training, validation and test edges, with negatives.

    Make one to use your own split as ``split=``. If negatives are not given, they are drawn.

    Parameters
    ----------
    train
        Training edges: two columns of node numbers.
    valid
        Validation edges.
    test
        Test edges.
    valid_negatives
        Pairs that validation edges are compared with. None: drawn.
    test_negatives
        Pairs that test edges are compared with. None: drawn.
    graph
        The graph that is split, for :meth:`check` and exports.
    negatives_each
        Number of negatives that belong to each edge, in the order of the edges; 0 if all edges share them.

    Attributes
    ----------
    train
        Training edges, an array of two columns of node numbers.
    valid
        Validation edges.
    valid_negatives
        Pairs that validation edges are compared with.
    test
        Test edges.
    test_negatives
        Pairs that test edges are compared with.
    negatives_each
        Number of negatives that belong to each edge; 0 if all edges share them.
    graph
        The graph that is split, or None.

    Examples
    --------
    >>> import netinfof
    >>> split = netinfof.link_split("synth:demo")
    >>> split
    LinkSplit(train=2816, valid=402+402, test=805+805)
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
        self.train = _pairs(train)
        self.valid = _pairs(valid)
        self.valid_negatives = _pairs(valid_negatives)
        self.test = _pairs(test)
        self.test_negatives = _pairs(test_negatives)
        self.negatives_each = integer(negatives_each, "negatives_each")
        self.graph = None if graph is None else Graph.of(graph)

    def _native(self) -> list[Any]:
        return [_pairs(part) for part in (self.train, self.valid, self.valid_negatives, self.test, self.test_negatives)]

    def _shared(self) -> None:
        """Refuse negatives that belong to single edges: as plain arrays they look like shared ones."""
        if self.negatives_each:
            raise ValueError(
                'invalid split: each edge has negatives of its own, which cannot be passed as a split (need `negatives="heart"` with the same seed)'
            )

    def _whole(self) -> Graph:
        if self.graph is None:
            raise ValueError("the split has no graph (need one: LinkSplit(..., graph=graph))")
        return self.graph

    def to_pyg(self) -> tuple[Any, Any, Any]:
        """Convert the split to three `Data` of PyG, as `RandomLinkSplit` does.

        Messages pass along training edges in all three (``edge_index``, both directions). ``edge_label_index``
        and ``edge_label`` hold the pairs to score: edges (1), then negatives (0). The training part has only
        edges: draw negatives anew in every epoch.

        Returns
        -------
        tuple
            Training, validation and test data.
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
        """Convert the split to DGL.

        Returns
        -------
        tuple
            The training graph (both directions, with ``feat`` and ``label``), and a dictionary of the pairs to
            score as tensors of two columns.
        """
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
        """Check the split; see :func:`check_split`.

        Parameters
        ----------
        graph
            The whole graph. None: the graph of the split.

        Returns
        -------
        Checked
            The findings.
        """
        from ._split_checks import check_split

        return check_split(self._whole() if graph is None else graph, self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the split as an npz file, which ``split=`` and the command accept.

        Parameters
        ----------
        path
            File to write.
        """
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
    """A split of labelled nodes into training, validation and test nodes.

    Parameters
    ----------
    train
        Training nodes: node numbers, or a mask.
    valid
        Validation nodes.
    test
        Test nodes.
    graph
        The graph that is split, for :meth:`check` and exports.

    Attributes
    ----------
    train
        Training nodes, an array of node numbers.
    valid
        Validation nodes.
    test
        Test nodes.
    graph
        The graph that is split, or None.

    Examples
    --------
    >>> import netinfof
    >>> netinfof.node_split("synth:demo", train=0.1, valid=0.1)
    NodeSplit(train=120, valid=120, test=960)
    """

    def __init__(self, train: Any, valid: Any, test: Any, *, graph: GraphLike | None = None) -> None:
        self.train = _nodes(train)
        self.valid = _nodes(valid)
        self.test = _nodes(test)
        self.graph = None if graph is None else Graph.of(graph)

    @classmethod
    def from_masks(cls, train: Any, valid: Any, test: Any, *, graph: GraphLike | None = None) -> NodeSplit:
        """Make a split of three masks, as in a `Data` of PyG.

        Parameters
        ----------
        train
            Mask of the training nodes, one entry per node.
        valid
            Mask of the validation nodes.
        test
            Mask of the test nodes.
        graph
            The graph that is split.

        Returns
        -------
        NodeSplit
            The split.
        """
        return cls(*(_masked(mask) for mask in (train, valid, test)), graph=graph)

    def masks(self, num_nodes: int | None = None) -> dict[str, NDArray[np.bool_]]:
        """Return masks over all nodes, under the names of PyG.

        Parameters
        ----------
        num_nodes
            Number of nodes. None: that of the graph of the split.

        Returns
        -------
        dict
            The masks ``train_mask``, ``val_mask`` and ``test_mask``.
        """
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
            raise ValueError("the split has no graph (need one: NodeSplit(..., graph=graph))")
        return self.graph

    def to_pyg(self) -> Any:
        """Convert the graph and the split to a `Data` of PyG.

        Returns
        -------
        Data
            With ``train_mask``, ``val_mask`` and ``test_mask``.
        """
        import torch

        data = self._whole().to_pyg()
        for name, mask in self.masks().items():
            data[name] = torch.from_numpy(mask)
        return data

    def to_dgl(self) -> Any:
        """Convert the graph and the split to a graph of DGL.

        Returns
        -------
        DGLGraph
            With the masks in ``ndata``.
        """
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
        """Check the split; see :func:`check_split`.

        Parameters
        ----------
        graph
            The whole graph. None: the graph of the split.

        Returns
        -------
        Checked
            The findings.
        """
        from ._split_checks import check_split

        return check_split(self._whole() if graph is None else graph, self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the split as an npz file, which ``split=`` and the command accept.

        Parameters
        ----------
        path
            File to write.
        """
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
    """Split the edges of a graph and draw negatives.

    It is the split that :func:`probe` and :func:`act` use with the same seed and parameters.

    Parameters
    ----------
    data
        A graph in any form that :meth:`Graph.of` accepts.
    train
        Share of the edges in the training set.
    valid
        Share of the edges in the validation set. The remaining edges are the test set.
    protocol
        How negatives are drawn: verified non-edges (``"clean"``), or unverified random pairs as in the
        paper's published code (``"paper"``). Results of the two are not comparable.
    negatives
        Non-edges that edges are compared with: uniform, degree-matched (``"degree"``), or hard, 500 per
        edge (``"heart"``).
    random_state
        Seed, or a generator of NumPy that draws one. None is seed 0.
    n_jobs
        Number of threads; results do not depend on it. None and -1: one per core.

    Returns
    -------
    LinkSplit
        The split.

    Examples
    --------
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
    """Split the labelled nodes of a graph, class by class.

    It is the split that :func:`probe` and :func:`act` use with the same seed and shares.

    Parameters
    ----------
    data
        A graph in any form that :meth:`Graph.of` accepts.
    train
        Share of the labelled nodes of each class in the training set.
    valid
        Share of the labelled nodes of each class in the validation set. The remaining labelled nodes
        are the test set.
    min_class
        Classes with fewer labelled nodes are left out.
    random_state
        Seed, or a generator of NumPy that draws one. None is seed 0.

    Returns
    -------
    NodeSplit
        The split.
    """
    graph = Graph.of(data)
    least = integer(min_class, "min_class")
    if least < 0:
        raise ValueError(f"invalid `min_class`: {min_class} (need 0 or more)")
    rest = (least, seed_of(random_state))
    return NodeSplit(*_native.node_split(graph._native, float(train), float(valid), rest, how(1, None)), graph=graph)


def _pairs(pairs: Any) -> NDArray[np.int64]:
    import numpy as np

    if pairs is None:
        return np.zeros((0, 2), np.int64)
    found = _convert.array(pairs)
    if found.size == 0:
        return np.zeros((0, 2), np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        turned = "; use `.T` for an edge index" if found.ndim == 2 and found.shape[0] == 2 else ""
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
        raise ValueError(f"invalid split: a mask of shape {found.shape} (need one entry per node: NodeSplit.from_masks(data.train_mask[:, 0], ...))")
    return np.flatnonzero(found).astype(np.int64)


def _fill_dgl(graph: Any, whole: Graph) -> None:
    for name, values in whole._tensors().items():
        graph.ndata[{"x": "feat", "y": "label"}[name]] = values
