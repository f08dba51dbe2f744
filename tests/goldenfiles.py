"""Golden SQL files, in which SQL is the language of the tests.

A file is a list of blocks. A line with a directive begins one; other comments belong to the SQL.

    -- statement                       run the statement
    -- query                           compare its rows with those after `-- result`
    -- query equals                    compare its rows with those of the SQL after `-- to`
    -- query error(CONDITION, STATE)   expect these, at the carets `--   ^^^` below the line
    -- plan                            compare its physical operators with those after `-- result`

`-- result ordered` compares rows in order; a value may then have several lines. `-- query since
4.3`, or another block so marked, is skipped on an older Spark. At the top, `-- conf KEY=A,B` runs
the file with each value. Several such lines are combined so that each pair of values occurs in some
run. `-- since 4.3` skips the file on an older Spark.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.errors import describe
from eddyline.plans import readable
from eddyline.versions import is_older

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession

_DIRECTIVE = re.compile(
    r"-- (statement|query equals|query error\(.*\)|query|plan|result.*|to)(?: since (\S+))?\s*\Z"
)
_HEADER = re.compile(r"-- (conf|since) (.*)\Z")
_CARETS = re.compile(r"--(\s*)(\^+)\s*\Z")


@dataclass(frozen=True)
class Block:
    """One block of a golden file.

    Attributes:
        kind: statement, query, query equals, query error, or plan.
        line: number of the directive's line, from 1.
        sql: the SQL without the caret line.
        argument: condition and SQLSTATE of `query error`.
        expected: the lines after `-- result`, or the SQL after `-- to`.
        ordered: whether rows are compared in order.
        start: offset in `sql` of the character above the first caret; None without carets.
        stop: offset after the character above the last caret; None without carets.
        since: the oldest Spark minor version that runs the block.
    """

    kind: str
    line: int
    sql: str = ""
    argument: str = ""
    expected: str = ""
    ordered: bool = False
    start: int | None = None
    stop: int | None = None
    since: str = "0"


@dataclass(frozen=True)
class GoldenFile:
    """A parsed golden file.

    Attributes:
        path: path of the file.
        blocks: its blocks, in order.
        conf: by key, the values to run the file with.
        since: the oldest Spark minor version that runs the file.
    """

    path: Path
    blocks: tuple[Block, ...]
    conf: dict[str, tuple[str, ...]] = field(default_factory=dict)
    since: str = "0"

    def confs(self) -> Iterator[dict[str, str]]:
        """Yields configurations in which any two values of different keys occur together."""
        runs = [
            dict(zip(self.conf, values, strict=True))
            for values in itertools.product(*self.conf.values())
        ]
        unmet = set().union(*map(self._pairs, runs))
        while unmet:
            best = max(runs, key=lambda run: len(self._pairs(run) & unmet))
            yield best
            unmet -= self._pairs(best)

    def _pairs(self, run: dict[str, str]) -> set[tuple[tuple[str, str], ...]]:
        varied = [(key, value) for key, value in run.items() if len(self.conf[key]) > 1]
        return set(itertools.combinations(varied, min(len(varied), 2)))


def read_golden(path: Path) -> GoldenFile:
    """Returns the golden file at `path`, parsed."""
    conf: dict[str, tuple[str, ...]] = {}
    since, part = "0", "sql"
    blocks: list[Block] = []
    lines: dict[str, list[str]] = {}

    def close() -> None:
        if blocks:
            blocks[-1] = _finish(blocks[-1], lines)

    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not blocks and (header := _HEADER.match(line)):
            if header[1] == "since":
                since = header[2].strip()
            else:
                key, _, values = header[2].partition("=")
                conf[key.strip()] = tuple(value.strip() for value in values.split(","))
        elif directive := _DIRECTIVE.match(line):
            word = directive[1]
            if word.startswith("result") or word == "to":
                part = "expected"
                blocks[-1] = replace(blocks[-1], ordered=word.endswith("ordered"))
            else:
                close()
                kind, _, argument = word.partition("(")
                blocks.append(
                    Block(kind, number, argument=argument.rstrip(")"), since=directive[2] or "0")
                )
                part, lines = "sql", {"sql": [], "expected": []}
        elif blocks:
            lines[part].append(line)
    close()
    return GoldenFile(path, tuple(blocks), conf, since)


def _finish(block: Block, lines: dict[str, list[str]]) -> Block:
    sql: list[str] = []
    start = stop = None
    for line in lines["sql"]:
        carets = _CARETS.match(line)
        if carets and block.kind == "query error":
            above = sum(len(done) + 1 for done in sql[:-1])
            start = above + carets.start(2)
            stop = above + carets.end(2)
        else:
            sql.append(line)
    return replace(
        block,
        sql="\n".join(sql).rstrip(),
        expected="\n".join(lines["expected"]).rstrip(),
        start=start,
        stop=stop,
    )


def run_golden(spark: SparkSession, golden: GoldenFile) -> None:
    """Runs every block. Raises `AssertionError` with the place of the block that differs."""
    for block in golden.blocks:
        if is_older(spark.version, block.since):
            continue
        try:
            _RUN[block.kind](spark, block)
        except AssertionError as error:
            raise AssertionError(f"{golden.path}:{block.line}: {error}\n{block.sql}") from error
        except Exception as error:
            if hasattr(error, "add_note"):  # since Python 3.11
                error.add_note(f"{golden.path}:{block.line}: {block.sql}")
            raise


def format_rows(frame: DataFrame, *, ordered: bool = False) -> list[str]:
    """Returns the rows of a frame as text, with tabs between columns; sorted unless `ordered`."""
    rows = ["\t".join(_format(value) for value in row) for row in frame.collect()]
    return rows if ordered else sorted(rows)


def operators(spark: SparkSession, sql: str) -> str:
    """Returns the physical operators of a query as an indented tree, without arguments."""
    return "\n".join(
        re.sub(r"([A-Z]\w+).*", r"\1", line) for line in physical_plan(spark, sql).splitlines()
    )


def physical_plan(spark: SparkSession, sql: str) -> str:
    """Returns the physical plan of a query, as `readable` gives it."""
    text = str(spark.sql(f"EXPLAIN {sql}").collect()[0][0])
    return readable(text.partition("== Physical Plan ==\n")[2].partition("\n\n== ")[0].rstrip())


def _format(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if hasattr(value, "asDict"):
        pairs = value.asDict().items()
        return "{" + ", ".join(f"{name}: {_format(item)}" for name, item in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_format, value)) + "]"
    if isinstance(value, dict):
        return (
            "{" + ", ".join(sorted(f"{_format(k)}: {_format(v)}" for k, v in value.items())) + "}"
        )
    return str(value)


def _statement(spark: SparkSession, block: Block) -> None:
    spark.sql(block.sql)


def _query(spark: SparkSession, block: Block) -> None:
    expected = block.expected.splitlines()
    found = "\n".join(format_rows(spark.sql(block.sql), ordered=block.ordered)).splitlines()
    assert found == (expected if block.ordered else sorted(expected)), "\n".join(found)


def _query_equals(spark: SparkSession, block: Block) -> None:
    left, right = spark.sql(block.sql), spark.sql(block.expected)
    assert left.columns == right.columns
    types = [[field.dataType.simpleString() for field in frame.schema] for frame in (left, right)]
    assert types[0] == types[1]
    found = format_rows(left, ordered=block.ordered)
    assert found, "a query without rows proves nothing"
    assert found == format_rows(right, ordered=block.ordered)


def _query_error(spark: SparkSession, block: Block) -> None:
    condition, _, state = (part.strip() for part in block.argument.partition(","))
    state = expected_state(spark, condition, state)
    error = _failure(spark, block.sql)
    assert (error.getCondition(), error.getSqlState()) == (condition, state), str(error)
    if block.start is not None:
        place = error_place(error, block.sql)
        assert place[0] == block.start, f"at {place}, not {block.start}: {error}"
        assert place[1] in (None, block.stop), f"up to {place}, not {block.stop}: {error}"
    headline = str(error).strip().splitlines()[0]
    assert "__eddyline_" not in headline or "__eddyline_" in block.sql, headline


def expected_state(spark: SparkSession, condition: str, state: str) -> str:
    """Returns the SQLSTATE that a condition of the given one has on the session's Spark.

    Before Spark 4.3 a part of a condition has that of the whole (SPARK-58619).
    """
    main = condition.partition(".")[0]
    if is_older(spark.version, "4.3") and main.startswith("EDDYLINE"):
        return describe(main, {})[1]
    return state


def _failure(spark: SparkSession, sql: str) -> PySparkException:
    from pyspark.errors import PySparkException

    try:
        rows = spark.sql(sql).collect()
    except PySparkException as error:
        return error
    raise AssertionError(f"no error, but {len(rows)} rows")


def error_place(error: PySparkException, sql: str) -> tuple[int | None, int | None]:
    """Returns the offsets at which an error starts and after which it ends, in characters of `sql`.

    The end is None for a parse error: Spark gives it only a line and a column.
    """
    contexts = error.getQueryContext()
    if contexts:
        context = contexts[0]
        units = sql.encode("utf-16-le")  # Java's offsets count UTF-16 units
        start = len(units[: 2 * context.startIndex()].decode("utf-16-le"))
        stop = len(units[: 2 * context.stopIndex() + 2].decode("utf-16-le"))
        assert sql[start:stop] == context.fragment(), (sql[start:stop], context.fragment())
        assert _message_place(error, sql) in (None, start), f"{start}, but {error}"
        return start, stop
    return _message_place(error, sql), None


def _message_place(error: PySparkException, sql: str) -> int | None:
    """Returns the offset of the line and column in a message, all that a JDBC client sees."""
    message = str(error)
    if place := re.search(r"== SQL.* \(line (\d+), position (\d+)\)", message):
        line, column = int(place[1]), int(place[2]) - 1
    elif place := re.search(r"line (\d+),? pos (\d+)", message):
        line, column = int(place[1]), int(place[2])
    else:
        return None
    return sum(len(text) + 1 for text in sql.splitlines()[: line - 1]) + column


def _plan(spark: SparkSession, block: Block) -> None:
    found = operators(spark, block.sql)
    assert found == block.expected, f"\n{found}"


_RUN = {
    "statement": _statement,
    "query": _query,
    "query equals": _query_equals,
    "query error": _query_error,
    "plan": _plan,
}
