"""The generic tests of the dbt package, and the freshness of sources that are global tables."""

from __future__ import annotations

from interop.dbt_client import Dbt


def test_assumption_holds(dbt: Dbt) -> None:
    dbt.run("build", "--select", "halves")
    dbt.sql("insert into shop.halves select /*+ coalesce(1) */ item, price from shop.halves")
    failed = dbt.run("test", "--select", "halves", "--store-failures", fails=True)["nodes"]
    assert failed["halves_by_item"]["failures"] == 3
    stored = dbt.sql("select key, n_units, n_rows from shop_dbt_test__audit.halves_by_item")
    assert sorted(key for key, _, _ in stored) == ["(ink)", "(pad)", "(pen)"]
    assert {(units, rows) for _, units, rows in stored} == {(2, 2)}


def test_fresh_enough(dbt: Dbt) -> None:
    nodes = dbt.run("build", "--select", "fresh")["nodes"]
    assert nodes["fresh_within_a_day"]["status"] == "pass"
    assert nodes["fresh_within_no_time"]["status"] == "warn"


def test_source_freshness(dbt: Dbt) -> None:
    dbt.run("run", "--select", "fresh")
    nodes = dbt.run("source", "freshness")["nodes"]
    assert nodes["fresh"]["status"] == "pass"
    assert nodes["offers"]["status"] == "warn", "a source that is no global table, as dbt has it"
