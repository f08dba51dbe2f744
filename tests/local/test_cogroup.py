"""COGROUP in ways that SQL text alone cannot reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql.functions import pandas_udf

from goldenfiles import error_place, expected_state, format_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_python_aggregates_are_refused(spark: SparkSession) -> None:
    """Spark's operator for them knows no FILTER: the length of one branch would count all rows."""

    @pandas_udf("long")  # type: ignore[call-overload]
    def rows(column: pd.Series) -> int:
        return len(column)

    spark.udf.register("rows", rows)
    sql = "COGROUP range(1) AS a BY id, range(3) AS b BY id AGGREGATE count(a.*) AS n, rows(b.id)"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    condition = "EDDYLINE_COGROUP.PYTHON_AGGREGATE"
    assert caught.value.getCondition() == condition
    assert caught.value.getSqlState() == expected_state(spark, condition, "0A000")
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == "rows(b.id)"


def test_python_functions_in_keys_and_filters(spark: SparkSession) -> None:
    spark.udf.register("half", lambda number: number // 2, "long")
    frame = spark.sql(
        "COGROUP range(4) AS a WHERE half(id) >= 0 BY half(id) AS h, range(2) AS b BY id "
        "AGGREGATE count(a.*) AS a, half(sum(b.id) + 2) AS b"
    )
    assert format_rows(frame) == ["0\t2\t1", "1\t2\t1"]


@pytest.mark.parametrize("preaggregate", ["true", "false"])
def test_python_functions_never_see_rows_of_other_branches(
    spark: SparkSession, preaggregate: str
) -> None:
    """Each function is called only with the values of its branch, where none is NULL."""
    spark.conf.set("spark.eddyline.cogroup.preaggregate", preaggregate)
    spark.udf.register("py_length", len, "int")
    spark.udf.register("py_add", lambda text, key: len(text) + key, "bigint")
    spark.sql("CREATE TEMPORARY VIEW t AS SELECT id AS k, repeat('x', id) AS s FROM range(3)")
    frame = spark.sql(
        "COGROUP t BY k, range(2, 5) AS r BY id AGGREGATE sum(py_length(t.s)) AS s, "
        "max(py_add(t.s, k)) AS m, count(py_length(t.s)) FILTER (WHERE py_length(t.s) > 1) AS f, "
        "sum(r.id) FILTER (WHERE py_add(CAST(r.id AS STRING), r.id) > 4) AS g, count(r.*) AS n"
    )
    assert format_rows(frame) == [
        "0\t0\t0\t0\tNULL\t0",
        "1\t1\t2\t0\tNULL\t0",
        "2\t2\t4\t1\tNULL\t1",
        "3\tNULL\tNULL\t0\tNULL\t1",
        "4\tNULL\tNULL\t0\t4\t1",
    ]


def test_python_functions_of_a_window_and_a_branch_are_refused(spark: SparkSession) -> None:
    """The window is computed above the union, where the function would see all branches' rows."""
    spark.udf.register("py_at", lambda number, at: number, "bigint")
    spark.sql("CREATE TEMPORARY VIEW t AS SELECT id, timestamp_seconds(id) AS ts FROM range(3)")
    sql = (
        "COGROUP t BY window(ts, '2 seconds') AS w, t AS u BY window(ts, '2 seconds') "
        "AGGREGATE sum(py_at(t.id, w.start)) AS s"
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_COGROUP.PYTHON_FUNCTION_OF_WINDOW"
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == "py_at(t.id, w.start)"


def test_plans_show_no_name_of_ours(spark: SparkSession) -> None:
    frame = spark.sql(
        "EXPLAIN EXTENDED COGROUP range(2) AS x BY id, range(1) AS y BY id + 1 AGGREGATE "
        "count(x.*), first(y.id), sum(id + coalesce(x.id, 1)), collect_list(y.id) "
        "HAVING EVERY BRANCH"
    )
    assert "__eddyline" not in frame.first()[0].split("== Analyzed")[1]


def test_names_of_one_case_when_case_matters(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.caseSensitive", "true")
    frame = spark.sql(
        "COGROUP range(2) AS x BY id AS K, range(1) AS X BY id "
        "AGGREGATE count(x.*) AS lower, count(X.*) AS upper"
    )
    assert frame.columns == ["K", "lower", "upper"]
    assert format_rows(frame) == ["0\t1\t1", "1\t1\t0"]


def test_a_parameter_is_not_read_as_a_variable(spark: SparkSession) -> None:
    value = "${env:HOME} ${spark.app.name}"
    cogroup = "COGROUP range(1) AS a BY id, range(1) AS b BY id AGGREGATE max({}) AS x, count(b.*)"
    named = spark.sql(cogroup.format(":w"), args={"w": value})
    by_position = spark.sql(cogroup.format("?"), args=[value])
    immediate = cogroup.format("?").join(("EXECUTE IMMEDIATE '", "' USING :w"))
    rows = [
        frame.first() for frame in (named, by_position, spark.sql(immediate, args={"w": value}))
    ]
    assert [row and row.x for row in rows] == [value] * 3
    spark.conf.set("spark.test.word", "'typed'")
    rows = spark.sql(cogroup.format("${spark.test.word}")).collect()
    assert [row.x for row in rows] == ["typed"]
