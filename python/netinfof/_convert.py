"""Foreign objects, known by what they can do: none of their packages is imported.

Every reader returns :class:`Parts`. The order of nodes is never guessed: it is that of the object itself, and labels of nodes are kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ._options import warn

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
    unknown_nodes: bool = False
    #: What the object says about its edges and the graph does not keep: weights, directions and so on.
    unused: tuple[str, ...] = ()
    #: Whether `y` holds numbers of classes that were checked before.
    coded: bool = False


def missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def in_node_order(value: Any, nodes: Sequence[Hashable] | None, num_nodes: int, what: Literal["x", "y"]) -> Any:
    """Features or labels with one row per node, in the order of the nodes.

    Everything is taken by position, pandas too: its index is usually left over from sorting or splitting. A mapping aligns by node. An index that
    names the nodes of the graph in another order is refused, because both readings are plausible.
    """
    if isinstance(value, Mapping):
        return _by_node(value, range(num_nodes) if nodes is None else _plain(nodes), what)
    if nodes is not None and hasattr(value, "index") and hasattr(value, "iloc"):
        index, order = list(value.index), list(_plain(nodes))
        if index != order and len(index) == len(order) and index != list(range(len(index))) and set(index) == set(order):
            aligned = f"{what}.to_dict()" if len(value.shape) == 1 else f"{what}.loc[list(nodes)]"
            raise ValueError(
                f"invalid `{what}`: its index names the nodes of the graph in another order (pandas is read by position;"
                f" need `{aligned}` to align by name, or `{what}.to_numpy()` to keep the order of the rows)"
            )
    return value


def _plain(nodes: Any) -> Sequence[Hashable]:
    found: Sequence[Hashable] = nodes.tolist() if hasattr(nodes, "tolist") else list(nodes)
    return found


def _by_node(values: Mapping[Any, Any], nodes: Sequence[Hashable], what: Literal["x", "y"]) -> Any:
    """The values of a mapping in the order of the nodes: labels may be missing, features may not."""
    import numpy as np

    known = set(nodes)
    other = [node for node in values if node not in known]
    if other:
        raise ValueError(f"invalid `{what}`: a mapping with the key {other[0]!r} (need keys that are nodes of the graph, {len(known)} in all)")
    if what == "y":
        return [values.get(node) for node in nodes]
    gap = next((node for node in nodes if node not in values), None)
    if gap is not None:
        raise ValueError(f"invalid `x`: a mapping without features of node {gap!r} (need a row of numbers for every node)")
    rows = [array(values[node]).reshape(-1) for node in nodes]
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise ValueError(f"invalid `x`: {min(widths)} features of some nodes and {max(widths)} of others (need the same number for every node)")
    return np.stack(rows) if rows else np.zeros((0, 0), np.float32)


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


def is_edges(value: Any) -> bool:
    """Whether this is a list of edges: pairs as tuples, or other pairs where they cannot be the two rows of an edge index."""
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(edge, (list, tuple)) and len(edge) == 2 for edge in value):
        return False
    return len(value) != 2 or all(isinstance(edge, tuple) for edge in value)


def ends(edge_index: Any, *, sure: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sources and targets of an edge index, two rows of node numbers, or of a list of edges.

    Two rows and two columns can be read both ways: rows are sources and targets, with a warning unless `sure`.
    """
    import numpy as np

    if is_edges(edge_index):
        index = array(edge_index).T
    elif isinstance(edge_index, (tuple, list)) and len(edge_index) == 2:
        first, second = (array(end) for end in edge_index)
        if first.ndim == 1 and second.ndim == 1 and len(first) != len(second):
            raise ValueError(f"invalid graph: {len(first)} sources for {len(second)} targets of edges")
        if first.ndim != 1 or second.ndim != 1:
            raise ValueError(f"invalid graph: sources of shape {first.shape} and targets of shape {second.shape} (need two sequences of node numbers)")
        index = np.stack([first, second]) if first.size else np.zeros((2, 0), np.int64)
    else:
        index = array(edge_index)
    if not sure and index.shape == (2, 2) and not is_edges(edge_index):
        _warn_of_two_readings(index)
    if index.size == 0:
        index = np.zeros((2, 0), np.int64)
    if index.ndim != 2 or index.shape[0] != 2:
        turned = "; `edge_index.T` has two rows" if index.ndim == 2 and index.shape[1] == 2 else ""
        raise ValueError(f"invalid graph: an edge index has two rows, sources and targets, not the shape {index.shape}{turned}")
    if index.dtype.kind not in "iu":
        raise ValueError(f"invalid graph: an edge index holds node numbers, not {index.dtype} ({OWN_IDS})")
    return index[0].astype(np.int64, copy=False), index[1].astype(np.int64, copy=False)


#: What to do with ids that are no node numbers.
OWN_IDS = "Graph.from_frame takes ids of any kind, such as pandas.DataFrame(edges, columns=['source', 'target'])"


def _warn_of_two_readings(index: NDArray[Any]) -> None:
    """A square of four node numbers is read by rows; warns where a list of edges would be another graph."""
    (a, b), (c, d) = index.tolist()
    if {frozenset((a, c)), frozenset((b, d))} != {frozenset((a, b)), frozenset((c, d))}:
        warn(
            f"an edge index of shape (2, 2) is read as sources [{a}, {b}] and targets [{c}, {d}]: the edges are ({a}, {c}) and ({b}, {d})."
            f" For the edges ({a}, {b}) and ({c}, {d}) pass a list of tuples"
        )


def check_range(source: NDArray[np.int64], target: NDArray[np.int64], num_nodes: int | None) -> None:
    """Refuses numbers that cannot be positions of nodes; `num_nodes` is None where it follows from the largest number."""
    import numpy as np

    if not len(source):
        return
    least, largest = int(min(source.min(), target.min())), int(max(source.max(), target.max()))
    if num_nodes is None:
        num_nodes = largest + 1
    # The library refuses such graphs too; most often the numbers are ids of another system.
    if 1_000_000 <= largest < num_nodes and largest // 1000 > len(source):
        raise ValueError(
            f"invalid graph: the largest node number is {largest}, too large for {len(source)} edge{'' if len(source) == 1 else 's'};"
            f" integers in an edge index are positions from 0 to num_nodes - 1 ({OWN_IDS})"
        )
    if least < 0 or largest >= num_nodes:
        outside = (source < 0) | (target < 0) | (source >= num_nodes) | (target >= num_nodes)
        at = int(np.flatnonzero(outside)[0])
        raise ValueError(
            f"invalid graph: edge {at} is ({source[at]}, {target[at]}), but node numbers are positions from 0 to {num_nodes - 1} ({OWN_IDS})"
        )


def is_directed(source: NDArray[np.int64], target: NDArray[np.int64], num_nodes: int) -> bool:
    """Whether some edge has no counterpart in the other direction."""
    import numpy as np

    up, down = source < target, source > target
    there = _distinct(source[up] * num_nodes + target[up])
    back = _distinct(target[down] * num_nodes + source[down])
    return not np.array_equal(there, back)


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct numbers in ascending order: `numpy.unique` takes several times as long for these."""
    import numpy as np

    keys.sort()
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def _listed_both_ways(source: NDArray[np.int64], target: NDArray[np.int64]) -> bool:
    """Whether edges go up and down: not so where an undirected edge is listed once, smaller end first, as :attr:`Graph.edge_index` lists it."""
    return bool((source < target).any() and (source > target).any())


def attributes(names: Iterable[Any]) -> tuple[str, ...]:
    """Attributes of edges as messages name them."""
    shown = [f"`{name}`" for name in names]
    if not shown:
        return ()
    weights = all("weight" in name.lower() for name in shown)
    more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
    return (f"{'edge weights' if weights else 'edge attributes'} ({', '.join(shown[:5])}{more})",)


#: How messages name directions and repeats of edges.
DIRECTIONS, REPEATS = "edge directions", "counts of parallel edges"


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
    source, target = ends(data.edge_index, sure=True)
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
    keys = getattr(data, "keys", None)
    names = list(vars(data)) if keys is None else keys() if callable(keys) else keys
    own = [name for name in names if name.startswith("edge_") and name not in _OF_PYG and getattr(data, name, None) is not None]
    # PyG keeps its names in a set, whose order differs from process to process.
    unused = attributes(sorted(own)) + _directions(source, target, num_nodes)
    return Parts(source, target, num_nodes, x, y, masks=found if len(found) == 3 else None, found=True, unused=unused)


#: Attributes of edges in PyG that say nothing about the graph's own edges.
_OF_PYG = frozenset(("edge_index", "edge_label", "edge_label_index"))


def _directions(source: NDArray[np.int64], target: NDArray[np.int64], num_nodes: int) -> tuple[str, ...]:
    return (DIRECTIONS,) if _listed_both_ways(source, target) and is_directed(source, target, num_nodes) else ()


def dgl(graph: Any, features: str | None, label: str | None) -> Parts:
    """A graph of DGL: its edges, `ndata["feat"]` and `ndata["label"]`, and the masks."""
    source, target = ends(graph.edges(), sure=True)
    ndata = graph.ndata
    num_nodes = int(graph.num_nodes())

    def field(wanted: str | None, usual: tuple[str, ...], what: str) -> Any:
        if wanted is not None and wanted not in ndata:
            raise ValueError(f"invalid `{what}`: {wanted} (need one of {', '.join(ndata) or 'nothing: ndata is empty'})")
        names = (wanted,) if wanted is not None else usual
        return next((array(ndata[name]) for name in names if name in ndata), None)

    masks = {name: ndata[f"{name}_mask"] for name in ("train", "val", "test") if f"{name}_mask" in ndata}
    return Parts(
        source,
        target,
        num_nodes,
        field(features, ("feat", "x"), "features"),
        field(label, ("label", "y"), "label"),
        masks={name: array(mask) for name, mask in masks.items()} if len(masks) == 3 else None,
        found=label is None,
        # DGL keeps numbers of its own under names with an underscore.
        unused=attributes(name for name in graph.edata if not str(name).startswith("_")) + _directions(source, target, num_nodes),
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
    names = dict.fromkeys(name for _, _, own in graph.edges(data=True) for name in own)
    unused = _of_edges(index, len(nodes), bool(graph.is_directed())) + attributes(names)
    return Parts(index[:, 0], index[:, 1], len(nodes), x, y, None if plain else nodes, found=label is None, unused=unused)


def _of_edges(index: NDArray[np.int64], num_nodes: int, directed: bool) -> tuple[str, ...]:
    """Directions and repeats in a list of edges of networkx or igraph."""
    import numpy as np

    source, target = index[:, 0], index[:, 1]
    if not directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    repeats = len(_distinct(source * num_nodes + target)) < len(index)
    return ((DIRECTIONS,) if directed and is_directed(source, target, num_nodes) else ()) + ((REPEATS,) if repeats else ())


def igraph(graph: Any, features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None) -> Parts:
    """A graph of igraph; its nodes are called by their attribute `name`, where they have one."""
    import numpy as np

    index = np.asarray(graph.get_edgelist(), np.int64).reshape(-1, 2)
    names = list(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    x, y = _attributes([vertex.attributes() for vertex in graph.vs], names or range(graph.vcount()), features, label)
    unused = _of_edges(index, int(graph.vcount()), bool(graph.is_directed())) + attributes(graph.es.attributes())
    return Parts(index[:, 0], index[:, 1], int(graph.vcount()), x, y, names, found=label is None, unused=unused)


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
    source, target = coo.row[stored].astype(np.int64, copy=False), coo.col[stored].astype(np.int64, copy=False)
    weights = ("edge weights (values of the matrix other than 0 and 1)",) if (coo.data[stored] != 1).any() else ()
    directions = ("edge directions (the matrix is not symmetric)",) if is_directed(source, target, int(rows)) else ()
    return Parts(source, target, int(rows), unused=weights + directions)


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
    further = [name for name in names if name not in (str(source), str(target))]
    return Parts(places[0], places[1], len(values), x, y, None if plain else values, unused=attributes(further))


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
        infinite = np.flatnonzero(np.isinf(x[:, at]))
        if len(infinite):
            raise ValueError(f"invalid graph: column `{name}` of the node frame is infinite for `{ids[infinite[0]]}` (a missing value is NaN or None)")
    return x


def _is_numeric(column: Any) -> bool:
    if column.dtype.kind in "fiub":
        return True
    return column.dtype.kind == "O" and all(missing(value) or isinstance(value, (bool, int, float)) for value in column.tolist())
