"""Foreign objects, known by what they can do: none of their packages is imported.

Every reader returns :class:`Parts`. The order of nodes is never guessed: it is that of the object itself, and labels of nodes are kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SOURCES = (["source", "target"], ["src", "dst"], ["from", "to"], ["u", "v"], ["head", "tail"])
IDS = ("id", "node", "node_id", "nodeid", "name")
LABELS = ("label", "y", "class", "target")


class Parts(NamedTuple):
    """What a graph is made of, before it is one."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    num_nodes: int
    x: Any = None
    y: Any = None
    nodes: Sequence[Hashable] | None = None
    masks: dict[str, Any] | None = None


def array(value: Any) -> Any:
    """An array of NumPy: tensors of PyTorch and columns of frames share their memory where they can."""
    import numpy as np

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if getattr(value, "is_sparse", False) or "sparse" in str(getattr(value, "layout", "")):
            value = value.to_dense()
        return value.numpy()
    if hasattr(value, "to_numpy"):
        return value.to_numpy()
    return np.asarray(value)


def ends(edge_index: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sources and targets of an edge index: two rows of node numbers."""
    import numpy as np

    if isinstance(edge_index, (tuple, list)) and len(edge_index) == 2:
        first, second = (array(end) for end in edge_index)
        if first.ndim == 1 and second.ndim == 1 and len(first) != len(second):
            raise ValueError(f"invalid graph: {len(first)} sources for {len(second)} targets of edges")
        index = np.stack([first, second]) if first.size else np.zeros((2, 0), np.int64)
    else:
        index = array(edge_index)
    if index.size == 0:
        index = np.zeros((2, 0), np.int64)
    if index.ndim != 2 or index.shape[0] != 2:
        turned = "; this one is turned round, `.T` sets it right" if index.ndim == 2 and index.shape[1] == 2 else ""
        raise ValueError(f"invalid graph: an edge index has two rows, sources and targets, not the shape {index.shape}{turned}")
    if index.dtype.kind not in "iu":
        raise ValueError(f"invalid graph: an edge index holds node numbers, not {index.dtype}")
    return index[0].astype(np.int64, copy=False), index[1].astype(np.int64, copy=False)


def count(x: Any, y: Any, *ends: NDArray[np.int64]) -> int:
    """How many nodes there are where nobody says: as many as rows of features or labels, else one more than the largest number."""
    for rows in (x, y):
        shape = getattr(rows, "shape", None)
        if shape:
            return int(shape[0])
        if rows is not None:
            return len(rows)
    return max((int(end.max()) + 1 for end in ends if len(end)), default=0)


def is_sparse(value: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy."""
    return hasattr(value, "tocsr") and hasattr(value, "nnz") and hasattr(value, "shape")


def is_dataset(value: Any) -> bool:
    """Whether this is a dataset of PyG; those in memory look like the one graph of all their graphs."""
    return all(callable(getattr(value, name, None)) for name in ("get", "len", "indices"))


def is_pyg(value: Any) -> bool:
    """Whether this is a `Data` of PyG, or something like it."""
    return hasattr(value, "edge_index") and not hasattr(value, "es")


def is_hetero(value: Any) -> bool:
    """Whether this is a `HeteroData` of PyG or a DGL graph with several types."""
    if hasattr(value, "node_types") and hasattr(value, "edge_types"):
        return True
    return is_dgl(value) and (len(getattr(value, "ntypes", [0])) > 1 or len(getattr(value, "etypes", [0])) > 1)


def is_dgl(value: Any) -> bool:
    """Whether this is a graph of DGL."""
    return hasattr(value, "ndata") and hasattr(value, "edata") and callable(getattr(value, "num_nodes", None))


def is_networkx(value: Any) -> bool:
    """Whether this is a graph of networkx."""
    return all(hasattr(value, name) for name in ("adj", "nodes", "edges", "is_directed", "number_of_nodes"))


def is_igraph(value: Any) -> bool:
    """Whether this is a graph of igraph."""
    return all(hasattr(value, name) for name in ("vs", "es", "get_edgelist", "vcount"))


def is_frame(value: Any) -> bool:
    """Whether this is a frame of pandas or polars."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and hasattr(value, "shape")


def pyg(data: Any) -> Parts:
    """A `Data` of PyG: `edge_index`, `x`, `y` and the masks."""
    source, target = ends(data.edge_index)
    x, y = getattr(data, "x", None), getattr(data, "y", None)
    nodes = getattr(data, "num_nodes", None)
    if callable(nodes):
        nodes = nodes()
    x = None if x is None else array(x)
    y = None if y is None else array(y)
    if y is not None and y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    num_nodes = count(x, y, source, target) if nodes is None else int(nodes)
    if y is not None and y.shape[:1] != (num_nodes,):
        # A label of the whole graph, or of something else.
        y = None
    masks = {name: getattr(data, f"{name}_mask", None) for name in ("train", "val", "test")}
    found = {name: array(mask) for name, mask in masks.items() if mask is not None}
    return Parts(source, target, num_nodes, x, y, masks=found if len(found) == 3 else None)


def dgl(graph: Any, features: str | None, label: str | None) -> Parts:
    """A graph of DGL: its edges, `ndata["feat"]` and `ndata["label"]`, and the masks."""
    source, target = ends(graph.edges())
    ndata = graph.ndata

    def field(wanted: str | None, usual: tuple[str, ...], what: str) -> Any:
        if wanted is not None and wanted not in ndata:
            raise ValueError(f"invalid `{what}`: {wanted} (need one of {', '.join(ndata) or 'nothing: ndata is empty'})")
        names = (wanted,) if wanted is not None else usual
        return next((array(ndata[name]) for name in names if name in ndata), None)

    masks = {name: ndata[f"{name}_mask"] for name in ("train", "val", "test") if f"{name}_mask" in ndata}
    return Parts(
        source,
        target,
        int(graph.num_nodes()),
        field(features, ("feat", "x"), "features"),
        field(label, ("label", "y"), "label"),
        masks={name: array(mask) for name, mask in masks.items()} if len(masks) == 3 else None,
    )


def _attributes(rows: list[dict[str, Any]], features: str | Sequence[str] | None, label: str | None) -> tuple[Any, Any]:
    """Features and labels from the attributes of nodes, in the order of the nodes."""
    import numpy as np

    def has(name: str) -> bool:
        return bool(rows) and all(name in row for row in rows)

    def column(name: str, what: str) -> list[Any]:
        missing = next((at for at, row in enumerate(rows) if name not in row), None)
        if missing is not None:
            raise ValueError(f"invalid `{what}`: {name} (the node at place {missing} has no such attribute)")
        return [row[name] for row in rows]

    if features is None:
        features = next((name for name in ("x", "feat", "features") if has(name)), None)
    if features is None:
        x = None
    elif isinstance(features, str):
        values = [np.asarray(array(value), np.float32).reshape(-1) for value in column(features, "features")]
        widths = {len(value) for value in values}
        if len(widths) > 1:
            raise ValueError(f"invalid graph: attribute `{features}` has {min(widths)} numbers at some nodes and {max(widths)} at others")
        x = np.stack(values) if values else None
    else:
        x = np.stack([np.asarray(column(name, "features"), np.float32) for name in features], axis=1)
    if label is None:
        label = next((name for name in LABELS if any(name in row for row in rows)), None)
        y = None if label is None else [row.get(label) for row in rows]
    else:
        y = column(label, "label")
    return x, y


def networkx(graph: Any, features: str | Sequence[str] | None, label: str | None) -> Parts:
    """A graph of networkx: nodes in its own order, under their own labels."""
    import numpy as np

    nodes = list(graph)
    number = {node: at for at, node in enumerate(nodes)}
    edges = [(number[i], number[j]) for i, j in graph.edges()]
    index = np.asarray(edges, np.int64).reshape(-1, 2)
    x, y = _attributes([graph.nodes[node] for node in nodes], features, label)
    plain = all(type(node) is int and node == at for at, node in enumerate(nodes))
    return Parts(index[:, 0], index[:, 1], len(nodes), x, y, None if plain else nodes)


def igraph(graph: Any, features: str | Sequence[str] | None, label: str | None) -> Parts:
    """A graph of igraph; its nodes are called by their attribute `name`, where they have one."""
    import numpy as np

    index = np.asarray(graph.get_edgelist(), np.int64).reshape(-1, 2)
    names = list(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    x, y = _attributes([vertex.attributes() for vertex in graph.vs], features, label)
    return Parts(index[:, 0], index[:, 1], int(graph.vcount()), x, y, names)


def sparse(adjacency: Any) -> Parts:
    """The pattern of a square sparse matrix."""
    import numpy as np

    rows, cols = adjacency.shape
    if rows != cols:
        raise ValueError(f"invalid graph: an adjacency matrix is square, this one has the shape {adjacency.shape}")
    coo = adjacency.tocoo()
    stored = coo.data != 0
    source, target = coo.row[stored], coo.col[stored]
    return Parts(source.astype(np.int64, copy=False), target.astype(np.int64, copy=False), int(rows))


def _column(frame: Any, name: str, what: str) -> Any:
    names = list(frame.columns)
    if name not in names:
        shown = ", ".join(f"`{column}`" for column in names[:12])
        raise ValueError(f"invalid `{what}`: {name} (need a column of the frame: {shown})")
    return array(frame[name])


def frames(
    edges: Any,
    nodes: Any,
    source: str | None,
    target: str | None,
    id: str | None,
    label: str | None,
    features: Sequence[str] | None,
) -> Parts:
    """An edge frame, and perhaps a node frame: the columns are found as the command finds those of tables."""
    import numpy as np

    names = [str(name) for name in edges.columns]
    if len(names) < 2:
        raise ValueError(f"invalid graph: an edge frame needs two columns of ids, this one has {len(names)}")
    lower = [name.lower() for name in names]
    usual = next((pair for pair in SOURCES if all(end in lower for end in pair)), None)
    found = [names[lower.index(end)] for end in usual] if usual else names[:2]
    first = _column(edges, source or found[0], "source")
    second = _column(edges, target or found[1], "target")
    _no_gaps(first, second)
    if nodes is None:
        order = _order(np.concatenate([first, second]), len(first))
        x, y = None, None
    else:
        columns = [str(name) for name in nodes.columns]
        lower = [name.lower() for name in columns]
        id = id or next((columns[lower.index(name)] for name in IDS if name in lower), columns[0])
        order = _column(nodes, id, "id")
        if label is None:
            label = next((columns[lower.index(name)] for name in LABELS if name in lower), None)
        chosen = [c for c in columns if c not in (id, label)] if features is None else list(features)
        x = _numbers(nodes, chosen, len(order)) if chosen else None
        y = None if label is None else _column(nodes, label, "label")
    values = order.tolist()
    number = {value: at for at, value in enumerate(values)}
    if len(number) < len(values):
        twice = next(value for at, value in enumerate(values) if number[value] != at)
        raise ValueError(f"invalid graph: id `{twice}` stands twice in the node frame")
    places = [np.fromiter((number.get(value, -1) for value in end.tolist()), np.int64, len(end)) for end in (first, second)]
    unknown = [value for end, place in zip((first, second), places) for value in end[place < 0].tolist()]
    if unknown:
        some = list(dict.fromkeys(unknown))
        shown = ", ".join(f"`{value}`" for value in some[:3])
        raise ValueError(f"invalid graph: {len(some)} ids of the edge frame are not in the node frame, such as {shown}")
    plain = order.dtype.kind in "iu" and bool((order == np.arange(len(order))).all())
    return Parts(places[0], places[1], len(values), x, y, None if plain else values)


def _no_gaps(*columns: Any) -> None:
    for column in columns:
        values = column.tolist() if column.dtype.kind in "Of" else []
        missing = next((at for at, value in enumerate(values) if value is None or value != value), None)
        if missing is not None:
            raise ValueError(f"invalid graph: row {missing} of the edge frame has no id")


def _order(ids: Any, half: int) -> Any:
    """Numbers in ascending order; anything else as it first stands, row after row."""
    import numpy as np

    if ids.dtype.kind in "iu":
        return np.unique(ids)
    rows = np.stack([ids[:half], ids[half:]], axis=1).reshape(-1)
    return np.asarray(list(dict.fromkeys(rows.tolist())), dtype=ids.dtype)


def _numbers(frame: Any, columns: Sequence[str], rows: int) -> Any:
    import numpy as np

    x = np.empty((rows, len(columns)), np.float32)
    for at, name in enumerate(columns):
        try:
            x[:, at] = _column(frame, name, "features")
        except (TypeError, ValueError) as fault:
            if "invalid `features`" in str(fault):
                raise
            raise ValueError(f"invalid graph: column `{name}` of the node frame holds no numbers; `features` names those that do") from None
    return x
