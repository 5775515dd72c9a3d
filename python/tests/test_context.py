"""Edges of other relations as structure."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import netinfof
import numpy as np
import pytest


def shop(reverse: bool = False) -> Any:
    """Users buy items of two brands that they like; the relation from items to brands says which."""
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    draw = np.random.default_rng(0)
    brand, likes = draw.integers(25, size=300), draw.integers(25, size=(400, 2))
    user, item = draw.integers(400, size=60_000), draw.integers(300, size=60_000)
    bought = np.flatnonzero((brand[item, None] == likes[user]).any(1) | (draw.random(60_000) < 0.001))[:1800]
    shop = data.HeteroData()
    shop["user"].num_nodes, shop["item"].x, shop["brand"].num_nodes = 400, torch.rand(300, 3), 25
    index = torch.from_numpy(np.unique(np.stack([user[bought], item[bought]]), axis=1))
    shop["user", "buys", "item"].edge_index = index
    shop["item", "made_by", "brand"].edge_index = torch.from_numpy(np.stack([np.arange(300), brand]))
    if reverse:
        shop["item", "bought_by", "user"].edge_index = index.flip(0)
        shop["item", "rev_buys", "user"].edge_index = index.flip(0)
    return shop


def test_one_relation_is_chosen_and_the_others_serve_as_structure() -> None:
    data = shop()
    target = ("user", "buys", "item")
    with pytest.raises(ValueError, match="the others as `context`.*'made_by'"):
        netinfof.Graph.of(data)
    with pytest.warns(UserWarning, match="relation .*'made_by'.* not used"):
        alone = netinfof.Graph.from_hetero(data, target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = netinfof.Graph.from_hetero(data, target, context="all")
        assert netinfof.Graph.from_hetero(data, target, context=[("item", "made_by", "brand")]).context == graph.context
    assert graph.context == {"item.made_by.brand": 300} and alone.context == {}
    assert (graph.num_nodes, graph.num_edges, graph.num_features) == (700, alone.num_edges, 3)
    auc = [netinfof.act(own, splits=1, random_state=0).test["auc"] for own in (alone, graph)]
    assert auc[1] > auc[0] + 0.05
    restored = pickle.loads(pickle.dumps(graph))
    assert restored.context == graph.context
    with pytest.warns(UserWarning, match="context of graph is not converted"):
        back = graph.to_hetero()
    assert back["user", "to", "item"].edge_index.shape[1] == graph.num_edges and back["item"].x.shape == (300, 3)
    with pytest.raises(ValueError, match="link prediction only"):
        netinfof.probe(graph, task="nodes")


def test_reverse_edges_are_left_out() -> None:
    data, target = shop(reverse=True), ("user", "buys", "item")
    with pytest.warns(UserWarning, match=r"`item\.bought_by\.user` is left out: \d+ of its \d+ pairs"):
        graph = netinfof.Graph.from_hetero(data, target, context="all")
    assert list(graph.context) == ["item.made_by.brand"]
    with pytest.raises(ValueError, match="reverse edges of the one to predict"):
        netinfof.Graph.from_hetero(data, target, context=[("item", "rev_buys", "user")])
    with pytest.raises(ValueError, match="need other relations than the one to predict"):
        netinfof.Graph.from_hetero(data, target, context=[target])


def test_context_from_arrays() -> None:
    graph = netinfof.Graph([(0, 3), (0, 4), (1, 4), (2, 5)], bipartite=True)
    found = graph.with_context({"made by": np.array([[3, 4, 5], [6, 6, 7]])}, nodes=["acme", "apex"])
    assert (found.context, found.num_nodes, graph.context) == ({"made by": 3}, 6, {})
    with pytest.warns(UserWarning, match="`copy` is left out"):
        assert graph.with_context({"copy": ([3, 4, 4, 5], [0, 0, 1, 2])}).context == {}
    with pytest.raises(ValueError, match="they stand for these edges"):
        graph.with_context({"order": ([0, 3, 0, 4, 1, 4, 2, 5], [6, 6, 7, 7, 8, 8, 9, 9])})
