"""Training until validation stops improving."""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

#: Validation metrics, better if larger and compared from the first, and the scores of the test data.
Judged = tuple[Tensor, tuple[Tensor, ...]]


class OverTime(Exception):
    """The time limit of a run has passed."""


@dataclass
class Clock:
    """The time limit of a run."""

    ends: float

    @classmethod
    def start(cls, limit: float) -> Clock:
        return cls(time.monotonic() + limit)

    def check(self) -> None:
        """Fail if the time has passed."""
        if time.monotonic() > self.ends:
            raise OverTime


@dataclass
class Fit:
    """A trained model: its best validation metrics, and the scores of the test data at that point."""

    valid: tuple[float, ...]
    scores: Any
    epochs: int
    parameters: int = 0
    #: Loss of the first and of the last step.
    losses: tuple[float, float] = (0.0, 0.0)


class Best:
    """The best state so far, kept on the device, so that nothing waits for the host."""

    def __init__(self) -> None:
        self.valid: Tensor | None = None
        self.scores: tuple[Tensor, ...] = ()
        self.round = torch.zeros(())
        self.at = torch.zeros(())

    def start(self, judged: Judged) -> None:
        """Allocate, with a state that everything is better than."""
        valid, scores = judged
        self.valid = torch.full_like(valid, -torch.inf)
        self.scores = tuple(torch.zeros_like(part) for part in scores)
        self.round, self.at = (torch.zeros((), device=valid.device) for _ in range(2))

    def update(self, judged: Judged) -> None:
        """Take the state if it is better."""
        valid, scores = judged
        assert self.valid is not None
        self.round += 1.0
        differ = (valid != self.valid).float()
        first = (differ.cumsum(0) == 1.0) & (differ > 0.0)
        better = (first & (valid > self.valid)).any()
        self.valid.copy_(torch.where(better, valid, self.valid))
        self.at.copy_(torch.where(better, self.round, self.at))
        for kept, part in zip(self.scores, scores):
            kept.copy_(torch.where(better, part, kept))


@functools.cache
def _side_stream(device: torch.device) -> Any:
    """The stream that recordings are made on. One for all of them, because libraries keep a workspace for every stream."""
    return torch.cuda.Stream(device)


def train(
    model: nn.Module,
    step: Callable[[], Tensor],
    judge: Callable[[], Judged],
    *,
    lr: float,
    weight_decay: float,
    clock: Clock,
    rounds: int,
    patience: int,
    steps: int = 1,
    capture: bool = True,
    groups: list[dict[str, Any]] | None = None,
) -> Fit:
    """Train a model with Adam until its validation metrics have not improved for some rounds.

    Parameters
    ----------
    model
        The model.
    step
        Computes the loss of one step.
    judge
        Computes validation metrics and test scores of the present model.
    lr
        Learning rate.
    weight_decay
        Weight decay.
    clock
        The time limit.
    rounds
        Maximum number of rounds; a round is some steps and a validation.
    patience
        Number of rounds without improvement.
    steps
        Number of steps in a round.
    capture
        Whether a GPU may record a round once and replay it, which is much faster for small graphs. All shapes must then stay the same.
    groups
        Parameters with learning rates of their own, instead of all with `lr`.
    """
    on_gpu = next(model.parameters()).is_cuda
    capture = capture and on_gpu
    optimizer = torch.optim.Adam(groups or model.parameters(), lr=lr, weight_decay=weight_decay, fused=on_gpu, capturable=capture)
    best = Best()
    losses: list[float] = []
    device = next(model.parameters()).device
    last = torch.zeros((), device=device)

    def round_() -> None:
        model.train()
        for _ in range(steps):
            optimizer.zero_grad(set_to_none=True)
            loss = step()
            loss.backward()
            optimizer.step()
            last.copy_(loss.detach())
            if not losses:
                losses.append(float(loss))
        model.eval()
        with torch.no_grad():
            judged = judge()
            if best.valid is None:
                best.start(judged)
            best.update(judged)

    replay = round_
    graph = None
    done = 0
    if capture:
        # A few rounds before the recording, on a stream of their own, as PyTorch asks for.
        side = _side_stream(device)
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                round_()
        torch.cuda.current_stream().wait_stream(side)
        done = 3
        graph = torch.cuda.CUDAGraph()
        optimizer.zero_grad(set_to_none=True)
        try:
            with torch.cuda.graph(graph, stream=side):
                round_()
            replay = graph.replay
        except torch.cuda.OutOfMemoryError:
            raise
        except RuntimeError as error:
            # Some operation cannot be recorded: the rounds run as they are, only slower.
            warnings.warn(f"training without recording: {str(error).splitlines()[0]}", stacklevel=2)
            torch.cuda.synchronize()
    every = 20 if capture else 5
    while done < rounds:
        clock.check()
        replay()
        done += 1
        if done % every == 0 and done - int(best.at) >= patience:
            break
    assert best.valid is not None
    scores = tuple(part.clone() for part in best.scores)
    if graph is not None:
        # The recording keeps its memory as long as it exists.
        torch.cuda.synchronize()
        graph.reset()
    return Fit(
        tuple(best.valid.tolist()),
        scores,
        int(best.at) * steps,
        sum(parameter.numel() for parameter in model.parameters()),
        (losses[0], float(last)),
    )
