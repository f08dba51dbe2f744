"""The incremental strategy `changed_rows` of the dbt package."""

from __future__ import annotations

from typing import Any

import pytest

from interop.dbt_client import Dbt

SELECT = ("run", "--select", "prices")
PRICES = "changed_rows/prices.sql"
LATEST = "select item, price, seen from shop.prices order by item"


def offer(dbt: Dbt, *rows: str) -> None:
    dbt.sql("insert overwrite shop.offers values " + ", ".join(rows))


def test_only_rows_that_differ_are_written(dbt: Dbt) -> None:
    def done() -> str:
        return dbt.messages(*SELECT)["prices"]

    dbt.sql("drop view if exists shop.prices")
    dbt.sql("drop table if exists shop.prices__versions")
    first = dbt.run(*SELECT)["nodes"]["prices"]
    assert first["message"] == "inserted 3, updated 0, unchanged 0"
    assert first["response"]["rows_affected"] == 3
    assert done() == "inserted 0, updated 0, unchanged 3"

    # within the tolerance; ignored; NULL to a value; a new key
    offer(
        dbt, "('pen', 1.509, 1)", "('ink', 7.25, 2)", "('pad', 0, 2)", "('cup', double('NaN'), 2)"
    )
    assert done() == "inserted 1, updated 1, unchanged 2"
    assert dbt.sql(LATEST) == [
        ["cup", pytest.approx(float("nan"), nan_ok=True), 2],
        *[["ink", 7.25, 1], ["pad", 0.0, 2], ["pen", 1.5, 1]],
    ]
    assert done() == "inserted 0, updated 0, unchanged 4", "NaN is NaN"
    versions = "select item, `_version`, `_change` from shop.prices__versions where `_version` > 1"
    assert sorted(dbt.sql(versions)) == [["cup", 2, "inserted"], ["pad", 2, "updated"]]

    # the stored price is compared, so small steps add up
    offer(dbt, "('pen', 1.518, 1)", "('pad', NULL, 3)")
    assert done() == "inserted 0, updated 2, unchanged 0"
    assert dbt.sql(LATEST)[2:] == [["pad", None, 3], ["pen", 1.518, 1]]


def test_is_incremental_and_full_refresh(dbt: Dbt) -> None:
    with dbt.model(PRICES):
        dbt.run(*SELECT, "--full-refresh")
        dbt.change(
            PRICES,
            "from {{ ref('offers') }}",
            "from {{ ref('offers') }}"
            "{% if eddyline.is_incremental() %} where item = 'pen' {% endif %}",
        )
        offer(dbt, "('pen', 2, 1)", "('ink', 9, 1)")
        assert dbt.messages(*SELECT)["prices"] == "inserted 0, updated 1, unchanged 0"
        done = dbt.messages(*SELECT, "--full-refresh")["prices"]
        assert done == "inserted 2, updated 0, unchanged 0"
        assert dbt.sql("select distinct `_version` from shop.prices__versions") == [[1]]


def test_new_columns(dbt: Dbt) -> None:
    with dbt.model(PRICES):
        offer(dbt, "('pen', 2, 1)", "('ink', 9, 1)")
        dbt.run(*SELECT, "--full-refresh")
        dbt.change(PRICES, "price, seen from", "price, seen, 'EUR' as priceIn from")
        failed = dbt.failure("prices")
        assert "has columns that its table has not: priceIn" in failed
        dbt.change(PRICES, "tolerance=", "on_schema_change='append_new_columns', tolerance=")
        assert dbt.messages(*SELECT)["prices"].startswith("inserted 0, updated 2")
        assert dbt.sql("select distinct priceIn from shop.prices") == [["EUR"]]
        dbt.change(PRICES, "'EUR' as", "1 as")
        failed = dbt.failure("prices")
        assert "The column priceIn of the model prices is int, and string in its table" in failed
        dbt.run(*SELECT, "--full-refresh")
        assert "priceIn" in [name for name, *_ in dbt.sql("describe shop.prices")]


def test_a_contract_is_that_of_the_model(dbt: Dbt) -> None:
    for _ in range(2):
        dbt.run("run", "--select", "priced")
    with dbt.model("changed_rows/priced.sql"):
        dbt.change("changed_rows/priced.sql", "price from", "cast(price as string) as price from")
        failed = dbt.failure("priced")
    assert "enforced contract that failed" in failed


def test_errors_say_what_to_write(dbt: Dbt) -> None:
    dbt.run(*SELECT, "--full-refresh")

    def failure(old: str, new: str) -> str:
        with dbt.model(PRICES):
            dbt.change(PRICES, old, new)
            return dbt.failure("prices")

    assert "write unique_key=" in failure("    unique_key='item',\n", "")
    assert "has a column _version, which" in failure("select item", "select 1 as _version, item")
    both = failure("ignored_columns", "compared_columns='price', ignored_columns")
    assert "compared_columns and ignored_columns exclude each other" in both
    assert "has no column colour" in failure("'seen'", "'colour'")
    before = dbt.sql(LATEST)
    unknown = failure("select item", "select cast(NULL as string) as item")
    assert "that an earlier row has: (NULL)" in unknown
    twice = failure("select item", "select 'pen' as item")
    assert "rows of a key (`item`) that an earlier row has: (pen)" in twice
    assert "Nothing was written" in twice
    assert dbt.sql(LATEST) == before


def test_rows_that_a_failed_run_has_left(dbt_in_session: Dbt) -> None:
    """All runs of one process share a Spark session, and with it the temporary views."""
    text = (
        "{{ config(materialized='incremental', incremental_strategy='changed_rows', "
        "unique_key='_found') }}\nselect 1 as _found"
    )
    path = "changed_rows/narrow.sql"
    with dbt_in_session.model(path, text):
        dbt_in_session.run("run", "--select", "narrow")
        dbt_in_session.sql(
            "cache table shop__narrow__dbt_changes as select 1 as _found, 'updated' as _change"
        )
        dbt_in_session.change(path, "select 1 ", "select 2 ")
        done = dbt_in_session.messages("run", "--select", "narrow")["narrow"]
        assert done == "inserted 1, updated 0, unchanged 0"


@pytest.mark.parametrize(
    ("model", "changes", "actions"),
    [
        (
            "merge_statement",
            "new.`item`, new.`seen`, new.`price`",
            "when matched then update set * when not matched then insert *",
        ),
        (
            "merge_deletes",
            "new.`item`, new.`seen`, new.`price`, new.`_change`",
            "when matched and new.`_change` = 'deleted' then delete "
            "when matched then update set "
            "`item` = new.`item`, `seen` = new.`seen`, `price` = new.`price` "
            "when not matched and new.`_change` <> 'deleted' "
            "then insert (`item`, `seen`, `price`) values (new.`item`, new.`seen`, new.`price`)",
        ),
    ],
)
def test_merge_is_one_statement(
    dbt: Dbt, cursor: Any, model: str, changes: str, actions: str
) -> None:
    """No format with MERGE runs here, so the text is compared, and Spark reads it."""
    from pyhive.exc import OperationalError

    dbt.run("run", "--select", model)
    ((statement,),) = dbt.sql(f"select statement from shop.{model}")
    assert " ".join(statement.split()) == (
        f"merge into shop.{model} as old using ( select {changes} "
        f"from `shop__{model}__dbt_changes` as new where case new.`_change` "
        "when 'unchanged' then false "
        "when 'duplicate' then raise_error('two rows of one key') is null else true end ) as new "
        f"on new.`item` <=> old.`item` and new.`seen` <=> old.`seen` {actions}"
    )
    parsed = statement.replace(
        f"`shop__{model}__dbt_changes`", "(select *, '' as `_change` from shop.offers)"
    ).replace(f"shop.{model}", "shop.offers")
    with pytest.raises(OperationalError, match="MERGE INTO TABLE"):
        cursor.execute(parsed)


def test_rows_that_the_model_has_no_more_are_deleted(dbt: Dbt) -> None:
    with dbt.model(PRICES):
        dbt.change(PRICES, "tolerance=", "deletes=true, tolerance=")
        offer(dbt, "('pen', 2, 1)", "('ink', 9, 1)", "('cup', 3, 1)", "(NULL, 4, 1)")
        done = dbt.run(*SELECT, "--full-refresh")["nodes"]["prices"]
        assert done["message"] == "inserted 4, updated 0, unchanged 0, deleted 0"
        offer(dbt, "('pen', 2, 1)", "('ink', 8, 1)", "('pad', 1, 1)")
        done = dbt.run(*SELECT)["nodes"]["prices"]
        assert done["message"] == "inserted 1, updated 1, unchanged 1, deleted 2"
        assert done["response"]["rows_affected"] == 4
        assert dbt.sql(LATEST) == [["ink", 8.0, 1], ["pad", 1.0, 1], ["pen", 2.0, 1]]
        offer(dbt, "('cup', 3, 2)")
        done = dbt.run(*SELECT)["nodes"]["prices"]
        assert done["message"] == "inserted 1, updated 0, unchanged 0, deleted 3"
        assert dbt.sql(LATEST) == [["cup", 3.0, 2]]
        gone = "select item, price from shop.prices__versions where `_change` = 'deleted'"
        assert sorted(dbt.sql(gone), key=str) == [
            ["cup", 3.0],
            ["ink", 8.0],
            ["pad", 1.0],
            ["pen", 2.0],
            [None, 4.0],
        ]
        twice = "from {{ ref('offers') }}"
        dbt.change(PRICES, twice, f"{twice} union all select 'cup', 1, 1")
        assert "that an earlier row has: (cup)" in dbt.failure("prices")


def test_rows_that_a_run_leaves_out_are_not_deleted(dbt: Dbt) -> None:
    with dbt.model(PRICES):
        dbt.change(PRICES, "tolerance=", "deletes=true, tolerance=")
        offer(dbt, "('pen', 2, 1)", "('ink', 9, 1)")
        dbt.run(*SELECT, "--full-refresh")
        done = dbt.messages(*SELECT, "--empty")["prices"]
        assert done == "inserted 0, updated 0, unchanged 0"
        assert dbt.sql(LATEST) == [["ink", 9.0, 1], ["pen", 2.0, 1]]


def test_versions_outlive_their_view_and_a_table_stays(dbt: Dbt) -> None:
    offer(dbt, "('pen', 2, 1)", "('ink', 9, 1)")
    dbt.run(*SELECT, "--full-refresh")
    offer(dbt, "('pen', 3, 1)")
    dbt.run(*SELECT)
    latest = dbt.sql(LATEST)
    dbt.sql("drop view shop.prices")
    assert dbt.messages(*SELECT)["prices"] == "inserted 0, updated 0, unchanged 1"
    assert dbt.sql(LATEST) == latest
    with dbt.model(PRICES):
        dbt.change(PRICES, "materialized='incremental'", "materialized='view'")
        dbt.run(*SELECT)
    offer(dbt, "('pen', 4, 1)")
    assert dbt.sql(LATEST) == [["pen", 4.0, 1]]
    assert dbt.messages(*SELECT)["prices"] == "inserted 0, updated 1, unchanged 0"
    assert dbt.sql(LATEST) == [["ink", 9.0, 1], ["pen", 4.0, 1]]
    dbt.sql("drop view shop.prices")
    dbt.sql(
        "create table shop.prices using parquet as select 'old' as item, 1D as price, 1 as seen"
    )
    failed = dbt.failure("prices")
    assert "shop.prices is a table, and incremental_strategy='changed_rows' would replace" in failed
    assert dbt.sql(LATEST) == [["old", 1.0, 1]]
    assert dbt.messages(*SELECT, "--full-refresh")["prices"].startswith("inserted 1")


def test_a_second_row_of_a_key_that_comes_late(dbt: Dbt) -> None:
    """Spark computes what is cached again when a table of it is written."""
    offer(dbt, "('pen', 2, 1)")
    dbt.run(*SELECT, "--full-refresh")
    offer(dbt, "('pen', 5, 1)")
    late = "insert into shop.offers values ('pen', 6, 1)"
    done = dbt.interrupted(*SELECT, before="insert into shop.prices__versions", statement=late)
    assert "two rows of one key" in done["nodes"]["prices"]["message"]
    assert dbt.sql(LATEST) == [["pen", 2.0, 1]]


def test_of_two_runs_at_once_the_later_one_counts(dbt: Dbt) -> None:
    offer(dbt, "('pen', 2, 1)")
    dbt.run(*SELECT, "--full-refresh")
    for price, second in ((5, 30), (7, 31), (6, 29)):
        dbt.sql(
            "insert into shop.prices__versions by name "
            f"select 'pen' as item, {price}D as price, 1 as seen, 2L as _version, "
            f"'updated' as _change, timestamp'2100-01-01 00:00:{second}' as _written_at"
        )
    assert dbt.sql(LATEST) == [["pen", 7.0, 1]]


def test_models_of_one_name_in_two_schemas(dbt_in_session: Dbt) -> None:
    """They run at the same time in one Spark session, whose temporary views they share."""
    dbt = dbt_in_session
    text = (
        "{{ config(materialized='incremental', incremental_strategy='changed_rows', "
        "unique_key='k', schema='%s', alias='same') }} select id as k, '%s' as v from range(100)"
    )
    with (
        dbt.model("changed_rows/same_a.sql", text % ("a", "of a")),
        dbt.model("changed_rows/same_b.sql", text % ("b", "of b")),
    ):
        select = ("--select", "same_a", "same_b", "--threads", "2")
        for message in (
            "inserted 100, updated 0, unchanged 0",
            "inserted 0, updated 0, unchanged 100",
        ):
            assert dbt.messages("run", *select) == {"same_a": message, "same_b": message}
    for schema in "ab":
        rows = dbt.sql(f"select v, count(*) from shop_{schema}.same group by v")
        assert rows == [[f"of {schema}", 100]]
