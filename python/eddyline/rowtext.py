"""Rows as text: values as Spark prints them, in a table or with a line for each column."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

Cells = Sequence["str | None"]
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def text_columns(frame: DataFrame) -> DataFrame:
    """Returns the frame with every value as the text that `DataFrame.show` prints; NULL stays.

    Spark itself makes the text, so that a client of Spark Connect shows the same as the server.
    """
    from pyspark.sql import functions as f  # noqa: PLC0415

    names = [f"_{index}" for index in range(len(frame.columns))]  # columns may share a name
    columns = (f.col(name) for name in names)
    return frame.toDF(*names).select(
        *(
            f.when(column.isNotNull(), f.call_function("__eddyline_text", column))
            for column in columns
        )
    )


def numeric_columns(schema: StructType) -> list[bool]:
    """Returns for each column whether its values are numbers."""
    from pyspark.sql.types import NumericType  # noqa: PLC0415

    return [isinstance(field.dataType, NumericType) for field in schema]


def visible(text: str | None) -> str:
    r"""Returns a value as it stands in a table: NULL by name, control characters escaped.

    >>> visible("a\tb\x9b"), visible(None)
    ('a\\tb\\x9b', 'NULL')
    """
    if text is None:
        return "NULL"
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


class Grid:
    """A table in the form of `DataFrame.show`, whose rows may come in several parts.

    Args:
        names: names of the columns.
        right: for each column, whether its values are aligned to the right.
    """

    def __init__(self, names: Sequence[str], right: Sequence[bool]) -> None:
        self._names = [visible(name) for name in names]
        self._right = right
        self._widths = [0] * len(names)

    def lines(self, rows: Sequence[Cells]) -> Iterator[str]:
        r"""Yields the lines of some rows; the header again whenever a column became wider.

        >>> grid = Grid(["k", "n"], [False, True])
        >>> print("\n".join(grid.lines([("a", "7"), (None, "12")])))
        +----+--+
        |k   | n|
        +----+--+
        |a   | 7|
        |NULL|12|
        +----+--+
        >>> print("\n".join(grid.lines([("b", "3")])))
        |b   | 3|
        +----+--+
        """
        cells = [[visible(value).split("\n") for value in row] for row in rows]
        widths = [
            max(width, *(text_width(line) for row in [self._header, *cells] for line in row[index]))
            for index, width in enumerate(self._widths)
        ]
        rule = "+" + "+".join("-" * width for width in widths) + "+"
        if widths != self._widths:
            self._widths = widths
            yield rule
            yield from self._row(self._header)
            yield rule
        for row in cells:
            yield from self._row(row)
        if rows:
            yield rule

    @property
    def _header(self) -> list[list[str]]:
        return [name.split("\n") for name in self._names]

    def _row(self, cells: list[list[str]]) -> Iterator[str]:
        for line in range(max(map(len, cells))):
            parts = (cell[line] if line < len(cell) else "" for cell in cells)
            yield "|" + "|".join(map(_aligned, parts, self._widths, self._right)) + "|"


def records(names: Sequence[str], rows: Iterable[Cells], first: int = 0) -> Iterator[str]:
    r"""Yields the lines of rows with a line for each column, as `DataFrame.show(vertical=True)`.

    Args:
        names: names of the columns.
        rows: the values of the rows.
        first: number of the first row.

    >>> print("\n".join(records(["name", "n"], [("a", "7")])))
    -RECORD 0-
     name | a
     n    | 7
    """
    names = [visible(name).replace("\n", "\\n") for name in names]
    width = max(map(text_width, names), default=0)
    for number, row in enumerate(rows, start=first):
        yield f"-RECORD {number}-"
        for name, value in zip(names, row, strict=True):
            head, *more = visible(value).split("\n")
            yield f" {_aligned(name, width, False)} | {head}"
            yield from (f" {'':<{width}} | {line}" for line in more)


def markdown(names: Sequence[str], right: Sequence[bool], rows: Iterable[Cells]) -> Iterator[str]:
    r"""Yields the lines of a Markdown table.

    >>> print("\n".join(markdown(["k", "n"], [False, True], [("a|b", "7")])))
    | k | n |
    |---|---:|
    | a\|b | 7 |
    """
    yield _markdown_row(names)
    yield "|" + "|".join("---:" if number else "---" for number in right) + "|"
    for row in rows:
        yield _markdown_row(row)


def _markdown_row(cells: Cells) -> str:
    escaped = (
        visible(cell).replace("\\", "\\\\").replace("|", "\\|").replace("\n", "<br>")
        for cell in cells
    )
    return "| " + " | ".join(escaped) + " |"


def html_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns an HTML table.

    >>> html_table(["k"], [("a<b",)]).partition("</thead>")[2]
    '<tbody><tr><td>a&lt;b</td></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _aligned(text: str, width: int, right: bool) -> str:
    padding = " " * (width - text_width(text))
    return padding + text if right else text + padding


def text_width(text: str) -> int:
    """Returns how many columns of a terminal the text takes.

    >>> text_width("été"), text_width("日本")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def size_text(count: int) -> str:
    """Returns a size with its unit, for people to read.

    >>> [size_text(n) for n in (0, 1536, 5_000_000)]
    ['0 B', '1.5 KiB', '4.8 MiB']
    """
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.1f} {unit}" if unit != "B" else f"{count} B"
