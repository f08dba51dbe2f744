"""Every change of a value is seen in a source whose changes only its rows show.

The few examples of `make test-full` are the same ones on every machine; `make test-slow` runs more.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.examples import examples, repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

# values that a hash may not distinguish, by type
POOLS = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": ("0Y", "-1Y", "127Y"),
    "SMALLINT": ("0S", "256S"),
    "INT": ("0", "1", "-2147483648"),
    "BIGINT": ("0L", "4294967296L"),
    "FLOAT": ("0.0F", "-0.0F", "1.5F", "float('NaN')"),
    "DOUBLE": ("0.0D", "-0.0D", "4.9E-324D", "double('Infinity')"),
    "DECIMAL(10, 2)": ("0BD", "0.01BD", "1BD"),
    "DECIMAL(38, 10)": ("0BD", "0.0000000001BD", "1234567890123456789012345678.0000000001BD"),
    "STRING": ("''", "'a'", "'A'", "'a '", "'\\u00e9'", "'e\\u0301'"),
    "STRING COLLATE UTF8_LCASE": ("'a'", "'A'"),
    "STRING COLLATE UNICODE_CI_RTRIM": ("'a'", "'A'", "'a '"),
    "CHAR(3)": ("'a'", "'A'"),
    "BINARY": ("X''", "X'00'", "X'0000'"),
    "DATE": ("DATE'1970-01-01'", "DATE'1582-10-04'"),
    "TIMESTAMP": (
        "TIMESTAMP'2024-01-01 00:00:00.000001'",
        "TIMESTAMP'2024-01-01 00:00:00.000999'",
        "TIMESTAMP'2024-01-01 00:00:00'",
    ),
    "TIMESTAMP_NTZ": (
        "TIMESTAMP_NTZ'2024-01-01 00:00:00.000001'",
        "TIMESTAMP_NTZ'2024-01-01 00:00:00.000002'",
    ),
    "INTERVAL YEAR TO MONTH": ("INTERVAL '1-0' YEAR TO MONTH", "INTERVAL '1-1' YEAR TO MONTH"),
    "INTERVAL DAY TO SECOND": (
        "INTERVAL '0 00:00:00.000001' DAY TO SECOND",
        "INTERVAL '0 00:00:00.000002' DAY TO SECOND",
    ),
    "VARIANT": (
        "parse_json('1')",
        "parse_json('1.0')",
        "parse_json('\"1\"')",
        "parse_json('null')",
    ),
}
# forms around a value of type {t}, which stays the only difference
NESTED = (
    ("STRUCT<x: INT, y: {t}>", "named_struct('x', 1, 'y', {v})"),
    ("ARRAY<{t}>", "array({v}, NULL)"),
    ("ARRAY<{t}>", "array(NULL, {v}, {v})"),
    ("MAP<STRING, {t}>", "map('a', NULL, 'b', {v})"),
    ("STRUCT<m: MAP<INT, ARRAY<{t}>>>", "named_struct('m', map(1, array({v})))"),
)
SHAPES = (
    ("ARRAY<INT>", "array()", "array(NULL)"),
    ("ARRAY<INT>", "array()", "NULL"),
    ("ARRAY<INT>", "array(1, 2)", "array(2, 1)"),
    ("ARRAY<ARRAY<INT>>", "array(array(1), array(2))", "array(array(1, 2), array())"),
    ("MAP<STRING, INT>", "map()", "NULL"),
    ("MAP<STRING, INT>", "map('a', 1, 'b', 2)", "map('b', 2, 'a', 1)"),
    ("STRUCT<x: INT, y: INT>", "named_struct('x', NULL, 'y', NULL)", "NULL"),
    ("STRUCT<x: INT, y: INT>", "named_struct('x', 1, 'y', NULL)", "named_struct('x', 1, 'y', 0)"),
    (
        "STRUCT<x: STRING, y: STRING>",
        "named_struct('x', 'ab', 'y', 'c')",
        "named_struct('x', 'a', 'y', 'bc')",
    ),
)
# rows of one column, which may be equal or not
ROWS = (
    (("1", "2"), ("2", "1"), True),
    (("1", "1"), ("1",), False),
    (("1", "1"), ("2", "2"), False),
    (("1", "NULL"), ("1",), False),
    (("1", "2", "2"), ("1", "1", "2"), False),
)


@dataclass(frozen=True)
class Change:
    """A column's type, and two values that differ."""

    type: str
    before: str
    after: str


@st.composite
def changes(draw: st.DrawFn) -> Change:
    if draw(st.integers(0, 3)) == 0:
        return Change(*draw(st.sampled_from(SHAPES)))
    of = draw(st.sampled_from(sorted(POOLS)))
    before, after = draw(st.permutations((*POOLS[of], "NULL")))[:2]
    for _ in range(draw(st.integers(0, 2))):
        of, before, after = wrapped(of, before, after, draw(st.sampled_from(NESTED)))
    return Change(of, before, after)


def wrapped(of: str, before: str, after: str, around: tuple[str, str]) -> tuple[str, str, str]:
    """Returns the same difference inside a nested value."""
    form, value = around
    return (
        form.format(t=of),
        value.format(v=f"CAST({before} AS {of})"),
        value.format(v=f"CAST({after} AS {of})"),
    )


def refreshed(spark: SparkSession, query: str) -> str:
    """Returns the hash of the rows of a query, with which the name of a version ends."""
    spark.sql(f"CREATE OR REPLACE VIEW base AS {query}")
    (row,) = spark.sql("REFRESH GLOBAL TABLE g").collect()
    return str(row.version.partition("-")[2])


@contextmanager
def global_table(spark: SparkSession, query: str) -> Iterator[None]:
    """Creates the table `g` of `base`, all of whose rows are read to find changes."""
    spark.sql(f"CREATE OR REPLACE VIEW base AS {query}")
    spark.sql("CREATE GLOBAL TABLE g REFRESH MANUAL AS SELECT *, rand() < 2 AS r FROM base")
    try:
        yield
    finally:
        spark.sql("DROP GLOBAL TABLE g")


def row(frame: DataFrame) -> str:
    """Returns the only row as Spark prints it: Python has no interval of years and months."""
    return str(frame._jdf.showString(1, 0, True))


@examples(3, 60)
def test_every_change_of_a_value_makes_a_version(spark: SparkSession, count: int) -> None:
    """One column after the other changes; without a change there is no other version."""

    @repeated(count)
    @given(st.lists(changes(), min_size=6, max_size=6))
    def check(drawn: list[Change]) -> None:
        values = [change.before for change in drawn]

        def query() -> str:
            pairs = enumerate(zip(values, drawn, strict=True))
            columns = (f"CAST({value} AS {change.type}) AS c{i}" for i, (value, change) in pairs)
            return f"SELECT {', '.join(columns)}"

        with global_table(spark, query()):
            versions = [refreshed(spark, query())]
            for i, change in enumerate(drawn):
                values[i] = change.after
                versions.append(refreshed(spark, query()))
            assert len(set(versions)) == len(versions), drawn
            assert refreshed(spark, query()) == versions[-1]
            assert row(spark.sql("SELECT * EXCEPT (r) FROM g")) == row(spark.table("base"))

    check()


@pytest.mark.parametrize(("before", "after", "are_same"), ROWS)
def test_rows_count_in_any_order(
    spark: SparkSession, before: tuple[str, ...], after: tuple[str, ...], are_same: bool
) -> None:
    """Equal rows do not cancel each other."""

    def query(rows: tuple[str, ...]) -> str:
        return f"SELECT * FROM VALUES {', '.join(f'({row})' for row in rows)} AS t(k)"

    with global_table(spark, query(before)):
        first = refreshed(spark, query(before))
        assert (refreshed(spark, query(after)) == first) == are_same
