"""Training of baselines on the splits of ``act``."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _metrics, _native
from .._graph import Graph, GraphLike
from .._options import RandomState, Task, integer, seed_of
from .._splits import LinkSplit, NodeSplit, link_split, node_split
from ._devices import PeakMemory, choose, describe, need_torch
from ._features import Features, prepare
from ._models import Model, select
from ._result import FORMAT, Baselines

if TYPE_CHECKING:
    from ._trained.links import LinkTask
    from ._trained.nodes import NodeTask

#: What a callable for progress receives: a text such as "gcn, split 1 of 5, setting 2 of 4", runs done, all runs, and seconds left or None.
Report = Callable[[str, int, int, "float | None"], None]


def run(
    graph: GraphLike,
    task: Task = "links",
    *,
    models: Any = None,
    splits: int = 5,
    random_state: RandomState = 0,
    protocol: str = "clean",
    negatives: str = "uniform",
    train: float | None = None,
    valid: float | None = None,
    device: str = "auto",
    limit: float = 3600.0,
    path: str | os.PathLike[str] | None = None,
    progress: bool | Report = False,
) -> Baselines:
    """Train graph neural networks and other baselines on the splits that :func:`netinfof.act` uses.

    For every model and split, all settings of a small grid are trained until validation stops improving, and
    the setting that is best on validation is evaluated on the test data.

    Parameters
    ----------
    graph
        A graph in any form that :meth:`Graph.of` accepts.
    task
        ``links`` or ``nodes``.
    models
        Names of models, as a list or separated by commas. None: all models of the task.
    splits
        Number of random splits. Masks of the graph are not used: compare with ``act(..., split="random")``.
    random_state
        Seed of the first split; the next ones follow it, as in ``act``.
    protocol
        Negatives of links: ``clean`` or ``paper``, as in :func:`netinfof.link_split`.
    negatives
        Kind of negatives: ``uniform``, ``degree`` or ``heart``.
    train
        Share of training edges or nodes. None: as in ``act``.
    valid
        Share of validation edges or nodes. None: as in ``act``.
    device
        ``auto`` (a GPU if there is one), ``cpu``, ``cuda`` or ``cuda:1``.
    limit
        Seconds that one model may take on one split.
    path
        JSON file that is written after every model and split. If it exists, its results are kept and only
        the missing ones are computed.
    progress
        True for lines on standard error, or a callable that receives a text, the number of finished runs,
        the number of all runs, and the seconds left (None in the first run).

    Returns
    -------
    Baselines
        Test metrics, seconds and memory of every model and split.

    Raises
    ------
    ImportError
        If PyTorch or PyTorch Geometric is missing.
    ValueError
        If a value is not allowed, or the file at `path` belongs to another graph or other settings.
    """
    if task not in ("links", "nodes"):
        raise ValueError(f"invalid `task`: {task!r} (need 'links' or 'nodes')")
    chosen = select(models, task)
    count = integer(splits, "splits")
    if count < 1:
        raise ValueError(f"invalid `splits`: {count} (need at least 1)")
    need_torch()
    import torch
    import torch_geometric

    seed = seed_of(random_state)
    whole = Graph.from_file(graph, random_state=seed) if isinstance(graph, (str, os.PathLike)) else Graph.of(graph)
    whole._warn_of_context("used here")
    if task == "nodes" and whole.y is None:
        raise ValueError("invalid `graph`: it has no classes (need one class per node for task='nodes')")
    where = choose(device)
    features = prepare(whole.x)
    shares = (0.7, 0.1) if task == "links" else (0.025, 0.025)
    shares = (shares[0] if train is None else float(train), shares[1] if valid is None else float(valid))
    settings: dict[str, Any] = {"train": shares[0], "valid": shares[1]}
    if task == "links":
        settings |= {"protocol": protocol, "negatives": negatives}
    elif (protocol, negatives) != ("clean", "uniform"):
        raise ValueError("invalid `protocol` or `negatives`: they apply to task='links' only")
    data: dict[str, Any] = {
        "baselines": FORMAT,
        "netinfof": _native.__version__,
        "task": task,
        "graph": {"name": whole.name, "nodes": whole.num_nodes, "edges": whole.num_edges, "features": whole.num_features},
        "split": settings,
        "preparation": features.preparation,
        "libraries": {"torch": torch.__version__, "torch_geometric": torch_geometric.__version__},
        "runs": [],
    }
    found = Baselines(_resumed(data, path))
    done = {(entry["model"], entry["seed"]) for entry in found.data["runs"]}
    wanted = [(model, seed + number) for number in range(count) for model in chosen]
    missing = [(model, own) for model, own in wanted if (model.name, own) not in done]
    report = _reporter(progress)
    began, tasks = time.monotonic(), _Tasks(whole, task, settings, features, where)
    for at, (model, own) in enumerate(missing):
        left = None if at == 0 else (time.monotonic() - began) / at * (len(missing) - at)
        label = f"{model.name}, split {own - seed + 1} of {count}"

        def tell(text: str, at: int = at, left: float | None = left, label: str = label) -> None:
            report(f"{label}, {text}", at, len(missing), left)

        found.data["runs"].append(_one(model, tasks, own, limit, tell))
        if path is not None:
            found.to_json(path)
    if missing:
        report("finished", len(missing), len(missing), 0.0)
    return found


def _resumed(data: dict[str, Any], path: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Return the content of the file if it exists and belongs to the same work."""
    if path is None or not os.path.exists(path):
        return data
    kept = Baselines.from_json(path).data
    for key in ("task", "graph", "split"):
        if kept.get(key) != data[key]:
            raise ValueError(f"{os.fspath(path)} holds results with another {key}: {kept.get(key)} instead of {data[key]} (need another file, or remove this one)")
    return kept


class _Tasks:
    """The data on the device, made once for all models of a split."""

    def __init__(self, graph: Graph, task: str, settings: dict[str, Any], features: Features, device: Any) -> None:
        self.graph, self.task, self.settings, self.features, self.device = graph, task, settings, features, device
        self._split: tuple[int, LinkSplit | NodeSplit] | None = None
        self._links: LinkTask | None = None
        self._nodes: NodeTask | None = None

    def split(self, seed: int) -> LinkSplit | NodeSplit:
        if self._split is None or self._split[0] != seed:
            make: Any = link_split if self.task == "links" else node_split
            self._split, self._links = (seed, make(self.graph, **self.settings, random_state=seed)), None
        return self._split[1]

    def fit(self, model: Model, seed: int, params: dict[str, Any], clock: Any) -> Any:
        split = self.split(seed)
        if isinstance(split, LinkSplit):
            if self._links is None:
                from ._trained.links import LinkTask

                self._links = LinkTask(split, self.graph.num_nodes, self.features, self.device, hits_of(split))
            return self._links.fit(model.name, params, seed, clock)
        if self._nodes is None:
            from ._trained.nodes import NodeTask

            self._nodes = NodeTask(self.graph, self.features, self.device)
        return self._nodes.fit(model.name, split, params, seed, clock)

    def metrics(self, seed: int, scores: Any) -> dict[str, float]:
        split = self.split(seed)
        return link_metrics(split, *scores) if isinstance(split, LinkSplit) else node_metrics(self.graph, split, scores)


def hits_of(split: LinkSplit) -> int:
    """The K of Hits@K, by the rule of ``act``."""
    if split.negatives_each:
        return 10
    fewest = min(len(split.valid_negatives), len(split.test_negatives))
    return next((k for k in (100, 50, 20, 10, 5, 2) if k <= fewest), 1)


def link_metrics(split: LinkSplit, positive: Any, negative: Any) -> dict[str, float]:
    """Metrics of test edges and negatives, those of ``act``."""
    k = hits_of(split)
    each = negative.reshape(len(positive), -1) if split.negatives_each else negative
    return {
        f"hits@{k}": _metrics.hits_at_k(positive, each, k),
        "auc": _metrics.auc(positive, negative),
        "ap": _metrics.average_precision(positive, negative),
        "mrr": _metrics.mrr(positive, each),
    }


def node_metrics(graph: Graph, split: NodeSplit, scores: Any) -> dict[str, float]:
    """Metrics of test nodes: those that ``act`` has for any number of classes."""
    import numpy as np

    labels = graph.y
    assert labels is not None
    truth = np.ascontiguousarray(labels[split.test])
    accuracy, f1, balanced = _native.node_metrics(np.argmax(scores, axis=1).astype(np.int64), truth, graph.num_classes)
    return {"accuracy": accuracy, "macro_f1": f1, "balanced_accuracy": balanced}


def _one(model: Model, tasks: _Tasks, seed: int, limit: float, tell: Callable[[str], None]) -> dict[str, Any]:
    """Try all settings of a model on one split, and evaluate the best one."""
    import torch

    from ._trained.training import Clock, OverTime

    entry: dict[str, Any] = {"model": model.name, "family": model.family, "seed": seed, "status": "ok", "device": describe(tasks.device)}
    settings = model.settings()
    clock = Clock.start(limit)
    best, tried, began = None, [], time.monotonic()
    tasks.split(seed)
    # Models of earlier runs must not count.
    gc.collect()
    if tasks.device.type == "cuda":
        torch.cuda.empty_cache()
    with PeakMemory(tasks.device) as memory:
        try:
            for number, params in enumerate(settings):
                tell(f"setting {number + 1} of {len(settings)}")
                start = time.monotonic()
                fit = tasks.fit(model, seed, params, clock)
                seconds = time.monotonic() - start
                tried.append({"params": params, "valid": list(fit.valid), "epochs": fit.epochs, "seconds": seconds})
                if best is None or fit.valid > best[1].valid:
                    best = (params, fit, seconds)
        except OverTime:
            entry |= {"status": "over the time limit", "reason": f"{limit:g} seconds for one model on one split"}
        except (MemoryError, torch.cuda.OutOfMemoryError) as error:
            entry |= {"status": "out of memory", "reason": str(error).splitlines()[0] if str(error) else "no memory"}
        except RuntimeError as error:
            # PyTorch reports a lack of main memory as a RuntimeError.
            if "allocate memory" not in str(error):
                raise
            entry |= {"status": "out of memory", "reason": str(error).splitlines()[0]}
    if best is not None:
        # A setting that finished before the limit counts, and the entry says that others did not.
        if entry["status"] != "ok":
            entry["incomplete"] = f"{len(tried)} of {len(settings)} settings; {entry.pop('reason')}"
            entry["status"] = "ok"
        params, fit, seconds = best
        entry |= {
            "params": params,
            "valid": list(fit.valid),
            "test": tasks.metrics(seed, fit.scores),
            "epochs": fit.epochs,
            "parameters": fit.parameters,
            "losses": list(fit.losses),
            "fit_seconds": seconds,
        }
    entry |= {"tried": tried, "seconds": time.monotonic() - began, "peak_memory_bytes": memory.bytes}
    return entry


def _reporter(progress: bool | Report) -> Report:
    if callable(progress):
        return progress
    if not progress:
        return lambda text, done, total, left: None

    def line(text: str, done: int, total: int, left: float | None) -> None:
        rest = "" if left is None or done == total else f", {duration(left)} left"
        end = "\n" if not sys.stderr.isatty() or done == total else ""
        begin = "\r\x1b[K" if sys.stderr.isatty() else ""
        print(f"{begin}{text}: {done} of {total} runs done{rest}", end=end, file=sys.stderr, flush=True)

    return line


def duration(seconds: float) -> str:
    """Return a duration as people say it."""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60)} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
