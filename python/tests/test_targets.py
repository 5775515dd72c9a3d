"""Numeric targets and sets of labels: graphs, estimators, saved models."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import netinfof
from netinfof import Graph, Model, NodeClassifier, NodeRegressor

RNG = np.random.default_rng(0)
NODES = 300
EDGES = RNG.integers(0, NODES, (2, 1500))
X = RNG.normal(size=(NODES, 5)).astype(np.float32)
NUMBERS = 2.0 * X[:, 0] - X[:, 1] + 0.3 * RNG.normal(size=NODES)
LABELS = np.stack([X[:, 0] > 0, X[:, 1] > 0.5], axis=1).astype(int)


def test_graphs_have_one_target() -> None:
    graph = Graph(EDGES, X, NUMBERS)
    assert graph.target == "numbers" and graph.y is not None
    assert np.array_equal(graph.y, NUMBERS)
    unknown = Graph(EDGES, X, np.where(np.arange(NODES) < 3, np.nan, NUMBERS))
    assert unknown.y is not None and np.isnan(unknown.y[:3]).all() and not np.isnan(unknown.y[3:]).any()
    labels = Graph(EDGES, X, LABELS)
    assert labels.target == "labels" and labels.label_names == ["0", "1"]
    assert labels.y is not None and np.array_equal(labels.y, LABELS)
    assert Graph(EDGES, X, LABELS[:, 0]).target == "classes"
    assert Graph(EDGES, X, LABELS[:, 0], target="numbers").target == "numbers"
    for whole in (graph, labels):
        again = pickle.loads(pickle.dumps(whole))
        assert again.target == whole.target and again.y is not None and whole.y is not None
        assert np.array_equal(again.y, whole.y)
    with pytest.raises(ValueError, match="is inf"):
        Graph(EDGES, X, np.where(np.arange(NODES) < 1, np.inf, NUMBERS))
    with pytest.raises(ValueError, match="invalid `target`"):
        Graph(EDGES, X, NUMBERS, target="ranks")  # type: ignore[arg-type]


def test_a_regressor_predicts_numbers(tmp_path: Path) -> None:
    model = NodeRegressor(dim=16).fit(X, NUMBERS, edge_index=EDGES)
    found = model.predict()
    assert found.shape == (NODES,) and model.test_["r2"] > 0.8
    assert model.score() == model.test_["r2"]
    assert np.array_equal(model.predict(X, edge_index=EDGES), found)
    assert model.score(X, NUMBERS, edge_index=EDGES) == pytest.approx(1 - ((NUMBERS - found) ** 2).sum() / ((NUMBERS - NUMBERS.mean()) ** 2).sum())
    values = model.model_.node_values()
    assert (values["low"] <= values["median"]).all() and (values["median"] <= values["high"]).all()
    model.model_.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    assert loaded.target == "numbers" and np.array_equal(loaded.node_values()["value"], found)
    with pytest.raises(ValueError, match="its target is numbers"):
        loaded.node_probabilities()
    result = netinfof.probe(Graph(EDGES, X, NUMBERS), task="nodes", shares=(0.5, 0.25))
    assert result.verdict.kind in ("features", "undecided") and result.data["predictive_information"]["target"] == "numbers"
    with pytest.raises(ValueError, match="NodeRegressor"):
        NodeClassifier().fit(X, NUMBERS, edge_index=EDGES)
    with pytest.raises(ValueError, match="requires y to be passed"):
        NodeRegressor().fit(X, edge_index=EDGES)


def test_a_classifier_predicts_label_sets(tmp_path: Path) -> None:
    model = NodeClassifier(dim=16).fit(X, LABELS, edge_index=EDGES)
    found, probabilities = model.predict(), model.predict_proba()
    assert found.shape == probabilities.shape == LABELS.shape and set(np.unique(found)) == {0, 1}
    assert model.test_["micro_f1"] > 0.8 and model.score() == model.test_["micro_f1"]
    assert (found == LABELS).mean() > 0.85
    assert model.score(X, LABELS, edge_index=EDGES) > 0.8
    model.model_.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    assert loaded.label_names == ["0", "1"] and np.array_equal(loaded.node_probabilities(), probabilities)
    tested = netinfof.act(Graph(EDGES, X, LABELS), task="nodes", shares=(0.5, 0.25)).tested
    assert tested is not None and tested.truth.shape == tested.scores.shape
