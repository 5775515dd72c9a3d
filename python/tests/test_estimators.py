"""Scikit-learn's contract."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import netinfof

ALL = [netinfof.LinkProbe, netinfof.NodeProbe, netinfof.LinkPredictor, netinfof.NodeClassifier, netinfof.NetInfoFEmbedding]

#: Where the contract of scikit-learn does not fit graphs, and why.
EXCEPTIONS = {
    netinfof.NodeClassifier: {
        "check_classifiers_classes": "it has the class -1, which stands for an unknown class here, as in scikit-learn's own semi-supervised estimators",
    },
    netinfof.NetInfoFEmbedding: {},
    netinfof.NodeRegressor: {
        "check_n_features_in_after_fitting": "15 samples, and 20 are needed to train, validate and test",
        "check_regressors_no_decision_function": "10 samples",
        "check_fit2d_1feature": "10 samples",
    },
}


@pytest.mark.parametrize("kind", EXCEPTIONS, ids=lambda kind: str(kind.__name__))
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(kind: Any) -> None:
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    if not hasattr(checks, "estimator_checks_generator"):
        pytest.skip("this scikit-learn cannot be told of exceptions")
    found = checks.check_estimator(kind(), on_fail=None, on_skip=None, expected_failed_checks=EXCEPTIONS[kind])
    failed = {check["check_name"]: str(check["exception"]) for check in found if check["status"] == "failed"}
    assert not failed
    passed = sum(check["status"] == "passed" for check in found)
    assert passed > 40, passed
    # An exception that is none any more must go.
    assert {check["check_name"] for check in found if check["status"] == "xfail"} == set(EXCEPTIONS[kind])


@pytest.mark.parametrize("kind", ALL)
def test_parameters_are_kept_untouched(kind: Any) -> None:
    value: list[str] = ["U", "S"]
    estimator = kind(components=value, dim=16)
    assert estimator.components is value and estimator.get_params()["dim"] == 16
    assert estimator.set_params(dim=8) is estimator and estimator.dim == 8
    assert "dim=16" in repr(kind(components=np.array(["U", "S"]), dim=16))
    assert repr(estimator) == f"{kind.__name__}(components=['U', 'S'], dim=8)"
    with pytest.raises(ValueError, match="Invalid parameter 'dimm'"):
        estimator.set_params(dimm=1)
    with pytest.raises(TypeError):
        kind(["U"])
    assert estimator.fit("synth:demo") is estimator
    assert estimator.components is value and estimator.n_features_in_ == 400
    clone = pytest.importorskip("sklearn.base").clone(estimator)
    assert clone is not estimator and clone.dim == 8 and not clone.__sklearn_is_fitted__()
    again = pickle.loads(pickle.dumps(estimator))
    assert again.__sklearn_is_fitted__() and again.get_params()["dim"] == 8


def test_parameters_are_checked_in_fit() -> None:
    netinfof.NodeClassifier(dim=-5, components=3, n_jobs="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dim"):
        netinfof.NodeClassifier(dim=0).fit("synth:demo")


def test_estimators_are_the_functions(demo: netinfof.Graph) -> None:
    model = netinfof.LinkPredictor(random_state=2).fit(demo)
    result = netinfof.act(demo, random_state=2)
    assert model.test_ == result.test and result.tested is not None and result.model is not None
    assert np.array_equal(model.model_.link_scores(result.tested.items), result.tested.scores[:, 0])
    scores = model.decision_function(result.tested.items)
    assert (np.argsort(scores, kind="stable") == np.argsort(result.tested.scores[:, 0], kind="stable")).all()
    assert model.score(result.tested.items, result.tested.truth) == pytest.approx(result.test["auc"], abs=1e-12)
    proba = model.predict_proba(result.tested.items)
    assert np.allclose(np.log(proba[:, 1] / proba[:, 0]), scores) and ((scores > 0) == model.predict(result.tested.items)).all()
    assert np.allclose(proba.sum(1), 1) and ((proba[:, 1] > 0.5) == model.predict(result.tested.items)).all()
    assert (np.diff(proba[:, 1][np.argsort(scores)]) >= 0).all()
    assert netinfof.LinkProbe(random_state=2).fit(demo).scores_ == netinfof.probe(demo, random_state=2).scores
    nodes = netinfof.NodeClassifier(train=0.025, valid=0.025, random_state=2).fit(demo)
    acted = netinfof.act(demo, task="nodes", random_state=2)
    assert nodes.test_ == acted.test and acted.tested is not None
    assert np.array_equal(nodes.model_.node_scores()[acted.tested.items], acted.tested.scores)
    assert netinfof.NodeProbe().fit(demo).verdict_ == netinfof.probe(demo, task="nodes").verdict


def test_recommendations_are_the_best_of_all(demo: netinfof.Graph) -> None:
    model = netinfof.LinkPredictor(components="U,F,S").fit(demo)
    known = {tuple(pair) for pair in demo.edge_index.T.tolist()}
    pairs = [(9, other) for other in range(1200) if other != 9 and (min(9, other), max(9, other)) not in known]
    scores = model.model_.link_scores(pairs, all_edges=True)
    best = [pairs[at][1] for at in np.argsort(-scores, kind="stable")[:10]]
    found = model.recommend([9], k=10)
    assert found["partner"].tolist() == best and found["score"].tolist() == sorted(scores, reverse=True)[:10]
    # What is recommended is what would be predicted from the same edges, at the density of the graph; one node is asked for as some are.
    density = demo.num_edges / (1200 * 1199 / 2)
    chances = model.model_.link_probabilities([(9, partner) for partner in best], prior=density, all_edges=True)
    assert found["probability"].tolist() == chances.tolist() and np.allclose(found["prior"], density)
    assert model.recommend(9, k=10)["partner"].tolist() == best
    overall = model.recommend(k=5, overall=True)
    assert len(overall["source"]) == 5 and overall["rank"].tolist() == [1, 2, 3, 4, 5] and (np.diff(overall["score"]) <= 0).all()
    every = model.recommend(k=2)
    assert len(every["node"]) == 2400 and every["rank"].tolist() == [1, 2] * 1200
    with pytest.raises(ValueError, match="need `nodes` to be None"):
        model.recommend([1], overall=True)
    with pytest.raises(ValueError, match="need node numbers below 1200"):
        model.recommend([1200])
    with pytest.raises(ValueError, match="`k`: -1"):
        model.recommend([1], k=-1)
    with pytest.raises(ValueError, match=r"`k`: 2.5 \(need a whole number\)"):
        model.recommend([1], k=2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="need two columns"):
        model.predict_proba([1, 2, 3])


def test_unknown_classes_are_filled_in(demo: netinfof.Graph) -> None:
    assert demo.y is not None
    names = np.array(["red", "green", "blue", "grey"], object)[demo.y]
    hidden = names.copy()
    hidden[::2] = None
    model = netinfof.NodeClassifier().fit(demo, hidden)
    assert set(model.classes_) == {"red", "green", "blue", "grey"}
    found = model.predict()
    assert (found[::2] == names[::2]).mean() > 0.85
    assert model.score(demo, names) == (found == names).mean()
    assert model.score() == model.test_["accuracy"]
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict() == found).all() and list(again.classes_) == list(model.classes_)


def test_labels_after_sorting_are_still_those_of_their_rows(demo: netinfof.Graph) -> None:
    """A frame that was sorted keeps its old index; labels belong to the rows as they stand."""
    pandas = pytest.importorskip("pandas")
    assert demo.y is not None
    rng = np.random.default_rng(0)
    order = rng.permutation(1200)
    place = np.argsort(order)
    edges = place[demo.edge_index]
    frame = pandas.DataFrame(demo.x.toarray()).iloc[order]
    labels = pandas.Series(demo.y).iloc[order]
    graph = netinfof.Graph(edges, frame, labels)
    assert graph.y is not None and (graph.y == demo.y[order]).all()
    for model in (netinfof.NodeClassifier(dim=16).fit(graph, labels), netinfof.NodeClassifier(dim=16).fit(frame, labels, edge_index=edges)):
        assert (model.predict() == labels.to_numpy()).mean() > 0.85
        assert model.score(None, labels) == (model.predict() == labels.to_numpy()).mean()
        # A mapping is by node, in whatever order it is written.
        assert model.score(None, dict(reversed(list(enumerate(labels))))) == model.score(None, labels)
    by_node = netinfof.NodeClassifier(dim=16).fit(graph, dict(reversed(list(enumerate(labels)))))
    assert np.array_equal(by_node.predict_proba(), netinfof.NodeClassifier(dim=16).fit(graph, labels).predict_proba())
    named = netinfof.Graph(edges, frame, nodes=[f"n{node}" for node in range(1200)])
    with pytest.raises(ValueError, match="its index names the nodes of the graph in another order"):
        netinfof.NodeClassifier(dim=16).fit(named, pandas.Series(demo.y[order], index=[f"n{node}" for node in order]))


def test_a_node_with_itself_is_no_pair(demo: netinfof.Graph) -> None:
    model = netinfof.LinkPredictor(dim=8, components="U,S").fit(demo)
    ask: list[Any] = [model.predict, model.predict_proba, model.decision_function, model.model_.link_scores, model.model_.link_probabilities]
    for question in ask:
        with pytest.raises(ValueError, match=r"invalid `pairs`: \(5, 5\) \(need two different nodes in each pair\)"):
            question([(0, 1), (5, 5)])
    names = [f"n{node}" for node in range(1200)]
    named = netinfof.LinkPredictor(dim=8, components="U").fit(netinfof.Graph(demo.edge_index, nodes=names))
    with pytest.raises(ValueError, match=r"\(n5, n5\)"):
        named.predict_proba([("n5", "n5")])


def test_features_with_edges(demo: netinfof.Graph) -> None:
    """The graph in parts is the graph."""
    one = netinfof.NodeClassifier().fit(demo)
    two = netinfof.NodeClassifier().fit(demo.x, demo.y, edge_index=demo.edge_index)
    assert np.array_equal(one.predict_proba(), two.predict_proba())
    assert np.array_equal(one.predict_proba(demo), two.predict_proba(demo.x, edge_index=demo.edge_index))
    with pytest.raises(ValueError, match="given together with a graph"):
        one.predict(demo, edge_index=demo.edge_index)


def test_rows_are_known_by_what_they_are_not_by_their_place() -> None:
    rng = np.random.default_rng(0)
    block = rng.integers(0, 4, 1000)
    pairs = rng.integers(0, 1000, (2, 60_000))
    edges, x = pairs[:, block[pairs[0]] == block[pairs[1]]], rng.random((1000, 8))
    model = netinfof.NodeClassifier(dim=16, components="U").fit(x, block, edge_index=edges)
    assert model.score(x, block, edge_index=edges) > 0.99
    order = rng.permutation(1000)
    # The same graph, renumbered: all nodes are new to U, which is said instead of matching them to others.
    with pytest.warns(UserWarning, match="all nodes are new to the model"):
        found = model.predict_proba(x[order], edge_index=np.argsort(order)[edges])
    assert np.ptp(found, axis=0).max() < 1e-9
    with pytest.raises(ValueError, match="it was fitted with edges"):
        model.predict(x)
    # Features place new nodes as well as known ones.
    words = np.eye(4)[block] + rng.random((1000, 4)) / 4
    model = netinfof.NodeClassifier(dim=4, components="F,S").fit(words[:500], block[:500], edge_index=[[0], [1]])
    assert model.score(words[500:], block[500:], edge_index=[[], []]) > 0.9


def test_a_fitted_model_stands_on_its_own(demo: netinfof.Graph) -> None:
    x = np.random.default_rng(0).random((1200, 20)).astype(np.float32)
    graph = netinfof.Graph(demo.edge_index, x, demo.y)
    models: list[Any] = [netinfof.NodeClassifier(dim=8).fit(graph), netinfof.LinkPredictor(dim=8).fit(graph), netinfof.NetInfoFEmbedding(dim=8).fit(graph)]
    ask: list[Any] = [models[0].predict_proba, lambda: models[1].predict_proba([(0, 1), (5, 7)]), models[2].transform]
    before = [question().copy() for question in ask]
    x[:] = np.nan
    assert all(np.array_equal(question(), answer) for question, answer in zip(ask, before))


def test_classes_keep_their_kind(demo: netinfof.Graph) -> None:
    assert demo.y is not None
    for y in (demo.y > 1, np.array(["a", "b", "c", "d"])[demo.y], demo.y):
        found = netinfof.NodeClassifier(dim=8, components="S").fit(demo, y)
        assert found.classes_.dtype == y.dtype and found.predict().dtype == y.dtype


def test_newer_graphs(demo: netinfof.Graph) -> None:
    half = 600
    index = demo.edge_index
    old = netinfof.Graph(index[:, (index < half).all(0)], demo.x[:half], demo.y[:half] if demo.y is not None else None)
    model = netinfof.NodeClassifier(components="F,S").fit(old)
    assert demo.y is not None
    assert (model.predict(demo)[half:] == demo.y[half:]).mean() > 0.7
    links = netinfof.LinkPredictor(components="F,S").fit(old)
    found = links.recommend([900], k=3, graph=demo)
    assert len(found["partner"]) == 3
    place = netinfof.NetInfoFEmbedding(components="F,S", dim=16).fit(old)
    assert place.transform(demo).shape == (1200, 32)
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict(np.ones((5, 3)))


def test_the_embedding_is_a_step_for_others(demo: netinfof.Graph) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    embedding = netinfof.NetInfoFEmbedding(dim=32)
    z = embedding.fit_transform(demo)
    assert np.array_equal(z, embedding.transform(demo)) and np.array_equal(z, embedding.transform())
    assert list(embedding.components_) == ["U", "R", "F", "P", "S", "S5", "C", "L"]
    assert list(embedding.get_feature_names_out()[:2]) == ["U0", "U1"] and len(embedding.get_feature_names_out()) == z.shape[1]
    assert demo.y is not None
    model = linear.LogisticRegression(max_iter=2000).fit(z[::2], demo.y[::2])
    assert model.score(z[1::2], demo.y[1::2]) > 0.85


@pytest.mark.filterwarnings("ignore:.*without an edge_index")
def test_search_and_pipelines(demo: netinfof.Graph) -> None:
    pipeline = pytest.importorskip("sklearn.pipeline")
    linear = pytest.importorskip("sklearn.linear_model")
    selection = pytest.importorskip("sklearn.model_selection")
    assert demo.y is not None
    steps = pipeline.make_pipeline(netinfof.NetInfoFEmbedding(dim=16, components="F"), linear.LogisticRegression(max_iter=500))
    x = demo.x.toarray()
    with pytest.warns(UserWarning, match="without an edge_index"):
        netinfof.NodeClassifier(dim=8).fit(x, demo.y)
    found = selection.GridSearchCV(steps, {"netinfofembedding__dim": [4, 16]}, cv=2).fit(x, demo.y)
    assert found.best_params_["netinfofembedding__dim"] in (4, 16)
    scores = selection.cross_val_score(netinfof.NodeClassifier(components="F", dim=32), x, demo.y, cv=2)
    assert scores.mean() > 0.3


def test_before_fit() -> None:
    sklearn = pytest.importorskip("sklearn.exceptions")
    for ask in (netinfof.LinkPredictor().recommend, netinfof.NodeClassifier().predict, netinfof.NetInfoFEmbedding().transform):
        with pytest.raises(sklearn.NotFittedError, match="is not fitted yet"):
            ask()
