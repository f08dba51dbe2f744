"""Reports of runs are read as they are written, and compared with the budget of their target."""

from __future__ import annotations

from pathlib import Path

import pytest

import durations

REPORT = """<testsuites><testsuite time="{seconds}">
<testcase classname="tests.a.test_b" name="test_c" time="1.5"/>
<testcase classname="tests.a.test_b" name="test_d[x.y]" time="2"><failure message="no"/></testcase>
<testcase classname="tests.a.test_e" name="test_f" time="0"><skipped/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(durations, "REPORTS", tmp_path)
    monkeypatch.setattr(durations, "budgets", lambda: {"test": 10, "test-full": 20})
    return tmp_path


def test_a_report_is_read(folder: Path) -> None:
    (folder / "test-full-part4.xml").write_text(REPORT.format(seconds=90))
    (folder / "test-some.xml").write_text(REPORT.format(seconds=90))
    (report,) = durations.reports()
    assert (report.run, report.parts, report.minutes) == ("test-full", 4, 1.5)
    assert [report.count(each) for each in ("passed", "failed", "skipped")] == [1, 1, 1]
    assert list(durations.table())[1].split() == "test-full 1/4 1 1 1 1.5".split()
    assert [line.split()[0] for line in durations.longest() if line][:2] == ["2.0", "1.5"]


def test_a_target_is_compared_with_its_budget(folder: Path) -> None:
    (folder / "test.xml").write_text(REPORT.format(seconds=599))
    (folder / "test-full-part4.xml").write_text(REPORT.format(seconds=200))
    assert list(durations.over_budget()) == []
    # two runs of pytest by one target
    (folder / "test-full-more-part4.xml").write_text(REPORT.format(seconds=200))
    # of no tier
    for run in ("test-integrations", "test-integrations-clients"):
        (folder / f"{run}.xml").write_text(REPORT.format(seconds=599))
    (line,) = durations.over_budget()
    assert line.startswith("make test-full, one of 4 parts, last took 6.7 minutes of 6.0")
