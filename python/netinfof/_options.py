"""Keywords become the words of the command, so that both mean the same and say the same of a mistake."""

from __future__ import annotations

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
How = tuple[int, Union[ProgressCallback, None]]


class Options(TypedDict, total=False):
    """What `netinfof probe` and `netinfof act` can be told; ``netinfof probe --help`` says more of each.

    ``None`` stands for the default.
    """

    protocol: Literal["clean", "paper"] | None
    negatives: Literal["uniform", "degree", "heart"] | None
    shares: tuple[float, float] | None
    splits: int | None
    components: str | Iterable[str] | None
    compat: Literal["none", "h", "hstar"] | None
    preset: Literal["slimg"] | None
    hits: int | None
    dim: int | None
    walk_trials: int | None
    steps: int | None
    s_averaging: Literal["row", "symmetric"] | None
    column_norm: bool | None
    power_iterations: int | None
    bins: int | None
    clusters_per_class: int | None
    normalization: Literal["none", "rows", "columns", "both"] | None
    min_class: int | None
    lambda1: float | Iterable[float] | None
    lambda2: float | Iterable[float] | None
    ridge: float | Iterable[float] | None
    crossfit: int | None
    train_negatives: int | None
    keep_lengths: bool | None
    max_pairs: int | None
    compat_edges: int | None
    directed: bool | None
    penalties: Literal["path", "grid"] | None
    max_p: float | None


NAMES = frozenset(Options.__annotations__)


def words(options: Mapping[str, Any], *, of: str, random_state: RandomState = 0, task: str | None = None) -> list[str]:
    """The command's words for these keywords of the function `of`."""
    said = [f"--seed={seed_of(random_state)}"]
    if task is not None:
        said.append(f"--task={task}")
    for name, value in options.items():
        if name not in NAMES:
            import difflib

            near = difflib.get_close_matches(name, NAMES, 1)
            meant = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"{of}() got an unexpected keyword argument '{name}'{meant}")
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
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
    """A seed; ``None`` is 0, for nothing here hangs on chance that nobody chose."""
    if random_state is None:
        return 0
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**32))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    seed = int(random_state)
    if not 0 <= seed < 2**64:
        raise ValueError(f"invalid `random_state`: {seed} (need a number from 0 to 2**64 - 1)")
    return seed


def how(n_jobs: int | None, progress: Progress) -> How:
    """Threads, and who hears of progress."""
    if n_jobs is None:
        threads = 0
    else:
        threads = int(n_jobs)
        if threads == 0:
            raise ValueError("invalid `n_jobs`: 0 (need a number of threads, or -1 or None for one on each core)")
        if threads < 0:
            threads = max(1, (os.cpu_count() or 1) + 1 + threads)
    if progress is None or progress is False:
        return threads, None
    return threads, Bar() if progress is True else progress


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
        if stage != self._stage or self._bar is None:
            self.close()
            self._stage = stage
            if self._tqdm is None:
                print(f"netinfof: {stage}", file=sys.stderr)
                return
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
