"""Graphs: what every function takes."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _arrays, _convert, _native
from ._convert import Parts
from ._options import Progress, RandomState, how, integer, seed_of, warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Whatever a graph can be made of.
GraphLike = Union["Graph", str, "os.PathLike[str]", Mapping[str, Any], Any]


class Graph:
    """An undirected simple graph, perhaps with features and classes of its nodes.

    Edges count in both directions; self loops and repeats are dropped. A graph never changes. Features that are C-contiguous and float32 are
    not copied: changes to that array are changes to the graph, and values are checked again before each run.

    >>> import netinfof, numpy as np
    >>> edge_index = np.array([[0, 1, 2, 3], [1, 2, 3, 3]])
    >>> graph = netinfof.Graph(edge_index, y=["a", "b", "a", "b"], name="path")
    >>> graph
    Graph('path', nodes=4, edges=3, features=0, classes=2)
    >>> graph.edge_index.tolist()
    [[0, 1, 2], [1, 2, 3]]

    Parameters
    ----------
    edge_index
        Two rows of node numbers, as in PyG: array, tensor, or a pair of sequences. Or a list of edges: tuples of two node numbers. Node numbers are
        positions from 0 to ``num_nodes - 1``; other ids go through :meth:`from_frame`.
    x
        Features, one row per node: an array, a tensor, a frame, a sparse matrix of SciPy, or a mapping from nodes to rows. NaN is a missing value.
    y
        Classes of the nodes: numbers or names; -1, NaN and None stand for unknown ones. An array, a sequence or a series, or a mapping from nodes to
        classes, in which nodes of unknown class may be missing.
    num_nodes
        Number of nodes, where it does not follow from features or labels.
    nodes
        What the nodes are called, in order. Results name them so; without it they are numbers.
    name
        A name for reports.

    Features, labels and masks are taken by position, series and frames of pandas too: their index is not looked at. A mapping aligns by node:
    ``y=series.to_dict()``. Its keys are the names of the nodes, or node numbers where the nodes have no names.
    """

    __slots__ = ("_classes", "_masks", "_native", "_nodes", "_numbers", "_x")

    def __init__(
        self,
        edge_index: Any,
        x: Any = None,
        y: Any = None,
        *,
        num_nodes: int | None = None,
        nodes: Sequence[Hashable] | None = None,
        name: str = "graph",
    ) -> None:
        source, target = _convert.ends(edge_index)
        if nodes is not None and num_nodes is None:
            most = max((int(end.max()) + 1 for end in (source, target) if len(end)), default=0)
            if most > len(nodes):
                raise ValueError(f"invalid `nodes`: a sequence of length {len(nodes)} (need at least {most} names: the largest node number in the edges is {most - 1})")
        x = x if x is None or _convert.is_sparse(x) or isinstance(x, Mapping) or hasattr(x, "iloc") else _convert.array(x)
        if x is not None and not isinstance(x, Mapping) and len(x.shape) == 0:
            raise ValueError("invalid graph: features are one number; there must be a row for each node")
        if num_nodes is not None:
            num_nodes = integer(num_nodes, "num_nodes")
            if num_nodes < 0:
                raise ValueError(f"invalid `num_nodes`: {num_nodes} (need 0 or more)")
        rows_x, rows_y = (None if isinstance(part, Mapping) else part for part in (x, y))
        if num_nodes is None and nodes is not None:
            num_nodes = len(nodes)
        if num_nodes is None and (rows_x is not None or rows_y is not None):
            num_nodes = _convert.count(rows_x, rows_y)
        _convert.check_range(source, target, num_nodes)
        if num_nodes is None:
            num_nodes = _convert.count(None, None, source, target)
        x, y = _convert.in_node_order(x, nodes, num_nodes, "x"), _convert.in_node_order(y, nodes, num_nodes, "y")
        self._set(Parts(source, target, num_nodes, x, y, nodes), name)

    def _set(self, parts: Parts, name: str) -> None:
        import numpy as np

        _convert.check_range(parts.source, parts.target, parts.num_nodes)
        x, rows = _arrays.features(parts.x)
        if parts.classes is not None or parts.coded:
            labels, classes = parts.y, parts.classes
        else:
            try:
                labels, classes = _arrays.labels(parts.y)
            except ValueError as fault:
                if not parts.found:
                    raise
                warn(f"the labels of {name} are left out: {fault}")
                labels = classes = None
        if parts.unused:
            *first, last = parts.unused
            listed = f"{', '.join(first)} and {last}" if first else last
            warn(f"{listed} are not used: the graph is treated as undirected and unweighted")
        ids = None if parts.nodes is None else _arrays.names(parts.nodes)
        native = _native.build(
            {
                "name": name,
                "nodes": parts.num_nodes,
                "source": parts.source,
                "target": parts.target,
                "x": x,
                "sparse": rows,
                "y": labels,
                "class_names": None if classes is None else [str(value) for value in classes.tolist()],
                "ids": ids,
                "unknown_nodes": parts.unknown_nodes,
            }
        )
        self._native = native
        self._numbers: dict[Any, int] | None = None
        self._x = None if x is None else _arrays.read_only(x)
        self._nodes = None if parts.nodes is None else _arrays.kept(_arrays.object_array(parts.nodes))
        self._classes = None if classes is None else _arrays.kept(classes)
        self._masks = None if parts.masks is None else {k: _arrays.kept(np.asarray(v)) for k, v in parts.masks.items()}

    @classmethod
    def _of_native(cls, native: _native.Graph) -> Graph:
        graph = cls.__new__(cls)
        graph._native = native
        graph._x = graph._classes = graph._masks = graph._nodes = graph._numbers = None
        return graph

    @classmethod
    def _of_parts(cls, parts: Parts, name: str, x: Any = None, y: Any = None) -> Graph:
        graph = cls.__new__(cls)
        if x is not None:
            parts = parts._replace(x=_convert.in_node_order(x, parts.nodes, parts.num_nodes, "x"))
        if y is not None:
            parts = parts._replace(y=_convert.in_node_order(y, parts.nodes, parts.num_nodes, "y"), found=False, coded=False)
        graph._set(parts, name)
        return graph

    @classmethod
    def of(cls, data: GraphLike) -> Graph:
        """The graph in anything: a graph, a file or the name of a dataset, a `Data` or a dataset of PyG, a graph of DGL, networkx or igraph, a sparse
        adjacency matrix, an edge frame, an edge index, a list of edges, or a mapping with ``edge_index``, ``x`` and ``y``.

        Edges have no weights, no directions and no times here. A warning names what an object has of these and the graph does not keep.

        >>> import netinfof
        >>> netinfof.Graph.of("synth:demo")
        Graph('demo', nodes=1200, edges=4023, features=400, classes=4)
        >>> netinfof.Graph.of([(0, 1), (2, 3)]).edge_index.tolist()
        [[0, 2], [1, 3]]
        """
        if isinstance(data, cls):
            return data
        if isinstance(data, (str, os.PathLike)):
            return cls.from_file(data)
        if isinstance(data, Mapping):
            known = {"edge_index", "x", "y", "num_nodes", "nodes", "name"}
            if "edge_index" not in data or not known.issuperset(data):
                raise ValueError(f"invalid graph: a mapping with {', '.join(map(str, data))} (need edge_index, and perhaps {', '.join(sorted(known - {'edge_index'}))})")
            return cls(**data)
        if _convert.is_dataset(data):
            return cls._only_one(data)
        if _convert.is_hetero(data):
            raise ValueError("invalid graph: it has several types of nodes or edges; `to_homogeneous()` makes one graph of it")
        if _convert.is_sparse(data):
            return cls.from_scipy(data)
        if _convert.is_dgl(data):
            return cls.from_dgl(data)
        if _convert.is_networkx(data):
            return cls.from_networkx(data)
        if _convert.is_igraph(data):
            return cls.from_igraph(data)
        if _convert.is_pyg(data):
            return cls.from_pyg(data)
        if _convert.is_frame(data):
            return cls.from_frame(data)
        shape = getattr(data, "shape", None)
        if (shape is not None and len(shape) == 2 and shape[0] == 2) or (isinstance(data, (list, tuple)) and len(data) == 2) or _convert.is_edges(data):
            return cls(data)
        if hasattr(data, "__getitem__") and hasattr(data, "__len__") and shape is None and not isinstance(data, (list, tuple)):
            return cls._only_one(data)
        raise TypeError(
            f"no graph can be made of {type(data).__module__}.{type(data).__qualname__}"
            + ("" if shape is None else f" of shape {tuple(shape)}")
            + "; take an edge index of two rows, a list of pairs, a sparse adjacency matrix, a graph of PyG, DGL, networkx or igraph, an edge frame, or a file"
        )

    @classmethod
    def _only_one(cls, dataset: Any) -> Graph:
        if len(dataset) != 1:
            raise ValueError(f"invalid graph: a dataset of {len(dataset)} graphs (need one graph, such as dataset[0])")
        one, name = dataset[0], getattr(dataset, "name", None)
        return cls.from_pyg(one, name=name if isinstance(name, str) else type(dataset).__name__) if _convert.is_pyg(one) else cls.of(one)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        nodes: str | os.PathLike[str] | None = None,
        label: str | None = None,
        ends: tuple[str, str] | None = None,
        format: str | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> Graph:
        """The graph in a file or folder, a generated one, or a downloaded dataset: whatever ``netinfof inspect`` takes, with its options.

        `random_state` is the seed of a generated graph that names none.
        """
        words = [os.fspath(path), f"--seed={seed_of(random_state)}"]
        given = {"nodes": nodes, "label": label, "format": format, "ends": None if ends is None else ",".join(ends)}
        words += [f"--{key}={os.fspath(value)}" for key, value in given.items() if value is not None]
        if words[0].startswith("-"):
            words[0] = os.path.join(".", words[0])
        return cls._of_native(_native.load(words, how(n_jobs, progress, notices=True)))

    @classmethod
    def from_scipy(cls, adjacency: Any, x: Any = None, y: Any = None, *, name: str = "graph") -> Graph:
        """The pattern of a sparse adjacency matrix, with features and labels for its rows.

        >>> import netinfof, scipy.sparse
        >>> path = scipy.sparse.eye(4, k=1)
        >>> netinfof.Graph.from_scipy(path + path.T)
        Graph('graph', nodes=4, edges=3, features=0, classes=0)
        """
        return cls._of_parts(_convert.sparse(adjacency), name, x, y)

    @classmethod
    def from_pyg(cls, data: Any, *, name: str = "graph") -> Graph:
        """A `Data` of PyG: ``edge_index``, ``x``, ``y``, and the masks, which ``split="masks"`` takes."""
        return cls._of_parts(_convert.pyg(data), name)

    @classmethod
    def from_dgl(cls, graph: Any, *, features: str | None = None, label: str | None = None, name: str = "graph") -> Graph:
        """A graph of DGL; features and labels are the fields of ``ndata`` with these names (``feat`` and ``label``)."""
        return cls._of_parts(_convert.dgl(graph, features, label), name)

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        features: str | Sequence[str] | Literal[False] | None = None,
        label: str | Literal[False] | None = None,
        x: Any = None,
        y: Any = None,
        name: str | None = None,
    ) -> Graph:
        """A graph of networkx, its nodes in the order of ``list(graph)`` and under their own labels.

        `features` is one attribute that holds a vector, or several that hold a number each; `label` one that holds the class; without names, vectors under
        ``x``, ``feat`` or ``features`` and classes under ``label``, ``y`` or ``class`` are taken, with False none. `x` and `y` take their place: rows in the
        order of ``list(graph)``, series and frames of pandas too, or mappings from nodes to rows and classes (``y=series.to_dict()``).

        >>> import netinfof, networkx
        >>> graph = netinfof.Graph.from_networkx(networkx.karate_club_graph(), label="club")
        >>> graph
        Graph('Zachary's Karate Club', nodes=34, edges=78, features=0, classes=2)
        >>> graph.classes.tolist()
        ['Mr. Hi', 'Officer']
        """
        return cls._of_parts(_convert.networkx(graph, features, label), name or str(getattr(graph, "name", "")) or "graph", x, y)

    @classmethod
    def from_igraph(
        cls,
        graph: Any,
        *,
        features: str | Sequence[str] | Literal[False] | None = None,
        label: str | Literal[False] | None = None,
        x: Any = None,
        y: Any = None,
        name: str = "graph",
    ) -> Graph:
        """A graph of igraph; see :meth:`from_networkx`."""
        return cls._of_parts(_convert.igraph(graph, features, label), name, x, y)

    @classmethod
    def from_frame(
        cls,
        edges: Any,
        nodes: Any = None,
        *,
        source: str | None = None,
        target: str | None = None,
        id: str | None = None,
        label: str | None = None,
        features: str | Sequence[str] | None = None,
        name: str = "graph",
    ) -> Graph:
        """An edge frame of pandas or polars, and perhaps a node frame with an id, features and a label.

        Columns that are not named are found by their names: `source` and `target`, `src` and `dst`, `from` and `to`, `u` and `v`, or the only two; `id`,
        `node` or `name`; `label`, `y` or `class`. All other columns of the node frame are features, unless `features` names some; they must hold numbers.
        Weights and other columns of the edge frame are not used; a warning names them. With a node frame the nodes have its order; without one, numbers ascend and names stand as they come.

        >>> import netinfof, pandas
        >>> edges = pandas.DataFrame({"source": ["ann", "bob"], "target": ["bob", "cy"]})
        >>> netinfof.Graph.from_frame(edges).nodes.tolist()
        ['ann', 'bob', 'cy']
        """
        return cls._of_parts(_convert.frames(edges, nodes, source, target, id, label, features), name)

    @property
    def name(self) -> str:
        """Name for reports."""
        return self._native.name

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self._native.num_nodes

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return self._native.num_edges

    @property
    def num_features(self) -> int:
        """Number of feature columns."""
        return self._native.num_features

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return self._native.num_classes

    @property
    def nodes(self) -> NDArray[Any]:
        """What the nodes are called, in order: labels as they were given, else their numbers."""
        import numpy as np

        if self._nodes is None:
            ids = self._native.ids
            self._nodes = np.arange(self.num_nodes) if ids is None else _arrays.ids(ids)
        return self._nodes

    @property
    def edge_index(self) -> NDArray[np.int64]:
        """Every edge once, by node numbers: a row of smaller ends and a row of larger ones."""
        return self._native.edges()

    @property
    def x(self) -> Any:
        """Features, read-only: a view of the array that was given where it was not copied; a sparse matrix of SciPy where they are sparse and SciPy is
        there; or None."""
        if self._x is None:
            rows = self._native.sparse()
            if rows is None:
                own = self._native.dense()
                self._x = None if own is None else _arrays.read_only(own)
            else:
                return _arrays.matrix(rows, (self.num_nodes, self.num_features))
        return self._x

    @property
    def y(self) -> NDArray[np.int64] | None:
        """Class of every node as a number, its place among :attr:`classes`; -1 where unknown."""
        return self._native.labels()

    @property
    def classes(self) -> NDArray[Any]:
        """What the classes are called: as they were given, else numbers."""
        import numpy as np

        if self._classes is None:
            names = self._native.class_names
            self._classes = np.arange(self.num_classes) if names is None else np.asarray(names)
        return self._classes

    @property
    def masks(self) -> dict[str, NDArray[Any]] | None:
        """The masks ``train``, ``val`` and ``test`` that a `Data` of PyG or a graph of DGL brought along."""
        return self._masks

    @property
    def components(self) -> list[str]:
        """Names of the components of your own that the graph carries."""
        return self._native.components

    def with_components(self, components: Mapping[str, Any]) -> Graph:
        """The same graph with components of your own, such as a text embedding or node2vec.

        They are measured, judged and used beside the built-in components, and saved with models.

        >>> import netinfof, numpy as np
        >>> graph = netinfof.Graph.of("synth:demo")
        >>> graph.with_components({"text": np.zeros((1200, 4))}).components
        ['text']

        Parameters
        ----------
        components
            A name for each and its rows of numbers, one row per node: an array, a tensor, a frame, a sparse matrix, or a mapping from nodes to rows. NaN is
            a missing value.

        Returns
        -------
        Graph
            A new graph; this one does not change.
        """
        import numpy as np

        graph = Graph.__new__(Graph)
        graph._classes, graph._masks, graph._nodes, graph._numbers, graph._x = self._classes, self._masks, self._nodes, self._numbers, self._x
        graph._native = self._native
        nodes = self._nodes if self._nodes is not None else self.nodes if self._native.named else None
        for name, rows in components.items():
            if not isinstance(name, str):
                raise TypeError(f"invalid `components`: {name!r} (need a text as the name of each component)")
            if isinstance(rows, Mapping):
                rows = _convert.in_node_order(rows, nodes, self.num_nodes, "x")
            rows = rows.toarray() if _convert.is_sparse(rows) else _convert.array(rows)
            try:
                table = np.ascontiguousarray(rows, dtype=np.float32)
            except (TypeError, ValueError):
                raise ValueError(f"invalid `components`: '{name}' must hold numbers") from None
            if table.ndim not in (1, 2):
                raise ValueError(f"invalid `components`: '{name}' has {table.ndim} dimensions (need one row of numbers per node)")
            graph._native = graph._native.with_component(name, table.reshape(len(table), -1))
        return graph

    def facts(self) -> dict[str, Any]:
        """Degrees, homophily, repeated nodes and so on: what ``netinfof inspect --json`` says."""
        facts: dict[str, Any] = json.loads(self._native.facts())
        return facts

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as npz, which the command and :meth:`from_file` read."""
        self._native.save(os.fspath(path))

    def to_pyg(self) -> Any:
        """A `Data` of PyG with both directions of every edge."""
        import numpy as np
        import torch
        from torch_geometric.data import Data

        index = self.edge_index
        both = torch.from_numpy(np.concatenate([index, index[::-1]], axis=1))
        return Data(edge_index=both, num_nodes=self.num_nodes, **self._tensors())

    def _tensors(self) -> dict[str, Any]:
        """Features and labels for PyTorch, under PyG's names."""
        import numpy as np
        import torch

        x, y = self.x, self.y
        found = {}
        if x is not None:
            # A copy: tensors may be written to.
            found["x"] = torch.from_numpy(np.array(x.toarray() if _convert.is_sparse(x) else x, np.float32))
        if y is not None:
            found["y"] = torch.from_numpy(y)
        return found

    def numbers_of(self, nodes: Any) -> NDArray[np.int64]:
        """The numbers of nodes that are called so; any shape.

        >>> import netinfof
        >>> graph = netinfof.Graph([[0, 1], [1, 2]], nodes=["ann", "bob", "cy"])
        >>> graph.numbers_of([["cy", "ann"]]).tolist()
        [[2, 0]]
        """
        import numpy as np

        if not self._native.named:
            numbers = _convert.array(nodes)
            if numbers.size == 0:
                return np.zeros(numbers.shape, np.int64)
            if numbers.dtype.kind not in "iu":
                raise ValueError(f"invalid `nodes`: {numbers.dtype} (need node numbers below {self.num_nodes})")
            bad = numbers[(numbers < 0) | (numbers >= self.num_nodes)]
            if bad.size:
                raise ValueError(f"invalid `nodes`: {bad.flat[0]} (need node numbers below {self.num_nodes})")
            result: NDArray[np.int64] = numbers.astype(np.int64, copy=False)
            return result
        if self._numbers is None:
            self._numbers = {value: at for at, value in enumerate(self.nodes.tolist())}
        number = self._numbers
        asked = nodes if isinstance(nodes, np.ndarray) else _arrays.nested(nodes, number)
        found = np.empty(asked.shape, np.int64)
        for at, value in enumerate(asked.reshape(-1).tolist()):
            if value not in number:
                import difflib

                near = difflib.get_close_matches(str(value), [str(name) for name in number], 1)
                other = f"did you mean {near[0]}?" if near else f"the first is {next(iter(number))!r}"
                raise ValueError(f"invalid `nodes`: {value!r} (no node of the graph is called so; {other})")
            found.flat[at] = number[value]
        return found

    def _asked(self, nodes: Any) -> NDArray[np.int64]:
        """The numbers of some nodes, or of one."""
        one = isinstance(nodes, (str, int)) or (isinstance(nodes, tuple) and self._native.named and nodes in self.nodes.tolist())
        return self.numbers_of([nodes] if one else nodes).reshape(-1)

    def __repr__(self) -> str:
        return f"Graph('{self.name}', nodes={self.num_nodes}, edges={self.num_edges}, features={self.num_features}, classes={self.num_classes})"

    def __str__(self) -> str:
        return self._native.table()

    def __reduce__(self) -> tuple[Any, ...]:
        nodes = self.nodes if self._native.named else None
        classes = self.classes if self._native.class_names is not None else None
        rows = self._native.sparse()
        x = self.x if rows is None else (*rows, self.num_features)
        return _restored, ((self.edge_index, x, self.y, self.num_nodes, nodes, classes, self.name, self._masks),)


def _restored(state: tuple[Any, ...]) -> Graph:
    index, x, y, num_nodes, nodes, classes, name, masks = state
    return Graph._of_parts(Parts(index[0], index[1], num_nodes, x, y, nodes, masks, classes=classes, coded=True), name)
