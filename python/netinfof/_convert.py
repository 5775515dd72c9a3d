"""Foreign objects, known by what they can do: none of their packages is imported.

Every reader returns :class:`Parts`. The order of nodes is never guessed: it is that of the object itself, and labels of nodes are kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

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
    nodes: Any = None
    masks: dict[str, Any] | None = None
    #: Whether labels were only found, not asked for: such that are no classes are left out.
    found: bool = False
    #: What the classes are called, where `y` holds their numbers.
    classes: Any = None
    #: Whether the nodes are none that a model knows.
    strangers: bool = False


def missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def aligned(value: Any, nodes: Sequence[Hashable] | None) -> Any:
    """Rows of pandas in the order of the nodes: by their index where it names the nodes, by place where it only counts rows."""
    if not (hasattr(value, "index") and hasattr(value, "reindex")):
        return value
    index, count = list(value.index), len(value)
    order = list(range(count)) if nodes is None else list(nodes)
    if index in (order, list(range(count))):
        return value
    if len(set(index)) == count and set(index) == set(order):
        return value.loc[order]
    raise ValueError(
        "invalid graph: the index of features or labels neither names the nodes nor counts them 0, 1, … (`reset_index(drop=True)` where rows stand in the order of the nodes)"
    )


def array(value: Any) -> Any:
    """An array of NumPy: tensors of PyTorch and columns of frames share their memory where they can."""
    import numpy as np

    if isinstance(value, np.ma.MaskedArray):
        if value.mask.any():
            raise ValueError("invalid graph: a masked array with gaps (`filled` fills them)")
        return np.asarray(value)

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if getattr(value, "is_sparse", False) or "sparse" in str(getattr(value, "layout", "")):
            value = value.to_dense()
        return value.numpy()
    found = value.to_numpy() if hasattr(value, "to_numpy") else np.asarray(value)
    # Times are names, not numbers of nanoseconds.
    return found.astype(object) if found.dtype.kind in "Mm" else found


def ends(edge_index: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sources and targets of an edge index: two rows of node numbers."""
    import numpy as np

    if isinstance(edge_index, (tuple, list)) and len(edge_index) == 2:
        first, second = (array(end) for end in edge_index)
        if first.ndim == 1 and second.ndim == 1 and len(first) != len(second):
            raise ValueError(f"invalid graph: {len(first)} sources for {len(second)} targets of edges")
        if first.ndim != 1 or second.ndim != 1:
            raise ValueError(f"invalid graph: sources of shape {first.shape} and targets of shape {second.shape} (need two sequences of node numbers)")
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
    return Parts(source, target, num_nodes, x, y, masks=found if len(found) == 3 else None, found=True)


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
        found=label is None,
    )


def _attributes(
    rows: list[dict[str, Any]], nodes: Sequence[Hashable], features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None
) -> tuple[Any, Any]:
    """Features and labels from the attributes of nodes, in the order of the nodes."""
    import numpy as np

    def has(name: str) -> bool:
        return bool(rows) and all(name in row for row in rows)

    def column(name: str, what: str) -> list[Any]:
        missing = next((at for at, row in enumerate(rows) if name not in row), None)
        if missing is not None:
            raise ValueError(f"invalid `{what}`: {name} (node {nodes[missing]!r} has no such attribute)")
        return [row[name] for row in rows]

    def values_of(name: str) -> list[Any]:
        return [row.get(name) for row in rows]

    def numbers(name: str, value: Any, node: Hashable) -> Any:
        try:
            return np.asarray(array(value), np.float32).reshape(-1)
        except (TypeError, ValueError):
            raise ValueError(f"invalid graph: attribute `{name}` of node {node!r} holds no numbers: {value!r}") from None

    if features is None:
        # Vectors: a lone number under such a name is a coordinate rather.
        features = next((name for name in ("x", "feat", "features") if has(name) and np.ndim(array(rows[0][name])) == 1), None)
    if features is None or features is False:
        x = None
    elif isinstance(features, str):
        values = [numbers(features, value, node) for node, value in zip(nodes, column(features, "features"))]
        widths = {len(value) for value in values}
        if len(widths) > 1:
            raise ValueError(f"invalid graph: attribute `{features}` has {min(widths)} numbers at some nodes and {max(widths)} at others")
        x = np.stack(values) if values else None
    else:
        x = np.stack(
            [np.concatenate([numbers(name, value, node)[:1] for node, value in zip(nodes, column(name, "features"))]) for name in features],
            axis=1,
        )
    if label is False:
        y = None
    elif label is None:
        usual = next((name for name in LABELS if any(name in row for row in rows)), None)
        y = None if usual is None else values_of(usual)
    else:
        if not any(label in row for row in rows):
            column(label, "label")
        y = values_of(label)
    return x, y


def networkx(graph: Any, features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None) -> Parts:
    """A graph of networkx: nodes in its own order, under their own labels."""
    import numpy as np

    nodes = list(graph)
    number = {node: at for at, node in enumerate(nodes)}
    edges = [(number[i], number[j]) for i, j in graph.edges()]
    index = np.asarray(edges, np.int64).reshape(-1, 2)
    x, y = _attributes([graph.nodes[node] for node in nodes], nodes, features, label)
    plain = all(type(node) is int and node == at for at, node in enumerate(nodes))
    return Parts(index[:, 0], index[:, 1], len(nodes), x, y, None if plain else nodes, found=label is None)


def igraph(graph: Any, features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None) -> Parts:
    """A graph of igraph; its nodes are called by their attribute `name`, where they have one."""
    import numpy as np

    index = np.asarray(graph.get_edgelist(), np.int64).reshape(-1, 2)
    names = list(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    x, y = _attributes([vertex.attributes() for vertex in graph.vs], names or range(graph.vcount()), features, label)
    return Parts(index[:, 0], index[:, 1], int(graph.vcount()), x, y, names, found=label is None)


def sparse(adjacency: Any) -> Parts:
    """The pattern of a square sparse matrix."""
    import numpy as np

    if not is_sparse(adjacency):
        raise TypeError(f"no sparse adjacency matrix: {type(adjacency).__qualname__} (scipy.sparse.csr_array makes one of an array)")
    rows, cols = adjacency.shape
    if rows != cols:
        raise ValueError(f"invalid graph: an adjacency matrix is square, this one has the shape {adjacency.shape}")
    coo = adjacency.tocoo()
    stored = coo.data != 0
    source, target = coo.row[stored], coo.col[stored]
    return Parts(source.astype(np.int64, copy=False), target.astype(np.int64, copy=False), int(rows))


def _column(frame: Any, name: str, what: str) -> Any:
    own = [column for column in frame.columns if str(column) == str(name)]
    if len(own) != 1:
        shown = ", ".join(f"`{column}`" for column in list(frame.columns)[:12])
        told = "stands there twice" if own else f"need a column of the frame: {shown}"
        raise ValueError(f"invalid `{what}`: {name} ({told})")
    return array(frame[own[0]])


def frames(
    edges: Any,
    nodes: Any,
    source: str | None,
    target: str | None,
    id: str | None,
    label: str | None,
    features: str | Sequence[str] | None,
) -> Parts:
    """An edge frame, and perhaps a node frame: the columns are found as the command finds those of tables."""
    import numpy as np

    names = [str(name) for name in edges.columns]
    if len(names) < 2:
        raise ValueError(f"invalid graph: an edge frame needs two columns of ids, this one has {len(names)}")
    lower = [name.lower() for name in names]
    usual = next((pair for pair in SOURCES if all(end in lower for end in pair)), None)
    if (source is None) != (target is None):
        raise ValueError("invalid `source`: one end of the edges is named and the other is not (need `source` and `target`, or neither)")
    if source is None or target is None:
        if usual is None and len(names) > 2:
            shown = ", ".join(f"`{name}`" for name in names[:12])
            raise ValueError(f"invalid graph: which columns are the ends of the edges? None of {shown} has a usual name; name two as `source` and `target`")
        source, target = [names[lower.index(end)] for end in usual] if usual else names
    first, second = _column(edges, source, "source"), _column(edges, target, "target")
    _no_gaps(first, second)
    if nodes is None:
        order = _order(np.concatenate([first, second]), len(first))
        x, y = None, None
    else:
        columns = [str(name) for name in nodes.columns]
        lower = [name.lower() for name in columns]
        id = id or next((columns[lower.index(name)] for name in IDS if name in lower), None)
        if id is None:
            shown = ", ".join(f"`{name}`" for name in columns[:12])
            raise ValueError(f"invalid graph: which column of the node frame holds the ids? None of {shown} has a usual name; name it as `id` (an index is not looked at)")
        order = _column(nodes, id, "id")
        if label is None:
            label = next((columns[lower.index(name)] for name in LABELS if name in lower), None)
        y = None if label is None else _column(nodes, label, "label")
        if isinstance(features, str):
            features = [features]
        chosen = [c for c in columns if c not in (id, label)] if features is None else list(features)
        x = _numbers(nodes, chosen, order) if chosen else None
    values = order.tolist()
    gap = next((at for at, value in enumerate(values) if missing(value)), None)
    if gap is not None:
        raise ValueError(f"invalid graph: row {gap} of the node frame has no id")
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
        gap = next((at for at, value in enumerate(values) if missing(value)), None)
        if gap is not None:
            raise ValueError(f"invalid graph: row {gap} of the edge frame has no id")


def _order(ids: Any, half: int) -> Any:
    """Numbers in ascending order; anything else as it first stands, row after row."""
    import numpy as np

    if ids.dtype.kind in "iu":
        return np.unique(ids)
    rows = np.stack([ids[:half], ids[half:]], axis=1).reshape(-1)
    seen = list(dict.fromkeys(rows.tolist()))
    # Assigned one by one: tuples are ids, not rows.
    order = np.empty(len(seen), ids.dtype)
    for at, value in enumerate(seen):
        order[at] = value
    return order


def _numbers(frame: Any, columns: Sequence[str], ids: Any) -> Any:
    """Columns of numbers beside each other."""
    import numpy as np

    values = {name: _column(frame, name, "features") for name in columns}
    text = [name for name, column in values.items() if not _is_numeric(column)]
    if text:
        shown = ", ".join(f"`{name}`" for name in text[:12])
        raise ValueError(
            f"invalid graph: {shown} of the node frame hold no numbers (`label` names the classes, `features` the columns to take;"
            " `pandas.get_dummies` or polars' `to_dummies` make numbers of words)"
        )
    x = np.empty((len(ids), len(columns)), np.float32)
    for at, (name, column) in enumerate(values.items()):
        x[:, at] = [np.nan if missing(value) else value for value in column.tolist()] if column.dtype.kind == "O" else column
        if not np.isfinite(x[:, at]).all():
            node = ids[np.flatnonzero(~np.isfinite(x[:, at]))[0]]
            raise ValueError(f"invalid graph: column `{name}` of the node frame has no finite number for `{node}` (fill it in, or leave the column out with `features`)")
    return x


def _is_numeric(column: Any) -> bool:
    if column.dtype.kind in "fiub":
        return True
    return column.dtype.kind == "O" and all(missing(value) or isinstance(value, (bool, int, float)) for value in column.tolist())
