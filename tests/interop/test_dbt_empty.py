"""dbt's `--empty`, which puts a subquery without rows in the place of `ref`."""

from __future__ import annotations

from interop.dbt_client import Dbt

STREAM = """
{{ config(materialized='streaming_query', trigger='available now') }}
select customer_id, item from stream {{ ref('cart').render() }}
"""

HOOKED = """
{{ config(materialized='global_table', primary_key='id', refresh='manual',
          post_hook="insert into shop.hooked values ('{{ this.name }}')") }}
select id, name from {{ ref('staff') }}
"""


def test_models_of_clauses_are_built_without_rows(dbt: Dbt) -> None:
    dbt.run("run", "--empty", "--select", "by_customer", "items")
    counts = "select (select count(*) from shop.by_customer), (select count(*) from shop.items)"
    assert dbt.sql(counts) == [[0, 0]]
    assert dbt.run("build", "--empty", "--select", "halves")["success"], "the test of a claim"


def test_a_global_table_keeps_its_rows(dbt: Dbt) -> None:
    dbt.sql("drop global table if exists shop.fresh")
    assert dbt.messages("build", "--empty", "--select", "fresh")["fresh"].startswith("created")
    assert dbt.messages("run", "--select", "fresh")["fresh"].startswith("replaced")
    before = dbt.sql("select count(*) from shop.fresh")
    assert before != [[0]]
    assert dbt.messages("build", "--empty", "--select", "fresh")["fresh"] == "unchanged"
    assert dbt.sql("select count(*) from shop.fresh") == before


def test_a_hook_after_a_global_table_runs(dbt: Dbt) -> None:
    dbt.sql("create table shop.hooked (model string) using parquet")
    with dbt.model("global_tables/hooked_people.sql", HOOKED):
        for message in ("created", "unchanged"):
            done = dbt.messages("run", "--empty", "--select", "hooked_people")
            assert done["hooked_people"].startswith(message)
    assert dbt.sql("select model from shop.hooked") == [["hooked_people"]] * 2
    dbt.sql("drop global table shop.hooked_people")
    dbt.sql("drop table shop.hooked")


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


def test_a_table_without_rows_does_not_go_on_from_a_checkpoint(dbt: Dbt) -> None:
    select = ("run", "--select", "kept")
    count = "select count(*) from shop.kept"
    with dbt.model("streaming_queries/kept.sql", STREAM):
        dbt.change(
            "streaming_queries/kept.sql", "trigger=", f"checkpoint='{dbt.scratch}/kept', trigger="
        )
        created = dbt.messages(*select)
        expected = dbt.sql(count)
        dbt.sql("drop streaming query shop_kept")
        assert dbt.messages(*select) == {"kept": "created, read 0 rows"}, "a table with rows does"
        dbt.sql("drop streaming query shop_kept")
        dbt.sql("drop table shop.kept")
        dbt.run(*select, "--empty")
        assert dbt.messages(*select) == created
        assert dbt.sql(count) == expected
    dbt.sql("drop streaming query shop_kept purge")
