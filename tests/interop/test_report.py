"""EXPLAIN CLAUSES and `eddyline.why` in PyHive and Spark Connect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


CREATE = (
    "CREATE TABLE {0}_people USING parquet AS SELECT id AS k, id * 2 AS n FROM range(4)",
    "CREATE GLOBAL TABLE {0}_g PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM {0}_people",
    "CREATE TABLE {0}_report_days USING parquet PARTITIONED BY (day) AS "
    "SELECT id, id % 3 AS day FROM range(9)",
)
QUERY = (
    "SELECT day, count(*) AS c, max(n) AS m FROM {0}_report_days ASSUME PARTITIONED BY (day) "
    "LEFT JOIN {0}_g ON id = {0}_g.k GROUP BY day"
)
FOUND = {("ASSUME", "USED"), ("GLOBAL TABLE", "LOOKUP"), ("EXCHANGE", "SAVED")}


def test_pyhive(cursor: Any) -> None:
    for create in CREATE:
        cursor.execute(create.format("hive"))
    cursor.execute(f"EXPLAIN CLAUSES {QUERY.format('hive')}")
    rows = cursor.fetchall()
    assert {(row[0], row[2]) for row in rows} == FOUND
    (lookup,) = [json.loads(row[4]) for row in rows if row[0] == "GLOBAL TABLE"]
    assert (lookup["keys"], lookup["join"], lookup["rows"]) == ("k", "LEFT OUTER", 4)


def test_connect(remote: SparkSession, tmp_path: Any) -> None:
    from eddyline import why

    for create in CREATE:
        remote.sql(create.format("far"))
    report = why(remote.sql(QUERY.format("far")))
    assert {(entry.part, entry.outcome) for entry in report} == FOUND
    assert why(remote.range(3)).claims == []

    remote.readStream.table("far_people").createOrReplaceTempView("arriving")
    changes = remote.sql("SELECT k % 2 AS k, max(n) AS n FROM arriving GROUP BY k EMIT ON CHANGE")
    assert [found.operator for found in why(changes).state] == ["EmitOnChange"]
    query = (
        changes.writeStream.format("noop")
        .option("checkpointLocation", str(tmp_path))
        .outputMode("update")
        .start()
    )
    try:
        query.processAllAvailable()
        running = why(query, remote)
    finally:
        query.stop()
    assert [found.outcome for found in running.state] == ["CHANGES"]
    assert running.batches
