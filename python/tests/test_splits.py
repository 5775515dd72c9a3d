"""Splits and metrics on their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import netinfof


def test_a_split_of_links_is_what_it_says(demo: netinfof.Graph) -> None:
    split = netinfof.link_split(demo, train=0.6, valid=0.2, random_state=5)
    edges = {tuple(pair) for pair in demo.edge_index.T.tolist()}
    parts = [{tuple(sorted(pair)) for pair in part.tolist()} for part in (split.train, split.valid, split.test)]
    assert set.union(*parts) == edges and sum(map(len, parts)) == len(edges)
    assert abs(len(split.train) / len(edges) - 0.6) < 0.001 and len(split.valid) == len(split.valid_negatives)
    negatives = {tuple(sorted(pair)) for part in (split.valid_negatives, split.test_negatives) for pair in part.tolist()}
    assert not negatives & edges and len(negatives) == len(split.valid) + len(split.test)
    assert np.array_equal(netinfof.link_split(demo, train=0.6, valid=0.2, random_state=5).test, split.test)
    assert not np.array_equal(netinfof.link_split(demo, train=0.6, valid=0.2, random_state=6).test, split.test)
    assert netinfof.link_split(demo, negatives="heart").negatives_each == 500


def test_a_split_of_nodes_is_what_it_says(demo: netinfof.Graph) -> None:
    split = netinfof.node_split(demo, train=0.25, valid=0.25)
    assert sorted([*split.train, *split.valid, *split.test]) == list(range(1200))
    assert demo.y is not None
    counts = np.bincount(demo.y[split.train]) / np.bincount(demo.y)
    assert np.allclose(counts, 0.25, atol=0.01)
    masks = split.masks()
    assert masks["val_mask"].sum() == len(split.valid)
    again = netinfof.NodeSplit.from_masks(masks["train_mask"], masks["val_mask"], masks["test_mask"])
    assert np.array_equal(again.test, split.test)
    with pytest.raises(ValueError, match=r"a mask of shape \(4, 10\)"):
        netinfof.NodeSplit.from_masks(*[np.ones((4, 10), bool)] * 3)


def test_checks_find_leaks(demo: netinfof.Graph, tmp_path: Path) -> None:
    split = netinfof.link_split(demo)
    assert split.check() and str(split.check()).startswith("no problems found")
    split.test_negatives[0] = split.valid[0]
    checked = netinfof.check_split(demo, split)
    assert not checked and {finding.kind for finding in checked.findings} == {"test-negatives-are-edges"}
    nodes = netinfof.node_split(demo)
    nodes.test[0] = nodes.train[0]
    assert not nodes.check()
    netinfof.node_split(demo).save(tmp_path / "nodes.npz")
    assert netinfof.check_split(demo, tmp_path / "nodes.npz").findings == netinfof.node_split(demo).check().findings


def test_a_mistaken_split_is_refused(demo: netinfof.Graph) -> None:
    split = netinfof.link_split(demo)
    split.test[0] = split.train[0]
    with pytest.raises(ValueError, match="1 validation or test edges are training edges too"):
        netinfof.probe(demo, split=split)
    with pytest.raises(ValueError, match=r"need two columns of node numbers"):
        netinfof.LinkSplit(np.ones((3, 3), int), split.valid, split.test)
    with pytest.raises(ValueError, match="use `.T` for an edge index"):
        netinfof.LinkSplit(split.train.T, split.valid, split.test)
    with pytest.raises(ValueError, match="each edge has negatives of its own"):
        netinfof.probe(demo, split=netinfof.link_split(demo, negatives="heart"))
    other = netinfof.LinkSplit(split.train[::-1] // 2, split.valid, split.test)
    with pytest.warns(UserWarning, match="training edges are not in the graph"), pytest.raises(ValueError):
        netinfof.probe(demo, split=netinfof.LinkSplit(np.r_[other.train, split.test[:1]], split.valid, split.test))
    with pytest.raises(ValueError, match="the split has no graph"):
        netinfof.LinkSplit(split.train, split.valid, split.test).check()


def test_metrics_against_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    draw = np.random.default_rng(1)
    good, bad = draw.normal(1, 1, 300).round(1), draw.normal(0, 1, 500).round(1)
    truth, scores = np.r_[np.ones(300), np.zeros(500)], np.r_[good, bad]
    assert netinfof.auc(good, bad) == pytest.approx(metrics.roc_auc_score(truth, scores), abs=1e-12)
    assert netinfof.average_precision(good, bad) == pytest.approx(metrics.average_precision_score(truth, scores), abs=1e-12)


def test_ranks_as_ogb_counts_them() -> None:
    """The rule of OGB's evaluator, written out: the mean of the optimistic and the pessimistic rank."""
    draw = np.random.default_rng(2)
    good, bad = draw.integers(0, 9, 40).astype(float), draw.integers(0, 9, (40, 25)).astype(float)
    optimistic = (bad > good[:, None]).sum(1)
    pessimistic = (bad >= good[:, None]).sum(1)
    rank = 0.5 * (optimistic + pessimistic) + 1
    assert netinfof.mrr(good, bad) == pytest.approx((1 / rank).mean(), abs=1e-12)
    assert netinfof.hits_at_k(good, bad, 10) == pytest.approx((rank <= 10).mean(), abs=1e-12)
    shared = bad.reshape(-1)
    assert netinfof.hits_at_k(good, shared, 100) == (good > np.sort(shared)[-100]).mean()
    assert netinfof.hits_at_k([0.1], [0.5, 0.7], k=3) == 1.0
    assert netinfof.mrr([0.5], [0.5]) == pytest.approx(1 / 1.5)


def test_information_by_hand() -> None:
    # H(Y|X) = (3/6)·H(1/3) + (3/6)·0
    entropy = 0.5 * -(1 / 3 * np.log2(1 / 3) + 2 / 3 * np.log2(2 / 3))
    assert netinfof.information_score([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]) == pytest.approx(2**-entropy)


def test_scores_that_cannot_be_ranked() -> None:
    for good, bad in (([], [1]), ([1], []), ([float("nan")], [1]), ([1, 2], [[1, 2]])):
        with pytest.raises(ValueError, match="invalid"):
            netinfof.mrr(good, bad)
    with pytest.raises(ValueError, match="`k`: 0"):
        netinfof.hits_at_k([1], [0], k=0)
    with pytest.raises(TypeError):
        netinfof.hits_at_k([1], [0], k=0.5)  # type: ignore[arg-type]
