"""Model selection of scikit-learn on one graph: samples are nodes or pairs."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import netinfof

base = pytest.importorskip("sklearn.base")
selection = pytest.importorskip("sklearn.model_selection")
pipeline = pytest.importorskip("sklearn.pipeline")
linear = pytest.importorskip("sklearn.linear_model")


@pytest.fixture(scope="module")
def small() -> netinfof.Graph:
    """Two communities whose members have similar features."""
    rng = np.random.default_rng(0)
    block = np.repeat([0, 1], 100)
    pairs = rng.integers(0, 200, (2, 6000))
    pairs = pairs[:, (block[pairs[0]] == block[pairs[1]]) & (pairs[0] != pairs[1])][:, :900]
    x = rng.normal(size=(200, 6)).astype(np.float32)
    x[:, 0] += 2 * block
    return netinfof.Graph(pairs, x, block)


def pairs_of(graph: netinfof.Graph) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    edges = graph.edge_index.T
    known = {tuple(edge) for edge in edges.tolist()}
    drawn = [tuple(sorted(pair)) for pair in rng.integers(0, graph.num_nodes, (4000, 2)).tolist()]
    others = list(dict.fromkeys(pair for pair in drawn if pair[0] != pair[1] and pair not in known))[: len(edges)]
    # Sorted edges would make folds of different parts of the graph.
    order = rng.permutation(len(edges) + len(others))
    return np.concatenate([edges, others])[order], np.repeat([1, 0], [len(edges), len(others)])[order]


def test_search_over_nodes(small: netinfof.Graph) -> None:
    nodes, y = np.arange(200), np.array(["left", "right"])[small.y]
    model = netinfof.NodeClassifier(graph=small, dim=8, components="U,F,S")
    scores = selection.cross_val_score(model, nodes, y, cv=3)
    assert scores.min() > 0.9
    search = selection.GridSearchCV(model, {"dim": [1, 8], "components": ["F", "U,S"]}, cv=2, scoring="neg_log_loss").fit(nodes, y)
    assert search.best_params_["components"] == "U,S" and set(search.classes_) == {"left", "right"}
    assert search.predict([5, 150]).tolist() == ["left", "right"]
    # A table of one column, as frames of samples are.
    assert (search.predict(nodes[:, None]) == search.predict(nodes)).all()


def test_warnings_are_about_the_line_of_the_caller(small: netinfof.Graph) -> None:
    """Also where scikit-learn lies between."""
    steps = pipeline.make_pipeline(netinfof.NetInfoFEmbedding(dim=2, components="F"), linear.LogisticRegression())
    with pytest.warns(UserWarning, match="without an edge_index") as record:
        steps.fit(small.x, small.y)
    assert {warning.filename for warning in record} == {__file__}
    with pytest.warns(UserWarning, match="without an edge_index") as record:
        selection.cross_val_score(steps, small.x, small.y, cv=2)
    assert {warning.filename for warning in record} == {__file__}


def test_only_the_classes_of_the_samples_are_used(small: netinfof.Graph) -> None:
    """Classes of other nodes cannot leak from the graph: without them the model is the same."""
    assert small.y is not None
    chosen = np.arange(0, 200, 2)
    bare = netinfof.Graph(small.edge_index, small.x)
    one, two = (netinfof.NodeClassifier(graph=graph, dim=8, components="U,F").fit(chosen, small.y[chosen]) for graph in (small, bare))
    assert np.array_equal(one.predict_proba(), two.predict_proba())
    hidden = np.where(np.arange(200) % 2 == 0, small.y, -1)
    assert np.array_equal(one.predict_proba(), netinfof.NodeClassifier(dim=8, components="U,F").fit(bare, hidden).predict_proba())
    # Samples may be in any order and may be named.
    named = netinfof.Graph(small.edge_index, small.x, nodes=[f"n{node}" for node in range(200)])
    by_name = netinfof.NodeClassifier(graph=named, dim=8, components="U,F").fit([f"n{node}" for node in chosen[::-1]], small.y[chosen[::-1]])
    assert np.array_equal(by_name.predict_proba(["n7", "n3"]), one.predict_proba([7, 3]))
    weight = np.zeros(200)
    weight[:10] = 1
    assert one.score(np.arange(200), small.y, sample_weight=weight) == one.score(np.arange(10), small.y[:10])


def test_search_over_pairs(small: netinfof.Graph) -> None:
    pairs, y = pairs_of(small)
    model = netinfof.LinkPredictor(graph=small, dim=8, components="U,F,S")
    scores = selection.cross_val_score(model, pairs, y, cv=selection.StratifiedKFold(3, shuffle=True, random_state=0), scoring="roc_auc")
    # An oracle that knows the communities has about 0.75.
    assert 0.68 < scores.mean() < 0.82, scores
    search = selection.GridSearchCV(model, {"dim": [4, 8], "components": ["F", "U,X"]}, cv=2).fit(pairs, y)
    assert search.best_params_["components"] == "U,X" and search.predict_proba(pairs[:3]).shape == (3, 2)


def test_edges_of_other_folds_are_not_used(small: netinfof.Graph) -> None:
    pairs, y = pairs_of(small)
    own = np.arange(len(y)) % 2 == 0
    model = netinfof.LinkPredictor(graph=small, dim=8, components="U,F").fit(pairs[own], y[own])
    assert model.model_.graph.num_edges == y[own].sum()
    bare = netinfof.Graph([[], []], small.x)
    other = netinfof.LinkPredictor(graph=bare, dim=8, components="U,F").fit(pairs[own], y[own])
    assert np.array_equal(model.predict_proba(pairs), other.predict_proba(pairs))
    # Random pairs between random nodes carry nothing, although they are edges of the graph.
    rng = np.random.default_rng(3)
    noise = netinfof.Graph(rng.integers(0, 300, (2, 1500)), num_nodes=300)
    pairs, y = pairs_of(noise)
    found = selection.cross_val_score(netinfof.LinkPredictor(graph=noise, dim=16), pairs, y, cv=selection.StratifiedKFold(3, shuffle=True, random_state=0), scoring="roc_auc")
    assert found.mean() < 0.58, found


def test_pipelines_containers_and_clones(small: netinfof.Graph) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    nodes, y = np.arange(200), small.y
    steps = pipeline.make_pipeline(netinfof.NetInfoFEmbedding(graph=small, dim=4, components="U,F"), linear.LogisticRegression())
    assert selection.cross_val_score(steps, nodes, y, cv=3).min() > 0.9
    found = selection.GridSearchCV(steps, {"netinfofembedding__components": ["F", "U"]}, cv=2).fit(nodes, y)
    assert found.best_params_ == {"netinfofembedding__components": "U"}
    embedding = netinfof.NetInfoFEmbedding(graph=small, dim=4, components="U,F").set_output(transform="pandas")
    frame = embedding.fit_transform(nodes)
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["U0", "U1", "U2", "U3", "F0", "F1", "F2", "F3"]
    clone = base.clone(embedding)
    assert clone.graph is small and isinstance(clone.fit([3, 1]).transform([1, 3]), pandas.DataFrame)
    assert np.array_equal(clone.transform([1, 3]).to_numpy(), frame.to_numpy()[[1, 3]])
    assert isinstance(embedding.set_output(transform="polars").transform(), polars.DataFrame)
    assert isinstance(embedding.set_output(transform="default").transform(nodes), np.ndarray)
    steps.set_output(transform="pandas").fit(nodes, y)
    assert isinstance(steps[:1].transform(nodes), pandas.DataFrame)
    assert copy.deepcopy(small) is small


def test_regression_and_weights_of_samples(small: netinfof.Graph) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    assert small.y is not None
    rng = np.random.default_rng(4)
    nodes, y = np.arange(200), small.y * 2.0 + rng.normal(size=200) / 4
    model = netinfof.NodeRegressor(graph=small, dim=8, components="U,F")
    assert selection.cross_val_score(model, nodes, y, cv=selection.KFold(3, shuffle=True, random_state=0)).min() > 0.5
    model.fit(nodes, y)
    weight = rng.random(200)
    expected = metrics.r2_score(y, model.predict(nodes), sample_weight=weight)
    assert model.score(nodes, y, sample_weight=weight) == pytest.approx(expected, abs=1e-12)
    assert "U" in model.weights_["component"] and model.information_["group"]
    # Weights are for scores only, and a fit says so; also where scikit-learn routes them.
    estimators: list[Any] = [netinfof.NodeRegressor(graph=small), netinfof.NodeClassifier(graph=small), netinfof.LinkPredictor(graph=small)]
    for estimator in estimators:
        with pytest.raises(TypeError, match="unexpected keyword argument 'sample_weight'"):
            estimator.fit(nodes, y, sample_weight=weight)
    with pytest.raises(TypeError, match="unexpected keyword argument 'sample_weight'"):
        selection.cross_val_score(model, nodes, y, cv=2, params={"sample_weight": weight}, error_score="raise")


def test_components_and_weights_are_attributes(small: netinfof.Graph) -> None:
    model = netinfof.NodeClassifier(graph=small, dim=8, components="U,F,S").fit(np.arange(200), small.y)
    assert model.weights_["component"] == ["U", "F", "S"] or {"U", "F", "S"} <= set(model.weights_["component"])
    assert max(model.weights_["weight"]) > 0 and min(model.weights_["weight"]) >= 0
    groups = dict(zip(model.information_["group"], model.information_["bits"]))
    assert groups["structure"] > 0.5 and groups["structure"] > groups["features"] > 0
    pairs, y = pairs_of(small)
    links = netinfof.LinkPredictor(graph=small, dim=8, components="U,F").fit(pairs, y)
    weight = dict(zip(links.weights_["component"], links.weights_["weight"]))
    assert weight["U"] > weight["F"] and links.information_["group"][0] == "structure"
    assert netinfof.probe("synth:demo", components="U,F", dim=8, splits=1).weights["component"] == []


def test_advice_is_in_the_words_of_python() -> None:
    from netinfof._result import _in_python

    for text, expected in (
        ("Validate on more of the edges, such as with `--shares 0.5,0.3`.", "Validate on more of the edges, such as with `shares=(0.5, 0.3)`."),
        ("Evaluate models with `--negatives degree`.", 'Evaluate models with `negatives="degree"`.'),
        ("Compare with `netinfof act --components`.", "Compare with `netinfof.act` and its `components`."),
        ("`netinfof act` fits; `--shares` with more labels.", "`netinfof.act` fits; `shares` with more labels."),
    ):
        assert _in_python(text) == expected
    assert "--" not in netinfof.probe("synth:demo").verdict.next


def test_metadata_routing(small: netinfof.Graph) -> None:
    sklearn = pytest.importorskip("sklearn")
    with sklearn.config_context(enable_metadata_routing=True):
        embedding = netinfof.NetInfoFEmbedding(dim=4, components="S").set_fit_request(edge_index=True).set_transform_request(edge_index=True)
        steps = pipeline.make_pipeline(embedding, linear.LogisticRegression())
        steps.fit(small.x, small.y, edge_index=small.edge_index)
        assert steps.score(small.x, small.y, edge_index=small.edge_index) > 0.9
        assert steps[0].model_.graph.num_edges == small.num_edges
        assert base.clone(embedding).get_metadata_routing().fit.requests == {"edge_index": True}
        classifier = netinfof.NodeClassifier(graph=small, dim=4, components="S").set_score_request(sample_weight=True)
        weights = np.ones(200)
        scores = selection.cross_validate(classifier, np.arange(200), small.y, cv=2, params={"sample_weight": weights})
        assert scores["test_score"].min() > 0.8


def test_mistakes_are_named(small: netinfof.Graph) -> None:
    model = netinfof.NodeClassifier(graph=small, dim=4)
    with pytest.raises(ValueError, match="requires y to be passed"):
        model.fit([0, 1, 2])
    with pytest.raises(ValueError, match="need node numbers below 200"):
        model.fit([0, 1, 200], [0, 1, 0])
    with pytest.raises(ValueError, match=r"two values of node 1 \(need one per node\)"):
        model.fit([0, 1, 1], [0, 1, 0])
    with pytest.raises(ValueError, match=r"\(200, 6\) \(need nodes of `graph`"):
        model.fit(small.x, small.y)
    with pytest.raises(ValueError, match="together with the parameter `graph`"):
        model.fit([0, 1], [0, 1], edge_index=small.edge_index)
    links = netinfof.LinkPredictor(graph=small, dim=4)
    with pytest.raises(ValueError, match="invalid `y`: 2"):
        links.fit([(0, 1), (1, 2)], [1, 2])
    with pytest.raises(ValueError, match=r"2 edges \(need at least 3\)"):
        links.fit([(0, 1), (1, 2)], [1, 1])
    with pytest.raises(ValueError, match="need 1 for edges and 0"):
        links.fit([(0, 1), (1, 2)])


def test_labels_replace_those_of_the_graph_and_nothing_else(small: netinfof.Graph) -> None:
    """Sides and components of a graph stay when it is fitted with other classes."""
    own = np.repeat([[1.0, 0.0], [0.0, 1.0]], 100, axis=0)
    graph = netinfof.Graph(small.edge_index, nodes=[f"n{node}" for node in range(200)]).with_components({"text": own})
    model = netinfof.NodeClassifier(dim=4, train=0.4, valid=0.2).fit(graph, np.repeat(["a", "b"], 100))
    assert "text" in model.model_.components and model.test_["accuracy"] == 1.0
