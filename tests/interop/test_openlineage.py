"""OpenLineage's listener for Spark, by the jar and the settings that docs/operations.md names."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from eddyline.session import jar_path
from interop.launch import confs, run
from maven import fetch
from pages import FOLDER, ROOT, blocks

PAGE = ROOT / "docs/operations.md"
PROGRAM = """
import json, sys
from pyspark.sql import SparkSession
builder = SparkSession.builder
for key, value in json.loads(sys.argv[1]).items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
for sql in json.loads(sys.argv[2]):
    spark.sql(sql)
spark.stop()
"""
STATEMENTS = [
    "CREATE TABLE cart USING parquet AS SELECT 1 AS k, 'pen' AS item",
    "CREATE TABLE paid USING parquet AS SELECT 1 AS buyer, 5 AS price",
    "CREATE TABLE people USING parquet AS SELECT 1 AS k, 'Ann' AS name",
    "CREATE TABLE days USING parquet PARTITIONED BY (day) AS SELECT id, id % 3 AS day "
    "FROM range(9)",
    "CREATE GLOBAL TABLE names PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM people",
    "CREATE TABLE cogrouped USING parquet AS COGROUP cart BY k, paid BY buyer "
    "AGGREGATE count(cart.item) AS items, sum(paid.price) AS spent",
    "CREATE TABLE named USING parquet AS SELECT item, name FROM cart JOIN names USING (k)",
    "CREATE TABLE counted USING parquet AS "
    "SELECT day, count(*) AS n FROM days ASSUME PARTITIONED BY (day) GROUP BY day",
    "CREATE TABLE tops (k INT, n BIGINT) USING parquet",
    "START STREAMING QUERY counting TRIGGER AVAILABLE NOW CHECKPOINT '<folder>/checkpoint' AS "
    "INSERT INTO tops SELECT k, count(*) FROM STREAM cart GROUP BY k EMIT ON CHANGE",
    "AWAIT STREAMING QUERY counting",
]


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Returns the events of the statements that have succeeded."""
    folder = tmp_path_factory.mktemp("openlineage")
    (artifact,) = re.findall(r"`(io\.openlineage:[\w.:-]+)`", PAGE.read_text("utf-8"))
    fetch(artifact, folder)
    (lineage,) = folder.glob("openlineage-*.jar")
    (block,) = blocks(PAGE, "properties", section="OpenLineage")
    lines = block.code.replace(FOLDER, str(folder)).splitlines()
    settings = {
        **confs(folder),
        "spark.driver.extraClassPath": os.pathsep.join([str(jar_path()), str(lineage)]),
        **dict(line.split() for line in lines),
    }
    statements = [sql.replace("<folder>", str(folder)) for sql in STATEMENTS]
    program = [sys.executable, "-c", PROGRAM, json.dumps(settings), json.dumps(statements)]
    done = run(program, folder, PYSPARK_PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in (folder / "lineage.json").read_text().splitlines()]
    return [event for event in found if event["eventType"] == "COMPLETE"]


def table(dataset: dict[str, Any]) -> str:
    return Path(dataset["name"]).name


def into(events: list[dict[str, Any]], output: str, job: str) -> dict[str, Any]:
    """Returns the event of the statement that has written a table."""
    (event,) = (
        event
        for event in events
        if [table(each) for each in event["outputs"]] == [output] and job in event["job"]["name"]
    )
    return event


def columns(event: dict[str, Any]) -> dict[str, list[str]]:
    """Returns for each column of the output the columns from which it comes."""
    (output,) = event["outputs"]
    fields = output["facets"].get("columnLineage", {"fields": {}})["fields"]
    return {
        name: sorted(f"{table(each)}.{each['field']}" for each in field["inputFields"])
        for name, field in fields.items()
    }


@pytest.mark.parametrize(
    ("output", "inputs", "fields"),
    [
        (
            "cogrouped",
            ["cart", "paid"],
            {"k": ["cart.k", "paid.buyer"], "items": ["cart.item"], "spent": ["paid.price"]},
        ),
        ("named", ["cart", "people"], {"item": ["cart.item"], "name": ["people.name"]}),
        ("counted", ["days"], {"day": ["days.day"]}),
    ],
)
def test_a_query(
    events: list[dict[str, Any]], output: str, inputs: list[str], fields: dict[str, list[str]]
) -> None:
    event = into(events, output, "create_data_source_table_as_select")
    assert sorted(map(table, event["inputs"])) == inputs
    assert columns(event) == fields


def test_a_stream(events: list[dict[str, Any]]) -> None:
    event = into(events, "tops", "insert_into")
    assert list(map(table, event["inputs"])) == ["cart"]
    assert columns(event) == {}
