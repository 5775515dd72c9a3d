"""Models for nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ..._splits import NodeSplit
from .._features import Features
from .encoders import ENCODERS, Adjacency, Inputs, product
from .training import Clock, Fit, Judged, train

HIDDEN = 128


class NodeTask:
    """Features, edges and labels on the device; each split names its training and validation nodes."""

    def __init__(self, graph: Any, features: Features | None, device: Any) -> None:
        self.device = device
        self.nodes = graph.num_nodes
        self.labels = torch.from_numpy(np.array(graph.y, dtype=np.int64)).to(device)
        self.classes = graph.num_classes
        self.graph = Adjacency(torch.from_numpy(np.ascontiguousarray(graph.edge_index.T)).to(device), graph.num_nodes)
        self.inputs = Inputs(features, self.graph)

    def fit(self, model: str, split: NodeSplit, params: dict[str, Any], seed: int, clock: Clock) -> Fit:
        """Train one model with one setting; scores are those of the test nodes, one column per class."""
        own, valid, test = (torch.from_numpy(np.ascontiguousarray(part)).to(self.device) for part in (split.train, split.valid, split.test))
        if model == "label-propagation":
            return self._propagate(own, valid, test, params)
        torch.manual_seed(seed)
        rest = {key: value for key, value in params.items() if key not in ("lr", "input", "choose")}
        if model == "linkx":
            rest["nodes"] = self.nodes
        rows, dropout, weight_decay = params["input"]
        x = self.inputs(rows)
        net = ENCODERS[model](x.shape[1], HIDDEN, self.classes, dropout=dropout, **rest).to(self.device)
        truth, wanted = self.labels[own], self.labels[valid]

        def step() -> Tensor:
            return F.cross_entropy(net(x, self.graph)[own], truth)

        def judge() -> Judged:
            found = net(x, self.graph)
            right = (found[valid].argmax(dim=1) == wanted).float().mean()
            # The loss decides between states of equal accuracy, of which a few dozen nodes leave many.
            values = [right, -F.cross_entropy(found[valid], wanted)]
            return torch.stack(values if params.get("choose") != "loss" else values[::-1]), (found[test],)

        found = train(net, step, judge, lr=params["lr"], weight_decay=weight_decay, clock=clock, rounds=1000, patience=200)
        found.scores = found.scores[0].float().cpu().numpy()
        return found

    def _propagate(self, own: Tensor, valid: Tensor, test: Tensor, params: dict[str, Any]) -> Fit:
        """Zhou et al. (2004): F = a S F + (1 - a) Y with the training labels in Y."""
        start = torch.zeros(self.nodes, self.classes, device=self.device)
        start[own, self.labels[own]] = 1.0
        alpha, found = params["alpha"], start
        for _ in range(50):
            found = alpha * product(self.graph.symmetric(), found) + (1.0 - alpha) * start
        # Nodes that no label reaches get the largest class.
        found = found + 1e-9 * torch.bincount(self.labels[own], minlength=self.classes)
        right = (found[valid].argmax(dim=1) == self.labels[valid]).float().mean().item()
        return Fit((right,), found[test].cpu().numpy(), 50)
