"""`eddyline serve` with real servers, from the printed URL to the last process."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pyarrow.parquet
import pytest

from interop.served import serving
from interop.shop import COGROUP, ROWS, VIEWS
from waiting import PROCESS_HANGS, eventually

NUMBERS = 20
# each row of the micro-batch takes a second, so that the signal comes while it runs; on a machine
# where it comes later the test still holds
QUERY = f"""
CREATE TABLE numbers (k BIGINT) USING parquet;
CREATE TABLE slow (k BIGINT, slept STRING) USING parquet;
INSERT INTO numbers SELECT /*+ COALESCE(1) */ id FROM range({NUMBERS});
START STREAMING QUERY `slow ``one` CHECKPOINT '<checkpoint>' COMMENT 'a, "b"' AS
INSERT INTO slow SELECT k, java_method('java.lang.Thread', 'sleep', 1000L) FROM STREAM numbers
"""


@pytest.mark.parametrize(("kind", "number"), [("thrift", "SIGTERM"), ("connect", "SIGINT")])
def test_a_stop_lets_the_micro_batch_end(tmp_path: Path, kind: str, number: str) -> None:
    in_memory = {"spark.sql.catalogImplementation": "in-memory"}
    with serving(kind, tmp_path, in_memory) as served:
        served.run(*VIEWS)
        printed = served.run(f"SELECT count(*) AS n FROM ({COGROUP})")
        assert re.findall(r"\d+", printed)[-1] == str(len(ROWS))
        checkpoint = tmp_path / "checkpoint"
        served.run(*QUERY.replace("<checkpoint>", str(checkpoint)).split(";"))
        writes, ended = tmp_path / "warehouse/slow/_temporary", checkpoint / "commits/0"
        eventually(lambda: writes.exists() or ended.exists())
        group = served.group

        served.command.send_signal(signal.Signals[number])
        assert served.command.wait(PROCESS_HANGS) == 0, served.errors()
        assert served.errors().endswith("Stopped.\n")

        written = pyarrow.parquet.read_table(tmp_path / "warehouse/slow")
        assert sorted(written["k"].to_pylist()) == list(range(NUMBERS))
        assert ended.exists()
        assert "terminated with error" not in (tmp_path / "server.log").read_text("utf-8")
        assert not running(group)


def running(group: int) -> list[str]:
    """Returns the processes of a group, but for those that init has not collected yet."""
    command = ["ps", "-eo", "pgid=,stat=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    return [row[-1] for row in rows if row[0] == str(group) and not row[1].startswith("Z")]
