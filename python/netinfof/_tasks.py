"""The functions ``probe`` and ``act``."""

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
    """Measure how much usable information a graph carries about a task: would a GNN help?

    Parameters
    ----------
    data
        A graph in any form that :meth:`Graph.of` accepts: a file, an object of PyG, DGL, networkx, igraph
        or SciPy, a frame, arrays.
    task
        ``links`` or ``nodes``.
    split
        A split of your own: a :class:`LinkSplit` or :class:`NodeSplit`, ``"masks"`` for the masks of the
        graph, or the path of a file (docs/formats.md). None: a random split.
    random_state
        Seed, or a generator of NumPy that draws one. None is seed 0. The same seed gives the same
        result.
    n_jobs
        Number of threads; results do not depend on it. None and -1: one per core.
    progress
        True for a progress bar (of tqdm, if it is installed), or a callable that receives the stage, the
        steps done and the total number of steps. An exception that it raises stops the run.
    options
        Further options: ``dim=64``, ``components="U,F,S"``, ``components={"text": array}`` for components
        of your own, ``protocol="paper"`` and so on; see :class:`Options`.

    Returns
    -------
    Result
        Scores of the components, and the verdict.

    Raises
    ------
    TypeError
        If an option does not exist, or applies only to the other task.
    ValueError
        If a value is not allowed, or the graph is not suitable for the task.

    Examples
    --------
    >>> import netinfof
    >>> result = netinfof.probe("synth:demo", task="nodes")
    >>> print(result.verdict.headline)
    A GNN should help.
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
    """Solve a task with the components of a graph, and evaluate the solution.

    Parameters
    ----------
    data
        A graph in any form that :meth:`Graph.of` accepts: a file, an object of PyG, DGL, networkx, igraph
        or SciPy, a frame, arrays.
    task
        ``links`` or ``nodes``.
    split
        A split of your own: a :class:`LinkSplit` or :class:`NodeSplit`, ``"masks"`` for the masks of the
        graph, or the path of a file (docs/formats.md). None: a random split.
    random_state
        Seed, or a generator of NumPy that draws one. None is seed 0. The same seed gives the same
        result.
    n_jobs
        Number of threads; results do not depend on it. None and -1: one per core.
    progress
        True for a progress bar (of tqdm, if it is installed), or a callable that receives the stage, the
        steps done and the total number of steps. An exception that it raises stops the run.
    options
        Further options: ``dim=64``, ``components="U,F,S"``, ``components={"text": array}`` for components
        of your own, ``protocol="paper"`` and so on; see :class:`Options`.

    Returns
    -------
    Result
        The result of the probe, the test metrics (``result.test``) and the model (``result.model``).

    Raises
    ------
    TypeError
        If an option does not exist, or applies only to the other task.
    ValueError
        If a value is not allowed, or the graph is not suitable for the task.

    Examples
    --------
    >>> import netinfof
    >>> result = netinfof.act("synth:demo")
    >>> result.test["auc"] > 0.8
    True
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
        raise TypeError(f"invalid `task`: {type(task).__qualname__} (need 'links' or 'nodes'; for a node table use Graph.from_frame(edges, nodes))")
    seed = seed_of(random_state)
    options, components = own_components(options)
    said = words(options, of=goal, random_state=seed, task=task)
    # A generated graph uses the same seed, as in the command.
    graph = Graph.from_file(data, random_state=seed) if isinstance(data, (str, os.PathLike)) else Graph.of(data)
    graph = graph.with_components(components) if components else graph
    own = None
    if split is not None:
        from ._split_checks import own_split

        own = own_split(split, graph, task)
    told = {"task": task, "random_state": seed, **options}
    shown = ", ".join(f"{key}={value!r}" for key, value in told.items() if value is not None)
    call = f"netinfof.{goal}({graph.name!r}, {shown}{', components={…}' if components else ''}{', split=…' if own is not None else ''})"
    text, native, tested = _native.run(graph._native, said, solve, own, call, how(n_jobs, progress))
    model = None if native is None else Model(native, graph)
    return Result(text, model, None if tested is None else Tested(*tested))
