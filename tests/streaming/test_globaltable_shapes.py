"""Streams joined with global tables, each beside the same stream over plain tables."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from .harness import Stream, arrive, at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DIMENSION = "VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', NULL), (4, 'four', 40)"
TAGS = "VALUES (1, 'x'), (1, 'y'), (3, 'x'), (NULL, 'n')"
FIRST = [at(1, 10, 0), at(2, 20, 1), at(1, 11, 2), at(9, 90, 3), "(NULL, 5L, NULL)"]
SECOND = [at(1, 10, 60), at(3, 30, 61), at(2, 5, 62)]


@dataclass(frozen=True)
class Shape:
    """A stream over `events` and `others`.

    Attributes:
        sql: text with {d} for the dimension and {tags} for a table without a key.
        mode: the output mode.
        lookups: number of lookups in the micro-batch.
        exchanges: number of Spark's own shuffles, which state needs.
    """

    sql: str
    mode: str | None = "append"
    lookups: int = 1
    exchanges: int = 0


STATELESS = {
    "inner": "SELECT events.k, v, name FROM STREAM events JOIN {d} AS d ON events.k = d.k",
    "dimension first": "SELECT v, d.* FROM {d} AS d JOIN STREAM events ON events.k = d.k",
    "left": "SELECT v, d.* FROM STREAM events LEFT JOIN {d} AS d ON events.k = d.k",
    "right": "SELECT v, d.* FROM {d} AS d RIGHT JOIN STREAM events ON events.k = d.k",
    "using": "SELECT k, v, w FROM STREAM events LEFT JOIN {d} AS d USING (k) WHERE v > 5",
    "semi": "SELECT k, v FROM STREAM events LEFT SEMI JOIN {d} AS d USING (k)",
    "anti": "SELECT k, v FROM STREAM events LEFT ANTI JOIN {d} AS d USING (k)",
    "exists": (
        "SELECT k, v FROM STREAM events WHERE EXISTS "
        "(SELECT 1 FROM {tags} AS t WHERE t.k = events.k AND tag = 'x') OR v > 50"
    ),
    "scalar subquery": (
        "SELECT v, (SELECT max(tag) FROM {tags} AS t WHERE t.k = events.k) AS tag "
        "FROM STREAM events"
    ),
    "ranges": "SELECT v, d.k FROM STREAM events LEFT JOIN {d} AS d ON v > w",
    "cross": "SELECT v, tag FROM STREAM events CROSS JOIN {tags}",
    "star": (
        "SELECT v, a.name, tag, b.w FROM STREAM events LEFT JOIN {d} AS a ON events.k = a.k "
        "LEFT JOIN {tags} AS t ON events.k = t.k LEFT JOIN {d} AS b ON events.v = b.w"
    ),
    "aggregate below": (
        "SELECT v, n FROM STREAM events LEFT JOIN "
        "(SELECT k, count(*) AS n FROM {tags} GROUP BY k) AS t ON events.k = t.k"
    ),
}
SHAPES = {
    "without state": Shape(
        " UNION ALL ".join(
            f"SELECT '{name}' AS shape, CAST(struct(*) AS STRING) AS row FROM ({sql})"
            for name, sql in STATELESS.items()
        ),
        lookups=len(STATELESS) + 2,  # the star has three
    ),
    "aggregate above": Shape(
        "SELECT name, count(*) AS n, sum(v) AS v FROM STREAM events LEFT JOIN {d} AS d "
        "ON events.k = d.k GROUP BY name",
        mode="update",
        exchanges=1,
    ),
    "complete": Shape(
        "SELECT tag, sum(v) AS v FROM STREAM events JOIN {tags} AS t ON events.k = t.k "
        "GROUP BY tag",
        mode="complete",
        exchanges=1,
    ),
    "window": Shape(
        "SELECT window.start AS s, name, count(*) AS n FROM STREAM events "
        "WATERMARK ts DELAY OF INTERVAL 10 SECONDS AS e JOIN {d} AS d ON e.k = d.k "
        "GROUP BY window(ts, '30 seconds'), name",
        exchanges=1,
    ),
    "aggregate of the stream, joined": Shape(
        "SELECT n, name FROM (SELECT k, count(*) AS n FROM STREAM events GROUP BY k) AS e "
        "JOIN {d} AS d ON e.k = d.k",
        mode="update",
        exchanges=1,
    ),
    "stream-stream": Shape(
        "SELECT a.v, b.v AS other, name FROM STREAM events AS a JOIN STREAM others AS b "
        "ON a.k = b.k LEFT JOIN {d} AS d ON a.k = d.k",
        exchanges=2,
    ),
    "lookup below stream-stream": Shape(
        "SELECT a.v, b.v AS other, name FROM "
        "(SELECT events.v, name FROM STREAM events JOIN {d} AS d ON events.k = d.k) AS a "
        "JOIN (SELECT others.v, d.w FROM STREAM others JOIN {d} AS d ON others.k = d.k) AS b "
        "ON a.v = b.w",
        lookups=2,
        exchanges=2,
    ),
    "distinct": Shape(
        "SELECT DISTINCT events.k, name FROM STREAM events LEFT JOIN {d} AS d ON events.k = d.k",
        mode="update",
        exchanges=1,
    ),
    "emit on change": Shape(
        "SELECT events.k, max(name) AS name, max(v) AS v FROM STREAM events LEFT JOIN {d} AS d "
        "ON events.k = d.k GROUP BY events.k EMIT ON CHANGE",
        mode="update",
        exchanges=1,
    ),
    "cogroup": Shape(
        "COGROUP (SELECT name, v FROM STREAM events JOIN {d} AS d ON events.k = d.k) AS a BY name, "
        "(SELECT name, v FROM STREAM others JOIN {d} AS d ON others.k = d.k) AS b BY name "
        "AGGREGATE count(a.v) AS a, sum(b.v) AS b",
        mode="update",
        lookups=2,
        exchanges=1,
    ),
}


@pytest.fixture
def events(spark: SparkSession) -> SparkSession:
    for name in ("events", "others"):
        spark.sql(f"CREATE TABLE {name} (k BIGINT, v BIGINT, ts TIMESTAMP) USING parquet")
    for name, rows, columns in (("d", DIMENSION, "k, name, w"), ("tags", TAGS, "k, tag")):
        spark.sql(
            f"CREATE TABLE plain_{name} USING parquet AS "
            f"SELECT /*+ COALESCE(1) */ * FROM {rows} AS t({columns})"
        )
    spark.sql("CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM plain_d")
    spark.sql("CREATE GLOBAL TABLE tags REFRESH MANUAL AS SELECT * FROM plain_tags")
    return spark


@pytest.mark.parametrize("name", SHAPES)
def test_equals_the_stream_over_plain_tables(
    events: SparkSession, tmp_path: Path, name: str
) -> None:
    shape = SHAPES[name]
    texts = {
        "global": shape.sql.format(d="d", tags="tags"),
        "plain": shape.sql.format(d="plain_d", tags="plain_tags"),
    }
    streams = {
        folder: Stream(lambda text=text: events.sql(text), tmp_path / folder, shape.mode)
        for folder, text in texts.items()
    }
    for rows in (FIRST, SECOND):
        arrive(events, "events", rows)
        arrive(events, "others", rows[:2])
        for stream in streams.values():
            stream.run()
    found, expected = streams["global"], streams["plain"]
    assert any(expected.batches), "a stream without rows proves nothing"
    if name == "without state":
        assert {row[0] for rows in expected.batches for row in rows} == set(STATELESS)
    assert found.batches == expected.batches
    assert_looked_up(found, shape)


def assert_looked_up(stream: Stream, shape: Shape) -> None:
    """Checks that no side of a join was shuffled or broadcast, and the versions in the progress."""
    plan = stream.plan.partition("== Initial Plan ==")[0]
    assert plan.count("GlobalLookup") == shape.lookups, plan
    assert "BroadcastExchange" not in plan
    assert len(re.findall(r"(?<!Reused)Exchange\b", plan)) == shape.exchanges, plan
    for table in {"d", "tags"} & set(re.findall(r"GlobalLookup default\.(\w+)@", plan)):
        observed = metrics(stream, table)
        assert re.fullmatch(r"1-[0-9a-f]+", observed["version"])
        assert observed["age_ms"] >= 0
        assert (observed["refreshes"], observed["failures"]) == (1, 0)


def metrics(stream: Stream, table: str) -> dict[str, Any]:
    observed = stream.progress["observedMetrics"][f"eddyline.global.default.{table}"]
    return json.loads(observed) if isinstance(observed, str) else observed.asDict()


def test_foreach_batch_reads_the_version_of_its_batch(events: SparkSession, tmp_path: Path) -> None:
    """A query inside foreachBatch reads the version of its batch, even after a refresh."""
    seen = []

    def joined(batch: Any, _: int) -> None:
        batch.createOrReplaceTempView("batch")
        session = batch.sparkSession
        sql = "SELECT v, name FROM batch JOIN d USING (k) ORDER BY v"
        before = session.sql(sql).collect()
        session.sql("REFRESH GLOBAL TABLE d")
        seen.append((before, session.sql(sql).collect()))

    def run() -> None:
        frame = events.sql("SELECT * FROM STREAM events")
        writer = frame.writeStream.foreachBatch(joined).trigger(availableNow=True)
        writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()

    arrive(events, "events", FIRST)
    events.sql("INSERT OVERWRITE plain_d VALUES (1, 'eins', 1), (2, 'zwei', 2)")
    run()
    arrive(events, "events", [at(1, 1)])
    run()
    first, second = seen
    assert first[0] == first[1] == [(10, "one"), (11, "one"), (20, "two")]
    assert second[0] == second[1] == [(1, "eins")]


REFUSED = {
    "RIGHT OUTER": "SELECT v, d.k FROM STREAM events RIGHT JOIN d ON events.k = d.k",
    "LEFT OUTER": "SELECT v, d.k FROM d LEFT JOIN STREAM events ON events.k = d.k",
    "FULL OUTER": "SELECT v, d.k FROM STREAM events FULL JOIN d ON events.k = d.k",
}


@pytest.mark.parametrize("joined", REFUSED)
def test_a_stream_cannot_keep_rows_of_the_dimension(events: SparkSession, joined: str) -> None:
    with pytest.raises(AnalysisException, match=f"A {joined} join .* default.d ") as caught:
        events.sql(REFUSED[joined])
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.JOIN_TYPE"


def test_kip_99(spark: SparkSession, tmp_path: Path) -> None:
    """Purchases are joined with products and customers, which change while the stream runs."""
    spark.sql("CREATE TABLE purchases (product INT, customer INT, n INT) USING parquet")
    spark.sql("CREATE TABLE product_rows (id INT, title STRING, seen INT) USING parquet")
    spark.sql("CREATE TABLE customers_csv (id INT, name STRING) USING csv")
    spark.sql("INSERT INTO product_rows VALUES (1, 'lamp', 1), (2, 'desk', 1)")
    spark.sql("INSERT INTO customers_csv VALUES (7, 'Ada')")
    spark.sql(
        "CREATE GLOBAL TABLE products PRIMARY KEY (id) ON DUPLICATE KEY LATEST BY seen "
        "REFRESH MANUAL AS SELECT * FROM product_rows"
    )
    spark.sql(
        "CREATE GLOBAL TABLE customers PRIMARY KEY (id) REFRESH MANUAL AS "
        "SELECT * FROM customers_csv"
    )
    text = (
        "SELECT n, title, name FROM STREAM purchases LEFT JOIN products ON product = products.id "
        "LEFT JOIN customers ON customer = customers.id"
    )
    stream = Stream(lambda: spark.sql(text), tmp_path)
    arrive(spark, "purchases", ["(1, 7, 1)", "(3, 8, 2)"])
    assert stream.run() == [[(1, "lamp", "Ada"), (2, None, None)]]
    spark.sql("INSERT INTO product_rows VALUES (3, 'chair', 2), (1, 'lantern', 2), (NULL, 'x', 9)")
    spark.sql("INSERT OVERWRITE customers_csv VALUES (7, 'Ada'), (8, 'Bo')")
    spark.sql("REFRESH GLOBAL TABLE products")
    assert stream.run() == [], "a refresh alone triggers nothing"
    arrive(spark, "purchases", ["(1, 8, 3)", "(3, 7, 4)"])
    assert stream.run() == [[(3, "lantern", None), (4, "chair", "Ada")]]
    spark.sql("REFRESH GLOBAL TABLE customers")
    arrive(spark, "purchases", ["(1, 8, 5)"])
    assert stream.run() == [[(5, "lantern", "Bo")]]
    assert metrics(stream, "products")["version"].startswith("2-")
