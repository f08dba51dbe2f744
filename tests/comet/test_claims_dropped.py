"""Claims with Comet alone: they are dropped when they are planned, and cost nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from comet.conftest import module_jar
from comet.plans import operators
from eddyline import why
from globaltable import child
from own_jvm import settings_of
from suite import is_eddyline_first

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

REASON = "CometNativeScan reads the files, and knows of no units"

pytestmark = [
    pytest.mark.skipif(is_eddyline_first(), reason="has integrations/comet"),
    pytest.mark.usefixtures("tables"),
]


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, count(*) AS n FROM good{} GROUP BY k",
        "SELECT count(*) AS groups, sum(n) FROM (SELECT count(*) AS n FROM good{} GROUP BY k)",
        "SELECT k, v FROM good{} WHERE v < 3",
        "SELECT k, count(*) FROM (SELECT int(s) AS k FROM good WHERE v % 2 = 1) AS q{} GROUP BY k",
    ],
)
def test_a_claim_costs_nothing(spark: SparkSession, adaptive: str, query: str) -> None:
    """The plan is that of the query without the claim."""
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    claimed = spark.sql(query.format(" ASSUME PARTITIONED BY (k)"))
    plain = spark.sql(query.format(""))
    assert sorted(claimed.collect()) == sorted(plain.collect())
    assert operators(claimed) == operators(plain)
    assert "CometNativeScan" in operators(claimed)
    assert [(claim.outcome, claim.reason) for claim in why(claimed).claims] == [("DROPPED", REASON)]


def test_a_layout_is_dropped(spark: SparkSession) -> None:
    one = "good AS {} ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK"
    frame = spark.sql(
        f"SELECT k, count(*) AS n FROM {one.format('a')} JOIN {one.format('b')} USING (k) "
        "GROUP BY k"
    )
    assert {row.n for row in frame.collect()} == {100}
    assert {claim.outcome for claim in why(frame).claims} == {"DROPPED"}


def test_comet_is_loaded_before_eddyline(
    spark: SparkSession, comet_jars: list[Path], tmp_path: Path
) -> None:
    """Then Comet has replaced the reader of a claim before eddyline sees it."""
    path = "spark.driver.extraClassPath"
    conf = settings_of(spark) | {"spark.sql.warehouse.dir": str(tmp_path / "warehouse")}
    conf[path] = os.pathsep.join([conf[path], str(module_jar(comet_jars))])
    *_, report = child.run(
        "statements",
        conf,
        "CREATE TABLE t USING parquet AS SELECT /*+ REPARTITION(4, id) */ id AS k FROM range(9)",
        "EXPLAIN CLAUSES SELECT k, count(*) FROM t ASSUME PARTITIONED BY (k) GROUP BY k",
    )
    reason = "CometNativeScan reads the files, since its extension is loaded before eddyline's"
    assert report[0][:4] == ["ASSUME", "spark_catalog.default.t (k)", "DROPPED", reason]


def test_strict_mode_says_why(spark: SparkSession) -> None:
    spark.conf.set("spark.eddyline.assume.strict", "true")
    with pytest.raises(AnalysisException, match=rf"NOT_USED.*{REASON}"):
        spark.sql("SELECT k, count(*) FROM good ASSUME PARTITIONED BY (k) GROUP BY k").collect()
