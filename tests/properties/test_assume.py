"""A claim that is enforced changes no row, or fails: random layouts, claims and queries.

Each query runs with its claims and without them in Spark, and without them in DuckDB where that has
what it asks for. Some tables get rows after a query was planned, some JSON files end in a line that
was cut.

An example compares up to four queries, those that the claim does not make fail: at least 50 in the
ordinary test and 1,000 in the slow one, which the test asserts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import AnalysisException, SparkRuntimeException

from eddyline import why
from properties.examples import examples, repeated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = ("k", "j", "p", "q", "v")
VALUES = st.one_of(st.none(), st.integers(0, 4))
ROWS = st.lists(
    st.tuples(VALUES, VALUES, VALUES, VALUES, st.integers(0, 99)), min_size=1, max_size=30
)
CONF = {
    "spark.eddyline.assume.force": ["true", "true", "false"],
    "spark.sql.adaptive.enabled": ["true", "false"],
    "spark.sql.codegen.wholeStage": ["true", "false"],
    "spark.sql.files.maxPartitionBytes": ["100", "134217728"],
    "spark.sql.files.openCostInBytes": ["1", "4194304"],
    "spark.sql.autoBroadcastJoinThreshold": ["-1", "10485760"],
    "spark.sql.requireAllClusterKeysForCoPartition": ["true", "false"],
    "spark.sql.requireAllClusterKeysForDistribution": ["false", "false", "true"],
    "spark.sql.sources.v2.bucketing.shuffle.enabled": ["false", "true"],
    "spark.sql.sources.v2.bucketing.allowKeysSubsetOfPartitionKeys.enabled": ["false", "true"],
    "spark.sql.shuffle.partitions": ["2", "5"],
}


@dataclass(frozen=True)
class Table:
    """A table of rows and the layout of its files.

    Attributes:
        folders: columns that the table is partitioned by.
        spread: column that distributes rows over the files.
        cut: whether there is one more file, with a record that ends in the middle.
    """

    rows: list[tuple[int | None, ...]]
    folders: tuple[str, ...]
    spread: str
    files: int
    format: str
    cut: bool

    @property
    def broken(self) -> bool:
        return self.cut and self.format == "json" and not self.folders

    def damage(self, folder: Path) -> None:
        (folder / "part-00001-cut.json").write_text('{"k":1,"j":2}\n{"k":1,"j":2,"st":{"x":')

    def values(self) -> str:
        rows = [
            ", ".join("NULL" if value is None else str(value) for value in row) for row in self.rows
        ]
        return f"VALUES ({'), ('.join(rows)}) AS t(k, j, p, q, v)"

    def create(self, name: str) -> str:
        typed = ", ".join(f"CAST({column} AS INT) AS {column}" for column in COLUMNS)
        if self.broken:  # a reader that reads this column finds something else in the record
            typed += ", named_struct('x', v) AS st"
        folders = f"PARTITIONED BY ({', '.join(self.folders)})" if self.folders else ""
        return (
            f"CREATE OR REPLACE TABLE {name} USING {self.format} {folders} AS "
            f"SELECT /*+ REPARTITION({self.files}, {self.spread}) */ {typed} FROM {self.values()}"
        )


@dataclass(frozen=True)
class Query:
    """A query with its claims and without them.

    Attributes:
        portable: whether DuckDB gives the same rows for it.
    """

    claimed: str
    plain: str
    portable: bool

    def prunes(self, folders: tuple[str, ...]) -> bool:
        """Returns whether Spark chooses partitions while planning, and so misses later ones."""
        return any(f"WHERE {folder} " in self.plain for folder in folders)


columns = st.sampled_from(COLUMNS)
several = st.lists(st.sampled_from(["p", "q", *COLUMNS]), min_size=1, max_size=3, unique=True)
tables = st.builds(
    Table,
    ROWS,
    st.sampled_from([("p",), (), ("q",), ("p", "q")]),
    columns,
    st.integers(1, 4),
    st.sampled_from(["parquet", "json", "csv", "orc"]),
    st.booleans(),
)
TEMPLATES = (
    "SELECT {g}, count(*) AS n, sum(v) AS s FROM {a} {where} GROUP BY {g}",
    "SELECT {g}, count(*) AS n, sum(v) AS s FROM {a} {where} GROUP BY {g}",
    "SELECT n, count(*) AS m FROM (SELECT {g}, count(*) AS n FROM {a} GROUP BY {g}) AS s "
    "GROUP BY n",
    "SELECT n, count(*) AS m FROM (SELECT count(*) AS n FROM {a} {where} GROUP BY {g}) AS s "
    "GROUP BY n",
    "SELECT DISTINCT {g} FROM {a} {where}",
    "SELECT {g}, count(DISTINCT v) AS n, count(DISTINCT k) AS m FROM {a} GROUP BY {g}",
    "SELECT {g}, count(DISTINCT v) AS n FROM {a} {where} GROUP BY {g}",
    "SELECT {g}, v, row_number() OVER (PARTITION BY {g} ORDER BY v) AS r FROM {a} {where}",
    "SELECT {c}, max(n) AS n FROM (SELECT {c}, {d} AS d, count(*) AS n FROM {a} GROUP BY {c}, {d}) "
    "AS s GROUP BY {c}",
    "SELECT c, count(*) AS n FROM (SELECT {c} AS c FROM {a} UNION ALL SELECT {d} FROM {b}) AS s "
    "GROUP BY c",
    "SELECT c, d, count(*) AS n FROM (SELECT {c} AS c, {d} AS d FROM {a} UNION ALL SELECT {c}, {d} "
    "FROM {b}) AS s GROUP BY c, d",
    "SELECT x.{e} AS e, count(*) AS n, sum(y.v) AS s FROM {ax} {join} JOIN {by} ON x.{c} = y.{d} "
    "GROUP BY x.{e}",
    "SELECT y.{d} AS e, count(*) AS n, sum(x.v) AS s FROM {ax} {join} JOIN {by} ON x.{c} = y.{d} "
    "AND x.{e} = y.{e} GROUP BY y.{d}",
    "SELECT {c} AS c, count(*) AS n FROM {a} WHERE {d} IN (SELECT {e} FROM {b}) GROUP BY {c}",
    "SELECT {c} AS c FROM {a} EXCEPT SELECT {d} FROM {b}",
)
# queries that only Spark can run, or that have errors in rows which are filtered
SPARK_TEMPLATES = (
    "SELECT {g}, {st} AS n FROM {a} GROUP BY {g}",
    "SELECT m, count(*) AS n FROM (SELECT {g}, {st} AS m FROM {a} {where} GROUP BY {g}) GROUP BY m",
    "SELECT DISTINCT {g}, input_file_name() AS f FROM {a} {where}",
    "SELECT {c}, count(DISTINCT f) AS n FROM (SELECT *, input_file_name() AS f FROM a) AS s {x} "
    "GROUP BY {c}",
    "SELECT {c}, count(*) AS n FROM (SELECT monotonically_increasing_id() % 2 AS {c} FROM a) AS s "
    "{x} GROUP BY {c}",
    "SELECT {c}, count(*) AS n FROM (SELECT 12 div {c} AS {c} FROM a WHERE {c} <> 0) AS s {x} "
    "GROUP BY {c}",
    "SELECT o.id, l.n FROM range(3) AS o, "
    "LATERAL (SELECT count(*) AS n FROM (SELECT * FROM a WHERE {d} = o.id) AS s {x}) AS l",
)
WHERE = ("", "", "WHERE v > 40", "WHERE p > 1", "WHERE q = 2 OR k IS NULL")
JOINS = ("", "LEFT", "FULL", "RIGHT")
GRADES = (
    "",
    "ENFORCED",
    "ENFORCED ON VIOLATION REPARTITION",
    "INTO 2 PARTITIONS",
    "INTO 3 PARTITIONS USING HASH SPARK",
    "INTO 4 PARTITIONS USING HASH SPARK",
    "INTO 4 PARTITIONS USING HASH SPARK",
    "LAYOUT same",
    "LAYOUT same INTO 3 PARTITIONS",
)
FAILURES = (
    "INVALID_OPTION",
    "LAYOUT_MISMATCH",
    "LAYOUT_NOT_PROVEN",
    "LAYOUT_VIOLATED",
    "PLAN_OUTDATED",
)
COMPUTED = ("k + j", "p % 2", "coalesce(q, 1)")


def claims(needed: list[str], grades: tuple[str, ...] = GRADES) -> st.SearchStrategy[str]:
    """Returns claims that may help a query which needs rows of `needed` together, and others."""
    keys = st.one_of(
        st.lists(st.sampled_from(needed), min_size=1, max_size=2, unique=True),
        st.lists(
            st.one_of(columns, st.sampled_from(["p", "q"]), st.sampled_from(COMPUTED)),
            min_size=1,
            max_size=3,
            unique=True,
        ),
    ).map(", ".join)
    return st.builds("ASSUME PARTITIONED BY ({}) {}".format, keys, st.sampled_from(grades))


@st.composite
def queries(draw: st.DrawFn) -> Query:
    c, d, e = draw(st.tuples(columns, columns, columns).filter(lambda drawn: drawn[0] != drawn[1]))
    grouped = draw(several)
    template = draw(st.sampled_from([*TEMPLATES, *SPARK_TEMPLATES]))
    shared = draw(st.one_of(st.just(GRADES), st.sampled_from(GRADES).map(lambda grade: (grade,))))
    claim_a = draw(claims(grouped if "{g}" in template else [c], shared))
    claim_b = draw(st.one_of(claims([d], shared), st.just("")))
    names = {
        "g": ", ".join(grouped),
        "c": c,
        "d": d,
        "e": e,
        "where": draw(st.sampled_from(WHERE)),
        "join": draw(st.sampled_from(JOINS)),
    }

    def text(first: str, second: str) -> str:
        return template.format(
            **names,
            a=f"a {first}",
            b=f"b {second}",
            ax=f"a AS x {first}",
            by=f"b AS y {second}",
            x=first,
            st="{st}",
        )

    if "{x}" in template:
        claim_a = f"ASSUME PARTITIONED BY ({c}) {draw(st.sampled_from(GRADES[:3]))}"
    return Query(text(claim_a, claim_b), text("", ""), template in TEMPLATES)


def by_folders(folders: tuple[str, ...]) -> Query:
    """Returns a query for which the folders of a table prove the claim."""
    keys = ", ".join(folders)
    text = f"SELECT {keys}, count(*) AS n FROM a {{}} GROUP BY {keys}"
    return Query(text.format(f"ASSUME PARTITIONED BY ({keys})"), text.format(""), portable=True)


def rows(frame: DataFrame) -> list[str]:
    return sorted(str(tuple(row)) for row in frame.collect())


@examples(20, 400)
def test_claims_change_no_row(spark: SparkSession, count: int) -> None:
    used: list[str] = []
    compared = 0
    warehouse = Path(str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:"))
    with duckdb.connect() as connection:

        @repeated(count)
        @given(tables, tables, st.lists(queries(), min_size=4, max_size=4), st.data())
        def check(a: Table, b: Table, asked: list[Query], data: st.DataObject) -> None:
            nonlocal compared
            for key, values in CONF.items():
                spark.conf.set(key, data.draw(st.sampled_from(values)))
            for name, table in (("a", a), ("b", b)):
                spark.sql(f"DROP TABLE IF EXISTS {name}")
                spark.sql(table.create(name).replace(" OR REPLACE", ""))
                columns = ", ".join(f"{column} INT" for column in COLUMNS)
                connection.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
                connection.execute(f"INSERT INTO {name} FROM ({table.values()})")
            if a.broken:
                a.damage(warehouse / "a")
                spark.sql("REFRESH TABLE a")
            aggregate = "count(st.x)" if a.broken else "count(v)"
            late = data.draw(st.integers(0, 8))  # before which query b is added to a
            if a.folders:
                asked = [*asked, by_folders(a.folders)]
            for number, query in enumerate(asked):
                plain = query.plain.replace("{st}", aggregate)
                try:
                    claimed = spark.sql(query.claimed.replace("{st}", aggregate))
                    if number == late and not a.broken and not query.prunes(a.folders):
                        assert claimed._jdf.queryExecution().executedPlan()
                        names = ", ".join(COLUMNS)
                        spark.sql(f"INSERT INTO a ({names}) SELECT {names} FROM b")
                        connection.execute(f"INSERT INTO a SELECT {names} FROM b")
                    found = rows(claimed)
                except (AnalysisException, SparkRuntimeException) as error:
                    if str(error.getCondition()).endswith(FAILURES):
                        continue
                    raise
                used.extend(claim.proof for claim in why(claimed).claims if claim.outcome == "USED")
                assert found == rows(spark.sql(plain)), query
                if query.portable and not a.broken:
                    expected = connection.execute(plain).fetchall()
                    assert found == sorted(map(str, expected)), query
                compared += 1

        check()
    assert compared >= count * 5 // 2
    assert {"structural", "checked", "hash check"} == set(used), "the claims saved too few shuffles"
