"""Readers for objects of other packages, recognised by duck typing: none of the packages is imported.

Every reader returns :class:`Parts`. The order of the nodes is that of the object, and the names of the
nodes are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ._options import warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELS = ("label", "y", "class", "target")


class Parts(NamedTuple):
    """The parts of a graph before it is built."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    num_nodes: int
    x: Any = None
    y: Any = None
    nodes: Any = None
    masks: dict[str, Any] | None = None
    #: Whether labels were detected, not requested: they are left out if they are not classes.
    found: bool = False
    #: Names of the classes, if `y` holds their numbers.
    classes: Any = None
    #: Whether none of the nodes occurs in the graph that the model was fitted on.
    unknown_nodes: bool = False
    #: Attributes of the object's edges that the graph does not keep: weights, directions and so on.
    unused: tuple[str, ...] = ()
    #: Whether `y` holds class numbers that were checked before.
    coded: bool = False
    #: For a bipartite graph, whether each node is on the second side; whether it is one at all; None: unstated.
    sides: Any = None
    #: Names of the two sides.
    side_names: tuple[str, str] | None = None
    #: What was read of a table.
    schema: dict[str, Any] | None = None
    #: Weights of the edges, if they are used, as double precision.
    weights: Any = None
    #: Kind of the target; None: it follows from the values.
    target_kind: str | None = None
    #: Names of the labels, if `y` holds rows of labels.
    label_names: list[str] | None = None
    #: Times of the edges: the name of their column, the times, and whether they are days since 1970-01-01.
    times: tuple[str, NDArray[np.float64], bool] | None = None


def missing(value: Any) -> bool:
    """Return whether a value is missing: None, NaN, or NA and NaT of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def times_of(values: Any, count: int, column: str) -> tuple[str, NDArray[np.float64], bool]:
    """Read the times of edges: numbers, or dates as `datetime64`, as objects or as ISO texts."""
    import numpy as np

    own = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else array(values) if hasattr(values, "shape") else values)
    if own.ndim == 2 and 1 in own.shape:
        own = own.reshape(-1)
    if own.ndim != 1 or len(own) != count:
        raise ValueError(f"invalid `{column}`: shape {own.shape} for {count} edges (need one time per edge)")
    if own.dtype.kind in "OUS":
        gap = next((at for at, value in enumerate(own.tolist()) if missing(value) or value == ""), None)
        if gap is not None:
            raise ValueError(f"invalid `{column}`: edge {gap} has no time (need one time per edge)")
        if own.dtype.kind == "O" and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in own.tolist()):
            own = own.astype(np.float64)
        else:
            own = _dates(own.tolist(), column)
    if own.dtype.kind == "M":
        if np.isnat(own).any():
            raise ValueError(f"invalid `{column}`: edge {int(np.isnat(own).argmax())} has no time (need one time per edge)")
        day = np.timedelta64(1, "D")
        whole = own.astype("datetime64[D]")
        rest = (own - whole) / day
        return column, (whole.astype(np.int64) + rest).astype(np.float64), True
    if own.dtype.kind not in "iuf":
        raise ValueError(f"invalid `{column}`: an array of {own.dtype} (need numbers or dates)")
    return column, own.astype(np.float64), False


def _dates(values: list[Any], column: str) -> Any:
    import datetime

    import numpy as np

    def one(at: int, value: Any) -> Any:
        try:
            if isinstance(value, str):
                value = datetime.datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
            if isinstance(value, datetime.datetime) and value.tzinfo is not None:
                value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            if isinstance(value, np.datetime64):
                return value.astype("datetime64[us]")
            if isinstance(value, datetime.date):
                return np.datetime64(value.isoformat(), "us")
        except ValueError:
            pass
        raise ValueError(f"invalid `{column}`: {value!r} of edge {at} is not a time (need a number or a date such as 2024-05-31)")

    return np.array([one(at, value) for at, value in enumerate(values)], dtype="datetime64[us]")


def in_node_order(value: Any, nodes: Sequence[Hashable] | None, num_nodes: int, what: Literal["x", "y"]) -> Any:
    """Return features or labels with one row per node, in the order of the nodes.

    Everything is read by position, pandas too: its index is usually left over from sorting or splitting. A
    mapping aligns by node. An index that holds the names of the nodes in another order is refused, because
    both readings are plausible.
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
    """Return the values of a mapping in the order of the nodes: labels may be missing, features may not."""
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
        raise ValueError(f"invalid `x`: rows of different lengths, from {min(widths)} to {max(widths)} (need the same number of features for every node)")
    return np.stack(rows) if rows else np.zeros((0, 0), np.float32)


def array(value: Any) -> Any:
    """Return a NumPy array. Tensors of PyTorch and columns of frames share their memory if possible."""
    import numpy as np

    if isinstance(value, np.ma.MaskedArray):
        if value.mask.any():
            raise ValueError("invalid graph: a masked array with masked values (`filled` replaces them)")
        return np.asarray(value)

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if getattr(value, "is_sparse", False) or "sparse" in str(getattr(value, "layout", "")):
            value = value.to_dense()
        return value.numpy()
    found = value.to_numpy() if hasattr(value, "to_numpy") else np.asarray(value)
    # Times are read as names, not as numbers of nanoseconds.
    return found.astype(object) if found.dtype.kind in "Mm" else found


def is_edges(value: Any) -> bool:
    """Return whether this is a list of edges: tuples of two, or other pairs unless they can be the two rows of an edge index."""
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(edge, (list, tuple)) and len(edge) == 2 for edge in value):
        return False
    return len(value) != 2 or all(isinstance(edge, tuple) for edge in value)


def ends(edge_index: Any, *, sure: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sources and targets of an edge index (two rows of node numbers) or of a list of edges.

    A shape of (2, 2) is ambiguous: its rows are read as sources and targets, with a warning unless `sure`.
    """
    import numpy as np

    if is_edges(edge_index):
        index = array(edge_index).T
    elif isinstance(edge_index, (tuple, list)) and len(edge_index) == 2:
        first, second = (array(end) for end in edge_index)
        if first.ndim == 1 and second.ndim == 1 and len(first) != len(second):
            raise ValueError(f"invalid graph: sources of length {len(first)} and targets of length {len(second)} (need the same length)")
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
        turned = "; use `edge_index.T`" if index.ndim == 2 and index.shape[1] == 2 else ""
        raise ValueError(f"invalid graph: an edge index of shape {index.shape} (need two rows, sources and targets{turned})")
    if index.dtype.kind not in "iu":
        raise ValueError(f"invalid graph: an edge index holds node numbers, not {index.dtype} ({OWN_IDS})")
    return index[0].astype(np.int64, copy=False), index[1].astype(np.int64, copy=False)


#: Advice for ids that are not node numbers.
OWN_IDS = "for other ids use Graph.from_frame, with pandas.DataFrame(edges, columns=['source', 'target'])"


def _warn_of_two_readings(index: NDArray[Any]) -> None:
    """Warn about an edge index of shape (2, 2) if a list of edges would be a different graph."""
    (a, b), (c, d) = index.tolist()
    if {frozenset((a, c)), frozenset((b, d))} != {frozenset((a, b)), frozenset((c, d))}:
        warn(
            f"an edge index of shape (2, 2) is read as sources [{a}, {b}] and targets [{c}, {d}]: the edges are ({a}, {c}) and ({b}, {d})."
            f" For the edges ({a}, {b}) and ({c}, {d}) pass a list of tuples"
        )


def check_range(source: NDArray[np.int64], target: NDArray[np.int64], num_nodes: int | None) -> None:
    """Refuse numbers that cannot be positions of nodes. None for `num_nodes`: it follows from the largest number."""
    import numpy as np

    if not len(source):
        return
    least, largest = int(min(source.min(), target.min())), int(max(source.max(), target.max()))
    if num_nodes is None:
        num_nodes = largest + 1
    # The library refuses such graphs, too. Usually the numbers are ids of another system.
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
    """Return whether some edge has no counterpart in the other direction."""
    import numpy as np

    up, down = source < target, source > target
    there = _distinct(source[up] * num_nodes + target[up])
    back = _distinct(target[down] * num_nodes + source[down])
    return not np.array_equal(there, back)


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return distinct numbers in ascending order; several times as fast as `numpy.unique` here."""
    import numpy as np

    keys.sort()
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def _listed_both_ways(source: NDArray[np.int64], target: NDArray[np.int64]) -> bool:
    """Return whether edges go up and down. They do not if each undirected edge is listed once, smaller end first, as in :attr:`Graph.edge_index`."""
    return bool((source < target).any() and (source > target).any())


def attributes(names: Iterable[Any]) -> tuple[str, ...]:
    """Return a description of edge attributes for messages."""
    shown = [f"`{name}`" for name in names]
    if not shown:
        return ()
    weights = all("weight" in name.lower() for name in shown)
    more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
    return (f"{'edge weights' if weights else 'edge attributes'} ({', '.join(shown[:5])}{more})",)


def edge_weights(values: Any, count: int, what: str) -> Any:
    """Return one weight per edge as double precision; None if there are none."""
    import numpy as np

    if values is None:
        return None
    found = array(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1 or len(found) != count:
        raise ValueError(f"invalid `{what}`: an array of shape {tuple(found.shape)} (need one number for each of {count} edges)")
    if found.dtype.kind == "O":
        found = np.array([math.nan if missing(value) else value for value in found.tolist()])
    if found.dtype.kind not in "fiub":
        raise ValueError(f"invalid `{what}`: values of type {found.dtype} (need numbers of at least 0)")
    return found.astype(np.float64)


def is_linear(weight_scale: str) -> bool:
    """Return whether weights are used as they are."""
    if weight_scale not in ("log", "linear"):
        raise ValueError(f"invalid `weight_scale`: {weight_scale!r} (need 'log' or 'linear')")
    return weight_scale == "linear"


def _attribute_weights(weight: str | None, names: Iterable[Any], values: Callable[[], Any], count: int) -> Any:
    """Return the weights in an attribute of edges; None if none was asked for."""
    if weight is None:
        return None
    have = [str(name) for name in names]
    if weight not in have:
        raise ValueError(f"invalid `weight`: {weight} (need {f'one of {chr(44).join(have)}' if have else 'an attribute of edges; there is none'})")
    return edge_weights(values(), count, "weight")


#: Names of directions and repeats of edges in messages.
DIRECTIONS, REPEATS = "edge directions", "counts of parallel edges"


def count(x: Any, y: Any, *ends: NDArray[np.int64]) -> int:
    """Return the number of nodes if it is not given: the rows of features or labels, else the largest number plus one."""
    for rows in (x, y):
        shape = getattr(rows, "shape", None)
        if shape:
            return int(shape[0])
        if rows is not None:
            return len(rows)
    return max((int(end.max()) + 1 for end in ends if len(end)), default=0)


def is_sparse(value: Any) -> bool:
    """Return whether this is a sparse matrix or array of SciPy."""
    return hasattr(value, "tocsr") and hasattr(value, "nnz") and hasattr(value, "shape")


def is_dataset(value: Any) -> bool:
    """Return whether this is a dataset of PyG. In-memory datasets have the attributes of a single graph, too."""
    return all(callable(getattr(value, name, None)) for name in ("get", "len", "indices"))


def is_pyg(value: Any) -> bool:
    """Return whether this is a `Data` of PyG, or has the same interface."""
    return hasattr(value, "edge_index") and not hasattr(value, "es")


def is_hetero(value: Any) -> bool:
    """Return whether this is a `HeteroData` of PyG or a DGL graph with several types."""
    if hasattr(value, "node_types") and hasattr(value, "edge_types"):
        return True
    return is_dgl(value) and (len(getattr(value, "ntypes", [0])) > 1 or len(getattr(value, "etypes", [0])) > 1)


def is_dgl(value: Any) -> bool:
    """Return whether this is a graph of DGL."""
    return hasattr(value, "ndata") and hasattr(value, "edata") and callable(getattr(value, "num_nodes", None))


def is_networkx(value: Any) -> bool:
    """Return whether this is a graph of networkx."""
    return all(hasattr(value, name) for name in ("adj", "nodes", "edges", "is_directed", "number_of_nodes"))


def is_igraph(value: Any) -> bool:
    """Return whether this is a graph of igraph."""
    return all(hasattr(value, name) for name in ("vs", "es", "get_edgelist", "vcount"))


def is_frame(value: Any) -> bool:
    """Return whether this is a frame of pandas or polars."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and hasattr(value, "shape")


def pyg(data: Any, weight: str | None = None, time: str | None = None) -> Parts:
    """Read a `Data` of PyG: `edge_index`, `x`, `y` and the masks."""
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
        # A label of the whole graph, or of anything other than its nodes.
        y = None
    masks = {name: getattr(data, f"{name}_mask", None) for name in ("train", "val", "test")}
    found = {name: array(mask) for name, mask in masks.items() if mask is not None}
    keys = getattr(data, "keys", None)
    names = list(vars(data)) if keys is None else keys() if callable(keys) else keys
    times = None
    if time is not None:
        if getattr(data, time, None) is None:
            raise ValueError(f"invalid `time`: {time} (need an attribute of the data with one time per edge)")
        times = times_of(getattr(data, time), len(source), time)
    own = [name for name in names if name.startswith("edge_") and name not in (*_OF_PYG, time) and getattr(data, name, None) is not None]
    # PyG keeps the names in a set, whose order differs between processes.
    weights = _attribute_weights(weight, own, lambda: getattr(data, str(weight)), len(source))
    unused = attributes(sorted(name for name in own if name != weight)) + _directions(source, target, num_nodes)
    three = found if len(found) == 3 else None
    return Parts(source, target, num_nodes, x, y, masks=three, found=True, unused=unused, weights=weights, times=times)


#: Edge attributes of PyG that do not describe the edges of the graph.
_OF_PYG = frozenset(("edge_index", "edge_label", "edge_label_index"))


def _directions(source: NDArray[np.int64], target: NDArray[np.int64], num_nodes: int) -> tuple[str, ...]:
    return (DIRECTIONS,) if _listed_both_ways(source, target) and is_directed(source, target, num_nodes) else ()


def dgl(graph: Any, features: str | None, label: str | None, weight: str | None = None) -> Parts:
    """Read a graph of DGL: its edges, `ndata["feat"]`, `ndata["label"]` and the masks."""
    source, target = ends(graph.edges(), sure=True)
    ndata = graph.ndata
    num_nodes = int(graph.num_nodes())

    def field(wanted: str | None, usual: tuple[str, ...], what: str) -> Any:
        if wanted is not None and wanted not in ndata:
            need = f"need one of {', '.join(ndata)}" if ndata else "ndata is empty"
            raise ValueError(f"invalid `{what}`: {wanted} ({need})")
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
        # Names with an underscore are internal to DGL.
        unused=attributes(name for name in graph.edata if not str(name).startswith("_") and name != weight)
        + _directions(source, target, num_nodes),
        weights=_attribute_weights(weight, graph.edata, lambda: graph.edata[weight], len(source)),
    )


def _attributes(
    rows: list[dict[str, Any]], nodes: Sequence[Hashable], features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None
) -> tuple[Any, Any]:
    """Return features and labels from the attributes of nodes, in the order of the nodes."""
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
        # Only vectors: a single number under such a name is usually a coordinate.
        features = next((name for name in ("x", "feat", "features") if has(name) and np.ndim(array(rows[0][name])) == 1), None)
    if features is None or features is False:
        x = None
    elif isinstance(features, str):
        values = [numbers(features, value, node) for node, value in zip(nodes, column(features, "features"))]
        widths = {len(value) for value in values}
        if len(widths) > 1:
            raise ValueError(f"invalid graph: attribute `{features}` has different lengths, from {min(widths)} to {max(widths)} (need the same length for every node)")
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


def networkx(
    graph: Any, features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None, weight: str | None = None
) -> Parts:
    """Read a graph of networkx; nodes keep their order and their names."""
    import numpy as np

    nodes = list(graph)
    number = {node: at for at, node in enumerate(nodes)}
    edges = [(number[i], number[j]) for i, j in graph.edges()]
    index = np.asarray(edges, np.int64).reshape(-1, 2)
    x, y = _attributes([graph.nodes[node] for node in nodes], nodes, features, label)
    plain = all(type(node) is int and node == at for at, node in enumerate(nodes))
    names = dict.fromkeys(name for _, _, own in graph.edges(data=True) for name in own)
    # As in networkx, an edge without the attribute has no weight; here it is an error.
    weights = _attribute_weights(weight, names, lambda: [own.get(weight, math.nan) for _, _, own in graph.edges(data=True)], len(index))
    unused = _of_edges(index, len(nodes), bool(graph.is_directed()), weight is not None) + attributes(name for name in names if name != weight)
    return Parts(index[:, 0], index[:, 1], len(nodes), x, y, None if plain else nodes, found=label is None, unused=unused, weights=weights, target_kind="classes" if label is None else None)


def _of_edges(index: NDArray[np.int64], num_nodes: int, directed: bool, weighted: bool) -> tuple[str, ...]:
    """Return descriptions of directions and repeats in a list of edges of networkx or igraph."""
    import numpy as np

    source, target = index[:, 0], index[:, 1]
    if not directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    # The weights of parallel edges are summed.
    repeats = not weighted and len(_distinct(source * num_nodes + target)) < len(index)
    return ((DIRECTIONS,) if directed and is_directed(source, target, num_nodes) else ()) + ((REPEATS,) if repeats else ())


def igraph(
    graph: Any, features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None, weight: str | None = None
) -> Parts:
    """Read a graph of igraph; the names of its nodes are the attribute `name`, if there is one."""
    import numpy as np

    index = np.asarray(graph.get_edgelist(), np.int64).reshape(-1, 2)
    names = list(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    x, y = _attributes([vertex.attributes() for vertex in graph.vs], names or range(graph.vcount()), features, label)
    own = graph.es.attributes()
    weights = _attribute_weights(weight, own, lambda: graph.es[weight], len(index))
    rest = attributes(name for name in own if name != weight)
    unused = _of_edges(index, int(graph.vcount()), bool(graph.is_directed()), weight is not None) + rest
    return Parts(index[:, 0], index[:, 1], int(graph.vcount()), x, y, names, found=label is None, unused=unused, weights=weights, target_kind="classes" if label is None else None)


def sides_of(bipartite: bool | None, sides: Any, num_nodes: int) -> Any:
    """Return the sides of a graph: a list of booleans, whether it is bipartite, or None."""
    if bipartite not in (None, True, False):
        raise ValueError(f"invalid `bipartite`: {bipartite!r} (need True, False or None)")
    if sides is None:
        return bipartite
    if bipartite is False:
        raise ValueError("invalid `sides`: given with bipartite=False (need bipartite=None or True)")
    found = array(sides).reshape(-1)
    if len(found) != num_nodes or not ((found == 0) | (found == 1)).all():
        raise ValueError(f"invalid `sides`: {len(found)} values (need a 0 or a 1 for each of {num_nodes} nodes)")
    return (found == 1).tolist()


def hetero(data: Any, relation: tuple[str, str, str] | None, weight: str | None = None) -> Parts:
    """Read one relation of a `HeteroData` of PyG. Nodes of the first type come first."""
    import numpy as np

    types = [tuple(kind) for kind in data.edge_types]

    def is_reverse(kind: tuple[str, str, str]) -> bool:
        first, name, second = kind
        return name.startswith("rev_") and (second, name[len("rev_") :], first) in types

    listed = ", ".join(map(repr, types)) or "none"
    if relation is None:
        forward = [kind for kind in types if not is_reverse(kind)]
        if len(forward) != 1:
            raise ValueError(
                "invalid graph: it has several types of nodes or edges "
                f"(need one relation, reverse edges aside: `Graph.from_hetero` takes one of them as `relation`: {listed})"
            )
        relation = forward[0]
    elif tuple(relation) not in types:
        raise ValueError(f"invalid `relation`: {relation!r} (need one of {listed})")
    first, name, second = relation
    source, target = ends(data[relation].edge_index, sure=True)
    kinds = [first] if first == second else [first, second]
    counts = [int(data[kind].num_nodes) for kind in kinds]
    for index, kind, number in ((source, first, counts[0]), (target, second, counts[-1])):
        if len(index) and (int(index.min()) < 0 or int(index.max()) >= number):
            raise ValueError(f"invalid graph: relation {relation!r} names a node of type {kind!r} outside 0 to {number - 1}")
    if first != second:
        target = target + counts[0]
    features = [getattr(data[kind], "x", None) for kind in kinds]
    x = None
    if any(own is not None for own in features):
        rows = [np.zeros((number, 0), np.float32) if own is None else array(own) for own, number in zip(features, counts)]
        widths = {own.shape[1] for own in rows}
        if len(widths) == 1:
            x = np.concatenate(rows)
        else:
            # Types with different features get columns of their own; other nodes have zeros there.
            x = np.zeros((sum(counts), sum(own.shape[1] for own in rows)), np.float32)
            top = left = 0
            for own in rows:
                x[top : top + own.shape[0], left : left + own.shape[1]] = own
                top, left = top + own.shape[0], left + own.shape[1]
    own = [key for key in data[relation] if key.startswith("edge_") and key not in _OF_PYG]
    weights = _attribute_weights(weight, own, lambda: data[relation][weight], len(source))
    unused = [f"{key} of {relation!r}" for key in own if key != weight]
    # Reverse edges repeat the relation: they would reveal its held-out edges, and are never used.
    unused += [f"relation {kind!r}" for kind in types if kind != relation and not (is_reverse(kind) and kind[1] == f"rev_{name}")]
    sides = None if first == second else [False] * counts[0] + [True] * counts[1]
    names = None if first == second else (str(first), str(second))
    return Parts(source, target, sum(counts), x, sides=sides, side_names=names, unused=tuple(unused), weights=weights)


def sparse(adjacency: Any, weighted: bool = False) -> Parts:
    """Read the pattern of a sparse matrix: square, or of the two sides of a bipartite graph."""
    import numpy as np

    if not is_sparse(adjacency):
        raise TypeError(f"not a sparse adjacency matrix: {type(adjacency).__qualname__} (scipy.sparse.csr_array converts a dense array)")
    rows, cols = adjacency.shape
    coo = adjacency.tocoo()
    stored = coo.data != 0
    source, target = coo.row[stored].astype(np.int64, copy=False), coo.col[stored].astype(np.int64, copy=False)
    values = edge_weights(coo.data[stored], len(source), "adjacency") if weighted else None
    lost = not weighted and (coo.data[stored] != 1).any()
    weights = ("edge weights (values of the matrix other than 0 and 1)",) if lost else ()
    if rows != cols:
        sides = [False] * int(rows) + [True] * int(cols)
        return Parts(source, target + rows, int(rows + cols), unused=weights, sides=sides, weights=values)
    directions = ("edge directions (the matrix is not symmetric)",) if is_directed(source, target, int(rows)) else ()
    return Parts(source, target, int(rows), unused=weights + directions, weights=values)


def _column(frame: Any, name: str, what: str) -> Any:
    own = [column for column in frame.columns if str(column) == str(name)]
    if len(own) != 1:
        shown = ", ".join(f"`{column}`" for column in list(frame.columns)[:12])
        told = f"{len(own)} columns of the frame have this name" if own else f"need a column of the frame: {shown}"
        raise ValueError(f"invalid `{what}`: {name} ({told})")
    return array(frame[own[0]])


def frames(
    edges: Any,
    nodes: Any,
    source: str | None,
    target: str | None,
    id: str | None,
    label: str | None,
    choices: Any,
    weight: str | None = None,
    time: str | None = None,
    bipartite: bool | None = None,
) -> Parts:
    """Read an edge frame and an optional node frame; columns are detected by the rules of the command for tables."""
    import numpy as np

    from . import _columns, _native

    names = [str(name) for name in edges.columns]
    if len(names) < 2:
        raise ValueError(f"invalid graph: an edge frame with {len(names)} column{'' if len(names) == 1 else 's'} (need two columns of ids)")
    usual, _, _ = _native.known_columns(names)
    if (source is None) != (target is None):
        raise ValueError("invalid `source`: only one of `source` and `target` is given (need both, or neither)")
    if source is None or target is None:
        if usual is None and time is not None and len(names) == 3:
            usual = [at for at, name in enumerate(names) if name != str(time)]
        if usual is None and len(names) > 2:
            shown = ", ".join(f"`{name}`" for name in names[:12])
            raise ValueError(f"invalid graph: cannot detect the id columns of the edge frame among {shown} (need `source` and `target`)")
        source, target = [names[at] for at in usual] if usual else names
    first, second = _column(edges, source, "source"), _column(edges, target, "target")
    _no_gaps(first, second)
    times = None if time is None else times_of(_column(edges, time, "time"), len(first), str(time))
    if bipartite not in (None, True, False):
        raise ValueError(f"invalid `bipartite`: {bipartite!r} (need True, False or None)")
    side_names = None
    if bipartite is not False:
        side_names = _native.sides_of_columns(str(source), str(target))
        if bipartite and side_names is None:
            side_names = ("user", "item")
    by_side: list[Any] = []
    if side_names is not None:
        by_side = [_distinct_ids(end) for end in (first, second)]
        if not set(by_side[0].tolist()).isdisjoint(by_side[1].tolist()):
            # Equal ids of different columns are different nodes.
            first, second = (_qualified(end, side) for end, side in zip((first, second), side_names))
            by_side = [_qualified(ids, side) for ids, side in zip(by_side, side_names)]
    if nodes is None:
        if by_side:
            ahead = len(by_side[0])
            places = [_places(own.tolist(), own, end, end)[0] for own, end in zip(by_side, (first, second))]
            places[1] = places[1] + ahead
            same = by_side[0].dtype == by_side[1].dtype
            order = np.concatenate(by_side if same else [own.astype(object) for own in by_side])
        else:
            order, places = _numbered(first, second)
        x, y, classes = None, None, None
        schema: dict[str, Any] = {}
        kind = None
    else:
        columns = [str(name) for name in nodes.columns]
        _, own_id, own_label = _native.known_columns(columns)
        id = id or (None if own_id is None else columns[own_id])
        if id is None:
            shown = ", ".join(f"`{name}`" for name in columns[:12])
            raise ValueError(f"invalid graph: cannot detect the id column of the node frame among {shown} (need `id`; the index is ignored)")
        order = _column(nodes, id, "id")
        found = label is None
        if label is None and own_label is not None and columns[own_label] != id:
            label = columns[own_label]
        y = None if label is None else _column(nodes, label, "label")
        dropped = []
        what = None if y is None else _columns.not_classes(y)
        kind = None
        if what is not None and "regression" in what:
            warn(f"column `{label}` holds many different numbers: the target is numeric, and nodes are predicted by regression")
            used, kind = label, "numbers"
        elif what is not None:
            if not found:
                raise ValueError(f"invalid `label`: {label} ({what}; for classes, put ranges of it into a column of their own: `pandas.qcut`)")
            warn(f"column `{label}` holds {what}; it is not used")
            dropped.append({"name": label, "why": what.split(": ")[1].split(",")[0]})
            used, label, y = label, None, None
        else:
            used = label
        texts = None if y is None or kind == "numbers" else _columns.label_texts(y)
        table = _columns.typed(nodes, [c for c in columns if c not in (id, used)], order.tolist(), texts, choices)
        x = table.x
        y, classes = (y, None) if kind == "numbers" else _two_sided(y)
        schema = {"id": id, "label": label, "node_header_lines": 0, "columns": table.columns, "dropped": dropped + table.dropped}
    values = order.tolist()
    gap = None if nodes is None else next((at for at, value in enumerate(values) if missing(value)), None)
    if gap is not None:
        raise ValueError(f"invalid graph: row {gap} of the node frame has no id")
    if nodes is not None:
        places = _places(values, order, first, second)
    unknown = [value for end, place in zip((first, second), places) for value in end[place < 0].tolist()]
    if unknown:
        some = list(dict.fromkeys(unknown))
        shown = ", ".join(f"`{value}`" for value in some[:3])
        raise ValueError(f"invalid graph: {len(some)} id{' of the edge frame is' if len(some) == 1 else 's of the edge frame are'} not in the node frame, such as {shown}")
    sides: Any = False if bipartite is False else None
    if side_names is not None:
        on_second = np.full(len(values), -1)
        for side, place in enumerate(places):
            on_second[place] = side
        # The side of a node without edges is unknown.
        sides = None if (on_second < 0).any() else (on_second == 1).tolist()
    plain = order.dtype.kind in "iu" and bool((order == np.arange(len(order))).all())
    if weight is not None and str(weight) in (str(source), str(target)):
        raise ValueError(f"invalid `weight`: {weight} (need a column that holds no ids)")
    weights = None if weight is None else edge_weights(_column(edges, weight, "weight"), len(first), "weight")
    further = [name for name in names if name not in (str(source), str(target), *(str(own) for own in (weight, time) if own is not None))]
    of_edges = [{"name": name, "why": "a column of edges"} for name in further]
    of_weights = {} if weight is None else {"weight": str(weight)}
    schema = {"format": "a frame", "ends": [str(source), str(target)], **of_weights, **schema, "dropped": of_edges + schema.get("dropped", [])}
    names_of_sides = None if side_names is None or sides is None else (side_names[0], side_names[1])
    return Parts(
        places[0], places[1], len(values), x, y, None if plain else values, classes=classes, sides=sides, side_names=names_of_sides,
        unused=attributes(further), schema=schema, weights=weights, times=times, target_kind=kind,
    )  # fmt: skip


def _places(values: list[Any], order: Any, first: Any, second: Any) -> list[NDArray[np.int64]]:
    """Return the numbers of the nodes at both ends of every edge; -1 where an id is unknown."""
    import numpy as np

    from ._arrays import factorized

    def twice(value: Any) -> ValueError:
        return ValueError(f"invalid graph: id `{value}` occurs more than once in the node frame")

    # Arrays of different types would be converted to a common one, which changes ids.
    if {own.dtype for own in (order, first, second)} == {order.dtype}:
        codes, _ = factorized(np.concatenate([order, first, second]))
        own, ends = codes[: len(order)], codes[len(order) :]
        again = np.flatnonzero(own != np.arange(len(order)))
        if again.size:
            raise twice(values[again[0]])
        ends = np.where(ends < len(order), ends, -1)
        return [ends[: len(first)], ends[len(first) :]]
    number = {value: at for at, value in enumerate(values)}
    if len(number) < len(values):
        raise twice(next(value for at, value in enumerate(values) if number[value] != at))
    return [np.fromiter((number.get(value, -1) for value in end.tolist()), np.int64, len(end)) for end in (first, second)]


def _two_sided(y: Any) -> tuple[Any, Any]:
    """Return -1 and 1 as two classes if there are no other labels; elsewhere -1 is an unknown class."""
    import numpy as np

    if y is None or y.dtype.kind not in "fi":
        return y, None
    known = ~np.isnan(y)
    if set(np.unique(y[known]).tolist()) != {-1, 1}:
        return y, None
    return np.where(known, y > 0, -1).astype(np.int64), np.array([-1, 1])


def _no_gaps(*columns: Any) -> None:
    import sys

    import numpy as np

    pandas = sys.modules.get("pandas")
    for column in columns:
        if column.dtype.kind not in "Of":
            continue
        if pandas is not None and hasattr(pandas, "isna"):
            gaps = np.flatnonzero(pandas.isna(column))
            gap = int(gaps[0]) if gaps.size else None
        else:
            gap = next((at for at, value in enumerate(column.tolist()) if missing(value)), None)
        if gap is not None:
            raise ValueError(f"invalid graph: row {gap} of the edge frame has no id")


def _qualified(ids: Any, side: str) -> Any:
    """Return ids with the name of their side."""
    import numpy as np

    found = np.empty(len(ids), object)
    found[:] = [f"{side}:{value}" for value in ids.tolist()]
    return found


def _distinct_ids(ids: Any) -> Any:
    """Return different integers in ascending order; other ids in the order in which they first occur."""
    import numpy as np

    from ._arrays import factorized

    return np.unique(ids) if ids.dtype.kind in "iu" else factorized(ids)[1]


def _numbered(first: Any, second: Any) -> tuple[Any, list[NDArray[np.int64]]]:
    """Return the ids at both ends of edges, and the numbers of the ends among them.

    Integers are in ascending order, other ids in the order in which they first occur, row by row.
    """
    import numpy as np

    from ._arrays import factorized

    rows = np.stack([first, second], axis=1).reshape(-1)
    if rows.dtype.kind in "iu":
        order, numbers = np.unique(rows, return_inverse=True)
    else:
        numbers, order = factorized(rows)
    numbers = numbers.reshape(-1)
    return order, [np.ascontiguousarray(numbers[at::2], np.int64) for at in (0, 1)]
