"""The demo of `make demo-kafka`, in a process of its own with a broker of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from examples.kafka import broker as brokers

from kafka.broker import Broker
from tiers import ROOT
from waiting import PROCESS_HANGS

SCRIPT = ROOT / "examples/kafka/run.py"


def test_demo(broker: Broker, connector_jars: list[Path], tmp_path: Path) -> None:
    assert "examples/kafka/run.py\n" in (ROOT / "Makefile").read_text("utf-8")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "examples")},
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
    report = json.loads(done.stdout)
    assert report["ok"], report
    customers, changes, invoices, latencies = (part["rows"] for part in report["parts"])
    assert sorted(customer for customer, _ in customers) == ["1", "1", "2", "2"]
    assert sorted(changes) == [["A", "1"], ["B", "2"], ["B", "3"]]
    assert report["parts"][1]["figures"] == {
        "records in the source topic": 5,
        "idempotent updates dropped": 2,
    }
    assert [json.loads(invoice) for _, invoice in invoices] == [
        {"customer": "Ada", "address": "Rome", "product": "cup", "price": 4},
        {"customer": "Bob", "address": "Oslo", "product": "pot", "price": 20},
        {"customer": "Bob", "address": "Oslo", "product": "cup", "price": 5},
    ]
    assert [click for click, *_ in latencies] == [2, 3, 4, 5, 6]
    assert all(isinstance(time, int) for row in latencies for time in row)
    assert list(tmp_path.iterdir()) == []


def test_without_maven_the_reason_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert (
        brokers.fetch_jars(jars=tmp_path / "none")
        == "Maven is missing, which fetches the jars of the broker"
    )
