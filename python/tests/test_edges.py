"""Weights and directions of edges."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import netinfof


def ring(nodes: int = 60) -> tuple[np.ndarray, np.ndarray]:
    edges = [(node, (node + step) % nodes) for node in range(nodes) for step in (1, 2, 5)]
    return np.array(edges).T, np.array([1.0 + (i * j) % 7 for i, j in edges])


def weights_of(graph: netinfof.Graph) -> list[float]:
    assert graph.edge_weight is not None
    return [float(weight) for weight in graph.edge_weight]


def test_weights_are_kept_and_follow_the_edges() -> None:
    edge_index, weights = ring()
    graph = netinfof.Graph(edge_index, edge_weight=weights)
    assert graph.edge_weight is not None
    given = {tuple(sorted(edge)): weight for edge, weight in zip(edge_index.T.tolist(), weights)}
    assert [given[tuple(edge)] for edge in graph.edge_index.T.tolist()] == weights_of(graph)
    again = pickle.loads(pickle.dumps(graph))
    assert weights_of(again) == weights_of(graph)
    assert netinfof.Graph(edge_index).edge_weight is None


def test_weights_of_parallel_edges_and_directions() -> None:
    with pytest.warns(UserWarning, match="summed.*mean"):
        graph = netinfof.Graph([[0, 0, 1, 2], [1, 1, 2, 1]], edge_weight=[1, 2, 4, 6])
    assert weights_of(graph) == [3, 5]
    with pytest.warns(UserWarning, match="1 edge of weight 0 dropped"):
        assert netinfof.Graph([[0, 1, 0], [1, 2, 2]], edge_weight=[1, 0, 2]).num_edges == 2


@pytest.mark.parametrize(
    ("weights", "fault"),
    [([1, -2], "edge .1, 2.: weight -2 is negative"), ([1, np.nan], "no weight"), ([1], "one number for each of 2 edges"), (["a", "b"], "need numbers")],
)
def test_bad_weights_are_refused(weights: list[float], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        netinfof.Graph([(0, 1), (1, 2)], edge_weight=weights)


def test_weights_of_other_objects() -> None:
    edge_index, weights = ring()
    expected = weights_of(netinfof.Graph(edge_index, edge_weight=weights))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": edge_index[0], "target": edge_index[1], "strength": weights})
    assert weights_of(netinfof.Graph.from_frame(frame, weight="strength")) == expected
    with pytest.warns(UserWarning, match="`strength`"):
        assert netinfof.Graph.from_frame(frame).edge_weight is None
    with pytest.raises(ValueError, match="invalid `weight`"):
        netinfof.Graph.from_frame(frame, weight="amount")


def test_weights_of_sparse_matrices() -> None:
    scipy = pytest.importorskip("scipy.sparse")
    edge_index, weights = ring()
    half = scipy.coo_matrix((weights, edge_index), shape=(60, 60))
    graph = netinfof.Graph.from_scipy(half + half.T, weighted=True, weight_scale="linear")
    assert weights_of(graph) == weights_of(netinfof.Graph(edge_index, edge_weight=weights))


def test_weights_of_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 5.0)])
    assert weights_of(netinfof.Graph.from_networkx(graph, weight="weight")) == [2, 5]
    with pytest.raises(ValueError, match="one of weight"):
        netinfof.Graph.from_networkx(graph, weight="strength")


def test_weights_and_times_of_igraph() -> None:
    igraph = pytest.importorskip("igraph")
    edge_index, weights = ring()
    times = np.arange(len(weights))[::-1]
    # Several attributes, and edges in another order than the graph keeps.
    graph = igraph.Graph(n=60, edges=edge_index.T.tolist(), edge_attrs={"minutes": weights.tolist(), "since": times.tolist()})
    expected = netinfof.Graph(edge_index, edge_weight=weights, edge_time=times)
    with pytest.warns(UserWarning, match="`since`"):
        assert weights_of(netinfof.Graph.from_igraph(graph, weight="minutes")) == weights_of(expected)
    both = netinfof.Graph.from_igraph(graph, weight="minutes", time="since")
    assert weights_of(both) == weights_of(expected)
    assert both._native.times()[1].tolist() == expected._native.times()[1].tolist()  # type: ignore[index]
    with pytest.raises(ValueError, match="one of minutes, ?since"):
        netinfof.Graph.from_igraph(graph, weight="strength")


def test_files_keep_weights(tmp_path: Path) -> None:
    edge_index, weights = ring()
    graph = netinfof.Graph(edge_index, edge_weight=weights)
    graph.save(tmp_path / "g.npz")
    assert weights_of(netinfof.Graph.from_file(tmp_path / "g.npz")) == weights_of(graph)
    rows = "\n".join(f"{i},{j},{w}" for (i, j), w in zip(edge_index.T.tolist(), weights))
    (tmp_path / "g.csv").write_text(f"source,target,minutes\n{rows}\n")
    read = netinfof.Graph.from_file(tmp_path / "g.csv", weight="minutes", weight_scale="linear")
    assert weights_of(read) == weights_of(graph)


def test_equal_weights_change_nothing() -> None:
    edge_index, _ = ring(200)
    plain = netinfof.probe(netinfof.Graph(edge_index), splits=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        equal = netinfof.probe(netinfof.Graph(edge_index, edge_weight=np.ones(edge_index.shape[1])), splits=1)
    assert plain.data["components"] == equal.data["components"]


def test_directed_graphs() -> None:
    nodes = 120
    edges = [(i, (i + 1 + 3 * ((i * 7 + k * k * 5) % 40)) % nodes) for i in range(nodes) for k in range(8)]
    graph = netinfof.Graph(np.array(edges).T, directed=True)
    assert graph.directed and graph.num_nodes == 2 * nodes
    assert graph.nodes[0] == "source:0" and graph.nodes[nodes] == "target:0"
    again = pickle.loads(pickle.dumps(graph))
    assert again.directed and again.edge_index.tolist() == graph.edge_index.tolist()
    result = netinfof.act(graph)
    assert result.test["direction"] > 0.9
    with pytest.raises(ValueError, match="directed"):
        netinfof.Graph([[0, 1], [2, 3]], directed=True, bipartite=True)


def test_times_of_other_packages() -> None:
    nx = pytest.importorskip("networkx")
    (source, target), weights = ring()
    dates = [f"2020-01-{1 + at % 28:02}" for at in range(len(source))]
    graph = nx.DiGraph()
    graph.add_edges_from((i, j, {"time": date, "weight": w}) for i, j, date, w in zip(source.tolist(), target.tolist(), dates, weights))
    with pytest.warns(UserWarning, match="`weight`"):
        timed = netinfof.Graph.from_networkx(graph, time="time")
    expected = netinfof.Graph(np.stack([source, target]), edge_time=dates)
    assert sorted(pickle.loads(pickle.dumps(timed))._native.times()[1].tolist()) == sorted(expected._native.times()[1].tolist())  # type: ignore[index]
    with pytest.raises(ValueError, match="invalid `time`: when .need one of time,weight"):
        netinfof.Graph.from_networkx(graph, time="when")
    del graph.edges[0, 1]["time"]
    with pytest.raises(ValueError, match="edge 0 has no time"):
        netinfof.Graph.from_networkx(graph, time="time")
    igraph = pytest.importorskip("igraph")
    other = igraph.Graph(edges=list(zip(source.tolist(), target.tolist())), edge_attrs={"time": list(range(len(source)))})
    assert netinfof.Graph.from_igraph(other, time="time")._native.times()[0] == "time"  # type: ignore[index]


def test_nodes_of_a_directed_graph() -> None:
    draw = np.random.default_rng(0)
    edges, x = draw.integers(400, size=(2, 1600)), draw.normal(size=(400, 4)).astype(np.float32)
    edges = edges[:, edges[0] != edges[1]]
    # The sign of a feature, summed over the sources of a node.
    sums = np.zeros(400)
    np.add.at(sums, edges[1], x[edges[0], 0])
    y = np.where(sums > 0, "high", "low")
    graph = netinfof.Graph(edges, x, y, directed=True)
    again = pickle.loads(pickle.dumps(graph))
    assert again.classes.tolist() == ["high", "low"] and again.y is not None and again.y[:3].tolist() == graph.y[:3].tolist()  # type: ignore[index]
    split = netinfof.node_split(graph, train=0.5, valid=0.1)
    accuracy = [netinfof.act(own, task="nodes", split=split, random_state=0).test["accuracy"] for own in (netinfof.Graph(edges, x, y), graph)]
    assert accuracy[1] > accuracy[0] + 0.08
    with pytest.raises(ValueError, match="a directed graph"):
        netinfof.NodeClassifier().fit(graph)
