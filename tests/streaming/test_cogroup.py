"""COGROUP in streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline.testing import error_place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STREAMS = {
    "a": "STREAM s_a AS a",
    "b": "STREAM s_b AS b",
    "a_wm": "STREAM s_a WATERMARK ts DELAY OF INTERVAL 10 SECONDS AS a",
    "b_wm": "STREAM s_b WATERMARK ts DELAY OF INTERVAL 10 SECONDS AS b",
}


@pytest.fixture(autouse=True)
def tables(spark: SparkSession) -> None:
    for name in ("s_a", "s_b"):
        spark.sql(f"CREATE TABLE {name} (k BIGINT, v BIGINT, ts TIMESTAMP) USING parquet")


def test_a_batch_branch_among_streams(spark: SparkSession) -> None:
    sql = f"COGROUP {STREAMS['a']} BY k, s_b BY k AGGREGATE count(*) AS n"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_COGROUP.STREAM_EXPECTED"
    assert caught.value.getSqlState() == "0A000"
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == "s_b"


@pytest.mark.parametrize(("first", "second"), [("a_wm", "b"), ("a", "b_wm")])
def test_a_branch_without_watermark(spark: SparkSession, first: str, second: str) -> None:
    sql = (
        f"COGROUP {STREAMS[first]} BY window(ts, '1 minute'), "
        f"{STREAMS[second]} BY window(b.ts, '1 minute') AGGREGATE count(*) AS n"
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_COGROUP.WATERMARK_MISSING"
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == ("b.ts" if second == "b" else "ts")
