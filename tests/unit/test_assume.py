"""What `eddyline.why` tells of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline import Claim, why

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_why(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "sales")
    spark.range(30).selectExpr("id AS item", "id % 3 AS day").write.partitionBy("day").json(path)
    spark.read.json(path).createOrReplaceTempView("sales")
    frame = spark.sql(
        "SELECT day, item, row_number() OVER (PARTITION BY day ORDER BY item) AS r "
        "FROM sales ASSUME PARTITIONED BY (day)"
    )
    expected = [Claim("day", f"file:{path}", "structural", 3, "CANCELLED", "day", "Window", None)]
    assert why(frame) == expected
    assert frame.count() == 30
    deduplicated = frame.dropDuplicates(["day"])
    assert sorted(row.day for row in deduplicated.collect()) == [0, 1, 2]
    assert [claim.outcome for claim in why(deduplicated)] == ["CANCELLED", "CANCELLED"]
    assert why(spark.range(3)) == []
