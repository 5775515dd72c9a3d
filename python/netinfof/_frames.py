"""Reader for frames of pandas and polars: edges, and optionally nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _columns, _native
from ._convert import Parts, array, attributes, edge_weights, missing, times_of
from ._options import warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _column(frame: Any, name: str, what: str) -> Any:
    own = [column for column in frame.columns if str(column) == str(name)]
    if len(own) != 1:
        shown = ", ".join(f"`{column}`" for column in list(frame.columns)[:12])
        told = f"{len(own)} columns of the frame have this name" if own else f"need a column of the frame: {shown}"
        raise ValueError(f"invalid `{what}`: {name} ({told})")
    return array(frame[own[0]])


def frames(
    edges: Any,
    nodes: Any,
    source: str | None,
    target: str | None,
    id: str | None,
    label: str | None,
    choices: Any,
    weight: str | None = None,
    time: str | None = None,
    bipartite: bool | None = None,
) -> Parts:
    """Read an edge frame and an optional node frame; columns are detected by the rules of the command for tables."""
    import numpy as np

    names = [str(name) for name in edges.columns]
    if len(names) < 2:
        raise ValueError(f"invalid graph: an edge frame with {len(names)} column{'' if len(names) == 1 else 's'} (need two columns of ids)")
    usual, _, _ = _native.known_columns(names)
    if (source is None) != (target is None):
        raise ValueError("invalid `source`: only one of `source` and `target` is given (need both, or neither)")
    if source is None or target is None:
        if usual is None and time is not None and len(names) == 3:
            usual = [at for at, name in enumerate(names) if name != str(time)]
        if usual is None and len(names) > 2:
            shown = ", ".join(f"`{name}`" for name in names[:12])
            raise ValueError(f"invalid graph: cannot detect the id columns of the edge frame among {shown} (need `source` and `target`)")
        source, target = [names[at] for at in usual] if usual else names
    first, second = _column(edges, source, "source"), _column(edges, target, "target")
    # Without a node frame, the different ids are searched for gaps: they are fewer.
    if nodes is not None:
        _no_gaps(first, second)
    times = None if time is None else times_of(_column(edges, time, "time"), len(first), str(time))
    if bipartite not in (None, True, False):
        raise ValueError(f"invalid `bipartite`: {bipartite!r} (need True, False or None)")
    side_names = None
    if bipartite is not False:
        side_names = _native.sides_of_columns(str(source), str(target))
        if bipartite and side_names is None:
            side_names = ("user", "item")
    by_side: list[Any] = []
    if side_names is not None:
        by_side = [_distinct_ids(end) for end in (first, second)]
        if any(_gap(ids) is not None for ids in by_side):
            _no_gaps(first, second)
        if not set(by_side[0].tolist()).isdisjoint(by_side[1].tolist()):
            # Equal ids of different columns are different nodes.
            first, second = (_qualified(end, side) for end, side in zip((first, second), side_names))
            by_side = [_qualified(ids, side) for ids, side in zip(by_side, side_names)]
    if nodes is None:
        if by_side:
            ahead = len(by_side[0])
            places = [_places(own.tolist(), own, end, end)[0] for own, end in zip(by_side, (first, second))]
            places[1] = places[1] + ahead
            same = by_side[0].dtype == by_side[1].dtype
            order = np.concatenate(by_side if same else [own.astype(object) for own in by_side])
        else:
            order, places = _numbered_ends(first, second)
            if _gap(order) is not None:
                _no_gaps(first, second)
        x, y, classes = None, None, None
        schema: dict[str, Any] = {}
        kind = None
    else:
        columns = [str(name) for name in nodes.columns]
        _, own_id, own_label = _native.known_columns(columns)
        id = id or (None if own_id is None else columns[own_id])
        if id is None:
            shown = ", ".join(f"`{name}`" for name in columns[:12])
            raise ValueError(f"invalid graph: cannot detect the id column of the node frame among {shown} (need `id`; the index is ignored)")
        order = _column(nodes, id, "id")
        found = label is None
        if label is None and own_label is not None and columns[own_label] != id:
            label = columns[own_label]
        y = None if label is None else _column(nodes, label, "label")
        dropped = []
        what = None if y is None else _columns.not_classes(y)
        kind = None
        if what is not None and "regression" in what:
            warn(f"column `{label}` holds many different numbers: the target is numeric, and nodes are predicted by regression")
            used, kind = label, "numbers"
        elif what is not None:
            if not found:
                raise ValueError(f"invalid `label`: {label} ({what}; for classes, put ranges of it into a column of their own: `pandas.qcut`)")
            warn(f"column `{label}` holds {what}; it is not used")
            dropped.append({"name": label, "why": what.split(": ")[1].split(",")[0]})
            used, label, y = label, None, None
        else:
            used = label
        texts = None if y is None or kind == "numbers" else _columns.label_texts(y)
        table = _columns.typed(nodes, [c for c in columns if c not in (id, used)], order.tolist(), texts, choices)
        x = table.x
        y, classes = (y, None) if kind == "numbers" else _two_sided(y)
        schema = {"id": id, "label": label, "node_header_lines": 0, "columns": table.columns, "dropped": dropped + table.dropped}
    values = order.tolist()
    gap = None if nodes is None else next((at for at, value in enumerate(values) if missing(value)), None)
    if gap is not None:
        raise ValueError(f"invalid graph: row {gap} of the node frame has no id")
    if nodes is not None:
        places = _places(values, order, first, second)
    unknown = [value for end, place in zip((first, second), places) for value in end[place < 0].tolist()]
    if unknown:
        some = list(dict.fromkeys(unknown))
        shown = ", ".join(f"`{value}`" for value in some[:3])
        raise ValueError(f"invalid graph: {len(some)} id{' of the edge frame is' if len(some) == 1 else 's of the edge frame are'} not in the node frame, such as {shown}")
    sides: Any = False if bipartite is False else None
    if side_names is not None:
        on_second = np.full(len(values), -1)
        for side, place in enumerate(places):
            on_second[place] = side
        # The side of a node without edges is unknown.
        sides = None if (on_second < 0).any() else (on_second == 1).tolist()
    plain = order.dtype.kind in "iu" and bool((order == np.arange(len(order))).all())
    if weight is not None and str(weight) in (str(source), str(target)):
        raise ValueError(f"invalid `weight`: {weight} (need a column that holds no ids)")
    weights = None if weight is None else edge_weights(_column(edges, weight, "weight"), len(first), "weight")
    further = [name for name in names if name not in (str(source), str(target), *(str(own) for own in (weight, time) if own is not None))]
    of_edges = [{"name": name, "why": "a column of edges"} for name in further]
    of_weights = {} if weight is None else {"weight": str(weight)}
    schema = {"format": "a frame", "ends": [str(source), str(target)], **of_weights, **schema, "dropped": of_edges + schema.get("dropped", [])}
    names_of_sides = None if side_names is None or sides is None else (side_names[0], side_names[1])
    return Parts(
        places[0], places[1], len(values), x, y, None if plain else values, classes=classes, sides=sides, side_names=names_of_sides,
        unused=attributes(further), schema=schema, weights=weights, times=times, target_kind=kind,
    )  # fmt: skip


def _places(values: list[Any], order: Any, first: Any, second: Any) -> list[NDArray[np.int64]]:
    """Return the numbers of the nodes at both ends of every edge; -1 where an id is unknown."""
    import numpy as np

    def twice(value: Any) -> ValueError:
        return ValueError(f"invalid graph: id `{value}` occurs more than once in the node frame")

    # Arrays of different types would be converted to a common one, which changes ids.
    if {own.dtype for own in (order, first, second)} == {order.dtype}:
        _, codes = _numbered([order, first, second], by_row=False)
        own, ends = codes[: len(order)], codes[len(order) :]
        again = np.flatnonzero(own != np.arange(len(order)))
        if again.size:
            raise twice(values[again[0]])
        ends = np.where(ends < len(order), ends, -1)
        return [ends[: len(first)], ends[len(first) :]]
    number = {value: at for at, value in enumerate(values)}
    if len(number) < len(values):
        raise twice(next(value for at, value in enumerate(values) if number[value] != at))
    return [np.fromiter((number.get(value, -1) for value in end.tolist()), np.int64, len(end)) for end in (first, second)]


def _two_sided(y: Any) -> tuple[Any, Any]:
    """Return -1 and 1 as two classes if there are no other labels; elsewhere -1 is an unknown class."""
    import numpy as np

    if y is None or y.dtype.kind not in "fi":
        return y, None
    known = ~np.isnan(y)
    if set(np.unique(y[known]).tolist()) != {-1, 1}:
        return y, None
    return np.where(known, y > 0, -1).astype(np.int64), np.array([-1, 1])


def _no_gaps(*columns: Any) -> None:
    for column in columns:
        gap = _gap(column)
        if gap is not None:
            raise ValueError(f"invalid graph: row {gap} of the edge frame has no id")


def _gap(column: Any) -> int | None:
    """Return the position of the first missing value, or None."""
    import sys

    import numpy as np

    pandas = sys.modules.get("pandas")
    if column.dtype.kind not in "Of":
        return None
    if pandas is not None and hasattr(pandas, "isna"):
        gaps = np.flatnonzero(pandas.isna(column))
        return int(gaps[0]) if gaps.size else None
    return next((at for at, value in enumerate(column.tolist()) if missing(value)), None)


def _qualified(ids: Any, side: str) -> Any:
    """Return ids with the name of their side."""
    import numpy as np

    found = np.empty(len(ids), object)
    found[:] = [f"{side}:{value}" for value in ids.tolist()]
    return found


def _distinct_ids(ids: Any) -> Any:
    """Return different integers in ascending order; other ids in the order in which they first occur."""
    import numpy as np

    return np.unique(ids) if ids.dtype.kind in "iu" else _numbered([ids], by_row=False)[0]


def _numbered_ends(first: Any, second: Any) -> tuple[Any, list[NDArray[np.int64]]]:
    """Return the ids at both ends of edges, and the numbers of the ends among them.

    Integers are in ascending order, other ids in the order in which they first occur, row by row.
    """
    import numpy as np

    if np.result_type(first, second).kind in "iu":
        order, numbers = np.unique(np.stack([first, second], axis=1).reshape(-1), return_inverse=True)
        numbers = numbers.reshape(-1)
    else:
        order, numbers = _numbered([first, second], by_row=True)
    return order, [np.ascontiguousarray(numbers[at::2], np.int64) for at in (0, 1)]


def _numbered(columns: list[Any], *, by_row: bool) -> tuple[Any, NDArray[np.int64]]:
    """Return the different ids in the order in which they first occur, and the number of every id.

    Columns of equal length are read row by row, or one column is read after the other.
    """
    import numpy as np

    from ._arrays import factorized

    if all(column.dtype == object for column in columns):
        found = _native.number_texts(columns, by_row, (0, None, None))
        if found is not None:
            numbers, places = found
            if by_row:
                order = np.empty(len(places), object)
                for at, column in enumerate(columns):
                    here = places % len(columns) == at
                    order[here] = column[places[here] // len(columns)]
            else:
                order = np.concatenate(columns)[places]
            return order, numbers
    numbers, order = factorized(np.stack(columns, axis=1).reshape(-1) if by_row else np.concatenate(columns))
    return order, numbers
