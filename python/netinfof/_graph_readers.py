"""The constructors of :class:`Graph` from files and from objects of other packages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _native, _packages
from ._options import Progress, RandomState, how, seed_of, shown_as

if TYPE_CHECKING:
    from ._convert import Parts
    from ._graph import Graph


@shown_as("Graph")
class GraphReaders:
    """The constructors ``from_...`` of :class:`Graph`."""

    __slots__ = ()

    @classmethod
    def _of_native(cls, native: _native.Graph) -> Graph:
        raise NotImplementedError

    @classmethod
    def _of_parts(cls, parts: Parts, name: str, x: Any = None, y: Any = None, weight_scale: str = "log") -> Graph:
        raise NotImplementedError

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
        context: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
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
        context
            Files with edges of other relations, which are structure and are not predicted: two columns of ids
            and a header, such as ``item,brand``. Columns named like the ends of the graph hold its nodes, others
            hold nodes of another type.
        random_state
            Seed of a generated graph whose name does not include one.
        n_jobs
            Number of threads; the graph does not depend on it. None and -1: one per core.
        progress
            True for a progress bar (of tqdm, if it is installed), or a callable that receives the stage, the
            steps done and the total number of steps. An exception that it raises stops the work.

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
        if weight_scale is not None and weight is None:
            raise ValueError(f"invalid `weight_scale`: {weight_scale!r} without `weight` (need the column with the weights of the edges)")
        if directed and bipartite is not None:
            raise ValueError(f"invalid `bipartite`: {bipartite} together with directed=True (need one of them)")
        words = [os.fspath(path), f"--seed={seed_of(random_state)}"]
        from ._columns import names_of

        given = {"id": id, "label": label, "format": format, "target": target, "communities": communities, "time": time}
        given["ends"] = None if ends is None else ",".join(map(str, ends))
        given.update({"weight": None if weight is None else str(weight), "weight-scale": weight_scale})
        for key, value in {"features": features, "drop": drop, "categorical": categorical, "numeric": numeric}.items():
            given[key] = ",".join(names_of(value)) or None
        tables = [] if nodes is None else [nodes] if isinstance(nodes, (str, os.PathLike)) else list(nodes)
        words += [f"--nodes={os.fspath(table)}" for table in tables]
        files = [] if context is None else [context] if isinstance(context, (str, os.PathLike)) else list(context)
        words += [f"--context={os.fspath(file)}" for file in files]
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
            A sparse matrix of SciPy or PyTorch, or a `SparseTensor`. Entries other than zero are edges;
            directions are not used. A matrix that is not square is that of a bipartite graph, with the nodes of
            the rows first.
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
        return cls._of_parts(_packages.sparse(adjacency, weighted), name, x, y, weight_scale)

    @classmethod
    def from_hetero(
        cls,
        data: Any,
        relation: tuple[str, str, str] | None = None,
        *,
        context: Literal["all"] | Sequence[tuple[str, str, str]] | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        name: str = "graph",
    ) -> Graph:
        """Make a graph of one relation of a `HeteroData` of PyG.

        A relation of two types of nodes makes a bipartite graph: nodes of the first type come first. Other
        relations may serve as structure; without `context` they are not used, with a warning. Reverse edges of
        the relation are never used, because they would reveal its held-out edges; a relation of other name that
        joins mostly the same pairs is left out for the same reason, with a warning.

        Parameters
        ----------
        data
            A `HeteroData`. Where the types have different numbers of features, each gets columns of its own.
        relation
            The type of the edges: first type of nodes, name, second type. None: the only one, reverse edges
            (``rev_...``) aside.
        context
            Other relations whose edges are structure for link prediction: ``"all"``, or a list of types of edges.
            They are part of every training graph and are never split, held out or predicted. None: none.
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
        parts, others = _packages.hetero(data, relation, weight, context)
        graph = cls._of_parts(parts, name, weight_scale=weight_scale)
        return graph if others is None else graph._with_context(*others)

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
            Its ``edge_index`` or ``adj_t``, ``x``, ``y`` and masks are used. Nodes are split by the masks, if
            there are three; see :func:`probe`.
        weight
            Attribute with the weights of the edges: ``edge_weight``, ``edge_attr`` of one column, or ``adj_t``
            for the values of this matrix. None: no weights.
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
        return cls._of_parts(_packages.pyg(data, weight, time), name, weight_scale=weight_scale)

    @classmethod
    def from_dgl(
        cls,
        graph: Any,
        *,
        features: str | None = None,
        label: str | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        time: str | None = None,
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
        time
            Field of ``edata`` with the times of the edges. Link prediction is then split by time. None: the split
            is random.
        name
            Name of the graph in reports.

        Returns
        -------
        Graph
            The graph.
        """
        return cls._of_parts(_packages.dgl(graph, features, label, weight, time), name, weight_scale=weight_scale)

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        features: str | Sequence[str] | Literal[False] | None = None,
        label: str | Literal[False] | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        time: str | None = None,
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
        time
            The edge attribute with the times: numbers or dates. Link prediction is then split by time. None: the
            split is random.
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
        return cls._of_parts(_packages.networkx(graph, features, label, weight, time), name or str(getattr(graph, "name", "")) or "graph", x, y, weight_scale)

    @classmethod
    def from_igraph(
        cls,
        graph: Any,
        *,
        features: str | Sequence[str] | Literal[False] | None = None,
        label: str | Literal[False] | None = None,
        weight: str | None = None,
        weight_scale: Literal["log", "linear"] = "log",
        time: str | None = None,
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
            A node attribute that holds a vector, or several that hold one number each. None: a vector under
            ``x``, ``feat`` or ``features``. False: no features.
        label
            The node attribute with the class. None: ``label``, ``y``, ``class`` or ``target``. False: no
            classes.
        weight
            The edge attribute with the weights. None: no weights.
        weight_scale
            How weights are used: ``"log"`` as ln(1 + weight/median), which suits counts and amounts, or
            ``"linear"``.
        time
            The edge attribute with the times: numbers or dates. Link prediction is then split by time. None: the
            split is random.
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
        return cls._of_parts(_packages.igraph(graph, features, label, weight, time), name, x, y, weight_scale)

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
        from . import _frames
        from ._columns import Choices, names_of

        if nodes is None:
            of_nodes = {"id": id, "label": label, "features": features, "drop": drop, "categorical": categorical, "numeric": numeric, "like": like}
            given = next((option for option, value in of_nodes.items() if value is not None), None)
            if given is not None:
                raise ValueError(f"invalid `{given}`: given without `nodes` (need a node frame, whose columns it is about)")
        known = None if like is None else like._native.schema
        choices = Choices(names_of(features), names_of(drop), names_of(categorical), names_of(numeric), known)
        parts = _frames.frames(edges, nodes, source, target, id, label, choices, weight, time, bipartite)
        return cls._of_parts(parts, name, weight_scale=weight_scale)
