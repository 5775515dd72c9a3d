"""Readers for graphs of other packages: PyG, DGL, networkx, igraph and SciPy.

Every reader returns :class:`Parts`. The order of the nodes is that of the object, and the names of the
nodes are kept. None of the packages is imported.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._convert import (
    DIRECTIONS,
    LABELS,
    REPEATS,
    Parts,
    array,
    attribute_times,
    attribute_weights,
    attributes,
    count,
    distinct,
    edge_weights,
    ends,
    is_adjacency,
    is_directed,
    is_sparse,
    is_sparse_tensor,
    listed_both_ways,
    times_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def pyg(data: Any, weight: str | None = None, time: str | None = None) -> Parts:
    """Read a `Data` of PyG: `edge_index` or `adj_t`, `x`, `y` and the masks."""
    found_edges = edges_of(data)
    if found_edges is None:
        raise ValueError("invalid graph: the data has no edges (need `edge_index` or `adj_t`)")
    source, target, values = found_edges
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
    if values is not None and (values != 1).any():
        own.append("adj_t")

    def weights_in() -> Any:
        return values if weight == "adj_t" else getattr(data, str(weight))

    # PyG keeps the names in a set, whose order differs between processes.
    weights = attribute_weights(weight, own, weights_in, len(source))
    rest = sorted(name for name in own if name not in (weight, "adj_t"))
    of_matrix = ("edge weights (values of `adj_t`)",) if "adj_t" in own and weight != "adj_t" else ()
    unused = attributes(rest) + of_matrix + _directions(source, target, num_nodes)
    three = found if len(found) == 3 else None
    return Parts(source, target, num_nodes, x, y, masks=three, found=True, unused=unused, weights=weights, times=times)


def edges_of(data: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], Any] | None:
    """Return sources, targets and values of `edge_index` or `adj_t`; the first has no values. None without either."""
    if getattr(data, "edge_index", None) is not None:
        return (*ends(data.edge_index, sure=True), None)
    if getattr(data, "adj_t", None) is not None:
        # The matrix is transposed: its rows are targets.
        target, source, values, _ = _stored(data.adj_t)
        return source, target, values
    return None


def _stored(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], Any, tuple[int, int]]:
    """Return rows, columns and values of the entries of a sparse matrix other than zero, and its shape."""
    import numpy as np

    if is_sparse(matrix):
        coo = matrix.tocoo()
        rows, columns, values, shape = coo.row, coo.col, coo.data, coo.shape
    elif is_sparse_tensor(matrix):
        ends_and_values = matrix.coo()
        rows, columns = (array(end) for end in ends_and_values[:2])
        values = np.ones(len(rows)) if ends_and_values[2] is None else array(ends_and_values[2])
        shape = matrix.sparse_sizes()
    else:
        coo = matrix.detach().to_sparse_coo().coalesce()
        (rows, columns), values, shape = array(coo.indices()), array(coo.values()), coo.shape
    if values.ndim != 1:
        raise ValueError(f"invalid graph: an adjacency matrix with values of shape {values.shape[1:]} (need one number per edge)")
    stored = values != 0
    return rows[stored].astype(np.int64, copy=False), columns[stored].astype(np.int64, copy=False), values[stored], (int(shape[0]), int(shape[1]))


#: Edge attributes of PyG that do not describe the edges of the graph.
_OF_PYG = frozenset(("edge_index", "edge_label", "edge_label_index"))


def _directions(source: NDArray[np.int64], target: NDArray[np.int64], num_nodes: int) -> tuple[str, ...]:
    return (DIRECTIONS,) if listed_both_ways(source, target) and is_directed(source, target, num_nodes) else ()


def dgl(graph: Any, features: str | None, label: str | None, weight: str | None = None, time: str | None = None) -> Parts:
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
        unused=attributes(name for name in graph.edata if not str(name).startswith("_") and name not in (weight, time))
        + _directions(source, target, num_nodes),
        weights=attribute_weights(weight, graph.edata, lambda: graph.edata[weight], len(source)),
        times=attribute_times(time, graph.edata, lambda: graph.edata[time], len(source)),
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
    graph: Any, features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None, weight: str | None = None, time: str | None = None
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
    weights = attribute_weights(weight, names, lambda: [own.get(weight, math.nan) for _, _, own in graph.edges(data=True)], len(index))
    unused = _of_edges(index, len(nodes), bool(graph.is_directed()), weight is not None or time is not None) + attributes(name for name in names if name not in (weight, time))
    times = attribute_times(time, names, lambda: [own.get(time) for _, _, own in graph.edges(data=True)], len(index))
    sides = [own.get("bipartite") for _, own in graph.nodes(data=True)]
    # The convention of networkx for bipartite graphs, if it is true of the edges.
    second = np.array([side == 1 for side in sides], bool)
    stated = bool(sides) and all(side in (0, 1) for side in sides) and bool((second[index[:, 0]] != second[index[:, 1]]).all())
    return Parts(
        index[:, 0], index[:, 1], len(nodes), x, y, None if plain else nodes, found=label is None, unused=unused, times=times,
        weights=weights, target_kind="classes" if label is None else None, sides=second.tolist() if stated else None,
    )  # fmt: skip


def _of_edges(index: NDArray[np.int64], num_nodes: int, directed: bool, weighted: bool) -> tuple[str, ...]:
    """Return descriptions of directions and repeats in a list of edges of networkx or igraph."""
    import numpy as np

    source, target = index[:, 0], index[:, 1]
    if not directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    # The weights of parallel edges are summed.
    repeats = not weighted and len(distinct(source * num_nodes + target)) < len(index)
    return ((DIRECTIONS,) if directed and is_directed(source, target, num_nodes) else ()) + ((REPEATS,) if repeats else ())


def igraph(
    graph: Any, features: str | Sequence[str] | Literal[False] | None, label: str | Literal[False] | None, weight: str | None = None, time: str | None = None
) -> Parts:
    """Read a graph of igraph; the names of its nodes are the attribute `name`, if there is one."""
    import numpy as np

    index = np.asarray(graph.get_edgelist(), np.int64).reshape(-1, 2)
    names = list(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    x, y = _attributes([vertex.attributes() for vertex in graph.vs], names or range(graph.vcount()), features, label)
    own = graph.es.attributes()
    weights = attribute_weights(weight, own, lambda: graph.es[weight], len(index))
    times = attribute_times(time, own, lambda: graph.es[time], len(index))
    rest = attributes(name for name in own if name not in (weight, time))
    unused = _of_edges(index, int(graph.vcount()), bool(graph.is_directed()), weight is not None or time is not None) + rest
    return Parts(index[:, 0], index[:, 1], int(graph.vcount()), x, y, names, found=label is None, unused=unused, times=times, weights=weights, target_kind="classes" if label is None else None)


def _reverse_of(kind: tuple[str, str, str], types: list[tuple[str, str, str]]) -> tuple[str, str, str] | None:
    """Return the relation whose reverse edges this one holds, by its name."""
    first, name, second = kind
    forward = (second, name[len("rev_") :], first)
    return forward if name.startswith("rev_") and forward in types else None


def _relation_ends(data: Any, relation: tuple[str, str, str]) -> tuple[Any, Any]:
    """Return the two ends of a relation, numbered within their types."""
    source, target = ends(data[relation].edge_index, sure=True)
    for index, kind in ((source, relation[0]), (target, relation[2])):
        number = int(data[kind].num_nodes)
        if len(index) and (int(index.min()) < 0 or int(index.max()) >= number):
            raise ValueError(f"invalid graph: relation {relation!r} names a node of type {kind!r} outside 0 to {number - 1}")
    return source, target


def _context_of(types: list[tuple[str, str, str]], relation: tuple[str, str, str], context: Any) -> list[tuple[str, str, str]]:
    """Return the relations that are structure: those that were asked for, without reverse edges."""
    listed = ", ".join(map(repr, types)) or "none"
    if context is None:
        return []
    if isinstance(context, str):
        if context != "all":
            raise ValueError(f"invalid `context`: {context!r} (need 'all' or a list of relations: {listed})")
        # Reverse edges of a relation that is used add nothing.
        return [kind for kind in types if kind != relation and _reverse_of(kind, types) is None]
    asked = [tuple(kind) for kind in context]
    for kind in asked:
        if kind not in types:
            raise ValueError(f"invalid `context`: {kind!r} (need some of {listed})")
        if kind == relation:
            raise ValueError(f"invalid `context`: {kind!r} (need other relations than the one to predict)")
        if _reverse_of(kind, types) == relation or _reverse_of(relation, types) == kind:
            raise ValueError(f"invalid `context`: {kind!r} (need other relations: it holds the reverse edges of the one to predict, which would reveal held-out edges)")
    return asked


def _stacked(data: Any, kinds: list[str], counts: list[int]) -> list[Any] | None:
    """Return the features of every type, in common columns; types with different features get columns of their own."""
    import numpy as np

    features = [getattr(data[kind], "x", None) for kind in kinds]
    if all(own is None for own in features):
        return None
    rows = [np.zeros((number, 0), np.float32) if own is None else array(own) for own, number in zip(features, counts)]
    if len({own.shape[1] for own in rows}) == 1:
        return rows
    found, left = [], 0
    for own in rows:
        wide = np.zeros((own.shape[0], sum(other.shape[1] for other in rows)), np.float32)
        wide[:, left : left + own.shape[1]] = own
        found.append(wide)
        left += own.shape[1]
    return found


def hetero(data: Any, relation: tuple[str, str, str] | None, weight: str | None = None, context: Any = None) -> tuple[Parts, Any]:
    """Read one relation of a `HeteroData` of PyG, and others as context. Nodes of the first type come first."""
    import numpy as np

    types = [tuple(kind) for kind in data.edge_types]
    listed = ", ".join(map(repr, types)) or "none"
    if relation is None:
        forward = [kind for kind in types if _reverse_of(kind, types) is None]
        if len(forward) != 1:
            raise ValueError(
                "invalid graph: it has several types of nodes or edges (need one relation to predict, reverse edges aside:"
                f" `Graph.from_hetero` takes one of them as `relation`, and the others as `context`: {listed})"
            )
        relation = forward[0]
    chosen = next((kind for kind in types if kind == tuple(relation)), None)
    if chosen is None:
        raise ValueError(f"invalid `relation`: {relation!r} (need one of {listed})")
    relation = chosen
    others = _context_of(types, relation, context)
    first, name, second = relation
    source, target = _relation_ends(data, relation)
    kinds = [first] if first == second else [first, second]
    own_kinds = len(kinds)
    for kind in (end for other in others for end in (other[0], other[2])):
        if kind not in kinds:
            kinds.append(kind)
    counts = [int(data[kind].num_nodes) for kind in kinds]
    place = dict(zip(kinds, np.cumsum([0, *counts[:-1]]).tolist()))
    num_nodes = sum(counts[:own_kinds])
    target = target + place[second]
    features = _stacked(data, kinds, counts)
    x = None if features is None else np.concatenate(features[:own_kinds])
    own = [key for key in data[relation] if key.startswith("edge_") and key not in _OF_PYG]
    weights = attribute_weights(weight, own, lambda: data[relation][weight], len(source))
    unused = [f"{key} of {relation!r}" for key in own if key != weight]
    # Reverse edges repeat the relation: they would reveal its held-out edges, and are never used.
    unused += [f"relation {kind!r}" for kind in types if kind != relation and kind not in others and _reverse_of(kind, types) not in (relation, *others)]
    for other in others:
        unused += [f"{key} of {other!r}" for key in data[other] if key.startswith("edge_") and key not in _OF_PYG]
    sides = None if first == second else [False] * counts[0] + [True] * counts[1]
    names = None if first == second else (str(first), str(second))
    parts = Parts(source, target, num_nodes, x, sides=sides, side_names=names, unused=tuple(unused), weights=weights)
    if not others:
        return parts, None
    relations = []
    for other in others:
        from_node, to_node = _relation_ends(data, other)
        relations.append((".".join(map(str, other)), np.stack([from_node + place[other[0]], to_node + place[other[2]]])))
    more = list(zip(kinds, counts))[own_kinds:]
    node_names = [f"{kind}:{node}" for kind, count in more for node in range(count)]
    node_types = [at for at, (_, count) in enumerate(more) for _ in range(count)]
    # Without features of their own, context nodes get usual values.
    bare = features is None or all(getattr(data[kind], "x", None) is None for kind, _ in more)
    return parts, (relations, node_names, node_types, None if bare or features is None else np.concatenate(features[own_kinds:]))


def sparse(adjacency: Any, weighted: bool = False) -> Parts:
    """Read the pattern of a sparse matrix: square, or of the two sides of a bipartite graph."""
    if not is_adjacency(adjacency):
        raise TypeError(f"not a sparse adjacency matrix: {type(adjacency).__qualname__} (scipy.sparse.csr_array converts a dense array)")
    source, target, values, (rows, cols) = _stored(adjacency)
    weights = edge_weights(values, len(source), "adjacency") if weighted else None
    lost = not weighted and (values != 1).any()
    unused = ("edge weights (values of the matrix other than 0 and 1)",) if lost else ()
    if rows != cols:
        sides = [False] * rows + [True] * cols
        return Parts(source, target + rows, rows + cols, unused=unused, sides=sides, weights=weights)
    directions = ("edge directions (the matrix is not symmetric)",) if is_directed(source, target, rows) else ()
    return Parts(source, target, rows, unused=unused + directions, weights=weights)
