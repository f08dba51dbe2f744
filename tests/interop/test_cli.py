"""The command line and `eddyline.follow` with a Spark Connect server."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from eddyline import follow
from interop.launch import free_port
from interop.server import Server
from waiting import PROCESS_HANGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCRIPT = """
CREATE TABLE degrees (room STRING, degrees INT) USING parquet;
CREATE TABLE tops (room STRING, top INT) USING parquet;
INSERT INTO degrees VALUES ('attic', 30), ('cellar', 12), ('attic', 31);
SELECT struct(1, X'00FF') AS s, CAST(NULL AS INT) AS n;
SELECT room, max(degrees) AS top FROM STREAM degrees GROUP BY room EMIT ON CHANGE;
START STREAMING QUERY tops TRIGGER AVAILABLE NOW CHECKPOINT '<folder>' AS
  INSERT INTO tops SELECT room, max(degrees) FROM STREAM degrees GROUP BY room EMIT ON UPDATE;
AWAIT STREAMING QUERY tops;
BEGIN SELECT room FROM tops WHERE top > 30; END;
COGROUP degrees BY room;
"""


def command(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from eddyline.cli import main; main()", *arguments]
    return subprocess.run(
        program, input=stdin, capture_output=True, text=True, timeout=PROCESS_HANGS, check=False
    )


def test_sql_and_watch(connect: Server) -> None:
    remote = ("--remote", f"sc://127.0.0.1:{connect.port}")
    script = SCRIPT.replace("<folder>", str(connect.scratch / "tops"))
    done = command("sql", *remote, "--json", "--follow", "--available-now", stdin=script)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0] == {"s": {"col1": 1, "col2": "AP8="}, "n": None}
    followed = [{"room": "attic", "top": 31}, {"room": "cellar", "top": 12}]
    assert sorted(rows[1:3], key=lambda row: row["room"]) == followed
    assert rows[3]["status"] in ("RUNNING", "FINISHED")
    assert rows[4]["status"] == "FINISHED"
    assert rows[5:] == [{"room": "attic"}]
    assert done.stderr.startswith("2 rows\n[EDDYLINE_COGROUP.SYNTAX_ERROR]")
    assert done.returncode == 1

    watched = command("watch", "TOPS", *remote, "--once")
    assert "tops  FINISHED  into tops, available now" in watched.stdout
    assert watched.returncode == 0, watched.stderr


@pytest.mark.parametrize("arguments", [["sql", "-e", "SELECT 1"], ["watch", "tops"]])
def test_a_dead_address_is_an_error_at_once(arguments: list[str]) -> None:
    done = command(*arguments, "--remote", f"sc://127.0.0.1:{free_port()}")
    assert done.stderr.startswith("[EDDYLINE_ENVIRONMENT.SERVER_UNREACHABLE]")
    assert done.returncode == 1


def test_follow(remote: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    remote.sql("CREATE TABLE followed (k STRING, v INT) USING parquet")
    remote.sql("INSERT INTO followed VALUES ('a', 1), ('a', 2)")
    query = "SELECT k, max(v) AS top FROM STREAM followed GROUP BY k"
    rows = follow(f"{query} EMIT ON CHANGE", limit=3, spark=remote)
    assert next(rows) == ("a", 2)
    remote.sql("INSERT INTO followed VALUES ('a', 0), ('b', 1)")
    assert next(rows) == ("b", 1)
    remote.sql("INSERT INTO followed VALUES ('a', 9), ('b', 9)")
    assert next(rows).top == 9
    assert list(rows) == []
    assert remote.streams.active == []
    follow(f"{query} HAVING max(v) = 9", available_now=True, spark=remote).show()
    assert capsys.readouterr().out.endswith("2 rows\n")
    assert remote.sql("SHOW VIEWS").where("viewName LIKE 'eddyline_follow%'").collect() == []
