"""Graphs and splits in the forms of other packages, as far as these need not be installed; and what cannot be changed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import netinfof

#: A path 0-1-2-3-4 with the edge 0-4 and 1-3: six edges.
EDGES = np.array([[0, 1, 2, 3, 0, 1], [1, 2, 3, 4, 4, 3]])


def both(pairs: Any) -> Any:
    index = np.array(pairs).T.reshape(2, -1)
    return np.concatenate([index, index[::-1]], axis=1)


def part(messages: Any, pairs: Any, labels: Any, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(edge_index=both(messages), edge_label_index=np.array(pairs).T.reshape(2, -1), edge_label=np.array(labels, float), num_nodes=5, **more)


def three(*, disjoint: bool = False, negatives: bool = True) -> list[SimpleNamespace]:
    """What RandomLinkSplit makes of the edges above: training (0, 1), (1, 2), (2, 3), (3, 4), validation (0, 4), test (1, 3)."""
    known, scored = [(0, 1), (1, 2), (2, 3), (3, 4)], [(0, 1), (1, 2), (2, 3), (3, 4)]
    passed = known[:2] if disjoint else known
    scored = scored[2:] if disjoint else scored
    no: list[Any] = [([(0, 2)], [0]), ([(2, 4)], [0])] if negatives else [([], []), ([], [])]
    x = np.arange(10.0).reshape(5, 2)
    return [
        part(passed, [*scored, (0, 3)], [1] * len(scored) + [0], x=x),
        part(known, [(4, 0), *no[0][0]], [1, *no[0][1]], x=x),
        part([*known, (0, 4)], [(1, 3), *no[1][0]], [1, *no[1][1]], x=x),
    ]


@pytest.mark.parametrize("disjoint", [False, True])
def test_a_split_of_pyg_is_read(disjoint: bool) -> None:
    split = netinfof.LinkSplit.from_pyg(tuple(three(disjoint=disjoint)))
    assert split.train.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert (split.valid.tolist(), split.test.tolist()) == ([[0, 4]], [[1, 3]])
    assert (split.valid_negatives.tolist(), split.test_negatives.tolist()) == ([[0, 2]], [[2, 4]])
    assert split.graph is not None and split.graph.edge_index.tolist() == [[0, 0, 1, 1, 2, 3], [1, 4, 2, 3, 3, 4]]
    assert split.graph.x.tolist() == np.arange(10.0).reshape(5, 2).tolist()


def test_forms_of_a_split_of_pyg() -> None:
    bare = netinfof.LinkSplit.from_pyg(three(negatives=False))
    assert len(bare.valid) == 1 and len(bare.valid_negatives) == 0
    # split_labels=True, and labels under another name.
    parts = three()
    for data in parts:
        index, label = vars(data).pop("edge_label_index"), vars(data).pop("edge_label")
        data.pos_link_index, data.neg_link_index = index[:, label == 1], index[:, label == 0]
    named = netinfof.LinkSplit.from_pyg(parts, key="link")
    assert np.array_equal(named.test_negatives, [[2, 4]]) and np.array_equal(named.train, bare.train)
    # Edges that had labels 0, 1 and 2 have 1, 2 and 3, because 0 is a negative.
    parts = three()
    parts[0].edge_label = np.array([1, 2, 3, 1, 0])
    assert len(netinfof.LinkSplit.from_pyg(parts).train) == 4
    # Nodes that only test pairs name.
    parts = three()
    for data in parts:
        del data.num_nodes, data.x
    parts[2].edge_label_index = np.array([[1, 2], [5, 4]])
    found = netinfof.LinkSplit.from_pyg(parts)
    assert found.graph is not None and found.graph.num_nodes == 6


def test_loops_in_a_split_of_pyg() -> None:
    parts = three()
    parts[0].edge_index = np.concatenate([parts[0].edge_index, [[2], [2]]], axis=1)
    parts[2].edge_label_index, parts[2].edge_label = np.array([[1, 4, 2], [3, 4, 4]]), np.array([1, 1, 0])
    with pytest.warns(UserWarning, match="1 validation or test pair of a node with itself is left out"):
        split = netinfof.LinkSplit.from_pyg(parts)
    assert (split.test.tolist(), split.test_negatives.tolist(), len(split.train)) == ([[1, 3]], [[2, 4]], 4)


def test_directions_of_a_split_of_pyg() -> None:
    """Without is_undirected=True, RandomLinkSplit puts one direction of an edge into training and the other into the test."""
    parts = three()
    parts[1].edge_label_index = np.array([[1, 0], [0, 2]])
    parts[0].edge_index = parts[0].edge_index[:, :4]
    with pytest.raises(ValueError, match=r"1 validation edge is a training edge in the other direction, such as \(1, 0\); need RandomLinkSplit\(is_undirected=True\)"):
        netinfof.LinkSplit.from_pyg(parts)
    graph = netinfof.Graph([[0, 1, 2, 1, 3], [1, 2, 3, 0, 1]], num_nodes=4, directed=True)
    way: Any = [SimpleNamespace(edge_index=np.array([[0, 1, 2], [1, 2, 3]]), edge_label_index=np.array([[0, 1, 2], [1, 2, 3]]), edge_label=np.ones(3))]
    way += [SimpleNamespace(edge_index=way[0].edge_index, edge_label_index=np.array([[i], [j]]), edge_label=np.ones(1)) for i, j in ((1, 0), (3, 1))]
    split = netinfof.LinkSplit.from_pyg(way, graph=graph)
    assert split.train.tolist() == [[0, 5], [1, 6], [2, 7]] and split.valid.tolist() == [[1, 4]]


def test_mistaken_splits_of_pyg() -> None:
    with pytest.raises(ValueError, match="need training, validation and test data"):
        netinfof.LinkSplit.from_pyg(three()[:2])
    parts = three()
    del parts[1].edge_label
    with pytest.raises(ValueError, match="the validation data has no `edge_label_index` with `edge_label`"):
        netinfof.LinkSplit.from_pyg(parts)
    with pytest.raises(ValueError, match="a node outside the graph of 3 nodes"):
        netinfof.LinkSplit.from_pyg(three(), graph=netinfof.Graph([[0, 1], [1, 2]]))
    parts = three()
    parts[2].edge_index = both([(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (0, 3)])
    with pytest.warns(UserWarning, match="1 edge of the validation or test data is in none of the three parts"):
        netinfof.LinkSplit.from_pyg(parts)


class SparseTensor:
    """As much of the class of that name as is used."""

    def __init__(self, rows: Any, columns: Any, values: Any, size: int) -> None:
        self.parts, self.size = (np.array(rows), np.array(columns), values), size

    def coo(self) -> Any:
        return self.parts

    def sparse_sizes(self) -> tuple[int, int]:
        return self.size, self.size


def test_adjacency_of_pyg() -> None:
    source, target = EDGES
    data = SimpleNamespace(edge_index=None, adj_t=SparseTensor(np.r_[target, source], np.r_[source, target], None, 5))
    assert np.array_equal(netinfof.Graph.of(data).edge_index, netinfof.Graph(EDGES).edge_index)
    assert netinfof.Graph.of(data.adj_t).num_edges == 6
    weights = np.arange(1.0, 7)
    data.adj_t = SparseTensor(np.r_[target, source], np.r_[source, target], np.r_[weights, weights], 5)
    with pytest.warns(UserWarning, match=r"edge weights \(values of `adj_t`\) are not used"):
        netinfof.Graph.of(data)
    found = netinfof.Graph.from_pyg(data, weight="adj_t").edge_weight
    expected = netinfof.Graph(EDGES, edge_weight=weights).edge_weight
    assert found is not None and expected is not None and found.tolist() == expected.tolist()
    # The rows of the transposed matrix are targets.
    data.adj_t = SparseTensor([1, 2, 2], [0, 1, 0], None, 3)
    assert netinfof.Graph.of(data).edge_index.tolist() == [[0, 0, 1], [1, 2, 2]]
    with pytest.raises(ValueError, match="need `edge_index` or `adj_t`"):
        netinfof.Graph.of(SimpleNamespace(edge_index=None, x=np.ones((3, 1))))


def test_networkx_there_and_back() -> None:
    pytest.importorskip("networkx")
    nodes, y = ["ann", "bob", "cy", "dan", "eve"], ["red", "blue", None, "red", "blue"]
    graph = netinfof.Graph(EDGES, np.arange(10.0).reshape(5, 2), y, nodes=nodes, name="people", edge_weight=np.arange(1.0, 7))
    found = graph.to_networkx()
    assert found.name == "people" and list(found) == nodes and found["cy"]["dan"]["weight"] == 3 and "label" not in found.nodes["cy"]
    again = netinfof.Graph.from_networkx(found, weight="weight")
    assert np.array_equal(again.edge_index, graph.edge_index) and np.array_equal(again.x, graph.x)
    assert again.y is not None and graph.y is not None and again.y.tolist() == graph.y.tolist() and list(again.classes) == list(graph.classes)
    assert again.edge_weight is not None and graph.edge_weight is not None and again.edge_weight.tolist() == graph.edge_weight.tolist()
    two = netinfof.Graph([[0, 1, 2], [3, 4, 3]], bipartite=True, sides=[0, 0, 0, 1, 1])
    back = netinfof.Graph.from_networkx(two.to_networkx())
    assert back.sides is not None and back.sides.tolist() == [0, 0, 0, 1, 1]
    roles = netinfof.Graph([[0, 1], [1, 0]], directed=True).to_networkx()
    assert roles.is_directed() and sorted(roles.edges) == [(0, 1), (1, 0)]


def test_scipy_there_and_back() -> None:
    pytest.importorskip("scipy")
    graph = netinfof.Graph(EDGES, edge_weight=np.arange(1.0, 7))
    matrix = graph.to_scipy()
    assert abs(matrix - matrix.T).sum() == 0 and matrix[2, 3] == 3
    again = netinfof.Graph.from_scipy(matrix, weighted=True)
    assert again.edge_weight is not None and graph.edge_weight is not None and again.edge_weight.tolist() == graph.edge_weight.tolist()
    roles = netinfof.Graph([[0, 1, 2], [1, 2, 0]], directed=True).to_scipy()
    assert roles.toarray().tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("columns", [("source", "target"), ("user", "item")])
@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_ids_of_edges_are_named_by_their_row(columns: tuple[str, str], missing: Any) -> None:
    pandas = pytest.importorskip("pandas")
    for kind in (object, "str"):
        frame = pandas.DataFrame({columns[0]: ["a", "b", "c"], columns[1]: ["x", "y", missing]}, dtype=kind)
        with pytest.raises(ValueError, match="row 2 of the edge frame has no id"):
            netinfof.Graph.from_frame(frame)


def masked(**masks: Any) -> SimpleNamespace:
    demo = netinfof.Graph.of("synth:demo")
    return SimpleNamespace(edge_index=demo.edge_index, x=demo.x.toarray(), y=demo.y, **masks)


def test_masks_split_the_nodes_and_it_is_said() -> None:
    draw = np.random.default_rng(0).permutation(1200)
    train, val, test = (np.isin(np.arange(1200), own) for own in (draw[:60], draw[60:120], draw[120:]))
    data = masked(train_mask=train, val_mask=val, test_mask=test)
    few: Any = {"dim": 8, "components": "U,F"}
    with pytest.warns(UserWarning, match="nodes are split by the masks of the graph") as record:
        result = netinfof.act(data, "nodes", **few)
    # The warning is about a line of the caller.
    assert {warning.filename for warning in record} == {__file__}
    assert result.tested is not None and sorted(result.tested.items.tolist()) == np.flatnonzero(test).tolist()
    for options in ({"split": "random"}, {"shares": (0.1, 0.1)}):
        drawn = netinfof.act(data, "nodes", **few, **options).tested
        assert drawn is not None and sorted(drawn.items.tolist()) != np.flatnonzero(test).tolist()
    with pytest.warns(UserWarning, match="masks of the graph"):
        model = netinfof.NodeClassifier(**few).fit(data)
    assert model.result_.tested is not None and len(model.result_.tested.items) == test.sum()
    other = netinfof.NodeClassifier(train=0.5, valid=0.2, **few).fit(data).result_.tested
    assert other is not None and abs(len(other.items) - 360) < 5
    # Of several masks, the first.
    columns = {name: np.stack([mask, ~mask], axis=1) for name, mask in (("train_mask", train), ("val_mask", val), ("test_mask", test))}
    with pytest.warns(UserWarning, match="the masks hold 2 splits, and the first is used"):
        several = netinfof.act(masked(**columns), "nodes", **few)
    assert several.tested is not None and result.tested is not None and np.array_equal(several.tested.items, result.tested.items)


def test_baselines_on_other_splits_are_no_comparison(demo: netinfof.Graph) -> None:
    from netinfof.baselines import Baselines

    trained = Baselines({"task": "nodes", "graph": {"name": "demo", "nodes": 1200, "edges": 4023}, "runs": []})
    own = netinfof.act(demo, "nodes", split=netinfof.node_split(demo, random_state=1), dim=8, components="U,F")
    with pytest.raises(ValueError, match="a result on a split of its own, or by masks"):
        own.compare(trained)
    assert netinfof.act(demo, "nodes", split="random", dim=8, components="U,F").compare(trained)["model"] == ["netinfof act"]


def test_a_split_is_of_its_task() -> None:
    demo = netinfof.Graph.of("synth:demo")
    with pytest.raises(TypeError, match="a NodeSplit for task='links'"):
        netinfof.probe(demo, split=netinfof.node_split(demo))
    with pytest.raises(TypeError, match="a LinkSplit for task='nodes'"):
        netinfof.probe(demo, "nodes", split=netinfof.link_split(demo))
    with pytest.raises(ValueError, match="masks .they split nodes"):
        netinfof.probe(demo, split="masks")


def test_arrays_of_a_graph_cannot_be_changed() -> None:
    kinds: list[netinfof.Graph] = [
        netinfof.Graph(EDGES, np.ones((5, 2)), ["a", "b", "a", "b", "a"], nodes=list("vwxyz"), edge_weight=np.ones(6) * 2, edge_time=np.arange(6)),
        netinfof.Graph(EDGES, y=[0.5, 1, 2, 3, 4]),
        netinfof.Graph(EDGES, y=np.eye(5, 2, dtype=int)),
        netinfof.Graph([[0, 1], [2, 3]], bipartite=True, sides=[0, 0, 1, 1], edge_time=np.array(["2024-01-01", "2024-02-01"], "datetime64[D]")),
        netinfof.Graph.of("synth:demo"),
        netinfof.Graph.of(SimpleNamespace(edge_index=EDGES, train_mask=np.eye(5)[0] > 0, val_mask=np.eye(5)[1] > 0, test_mask=np.eye(5)[2] > 0)),
    ]
    seen = set()
    for graph in kinds:
        found = {name: getattr(graph, name) for name in ("x", "y", "edge_index", "edge_weight", "edge_time", "nodes", "classes", "sides")}
        found.update(graph.masks or {})
        if hasattr(found["x"], "data") and hasattr(found["x"], "indptr"):
            found.update({f"x.{name}": getattr(found["x"], name) for name in ("data", "indices", "indptr")})
            del found["x"]
        for name, values in found.items():
            if values is None or values.size == 0:
                continue
            seen.add(name)
            with pytest.raises(ValueError, match="read-only|not writeable"):
                values[(0,) * values.ndim] = values[(0,) * values.ndim]
            with pytest.raises(ValueError, match="WRITEABLE"):
                values.flags.writeable = True
    assert seen >= {"x", "y", "edge_index", "edge_weight", "edge_time", "nodes", "classes", "sides", "train", "x.data"}


FEW: Any = {"dim": 8, "components": "U,X"}


def test_options_without_effect_are_refused(demo: netinfof.Graph) -> None:
    split, nodes = netinfof.link_split(demo), netinfof.node_split(demo)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": [1, 2], "target": [2, 3]})
    networkx = pytest.importorskip("networkx")
    model = netinfof.LinkPredictor(**FEW).fit(demo)
    fitted = model.model_
    cases: list[tuple[Any, str]] = [
        (lambda: netinfof.probe(demo, split=split, shares=(0.5, 0.2)), "invalid `shares`: given together with `split`"),
        (lambda: netinfof.act(demo, split=split, max_evaluated=100), "invalid `max_evaluated`: given together"),
        (lambda: netinfof.NodeClassifier(split=nodes, train=0.5).fit(demo), "invalid `train`: given together with `split`"),
        (lambda: netinfof.LinkPredictor(split=split, valid=0.2).fit(demo), "invalid `valid`: given together with `split`"),
        (lambda: netinfof.Graph(EDGES, weight_scale="linear"), "invalid `weight_scale`: 'linear' without weights"),
        (lambda: netinfof.Graph.from_frame(frame, weight_scale="linear"), "invalid `weight_scale`: 'linear' without weights"),
        (lambda: netinfof.Graph.from_networkx(networkx.path_graph(4), weight_scale="linear"), "'linear' without weights"),
        (lambda: netinfof.Graph.from_file("g.csv", weight_scale="log"), "invalid `weight_scale`: 'log' without `weight`"),
        (lambda: netinfof.Graph.from_file("g.csv", directed=True, bipartite=True), "invalid `bipartite`: True together with directed=True"),
        (lambda: netinfof.Graph(EDGES, target="numbers"), "invalid `target`: 'numbers' without `y`"),
        (lambda: model.fit(EDGES.T, [1] * 6), "invalid `y`: given without the parameter `graph`"),
        (lambda: fitted.link_scores([(0, 1)], graph=netinfof.Graph(demo.edge_index, demo.x), all_edges=True), "invalid `all_edges`: True together with `graph`"),
        (lambda: model.recommend([0], graph=netinfof.Graph(demo.edge_index, demo.x), all_edges=False), "invalid `all_edges`: False together with `graph`"),
    ]
    read: Any = netinfof.Graph.from_frame
    for option in ("id", "label", "features", "drop", "categorical", "numeric"):
        cases.append((lambda option=option: read(frame, **{option: "a"}), f"invalid `{option}`: given without `nodes`"))
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()
    for option, value in (("hits", 10), ("lambda1", 0.1), ("ordered_pairs", True)):
        with pytest.raises(TypeError, match=f"'{option}', which applies to act.. only"):
            netinfof.probe(demo, **{option: value})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="invalid `name`: 3"):
        netinfof.Graph(EDGES, name=3)  # type: ignore[arg-type]


def test_known_edges_and_priors_in_predict_and_recommend(demo: netinfof.Graph) -> None:
    """The same pair has the same score and, at the same prior, the same probability in both."""
    model = netinfof.LinkPredictor(**FEW).fit(demo)
    assert model.prior_ == 0.5
    i, j = map(int, demo.edge_index[:, 0])
    found = model.recommend([i], k=1199, exclude_known=False)
    place = {partner: at for at, partner in enumerate(found["partner"].tolist())}
    assert i not in place and j in place
    assert not {j} & set(model.recommend([i], k=1199)["partner"].tolist())
    pair = [(i, j)]
    assert model.model_.link_scores(pair, all_edges=True)[0] == found["score"][place[j]]
    same = netinfof.LinkPredictor(prior=float(found["prior"][0]), **FEW).fit(demo)
    assert same.prior_ == found["prior"][0]
    assert same.predict_proba(pair, all_edges=True)[0, 1] == found["probability"][place[j]]
    with pytest.warns(UserWarning, match=r"probabilities at a prior of 1.0e-09 are extrapolated: they were calibrated on \d+ non-edges"):
        model.model_.link_probabilities(pair, prior=1e-9)
    for sides in ({"sides": [0, 0, 0, 1, 1, 1] * 20}, {"directed": True}):
        rng = np.random.default_rng(0)
        first, second = rng.integers(0, 60, (2, 400))
        index = np.stack([first // 3 * 6 + first % 3, second // 3 * 6 + second % 3 + 3])
        other = netinfof.LinkPredictor(dim=8, components="U").fit(netinfof.Graph(index, num_nodes=120, **sides))
        start: Any = "source:0" if "directed" in sides else 0
        beside: Any = "source:1" if "directed" in sides else 1
        with pytest.raises(ValueError, match="invalid `exclude_known`: False"):
            other.recommend([start], exclude_known=False)
        with pytest.raises(ValueError, match=r"invalid `pairs`: .*need (pairs across the two sides|a source and a target)"):
            other.predict_proba([(start, beside)])
        with pytest.raises(ValueError, match="need two different nodes in each pair"):
            other.predict_proba([(start, "target:0" if "directed" in sides else 0)])
