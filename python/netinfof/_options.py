"""Keywords become the words of the command, so that both mean the same and say the same of a mistake."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    import numpy as np

Task = Literal["links", "nodes"]
#: A callable gets the stage, the steps done and the steps in all; what it raises stops the work.
ProgressCallback = Callable[[str, int, int], object]
Progress = Union[bool, ProgressCallback, None]
RandomState = Union[int, "np.random.RandomState", "np.random.Generator", None]
How = tuple[int, Union[ProgressCallback, None], Union[Callable[[str], object], None]]


class Options(TypedDict, total=False):
    """What :func:`probe` and :func:`act` can be told beside their parameters, as the command can. None stands for the default."""

    #: Links: negatives are verified non-edges (``clean``), or unverified random pairs as in the published code (``paper``). Default clean.
    protocol: Literal["clean", "paper"] | None
    #: Links: which pairs are told from edges: any, such with the degrees of the edges' ends, or 500 hard ones for each edge (HeaRT). Default uniform.
    negatives: Literal["uniform", "degree", "heart"] | None
    #: Shares that train and that validate; the rest tests. Default (0.7, 0.1) of the edges, (0.025, 0.025) of the labelled nodes of each class.
    shares: tuple[float, float] | None
    #: Number of splits. Default 1; 3 for a probe of at most 25 000 edges.
    splits: int | None
    #: Of U, R, F, P, S, P1, S1, S3, S5, D, X. Default U,R,F,P,S,D,X for links, U,R,F,P,S for nodes and in the paper protocol.
    #: A mapping adds components of your own to these, each with rows for the nodes: ``{"text": array}``; see :meth:`Graph.with_components`.
    components: str | Iterable[str] | Mapping[str, Any] | None
    #: Links: no compatibility matrix, H by ridge regression, or H* refitted on edges and non-edges. Default hstar.
    compat: Literal["none", "h", "hstar"] | None
    #: A known model as a configuration of this one: SlimG is U, F, P, S without a compatibility matrix.
    preset: Literal["slimg"] | None
    #: Links: the K of Hits@K. Default 100, less on small graphs.
    hits: int | None
    #: Embedding size of a component. Default 128.
    dim: int | None
    #: Random walks from every node, for R. Default 200.
    walk_trials: int | None
    #: Propagation steps of P and S. Default 2.
    steps: int | None
    #: Averaging over neighbours in S. Default symmetric.
    s_averaging: Literal["row", "symmetric"] | None
    #: Scale the columns of propagated features to length 1 before the PCA. Default no.
    column_norm: bool | None
    #: How features become input: every column by its kind, or as in the paper's code, with one-hot degrees beside them or not. Default by-kind;
    #: paper in the paper protocol.
    feature_scaling: Literal["by-kind", "paper", "paper-degrees"] | None
    #: Subspace iterations of the randomised SVD. Default 4; 1 in the paper protocol.
    power_iterations: int | None
    #: Links: bins of the similarity in Probe. Default 8.
    bins: int | None
    #: Nodes: clusters in Probe, for each class.
    clusters_per_class: int | None
    #: Nodes: how Act normalises embeddings: rows to length 1, columns to deviation 1, both, or rows except for tables of few columns. Default by-kind.
    normalization: Literal["none", "rows", "columns", "both", "by-kind"] | None
    #: Nodes: drop classes with fewer labelled nodes. Default 0.
    min_class: int | None
    #: LASSO penalties that Act tries.
    lambda1: float | Iterable[float] | None
    #: Group penalties that Act tries.
    lambda2: float | Iterable[float] | None
    #: Ridge penalties that Act tries, divided by the number of training rows.
    ridge: float | Iterable[float] | None
    #: Links: folds of cross-fitting, 0 for none. Default 5; 0 in the paper protocol.
    crossfit: int | None
    #: Links: negatives for each edge that Act learns from. Default 3; 1 in the paper protocol.
    train_negatives: int | None
    #: Links: keep the lengths of the embeddings' rows, which grow with the degree. Default no.
    keep_lengths: bool | None
    #: Links: training pairs that Act learns from at most. Default 300 000; 600 000 in the paper protocol.
    max_pairs: int | None
    #: Links: edges that H* is fitted on at most. Default 200 000.
    compat_edges: int | None
    #: Links: features of a pair depend on the order of its nodes, as in the paper. Default no.
    ordered_pairs: bool | None
    #: Links: penalties from the largest downwards (``path``), or the paper's (``grid``). Default path; grid in the paper protocol.
    penalties: Literal["path", "grid"] | None
    #: Nodes: Act leaves out components whose score shuffled labels reach more often than this.
    max_p: float | None


NAMES = frozenset(Options.__annotations__)

#: The task that a keyword applies to; all others apply to both.
_TASK_OF: dict[str, Task] = {
    **dict.fromkeys(("protocol", "negatives", "compat", "hits", "bins", "crossfit", "train_negatives"), "links"),
    **dict.fromkeys(("keep_lengths", "max_pairs", "compat_edges", "ordered_pairs", "penalties"), "links"),
    **dict.fromkeys(("clusters_per_class", "normalization", "min_class", "max_p"), "nodes"),
}

#: Keywords that take whole numbers.
_INTEGERS = frozenset(
    ("splits", "hits", "dim", "walk_trials", "steps", "power_iterations", "bins", "clusters_per_class")
    + ("min_class", "crossfit", "train_negatives", "max_pairs", "compat_edges")
)


#: The same under another name: as the command or the estimators have it.
_ELSEWHERE = {"train": "shares", "valid": "shares", "seed": "random_state", "threads": "n_jobs", "directed": "ordered_pairs"}


def own_components(options: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The other keywords, and the components of the user's own."""
    own = options.get("components")
    if not isinstance(own, Mapping):
        return dict(options), {}
    return {name: value for name, value in options.items() if name != "components"}, own


def words(options: Mapping[str, Any], *, of: str, random_state: RandomState = 0, task: str | None = None) -> list[str]:
    """The command's words for these keywords of the function `of`."""
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
    """A seed; ``None`` is 0: results never depend on an unrecorded seed."""
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
    """Threads, the listener for progress, and whether notices of the library become warnings."""
    if n_jobs is None:
        threads = 0
    else:
        threads = integer(n_jobs, "n_jobs")
        if threads == 0:
            raise ValueError("invalid `n_jobs`: 0 (need a number of threads, or -1 or None for one on each core)")
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
    """A whole number for the argument `name`; nothing is rounded or cut off."""
    try:
        return operator.index(value)
    except TypeError:
        whole = getattr(value, "is_integer", None)
        if callable(whole) and whole():
            return int(value)
        kind = TypeError if whole is None else ValueError
        raise kind(f"invalid `{name}`: {value!r} (need a whole number)") from None


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warns at the line of the user's code that called the package, however deep the call is."""
    import warnings

    package = os.path.dirname(__file__)
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


class Bar:
    """Progress as tqdm shows it, or as plain lines on standard error where there is no tqdm."""

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
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.close()
        self._bar = None
