"""The tab Eddyline of a running application and of the History Server, and its JSON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pyspark
import pytest

from eddyline.session import jar_path, settings
from interop.launch import SPARK_HOME, process
from waiting import PROCESS_HANGS, eventually

# An application whose UI is up until its standard input ends; it prints where.
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
context = spark.sparkContext
print(json.dumps([context.uiWebUrl, context.applicationId]), flush=True)
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
KINDS = ("globaltables", "refreshes", "queries", "streams")


@contextmanager
def application(folder: Path, statements: list[str], **more: str) -> Iterator[tuple[str, str]]:
    """Yields the URL of an application's UI, and the application's id, after the statements."""
    events = folder / "events"
    events.mkdir()
    conf = {
        **settings({}),
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.port": "0",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
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
            yield tuple(json.loads(line or "[]"))
        finally:
            running.communicate(timeout=PROCESS_HANGS)


@contextmanager
def history_server(folder: Path) -> Iterator[str]:
    """Yields the URL of a History Server over the event logs of a folder."""
    conf = {
        "spark.history.fs.logDirectory": (folder / "events").as_uri(),
        "spark.history.ui.port": "0",
    }
    opens = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("lang", "nio", "util")]
    home = os.environ.get("JAVA_HOME")
    command = [
        str(Path(home, "bin/java")) if home else "java",
        "-Xmx512m",
        *opens,
        *[f"-D{key}={value}" for key, value in conf.items()],
        "-cp",
        os.pathsep.join([str(jar_path()), f"{SPARK_HOME}/jars/*"]),
        "org.apache.spark.deploy.history.HistoryServer",
    ]
    log = folder / "history.log"

    def port() -> str | None:
        bound = re.search(r"'HistoryServerUI' on port (\d+)", log.read_text())
        return bound and bound[1]

    with (
        log.open("ab") as file,
        process(command, folder, file.fileno(), file.fileno(), SPARK_LOCAL_IP="127.0.0.1"),
    ):
        eventually(port)
        yield f"http://127.0.0.1:{port()}"


def page(url: str) -> str:
    """Returns the text of a page."""
    html = urlopen(url, timeout=PROCESS_HANGS).read().decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def endpoints(url: str, application: str) -> dict[str, Any]:
    root = f"{url}/api/v1/applications/{application}/eddyline"
    return {
        kind: json.loads(urlopen(f"{root}/{kind}", timeout=PROCESS_HANGS).read()) for kind in KINDS
    }


def is_filled(url: str, application: str) -> bool:
    """Returns whether a server answers and all events have arrived.

    While a History Server starts, it answers with a page, or not at all.
    """
    try:
        found = endpoints(url, application)
    except (OSError, json.JSONDecodeError):
        return False
    return len(found["refreshes"]) == 6 and len(found["queries"]) >= 2 and bool(found["streams"])


def check(found: dict[str, Any], text: str) -> None:
    table, recovered = found["globaltables"]
    assert (table["table"], table["rows"]) == ("default.names", 2)
    assert (table["refreshes"], table["failures"]) == (2, 1)
    assert "DUPLICATE_KEY" in table["error"]
    assert (recovered["table"], recovered["refreshes"]) == ("default.spares", 1)
    assert (recovered["failures"], "error" in recovered) == (1, False)
    assert [("error" in refresh, refresh["rows"]) for refresh in found["refreshes"]] == [
        (False, 1),
        (True, 1),
        (False, 1),
        (True, 2),
        (False, 2),
        (False, 1),
    ]
    lookup, claim = found["queries"]
    assert [(row["part"], row["outcome"]) for row in claim["clauses"]] == [
        ("ASSUME", "USED"),
        ("EXCHANGE", "SAVED"),
    ]
    assert [(row["part"], row["outcome"]) for row in lookup["clauses"]] == [
        ("GLOBAL TABLE", "LOOKUP"),
        ("EXCHANGE", "SAVED"),
    ]
    assert json.loads(claim["clauses"][0]["details"])["proof"] == "structural"
    (stream,) = found["streams"]
    assert (stream["name"], stream["inputRows"]) == ("counting", 9)
    assert (stream["emitted"], stream["dropped"], stream["stateRows"]) == (3, 0, 3)
    for heading in ("Global tables (2)", "Refreshes (6)", "Clauses (4)", "Streaming queries (1)"):
        assert heading in text
    assert "spark_catalog.default.sales *********(redacted) USED" in text
    assert "proof=structural" in text
    age = r"\S+ (?:ms|s|min|h)"
    row = r"default.names 2-\S+ 2 \S+ \S+ 2 1 \S+ \S+"
    assert re.search(rf"Last refresh Age .*{row} {age} ", text)


@pytest.mark.full
def test_an_application_and_its_event_log(tmp_path: Path) -> None:
    with application(tmp_path, STATEMENTS) as (url, name):
        eventually(lambda: is_filled(url, name))
        live = endpoints(url, name)
        check(live, page(f"{url}/eddyline/"))
    with history_server(tmp_path) as url:
        eventually(lambda: is_filled(url, name))
        assert endpoints(url, name) == live
        check(live, page(f"{url}/history/{name}/eddyline/"))


@pytest.mark.full
def test_the_tab_can_be_left_out(tmp_path: Path) -> None:
    off = {"spark.eddyline.ui.enabled": "false", "spark.eventLog.compress": "false"}
    with application(tmp_path, STATEMENTS[:2], **off) as (url, name):
        assert "Eddyline" not in page(f"{url}/jobs/")
        assert endpoints(url, name) == {kind: [] for kind in KINDS}
    logs = [path.read_text() for path in (tmp_path / "events").rglob("events_*")]
    assert logs
    assert pyspark.__version__ in logs[0]
    assert not [log for log in logs if "ClausesReported" in log]
