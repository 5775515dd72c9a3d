"""The parts of a graph before it is built, and the checks that all readers share.

Objects of other packages are recognised by duck typing: none of the packages is imported.
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
        # NumPy has no types for such short numbers.
        return (value.float() if any(kind in str(value.dtype) for kind in ("bfloat16", "float8")) else value).numpy()
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
    there = distinct(source[up] * num_nodes + target[up])
    back = distinct(target[down] * num_nodes + source[down])
    return not np.array_equal(there, back)


def distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return distinct numbers in ascending order; several times as fast as `numpy.unique` here."""
    import numpy as np

    keys.sort()
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def listed_both_ways(source: NDArray[np.int64], target: NDArray[np.int64]) -> bool:
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


def attribute_weights(weight: str | None, names: Iterable[Any], values: Callable[[], Any], count: int) -> Any:
    """Return the weights in an attribute of edges; None if none was asked for."""
    if weight is None:
        return None
    have = [str(name) for name in names]
    if weight not in have:
        raise ValueError(f"invalid `weight`: {weight} (need {f'one of {chr(44).join(have)}' if have else 'an attribute of edges; there is none'})")
    return edge_weights(values(), count, "weight")


def attribute_times(time: str | None, names: Iterable[Any], values: Callable[[], Any], count: int) -> tuple[str, NDArray[np.float64], bool] | None:
    """Return the times in an attribute of edges; None if none was asked for."""
    if time is None:
        return None
    have = [str(name) for name in names]
    if time not in have:
        raise ValueError(f"invalid `time`: {time} (need {f'one of {chr(44).join(have)}' if have else 'an attribute of edges; there is none'})")
    return times_of(values(), count, time)


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


def is_adjacency(value: Any) -> bool:
    """Return whether this is a sparse matrix of SciPy or PyTorch, or a `SparseTensor` of PyG."""
    shape = getattr(value, "shape", None)
    return is_sparse(value) or is_sparse_tensor(value) or ("sparse" in str(getattr(value, "layout", "")) and shape is not None and len(shape) == 2)


def is_sparse_tensor(value: Any) -> bool:
    """Return whether this is a `SparseTensor` of PyG."""
    return callable(getattr(value, "coo", None)) and callable(getattr(value, "sparse_sizes", None))


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
