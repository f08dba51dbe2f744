"""What dbt does to models with each clause, by both its ways to Spark, is what docs/dbt.md says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interop.dbt_client import Dbt
from interop.dbt_matrix import CLAUSES, outcomes
from pages import ROOT


def table() -> dict[str, dict[str, str]]:
    """Returns the rows of the table in docs/dbt.md: operation, clause, and what becomes of it."""
    page = (ROOT / "docs/dbt.md").read_text("utf-8")
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.partition("## What works")[2].splitlines()
        if line.startswith("|")
    ]
    assert cells[0][1:] == list(CLAUSES.values())
    return {
        row[0].strip("`"): {
            clause: row[1] if said == "the same" else said
            for clause, said in zip(CLAUSES, row[1:], strict=True)
        }
        for row in cells[2:]
    }


@pytest.fixture(scope="module", params=["dbt", "dbt_in_session"])
def found(request: pytest.FixtureRequest) -> dict[tuple[str, str], str]:
    return outcomes(request.getfixturevalue(request.param))


@pytest.mark.parametrize("operation", table())
def test_clause(found: dict[tuple[str, str], str], operation: str) -> None:
    for clause, said in table()[operation].items():
        outcome = found[operation, clause]
        if said == "works":
            assert outcome == said, f"{operation} {clause}: {outcome}"
        else:
            assert outcome != "works", f"{operation} {clause}"
            assert said.strip("`") in outcome, f"{operation} {clause}: {outcome}"


def test_the_table_is_complete(found: dict[tuple[str, str], str]) -> None:
    assert {operation for operation, _ in found} == set(table())


def rows_of(warehouse: Path, name: str) -> list[tuple[Any, ...]]:
    """Returns the rows of a table from its files, read without Spark."""
    import pyarrow.parquet as pq

    found = pq.read_table(warehouse / "shop.db" / name).to_pylist()
    return sorted(tuple(row.values()) for row in found)


@pytest.mark.parametrize("method", ["dbt", "dbt_in_session"])
def test_rows_of_models_and_of_tests(request: pytest.FixtureRequest, method: str) -> None:
    dbt: Dbt = request.getfixturevalue(method)
    nodes = dbt.run("build", "--select", "path:models/clauses")["nodes"]
    assert {name: node["status"] for name, node in nodes.items()} == {
        "big_buyers": "success",
        "buyers": "success",
        "by_customer": "success",
        "items": "success",
        "buyers_agree": "pass",
    }
    assert "/* cogroup; written by by_customer */" in dbt.sent, "no comment stood before the clause"
    warehouse = dbt.scratch / "warehouse"
    assert rows_of(warehouse, "by_customer") == [(1, 2, 7), (2, 1, None), (3, 0, 9)]
    assert rows_of(warehouse, "items") == [(1, 2), (2, 1)]
    assert rows_of(warehouse, "big_buyers") == [(3, 9)], "a table over the view with a clause"
