"""A dbt that is killed between any two of its statements, and the run after it."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from interop.dbt_client import Dbt

HOURS = ("run", "--select", "hours")
PRICES = ("run", "--select", "prices")
CHANGING = ("run", "--select", "changing")
PATH = "changed_rows/prices.sql"
KINDS = {
    "table": "materialized='table'",
    "global_table": "materialized='global_table', primary_key='id', refresh='manual'",
    "streaming_query": "materialized='streaming_query', trigger='available now'",
    "changed_rows": (
        "materialized='incremental', incremental_strategy='changed_rows', unique_key='id'"
    ),
}


def prices(dbt: Dbt) -> list[list[Any]]:
    return dbt.sql("select * from shop.prices order by item")


def finish(dbt: Dbt, command: tuple[str, ...]) -> None:
    """Runs a command once more, with --full-refresh only if the error is one that asks for it."""
    done = dbt.ask(*command)
    if not done["success"]:
        (node,) = done["nodes"].values()
        assert re.search("--full-refresh|PATH_NOT_FOUND.*/metadata", node["message"]), node
        dbt.run(*command, "--full-refresh")


def model(kind: str) -> str:
    """Returns the text of a model that counts the items of each customer."""
    streams = kind == "streaming_query"
    return (
        f"{{{{ config({KINDS[kind]}) }}}}\nselect customer_id as id, count(*) as n "
        f"from {'stream' * streams} {{{{ ref('cart') }}}} "
        f"group by customer_id {'emit on change' * streams}"
    )


@pytest.mark.parametrize("left", ["a query", "its checkpoint"])
def test_a_stream_that_begins_again(dbt: Dbt, left: str) -> None:
    expected = dbt.sql("select count(*) from shop.cart")
    path = "streaming_queries/hours.sql"
    with dbt.model(path):
        dbt.change(path, "trigger=", f"checkpoint='{dbt.scratch}/hours', trigger=")
        for _ in dbt.deaths(*HOURS, "--full-refresh"):
            finish(dbt, HOURS)
            assert dbt.sql("select sum(items) from shop.hours") == expected
            if left == "its checkpoint":
                dbt.sql("drop streaming query shop_hours")


@pytest.mark.parametrize("more", [(), ("--full-refresh",)], ids=str)
def test_rows_that_have_changed(dbt: Dbt, more: tuple[str, ...]) -> None:
    """Without --full-refresh the rows are at each moment all old or all new."""
    numbers = itertools.count()

    def offer() -> list[list[Any]]:
        n = next(numbers)
        dbt.sql(f"insert overwrite shop.offers values ('pen', {n}, 1), ('of {n}', 1, 1)")
        return [[f"of {n}", 1.0, 1], ["pen", float(n), 1]]

    with dbt.model(PATH):
        dbt.change(PATH, "tolerance=", "deletes=true, tolerance=")
        old = offer()
        dbt.run(*PRICES, "--full-refresh")
        new = offer()
        for _ in dbt.deaths(*PRICES, *more):
            assert more or prices(dbt) in (old, new)
            finish(dbt, PRICES)
            assert prices(dbt) == new
            old, new = new, offer()


def test_columns_that_are_new(dbt: Dbt) -> None:
    head = (
        "{{ config(materialized='incremental', incremental_strategy='changed_rows', "
        "unique_key='item', on_schema_change='append_new_columns') }}\n"
    )
    columns = ["item", "price", "seen"]

    def text() -> str:
        return f"{head} select {', '.join(columns)} from {{{{ ref('offers') }}}}"

    with dbt.model(PATH, text()) as file:
        dbt.run(*PRICES, "--full-refresh")
        rows = prices(dbt)
        columns.append("1 as c0")
        file.write_text(text())
        for number in dbt.deaths(*PRICES):
            assert [row[:3] for row in prices(dbt)] == [row[:3] for row in rows]
            finish(dbt, PRICES)
            rows = [[*row, 1] for row in rows]
            assert prices(dbt) == rows
            columns.append(f"1 as c{number + 1}")
            file.write_text(text())


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        ("table", "global_table", ()),
        ("changed_rows", "streaming_query", ()),
        ("streaming_query", "changed_rows", ("--full-refresh",)),
    ],
    ids=str,
)
def test_another_materialization(dbt: Dbt, before: str, after: str, more: tuple[str, ...]) -> None:
    expected = dbt.sql("select customer_id, count(*) from shop.cart group by 1 order by 1")
    with dbt.model("global_tables/changing.sql", model(before)) as file:
        finish(dbt, CHANGING)
        file.write_text(model(after))
        for _ in dbt.deaths(*CHANGING, *more):
            finish(dbt, CHANGING)
            assert dbt.sql("select id, n from shop.changing order by id") == expected
            file.write_text(model(before))
            finish(dbt, CHANGING)
            file.write_text(model(after))
