"""The pages about dbt as projects, and the project of examples/dbt."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from interop.launch import run, shell
from interop.server import Server
from pages import ROOT, blocks

PAGE = ROOT / "docs/dbt.md"
GUIDE = ROOT / "docs/guides/dbt-that-streams.md"
_COMMANDS = {
    "dbt": "from dbt.cli.main import cli; cli()",
    "eddyline": "from eddyline.cli import main; main()",
}
_FILES = {
    "dbt_project.yml": "name: flights\nprofile: flights\nversion: '1.0'\n",
    "seeds/airlines.csv": "carrier,name\nAA,American Airlines Inc.\n",
    "models/by_month.sql": "{{ config(materialized='table', partition_by='month') }}\n"
    "select origin, month from {{ ref('departures') }}",
}
_DEPARTURES = "origin,month,dep_delay\nJFK,1,4.0\nJFK,1,6.0\nJFK,2,1.0\nEWR,1,2.0\n"


@pytest.fixture
def project(leaving_no_query: Server, tmp_path: Path) -> Path:
    """A project of the page's blocks, in their order."""
    thrift = leaving_no_query
    airline, busy, monthly, incremental = (block.code for block in blocks(PAGE, "jinja"))
    models, dispatch = (block.code for block in blocks(PAGE, "yaml"))
    profile = {"type": "spark", "method": "thrift", "host": "127.0.0.1", "port": thrift.port}
    outputs = {"thrift": profile | {"schema": "flights", "user": "me", "poll_interval": 1}}
    files = _FILES | {
        "dbt_project.yml": _FILES["dbt_project.yml"] + dispatch.replace("my_project", "flights"),
        "profiles.yml": json.dumps({"flights": {"target": "thrift", "outputs": outputs}}),
        "models/airline.sql": airline,
        "models/busy.sql": busy,
        "models/monthly.sql": monthly,
        "models/models.yml": models,
        "macros/incremental.sql": incremental,
        "seeds/departures.csv": _DEPARTURES,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def _shell(code: str, folder: Path) -> str:
    (folder / "bin").mkdir(exist_ok=True)
    for name, program in _COMMANDS.items():
        command = folder / "bin" / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -c "{program}" "$@"\n', "utf-8")
        command.chmod(0o755)
    done = shell(
        code,
        folder,
        PATH=f"{folder}/bin:{os.environ['PATH']}",
        DBT_SEND_ANONYMOUS_USAGE_STATS="false",
        DBT_USE_COLORS="false",
    )
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
    return done.stdout


def _assert_printed(shown: list[str], printed: str) -> None:
    """Fails unless each line was printed, with anything in the place of each `…`."""
    for line in shown:
        pattern = re.escape(line).replace("…", ".*")
        assert re.search(pattern, printed), f"{line}\n{printed[-6_000:]}"


def test_page(project: Path) -> None:
    (install,) = blocks(PAGE, "bash")
    printed = _shell(install.code, project)
    more = _DEPARTURES.replace("6.0", "6.1") + "EWR,2,3.0\n"
    (project / "seeds/departures.csv").write_text(more, "utf-8")
    printed += _shell("dbt build --select departures monthly", project)
    shown = [line for block in blocks(PAGE, "jinja") for line in (block.shown or "").splitlines()]
    assert len(shown) == 3
    _assert_printed(shown, printed)


def test_guide(leaving_no_query: Server, tmp_path: Path) -> None:
    for block in blocks(GUIDE, "bash"):
        code = block.code.replace("port: 10000", f"port: {leaving_no_query.port}, poll_interval: 1")
        printed = _shell(code, tmp_path)
        _assert_printed((block.shown or "").splitlines(), printed)


def test_example(tmp_path: Path) -> None:
    """Twice with the flights of one month, by the command of `make demo-dbt`."""
    readme = (ROOT / "examples/dbt/README.md").read_text("utf-8")
    assert "examples/dbt/run.py $(DBT)" in (ROOT / "Makefile").read_text("utf-8")

    def build() -> str:
        command = [sys.executable, str(ROOT / "examples/dbt/run.py"), "--vars", "months: 1"]
        done = run(command, tmp_path, FLIGHTS_FOLDER=str(tmp_path), DBT_USE_COLORS="false")
        assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
        return done.stdout

    assert "created, read 27004 rows" in build()
    again = build()
    (shown,) = re.findall(r"```text\n(.*?)```", readme, re.DOTALL)
    _assert_printed(shown.splitlines(), again)
