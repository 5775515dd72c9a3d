"""Baselines with PyTorch, on the CPU: formulas on small graphs, the pairs of ``act``, and that every model learns."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import netinfof
import numpy as np
import pytest
from netinfof import baselines

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from netinfof.baselines import _run  # noqa: E402
from netinfof.baselines._features import prepare  # noqa: E402
from netinfof.baselines._trained import encoders, links, nodes, pairs, seal, training  # noqa: E402

#: A triangle 0 1 2, a path 2 3 4 5, and node 6 alone.
EDGES = [[0, 1], [0, 2], [1, 2], [2, 3], [3, 4], [4, 5]]


def small() -> Any:
    return encoders.Adjacency(torch.tensor(EDGES), 7)


def dense(edges: list[list[int]], nodes: int = 7) -> Any:
    found = torch.zeros(nodes, nodes)
    for i, j in edges:
        found[i, j] = found[j, i] = 1.0
    return found


def test_matrices_are_normalised_as_stated() -> None:
    graph, a = small(), dense(EDGES)
    assert torch.equal(graph.plain().to_dense(), a)
    scale = a.sum(0).clamp(min=1).rsqrt()
    assert torch.allclose(graph.symmetric().to_dense(), scale[:, None] * a * scale)
    loops = a + torch.eye(7)
    scale = loops.sum(0).rsqrt()
    assert torch.allclose(graph.looped().to_dense(), scale[:, None] * loops * scale)
    two = ((a @ a > 0) & (a == 0)).float()
    two.fill_diagonal_(0.0)
    scale = two.sum(0).clamp(min=1).rsqrt()
    for found in (graph.two_hops(), graph._sparse_two_hops(), graph._dense_two_hops()):
        assert torch.allclose(found.to_dense(), scale[:, None] * two * scale)


def test_hidden_edges_are_as_if_they_were_not_there() -> None:
    hidden = torch.tensor([False, True, False, False, True, False])
    kept = [edge for edge, gone in zip(EDGES, hidden) if not gone]
    found, wanted = small().without(hidden), encoders.Adjacency(torch.tensor(kept), 7)
    for form in ("plain", "symmetric", "looped"):
        assert torch.allclose(getattr(found, form)().to_dense(), getattr(wanted, form)().to_dense()), form


def test_layers_are_those_of_pytorch_geometric() -> None:
    from torch_geometric.nn import APPNP, GCNConv, SAGEConv

    graph, x = small(), torch.rand(7, 3)
    both = torch.tensor([*EDGES, *([j, i] for i, j in EDGES)]).t()
    layers: list[tuple[Any, Any, Any]] = [
        (encoders._GCNLayer(3, 4), GCNConv(3, 4), graph.looped()),
        (encoders._SAGELayer(3, 4), SAGEConv(3, 4), graph.plain()),
        (encoders._APPNPLayer(K=10, alpha=0.2, normalize=False), APPNP(K=10, alpha=0.2), graph.looped()),
    ]
    for mine, theirs, matrix in layers:
        mine.degree = graph.degree
        theirs.load_state_dict(mine.state_dict())
        one, other = x.clone().requires_grad_(), x.clone().requires_grad_()
        first, second = mine(one, matrix), theirs(other, both)
        assert torch.allclose(first, second, atol=1e-6), type(theirs)
        first.square().sum().backward()
        second.square().sum().backward()
        assert torch.allclose(one.grad, other.grad, atol=1e-5), type(theirs)


def test_gpr_gnn_is_a_sum_of_powers() -> None:
    graph, x = small(), torch.rand(7, 3)
    net = encoders.GPRGNN(3, 8, 2, dropout=0.5, alpha=0.3).eval()
    assert net.gamma[:2].tolist() == pytest.approx([0.3, 0.21]) and float(net.gamma.sum()) == pytest.approx(1.0)
    matrix, start = graph.looped().to_dense(), net.mlp(x, graph)
    wanted = sum(weight * torch.linalg.matrix_power(matrix, k) @ start for k, weight in enumerate(net.gamma))
    assert torch.allclose(net(x, graph), wanted, atol=1e-6)


def test_h2gcn_keeps_distances_apart() -> None:
    graph, x = small(), torch.rand(7, 3)
    net = encoders.H2GCN(3, 5, 2, dropout=0.5, layers=2).eval()
    near, far = graph.symmetric().to_dense(), graph.two_hops().to_dense()
    start = torch.relu(net.embed(x))
    first = torch.cat([near @ start, far @ start], dim=1)
    second = torch.cat([near @ first, far @ first], dim=1)
    assert torch.allclose(net.rounds(x, graph), torch.cat([start, first, second], dim=1), atol=1e-6)
    assert net(x, graph).shape == (7, 2)


@pytest.mark.parametrize("fits_dense", [False, True])
def test_common_neighbours_are_found(fits_dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # Lists of neighbours, or the dense rows that a GPU takes.
    monkeypatch.setattr(encoders.Adjacency, "fits_dense", fits_dense)
    graph = small()
    some = torch.tensor([[0, 1], [0, 3], [2, 4], [5, 6], [1, 5]])
    pair, neighbour = pairs.common_neighbours(graph, some, graph.entries_kept())
    assert sorted(zip(pair.tolist(), neighbour.tolist())) == [(0, 2), (1, 2), (2, 3)]
    nodes = torch.rand(7, 4)
    wanted = torch.stack([nodes[2], nodes[2], nodes[3], torch.zeros(4), torch.zeros(4)])
    assert torch.allclose(links.NCN.gather(nodes, graph, some), wanted)
    # Without the edge 0 2, node 2 is no common neighbour of 0 and 1, nor of 0 and 3.
    hidden = graph.without(torch.tensor([False, True, False, False, False, False]))
    wanted[:2] = 0.0
    assert torch.allclose(links.NCN.gather(nodes, hidden, some), wanted)
    # Each of the two entries of an edge is left out on its own.
    torch.manual_seed(0)
    many = torch.stack([links.NCN.gather(nodes, graph, some, cut=0.4)[2] for _ in range(2000)])
    assert torch.allclose(many.mean(dim=0), 0.6**2 * nodes[3], atol=0.04)
    empty = encoders.Adjacency(torch.zeros(0, 2, dtype=torch.long), 7)
    assert not links.NCN.gather(nodes, empty, some).any()


def test_ncn_is_its_formula() -> None:
    """One step of messages; the product of the two ends beside the sum of x + MLP(x) over their common neighbours."""
    graph, x, a = small(), torch.rand(7, 3), dense(EDGES)
    some = torch.tensor([[0, 1], [0, 3], [2, 4], [5, 6]])
    torch.manual_seed(0)
    net = links.NCN(3, 8, links.NCN_SETTINGS["CiteSeer"]).eval()
    with torch.no_grad():
        net.scale.fill_(0.7)
        net.beta.fill_(1.3)
        nodes = 0.7 * graph.looped().to_dense() @ net.embed(x)
        assert torch.allclose(net.nodes(x, graph), nodes, atol=1e-6)
        overlap = a[some[:, 0]] * a[some[:, 1]]
        common = net.head["common"](overlap @ (nodes + net.head["own"](nodes)))
        wanted = net.head["last"](net.head["ends"](nodes[some[:, 0]] * nodes[some[:, 1]]) + 1.3 * common).squeeze(1)
        assert torch.allclose(net(nodes, graph, some), wanted, atol=1e-6)
        # Without features: the same on embeddings that are trained.
        free = links.NCN(0, 8, links.NCN_SETTINGS["CiteSeer"], free=7).eval()
        assert free.free is not None and torch.allclose(free.nodes(None, graph), graph.looped().to_dense() @ free.free, atol=1e-6)
    # Layers with dropout, which is off here: two of the MLP of common neighbours, one of the ends, two of the last and its output.
    assert [len(net.head[part]) for part in ("own", "common", "ends", "last")] == [7, 7, 4, 9]


def test_heuristics_are_their_formulas() -> None:
    a, graph = dense(EDGES), small()
    some = torch.tensor([[0, 3], [2, 5], [1, 4], [0, 1], [3, 6]])
    at = (some[:, 0], some[:, 1])
    degree = a.sum(0).clamp(min=1.0)
    assert torch.equal(links.HEURISTICS["cn"](graph, some, {}), (a @ a)[at])
    assert torch.allclose(links.HEURISTICS["aa"](graph, some, {}), (a @ torch.diag(1.0 / degree.clamp(min=2.0).log()) @ a)[at])
    assert torch.allclose(links.HEURISTICS["ra"](graph, some, {}), (a @ torch.diag(1.0 / degree) @ a)[at])
    power = torch.linalg.matrix_power
    katz = sum(0.1**length * power(a, length) for length in (2, 3, 4))
    assert torch.allclose(links.HEURISTICS["katz"](graph, some, {"beta": 0.1}), katz[at])
    # The stationary solution of the walk with restarts.
    walk = a / degree
    rank = 0.3 * torch.linalg.inv(torch.eye(7) - 0.7 * walk)
    assert torch.allclose(links.HEURISTICS["ppr"](graph, some, {"alpha": 0.3}), (rank + rank.t())[at], atol=1e-4)


def test_buddy_counts_by_distance_without_the_pair_itself() -> None:
    import networkx as nx

    rng = np.random.default_rng(1)
    edges = np.unique(np.sort(rng.integers(0, 14, (26, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    some = np.concatenate([edges[:8], [[0, 13], [3, 9], [1, 12]]])
    found = pairs.Columns(encoders.Adjacency(torch.from_numpy(edges), 14)).counts(torch.from_numpy(some))
    for row, (u, v) in zip(found.tolist(), some.tolist()):
        graph = nx.Graph(edges.tolist())
        graph.add_nodes_from(range(14))
        if graph.has_edge(u, v):
            graph.remove_edge(u, v)
        from_u, from_v = (nx.single_source_shortest_path_length(graph, end, 2) for end in (u, v))
        others = [(from_u.get(w, 9), from_v.get(w, 9)) for w in range(14) if w not in (u, v)]
        wanted = [others.count(pair) for pair in ((1, 1), (1, 2), (2, 1), (2, 2), (1, 9), (9, 1), (2, 9), (9, 2))]
        assert row == wanted, (u, v)


def test_enclosing_subgraphs_and_their_labels() -> None:
    # The pair 1 2 is an edge, which is removed; 0 is next to both, 3 next to 2 only.
    found = seal.enclosing(small(), torch.tensor([[1, 2], [5, 6]]), hops=1)
    first = found.pair == 0
    assert found.nodes[first].tolist() == [0, 1, 2, 3] and found.nodes[~first].tolist() == [4, 5, 6]
    edges = {(found.nodes[i].item(), found.nodes[j].item()) for i, j in found.edges.t().tolist()}
    assert edges == {(0, 1), (1, 0), (0, 2), (2, 0), (2, 3), (3, 2), (4, 5), (5, 4)}
    # 0 has distances 1 and 1: label 2. 3 is reached from 1 only through 2, which does not count: label 0.
    assert found.labels.tolist() == [2, 1, 1, 0, 0, 1, 1]
    assert found.nodes[found.ends].t().tolist() == [[1, 2], [5, 6]]
    # Distances (1, 2) have label 3, (2, 2) label 5, (1, 3) label 4, as in the paper.
    x, y = torch.tensor([0, 0, 1, 2, 1]), torch.tensor([0, 0, 2, 2, 3])
    assert seal.label(x, y, torch.tensor([[0], [1]])).tolist() == [1, 1, 3, 5, 4]
    cache = seal.Cache(small(), torch.tensor([[5, 6], [1, 2]]), 1, training.Clock.start(60))
    again = cache.batch(torch.tensor([1, 0]))
    for name in ("nodes", "pair", "labels", "edges", "ends"):
        assert torch.equal(getattr(again, name), getattr(found, name)), name


def test_validation_metrics_are_those_of_the_library(demo: netinfof.Graph) -> None:
    split = netinfof.link_split(demo)
    task = links.LinkTask(split, demo.num_nodes, None, torch.device("cpu"), _run.hits_of(split))
    rng = np.random.default_rng(0)
    good, bad = (rng.integers(0, 50, size).astype(float) for size in (300, 402))
    found = task.quality(torch.from_numpy(good), torch.from_numpy(bad)).tolist()
    assert found == pytest.approx([netinfof.hits_at_k(good, bad, 100), netinfof.auc(good, bad)])
    task.each, task.hits = 4, 2
    rows = rng.integers(0, 9, (300, 4)).astype(float)
    found = task.quality(torch.from_numpy(good % 9), torch.from_numpy(rows.reshape(-1))).tolist()
    assert found == pytest.approx([netinfof.hits_at_k(good % 9, rows, 2), netinfof.mrr(good % 9, rows)])


def test_the_pairs_are_those_of_act(demo: netinfof.Graph) -> None:
    result = netinfof.act(demo, random_state=4, components="U")
    assert result.tested is not None
    split = netinfof.link_split(demo, random_state=4)
    task = links.LinkTask(split, demo.num_nodes, None, torch.device("cpu"), 100)
    mine = torch.cat([task.test, task.test_none]).numpy()
    truth = np.concatenate([np.ones(len(task.test)), np.zeros(len(task.test_none))])
    assert np.array_equal(mine, result.tested.items) and np.array_equal(truth, result.tested.truth)
    # No held-out edge is among the messages.
    messages = set(map(tuple, task.graph.index.t().tolist()))
    assert not messages & {pair for edge in torch.cat([task.valid, task.test]).tolist() for pair in (tuple(edge), tuple(edge[::-1]))}
    nodes = netinfof.act(demo, task="nodes", random_state=4, components="F")
    assert nodes.tested is not None
    assert np.array_equal(netinfof.node_split(demo, random_state=4).test, nodes.tested.items)


def test_training_keeps_the_best_state() -> None:
    weight = torch.nn.Parameter(torch.tensor([0.0]))
    model = torch.nn.ParameterList([weight])
    # The parameter grows; validation is best where it is nearest to 0.5.
    fit = training.train(
        model,
        lambda: -weight.sum(),
        lambda: (torch.stack([-(weight[0] - 0.5).abs()]), (weight.detach().clone(),)),
        lr=0.1,
        weight_decay=0.0,
        clock=training.Clock.start(60),
        rounds=100,
        patience=10,
    )
    assert fit.scores[0].item() == pytest.approx(0.5, abs=0.06) and fit.epochs == 5
    with pytest.raises(training.OverTime):
        training.train(
            model, lambda: -weight.sum(), lambda: (weight.detach(), ()), lr=0.1, weight_decay=0.0, clock=training.Clock.start(-1.0), rounds=5, patience=5
        )


def test_states_are_compared_from_the_first_metric() -> None:
    best = training.Best()
    # Accuracy and minus the loss: only the second state and the last are better than all before.
    states = [[0.5, -1.0], [0.5, -0.5], [0.4, 9.0], [0.5, -0.5], [0.6, -7.0]]
    taken = []
    for number, state in enumerate(states):
        judged = torch.tensor(state), (torch.tensor([float(number)]),)
        if number == 0:
            best.start(judged)
        best.update(judged)
        taken.append((int(best.at) - 1, best.scores[0].item()))
    assert taken == [(0, 0.0), (1, 1.0), (1, 1.0), (1, 1.0), (4, 4.0)]


def test_without_features_models_get_degrees_and_seal_its_labels_alone(demo: netinfof.Graph) -> None:
    bare = netinfof.Graph(demo.edge_index)
    task = links.LinkTask(netinfof.link_split(bare), bare.num_nodes, None, torch.device("cpu"), 100)
    x = task.inputs("length")
    assert not task.inputs.given and x.shape == (bare.num_nodes, 2) and x is task.inputs("raw")
    order = task.graph.degree.argsort()
    assert bool((x[order, 0].diff() >= 0).all()) and bool((x[:, 1] == 1).all())
    assert seal.DGCNN(0, 8, 10, 0.5, 0.5).features is None
    # With features, a model can still have degrees alone.
    full = links.LinkTask(netinfof.link_split(bare), demo.num_nodes, prepare(demo.x), torch.device("cpu"), 100)
    assert full.inputs.given and torch.equal(full.inputs("degree"), x) and full.inputs("length").shape[1] > 2


def test_nodes_are_chosen_by_accuracy_or_by_loss(communities: netinfof.Graph) -> None:
    split = netinfof.node_split(communities, train=0.3, valid=0.2)
    task = nodes.NodeTask(communities, prepare(communities.x), torch.device("cpu"))
    for choose, accuracy in (("accuracy", 0), ("loss", 1)):
        params = {"lr": 0.01, "input": ("amount", 0.5, 5e-2), "choose": choose}
        found = task.fit("mlp", split, params, 0, training.Clock.start(600.0))
        assert 0.0 <= found.valid[accuracy] <= 1.0 and found.valid[1 - accuracy] < 0.0, choose


@pytest.fixture(scope="session")
def communities() -> netinfof.Graph:
    """Four communities whose features say the same, so that every model can learn both tasks."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 320)
    edges = rng.integers(0, 320, (9000, 2))
    edges = edges[(edges[:, 0] != edges[:, 1]) & (labels[edges[:, 0]] == labels[edges[:, 1]])][:1500]
    x = rng.normal(0, 1, (320, 8)) + 1.5 * np.eye(8)[labels]
    return netinfof.Graph(edges.T, x.astype(np.float32), labels)


@pytest.mark.parametrize("task", ["nodes", "links"])
def test_every_model_learns(task: Any, communities: netinfof.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    for model in baselines.MODELS[task].values():
        # One setting is enough here.
        monkeypatch.setattr(type(model), "settings", lambda self: [dict(zip(self.grid, (values[0] for values in self.grid.values())))])
        found = baselines.run(communities, task, models=[model.name], splits=1, train=0.3 if task == "nodes" else None, valid=0.2 if task == "nodes" else None)
        (entry,) = found.runs(model.name)
        assert entry["status"] == "ok" and entry["seconds"] > 0 and entry["peak_memory_bytes"] > 0 and entry["device"].startswith(("cpu", "cuda"))
        if entry["parameters"]:
            assert entry["losses"][1] < entry["losses"][0], model.name
        metric, chance = ("accuracy", 0.25) if task == "nodes" else ("auc", 0.5)
        assert entry["test"][metric] > chance + 0.15, (model.name, entry["test"])


def test_the_command_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "b.json"

    def run(*more: str) -> Any:
        words = [sys.executable, "-m", "netinfof.baselines", "synth:demo", "--task", "nodes", "--splits", "2", "--json", str(path), *more]
        return subprocess.run(words, capture_output=True, text=True)

    first = run("--models", "label-propagation")
    assert first.returncode == 0 and "label-propagation" in first.stdout and "2 of 2 runs done" in first.stderr
    before = json.loads(path.read_text())["runs"]
    second = run("--models", "label-propagation,mlp", "--limit", "0")
    assert second.returncode == 0 and "over the time limit" in second.stdout
    after = json.loads(path.read_text())["runs"]
    assert after[:2] == before and [entry["model"] for entry in after[2:]] == ["mlp", "mlp"]
    other = run("--seed", "7")
    assert other.returncode == 2 and "another graph" in other.stderr and len(other.stderr.splitlines()) == 1
    assert run("--device", "tpu").returncode == 2


@pytest.mark.parametrize("task", ["nodes", "links"])
@pytest.mark.parametrize("model", ["mlp", "gcn", "sage", "gat"])
def test_scripts_run(model: str, task: Any, communities: netinfof.Graph, tmp_path: Path) -> None:
    path = baselines.script(model, communities, tmp_path / "train.py", task=task)
    text = Path(path).read_text().replace("range(1000)", "range(20)")
    Path(path).write_text(text)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "at the best validation" in done.stdout
