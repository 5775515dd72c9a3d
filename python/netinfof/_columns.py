"""Columns of data frames as features and classes, by the rules for files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native
from ._convert import array, missing
from ._options import warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Days and the units of time in which frames store dates.
_PER_DAY = 86_400e9


class Choices(NamedTuple):
    """Which columns become features, and how. Names may contain ``*``."""

    features: Sequence[str] = ()
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    #: The schema of an earlier graph, as JSON.
    like: str | None = None


class Typed(NamedTuple):
    """Features, and what they were read from."""

    x: NDArray[Any] | None
    columns: list[dict[str, Any]]
    dropped: list[dict[str, str]]


def names_of(value: str | Sequence[str] | None) -> list[str]:
    """Return names as a list; one name may be given alone."""
    return [] if value is None else [value] if isinstance(value, str) else [str(name) for name in value]


def typed(frame: Any, names: Sequence[str], ids: Sequence[Any], labels: list[str] | None, choices: Choices) -> Typed:
    """Convert the named columns of a frame of pandas or polars to features."""
    given = [(name, *_values(_of(frame, name), name)) for name in names]
    chosen = {
        "drop": list(choices.drop),
        "categorical": list(choices.categorical),
        "numeric": list(choices.numeric),
        "features": list(choices.features),
        "like": choices.like,
    }
    x, columns, dropped, notices = _native.typed(given, chosen, [str(value) for value in ids], labels)
    for notice in notices:
        warn(notice)
    return Typed(x if x.shape[1] else None, json.loads(columns), json.loads(dropped))


def _of(frame: Any, name: str) -> Any:
    return next(frame[column] for column in frame.columns if str(column) == name)


def _values(column: Any, name: str) -> tuple[str | None, Any]:
    """Return the kind that a column states, and its numbers or texts."""
    import numpy as np

    kind = str(getattr(column, "dtype", "")).lower()
    category = kind.startswith(("category", "categorical", "enum"))
    if kind.startswith(("datetime", "date")):
        # Pandas and polars convert to nanoseconds; missing times are NaT.
        times = array_of_times(column)
        days = times.astype("int64") / _PER_DAY
        days[np.isnat(times)] = np.nan
        return "date", days
    values = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    if values.dtype.kind == "b":
        return "boolean", values.astype(np.float64)
    if values.dtype.kind in "fiu" and not category:
        return None, values.astype(np.float64)
    items = values.tolist()
    known = [item for item in items if not missing(item)]
    if not category and known and all(isinstance(item, (bool, np.bool_)) for item in known):
        return "boolean", np.asarray([np.nan if missing(item) else float(item) for item in items], np.float64)
    if not category and all(isinstance(item, (bool, int, float, np.number)) for item in known):
        return None, np.asarray([np.nan if missing(item) else float(item) for item in items], np.float64)
    if any(isinstance(item, (list, tuple, dict, set, np.ndarray)) for item in known):
        raise ValueError(f"invalid graph: column `{name}` of the node frame holds lists (need one value per node; pass vectors as a component: `with_components`)")
    return "category" if category else None, [None if missing(item) else str(item) for item in items]


def array_of_times(column: Any) -> NDArray[Any]:
    """Return dates and times as nanoseconds since 1970, in UTC."""
    import numpy as np

    zone = getattr(getattr(column, "dtype", None), "tz", None)
    if zone is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    values = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    return values.astype("datetime64[ns]")


def label_texts(values: Any) -> list[str]:
    """Return classes as texts; empty texts are unknown."""
    items = values.tolist() if hasattr(values, "tolist") else list(values)
    return ["" if missing(item) else str(int(item)) if isinstance(item, float) and item == int(item) else str(item) for item in items]


def not_classes(values: Any) -> str | None:
    """Say what a label column holds if its values are too many to be classes."""
    values = array(values)
    items = [item for item in values.tolist() if not missing(item)]
    if not all(isinstance(item, (bool, int, float)) for item in items):
        distinct = len({str(item) for item in items})
        return f"{distinct} different texts: names, not classes" if distinct > 20 and distinct > len(items) // 2 else None
    distinct = len({item for item in items if item != -1})
    fractions = any(float(item) != int(item) for item in items if abs(float(item)) != float("inf"))
    many = distinct > 20 and (fractions or distinct > len(items) // 5)
    return f"{distinct} different numbers: the target of a regression, not classes" if many else None
