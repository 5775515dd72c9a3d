"""Probe and act in one call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _native
from ._graph import Graph, GraphLike
from ._model import Model
from ._options import Options, Progress, RandomState, Task, how, own_components, seed_of, words
from ._result import Result, Tested

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._splits import SplitLike


def probe(
    data: GraphLike,
    task: Task = "links",
    *,
    split: SplitLike | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
    **options: Unpack[Options],
) -> Result:
    """Measures how much usable information a graph holds about a task: would a GNN help?

    >>> import netinfof
    >>> result = netinfof.probe("synth:demo", task="nodes")
    >>> print(result.verdict.headline)
    A GNN should help.

    Parameters
    ----------
    data
        Anything :meth:`Graph.of` takes: a file, PyG, DGL, networkx, igraph, SciPy, frames, arrays.
    task
        ``links`` or ``nodes``.
    split
        A split of your own: a :class:`LinkSplit` or :class:`NodeSplit`, ``"masks"`` for those of the graph, or a file for the command's ``--split``.
    random_state
        Seed of splits, walks and sketches; the same seed gives the same bits.
    n_jobs
        Threads; no result depends on them. None and -1 take one for each core.
    progress
        True for a bar (tqdm where it is there), or a callable that gets the stage, the steps done and the steps in all.
    options
        Options of the command as keywords: ``dim=64``, ``components="U,F,S"``, ``protocol="paper"``, ``components={"text": array}`` for components of your own; see :class:`Options`. One that applies to the other
        task only is a `TypeError`.
    """
    return _run(data, task, False, split, random_state, n_jobs, progress, dict(options))


def act(
    data: GraphLike,
    task: Task = "links",
    *,
    split: SplitLike | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
    **options: Unpack[Options],
) -> Result:
    """Solves the task with the same components, tests the solution, and keeps the model in ``result.model``.

    >>> import netinfof
    >>> result = netinfof.act("synth:demo")
    >>> result.test["auc"] > 0.8
    True

    Parameters are those of :func:`probe`.
    """
    return _run(data, task, True, split, random_state, n_jobs, progress, dict(options))


def _run(
    data: GraphLike,
    task: str,
    solve: bool,
    split: Any,
    random_state: RandomState,
    n_jobs: int | None,
    progress: Progress,
    options: dict[str, Any],
) -> Result:
    goal = "act" if solve else "probe"
    if not isinstance(task, str):
        raise TypeError(f"invalid `task`: {type(task).__qualname__} (need 'links' or 'nodes'; node tables go into the graph: Graph.from_frame(edges, nodes))")
    seed = seed_of(random_state)
    options, components = own_components(options)
    said = words(options, of=goal, random_state=seed, task=task)
    # A generated graph comes from the same seed, as with the command.
    graph = Graph.from_file(data, random_state=seed) if isinstance(data, (str, os.PathLike)) else Graph.of(data)
    graph = graph.with_components(components) if components else graph
    own = None
    if split is not None:
        from ._splits import own_split

        own = own_split(split, graph, task)
    told = {"task": task, "random_state": seed, **options}
    shown = ", ".join(f"{key}={value!r}" for key, value in told.items() if value is not None)
    call = f"netinfof.{goal}({graph.name!r}, {shown}{', components={…}' if components else ''}{', split=…' if own is not None else ''})"
    text, native, tested = _native.run(graph._native, said, solve, own, call, how(n_jobs, progress))
    model = None if native is None else Model(native, graph)
    return Result(text, model, None if tested is None else Tested(*tested))
