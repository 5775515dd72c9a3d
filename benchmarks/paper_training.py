#!/usr/bin/env python3
"""Trains GNNs on links as the NetInfoF paper describes it, for docs/baselines.md: python benchmarks/paper_training.py GRAPH [--model gcn] [--splits 3]

Full batch, one negative per edge, Adam for at most 1000 steps with a patience of 200, hidden size 128, learning rate 0.001 or 0.01, weight decay 0 or
5e-4, chosen on validation Hits@100; negatives of the paper's protocol. What the paper leaves open: no dropout, rows of words divided by their sum, and a
linear layer or an MLP of the Hadamard product as decoder.
"""

from __future__ import annotations

import argparse
import statistics
from itertools import product

import torch
from netinfof import Graph, link_split
from netinfof.baselines._devices import choose
from netinfof.baselines._features import prepare
from netinfof.baselines._run import hits_of, link_metrics
from netinfof.baselines._trained.encoders import ENCODERS
from netinfof.baselines._trained.links import LinkTask, loss_of
from netinfof.baselines._trained.pairs import random_pairs
from netinfof.baselines._trained.training import Clock, train
from torch import Tensor, nn

#: Further parameters of the paper's search, by model.
GRIDS: dict[str, dict[str, list]] = {"gcn": {}, "sage": {}, "gat": {"heads": [8, 16]}, "gpr": {"alpha": [0.1, 0.2, 0.5, 0.9]}, "h2gcn": {"layers": [1, 2]}}


def fit(task: LinkTask, model: str, decoder: nn.Module, seed: int, lr: float, weight_decay: float, **rest: float) -> tuple[tuple[float, ...], tuple]:
    """Validation metrics and test scores of one setting."""
    x = task.inputs("sum")
    torch.manual_seed(seed)
    net = nn.ModuleList([ENCODERS[model](x.shape[1], 128, 128, dropout=0.0, **rest), decoder]).to(task.device)

    def score(nodes: Tensor, pairs: Tensor) -> Tensor:
        return net[1](nodes[pairs[:, 0]] * nodes[pairs[:, 1]]).squeeze(1)

    def step() -> Tensor:
        none, fresh = random_pairs(len(task.train), task.nodes, task.known)
        nodes = net[0](x, task.graph)
        return loss_of(score(nodes, task.train), score(nodes, none), fresh)

    def judge() -> tuple:
        nodes = net[0](x, task.graph)
        return task.judged(lambda pairs: score(nodes, pairs))

    found = train(net, step, judge, lr=lr, weight_decay=weight_decay, clock=Clock.start(3600.0), rounds=1000, patience=200)
    return found.valid, tuple(part.double().cpu().numpy() for part in found.scores)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a GNN on links as the NetInfoF paper describes it.")
    parser.add_argument("graph")
    parser.add_argument("--model", default="gcn", choices=list(GRIDS))
    parser.add_argument("--decoder", default="linear,mlp", help="linear, mlp, or both")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--device", default="auto")
    given = parser.parse_args()
    device, graph = choose(given.device), Graph.from_file(given.graph)
    features = prepare(graph.x)
    more = [dict(zip(GRIDS[given.model], values)) for values in product(*GRIDS[given.model].values())]
    for name in given.decoder.split(","):
        values = []
        for seed in range(given.splits):
            split = link_split(graph, protocol="paper", random_state=seed)
            task = LinkTask(split, graph.num_nodes, features, device, hits_of(split))
            tried = []
            for lr, weight_decay, rest in product((0.001, 0.01), (0.0, 5e-4), more):
                decoder = nn.Linear(128, 1) if name == "linear" else nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))
                tried.append(fit(task, given.model, decoder, seed, lr, weight_decay, **rest))
            values.append(100.0 * link_metrics(split, *max(tried, key=lambda one: one[0])[1])["hits@100"])
        print(f"{graph.name}, {given.model}, {name}: {statistics.mean(values):.1f} ± {statistics.pstdev(values):.1f} ({', '.join(f'{value:.1f}' for value in values)})")


if __name__ == "__main__":
    main()
