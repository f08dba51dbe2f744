"""What eddyline takes from the inside of Spark, a test for each place.

The compiler sees none of these: they are names in strings, fields by reflection, texts and the
shape of plans. With another Spark the test of the place fails by its name, and not a query.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException, ParseException

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SQL = "org.apache.spark.sql"
STREAMING = f"{SQL}.execution.streaming"


def loaded(spark: SparkSession, name: str) -> Any:
    assert spark._jvm is not None
    return spark._jvm.java.lang.Class.forName(name)


def members(spark: SparkSession, name: str, kind: str) -> set[str]:
    """The names of the declared `Fields` or `Methods` of a class."""
    found = getattr(loaded(spark, name), f"getDeclared{kind}")()
    return {str(member.getName()) for member in found}


def executed(frame: DataFrame) -> Any:
    return frame._jdf.queryExecution().executedPlan()


def test_error_conditions_lie_in_a_field_of_their_reader(spark: SparkSession) -> None:
    """EddylineErrors adds its own."""
    assert "errorReader" in members(spark, "org.apache.spark.SparkThrowableHelper$", "Methods")
    assert "errorInfoMap" in members(spark, "org.apache.spark.ErrorClassesJsonReader", "Fields")
    resource = "error/error-conditions.json"
    reader = loaded(spark, "org.apache.spark.ErrorClassesJsonReader")
    assert reader.getClassLoader().getResource(resource) is not None


def test_the_place_of_a_node_is_a_field(spark: SparkSession) -> None:
    """OriginRelocator writes it."""
    assert "origin" in members(spark, f"{SQL}.catalyst.trees.TreeNode", "Fields")
    context = members(spark, f"{SQL}.catalyst.expressions.SupportQueryContext", "Methods")
    assert {"initQueryContext", "queryContext_$eq"} <= context


def test_the_stack_tells_what_a_plan_is_for(spark: SparkSession) -> None:
    """PlanPurpose reads it."""
    cache = members(spark, f"{SQL}.execution.CacheManager", "Methods")
    assert any(name.startswith("uncache") for name in cache)
    execution = members(spark, f"{SQL}.execution.QueryExecution", "Methods")
    assert any(name.startswith("explainString") for name in execution)
    assert loaded(spark, f"{SQL}.execution.SQLExecution$")


@pytest.mark.parametrize(
    "name",
    [
        f"{STREAMING}.sources.ForeachBatchSink",
        f"{STREAMING}.sources.ForeachWriterTable",
        f"{STREAMING}.ConsoleTable$",
        f"{STREAMING}.sources.MemorySink",
        f"{SQL}.execution.datasources.noop.NoopTable$",
    ],
)
def test_sinks_that_are_asked_for_their_mode_late(spark: SparkSession, name: str) -> None:
    """ResolveEmitMode knows them by name."""
    assert loaded(spark, name)


def test_what_spark_says_of_a_stream_that_is_not_started(spark: SparkSession) -> None:
    """Emit says instead how to start it."""
    spark.sql("CREATE TABLE t (k INT) USING parquet")
    refused = re.escape("Queries with streaming sources must be executed with writeStream.start()")
    with pytest.raises(AnalysisException, match=refused):
        spark.sql("SELECT k FROM STREAM t").collect()


def test_the_operator_that_saves_state(spark: SparkSession) -> None:
    """StateInfoPlaceholderExec matches it by position, and EMIT's operators take its place."""
    name = f"{STREAMING}.operators.stateful.StateStoreSaveExec"
    (constructor,) = loaded(spark, name).getConstructors()
    assert constructor.getParameterCount() == 7
    assert "shortName" in members(spark, name, "Methods")


def test_the_topmost_stateful_operator_is_number_0(spark: SparkSession, tmp_path: Path) -> None:
    """CheckEmitState reads the state of EMIT, which is the topmost, by its number."""
    spark.range(2).write.parquet(str(tmp_path / "source"))
    checkpoint = str(tmp_path / "checkpoint")
    (
        spark.readStream.schema("id BIGINT")
        .parquet(str(tmp_path / "source"))
        .dropDuplicates(["id"])
        .groupBy("id")
        .count()
        .writeStream.format("noop")
        .outputMode("update")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
        .awaitTermination()
    )
    found = spark.read.format("state-metadata").load(checkpoint).orderBy("operatorId").collect()
    names = [(row.operatorId, row.operatorName) for row in found]
    assert names == [(0, "stateStoreSave"), (1, "dedupe")]


def test_what_spark_measures_of_a_new_micro_batch(spark: SparkSession, tmp_path: Path) -> None:
    """MicroBatch tells a new micro-batch from a repeated one by it."""
    spark.range(2).write.parquet(str(tmp_path / "source"))
    query = (
        spark.readStream.schema("id BIGINT")
        .parquet(str(tmp_path / "source"))
        .writeStream.format("noop")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert "walCommit" in query.recentProgress[0]["durationMs"]


def test_hidden_columns_have_a_mark(spark: SparkSession, tmp_path: Path) -> None:
    """GlobalRelation knows them by it."""
    spark.range(1).write.parquet(str(tmp_path / "t"))
    frame = spark.read.parquet(str(tmp_path / "t")).select("_metadata")
    (column,) = [frame._jdf.queryExecution().analyzed().output().apply(0)]
    assert column.metadata().contains("__metadata_col")


def test_metrics_of_a_file_scan(spark: SparkSession, tmp_path: Path) -> None:
    """EXPLAIN and the UI show those of the scan below a claim."""
    spark.range(1).write.parquet(str(tmp_path / "t"))
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    plan = executed(spark.read.parquet(str(tmp_path / "t")))
    names = set(plan.collectLeaves().head().metrics().keys().mkString(" ").split())
    assert {"numFiles", "filesSize", "metadataTime", "numOutputRows"} <= names


def test_files_are_named_by_their_partition(spark: SparkSession, tmp_path: Path) -> None:
    """PartNumber reads the number."""
    spark.range(4).repartition(2).write.parquet(str(tmp_path / "t"))
    names = sorted(path.name for path in (tmp_path / "t").glob("*.parquet"))
    assert [re.match(r"part-(\d+)", name)[1] for name in names] == ["00000", "00001"]  # type: ignore[index]


def test_the_name_of_a_key_that_the_optimizer_computes(spark: SparkSession) -> None:
    """ClaimUses does not show it to users."""
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    plan = spark.sql("SELECT id + 1, count(*) FROM range(2) GROUP BY id + 1")
    assert "_groupingexpression" in plan._jdf.queryExecution().optimizedPlan().toString()


def test_the_statement_that_spark_shows(spark: SparkSession) -> None:
    """CreateStatement takes the properties of a global table out of it."""
    spark.sql("CREATE TABLE shown (k INT) USING parquet TBLPROPERTIES ('a' = 'b', 'c' = '\\'d')")
    text = spark.sql("SHOW CREATE TABLE shown").head()[0]  # type: ignore[index]
    assert re.match(r"CREATE (EXTERNAL )?TABLE", text)
    assert re.search(r"(?s)\nTBLPROPERTIES \(\n.*?'\)(?=\n|$)", text)


def test_what_a_syntax_error_names(spark: SparkSession) -> None:
    """SourceMap puts the user's word in the place of the lowering's."""
    with pytest.raises(ParseException) as caught:
        spark.sql("SELECT (1")
    assert {"error", "hint"} <= set(caught.value.getMessageParameters() or {})


def test_relations_of_joins_can_be_made_in_small_pages(spark: SparkSession) -> None:
    """CompactRelation is one, with memory of its own."""
    relation = loaded(spark, f"{SQL}.execution.joins.UnsafeHashedRelation")
    assert [c.getParameterCount() for c in relation.getDeclaredConstructors()].count(3) == 1
    maps = loaded(spark, "org.apache.spark.unsafe.map.BytesToBytesMap").getConstructors()
    assert 3 in [c.getParameterCount() for c in maps]


def test_relations_by_a_long_can_be_read_into_small_pages(spark: SparkSession) -> None:
    """CompactLongRelation reads one into a map with memory of its own."""
    name = f"{SQL}.execution.joins.LongToUnsafeRowMap"
    constructors = loaded(spark, name).getConstructors()
    taken = [[each.getSimpleName() for each in c.getParameterTypes()] for c in constructors]
    assert ["TaskMemoryManager", "int"] in [types[:2] for types in taken]
    interfaces = {each.getSimpleName() for each in loaded(spark, name).getInterfaces()}
    assert {"Externalizable", "KryoSerializable"} <= interfaces


def test_the_code_that_sorts_maps_takes_null_for_zero(spark: SparkSession) -> None:
    """CanonicalForm goes around it; it may go when this test fails."""
    rows = "VALUES (map('a', 0)), (map('a', CAST(NULL AS INT))) AS t(m)"
    spark.sql(f"CREATE TABLE maps USING parquet AS SELECT * FROM {rows}")
    assert spark.sql("SELECT m FROM maps GROUP BY m").count() == 1


def test_pysparks_private_names(spark: SparkSession) -> None:
    """`eddyline.jvm` and `eddyline.configure` use them."""
    assert spark._jvm is not None
    assert spark._jsparkSession is not None
    assert isinstance(type(spark).builder._options, dict)
    frame = spark.range(1)
    assert type(frame)(frame._jdf, spark).collect() == frame.collect()


def test_an_unknown_function_names_itself(spark: SparkSession) -> None:
    """A placeholder that this version does not know is refused by Spark, by its name."""
    with pytest.raises(AnalysisException, match="__eddyline_unknown"):
        spark.sql("SELECT * FROM __eddyline_unknown()")
