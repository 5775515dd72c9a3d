"""Translation of keyword arguments to arguments of the command, so that both have the same meaning and the same errors."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Union

if TYPE_CHECKING:
    import numpy as np

Task = Literal["links", "nodes"]
#: A callable that receives the stage, the steps done and the total number of steps. An exception that it raises stops the run.
ProgressCallback = Callable[[str, int, int], object]
Progress = Union[bool, ProgressCallback, None]
RandomState = Union[int, "np.random.RandomState", "np.random.Generator", None]
Owned = TypeVar("Owned")
How = tuple[int, Union[ProgressCallback, None], Union[Callable[[str], object], None]]


class Options(TypedDict, total=False):
    """Options of :func:`probe` and :func:`act`, given as keyword arguments. None is the default."""

    #: Links: how negatives are drawn: verified non-edges (``clean``), or unverified random pairs as in the paper's code (``paper``). Default clean.
    protocol: Literal["clean", "paper"] | None
    #: Links: non-edges that edges are compared with: uniform, degree-matched, or hard, 500 per edge (HeaRT). Default uniform.
    negatives: Literal["uniform", "degree", "heart"] | None
    #: Shares of the training and validation sets; the rest is the test set. Default (0.7, 0.1) of the edges, (0.025, 0.025) of each class's nodes.
    shares: tuple[float, float] | None
    #: Largest number of test edges or nodes that are evaluated, and of twice the validation edges; the rest are neither evaluated nor trained on. Default 300 000; all in the paper protocol.
    max_evaluated: int | None
    #: Number of splits, with consecutive seeds. Default 1; for a probe, 5 up to 25 000 edges, fewer up to 62 500.
    splits: int | None
    #: Components of U, R, F, P, S, P1, S1, S3, S5, D, X, C, L, as a string or names; or a mapping ``{"name": array}``, which adds components of your own to the default ones (:meth:`Graph.with_components`). Default U, R, F, P, S, D, X for links; U, R, F, P, S, S5, C for nodes, and L if features are words; U, R, F, P, S in the paper protocol.
    components: str | Iterable[str] | Mapping[str, Any] | None
    #: Links: compatibility matrix: none, H by ridge regression, or H* refitted on edges and non-edges. Default hstar.
    compat: Literal["none", "h", "hstar"] | None
    #: Settings of a known model: SlimG is U, F, P, S without a compatibility matrix.
    preset: Literal["slimg"] | None
    #: Links: the K of Hits@K. Default 100, or less on small graphs; 10 with hard negatives.
    hits: int | None
    #: Dimension of the embedding of each component. Default 128.
    dim: int | None
    #: Number of random walks from every node, for component R. Default 200.
    walk_trials: int | None
    #: Number of propagation steps of P and S. Default 2.
    steps: int | None
    #: Averaging of neighbours in S. Default symmetric.
    s_averaging: Literal["row", "symmetric"] | None
    #: Whether to scale the columns of propagated features to length 1 before the PCA. Default False.
    column_norm: bool | None
    #: Preparation of features: every column by its kind, or as in the paper's code, without or with one-hot degrees. Default by-kind; paper in the paper protocol.
    feature_scaling: Literal["by-kind", "paper", "paper-degrees"] | None
    #: Number of subspace iterations of the randomised SVD. Default 4; 1 in the paper protocol, and for graphs of more than 450 000 nodes.
    power_iterations: int | None
    #: Links: number of similarity bins in Probe. Default 8.
    bins: int | None
    #: Nodes: number of clusters per class in Probe. Default 2.
    clusters_per_class: int | None
    #: Nodes: how Act normalises embeddings: rows to length 1, columns to standard deviation 1, both, or rows except for tables of few columns. Default by-kind.
    normalization: Literal["none", "rows", "columns", "both", "by-kind"] | None
    #: Nodes: classes with fewer labelled nodes are left out. Default 0.
    min_class: int | None
    #: Smallest gain worth having, as a share of the target's entropy, above 0 and at most 0.5. The verdict ignores smaller gains. Default 0.05.
    smallest_gain: float | None
    #: LASSO penalties that Act tries.
    lambda1: float | Iterable[float] | None
    #: Group penalties that Act tries.
    lambda2: float | Iterable[float] | None
    #: Ridge penalties that Act tries, divided by the number of training rows.
    ridge: float | Iterable[float] | None
    #: Links: number of folds of cross-fitting; 0 turns it off. Default 5; 0 in the paper protocol.
    crossfit: int | None
    #: Links: negatives per training edge in Act. Default 3; 1 in the paper protocol.
    train_negatives: int | None
    #: Links: whether the rows of embeddings keep their lengths, which grow with the degree. Default False.
    keep_lengths: bool | None
    #: Links: largest number of training pairs in Act. Default 300 000; 600 000 in the paper protocol.
    max_pairs: int | None
    #: Links: largest number of edges that H* is fitted on. Default 200 000.
    compat_edges: int | None
    #: Links: whether the features of a pair depend on the order of its nodes, as in the paper. Default False.
    ordered_pairs: bool | None
    #: Links: penalties that Act tries: decreasing ones (``path``), or those of the paper (``grid``). Default path; grid in the paper protocol, or if penalties are given.
    penalties: Literal["path", "grid"] | None
    #: Nodes: largest p-value of a component that the softmax regression of Act uses. Default 0.05.
    max_p: float | None
    #: Nodes: the model of Act: a softmax regression and ridge regressions, weighted by likelihood (``mixture``), or the paper's softmax regression alone (``softmax``). Default mixture.
    node_model: Literal["mixture", "softmax"] | None


NAMES = frozenset(Options.__annotations__)

#: The task that a keyword applies to; all others apply to both.
_TASK_OF: dict[str, Task] = {
    **dict.fromkeys(("protocol", "negatives", "compat", "hits", "bins", "crossfit", "train_negatives"), "links"),
    **dict.fromkeys(("keep_lengths", "max_pairs", "compat_edges", "ordered_pairs", "penalties"), "links"),
    **dict.fromkeys(("clusters_per_class", "normalization", "min_class", "max_p", "node_model"), "nodes"),
}

#: Keywords that take integers.
_INTEGERS = frozenset(
    ("splits", "hits", "dim", "walk_trials", "steps", "power_iterations", "bins", "clusters_per_class")
    + ("min_class", "crossfit", "train_negatives", "max_pairs", "max_evaluated", "compat_edges")
)


#: Keywords of the solution, which a probe does not have.
_OF_ACT = frozenset(("hits", "ordered_pairs", "penalties", "normalization", "max_p", "node_model", "lambda1", "lambda2", "ridge"))

#: Keywords of these functions for names that the command or the estimators use.
_ELSEWHERE = {"train": "shares", "valid": "shares", "seed": "random_state", "threads": "n_jobs"}


def own_components(options: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return the other keywords, and the user's own components."""
    own = options.get("components")
    if not isinstance(own, Mapping):
        return dict(options), {}
    return {name: value for name, value in options.items() if name != "components"}, own


def words(options: Mapping[str, Any], *, of: str, random_state: RandomState = 0, task: str | None = None) -> list[str]:
    """Return the arguments of the command for these keywords of the function `of`."""
    said = [f"--seed={seed_of(random_state)}"]
    if task is not None:
        said.append(f"--task={task}")
    for name, value in options.items():
        if name not in NAMES:
            import difflib

            meant: str | None
            near = difflib.get_close_matches(name, NAMES, 1)
            meant = _ELSEWHERE.get(name, near[0] if near else None)
            meant = f"; did you mean '{meant}'?" if meant else ""
            raise TypeError(f"{of}() got an unexpected keyword argument '{name}'{meant}")
        flag = "--" + name.replace("_", "-")
        if type(value).__name__ in ("bool_", "bool"):
            value = bool(value)
        if value is None or value is False:
            continue
        applies = _TASK_OF.get(name, task)
        if task in ("links", "nodes") and applies != task:
            raise TypeError(f"{of}() got the keyword argument '{name}', which applies to task='{applies}' only; this is task='{task}'")
        if name in _OF_ACT and of == "probe":
            raise TypeError(f"probe() got the keyword argument '{name}', which applies to act() only")
        if name in _INTEGERS:
            value = integer(value, name)
            if value < 0:
                raise ValueError(f"invalid `{name}`: {value} (need 0 or more)")
        if value is True:
            said.append(flag)
        elif isinstance(value, str):
            said.append(f"{flag}={value}")
        elif isinstance(value, Iterable):
            said.append(f"{flag}={','.join(map(str, value))}")
        else:
            said.append(f"{flag}={value}")
    return said


def seed_of(random_state: RandomState) -> int:
    """Return a seed. ``None`` is 0: results never depend on an unrecorded seed."""
    if random_state is None:
        return 0
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**32))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    seed = integer(random_state, "random_state")
    if not 0 <= seed < 2**64:
        raise ValueError(f"invalid `random_state`: {seed} (need a number from 0 to 2**64 - 1)")
    return seed


def how(n_jobs: int | None, progress: Progress, *, notices: bool = False) -> How:
    """Return the number of threads, the progress callback, and the function that receives notices of the library, if any."""
    if n_jobs is None:
        threads = 0
    else:
        threads = integer(n_jobs, "n_jobs")
        if threads == 0:
            raise ValueError("invalid `n_jobs`: 0 (need a number of threads, or -1 or None for one per core)")
        if threads < 0:
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            threads = max(1, cores + 1 + threads)
    heard: ProgressCallback | None
    if progress is None or progress is False:
        heard = None
    else:
        heard = Bar() if progress is True else progress
    return threads, heard, warn if notices else None


def integer(value: Any, name: str) -> int:
    """Return an integer for the argument `name`; other numbers are refused, not rounded."""
    try:
        return operator.index(value)
    except TypeError:
        whole = getattr(value, "is_integer", None)
        if callable(whole) and whole():
            return int(value)
        kind = TypeError if whole is None else ValueError
        raise kind(f"invalid `{name}`: {value!r} (need a whole number)") from None


#: Packages between the user's code and this one: a warning about a step of a pipeline belongs to the line that fits the pipeline.
_BETWEEN = frozenset(("netinfof", "sklearn", "joblib"))


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that called the package, at any depth of calls."""
    import warnings

    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def shown_as(owner: str) -> Callable[[type[Owned]], type[Owned]]:
    """Decorate a base class whose functions error messages and signatures show as members of the class `owner`."""

    def renamed(base: type[Owned]) -> type[Owned]:
        for name, member in vars(base).items():
            function: Any = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if hasattr(function, "__code__"):
                function.__qualname__ = f"{owner}.{name}"
        return base

    return renamed


class Bar:
    """Progress as a bar of tqdm, or as lines on standard error if tqdm is not installed."""

    def __init__(self) -> None:
        self._stage: str | None = None
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._tqdm is None:
            if stage != self._stage:
                print(f"netinfof: {stage}", file=sys.stderr)
            self._stage = stage
            return
        if stage != self._stage or self._bar is None:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total, desc=stage, leave=False)
        self._bar.total = total
        self._bar.update(done - self._bar.n)
        if done >= total:
            self.close()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
        self._bar = None
