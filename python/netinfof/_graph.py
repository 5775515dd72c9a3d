"""The graph class, and its conversion from other objects."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, Union

from . import _arrays, _convert, _native
from ._convert import Parts
from ._graph_data import GraphExports
from ._graph_readers import GraphReaders
from ._options import integer, warn

#: Anything that :meth:`Graph.of` accepts.
GraphLike = Union["Graph", str, "os.PathLike[str]", Mapping[str, Any], Any]


class Graph(GraphReaders, GraphExports):
    """An undirected simple graph, optionally with features and classes of its nodes.

    Every edge counts in both directions; self loops and repeated edges are dropped. A graph is immutable.
    C-contiguous float32 features are not copied: if that array changes, so does the graph. Its values are
    checked again before each run.

    Features, labels and masks are read by position, including series and frames of pandas: their index is
    ignored. A mapping aligns by node, as in ``y=series.to_dict()``. Its keys are the names of the nodes, or
    node numbers if the nodes have no names.

    Parameters
    ----------
    edge_index
        Two rows of node numbers, as in PyG: an array, a tensor, or a pair of sequences. Or a list of
        edges: tuples of two node numbers. Node numbers are positions from 0 to ``num_nodes - 1``; for
        other ids use :meth:`from_frame`.
    x
        Features, one row per node: an array, a tensor, a frame, a sparse matrix of SciPy, or a mapping
        from nodes to rows. NaN is a missing value.
    y
        Target of the nodes: classes as numbers or names, numbers for regression, or one column of 0 and 1
        per label. An array, a sequence, a series, a frame, or a mapping from nodes to classes. -1, NaN and
        None are unknown classes; a mapping may omit such nodes. NaN is an unknown number.
    num_nodes
        Number of nodes. None: as many as rows of features or labels, or as names; else the largest node
        number plus one.
    nodes
        Names of the nodes, in order. Results use them. None: nodes are identified by their numbers.
    name
        Name of the graph in reports.
    bipartite
        Whether the edges join two kinds of nodes, such as users and items. Pairs of one kind are then no
        candidates for an edge. None: the structure decides, with a warning.
    sides
        For a bipartite graph, 0 or 1 for every node. None: the sides follow from the structure.
    edge_weight
        Weights of the edges: one number of at least 0 for each edge of `edge_index`. Heavier edges count more
        in structure and in propagation. Weights of parallel edges are summed, different weights of the two
        directions of an edge are averaged, and edges of weight 0 are dropped. None: no weights.
    weight_scale
        How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
        ``"linear"``. Both are divided by their mean.
    target
        Kind of the target: ``"classes"``, ``"numbers"`` or ``"labels"``. None: numbers with fractions are a
        numeric target, several columns of 0 and 1 are labels, and everything else is classes.
    directed
        Whether edges lead from the first to the second row of `edge_index`. Every node is then two nodes, a
        source and a target, called ``source:NAME`` and ``target:NAME``; :attr:`num_nodes` counts both. The
        target of a node is that of its source.
    edge_time
        The time of every edge in `edge_index`: numbers or dates. Link prediction is then split by time: an
        edge exists from its first time, and training edges are earlier than validation edges, and these
        earlier than test edges. None: the split is random.

    Raises
    ------
    ValueError
        If the parts contradict each other, or hold values that are not allowed.

    Examples
    --------
    >>> import netinfof, numpy as np
    >>> edge_index = np.array([[0, 1, 2, 3], [1, 2, 3, 3]])
    >>> graph = netinfof.Graph(edge_index, y=["a", "b", "a", "b"], name="path")
    >>> graph
    Graph('path', nodes=4, edges=3, features=0, classes=2)
    >>> graph.edge_index.tolist()
    [[0, 1, 2], [1, 2, 3]]
    """

    __slots__ = ()

    def __init__(
        self,
        edge_index: Any,
        x: Any = None,
        y: Any = None,
        *,
        num_nodes: int | None = None,
        nodes: Sequence[Hashable] | None = None,
        name: str = "graph",
        bipartite: bool | None = None,
        sides: Any = None,
        edge_weight: Any = None,
        weight_scale: Literal["log", "linear"] = "log",
        target: Literal["classes", "numbers", "labels"] | None = None,
        directed: bool = False,
        edge_time: Any = None,
    ) -> None:
        source, ends = _convert.ends(edge_index)
        weights = _convert.edge_weights(edge_weight, len(source), "edge_weight")
        if nodes is not None and num_nodes is None:
            most = max((int(end.max()) + 1 for end in (source, ends) if len(end)), default=0)
            if most > len(nodes):
                raise ValueError(f"invalid `nodes`: a sequence of length {len(nodes)} (need at least {most} names: the largest node number in the edges is {most - 1})")
        if not isinstance(name, str):
            raise TypeError(f"invalid `name`: {name!r} (need a string)")
        if target is not None and y is None:
            raise ValueError(f"invalid `target`: {target!r} without `y` (need the target of the nodes, or target=None)")
        x = x if x is None or _convert.is_sparse(x) or isinstance(x, Mapping) or hasattr(x, "iloc") else _convert.array(x)
        if x is not None and not isinstance(x, Mapping) and len(x.shape) == 0:
            raise ValueError("invalid graph: features are a single number (need one row per node)")
        if num_nodes is not None:
            num_nodes = integer(num_nodes, "num_nodes")
            if num_nodes < 0:
                raise ValueError(f"invalid `num_nodes`: {num_nodes} (need 0 or more)")
        rows_x, rows_y = (None if isinstance(part, Mapping) else part for part in (x, y))
        if num_nodes is None and nodes is not None:
            num_nodes = len(nodes)
        if num_nodes is None and (rows_x is not None or rows_y is not None):
            num_nodes = _convert.count(rows_x, rows_y)
        _convert.check_range(source, ends, num_nodes)
        if num_nodes is None:
            num_nodes = _convert.count(None, None, source, ends)
        x, y = _convert.in_node_order(x, nodes, num_nodes, "x"), _convert.in_node_order(y, nodes, num_nodes, "y")
        known = _convert.sides_of(bipartite, sides, num_nodes)
        if directed and known is not None:
            raise ValueError("invalid `directed`: True for a bipartite graph (need False: its edges always join the two sides)")
        times = None if edge_time is None else _convert.times_of(edge_time, len(source), "edge_time")
        parts = Parts(source, ends, num_nodes, x, y, nodes, sides=known, weights=weights, target_kind=target, times=times)
        self._set(parts, name, weight_scale, bool(directed))

    def _set(self, parts: Parts, name: str, weight_scale: str = "log", directed: bool = False) -> None:
        import numpy as np

        _convert.check_range(parts.source, parts.target, parts.num_nodes)
        if parts.weights is None and _convert.is_linear(weight_scale):
            raise ValueError(f"invalid `weight_scale`: {weight_scale!r} without weights (need weights of the edges too, or weight_scale='log')")
        x, rows = _arrays.features(parts.x)
        numbers = rows_of_labels = label_names = None
        if parts.coded and parts.y is not None and (parts.y.ndim == 2 or parts.y.dtype.kind == "f"):
            labels, classes, numbers, rows_of_labels, label_names = _arrays.target(parts.y, "labels" if parts.y.ndim == 2 else "numbers")
            label_names = parts.label_names
        elif parts.classes is not None or parts.coded:
            labels, classes = parts.y, parts.classes
        else:
            try:
                labels, classes, numbers, rows_of_labels, label_names = _arrays.target(parts.y, parts.target_kind)
            except ValueError as fault:
                if not parts.found:
                    raise
                warn(f"the labels of {name} are left out: {fault}")
                labels = classes = None
        if parts.unused:
            *first, last = parts.unused
            listed = f"{', '.join(first)} and {last}" if first else last
            kind = "undirected and unweighted" if parts.weights is None else "undirected"
            warn(f"{listed} are not used: the graph is treated as {kind}")
        ids = None if parts.nodes is None else _arrays.names(parts.nodes)
        native, notices = _native.build(
            {
                "name": name,
                "nodes": parts.num_nodes,
                "source": parts.source,
                "target": parts.target,
                "weights": parts.weights,
                "linear_weights": _convert.is_linear(weight_scale),
                "directed": directed,
                "x": x,
                "sparse": rows,
                "y": labels,
                "class_names": None if classes is None else [str(value) for value in classes.tolist()],
                "numbers": numbers,
                "label_rows": rows_of_labels,
                "label_names": label_names,
                "ids": ids,
                "schema": None if parts.schema is None else json.dumps(parts.schema),
                "unknown_nodes": parts.unknown_nodes,
                "sides": parts.sides,
                "side_names": None if parts.side_names is None else list(parts.side_names),
                "times": parts.times,
            }
        )
        if notices:
            warn(f"weights of {name}: {'; '.join(notices)}")
        self._native = native
        self._numbers: dict[Any, int] | None = None
        self._x = None if x is None else _arrays.read_only(x)
        if directed:
            # Nodes and features occur once for each role.
            self._x = self._nodes = self._masks = None
            self._classes = None if classes is None else _arrays.kept(classes)
            return
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
    def _of_parts(cls, parts: Parts, name: str, x: Any = None, y: Any = None, weight_scale: str = "log") -> Graph:
        graph = cls.__new__(cls)
        if x is not None:
            parts = parts._replace(x=_convert.in_node_order(x, parts.nodes, parts.num_nodes, "x"))
        if y is not None:
            parts = parts._replace(y=_convert.in_node_order(y, parts.nodes, parts.num_nodes, "y"), found=False, coded=False)
        graph._set(parts, name, weight_scale)
        return graph

    @classmethod
    def of(cls, data: GraphLike) -> Graph:
        """Make a graph of any supported object.

        Edges have weights, directions and times only where they are asked for: by ``edge_weight``, ``directed``
        and ``edge_time`` of a mapping, or by the arguments of the other constructors. If the object has any of
        these, a warning names what is not used.

        Parameters
        ----------
        data
            A :class:`Graph`, a file or the name of a dataset (see :meth:`from_file`), a `Data` of PyG or a
            dataset with one graph, a `HeteroData` with one relation, a graph of DGL, networkx or igraph, a sparse adjacency matrix, an edge
            frame, an edge index, a list of edges, or a mapping with ``edge_index`` and optionally ``x``,
            ``y``, ``num_nodes``, ``nodes``, ``name``, ``bipartite``, ``sides``, ``edge_weight``,
            ``weight_scale``, ``directed`` and ``edge_time``.

        Returns
        -------
        Graph
            The graph; `data` itself if it is one already.

        Raises
        ------
        TypeError
            If the type of `data` is not supported.
        ValueError
            If `data` does not hold one valid graph.

        Examples
        --------
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
            own = {"edge_weight", "weight_scale", "directed", "edge_time"}
            known = {"edge_index", "x", "y", "num_nodes", "nodes", "name", "bipartite", "sides"} | own
            if "edge_index" not in data or not known.issuperset(data):
                raise ValueError(f"invalid graph: a mapping with {', '.join(map(str, data))} (need edge_index, and optionally {', '.join(sorted(known - {'edge_index'}))})")
            return cls(**data)
        if _convert.is_dataset(data):
            return cls._only_one(data)
        if _convert.is_hetero(data) and hasattr(data, "edge_types"):
            return cls.from_hetero(data)
        if _convert.is_hetero(data):
            raise ValueError("invalid graph: it has several types of nodes or edges (need one type of each: `to_homogeneous()` converts it)")
        if _convert.is_adjacency(data):
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
            f"cannot make a graph of {type(data).__module__}.{type(data).__qualname__}"
            + ("" if shape is None else f" of shape {tuple(shape)}")
            + " (need an edge index of two rows, a list of pairs, a sparse adjacency matrix, a graph of PyG, DGL, networkx or igraph, an edge frame, or a file)"
        )

    @classmethod
    def _only_one(cls, dataset: Any) -> Graph:
        if len(dataset) != 1:
            raise ValueError(f"invalid graph: a dataset of {len(dataset)} graphs (need one graph, such as dataset[0])")
        one, name = dataset[0], getattr(dataset, "name", None)
        return cls.from_pyg(one, name=name if isinstance(name, str) else type(dataset).__name__) if _convert.is_pyg(one) else cls.of(one)

    def with_components(self, components: Mapping[str, Any]) -> Graph:
        """Return the same graph with components of your own, such as text embeddings or node2vec.

        They are measured, judged and used like the built-in components, and saved with models. They must not be
        computed from held-out edges or labels.

        Parameters
        ----------
        components
            Names and matrices of numbers with one row per node: an array, a tensor, a frame, a sparse matrix,
            or a mapping from nodes to rows. NaN is a missing value.

        Returns
        -------
        Graph
            A new graph; this one does not change.

        Raises
        ------
        ValueError
            If a name is that of a built-in component, or a matrix does not have one row of numbers per node.

        Examples
        --------
        >>> import netinfof, numpy as np
        >>> graph = netinfof.Graph.of("synth:demo")
        >>> graph.with_components({"text": np.zeros((1200, 4))}).components
        ['text']
        """
        import numpy as np

        graph, nodes = self._like(self._native), self._names()
        for name, rows in components.items():
            if not isinstance(name, str):
                raise TypeError(f"invalid `components`: {name!r} (need a string as the name of each component)")
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

    def with_context(self, relations: Mapping[str, Any], *, nodes: Sequence[Hashable] | None = None, x: Any = None) -> Graph:
        """Return the same graph with edges of other relations as structure.

        These edges are part of every training graph and are never split, held out, predicted or drawn as
        negatives: for link prediction only. A relation that joins mostly the same pairs as the graph, in either
        direction, is left out with a warning, because it would reveal held-out edges.

        Parameters
        ----------
        relations
            For every name of a relation an edge index: two rows of node numbers. Numbers from
            :attr:`num_nodes` on are context nodes, which are not nodes of the graph.
        nodes
            Names of the context nodes, in order. None: their numbers.
        x
            Features of the context nodes, in the columns of the graph's features. None: usual values.

        Returns
        -------
        Graph
            A new graph; this one does not change.

        Raises
        ------
        ValueError
            If the graph is directed or has times, or context nodes stand for edges of the graph.

        Examples
        --------
        >>> import netinfof
        >>> likes = netinfof.Graph([(0, 2), (0, 3), (1, 4)], bipartite=True)
        >>> graph = likes.with_context({"made by": ([2, 3, 4], [5, 5, 6])})
        >>> graph.context
        {'made by': 3}
        """
        import numpy as np

        found = []
        for name, index in relations.items():
            source, target = _convert.ends(index)
            found.append((str(name), np.stack([source, target])))
        most = max((int(index.max()) + 1 for _, index in found if index.size), default=0)
        count = max(0, most - self.num_nodes) if nodes is None else len(nodes)
        names = [str(self.num_nodes + at) for at in range(count)] if nodes is None else [str(name) for name in nodes]
        if x is not None:
            x = np.ascontiguousarray(x.toarray() if _convert.is_sparse(x) else _convert.array(x), np.float32)
            if x.ndim != 2 or len(x) != count:
                raise ValueError(f"invalid `x`: shape {x.shape} (need one row for each of {count} context nodes)")
        return self._with_context(found, names, [0] * count, x)

    def _with_context(self, relations: Any, names: list[str], types: list[int], x: Any) -> Graph:
        """Return the same graph with context in the form of the native part."""
        native, notices = self._native.with_context({"relations": relations, "names": names, "types": types, "x": x})
        for notice in notices:
            warn(f"{self.name}: {notice}")
        return self._like(native)

    def _like(self, native: _native.Graph) -> Graph:
        """Return a graph of the same nodes with another native part."""
        graph = Graph.__new__(Graph)
        graph._native = native
        graph._classes, graph._masks, graph._nodes, graph._numbers, graph._x = self._classes, self._masks, self._nodes, self._numbers, self._x
        return graph

    def _with_target(self, y: Any, kind: str | None) -> Graph:
        """Return the same graph with another target of its nodes."""
        return self._with_codes(*_arrays.target(_convert.in_node_order(y, self._names(), self.num_nodes, "y"), kind))

    def _with_codes(self, labels: Any, classes: Any, numbers: Any, label_rows: Any, label_names: Any) -> Graph:
        """Return the same graph with a target in the form of :func:`_arrays.target`."""
        import numpy as np

        parts = {
            "y": None if labels is None else np.ascontiguousarray(labels, np.int64),
            "class_names": None if classes is None else [str(value) for value in classes.tolist()],
            "numbers": numbers,
            "label_rows": label_rows,
            "label_names": label_names,
        }
        graph = self._like(self._native.with_target(parts))
        graph._classes = None if classes is None else _arrays.kept(classes)
        return graph

    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        # It never changes, so that estimators with a graph are cloned at no cost.
        return self

    def _directed_state(self) -> tuple[Any, ...]:
        """Return what the graph was made of, each node once."""
        import numpy as np

        count = self.num_nodes // 2
        nodes = np.array([name[len("source:") :] for name in self.nodes[:count].tolist()], object)
        rows, x = self._native.sparse(), self.x
        if rows is not None:
            starts = rows[0][: count + 1]
            x = (starts, rows[1][: starts[-1]], rows[2][: starts[-1]], self.num_features)
        elif x is not None:
            x = x[:count]
        index = self.edge_index - np.array([[0], [count]])
        y = None if self.y is None else self.y[:count]
        more = (y, self.classes if self._native.class_names is not None else None, self.label_names)
        return index, x, nodes, self.name, self.schema, self.edge_weight, self._native.weight_scale, (*more, self._native.times())

    def __reduce__(self) -> tuple[Any, ...]:
        if self._native.directed:
            return _restored_directed, (self._directed_state(),)
        nodes = self.nodes if self._native.named else None
        classes = self.classes if self._native.class_names is not None else None
        rows = self._native.sparse()
        x = self.x if rows is None else (*rows, self.num_features)
        known = self._native.sides
        sides, side_names = (None, None) if known is None else (known[0], self.side_names)
        more = (self.label_names, self.edge_weight, self._native.weight_scale, self._native.times())
        kept = (self.edge_index, x, self.y, self.num_nodes, nodes, classes, self.name, self._masks, self.schema, sides, side_names, *more)
        context = self._native.context()
        return (_restored, (kept,)) if context is None else (_restored_context, (kept, context))


def _restored_directed(state: tuple[Any, ...]) -> Graph:
    index, x, nodes, name, schema, weights, weight_scale, (y, classes, label_names, times) = state
    if isinstance(x, tuple):
        x = _arrays.matrix(x[:3], (len(nodes), x[3]))
    graph = Graph.__new__(Graph)
    weights = None if weights is None else weights.astype("float64")
    given = {"classes": classes, "coded": True, "schema": schema, "label_names": label_names, "weights": weights, "times": times}
    graph._set(Parts(index[0], index[1], len(nodes), x, y, nodes, **given), name, weight_scale or "log", True)
    return graph


def _restored(state: tuple[Any, ...]) -> Graph:
    index, x, y, num_nodes, nodes, classes, name, masks, schema, sides, side_names, label_names, weights, weight_scale, times = state
    given = {"times": times, "classes": classes, "coded": True, "schema": schema, "sides": sides, "side_names": side_names, "label_names": label_names}
    given["weights"] = None if weights is None else weights.astype("float64")
    return Graph._of_parts(Parts(index[0], index[1], num_nodes, x, y, nodes, masks, **given), name, weight_scale=weight_scale or "log")


def _restored_context(state: tuple[Any, ...], context: tuple[Any, ...]) -> Graph:
    import warnings

    with warnings.catch_warnings():
        # They were given when the context was added.
        warnings.simplefilter("ignore")
        return _restored(state)._with_context(*context)
