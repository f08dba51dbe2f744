"""dbt's `--empty`, which puts a subquery without rows in the place of `ref`."""

from __future__ import annotations

from interop.dbt_client import Dbt

STREAM = """
{{ config(materialized='streaming_query', trigger='available now') }}
select customer_id, item from stream {{ ref('cart').render() }}
"""


def test_models_of_clauses_are_built_without_rows(dbt: Dbt) -> None:
    dbt.run("run", "--empty", "--select", "by_customer", "items")
    counts = "select (select count(*) from shop.by_customer), (select count(*) from shop.items)"
    assert dbt.sql(counts) == [[0, 0]]
    assert dbt.run("build", "--empty", "--select", "halves")["success"], "the test of a claim"


def test_a_global_table_keeps_its_rows(dbt: Dbt) -> None:
    assert dbt.messages("build", "--empty", "--select", "fresh")["fresh"].startswith("created")
    assert dbt.messages("run", "--select", "fresh")["fresh"].startswith("replaced")
    before = dbt.sql("select count(*) from shop.fresh")
    assert before != [[0]]
    assert dbt.messages("build", "--empty", "--select", "fresh")["fresh"] == "unchanged"
    assert dbt.sql("select count(*) from shop.fresh") == before


def test_a_streaming_query_is_checked_and_not_started(dbt: Dbt) -> None:
    select = ("run", "--select", "empty")
    with dbt.model("streaming_queries/empty.sql", STREAM):
        assert dbt.messages(*select, "--empty") == {"empty": "not started"}
        assert dbt.sql("select * from shop.empty") == []
        assert dbt.messages(*select) == {"empty": "created, read 3 rows"}
        assert dbt.messages(*select, "--empty", "--full-refresh") == {"empty": "not started"}
        assert dbt.sql("select count(*) from shop.empty") == [[3]]
        dbt.change("streaming_queries/empty.sql", "item from", "nope from")
        assert "nope" in dbt.messages(*select, "--empty", fails=True)["empty"]
    dbt.sql("drop streaming query shop_empty purge")
