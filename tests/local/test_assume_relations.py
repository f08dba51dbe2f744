"""Claims in views, about paths, global tables, and a source that others read too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import why
from goldenfiles import expected_state

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

FAIL = "ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL"


@pytest.mark.parametrize("kind", ["VIEW", "TEMPORARY VIEW"])
@pytest.mark.parametrize("query", ["{}", "SELECT max(n) FROM ({})"], ids=["by a scan", "by groups"])
def test_a_false_claim_in_a_view(spark: SparkSession, kind: str, query: str) -> None:
    """The error names the view; its place is one in the text that the view stores."""
    spark.sql(
        "CREATE TABLE bad USING parquet AS "
        "SELECT /*+ REPARTITION(3, v) */ id % 20 AS k, id AS v FROM range(200)"
    )
    spark.sql(f"CREATE {kind} claimed AS SELECT k,\n v FROM bad {FAIL}")
    text = query.format("SELECT k, count(*) AS n FROM claimed GROUP BY k")
    with pytest.raises(AnalysisException) as error:
        spark.sql(text).collect()
    assert error.value.getCondition() == "EDDYLINE_ASSUME.VIOLATED"
    state = expected_state(spark, "EDDYLINE_ASSUME.VIOLATED", "22000")
    assert error.value.getSqlState() == state
    assert "(k) on spark_catalog.default.bad is false" in str(error.value)
    (context,) = error.value.getQueryContext()
    name = "claimed" if kind == "TEMPORARY VIEW" else "spark_catalog.default.claimed"
    assert (context.objectType(), context.objectName()) == ("VIEW", name)


@pytest.mark.parametrize("kind", ["orc", "csv"])
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_paths(spark: SparkSession, tmp_path: Path, kind: str, adaptive: str) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    path = str(tmp_path / "t")
    rows = spark.range(120).selectExpr("CAST(id % 20 AS STRING) AS _c0", "id", "id % 3 AS day")
    rows.repartition(4, "id").write.partitionBy("day").format(kind).save(path)
    for keys, found in {
        "day": ("structural", 3, None),
        "_c0": ("checked", 12, "false, ("),
        "_c0, day": ("structural", 3, None),
    }.items():
        query = f"SELECT {keys}, count(*) AS n FROM {kind}.`{path}` {{}} GROUP BY {keys}"
        frame = spark.sql(query.format(f"ASSUME PARTITIONED BY ({keys})"))
        plain = spark.sql(query.format(""))
        assert sorted(map(tuple, frame.collect())) == sorted(map(tuple, plain.collect()))
        (claim,) = why(frame).claims
        assert (claim.relation, claim.outcome) == (f"file:{path}", "USED")
        assert (claim.proof, claim.units, (claim.verdict or "")[:8] or None) == found


def test_a_claim_about_a_v2_source_is_of_one_query(spark: SparkSession) -> None:
    """The queries of a DataFrame share its columns, where the source prunes none."""
    spark.sql("CREATE TABLE lake.relations.t (day INT, v BIGINT)")
    spark.table("lake.relations.t").createOrReplaceTempView("shared")
    query = "SELECT day, count(*) AS n FROM shared {} GROUP BY day"
    (claim,) = why(spark.sql(query.format("ASSUME PARTITIONED BY (day)"))).claims
    assert claim.outcome == "DROPPED"
    assert not why(spark.sql(query.format(""))).claims
    spark.sql("DROP TABLE lake.relations.t")


@pytest.mark.usefixtures("adaptive")
def test_a_claim_about_a_global_table(spark: SparkSession) -> None:
    """A lookup in a global table shuffles nothing, so a claim on the other side lasts."""
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.sql(
        "CREATE TABLE facts USING parquet PARTITIONED BY (day) AS "
        "SELECT id AS v, CAST(id % 3 AS INT) AS day FROM range(12)"
    )
    spark.sql("CREATE GLOBAL TABLE items PRIMARY KEY (v) REFRESH MANUAL AS SELECT * FROM facts")

    def claims(query: str) -> list[tuple[str, str, str | None]]:
        return [(c.relation, c.outcome, c.reason) for c in why(spark.sql(query)).claims]

    snapshot = "a global table is read from a snapshot, which has a layout of its own"
    dropped = ("default.items", "DROPPED", snapshot)
    for query in (
        "SELECT day, count(*) FROM items ASSUME PARTITIONED BY (day) GROUP BY day",
        "SELECT day, count(*) FROM (SELECT day FROM items WHERE v > 3) AS s "
        "ASSUME PARTITIONED BY (day) GROUP BY day",
        "SELECT f.v FROM facts AS f LEFT ANTI JOIN (SELECT v + 1 AS w FROM items "
        "ASSUME PARTITIONED BY (v) NOT ENFORCED WHERE day > 0) AS i ON f.v = i.w",
    ):
        assert claims(query) == [dropped], query
    assert claims(
        "SELECT f.day, count(*) FROM facts AS f ASSUME PARTITIONED BY (day) "
        "JOIN items AS i ASSUME PARTITIONED BY (v) ON f.v = i.v GROUP BY f.day"
    ) == [("spark_catalog.default.facts", "USED", None), dropped]
