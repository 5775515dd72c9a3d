"""The graph class, and its conversion from other objects."""

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

#: Anything that :meth:`Graph.of` accepts.
GraphLike = Union["Graph", str, "os.PathLike[str]", Mapping[str, Any], Any]


class Graph:
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
        source and a target, called ``source:NAME`` and ``target:NAME``; :attr:`num_nodes` counts both. For
        link prediction only: classes are not used.
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
        if directed and edge_time is not None:
            raise ValueError("invalid `directed`: True with `edge_time` (need False: a split by time is of an undirected graph)")
        times = None if edge_time is None else _convert.times_of(edge_time, len(source), "edge_time")
        parts = Parts(source, ends, num_nodes, x, y, nodes, sides=known, weights=weights, target_kind=target, times=times)
        self._set(parts, name, weight_scale, bool(directed))

    def _set(self, parts: Parts, name: str, weight_scale: str = "log", directed: bool = False) -> None:
        import numpy as np

        _convert.check_range(parts.source, parts.target, parts.num_nodes)
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
            self._x = self._nodes = self._classes = self._masks = None
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

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        nodes: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        id: str | None = None,
        label: str | None = None,
        ends: tuple[str, str] | None = None,
        time: str | None = None,
        header: bool | None = None,
        features: str | Sequence[str] | None = None,
        drop: str | Sequence[str] | None = None,
        categorical: str | Sequence[str] | None = None,
        numeric: str | Sequence[str] | None = None,
        format: str | None = None,
        bipartite: bool | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] | None = None,
        target: Literal["classes", "numbers", "labels"] | None = None,
        communities: str | os.PathLike[str] | None = None,
        directed: bool = False,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> Graph:
        """Read a graph from a file or folder, generate one, or download a dataset.

        Parameters
        ----------
        path
            A file, a folder, ``synth:NAME`` for a generated graph, or the name of a dataset such as
            ``"cora"``; docs/formats.md and docs/datasets.md list them.
        nodes
            Node table of an edge list: ids, features and optionally labels; or several tables, joined by id.
        id
            Id column of the node table, by name or number. ``"row"``: the numbers of the rows from 0. None:
            ``id``, ``node`` or ``name``, else the first column.
        label
            Label column of the node table, by name or number. None: ``label``, ``y``, ``class`` or ``target``.
            Several, such as ``"a,b,c"``, are one label each, with cells 0 and 1.
        ends
            The two id columns of an edge list, by name or number. None: ``source`` and ``target`` or other
            common names, else the first two columns.
        time
            The column of an edge list, by name or number, or the array of an npz file that holds the times of
            the edges; link prediction is then split by time. None: the split is random.
        header
            Whether the first line of each text table names its columns. None: detected.
        features
            The only columns of the node table to use as features; ``*`` stands for any text.
        drop
            Columns of the node table to leave out.
        categorical
            Columns whose values are categories, also if they are numbers.
        numeric
            Columns whose values are numbers, also if they look like ids.
        format
            Format of the file: ``edges``, ``npz``, ``planetoid``, ``geom-gcn``, ``matlab``, ``ogb``,
            ``matrix-market``, ``parquet``, ``neighbours``, ``adjacency-matrix``, ``node-link``, ``graphml``,
            ``gml`` or ``pajek``. None: the format is detected from the content.
        bipartite
            Whether the two id columns of an edge list hold two kinds of nodes, which are different even where
            ids are equal. None: column names such as ``user`` and ``item``, or the structure, decide.
        weight
            Weights of the edges: the name or number of a column of the edge list, the name of an attribute of
            edges or of an array, or ``"value"`` for the values of a matrix. None: edges have no weights.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``. None: ``"log"``.
        target
            Kind of the target of the nodes. None: a label column with many different numbers is numeric.
        communities
            File with one label per line, given by the ids of its nodes, such as ``.cmty``.
        directed
            Whether edges have directions, which are used; see :class:`Graph`.
        random_state
            Seed of a generated graph whose name does not include one.
        n_jobs
            Number of threads; the graph does not depend on it. None and -1: one per core.
        progress
            True for a progress bar, or a callable; see :func:`probe`.

        Returns
        -------
        Graph
            The graph.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the content is not a valid graph. The message names the file and, for text, the line.
        """
        words = [os.fspath(path), f"--seed={seed_of(random_state)}"]
        from ._columns import names_of

        given = {"id": id, "label": label, "format": format, "target": target, "communities": communities, "time": time}
        given["ends"] = None if ends is None else ",".join(map(str, ends))
        given.update({"weight": None if weight is None else str(weight), "weight-scale": weight_scale})
        for key, value in {"features": features, "drop": drop, "categorical": categorical, "numeric": numeric}.items():
            given[key] = ",".join(names_of(value)) or None
        tables = [] if nodes is None else [nodes] if isinstance(nodes, (str, os.PathLike)) else list(nodes)
        words += [f"--nodes={os.fspath(table)}" for table in tables]
        if header is not None:
            words.append("--header" if header else "--no-header")
        words += [f"--{key}={os.fspath(value)}" for key, value in given.items() if value is not None]
        if bipartite is not None:
            words.append("--bipartite" if bipartite else "--no-bipartite")
        if directed:
            words.append("--directed")
        if words[0].startswith("-"):
            words[0] = os.path.join(".", words[0])
        return cls._of_native(_native.load(words, how(n_jobs, progress, notices=True)))

    @classmethod
    def from_scipy(
        cls,
        adjacency: Any,
        x: Any = None,
        y: Any = None,
        *,
        weighted: bool = False,
        weight_scale: Literal["log", "linear"] = "log",
        name: str = "graph",
    ) -> Graph:
        """Make a graph of the pattern of a sparse adjacency matrix.

        Parameters
        ----------
        adjacency
            A sparse matrix. Entries other than zero are edges; directions are not used. A matrix that is not
            square is that of a bipartite graph, with the nodes of the rows first.
        x
            Features, one row per node.
        y
            Classes of the nodes.
        weighted
            Whether the values of the matrix are the weights of the edges.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``.
        name
            Name of the graph in reports.

        Returns
        -------
        Graph
            The graph.

        Examples
        --------
        >>> import netinfof, scipy.sparse
        >>> path = scipy.sparse.eye(4, k=1)
        >>> netinfof.Graph.from_scipy(path + path.T)
        Graph('graph', nodes=4, edges=3, features=0, classes=0)
        """
        return cls._of_parts(_convert.sparse(adjacency, weighted), name, x, y, weight_scale)

    @classmethod
    def from_hetero(
        cls,
        data: Any,
        relation: tuple[str, str, str] | None = None,
        *,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        name: str = "graph",
    ) -> Graph:
        """Make a graph of one relation of a `HeteroData` of PyG.

        A relation of two types of nodes makes a bipartite graph: nodes of the first type come first. Other
        relations are not used, with a warning; reverse edges of the relation are never used, because they
        would reveal its held-out edges.

        Parameters
        ----------
        data
            A `HeteroData`. Where the types have different numbers of features, each gets columns of its own.
        relation
            The type of the edges: first type of nodes, name, second type. None: the only one, reverse edges
            (``rev_...``) aside.
        weight
            Attribute of the relation with the weights of the edges, such as ``edge_weight``. None: no weights.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``.
        name
            Name of the graph in reports.

        Returns
        -------
        Graph
            The graph.
        """
        return cls._of_parts(_convert.hetero(data, relation, weight), name, weight_scale=weight_scale)

    @classmethod
    def from_pyg(
        cls,
        data: Any,
        *,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        time: str | None = None,
        name: str = "graph",
    ) -> Graph:
        """Make a graph of a `Data` of PyG.

        Parameters
        ----------
        data
            Its ``edge_index``, ``x``, ``y`` and masks are used. ``split="masks"`` uses the masks.
        weight
            Attribute with the weights of the edges: ``edge_weight``, or ``edge_attr`` of one column. None: no
            weights.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``.
        time
            The attribute with one time per edge, such as ``"edge_time"``; link prediction is then split by
            time. None: the split is random.
        name
            Name of the graph in reports.

        Returns
        -------
        Graph
            The graph.
        """
        return cls._of_parts(_convert.pyg(data, weight, time), name, weight_scale=weight_scale)

    @classmethod
    def from_dgl(
        cls,
        graph: Any,
        *,
        features: str | None = None,
        label: str | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        name: str = "graph",
    ) -> Graph:
        """Make a graph of a graph of DGL.

        Parameters
        ----------
        graph
            A graph of DGL with one type of nodes and of edges.
        features
            Field of ``ndata`` with the features. None: ``feat`` or ``x``.
        label
            Field of ``ndata`` with the classes. None: ``label`` or ``y``.
        weight
            Field of ``edata`` with the weights of the edges. None: no weights.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``.
        name
            Name of the graph in reports.

        Returns
        -------
        Graph
            The graph.
        """
        return cls._of_parts(_convert.dgl(graph, features, label, weight), name, weight_scale=weight_scale)

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        features: str | Sequence[str] | Literal[False] | None = None,
        label: str | Literal[False] | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        x: Any = None,
        y: Any = None,
        name: str | None = None,
    ) -> Graph:
        """Make a graph of a graph of networkx; nodes keep the order of ``list(graph)`` and their names.

        Parameters
        ----------
        graph
            A graph of networkx.
        features
            A node attribute that holds a vector, or several that hold one number each. None: a vector under
            ``x``, ``feat`` or ``features``. False: no features.
        label
            The node attribute with the class. None: ``label``, ``y``, ``class`` or ``target``. False: no
            classes.
        weight
            The edge attribute with the weights, usually ``weight``. None: no weights.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``.
        x
            Features that replace those of the attributes: rows in the order of ``list(graph)``, or a mapping
            from nodes to rows.
        y
            Classes that replace those of the attributes: in the order of ``list(graph)``, or a mapping from
            nodes to classes (``y=series.to_dict()``).
        name
            Name of the graph in reports. None: the name that the graph has in networkx.

        Returns
        -------
        Graph
            The graph.

        Examples
        --------
        >>> import netinfof, networkx
        >>> graph = netinfof.Graph.from_networkx(networkx.karate_club_graph(), label="club")
        >>> graph
        Graph('Zachary's Karate Club', nodes=34, edges=78, features=0, classes=2)
        >>> graph.classes.tolist()
        ['Mr. Hi', 'Officer']
        """
        return cls._of_parts(_convert.networkx(graph, features, label, weight), name or str(getattr(graph, "name", "")) or "graph", x, y, weight_scale)

    @classmethod
    def from_igraph(
        cls,
        graph: Any,
        *,
        features: str | Sequence[str] | Literal[False] | None = None,
        label: str | Literal[False] | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        x: Any = None,
        y: Any = None,
        name: str = "graph",
    ) -> Graph:
        """Make a graph of a graph of igraph; the names of the nodes are the attribute ``name``, if there is one.

        Parameters
        ----------
        graph
            A graph of igraph.
        features
            Node attributes with the features; see :meth:`from_networkx`.
        label
            The node attribute with the class; see :meth:`from_networkx`.
        weight
            The edge attribute with the weights. None: no weights.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``.
        x
            Features that replace those of the attributes.
        y
            Classes that replace those of the attributes.
        name
            Name of the graph in reports.

        Returns
        -------
        Graph
            The graph.
        """
        return cls._of_parts(_convert.igraph(graph, features, label, weight), name, x, y, weight_scale)

    @classmethod
    def from_frame(
        cls,
        edges: Any,
        nodes: Any = None,
        *,
        source: str | None = None,
        target: str | None = None,
        time: str | None = None,
        id: str | None = None,
        label: str | None = None,
        features: str | Sequence[str] | None = None,
        drop: str | Sequence[str] | None = None,
        categorical: str | Sequence[str] | None = None,
        numeric: str | Sequence[str] | None = None,
        like: Graph | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        bipartite: bool | None = None,
        name: str = "graph",
    ) -> Graph:
        """Make a graph of an edge frame of pandas or polars, and optionally a node frame.

        Ids can be of any type. With a node frame, nodes have its order. Without one, integers are in ascending
        order and other ids in the order in which they first occur.

        Parameters
        ----------
        edges
            One row per edge. Columns other than the two ids and `weight` are not used; a warning names them.
        nodes
            One row per node: an id, features and optionally a label.
        source
            Id column of one end of the edges. None: detected by its name (`source` and `target`, `user` and
            `item` and other common pairs; docs/formats.md), or the only two columns.
        target
            Id column of the other end. Give both `source` and `target`, or neither.
        time
            Column of the edge frame with the times of the edges: numbers or dates. Link prediction is then
            split by time. None: the split is random.
        id
            Id column of the node frame. None: `id`, `node`, `node_id`, `nodeid` or `name`.
        label
            Label column of the node frame. None: `label`, `y`, `class` or `target`, if there is one.
        features
            Feature columns of the node frame; ``*`` stands for any text. None: all columns other than the id
            and the label. Numbers, booleans, texts of few different values and dates become features by the
            rules for tables (docs/formats.md); :attr:`schema` says what was read.
        drop
            Columns of the node frame to leave out.
        categorical
            Columns whose values are categories, also if they are numbers.
        numeric
            Columns whose values are numbers, also if they look like ids.
        like
            A graph whose feature columns, kinds and levels are used, such as that of a model.
        weight
            Column of the edge frame with the weights of the edges. None: no weights.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``.
        bipartite
            Whether the two id columns hold two kinds of nodes: equal ids of different columns are then different
            nodes, named such as ``user:5`` and ``item:5``. None: if the columns are called `user` and `item` or
            similar (docs/formats.md).
        name
            Name of the graph in reports.

        Returns
        -------
        Graph
            The graph.

        Raises
        ------
        ValueError
            If columns cannot be detected, ids are missing or repeated, or a column holds free text.

        Examples
        --------
        >>> import netinfof, pandas
        >>> edges = pandas.DataFrame({"source": ["ann", "bob"], "target": ["bob", "cy"]})
        >>> netinfof.Graph.from_frame(edges).nodes.tolist()
        ['ann', 'bob', 'cy']
        """
        from ._columns import Choices, names_of

        known = None if like is None else like._native.schema
        choices = Choices(names_of(features), names_of(drop), names_of(categorical), names_of(numeric), known)
        parts = _convert.frames(edges, nodes, source, target, id, label, choices, weight, time, bipartite)
        return cls._of_parts(parts, name, weight_scale=weight_scale)

    @property
    def name(self) -> str:
        """Name of the graph in reports."""
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
        """Names of the nodes, in order, as they were given; node numbers if the nodes have no names."""
        import numpy as np

        if self._nodes is None:
            ids = self._native.ids
            self._nodes = np.arange(self.num_nodes) if ids is None else _arrays.ids(ids)
        return self._nodes

    @property
    def edge_index(self) -> NDArray[np.int64]:
        """Edges as two rows of node numbers. Each edge occurs once, with its smaller end in the first row."""
        return self._native.edges()

    @property
    def edge_weight(self) -> NDArray[np.float32] | None:
        """Weights of the edges in the order of :attr:`edge_index`, as they were given; None without weights."""
        return self._native.weights()

    @property
    def edge_time(self) -> NDArray[Any] | None:
        """The first time of every edge, in the order of :attr:`edge_index`; None if the edges have no times.

        Dates are an array of ``datetime64``.
        """
        import numpy as np

        found = self._native.times()
        if found is None:
            return None
        _, times, dates = found
        if not dates:
            return times
        day = np.floor(times)
        rest = np.round((times - day) * 86_400e6).astype("timedelta64[us]")
        days: NDArray[Any] = day.astype(np.int64).astype("datetime64[D]").astype("datetime64[us]")
        found_times: NDArray[Any] = days + rest
        return found_times

    @property
    def x(self) -> Any:
        """Features, read-only: an array, a sparse matrix of SciPy if they are sparse and SciPy is installed, or None.

        An array that was not copied is returned as a view of it.
        """
        if self._x is None:
            rows = self._native.sparse()
            if rows is None:
                own = self._native.dense()
                self._x = None if own is None else _arrays.read_only(own)
            else:
                return _arrays.matrix(rows, (self.num_nodes, self.num_features))
        return self._x

    @property
    def y(self) -> NDArray[Any] | None:
        """Target of every node; None without one.

        Classes: the position in :attr:`classes`, -1 if unknown. Numbers: a float, NaN if unknown. Labels: one
        column per label with 1 and 0, -1 if unknown.
        """
        if self._native.target_kind == "numbers":
            return self._native.numbers()
        if self._native.target_kind == "labels":
            return self._native.label_rows()
        return self._native.labels()

    @property
    def target(self) -> str | None:
        """Kind of the target of the nodes: ``classes``, ``numbers`` or ``labels``; None without one."""
        return self._native.target_kind

    @property
    def label_names(self) -> list[str] | None:
        """Names of the labels, if a node may have any number of them."""
        return self._native.label_names

    @property
    def classes(self) -> NDArray[Any]:
        """Names of the classes as they were given; numbers if they have no names."""
        import numpy as np

        if self._classes is None:
            names = self._native.class_names
            self._classes = np.arange(self.num_classes) if names is None else np.asarray(names)
        return self._classes

    @property
    def sides(self) -> NDArray[np.int64] | None:
        """Side of every node of a bipartite graph, 0 or 1; None for other graphs, or if nothing was stated."""
        import numpy as np

        known = self._native.sides
        return None if known is None else np.asarray(known[0], np.int64)

    @property
    def side_names(self) -> tuple[str, str] | None:
        """Names of the two sides of a bipartite graph, or None."""
        known = self._native.sides
        return None if known is None else (known[1][0], known[1][1])

    @property
    def schema(self) -> dict[str, Any] | None:
        """What was read, and from which columns: ends, id, label, feature columns by kind, and what was not used. None for graphs made of arrays."""
        known = self._native.schema
        found: dict[str, Any] | None = None if known is None else json.loads(known)
        return found

    @property
    def masks(self) -> dict[str, NDArray[Any]] | None:
        """Masks ``train``, ``val`` and ``test`` of the PyG or DGL object that the graph was made of, or None."""
        return self._masks

    @property
    def components(self) -> list[str]:
        """Names of your own components in the graph; see :meth:`with_components`."""
        return self._native.components

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

    def _like(self, native: _native.Graph) -> Graph:
        """Return a graph of the same nodes with another native part."""
        graph = Graph.__new__(Graph)
        graph._native = native
        graph._classes, graph._masks, graph._nodes, graph._numbers, graph._x = self._classes, self._masks, self._nodes, self._numbers, self._x
        return graph

    def _names(self) -> Any:
        """Return the names of the nodes, or None if they are identified by their numbers."""
        return self._nodes if self._nodes is not None else self.nodes if self._native.named else None

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

    def facts(self) -> dict[str, Any]:
        """Return facts about the graph: degrees, homophily, duplicated nodes and so on.

        Returns
        -------
        dict
            The entries of the JSON report of ``netinfof inspect``.
        """
        facts: dict[str, Any] = json.loads(self._native.facts())
        return facts

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph as an npz file, which the command and :meth:`from_file` read.

        Parameters
        ----------
        path
            File to write.
        """
        self._native.save(os.fspath(path))

    def to_pyg(self) -> Any:
        """Convert the graph to a `Data` of PyG.

        Returns
        -------
        Data
            With both directions of every edge, ``edge_weight`` if there are weights, ``x`` and ``y``.
        """
        import numpy as np
        import torch
        from torch_geometric.data import Data

        index = self.edge_index
        both = torch.from_numpy(np.concatenate([index, index[::-1]], axis=1))
        weights = self.edge_weight
        own = {} if weights is None else {"edge_weight": torch.from_numpy(np.concatenate([weights, weights]))}
        return Data(edge_index=both, num_nodes=self.num_nodes, **own, **self._tensors())

    def to_hetero(self) -> Any:
        """Convert a bipartite graph to a `HeteroData` of PyG.

        Returns
        -------
        HeteroData
            With one type of nodes for each side, called like the side, and the relation ``to`` between them.
            Features have all columns of the graph.

        Raises
        ------
        ValueError
            If the graph is not bipartite.
        """
        import numpy as np
        import torch
        from torch_geometric.data import HeteroData

        side, names = self.sides, self.side_names
        if side is None or names is None:
            raise ValueError("invalid graph: it has no sides (need a bipartite graph, such as Graph(..., bipartite=True))")
        place = np.empty(self.num_nodes, np.int64)
        data, x = HeteroData(), self._tensors().get("x")
        for at, kind in enumerate(names):
            own = np.flatnonzero(side == at)
            place[own] = np.arange(len(own))
            data[kind].num_nodes = len(own)
            if x is not None:
                data[kind].x = x[torch.from_numpy(own)]
        index = self.edge_index
        turned = side[index[0]] == 1
        index = np.where(turned, index[::-1], index)
        data[names[0], "to", names[1]].edge_index = torch.from_numpy(place[index])
        if self.edge_weight is not None:
            data[names[0], "to", names[1]].edge_weight = torch.from_numpy(self.edge_weight)
        return data

    def _tensors(self) -> dict[str, Any]:
        """Return features and labels as tensors of PyTorch, under the names of PyG."""
        import numpy as np
        import torch

        x, y = self.x, self.y
        found = {}
        if x is not None:
            # A copy, because tensors are writeable.
            found["x"] = torch.from_numpy(np.array(x.toarray() if _convert.is_sparse(x) else x, np.float32))
        if y is not None:
            found["y"] = torch.from_numpy(y)
        return found

    def numbers_of(self, nodes: Any) -> NDArray[np.int64]:
        """Return the node numbers of nodes.

        Parameters
        ----------
        nodes
            Names of nodes, in any shape. Node numbers if the nodes have no names.

        Returns
        -------
        ndarray
            Node numbers, in the same shape.

        Raises
        ------
        ValueError
            If the graph has no such node.

        Examples
        --------
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
                other = f"did you mean {near[0]}?" if near else f"the first node is {next(iter(number))!r}"
                raise ValueError(f"invalid `nodes`: {value!r} (no node has this name; {other})")
            found.flat[at] = number[value]
        return found

    def _asked(self, nodes: Any) -> NDArray[np.int64]:
        """Return the node numbers of several nodes, or of one."""
        one = isinstance(nodes, (str, int)) or (isinstance(nodes, tuple) and self._native.named and nodes in self.nodes.tolist())
        return self.numbers_of([nodes] if one else nodes).reshape(-1)

    def __repr__(self) -> str:
        target = f"classes={self.num_classes}" if self.target in (None, "classes") else f"target={self.target}"
        return f"Graph('{self.name}', nodes={self.num_nodes}, edges={self.num_edges}, features={self.num_features}, {target})"

    def __str__(self) -> str:
        return self._native.table()

    @property
    def directed(self) -> bool:
        """Whether edges have directions: every node is a source and a target, see :class:`Graph`."""
        return self._native.directed

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
        return index, x, nodes, self.name, self.schema, self.edge_weight, self._native.weight_scale

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
        return _restored, (kept,)


def _restored_directed(state: tuple[Any, ...]) -> Graph:
    index, x, nodes, name, schema, weights, weight_scale = state
    if isinstance(x, tuple):
        x = _arrays.matrix(x[:3], (len(nodes), x[3]))
    graph = Graph.__new__(Graph)
    weights = None if weights is None else weights.astype("float64")
    graph._set(Parts(index[0], index[1], len(nodes), x, None, nodes, schema=schema, weights=weights), name, weight_scale or "log", True)
    return graph


def _restored(state: tuple[Any, ...]) -> Graph:
    index, x, y, num_nodes, nodes, classes, name, masks, schema, sides, side_names, label_names, weights, weight_scale, times = state
    given = {"times": times, "classes": classes, "coded": True, "schema": schema, "sides": sides, "side_names": side_names, "label_names": label_names}
    given["weights"] = None if weights is None else weights.astype("float64")
    return Graph._of_parts(Parts(index[0], index[1], num_nodes, x, y, nodes, masks, **given), name, weight_scale=weight_scale or "log")
