"""The output of `eddyline watch`."""

from __future__ import annotations

from datetime import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import Row
from rich.console import Console

from eddyline import EddylineError
from eddyline.cli.watch import picture, watch
from eddyline.streamingquery import StreamingQueryInfo
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

INFO = StreamingQueryInfo(
    name="tops",
    status="FAILED",
    target="db.tops",
    trigger="EVERY 10000 milliseconds",
    batch=7,
    batch_ms=500,
    input_rows_per_second=10.0,
    dropped=4,
    state_rows=1200,
    state_bytes=2048,
    watermark=None,
    started=None,
    user="me",
    comment=None,
    last_error="the [disk] is full",
    persistent=False,
)
BATCH = Row(
    batch=7,
    batch_ms=500,
    input_rows=1000,
    emitted=None,
    dropped=4,
    state_rows=1200,
    state_bytes=2048,
    watermark=datetime(2026, 1, 2, 3, 4, 5),
)


@pytest.mark.parametrize("batches", [[], [BATCH]])
def test_picture(batches: list[Row]) -> None:
    console = Console(width=120, record=True)
    console.print(picture(INFO, batches))
    text = console.export_text()
    for part in ("tops", "FAILED", "into db.tops", "every 10 seconds", "the [disk] is full"):
        assert part in text
    for part in ("2,000", "1,200", "2.0 KiB", "2026-01-02 03:04:05"):
        assert (part in text) == bool(batches)


def test_each_update_is_one_statement(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.sql("CREATE TABLE readings (k INT) USING parquet")
    spark.sql("CREATE TABLE kept (k INT) USING parquet")
    spark.sql("INSERT INTO readings VALUES (1)")
    spark.sql(
        f"START STREAMING QUERY keep TRIGGER EVERY 1 HOUR CHECKPOINT '{tmp_path}' "
        "AS INSERT INTO kept SELECT * FROM STREAM readings"
    )
    eventually(lambda: spark.table("kept").count() == 1)
    eventually(lambda: spark.sql("SHOW STREAMING QUERY PROGRESS keep").count() == 1)
    statements: list[str] = []
    updates: list[int] = []

    def stop_after_four(_: float) -> None:
        updates.append(len(statements))
        if len(updates) == 4:
            run("STOP STREAMING QUERY keep")

    run = spark.sql
    monkeypatch.setattr(spark, "sql", lambda text: statements.append(text) or run(text))
    monkeypatch.setattr("eddyline.cli.watch.time", SimpleNamespace(sleep=stop_after_four))
    console = Console(width=120, record=True)
    watch(spark, "KEEP", console, every=1.0, once=False)
    assert updates[:4] == [2, 3, 4, 5]
    shown = console.export_text()
    assert "keep  STOPPED  into kept, every 1 hour" in shown
    with pytest.raises(EddylineError) as caught:
        watch(spark, "other", console, every=1.0, once=True)
    assert caught.value.condition == "EDDYLINE_STREAMING_QUERY.NOT_FOUND"
