"""The tab Eddyline of a running application."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.request import urlopen

import pyspark
import pytest

from eddyline.session import settings
from waiting import PROCESS_HANGS, eventually

# An application whose UI is up until its standard input ends; it prints the URL.
APPLICATION = """
import json, sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]")
for key, value in json.loads(sys.argv[1]).items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
session = spark.newSession()
for sql in json.loads(sys.argv[2]):
    try:
        session.sql(sql).collect()
    except Exception as error:
        print(error, file=sys.stderr)
print(spark.sparkContext.uiWebUrl, flush=True)
sys.stdin.read()
spark.stop()
"""
STATEMENTS = [
    "CREATE TABLE sales USING parquet PARTITIONED BY (day) AS SELECT id, id % 3 AS day "
    "FROM range(9)",
    "SET spark.sql.redaction.string.regex=[(]day[)]",  # of the session, not of the application
    "SELECT day, count(*) FROM sales ASSUME PARTITIONED BY (day) GROUP BY day",
    "SELECT id % 2 AS no_clause, count(*) FROM sales GROUP BY 1",
    "CREATE TABLE named USING parquet AS SELECT 1 AS k, 'a' AS v",
    "CREATE GLOBAL TABLE names PRIMARY KEY (k) REFRESH MANUAL AS SELECT k, v FROM named",
    "SELECT * FROM sales JOIN names ON id = k",
    "INSERT INTO named VALUES (2, 'b')",
    "REFRESH GLOBAL TABLE names",
    "INSERT INTO named VALUES (2, 'twice')",
    "REFRESH GLOBAL TABLE names",
    "CREATE TABLE spare USING parquet AS SELECT 1 AS k",
    "CREATE GLOBAL TABLE spares PRIMARY KEY (k) REFRESH MANUAL AS SELECT k FROM spare",
    "ALTER TABLE spare RENAME TO lent",
    "REFRESH GLOBAL TABLE spares",
    "ALTER TABLE lent RENAME TO spare",
    "REFRESH GLOBAL TABLE spares",
    "CREATE TABLE counts (day BIGINT, n BIGINT) USING parquet",
    "START STREAMING QUERY counting TRIGGER AVAILABLE NOW CHECKPOINT '<folder>/checkpoint' AS "
    "INSERT INTO counts SELECT day, count(*) FROM STREAM sales GROUP BY day EMIT ON CHANGE",
    "AWAIT STREAMING QUERY counting",
]


@contextmanager
def application(folder: Path, statements: list[str], **more: str) -> Iterator[str]:
    """Yields the URL of an application's UI after the statements."""
    logs = folder / "events"
    logs.mkdir()
    conf = {
        **settings({}),
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.port": "0",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": logs.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.log.level": "OFF",
        **more,
    }
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_", "SPARK_"))}
    given = [sql.replace("<folder>", str(folder)) for sql in statements]
    with subprocess.Popen(
        [sys.executable, "-c", APPLICATION, json.dumps(conf), json.dumps(given)],
        cwd=folder,
        env={**inherited, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        try:
            yield line.strip()
        finally:
            running.communicate(timeout=PROCESS_HANGS)


def page(url: str) -> str:
    html: bytes = urlopen(url, timeout=PROCESS_HANGS).read()
    return html.decode()


def rows(html: str, table: str) -> list[list[str]]:
    """Returns the cells of a table of the tab."""
    found = re.search(rf'id="eddyline-{table}".*?</table>', html, re.DOTALL)
    lines = re.findall(r"<tr>(.*?)</tr>", found[0], re.DOTALL) if found else []
    cells = [re.findall(r"<td>(.*?)</td>", line, re.DOTALL) for line in lines]
    return [[unescape(cell) for cell in row] for row in cells if row]


def is_filled(html: str) -> bool:
    """Returns whether all events have arrived."""
    counts = {"refreshes": 6, "clauses": 4, "streams": 1}
    return {table: len(rows(html, table)) for table in counts} == counts


def events(folder: Path) -> str:
    """Returns the event log of the application, which has ended."""
    text = "".join(path.read_text() for path in (folder / "events").rglob("events_*"))
    assert pyspark.__version__ in text
    return text


@pytest.mark.full
def test_the_tab_of_a_running_application(tmp_path: Path) -> None:
    with application(tmp_path, STATEMENTS) as url:
        eventually(lambda: is_filled(page(f"{url}/eddyline/")))
        html = page(f"{url}/eddyline/")
    names, spares = rows(html, "globaltables")
    assert [names[i] for i in (0, 2, 4, 5)] == ["default.names", "2", "2", "1"]
    assert re.fullmatch(r"\S+ (ms|s|min|h)", names[7]), "its age"
    assert "DUPLICATE_KEY" in names[8]
    assert [spares[i] for i in (0, 4, 5, 8)] == ["default.spares", "1", "1", ""]
    assert [(bool(row[6]), row[4]) for row in rows(html, "refreshes")] == [
        (False, "1"),
        (True, "1"),
        (False, "1"),
        (True, "2"),
        (False, "2"),
        (False, "1"),
    ]
    clauses = rows(html, "clauses")
    assert [(row[2], row[4]) for row in clauses] == [
        ("GLOBAL TABLE", "LOOKUP"),
        ("EXCHANGE", "SAVED"),
        ("ASSUME", "USED"),
        ("EXCHANGE", "SAVED"),
    ]
    assert clauses[2][3] == "spark_catalog.default.sales *********(redacted)"
    assert "proof=structural" in clauses[2][6]
    (stream,) = rows(html, "streams")
    assert [stream[0], *stream[3:7]] == ["counting", "9", "3", "0", "3"]
    assert '"Event":"io.eddyline' not in events(tmp_path), "no event log keeps them"


@pytest.mark.full
def test_the_tab_can_be_left_out(tmp_path: Path) -> None:
    off = {"spark.eddyline.ui.enabled": "false"}
    with application(tmp_path, STATEMENTS[:2], **off) as url:
        html = page(f"{url}/jobs/")
    assert html
    assert "Eddyline" not in html
