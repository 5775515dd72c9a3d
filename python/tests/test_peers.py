"""Real objects of PyTorch Geometric and DGL: graphs in, splits out, a GNN trained on the very same pairs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import netinfof


def as_pyg(graph: netinfof.Graph, **more: Any) -> Any:
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    index = np.concatenate([graph.edge_index, graph.edge_index[::-1]], axis=1)
    x = torch.from_numpy(graph.x.toarray())
    return data.Data(x=x, edge_index=torch.from_numpy(index), y=torch.from_numpy(graph.y), **more)


def test_a_data_goes_in(demo: netinfof.Graph) -> None:
    data = as_pyg(demo)
    graph = netinfof.Graph.of(data)
    assert (graph.num_nodes, graph.num_edges, graph.num_features, graph.num_classes) == (1200, 4023, 400, 4)
    assert np.array_equal(graph.edge_index, demo.edge_index)
    # Tensors share their memory with the graph where they are dense and float32.
    torch = pytest.importorskip("torch")
    data.x = torch.rand(1200, 16)
    assert netinfof.Graph.of(data).x.ctypes.data == data.x.data_ptr()
    scores = netinfof.probe(as_pyg(demo)).scores
    assert scores == netinfof.probe(demo).scores
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        netinfof.Graph.of(as_pyg(demo))
    for words, more in (
        (r"edge weights \(`edge_weight`\) are", {"edge_weight": torch.rand(8046)}),
        (r"edge attributes \(`edge_attr`, `edge_time`\) are", {"edge_attr": torch.rand(8046, 2), "edge_time": torch.arange(8046)}),
    ):
        with pytest.warns(UserWarning, match=words):
            assert netinfof.Graph.of(as_pyg(demo, **more)).num_edges == 4023
    with pytest.warns(UserWarning, match="edge directions are not used"):
        pyg = pytest.importorskip("torch_geometric.data")
        netinfof.Graph.of(pyg.Data(edge_index=torch.tensor([[0, 2, 3], [1, 1, 2]]), num_nodes=4))


def test_odd_data(demo: netinfof.Graph) -> None:
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    one = as_pyg(demo, train_mask=torch.arange(1200) < 100, val_mask=(torch.arange(1200) // 100) == 1, test_mask=torch.arange(1200) >= 200)
    masks = netinfof.Graph.of(one).masks
    assert masks is not None and masks["val"].sum() == 100
    result = netinfof.probe(one, task="nodes", split="masks", dim=16)
    assert len(result.data["splits"]) == 1
    # No features, no labels, nodes without an edge, labels as a column, features that want a gradient.
    bare = data.Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=5)
    assert netinfof.Graph.of(bare).num_nodes == 5
    column = data.Data(edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.tensor([[0], [1], [0]]), x=torch.rand(3, 2, requires_grad=True))
    assert netinfof.Graph.of(column).num_classes == 2
    whole = data.Data(edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.tensor([1.0]), num_nodes=3)
    assert netinfof.Graph.of(whole).y is None
    with pytest.raises(ValueError, match="several types of nodes or edges"):
        netinfof.Graph.of(data.HeteroData())


def test_hetero_data_there_and_back() -> None:
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    ratings = data.HeteroData()
    ratings["customer"].x = torch.rand(5, 2)
    ratings["film"].x = torch.rand(4, 3)
    # Customer 0 and film 0 are different nodes.
    index = torch.tensor([[0, 0, 1, 2, 4], [0, 3, 1, 0, 2]])
    ratings["customer", "saw", "film"].edge_index = index
    ratings["film", "rev_saw", "customer"].edge_index = index.flip(0)
    graph = netinfof.Graph.of(ratings)
    assert (graph.num_nodes, graph.num_edges, graph.num_features) == (9, 5, 5)
    assert graph.side_names == ("customer", "film") and graph.sides is not None and graph.sides.tolist() == [0] * 5 + [1] * 4
    back = graph.to_hetero()
    assert torch.equal(back["customer", "to", "film"].edge_index, index)
    assert torch.equal(back["customer"].x[:, :2], ratings["customer"].x) and torch.equal(back["film"].x[:, 2:], ratings["film"].x)
    ratings["customer", "knows", "customer"].edge_index = torch.tensor([[0], [1]])
    with pytest.raises(ValueError, match="takes one of them as `relation`"):
        netinfof.Graph.of(ratings)
    with pytest.warns(UserWarning, match="'knows'"):
        assert netinfof.Graph.from_hetero(ratings, ("customer", "saw", "film")).num_edges == 5


@pytest.mark.parametrize(
    "more", [{}, {"disjoint_train_ratio": 0.3}, {"split_labels": True}, {"neg_sampling_ratio": 0.0}, {"add_negative_train_samples": False}]
)
def test_random_link_split_there_and_back(demo: netinfof.Graph, more: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    transforms = pytest.importorskip("torch_geometric.transforms")
    torch.manual_seed(0)
    parts = transforms.RandomLinkSplit(num_val=0.1, num_test=0.2, is_undirected=True, **more)(demo.to_pyg())
    split = netinfof.LinkSplit.from_pyg(parts)
    assert split.graph is not None and np.array_equal(split.graph.edge_index, demo.edge_index)
    assert (len(split.valid), len(split.test), len(split.train)) == (402, 804, 2817)
    assert len(split.test_negatives) == (0 if more.get("neg_sampling_ratio") == 0 else 804)
    for given, back in zip(parts, split.to_pyg()):
        one, two = ({tuple(pair) for pair in data.edge_index.T.tolist()} for data in (given, back))
        # Only with disjoint edges, messages of the training data are fewer.
        assert one < two if more.get("disjoint_train_ratio") and given is parts[0] else one == two
        assert torch.equal(given.x, back.x)
    only = split.to_pyg(messages="train")
    assert all(torch.equal(data.edge_index, only[0].edge_index) for data in only)


def test_random_link_split_of_directions_and_of_types() -> None:
    torch = pytest.importorskip("torch")
    transforms = pytest.importorskip("torch_geometric.transforms")
    data = pytest.importorskip("torch_geometric.data")
    torch.manual_seed(0)
    demo = netinfof.Graph.of("synth:demo")
    # The usual mistake: both directions of an edge are separate edges.
    with pytest.raises(ValueError, match="edges are training edges in the other direction"):
        netinfof.LinkSplit.from_pyg(transforms.RandomLinkSplit(is_undirected=False)(demo.to_pyg()))
    roles = netinfof.Graph(demo.edge_index, demo.x, directed=True)
    one = roles.to_pyg()
    assert (one.num_nodes, one.edge_index.shape[1], one.x.shape[0]) == (1200, 4023, 1200)
    parts = transforms.RandomLinkSplit(num_val=0.1, num_test=0.2, is_undirected=False)(one)
    split = netinfof.LinkSplit.from_pyg(parts, graph=roles)
    # PyG draws the negatives, without regard to its seed: they may be easy or repeated, but are no edges.
    drawn = {"test-negatives-too-easy", "validation-negatives-too-easy", "repeated-pairs"}
    assert split.graph is roles and len(split.train) == 2817 and {finding.kind for finding in split.check().findings} <= drawn
    assert all(given.edge_index.shape == back.edge_index.shape for given, back in zip(parts, split.to_pyg()))
    shop = data.HeteroData()
    shop["user"].num_nodes, shop["item"].num_nodes = 30, 20
    shop["user", "buys", "item"].edge_index = torch.stack([torch.randint(0, 30, (200,)), torch.randint(0, 20, (200,))]).unique(dim=1)
    both = transforms.ToUndirected()(shop)
    types = {"edge_types": [("user", "buys", "item")], "rev_edge_types": [("item", "rev_buys", "user")]}
    split = netinfof.LinkSplit.from_pyg(transforms.RandomLinkSplit(num_val=0.1, num_test=0.2, **types)(both))
    assert split.graph is not None and split.graph.sides is not None and split.graph.sides.tolist() == [0] * 30 + [1] * 20
    assert (split.train[:, 0] < 30).all() and (split.train[:, 1] >= 30).all()
    assert {finding.kind for finding in split.check().findings} <= drawn


def test_sparse_tensors_and_short_floats(demo: netinfof.Graph) -> None:
    torch = pytest.importorskip("torch")
    transforms = pytest.importorskip("torch_geometric.transforms")
    one = demo.to_pyg()
    one.x = one.x.bfloat16()
    matrix = transforms.ToSparseTensor()(one)
    assert matrix.edge_index is None
    graph = netinfof.Graph.of(matrix)
    assert np.array_equal(graph.edge_index, demo.edge_index) and np.array_equal(graph.x, demo.x.toarray())
    assert netinfof.Graph.of(matrix.adj_t.to_sparse_coo()).num_edges == 4023
    one.edge_weight = torch.rand(4023).repeat(2) + 0.5
    weighted = transforms.ToSparseTensor(attr="edge_weight")(one)
    found = netinfof.Graph.from_pyg(weighted, weight="adj_t")
    assert found.edge_weight is not None and np.allclose(found.edge_weight, one.edge_weight[:4023].numpy())
    back = found.to_pyg()
    assert torch.allclose(back.edge_weight[:4023], back.edge_weight[4023:])
    part = netinfof.link_split(found).to_pyg()[2]
    assert part.edge_weight.shape == (part.edge_index.shape[1],)


def test_a_dataset_goes_in(demo: netinfof.Graph) -> None:
    data = pytest.importorskip("torch_geometric.data")
    one = as_pyg(demo)

    base: Any = data.InMemoryDataset

    class Own(base):  # type: ignore[misc]
        def __init__(self, graphs: list[Any]) -> None:
            super().__init__(".")
            self.data, self.slices = self.collate(graphs)

    assert netinfof.Graph.of(Own([one])).num_edges == demo.num_edges
    with pytest.raises(ValueError, match="a dataset of 2 graphs"):
        netinfof.Graph.of(Own([one, one]))
    model = netinfof.NodeClassifier().fit(Own([one]))
    assert model.test_["accuracy"] > 0.8


def test_a_gcn_learns_from_the_very_same_pairs(demo: netinfof.Graph) -> None:
    """Two layers of GCN on what `to_pyg` gives, scored by the metrics that Act is scored by."""
    torch = pytest.importorskip("torch")
    nn = pytest.importorskip("torch_geometric.nn")
    sampling = pytest.importorskip("torch_geometric.utils")
    split = netinfof.link_split(as_pyg(demo), random_state=0)
    train, valid, test = split.to_pyg()
    assert train.edge_index.shape == (2, 2 * len(split.train)) and bool((valid.edge_index == train.edge_index).all())
    # Messages pass both ways, and along training edges alone.
    passed = {tuple(pair) for pair in train.edge_index.T.tolist()}
    assert passed == {end for i, j in split.train.tolist() for end in ((i, j), (j, i))}
    assert np.array_equal(test.edge_label_index[:, test.edge_label == 1].numpy().T, split.test)
    assert np.array_equal(test.edge_label_index[:, test.edge_label == 0].numpy().T, split.test_negatives)
    torch.manual_seed(0)

    base: Any = torch.nn.Module

    class Gcn(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.GCNConv(400, 32), nn.GCNConv(32, 16)

        def forward(self, data: Any, pairs: Any) -> Any:
            z = self.second(self.first(data.x, data.edge_index).relu(), data.edge_index)
            return (z[pairs[0]] * z[pairs[1]]).sum(-1)

    model = Gcn()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(60):
        optimizer.zero_grad()
        none = sampling.negative_sampling(train.edge_index, 1200, train.edge_label_index.shape[1])
        pairs = torch.cat([train.edge_label_index, none], dim=1)
        truth = torch.cat([train.edge_label, torch.zeros(none.shape[1])])
        torch.nn.functional.binary_cross_entropy_with_logits(model(train, pairs), truth).backward()
        optimizer.step()
    with torch.no_grad():
        scores = model(test, test.edge_label_index).numpy()
    edges = test.edge_label.numpy() == 1
    gnn = {"auc": netinfof.auc(scores[edges], scores[~edges]), "hits@100": netinfof.hits_at_k(scores[edges], scores[~edges], 100)}
    act = netinfof.act(demo, random_state=0)
    assert act.tested is not None and np.array_equal(act.tested.items[:805], split.test)
    assert gnn["auc"] > 0.8 and 0 < gnn["hits@100"] <= 1
    print({"gcn": gnn, "act": act.test})


def test_masks_go_out(demo: netinfof.Graph) -> None:
    pytest.importorskip("torch_geometric")
    split = netinfof.node_split(demo, train=0.1, valid=0.1)
    data = split.to_pyg()
    assert int(data.train_mask.sum()) == len(split.train) and data.x.shape == (1200, 400)
    again = netinfof.probe(data, task="nodes", split="masks", dim=16)
    assert again.scores == netinfof.probe(demo, task="nodes", split=split, dim=16).scores


def test_dgl(demo: netinfof.Graph) -> None:
    torch = pytest.importorskip("torch")
    try:
        import dgl
    except Exception as fault:
        pytest.skip(f"no DGL here ({type(fault).__name__})")
    index = torch.from_numpy(demo.edge_index)
    graph = dgl.to_bidirected(dgl.graph((index[0], index[1]), num_nodes=1200))
    graph.ndata["feat"] = torch.from_numpy(demo.x.toarray())
    graph.ndata["label"] = torch.from_numpy(demo.y)
    found = netinfof.Graph.of(graph)
    assert np.array_equal(found.edge_index, demo.edge_index) and found.num_classes == 4
    assert netinfof.probe(graph, dim=16).scores == netinfof.probe(demo, dim=16).scores
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        netinfof.Graph.of(graph)
    graph.edata["weight"] = torch.rand(8046)
    with pytest.warns(UserWarning, match=r"edge weights \(`weight`\) are not used"):
        netinfof.Graph.of(graph)
    ends = np.stack([end.numpy() for end in graph.edges()])
    # A time for each edge, the same in both directions.
    graph.edata["time"] = torch.from_numpy(ends.sum(axis=0))
    with pytest.warns(UserWarning, match="`time`"):
        weighted = netinfof.Graph.from_dgl(graph, weight="weight")
    given = netinfof.Graph(ends, edge_weight=graph.edata["weight"].numpy(), num_nodes=1200)
    assert weighted.edge_weight is not None and given.edge_weight is not None
    assert np.array_equal(weighted.edge_weight, given.edge_weight)
    with pytest.warns(UserWarning, match="`weight`"):
        timed = netinfof.Graph.from_dgl(graph, time="time")
    dated = netinfof.Graph(ends, edge_time=ends.sum(axis=0), num_nodes=1200)
    assert timed._native.times()[1].tolist() == dated._native.times()[1].tolist()  # type: ignore[index]
    with pytest.raises(ValueError, match="invalid `time`: when"):
        netinfof.Graph.from_dgl(graph, time="when")
    del graph.edata["weight"], graph.edata["time"]
    graph.ndata["other"] = torch.rand(1200, 3)
    assert netinfof.Graph.from_dgl(graph, features="other").num_features == 3
    with pytest.raises(ValueError, match="invalid `features`: words"):
        netinfof.Graph.from_dgl(graph, features="words")
    split = netinfof.link_split(graph)
    training, pairs = split.to_dgl()
    assert training.num_edges() == 2 * len(split.train) and training.ndata["feat"].shape == (1200, 400)
    assert np.array_equal(pairs["test_negatives"].numpy(), split.test_negatives)
    back = netinfof.Graph.of(demo.to_dgl())
    assert np.array_equal(back.edge_index, demo.edge_index) and np.array_equal(back.x, demo.x.toarray())
    masked = netinfof.node_split(graph).to_dgl()
    assert int(masked.ndata["train_mask"].sum()) == len(netinfof.node_split(graph).train)
    hetero = dgl.heterograph({("a", "to", "b"): ([0], [0]), ("b", "of", "a"): ([0], [0])})
    with pytest.raises(ValueError, match="several types"):
        netinfof.Graph.of(hetero)
