"""VALIDATE STREAMING QUERY against what Spark does: each pair is really restarted."""

from __future__ import annotations

import re
import shutil
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from eddyline import streaming_queries

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

FAMILIES: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("replacements.toml").read_text("utf-8")
)["family"]
TABLES = ("events", "others", "more")
# k, v, w, s and the minute of t
BEFORE = [(1, 1, 30, 1, 0), (1, 50, 2, 1, 10), (2, 30, 5, 2, 70), (3, 2, 1, 1, 200)]
LATER = [(1, 7, 40, 2, 190), (2, 40, 9, 2, 200), (3, 4, 70, 1, 240), (3, 60, 3, 3, 500)]


@dataclass
class Written:
    """What a run of a query wrote.

    Attributes:
        status: FINISHED, FAILED, or REFUSED before it was started.
        rows: its rows in the order of its micro-batches.
    """

    status: str
    rows: list[tuple[str | None, ...]]

    @property
    def latest(self) -> list[tuple[str | None, ...]]:
        """The last row of each first column."""
        return sorted({row[0]: row for row in self.rows}.values(), key=str)


class Restarts:
    """Runs queries on copies of one checkpoint, each into a table of its own."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.runs = 0

    def define(self, query: str, table: str) -> str:
        """Returns the end of a statement that writes a query into a table."""
        columns = len(self.spark.sql(_batch(query)).columns)
        names = ", ".join("abc"[:columns])
        return f"AS INSERT INTO {table} ({names}) WITH BATCH ID batch {query}"

    def run(self, query: str, name: str, checkpoint: Path) -> Written:
        """Starts a query on a checkpoint and waits until it has read all input."""
        self.runs += 1
        table = f"written_{self.runs}"
        columns = "a STRING, b STRING, c STRING, batch BIGINT"
        self.spark.sql(f"CREATE TABLE {table} ({columns}) USING parquet")
        try:
            self.spark.sql(
                f"START STREAMING QUERY {name} TRIGGER AVAILABLE NOW CHECKPOINT '{checkpoint}' "
                + self.define(query, table)
            )
        except AnalysisException:
            return Written("REFUSED", [])
        with suppress(AnalysisException):  # the status says that it failed
            self.spark.sql(f"AWAIT STREAMING QUERY {name}")
        (info,) = (info for info in streaming_queries(self.spark) if info.name == name)
        rows = self.spark.sql(f"SELECT a, b, c FROM {table} ORDER BY batch, a, b").collect()
        return Written(info.status, [tuple(row) for row in rows])

    def continued(self, query: str, checkpoint: Path) -> Written:
        """Runs a query on a copy of a checkpoint."""
        copy = self.folder / f"copy_{self.runs}"
        if checkpoint.exists():
            shutil.copytree(checkpoint, copy)
        written = self.run(query, "continued", copy)
        if written.status != "REFUSED":
            self.spark.sql("DROP STREAMING QUERY continued")
        return written

    def batch(self, query: str) -> list[tuple[str | None, ...]]:
        """Returns the rows of a query in batch, as the tables have them."""
        frame = self.spark.sql(_batch(query))
        texts = [f"CAST(`{column}` AS STRING)" for column in frame.columns]
        frame = frame.toDF(*frame.columns).selectExpr(*texts)
        padding = (None,) * (3 - len(texts))
        return sorted((*row, *padding) for row in map(tuple, frame.collect()))


def _batch(query: str) -> str:
    """Returns a query without what a batch query cannot have."""
    query = re.sub(r"(EMIT ON CHANGE ).*KEY.*(WITH CHANGE TYPE)", r"\1\2", query)
    for only_in_streams in (r"\bSTREAM ", r" WITH \(maxFilesPerTrigger = 1\)", r" EMIT .*KEY.*"):
        query = re.sub(only_in_streams, "", query)
    return query


def _arrive(spark: SparkSession, rows: list[tuple[int, ...]], suffix: str) -> None:
    for shift, table in enumerate(TABLES):
        values = ", ".join(
            f"({k}, {v + shift}, {w}, {s}, TIMESTAMP'2026-01-01' + INTERVAL {minute} MINUTES)"
            for k, v, w, s, minute in rows
        )
        for target in (table, f"{table}_{suffix}"):
            spark.sql(f"INSERT INTO {target} VALUES {values}")


def _agrees(restarts: Restarts, pair: dict[str, Any], written: Written) -> bool:
    """Whether what a run wrote is what the query gives in batch."""
    query = pair.get("oracle", pair["to"])
    if pair.get("rows") == "arrived":
        for table in TABLES:
            query = query.replace(f"STREAM {table}", f"{table}_later AS {table}")
            query = query.replace(f"AS {table} AS", "AS")
        return sorted(written.rows, key=str) == sorted(restarts.batch(query), key=str)
    expected = restarts.batch(query)
    if pair.get("rows") == "subset":
        return bool(written.rows) and set(written.rows) <= set(expected)
    return written.latest == sorted(expected, key=str)


@pytest.mark.full
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: str(family["from"])[:60])
def test_verdicts_are_what_spark_does(
    spark: SparkSession, tmp_path: Path, family: dict[str, Any]
) -> None:
    _make_tables(spark)
    _arrive(spark, BEFORE, "before")
    restarts = Restarts(spark, tmp_path)
    checkpoint = tmp_path / "checkpoint"
    assert restarts.run(family["from"], "old", checkpoint).status == "FINISHED"
    said = [_validate(restarts, pair["to"], checkpoint) for pair in family["pair"]]
    _arrive(spark, LATER, "later")
    wrong = []
    for pair, rows in zip(family["pair"], said, strict=True):
        parts = {row.part for row in rows} - {"INSERT INTO"}
        keeps = all(row.verdict == "keeps state" for row in rows)
        continued = restarts.continued(pair["to"], checkpoint)
        works = continued.status == "FINISHED" and _agrees(restarts, pair, continued)
        fresh = restarts.continued(pair["to"], tmp_path / "none")
        expected = (set(pair["parts"]), pair["keeps"], pair["keeps"], "FINISHED")
        if (parts, keeps, works, fresh.status) != expected:
            wrong.append((pair["to"], parts, keeps, works, continued, fresh))
    assert not wrong


def _make_tables(spark: SparkSession) -> None:
    columns = "k INT, v INT, w INT, s INT, t TIMESTAMP"
    for table in TABLES:
        for name in (table, f"{table}_before", f"{table}_later"):
            spark.sql(f"CREATE TABLE {name} ({columns}) USING parquet")
    spark.sql(
        "CREATE TABLE names USING parquet AS "
        "SELECT * FROM VALUES (1, 'x'), (2, 'y'), (3, 'z') AS n(k, name)"
    )


def _validate(restarts: Restarts, query: str, checkpoint: Path) -> list[Row]:
    definition = restarts.define(query, "written_1")
    return restarts.spark.sql(
        f"VALIDATE STREAMING QUERY old TRIGGER AVAILABLE NOW CHECKPOINT '{checkpoint}' {definition}"
    ).collect()
