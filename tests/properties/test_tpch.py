"""The queries of TPC-H, `benchmarks/tpch.py`: their subqueries, views and joins over clauses."""

from __future__ import annotations

from benchmarked import printed


def test_all_queries_give_the_rows_of_plain_tables() -> None:
    names = " ".join(f"q{number}" for number in range(1, 23))
    found = printed("tpch", "--scale", "0.01", "--rounds", "0")
    assert f"{names} give the same rows" in found
