"""The forms in which `eddyline sql` prints rows."""

from __future__ import annotations

import csv
import io
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from eddyline.rowtext import Cells, Grid, markdown, numeric_columns, records, text_columns, visible

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FORMATS = ("table", "vertical", "csv", "json", "markdown")
_STREAMED = frozenset(["csv", "json"])  # no row needs the width of another


class RowPrinter:
    """Prints the rows of one result, which may come in several parts, and cuts nothing off.

    A table that is wider than the terminal is printed with a line for each column; where the
    output is a file or a pipe, a table has its full width. A single column with line breaks, such
    as a plan, is printed as it is.

    Args:
        form: one of FORMATS.
        frame: the result, for its columns.
    """

    def __init__(self, form: str, frame: DataFrame) -> None:
        self._form = form
        self._names = frame.columns
        self._right = numeric_columns(frame.schema)
        self._grid = Grid(self._names, self._right)
        self._printed: int | None = None

    def select(self, frame: DataFrame) -> DataFrame:
        """Returns the frame with what is printed of its rows."""
        return _json_column(frame, self._names) if self._form == "json" else text_columns(frame)

    def fetch(self, frame: DataFrame) -> Iterable[Cells]:
        """Returns the rows of a result; one after another in a form that needs no widths."""
        selected = self.select(frame)
        return selected.toLocalIterator(True) if self._form in _STREAMED else selected.collect()

    def print(self, rows: Iterable[Cells]) -> None:
        """Prints some rows, after the header if they are the first."""
        for line in self._lines(rows):
            click.echo(line)
        sys.stdout.flush()

    def _lines(self, rows: Iterable[Cells]) -> Iterator[str]:
        if self._form == "json":
            yield from (str(row[0]) for row in rows)
        elif self._form == "csv":
            if self._printed is None:
                yield _csv_line(self._names)
            yield from map(_csv_line, rows)
        else:
            yield from self._lines_of(list(rows))
        self._printed = self._printed or 0

    def _lines_of(self, rows: Sequence[Cells]) -> Iterator[str]:
        first = self._printed or 0
        lines = records(self._names, rows, first)
        if self._form == "markdown":
            header = 0 if self._printed is None else 2
            lines = iter(list(markdown(self._names, self._right, rows))[header:])
        elif self._form == "table":
            if len(self._names) == 1 and any("\n" in (row[0] or "") for row in rows):
                lines = (with_tabs(row[0]) for row in rows)
            elif len(table := list(self._grid.lines(rows))) and not _too_wide(table[0]):
                lines = iter(table)
        yield from lines
        self._printed = first + len(rows)


def _json_column(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """Returns one column with each row as a JSON object, with Spark's own conventions."""
    from pyspark.sql import functions as f

    numbered = [f"_{index}" for index in range(len(names))]  # columns may share a name
    row = f.struct(*(f.col(new).alias(name) for new, name in zip(numbered, names, strict=True)))
    return frame.toDF(*numbered).select(f.to_json(row, {"ignoreNullFields": "false"}))


def _csv_line(cells: Cells) -> str:
    r"""Returns a line of CSV, in which NULL is empty and an empty text is quoted.

    >>> _csv_line(["a,b", None, "", 'c"d', "e\nf"])
    '"a,b",,"","c""d","e\nf"'
    """
    return ",".join(
        "" if cell is None else '""' if cell == "" else _csv_cell(cell) for cell in cells
    )


def _csv_cell(cell: str) -> str:
    buffer = io.StringIO()
    end = "\r\n"  # characters of the end of a line are quoted
    csv.writer(buffer, lineterminator=end).writerow([cell])
    return buffer.getvalue().removesuffix(end)


def with_tabs(text: str | None) -> str:
    r"""Returns a text as it is, but for characters that would control the terminal.

    >>> with_tabs("a\tb\n\x1b[c"), with_tabs(None)
    ('a\tb\n\\x1b[c', 'NULL')
    """
    return visible(text) if text is None else "\t".join(map(visible, text.split("\t")))


def in_one_line(text: str) -> str:
    r"""Returns a text in one line, so that no part of it can be a command to GitHub Actions.

    >>> in_one_line("a.sql: 'x\r\n::error::y'")
    "a.sql: 'x\\r\\n::error::y'"
    """
    return visible(text).replace("\n", "\\n")


def _too_wide(line: str) -> bool:
    """Returns whether the line of a table would be broken by the terminal."""
    return sys.stdout.isatty() and len(line) > shutil.get_terminal_size().columns
