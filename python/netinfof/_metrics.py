"""Metrics for scores of any model; each states how it treats ties."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from . import _convert, _native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def hits_at_k(positives: Any, negatives: Any, k: int = 100) -> float:
    """Return the share of positives that rank among the best k.

    With shared negatives it is the share of positives that score strictly above the k-th highest negative,
    and 1 if there are fewer than k negatives, as in OGB. With negatives of its own for each positive it is
    the share of positives whose rank among them is at most k; a tie takes the mean of the best and the worst
    rank.

    Parameters
    ----------
    positives
        Scores of the positives.
    negatives
        Scores of the negatives: one dimension if all positives share them, or one row per positive.
    k
        Number of best ranks that count.

    Returns
    -------
    float
        Hits@K, from 0 to 1.

    Examples
    --------
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
    """Return the mean reciprocal rank of the positives among the negatives.

    A tie takes the mean of the best and the worst rank, as in the evaluator of OGB.

    Parameters
    ----------
    positives
        Scores of the positives.
    negatives
        Scores of the negatives: one dimension if all positives share them, or one row per positive.

    Returns
    -------
    float
        The mean reciprocal rank, above 0 and at most 1.

    Examples
    --------
    >>> import netinfof
    >>> netinfof.mrr([0.9, 0.5], [[0.8, 0.4], [0.7, 0.1]])
    0.75
    """
    good, bad, each = _scores(positives, negatives)
    return _native.own_ranks(good, bad, 1, each)[1] if each else _native.mrr(good, bad)


def auc(positives: Any, negatives: Any) -> float:
    """Return the area under the ROC curve; ties count one half.

    Parameters
    ----------
    positives
        Scores of the positives.
    negatives
        Scores of the negatives.

    Returns
    -------
    float
        The area, from 0 to 1.

    Examples
    --------
    >>> import netinfof
    >>> netinfof.auc([0.9, 0.4], [0.4, 0.1])
    0.875
    """
    good, bad, _ = _scores(positives, negatives)
    return _native.auc(good, bad)


def average_precision(positives: Any, negatives: Any) -> float:
    """Return the average precision: the sum over thresholds of precision times the increase in recall.

    Tied scores share a threshold.

    Parameters
    ----------
    positives
        Scores of the positives.
    negatives
        Scores of the negatives.

    Returns
    -------
    float
        The average precision, from 0 to 1.

    Examples
    --------
    >>> import netinfof
    >>> netinfof.average_precision([0.9, 0.4], [0.5])
    0.8333333333333333
    """
    good, bad, _ = _scores(positives, negatives)
    return _native.average_precision(good, bad)


def information_score(groups: Any, labels: Any) -> float:
    """Return the NetInfoF score of groups about labels: 2 to the power of -H(labels | groups).

    It is at most the accuracy of the best prediction of labels from groups.

    Parameters
    ----------
    groups
        Group of each sample, such as a bin or a cluster.
    labels
        Label of each sample.

    Returns
    -------
    float
        The score, above 0 and at most 1.

    Examples
    --------
    >>> import netinfof
    >>> netinfof.information_score([0, 0, 1, 1], ["a", "a", "b", "b"])
    1.0
    >>> netinfof.information_score([0, 0, 1, 1], ["a", "b", "a", "b"])
    0.5
    """
    import numpy as np

    first, second = _convert.array(groups).reshape(-1), _convert.array(labels).reshape(-1)
    if len(first) != len(second) or len(first) == 0:
        raise ValueError(f"invalid `labels`: a sequence of length {len(second)} (need one label per entry of `groups`, {len(first)} in all, and at least one)")
    bins, first = np.unique(first, return_inverse=True)
    classes, second = np.unique(second, return_inverse=True)
    shape = (len(bins), len(classes))
    return _native.information(first.reshape(-1).astype(np.int64), second.reshape(-1).astype(np.int64), shape)


def _scores(positives: Any, negatives: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Return checked scores, and the number of negatives per positive if each has its own, else 0."""
    import numpy as np

    good = _convert.array(positives).astype(np.float64, copy=False).reshape(-1)
    bad = _convert.array(negatives).astype(np.float64, copy=False)
    each = bad.shape[1] if bad.ndim == 2 else 0
    if len(good) == 0 or bad.size == 0:
        raise ValueError("invalid scores: no positives or no negatives (need at least one of each)")
    if bad.ndim > 2 or (each and len(bad) != len(good)):
        raise ValueError(f"invalid `negatives`: an array of shape {bad.shape} (need one row per positive, {len(good)} in all)")
    if np.isnan(good).any() or np.isnan(bad).any():
        raise ValueError("invalid scores: NaN (need numbers)")
    return good, np.ascontiguousarray(bad.reshape(-1)), each
