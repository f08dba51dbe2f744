"""The example examples/customer_360, with a server that is killed twice on the way."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from interop.beeline import beeline
from interop.served import Served, serving
from waiting import PROCESS_HANGS, eventually

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/customer_360"


def script(served: Served, name: str) -> str:
    """Returns what beeline prints for a file of the example."""
    done = beeline(served.server.url, served.scratch, "-f", str(EXAMPLE / name))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def kill(served: Served) -> None:
    os.killpg(served.group, signal.SIGKILL)
    assert served.command.wait(PROCESS_HANGS) == 128 + signal.SIGKILL


def table(printed: str) -> list[list[str]]:
    """Returns the cells of the tables that beeline or the README prints, but for empty ones."""
    lines = [line for line in printed.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if row != ["Result"]]


def test_the_final_table_equals_a_batch_recomputation(tmp_path: Path) -> None:
    conf = {
        "spark.sql.streaming.checkpointLocation": f"{tmp_path}/checkpoints",
        "spark.eddyline.streamingQuery.leaseDuration": "5s",
    }
    with serving("thrift", tmp_path, conf) as served:
        assert "customer_360" in script(served, "1_create.sql")
        script(served, "2_day_one.sql")
        kill(served)
    with serving("thrift", tmp_path, conf) as served:
        eventually((tmp_path / "checkpoints/customer_360/commits").exists)
        script(served, "3_new_segment.sql")
        script(served, "4_day_two.sql")
        # the micro-batch of the second day has begun
        versions = tmp_path / "checkpoints/customer_360/eddyline/global"
        eventually(lambda: any('"2-' in path.read_text() for path in versions.glob("[0-9]*")))
        kill(served)
    with serving("thrift", tmp_path, conf) as served:
        eventually(lambda: table(script(served, "5_check.sql"))[-1] == ["0"])
        found = table(script(served, "5_check.sql"))
    shown = re.findall(r"```text\n(.*?)```", (EXAMPLE / "README.md").read_text("utf-8"), re.DOTALL)
    assert table(shown[-1]) == found
    names = sorted(path.name for path in EXAMPLE.glob("*.sql"))
    assert all(name in (EXAMPLE / "README.md").read_text("utf-8") for name in names)
