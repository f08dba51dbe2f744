"""Files that are written, or read in another way, below a global table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from waiting import eventually

from .test_sources import looked_up, refresh

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ("k INT, name STRING", "sep ';'", [None, "two", None, None]),
        ("k INT, name STRING", "sep ',', nullValue 'one'", [None] * 4),
        ("name STRING, k INT", "sep ','", [None] * 4),
    ],
)
def test_a_source_that_reads_its_files_in_another_way(
    spark: SparkSession, tmp_path: Path, columns: str, options: str, expected: list[str | None]
) -> None:
    """The files stay as they are."""
    (tmp_path / "one.csv").write_text("1,one\n2;two\n")

    def create(columns: str, options: str) -> None:
        spark.sql(
            f"CREATE TABLE base ({columns}) USING csv OPTIONS ({options}) LOCATION '{tmp_path}'"
        )

    create("k INT, name STRING", "sep ','")
    spark.sql("CREATE GLOBAL TABLE d REFRESH EVERY 100 MILLISECONDS AS SELECT k, name FROM base")
    assert looked_up(spark) == ["one", None, None, None]
    spark.sql("DROP TABLE base")
    create(columns, options)
    eventually(lambda: looked_up(spark) == expected)


def test_an_overwrite_of_partitions_by_the_rows_that_they_have(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    spark.sql(
        "CREATE GLOBAL TABLE d (k INT, p INT, PRIMARY KEY (k)) USING parquet PARTITIONED BY (p) "
        "REFRESH MANUAL"
    )
    spark.sql("INSERT INTO d VALUES (1, 1)")
    refresh(spark)
    spark.sql("INSERT INTO d VALUES (2, 1), (NULL, 1)")
    spark.sql("INSERT OVERWRITE d SELECT k * 10, p FROM d WHERE k IS NULL OR k < 10")
    refresh(spark)
    assert spark.sql("SELECT k FROM d ORDER BY k").collect() == [(10,), (20,)]
    described = dict(spark.sql("DESCRIBE GLOBAL TABLE d").collect())
    assert described["null_keys_dropped"] == "1", "the row without a key is there, too"
