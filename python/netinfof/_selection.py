"""Model selection on one graph: the graph is a parameter of the estimator, and samples are nodes or pairs of it.

Tools for model selection choose among samples. Only labels and edges of the chosen ones are used in
``fit``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _arrays, _convert
from ._graph import Graph
from ._options import RandomState, seed_of
from ._splits import LinkSplit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def rows_of(graph: Graph, X: Any) -> NDArray[np.int64]:
    """Return the node numbers of samples: a sequence of nodes, or a table of one column."""
    values = _convert.array(X) if hasattr(X, "shape") else X
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        values = values[:, 0]
    if shape is not None and len(shape) > 1 and shape[1] != 1:
        raise ValueError(f"invalid `X`: an array of shape {tuple(shape)} (need nodes of `graph`, one per sample)")
    return graph._asked(values)


def labelled(graph: Graph, X: Any, y: Any, kind: str | None, whose: str) -> Graph:
    """Return the graph with the target of these nodes only."""
    import numpy as np

    if y is None:
        raise ValueError(f"{whose} requires y to be passed, but the target y is None")
    nodes = rows_of(graph, X)
    labels, classes, numbers, rows, names = _arrays.target(y, kind)
    given = next(own for own in (labels, numbers, rows) if own is not None)
    if len(given) != len(nodes):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(nodes), len(given)]}")

    def spread(values: Any, unknown: float) -> Any:
        if values is None:
            return None
        own = np.full((graph.num_nodes, *values.shape[1:]), unknown, values.dtype)
        own[nodes] = values
        differs = own[nodes] != values
        if values.dtype.kind == "f":
            differs &= ~np.isnan(values)
        twice = np.flatnonzero(differs.reshape(len(nodes), -1).any(axis=1))
        if twice.size:
            raise ValueError(f"invalid `y`: two values of node {graph.nodes[nodes[twice[:1]]].tolist()[0]!r} (need one per node)")
        return own

    return graph._with_codes(spread(labels, -1), classes, spread(numbers, np.nan), spread(rows, -1), names)


def split_of(graph: Graph, X: Any, y: Any, shares: tuple[float, float], seed: RandomState, whose: str) -> tuple[LinkSplit, float]:
    """Return a split of the pairs that are edges, with the other pairs as negatives, and the share of edges."""
    import numpy as np

    if y is None:
        raise ValueError(f"{whose} requires y to be passed, but the target y is None (need 1 for edges and 0 for other pairs)")
    pairs = graph.numbers_of(X)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"invalid `X`: an array of shape {pairs.shape} (need two columns, the nodes of each pair)")
    given = _convert.array(y).reshape(-1)
    if len(given) != len(pairs):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(pairs), len(given)]}")
    other = [value for value in dict.fromkeys(given.tolist()) if value not in (0, 1)]
    if other:
        raise ValueError(f"invalid `y`: {other[0]!r} (need 1 for edges and 0 for other pairs)")
    train, valid = shares
    if not (train > 0 and valid > 0 and train + valid < 1):
        raise ValueError(f"invalid `train` and `valid`: {train} and {valid} (need shares above 0 with a sum below 1)")
    edge = given.astype(bool)
    draw = np.random.default_rng(seed_of(seed))
    edges, others = (draw.permutation(pairs[which]) for which in (edge, ~edge))
    held, validated = (max(1, round(share * len(edges))) for share in (1 - train - valid, valid))
    if len(edges) < held + validated + 1:
        raise ValueError(f"invalid `y`: {len(edges)} edge{'s' if len(edges) != 1 else ''} (need at least 3)")
    cut = round(len(others) * valid / (1 - train))
    split = LinkSplit(
        edges[held + validated :],
        edges[held : held + validated],
        edges[:held],
        valid_negatives=others[:cut],
        test_negatives=others[cut:],
    )
    return split, float(edge.mean())

