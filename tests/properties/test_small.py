"""Small micro-batches, `benchmarks/small.py`, with a few rows."""

from __future__ import annotations

from benchmarked import printed


def test_each_job_runs_both_ways() -> None:
    found = printed("small", *"--rows 30 --batches 2 --rounds 1 --processes 0".split())
    for job in ("cogroup", "star", "change"):
        assert found.count(f"│ {job} ") == 4, found
