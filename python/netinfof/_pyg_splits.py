"""Splits of links as three `Data` of PyG: the tuple that `RandomLinkSplit` returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _convert, _packages
from ._graph import Graph, GraphLike
from ._options import warn
from ._splits import LinkSplit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PARTS = ("training", "validation", "test")


def read(splits: Sequence[Any], graph: GraphLike | None, relation: Any, key: str) -> LinkSplit:
    """Make a split of training, validation and test data."""
    import numpy as np

    splits = list(splits) if isinstance(splits, (list, tuple)) else [splits]
    if len(splits) != 3 or not all(_convert.is_pyg(data) or _convert.is_hetero(data) for data in splits):
        shown = ", ".join(type(data).__qualname__ for data in splits[:4])
        raise ValueError(f"invalid `splits`: {shown} (need training, validation and test data, as RandomLinkSplit returns them)")
    if _convert.is_hetero(splits[0]):
        relation = _relation_of(splits, relation, key)
    elif relation is not None:
        raise ValueError(f"invalid `relation`: {relation!r} (need None: the data have one type of edges)")
    stores = splits if relation is None else [data[relation] for data in splits]
    known = None if graph is None else Graph.of(graph)
    whole = _whole(splits, stores, relation, key) if known is None else known
    # Nodes of the second type, and the targets of a directed graph, follow the others.
    if relation is not None and relation[0] != relation[-1]:
        shift = int(splits[0][relation[0]].num_nodes)
    else:
        shift = whole.num_nodes // 2 if whole.directed else 0
    parts = [_labelled(store, key, name) for store, name in zip(stores, _PARTS)]
    passed = [_message_edges(store) for store in stores]
    if relation is None or relation[0] == relation[-1]:
        parts = _without_loops(parts)
        passed = [edges[edges[:, 0] != edges[:, 1]] for edges in passed]
    limit = shift or whole.num_nodes

    def numbered(pairs: NDArray[np.int64], place: str) -> NDArray[np.int64]:
        if len(pairs) and (int(pairs.min()) < 0 or int(pairs[:, 0].max()) >= limit or int(pairs[:, 1].max()) + shift >= whole.num_nodes):
            raise ValueError(f"invalid `splits`: the {place} data has a node outside the graph of {whole.num_nodes} nodes (need the graph that was split)")
        own = pairs + np.array([0, shift])
        return own if whole.directed else np.sort(own, axis=1)

    train = _distinct(numbered(np.concatenate([passed[0], parts[0][0]]), "training"))
    raw_valid, raw_test = (numbered(positives, place) for (positives, _), place in zip(parts[1:], _PARTS[1:]))
    if not shift:
        _check_directions(np.concatenate([passed[0], parts[0][0]]), {name: own for name, (own, _) in zip(_PARTS[1:], parts[1:])})
    valid, test = _distinct(raw_valid), _distinct(raw_test)
    beyond = _missing(_distinct(numbered(np.concatenate(passed[1:]), "test")), np.concatenate([train, valid, test]))
    if beyond:
        text = "edge of the validation or test data is" if beyond == 1 else "edges of the validation or test data are"
        warn(f"{beyond} {text} in none of the three parts, and not used")
    negatives = [numbered(own, place) if len(own) else None for (_, own), place in zip(parts[1:], _PARTS[1:])]
    if known is None:
        index = np.concatenate([train, valid, test]).T
        whole = _with_edges(splits[0], relation, index, whole.num_nodes)
    return LinkSplit(train, valid, test, valid_negatives=negatives[0], test_negatives=negatives[1], graph=whole)


def _relation_of(splits: Sequence[Any], relation: Any, key: str) -> tuple[str, ...]:
    """Return the type of the edges that have labels in the training data."""
    types = [tuple(kind) for kind in splits[0].edge_types]
    if relation is not None:
        if tuple(relation) not in types:
            raise ValueError(f"invalid `relation`: {relation!r} (need one of {', '.join(map(repr, types))})")
        return tuple(relation)
    labelled = [kind for kind in types if any(_field(splits[1][kind], name) is not None for name in (f"{key}_index", f"pos_{key}_index"))]
    if len(labelled) != 1:
        raise ValueError(f"invalid `splits`: {len(labelled)} types of edges with labels (need `relation`, one of {', '.join(map(repr, types))})")
    return labelled[0]


def _field(store: Any, name: str) -> Any:
    """Return an attribute of a store, or None."""
    return getattr(store, name, None)


def _labelled(store: Any, key: str, place: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positive and the negative pairs of a part."""
    import numpy as np

    if _field(store, f"pos_{key}_index") is not None:
        found = [_field(store, f"{sign}_{key}_index") for sign in ("pos", "neg")]
        none = np.zeros((0, 2), np.int64)
        positive, negative = (none if index is None else _columns(index, place) for index in found)
        return positive, negative
    index, label = _field(store, f"{key}_index"), _field(store, key)
    if index is None or label is None:
        raise ValueError(f"invalid `splits`: the {place} data has no `{key}_index` with `{key}` (need the result of RandomLinkSplit)")
    pairs, labels = _columns(index, place), _convert.array(label)
    if labels.shape != (len(pairs),):
        raise ValueError(f"invalid `splits`: the {place} data has {len(pairs)} pairs and labels of shape {labels.shape} (need one label per pair)")
    # Edges that had labels before have these plus one: 0 is always a negative.
    return pairs[labels > 0], pairs[labels == 0]


def _columns(index: Any, place: str) -> NDArray[np.int64]:
    import numpy as np

    found = _convert.array(index)
    if found.ndim != 2 or found.shape[0] != 2 or (found.size and found.dtype.kind not in "iu"):
        raise ValueError(f"invalid `splits`: the {place} data has pairs of shape {found.shape} (need two rows of node numbers)")
    return np.ascontiguousarray(found.T, np.int64)


def _without_loops(parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Leave out pairs of a node with itself, as graphs do; a warning counts those that would be evaluated."""
    found = [(edges[edges[:, 0] != edges[:, 1]], none[none[:, 0] != none[:, 1]]) for edges, none in parts]
    lost = sum(len(pairs) for part in parts[1:] for pairs in part) - sum(len(pairs) for part in found[1:] for pairs in part)
    if lost:
        warn(f"{lost} validation or test pair{' of a node with itself is' if lost == 1 else 's of a node with itself are'} left out")
    return found


def _message_edges(store: Any) -> NDArray[np.int64]:
    """Return the edges that messages pass along, by `edge_index` or `adj_t`."""
    import numpy as np

    parts = _packages.edges_of(store)
    return np.zeros((0, 2), np.int64) if parts is None else np.stack(parts[:2], axis=1)


def _whole(splits: Sequence[Any], stores: Sequence[Any], relation: Any, key: str) -> Graph:
    """Return the graph of the training data, with all nodes that any part names."""
    data = splits[0]
    if relation is not None:
        return Graph._of_parts(_packages.hetero(data, relation)[0]._replace(unused=()), "graph")
    most = 0
    for store, place in zip(stores, _PARTS):
        positive, negative = _labelled(store, key, place)
        most = max([most, *(int(pairs.max()) + 1 for pairs in (positive, negative, _message_edges(store)) if len(pairs))])
    parts = _packages.pyg(data)
    return Graph._of_parts(parts._replace(num_nodes=max(parts.num_nodes, most) if parts.x is None else parts.num_nodes, unused=()), "graph")


def _with_edges(data: Any, relation: Any, index: Any, num_nodes: int) -> Graph:
    """Return the graph of some data with these edges."""
    parts = _packages.pyg(data) if relation is None else _packages.hetero(data, relation)[0]
    return Graph._of_parts(parts._replace(source=index[0], target=index[1], num_nodes=num_nodes, weights=None, times=None), "graph")


def _distinct(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    import numpy as np

    return np.unique(pairs, axis=0) if len(pairs) else pairs.reshape(0, 2)


def _keys(pairs: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    return pairs[:, 0] * base + pairs[:, 1]


def _missing(pairs: NDArray[np.int64], among: NDArray[np.int64]) -> int:
    """Return how many of these pairs are not among others."""
    import numpy as np

    base = max((int(own.max()) + 1 for own in (pairs, among) if len(own)), default=1)
    return int((~np.isin(_keys(pairs, base), _keys(among, base))).sum())


def _check_directions(train: NDArray[np.int64], held: dict[str, NDArray[np.int64]]) -> None:
    """Refuse held-out edges that are training edges in the other direction only: a leak."""
    import numpy as np

    base = max((int(own.max()) + 1 for own in (train, *held.values()) if len(own)), default=1)
    there = _keys(train, base)
    for place, pairs in held.items():
        loops = pairs[:, 0] == pairs[:, 1]
        leaked = np.isin(_keys(pairs[:, ::-1], base), there) & ~np.isin(_keys(pairs, base), there) & ~loops
        if leaked.any():
            i, j = pairs[leaked][0].tolist()
            number = int(leaked.sum())
            raise ValueError(
                f"invalid `splits`: {number} {place} edge{' is a training edge' if number == 1 else 's are training edges'} in the other direction, such as ({i}, {j});"
                " need RandomLinkSplit(is_undirected=True), or graph=Graph(edge_index, x, directed=True) if directions matter"
            )


def plain(graph: Graph, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return pairs with the node numbers that other packages use: in a directed graph, targets are not nodes of their own."""
    import numpy as np

    return pairs - np.array([0, graph.num_nodes // 2]) if graph.directed else np.array(pairs)


def messages_of(graph: Graph, edges: NDArray[np.int64]) -> tuple[Any, Any, int]:
    """Return edges for messages as two rows, in both directions unless the graph is directed, their weights, and the number of nodes."""
    import numpy as np

    weights = None
    if graph.edge_weight is not None:
        own, weight = graph.edge_index, graph.edge_weight
        place = _keys(own.T, graph.num_nodes)
        order = np.argsort(place)
        asked = _keys(edges if graph.directed else np.sort(edges, axis=1), graph.num_nodes)
        at = order[np.minimum(np.searchsorted(place[order], asked), len(order) - 1)]
        if (place[at] != asked).any():
            raise ValueError("invalid split: it has edges that are not edges of its graph (need their weights)")
        weights = weight[at]
    if graph.directed:
        return np.ascontiguousarray(plain(graph, edges).T), weights, graph.num_nodes // 2
    both = np.ascontiguousarray(np.concatenate([edges, edges[:, ::-1]]).T)
    return both, None if weights is None else np.concatenate([weights, weights]), graph.num_nodes


def write(split: LinkSplit, graph: Graph, messages: str) -> tuple[Any, Any, Any]:
    """Return training, validation and test data of PyG."""
    import numpy as np
    import torch
    from torch_geometric.data import Data

    if messages not in ("pyg", "train"):
        raise ValueError(f"invalid `messages`: {messages!r} (need 'pyg' or 'train')")
    tensors = graph._tensors()
    known = np.concatenate([split.train, split.valid]) if messages == "pyg" else split.train

    def part(passed: NDArray[np.int64], edges: NDArray[np.int64], negatives: NDArray[np.int64]) -> Any:
        index, weights, num_nodes = messages_of(graph, passed)
        data = Data(edge_index=torch.from_numpy(index), num_nodes=num_nodes, **tensors)
        if weights is not None:
            data.edge_weight = torch.from_numpy(weights)
        pairs = plain(graph, np.concatenate([edges, negatives]))
        data.edge_label_index = torch.from_numpy(np.ascontiguousarray(pairs.T))
        data.edge_label = torch.cat([torch.ones(len(edges)), torch.zeros(len(negatives))])
        return data

    none = np.zeros((0, 2), np.int64)
    held = part(split.train, split.valid, split.valid_negatives)
    return part(split.train, split.train, none), held, part(known, split.test, split.test_negatives)
