"""Metrics that stand on their own; every tie rule is stated."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from . import _convert, _native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def hits_at_k(positives: Any, negatives: Any, k: int = 100) -> float:
    """Share of the positives scored strictly above the k-th highest negative; 1 where there are fewer than k negatives, as in OGB.

    Negatives of two dimensions are a row for each positive: then it is the share of the positives whose rank among their own is at most k.

    >>> import netinfof
    >>> netinfof.hits_at_k([0.9, 0.5, 0.1], [0.8, 0.4, 0.3], k=2)
    0.6666666666666666
    """
    if operator.index(k) < 1:
        raise ValueError(f"invalid `k`: {k} (need at least 1)")
    good, bad, each = _scores(positives, negatives)
    if each:
        return _native.own_ranks(good, bad, int(k), each)[0]
    return _native.hits_at_k(good, bad, int(k))


def mrr(positives: Any, negatives: Any) -> float:
    """Mean reciprocal rank of each positive among the negatives; a tie takes the mean of the best and the worst rank, as in OGB's evaluator.

    Negatives of two dimensions are a row for each positive, its own; of one dimension, all positives share them.

    >>> import netinfof
    >>> netinfof.mrr([0.9, 0.5], [[0.8, 0.4], [0.7, 0.1]])
    0.75
    """
    good, bad, each = _scores(positives, negatives)
    return _native.own_ranks(good, bad, 1, each)[1] if each else _native.mrr(good, bad)


def auc(positives: Any, negatives: Any) -> float:
    """Area under the ROC curve; ties count one half.

    >>> import netinfof
    >>> netinfof.auc([0.9, 0.4], [0.4, 0.1])
    0.875
    """
    good, bad, _ = _scores(positives, negatives)
    return _native.auc(good, bad)


def average_precision(positives: Any, negatives: Any) -> float:
    """The sum over thresholds of precision times the gain in recall; tied scores share a threshold.

    >>> import netinfof
    >>> netinfof.average_precision([0.9, 0.4], [0.5])
    0.8333333333333333
    """
    good, bad, _ = _scores(positives, negatives)
    return _native.average_precision(good, bad)


def information_score(groups: Any, labels: Any) -> float:
    """NetInfoF score of groups (bins, clusters) about labels: 2 to the power of minus H(labels | groups), never above the best accuracy.

    >>> import netinfof
    >>> netinfof.information_score([0, 0, 1, 1], ["a", "a", "b", "b"])
    1.0
    >>> netinfof.information_score([0, 0, 1, 1], ["a", "b", "a", "b"])
    0.5
    """
    import numpy as np

    first, second = _convert.array(groups).reshape(-1), _convert.array(labels).reshape(-1)
    if len(first) != len(second) or len(first) == 0:
        raise ValueError(f"invalid `labels`: {len(second)} of them (need one for each of the {len(first)} groups, and at least one)")
    bins, first = np.unique(first, return_inverse=True)
    classes, second = np.unique(second, return_inverse=True)
    shape = (len(bins), len(classes))
    return _native.information(first.reshape(-1).astype(np.int64), second.reshape(-1).astype(np.int64), shape)


def _scores(positives: Any, negatives: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Scores as they are ranked, and how many negatives each positive has of its own."""
    import numpy as np

    good = _convert.array(positives).astype(np.float64, copy=False).reshape(-1)
    bad = _convert.array(negatives).astype(np.float64, copy=False)
    each = bad.shape[1] if bad.ndim == 2 else 0
    if len(good) == 0 or bad.size == 0:
        raise ValueError("invalid scores: there must be positives and negatives")
    if bad.ndim > 2 or (each and len(bad) != len(good)):
        raise ValueError(f"invalid `negatives`: an array of shape {bad.shape} (need one row for each of the {len(good)} positives)")
    if np.isnan(good).any() or np.isnan(bad).any():
        raise ValueError("invalid scores: some are not numbers (NaN)")
    return good, np.ascontiguousarray(bad.reshape(-1)), each
