"""CACHE TABLE and `DataFrame.cache` over a global table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Cached:
    """The contents of Spark's cache, for all sessions."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.manager = spark._jsparkSession.sharedState().cacheManager()
        self.entries, self.rdds = self.manager.numCachedEntries(), self.persisted()

    def persisted(self) -> set[int]:
        """Returns the ids of the RDDs; one of another test may be collected at any time."""
        return {int(number) for number in self.spark.sparkContext._jsc.getPersistentRDDs()}

    def __call__(self) -> tuple[int, int]:
        """Returns the numbers of entries and RDDs added since the start."""
        added = self.persisted() - self.rdds
        return self.manager.numCachedEntries() - self.entries, len(added)


def is_cached(frame: DataFrame) -> bool:
    return "InMemoryRelation" in frame._jdf.queryExecution().toString()


@pytest.mark.parametrize("name", ["g", "t", "lake.cached.t"])
def test_the_cache_serves_the_version_that_it_was_made_of(spark: SparkSession, name: str) -> None:
    cached = Cached(spark)
    source = "source" if name == "g" else name
    if name == "g":
        spark.sql("CREATE TABLE source (k INT) USING parquet")
        spark.sql("CREATE GLOBAL TABLE g REFRESH MANUAL AS SELECT k FROM source")
    else:
        using = "" if name.startswith("lake") else "USING parquet "
        spark.sql(f"CREATE GLOBAL TABLE {name} (k INT) {using}REFRESH MANUAL")
    spark.sql(f"CACHE TABLE {name}")
    spark.sql(f"CACHE TABLE sums AS SELECT sum(k) AS k FROM {name}")
    assert is_cached(spark.table(name))
    assert is_cached(spark.table("sums"))
    spark.sql(f"INSERT INTO {source} VALUES (1)")
    spark.sql(f"REFRESH GLOBAL TABLE {name}")
    for relation in (name, "sums"):
        assert not is_cached(spark.table(relation))
        assert spark.table(relation).collect() == [(1,)]
    spark.sql("CACHE TABLE sums")
    assert is_cached(spark.table("sums"))
    assert cached() == (3, 3), "of both versions"
    spark.sql("UNCACHE TABLE sums")
    assert cached() == (2, 2), "of the old version"
    spark.sql("CLEAR CACHE")
    assert cached.manager.isEmpty()


def test_a_cached_frame_keeps_its_version(spark: SparkSession) -> None:
    cached = Cached(spark)
    spark.sql("CREATE TABLE source (k INT) USING parquet")
    spark.sql("CREATE GLOBAL TABLE g REFRESH MANUAL AS SELECT k FROM source")
    frame = spark.table("g").cache()
    assert frame.collect() == []
    spark.sql("INSERT INTO source VALUES (1)")
    spark.sql("REFRESH GLOBAL TABLE g")
    assert frame.collect() == []
    assert spark.table("g").count() == 1
    frame.unpersist()
    assert cached() == (0, 0)
