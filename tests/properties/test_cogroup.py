"""COGROUP gives the rows of a FULL OUTER JOIN of one aggregate a branch in DuckDB.

An example compares one query: 50 with DuckDB in `make test-full`, the same ones on every machine,
and 1,000 in `make test-slow`. The other properties compare a query with itself, run otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from properties.cogroup_model import CoGroup, Piece, normalise
from properties.cogroup_strategies import cogroups
from properties.examples import examples, repeated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = list[tuple[str, ...]]

PLAIN = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.execution.useObjectHashAggregateExec": "false",
}


@examples(50, 1000)
def test_equals_the_full_outer_join_of_aggregates(spark: SparkSession, count: int) -> None:
    with duckdb.connect() as connection:

        @repeated(count)
        @given(cogroups(), st.booleans())
        def check(cogroup: CoGroup, preaggregate: bool) -> None:
            spark.conf.set("spark.eddyline.cogroup.preaggregate", preaggregate)
            frame = _run(spark, cogroup)
            assert frame.columns[: len(cogroup.families)] == cogroup.key_names()
            for table in cogroup.tables:
                connection.execute(table.create())
            expected = connection.execute(cogroup.duckdb()).fetchall()
            assert _rows(frame, cogroup) == normalise(expected, ordered=bool(cogroup.order))

        check()


@examples(10, 100)
def test_the_order_of_branches_means_nothing(spark: SparkSession, count: int) -> None:
    @repeated(count)
    @given(cogroups(), st.data())
    def check(cogroup: CoGroup, data: st.DataObject) -> None:
        order = data.draw(st.permutations(range(len(cogroup.branches))))
        frame, permuted = _run(spark, cogroup), _run(spark, _permute(cogroup, order))
        assert _types(permuted) == _types(frame)
        assert _rows(permuted, cogroup) == _rows(frame, cogroup)

    check()


@examples(10, 100)
def test_plain_execution_gives_the_same(spark: SparkSession, count: int) -> None:
    plain = spark.newSession()
    for key, value in PLAIN.items():
        plain.conf.set(key, value)

    @repeated(count)
    @given(cogroups())
    def check(cogroup: CoGroup) -> None:
        frame, other = _run(spark, cogroup), _run(plain, cogroup)
        assert _types(other) == _types(frame)
        assert _rows(other, cogroup) == _rows(frame, cogroup)

    check()


def _run(spark: SparkSession, cogroup: CoGroup) -> DataFrame:
    for table in cogroup.tables:
        spark.sql(table.create())
    return spark.sql(cogroup.spark())


def _rows(frame: DataFrame, cogroup: CoGroup) -> Rows:
    return normalise(frame.collect(), ordered=bool(cogroup.order))


def _types(frame: DataFrame) -> list[str]:
    return [field.dataType.simpleString() for field in frame.schema]


def _permute(cogroup: CoGroup, order: list[int]) -> CoGroup:
    """Returns the branches in another order, each with its aggregates and key names."""
    names = cogroup.key_names()

    def move(piece: Piece) -> Piece:
        return piece if piece.branch is None else replace(piece, branch=order.index(piece.branch))

    def rewrite(expression: Any) -> Any:
        return expression and replace(expression, pieces=tuple(map(move, expression.pieces)))

    found = [cogroup.branches[i] for i in order]
    keys = [replace(key, name=name) for key, name in zip(found[0].keys, names, strict=True)]
    if found[0].by:
        found[0] = replace(found[0], keys=tuple(keys))
    return replace(
        cogroup,
        branches=tuple(found),
        columns=tuple(map(rewrite, cogroup.columns)),
        having=rewrite(cogroup.having),
        outer=rewrite(cogroup.outer),
    )
