"""The list of rules, and the conf that leaves some of them out."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import eddyline
from waiting import PROCESS_HANGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXCLUDED = "spark.eddyline.rules.excluded"


def injected(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """Yields what an extension registers with Spark: the method that builds it, and its class."""
    jvm: Any = spark._jvm
    extensions = jvm.org.apache.spark.sql.SparkSessionExtensions()
    jvm.io.eddyline.spark.EddylineExtensions().apply(extensions)
    session = spark._jsparkSession
    methods = {method.getName() for method in extensions.getClass().getMethods()}
    for name in sorted(methods):
        if name.startswith("build") and name != "buildParser":
            found = getattr(extensions, name)(session)
            for index in range(found.size()):
                rule = found.apply(index)
                is_wrapped = rule.getClass().getName().endswith(".OptionalRule")
                yield name, str(rule.ruleName() if is_wrapped else rule.getClass().getName())


def test_the_rules_are_those_that_spark_holds(spark: SparkSession) -> None:
    phases = {
        "buildHintResolutionRules": "hints",
        "buildResolutionRules": "resolution",
        "buildPostHocResolutionRules": "post-hoc",
        "buildCheckRules": "check",
        "buildPlanNormalizationRules": "normalization",
        "buildOptimizerRules": "optimizer",
        "buildPreCBORules": "before CBO",
        "buildPlannerStrategies": "strategy",
        "buildQueryStagePrepRules": "query stages",
        "buildColumnarRules": "columnar",
    }
    held = [
        (phases[method], name.rpartition(".")[2].removesuffix("$").replace("$", "."))
        for method, name in injected(spark)
    ]
    assert len(held) > 30
    wrapped = {("columnar", "OptionalRule..anon.1"): ("columnar", "HoistChecks")}
    assert sorted(wrapped.get(rule, rule) for rule in held) == sorted(
        (rule.phase, rule.name) for rule in eddyline.rules(spark)
    )


def test_each_rule_is_described(spark: SparkSession) -> None:
    rules = eddyline.rules(spark)
    assert all(rule.description.endswith(".") for rule in rules)
    assert {rule.switch for rule in rules} == {"ON", None}
    assert {rule.name for rule in rules if rule.switch} == {
        "RewriteGlobalViews",
        "RewriteGlobalJoins",
        "NarrowAssume",
        "PushThroughAssume",
        "PruneThroughAssume",
        "HoistChecks",
    }


def test_the_rules_print_as_a_table(spark: SparkSession) -> None:
    rules = eddyline.rules(spark)
    assert re.search(r"\|phase +\|rule +\|description +\|switch\|", repr(rules))
    assert len(repr(rules).splitlines()) == len(rules) + 4
    html = rules._repr_html_()
    assert html.count("<tr>") == len(rules) + 1
    assert "<td>resolution</td><td>ResolveCoGroup</td>" in html


@pytest.mark.parametrize("key", [EXCLUDED, "spark.sql.optimizer.excludedRules"])
def test_a_rule_of_the_optimizer_is_left_out(spark: SparkSession, key: str) -> None:
    """Spark's own key takes the name of the class."""
    spark.sql(
        "CREATE TABLE trips USING parquet PARTITIONED BY (day) "
        "AS SELECT id AS trip, id % 3 AS day FROM range(12)"
    )

    def run() -> tuple[str, list[Any]]:
        """Returns the proof of a claim whose keys the rule reduces to the partition column."""
        frame = spark.sql(
            "SELECT day, count(*) FROM trips ASSUME PARTITIONED BY (day, trip) GROUP BY day, trip"
        )
        rows = sorted(frame.collect())
        (claim,) = eddyline.why(frame).claims
        return claim.keys, rows

    keys, rows = run()
    assert keys == "day"
    is_own = key == EXCLUDED
    spark.conf.set(key, "NarrowAssume" if is_own else "io.eddyline.spark.assume.NarrowAssume")
    assert run() == ("day, trip", rows)
    spark.conf.unset(key)
    assert run() == ("day", rows)


def test_a_check_by_groups_is_left_out(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(4).repartition(2, "id").write.parquet(str(tmp_path / "files"))
    query = (
        f"SELECT k, max(n) FROM (SELECT id, id % 2 AS k, count(*) AS n FROM parquet.`{tmp_path}/"
        "files` ASSUME PARTITIONED BY (id) GROUP BY id) GROUP BY k"
    )
    spark.conf.set("spark.eddyline.assume.force", "true")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    for excluded in ("", "HoistChecks"):
        spark.conf.set(EXCLUDED, excluded)
        ((plan,),) = spark.sql(f"EXPLAIN {query}").collect()
        assert ("CollectKeys" in plan) == (not excluded)


def test_sessions_have_switches_of_their_own(spark: SparkSession) -> None:
    def switch(session: SparkSession) -> str | None:
        return {rule.name: rule.switch for rule in eddyline.rules(session)}["HoistChecks"]

    spark.conf.set(EXCLUDED, "HoistChecks")
    assert (switch(spark), switch(spark.newSession())) == ("OFF", "ON")


def test_a_key_that_is_gone_is_named_once(tmp_path: Path) -> None:
    program = """
import eddyline
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = eddyline.configure(builder).getOrCreate()
for session in (spark, spark.newSession()):
    for value in ("a", "b"):
        session.sql(f"SET spark.eddyline.assume.verdicts={value}").collect()
        session.sql("SELECT 1").collect()
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=True,
    )
    (line,) = [line for line in done.stderr.splitlines() if "no such key" in line]
    assert "WARN" in line
    assert "spark.eddyline.assume.verdicts is set" in line
    assert line.endswith("Set spark.eddyline.assume.verdictLocation.")
