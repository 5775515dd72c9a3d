"""What a :class:`Graph` holds, as properties, and its export to other packages."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _arrays, _convert, _native
from ._options import shown_as, warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@shown_as("Graph")
class GraphData:
    """The state of a :class:`Graph`. Objects are made by the constructors of that class."""

    __slots__ = ("_classes", "_masks", "_native", "_nodes", "_numbers", "_x")

    _native: _native.Graph
    _numbers: dict[Any, int] | None
    _nodes: NDArray[Any] | None
    _classes: NDArray[Any] | None
    _masks: dict[str, NDArray[Any]] | None
    _x: Any

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
    def context(self) -> dict[str, int]:
        """Relations whose edges are structure and are not predicted, each with its number of edges."""
        found = self._native.context()
        return {} if found is None else {name: int(index.shape[1]) for name, index in found[0]}

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
            self._nodes = _arrays.kept(np.arange(self.num_nodes) if ids is None else _arrays.ids(ids))
        return self._nodes

    @property
    def edge_index(self) -> NDArray[np.int64]:
        """Edges as two rows of node numbers. Each edge occurs once, with its smaller end in the first row."""
        return _arrays.read_only(self._native.edges())

    @property
    def edge_weight(self) -> NDArray[np.float32] | None:
        """Weights of the edges in the order of :attr:`edge_index`, as they were given; None without weights."""
        found = self._native.weights()
        return None if found is None else _arrays.read_only(found)

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
            return _arrays.read_only(times)
        day = np.floor(times)
        rest = np.round((times - day) * 86_400e6).astype("timedelta64[us]")
        days: NDArray[Any] = day.astype(np.int64).astype("datetime64[D]").astype("datetime64[us]")
        return _arrays.kept(days + rest)

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
        read = {"numbers": self._native.numbers, "labels": self._native.label_rows}
        found: NDArray[Any] | None = read.get(str(self._native.target_kind), self._native.labels)()
        return None if found is None else _arrays.read_only(found)

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
            self._classes = _arrays.kept(np.arange(self.num_classes) if names is None else np.asarray(names))
        return self._classes

    @property
    def sides(self) -> NDArray[np.int64] | None:
        """Side of every node of a bipartite graph, 0 or 1; None for other graphs, or if nothing was stated."""
        import numpy as np

        known = self._native.sides
        return None if known is None else _arrays.kept(np.asarray(known[0], np.int64))

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
        return None if self._masks is None else dict(self._masks)

    @property
    def components(self) -> list[str]:
        """Names of your own components in the graph; see :meth:`with_components`."""
        return self._native.components

    @property
    def directed(self) -> bool:
        """Whether edges have directions: every node is a source and a target, see :class:`Graph`."""
        return self._native.directed

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

    def _names(self) -> Any:
        """Return the names of the nodes, or None if they are identified by their numbers."""
        return self._nodes if self._nodes is not None else self.nodes if self._native.named else None

    def __repr__(self) -> str:
        target = f"classes={self.num_classes}" if self.target in (None, "classes") else f"target={self.target}"
        return f"Graph('{self.name}', nodes={self.num_nodes}, edges={self.num_edges}, features={self.num_features}, {target})"

    def __str__(self) -> str:
        return self._native.table()


@shown_as("Graph")
class GraphExports(GraphData):
    """The methods ``to_...`` of :class:`Graph`."""

    __slots__ = ()

    def to_pyg(self) -> Any:
        """Convert the graph to a `Data` of PyG.

        Returns
        -------
        Data
            With both directions of every edge (only its own in a directed graph), ``x``, ``y`` and the masks,
            ``edge_weight`` if there are weights, and ``edge_time`` if there are times: dates are days since
            1970.
        """
        import numpy as np
        import torch
        from torch_geometric.data import Data

        index, rows, num_nodes = self._messages()
        own = {"edge_weight": self.edge_weight, "edge_time": self._times()}
        edges = {name: torch.from_numpy(np.array(values[rows])) for name, values in own.items() if values is not None}
        data = Data(edge_index=torch.from_numpy(index), num_nodes=num_nodes, **edges, **self._tensors())
        for name, mask in (self.masks or {}).items():
            data[f"{name}_mask"] = torch.from_numpy(np.array(mask))
        return data

    def to_dgl(self) -> Any:
        """Convert the graph to a graph of DGL.

        Returns
        -------
        DGLGraph
            With both directions of every edge (only its own in a directed graph), ``feat``, ``label`` and the
            masks in ``ndata``, and ``weight`` and ``time`` in ``edata`` if there are any.
        """
        import dgl
        import numpy as np
        import torch

        index, rows, num_nodes = self._messages()
        graph = dgl.graph((torch.from_numpy(index[0]), torch.from_numpy(index[1])), num_nodes=num_nodes)
        for name, values in self._tensors().items():
            graph.ndata[{"x": "feat", "y": "label"}[name]] = values
        for name, mask in (self.masks or {}).items():
            graph.ndata[f"{name}_mask"] = torch.from_numpy(np.array(mask))
        for name, values in {"weight": self.edge_weight, "time": self._times()}.items():
            if values is not None:
                graph.edata[name] = torch.from_numpy(np.array(values[rows]))
        return graph

    def to_networkx(self) -> Any:
        """Convert the graph to a graph of networkx.

        Returns
        -------
        Graph
            A `DiGraph` for a directed graph. Nodes have their names, and the attributes ``x`` (a vector), ``label``
            (if it is known) and ``bipartite`` (0 or 1, in a bipartite graph); edges have ``weight`` and ``time``
            if the graph has any.

        Examples
        --------
        >>> import netinfof
        >>> graph = netinfof.Graph([[0, 1], [1, 2]], nodes=["ann", "bob", "cy"])
        >>> sorted(graph.to_networkx().edges)
        [('ann', 'bob'), ('bob', 'cy')]
        """
        import networkx

        index, rows, num_nodes = self._messages()
        if not self._native.directed:
            index, rows = index[:, : self.num_edges], rows[: self.num_edges]
        names = self._plain_names()
        found = networkx.DiGraph(name=self.name) if self._native.directed else networkx.Graph(name=self.name)
        found.add_nodes_from(names)
        x, sides = self._plain_x(), self.sides
        if x is not None:
            dense = x.toarray() if _convert.is_sparse(x) else x
            networkx.set_node_attributes(found, dict(zip(names, dense.copy())), "x")
        if not self._native.directed:
            networkx.set_node_attributes(found, self._known_labels(names), "label")
        if sides is not None and not self._native.directed:
            networkx.set_node_attributes(found, dict(zip(names, sides.tolist())), "bipartite")
        attributes: list[dict[str, Any]] = [{} for _ in range(len(rows))]
        for name, values in {"weight": self.edge_weight, "time": self.edge_time}.items():
            for own, value in zip(attributes, [] if values is None else values[rows].tolist()):
                own[name] = value
        found.add_edges_from((names[i], names[j], own) for (i, j), own in zip(index.T.tolist(), attributes))
        return found

    def to_scipy(self) -> Any:
        """Convert the edges to a sparse adjacency matrix of SciPy.

        Returns
        -------
        csr_array
            One row and one column per node, in the order of :attr:`nodes`, with the weights of the edges, or ones.
            It is symmetric; in a directed graph, rows are sources and columns targets.

        Examples
        --------
        >>> import netinfof
        >>> netinfof.Graph([[0, 1], [1, 2]]).to_scipy().toarray().tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
        """
        import numpy as np
        from scipy.sparse import csr_array

        index, rows, num_nodes = self._messages()
        weights = self.edge_weight
        values = np.ones(len(rows), np.float32) if weights is None else weights[rows]
        return csr_array((values, (index[0], index[1])), shape=(num_nodes, num_nodes))

    def _messages(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return edges as other packages hold them, their positions in :attr:`edge_index`, and the number of nodes.

        Both directions of every edge; in a directed graph only its own, between nodes that are one node each.
        """
        import numpy as np

        self._warn_of_context()
        index, rows = np.array(self.edge_index), np.arange(self.num_edges)
        if self._native.directed:
            half = self.num_nodes // 2
            return index - np.array([[0], [half]]), rows, half
        return np.concatenate([index, index[::-1]], axis=1), np.concatenate([rows, rows]), self.num_nodes

    def _times(self) -> NDArray[np.float64] | None:
        found = self._native.times()
        return None if found is None else found[1]

    def _plain_x(self) -> Any:
        """Return the features, each node once also in a directed graph."""
        x = self.x
        return x[: self.num_nodes // 2] if x is not None and self._native.directed else x

    def _plain_names(self) -> list[Any]:
        """Return the names of the nodes, each node once also in a directed graph."""
        if not self._native.directed:
            found: list[Any] = self.nodes.tolist()
            return found
        names = [name[len("source:") :] for name in self.nodes[: self.num_nodes // 2].tolist()]
        return list(range(len(names))) if names == [str(at) for at in range(len(names))] else names

    def _known_labels(self, names: list[Any]) -> dict[Any, Any]:
        """Return the targets that are known, by node."""
        import numpy as np

        y = self.y
        if y is None:
            return {}
        if self.target == "classes":
            classes = self.classes.tolist()
            return {name: classes[label] for name, label in zip(names, y.tolist()) if label >= 0}
        known: NDArray[Any] = np.all(y >= 0, axis=1) if y.ndim == 2 else ~np.isnan(y)
        return {name: value.tolist() for name, value, there in zip(names, y, known) if there}

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
        self._warn_of_context()
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
            data[names[0], "to", names[1]].edge_weight = torch.from_numpy(np.array(self.edge_weight))
        return data

    def _warn_of_context(self, what: str = "converted") -> None:
        """Warn of edges of other relations that are left out."""
        if self.context:
            warn(f"the context of {self.name} is not {what}: {', '.join(self.context)}")

    def _tensors(self) -> dict[str, Any]:
        """Return features and labels as tensors of PyTorch, under the names of PyG."""
        import numpy as np
        import torch

        x, y = self._plain_x(), None if self._native.directed else self.y
        found = {}
        if x is not None:
            # A copy, because tensors are writeable.
            found["x"] = torch.from_numpy(np.array(x.toarray() if _convert.is_sparse(x) else x, np.float32))
        if y is not None:
            found["y"] = torch.from_numpy(np.array(y))
        return found
