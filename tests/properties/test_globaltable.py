"""Random joins over random global tables give the rows of plain Spark; keys obey a Python model.

An example of the joins compares five to eight queries: at least 60 in `make test-full`, the same
ones on every machine, and 500 in `make test-slow`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import AnalysisException

from goldenfiles import format_rows
from properties.examples import examples, repeated

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# the types of a key, with values that are easily mistaken
POOLS = {
    "INT": ("0", "1", "2", "-1"),
    "BIGINT": ("0", "1", "4294967297", "-1"),
    "STRING": ("''", "'a'", "'A'", "'a '"),
    "DECIMAL(5, 2)": ("0", "1", "1.25", "-1"),
    "DECIMAL(20, 2)": ("0", "1", "123456789012345678.25"),
    "TIMESTAMP_NTZ": (
        "TIMESTAMP_NTZ'2024-02-29 01:00:00.000001'",
        "TIMESTAMP_NTZ'2024-02-29 01:00:00.000999'",
    ),
    "DATE": ("DATE'2024-02-29'", "DATE'1969-12-31'"),
    "TIMESTAMP": ("TIMESTAMP'2024-02-29 01:00:00'", "TIMESTAMP'1969-12-31 23:59:59.999999'"),
    "DOUBLE": ("0.0D", "-0.0D", "1.5D", "double('NaN')"),
    "BOOLEAN": ("true", "false"),
    "BINARY": ("X''", "X'00'", "X'FF'"),
    "STRING COLLATE UTF8_LCASE": ("'a'", "'A'", "'b'"),
    "STRUCT<a: INT, b: STRING>": (
        "named_struct('a', 1, 'b', 'x')",
        "named_struct('a', 1, 'b', NULL)",
    ),
    "STRUCT<t: TIMESTAMP>": (
        "named_struct('t', TIMESTAMP'2024-02-29 01:00:00.000001')",
        "named_struct('t', TIMESTAMP'2024-02-29 01:00:00.000999')",
    ),
    "ARRAY<INT>": ("array(1, NULL)", "array()"),
    "ARRAY<DOUBLE>": ("array(0.0D)", "array(-0.0D)", "array(NULL, double('NaN'))"),
}
WHERE = ("true", "d.w > 0", "d.s IS NULL OR d.s <> 'x'", "d.w BETWEEN -1 AND 1", "d.k IS NOT NULL")
ON = (
    "f.k = d.k",
    "f.k <=> d.k",
    "f.k = d.k AND f.j = d.j",
    "f.k = d.k AND f.j < d.w",
    "f.j = d.j AND (f.k = d.k OR d.w > 0)",
    "f.k <=> d.k AND f.j <=> d.j",
    "f.j = d.w + 1",
    "f.j > d.j",
    "CAST(f.j AS STRING) = d.s",
)
QUERIES = (
    "SELECT f.*, d.* FROM f JOIN (SELECT * FROM {d} AS d WHERE {where}) AS d ON {on}",
    "SELECT d.*, f.* FROM {d} AS d JOIN f ON {on} WHERE {where}",
    "SELECT f.*, d.* FROM f LEFT JOIN (SELECT * FROM {d} AS d WHERE {where}) AS d ON {on}",
    "SELECT f.*, d.* FROM f LEFT JOIN {d} AS d ON {on} AND {where}",
    "SELECT f.*, d.* FROM f LEFT JOIN {d} AS d ON {on} WHERE {where}",
    "SELECT d.*, f.* FROM (SELECT * FROM {d} AS d WHERE {where}) AS d RIGHT JOIN f ON {on}",
    "SELECT f.*, d.* FROM f FULL JOIN {d} AS d ON {on}",
    "SELECT f.*, d.* FROM f RIGHT JOIN {d} AS d ON {on} AND {where}",
    "SELECT f.* FROM f LEFT SEMI JOIN {d} AS d ON {on} AND {where}",
    "SELECT f.* FROM f LEFT ANTI JOIN (SELECT * FROM {d} AS d WHERE {where}) AS d ON {on}",
    "SELECT d.* FROM {d} AS d LEFT ANTI JOIN f ON {on} AND {where}",
    "SELECT f.*, EXISTS (SELECT 1 FROM {d} AS d WHERE {on} AND {where}) AS found FROM f",
    "SELECT * FROM f WHERE NOT EXISTS (SELECT 1 FROM {d} AS d WHERE {on}) OR f.j > 0",
    "SELECT * FROM f WHERE f.j NOT IN (SELECT w FROM {d} AS d WHERE {where})",
    "SELECT * FROM f WHERE f.k NOT IN (SELECT k FROM {d} AS d WHERE {where})",
    "SELECT f.*, (SELECT max(d.w) FROM {d} AS d WHERE {on} AND {where}) AS top FROM f",
    "SELECT f.*, n, t FROM f LEFT JOIN (SELECT d.k, d.j, max(d.w) AS w, max(d.s) AS s, "
    "coalesce(max(d.s), '-') AS t, count(*) AS n FROM {d} AS d WHERE {where} GROUP BY d.k, d.j) "
    "AS d ON {on}",
    "SELECT f.*, u, v FROM f LEFT JOIN (SELECT d.*, upper(d.s) AS u, coalesce(d.w, 7) AS v "
    "FROM {d} AS d WHERE {where}) AS d ON {on}",
    "SELECT f.*, u FROM f JOIN (SELECT d.k, d.j, d.w * 2 AS w, d.s, concat(d.s, '!') AS u "
    "FROM {d} AS d WHERE {where}) AS d ON {on}",
    "SELECT f.*, a.s, b.s AS other FROM f LEFT JOIN {d} AS a ON f.k = a.k "
    "LEFT JOIN {d} AS b ON f.j = b.w",
    "SELECT f.j, count(*) AS n, sum(d.w) AS w FROM f LEFT JOIN {d} AS d ON {on} GROUP BY f.j",
    "SELECT f.*, d.s, e.s AS other FROM f LEFT JOIN ({d} AS d LEFT JOIN {d} AS e ON d.w = e.j) "
    "ON {on}",
    "SELECT d.w, d.s FROM {d} AS d WHERE {where}",
)


@dataclass(frozen=True)
class Case:
    """A dimension before and after a change, facts, and queries over them.

    Attributes:
        type: type of the key.
        dimension: its rows.
        changed: its rows after a refresh.
        told: whether a probe tells that it has changed; else only its rows do.
        facts: rows that join it.
        primary_key: whether the dimension has a primary key.
        queries: the first half runs before the refresh.
        adaptive: whether adaptive execution is on.
        codegen: whether Spark compiles the stages.
    """

    type: str
    dimension: tuple[tuple[str, ...], ...]
    changed: tuple[tuple[str, ...], ...]
    told: bool
    facts: tuple[tuple[str, ...], ...]
    primary_key: bool
    queries: tuple[str, ...]
    adaptive: bool
    codegen: bool

    def rows(self, values: tuple[tuple[str, ...], ...], names: str) -> str:
        """Returns a query that gives the rows, with the types of the columns."""
        types = [self.type, "INT", "INT", "STRING"]
        columns = [
            f"CAST({name} AS {of}) AS {name}"
            for name, of in zip(names.split(), types[: len(names.split())], strict=True)
        ]
        tuples = ", ".join(f"({', '.join(row)})" for row in values)
        return f"SELECT {', '.join(columns)} FROM VALUES {tuples} AS t({', '.join(names.split())})"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    of = draw(st.sampled_from(sorted(POOLS)))
    keys = st.sampled_from((*POOLS[of], "NULL"))
    small = st.sampled_from(("0", "1", "2", "-1", "NULL"))
    names = st.sampled_from(("'x'", "'1'", "'y'", "NULL"))
    rows = st.lists(st.tuples(keys, small, small, names), min_size=1, max_size=8)
    dimension, changed = draw(rows), draw(rows)
    facts = draw(st.lists(st.tuples(keys, small), min_size=1, max_size=8))
    unique = draw(st.booleans())
    if unique:
        # a text is unique for each value but under the folded collation and for zeros
        fold = str.lower if "LCASE" in of else str
        dimension, changed = (
            list({fold(row[0].replace("-0.0D", "0.0D")): row for row in reversed(of_one)}.values())
            for of_one in (dimension, changed)
        )
    drawn = st.tuples(st.sampled_from(QUERIES), st.sampled_from(ON), st.sampled_from(WHERE))
    queries = [
        sql.replace("{on}", on).replace("{where}", where)
        for sql, on, where in draw(st.lists(drawn, min_size=5, max_size=8, unique=True))
    ]
    return Case(
        of,
        tuple(dimension),
        tuple(changed),
        draw(st.booleans()),
        tuple(facts),
        unique,
        tuple(queries),
        draw(st.booleans()),
        draw(st.booleans()),
    )


@examples(12, 100)
def test_joins_give_the_rows_of_plain_spark(spark: SparkSession, count: int) -> None:
    @repeated(count)
    @given(cases())
    def check(case: Case) -> None:
        key = "PRIMARY KEY (k)" if case.primary_key else ""
        kept = "WHERE k IS NOT NULL" if case.primary_key else ""
        spark.conf.set("spark.sql.adaptive.enabled", case.adaptive)
        spark.conf.set("spark.sql.codegen.wholeStage", case.codegen)
        spark.sql(f"CREATE OR REPLACE TEMP VIEW f AS {case.rows(case.facts, 'k j')}")
        told = "" if case.told else ", rand() < 2 AS r"
        half = len(case.queries) // 2
        create = f"CREATE GLOBAL TABLE d {key} REFRESH MANUAL AS SELECT *{told} FROM source"
        turns = (
            (case.dimension, create, case.queries[:half]),
            (case.changed, "REFRESH GLOBAL TABLE d", case.queries[half:]),
        )
        try:
            for rows, statement, queries in turns:
                source = case.rows(rows, "k j w s")
                spark.sql(f"CREATE OR REPLACE VIEW source AS {source}")
                spark.sql(statement)
                plain = f"SELECT *{told} FROM ({source}) {kept}"
                spark.sql(f"CREATE OR REPLACE TEMP VIEW plain_d AS {plain}")
                for query in queries:
                    found = spark.sql(query.format(d="d"))
                    expected = spark.sql(query.format(d="plain_d"))
                    assert found.dtypes == expected.dtypes
                    assert format_rows(found) == format_rows(expected), query
        finally:
            spark.sql("DROP GLOBAL TABLE d")

    check()


keyed = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, None]),
        st.sampled_from(["a", "b", None]),
        st.sampled_from([1, 2, 3, 4, None]),
        st.integers(0, 9),
    ),
    max_size=12,
)


def create(rows: list[tuple[int | None, str | None, int | None, int]], clauses: str) -> str:
    literals = ", ".join(
        "(" + ", ".join("NULL" if v is None else repr(v) for v in row) + ")" for row in rows
    )
    values = (
        f"SELECT * FROM VALUES {literals}, (0, 'z', 0, 0)"
        if rows
        else "SELECT * FROM VALUES (0, 'z', 0, 0)"
    )
    return (
        f"CREATE GLOBAL TABLE d PRIMARY KEY (k, `l l`) {clauses} REFRESH MANUAL AS "
        f"SELECT INT(col1) AS k, STRING(col2) AS `l l`, INT(col3) AS at, col4 AS v FROM ({values})"
    )


@examples(6, 100)
def test_the_latest_row_of_each_key(spark: SparkSession, count: int) -> None:
    @repeated(count)
    @given(keyed)
    def check(rows: list[tuple[int | None, str | None, int | None, int]]) -> None:
        spark.sql(create(rows, "ON DUPLICATE KEY LATEST BY at * 2"))
        try:
            found = [tuple(row) for row in spark.table("d").collect()]
            dropped = dict(spark.sql("DESCRIBE GLOBAL TABLE d").collect())["null_keys_dropped"]
        finally:
            spark.sql("DROP GLOBAL TABLE d")
        assert int(dropped) == sum(None in row[:2] for row in rows)
        keys = {row[:2] for row in rows if None not in row[:2]} | {(0, "z")}
        assert sorted(row[:2] for row in found) == sorted(keys)
        for row in set(found) - {(0, "z", 0, 0)}:
            times = [-1 if other[2] is None else other[2] for other in rows if other[:2] == row[:2]]
            assert row in rows
            assert (-1 if row[2] is None else row[2]) == max(times)

    check()


@examples(6, 100)
def test_keys_that_occur_twice_are_named(spark: SparkSession, count: int) -> None:
    @repeated(count)
    @given(keyed)
    def check(rows: list[tuple[int | None, str | None, int | None, int]]) -> None:
        counted = Counter(row[:2] for row in rows if None not in row[:2])
        twice = {key: n for key, n in counted.items() if n > 1}
        if not twice:
            spark.sql(create(rows, ""))
            assert spark.table("d").count() == len(counted) + 1
            spark.sql("DROP GLOBAL TABLE d")
            return
        with pytest.raises(AnalysisException) as caught:
            spark.sql(create(rows, ""))
        assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY"
        assert f"keys that occur more than once: {len(twice)}." in str(caught.value)
        named = re.findall(r"\((\d), (\w)\) (\d+) times", str(caught.value))
        assert len(named) == min(3, len(twice))
        assert all(twice[int(k), name] == int(n) for k, name, n in named)
        assert not spark.catalog.tableExists("d"), "nothing stays"

    check()
