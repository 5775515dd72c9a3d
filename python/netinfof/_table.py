"""Tables without a dependency on a library for tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Table(dict[str, Any]):
    """Columns by name, in order: ``pandas.DataFrame(table)`` and ``polars.DataFrame(table)`` accept it.

    Examples
    --------
    >>> from netinfof import Table
    >>> table = Table(component=["U", "S"], score=[0.5, 0.7])
    >>> print(table)
    component  score
    U          0.5000
    S          0.7000
    >>> table.rows()[1]["score"]
    0.7
    """

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows.

        Returns
        -------
        list
            One dictionary per row, with the column names as keys.
        """
        return [dict(zip(self, values)) for values in zip(*(_plain(column) for column in self.values()))]

    def to_pandas(self) -> Any:
        """Convert the table to a frame of pandas, which must be installed.

        Returns
        -------
        DataFrame
            The frame.
        """
        import pandas

        return pandas.DataFrame(dict(self))

    def to_polars(self) -> Any:
        """Convert the table to a frame of polars, which must be installed.

        Returns
        -------
        DataFrame
            The frame.
        """
        import polars

        return polars.DataFrame(dict(self))

    def _cells(self, most: int) -> tuple[list[list[str]], int]:
        rows = [[_shown(value) for value in row.values()] for row in self.rows()[:most]]
        return rows, max((len(_plain(column)) for column in self.values()), default=0) - len(rows)

    def __str__(self) -> str:
        rows, more = self._cells(50)
        widths = [max(map(len, column)) for column in zip(list(self), *rows)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [list(self), *rows]
        ]
        return "\n".join(lines + ([f"… and {more} more row{'' if more == 1 else 's'}"] if more > 0 else []))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        rows, more = self._cells(50)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        rest = f"<caption>and {more} more row{'' if more == 1 else 's'}</caption>" if more > 0 else ""
        return f"<table>{rest}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (dict(self),)


def _plain(column: Any) -> list[Any]:
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    assert isinstance(values, list)
    return values


def _shown(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def by_columns(rows: list[Mapping[str, Any]]) -> Table:
    """Return a table of rows that have the same keys."""
    return Table({name: [row[name] for row in rows] for name in (rows[0] if rows else {})})
