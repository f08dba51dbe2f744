"""A driver that upserts a stream of files into a table, until all are read or it is killed."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

from checkpoints import commits
from own_jvm import start_session


def main(plan: dict[str, Any]) -> None:
    folder, provider = Path(plan["folder"]), plan["format"]
    events, checkpoint = folder / "events", folder / "checkpoint"
    spark, _ = start_session(plan["settings"])
    table, place = "ice.lake.counts", ""
    if provider == "delta":
        table, place = "default.counts", f"LOCATION '{folder / 'counts'}'"
    else:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.lake")
    spark.sql(f"CREATE TABLE default.events (k INT) USING parquet LOCATION '{events}'")
    spark.sql(f"CREATE TABLE IF NOT EXISTS {table} (k INT, n BIGINT) USING {provider} {place}")
    spark.sql(
        f"START STREAMING QUERY counting TRIGGER AVAILABLE NOW CHECKPOINT '{checkpoint}' "
        f"AS UPSERT INTO {table} KEY (k) SELECT k, count(*) AS n "
        "FROM STREAM default.events WITH (maxFilesPerTrigger = 1) GROUP BY k "
        f"HAVING {plan['having']} EMIT ON CHANGE WITH CHANGE TYPE"
    )
    spark.sql("AWAIT STREAMING QUERY counting")
    if not plan["ends"]:
        signal.pause()  # it is killed
    history = f"DESCRIBE HISTORY {table}" if provider == "delta" else f"TABLE {table}.snapshots"
    result = {
        "upserted": list(map(tuple, spark.table(table).collect())),
        "versions": spark.sql(history).count(),
        "micro_batches": len(commits(checkpoint)),
    }
    (folder / "result.json").write_text(json.dumps(result))
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
