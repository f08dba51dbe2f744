"""What of COGROUP SQL text alone cannot reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql.functions import pandas_udf

from eddyline.testing import error_place, format_rows

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
    assert caught.value.getCondition() == "EDDYLINE_COGROUP.PYTHON_AGGREGATE"
    assert caught.value.getSqlState() == "0A000"
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == "rows(b.id)"


def test_python_functions_in_keys_and_filters(spark: SparkSession) -> None:
    spark.udf.register("half", lambda number: number // 2, "long")
    frame = spark.sql(
        "COGROUP range(4) AS a WHERE half(id) >= 0 BY half(id) AS h, range(2) AS b BY id "
        "AGGREGATE count(a.*) AS a, half(sum(b.id) + 2) AS b"
    )
    assert format_rows(frame) == ["0\t2\t1", "1\t2\t1"]


def test_names_of_one_case_when_case_matters(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.caseSensitive", "true")
    frame = spark.sql(
        "COGROUP range(2) AS x BY id AS K, range(1) AS X BY id "
        "AGGREGATE count(x.*) AS lower, count(X.*) AS upper"
    )
    assert frame.columns == ["K", "lower", "upper"]
    assert format_rows(frame) == ["0\t1\t1", "1\t1\t0"]
