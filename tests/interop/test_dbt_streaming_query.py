"""The materialization `streaming_query` of the dbt package."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from interop.dbt_client import Dbt
from waiting import eventually

HOURS = "streaming_queries/hours.sql"
ARRIVALS = "streaming_queries/arrivals.sql"
ITEMS_SOLD = (
    "{{ config(materialized='streaming_query', trigger='available now') }}\n"
    "select item from stream {{ ref('cart') }}"
)


def query(dbt: Dbt, name: str) -> dict[str, str]:
    return dict(dbt.sql(f"describe streaming query {name}"))


def test_available_now_waits_for_the_end(dbt: Dbt) -> None:
    def message() -> str:
        return dbt.messages("run", "--select", "hours")["hours"]

    dbt.sql("drop table if exists shop.hours")
    assert message() == "created, read 3 rows"
    rows = "select customer_id, items, batch from shop.hours order by batch, customer_id"
    assert dbt.sql(rows) == [[1, 2, 0], [2, 1, 0]]
    assert query(dbt, "shop_hours")["status"] == "FINISHED"
    assert message() == "continued, read 0 rows"
    dbt.sql("insert into shop.cart select 2, 'pot'")
    assert message() == "continued, read 1 rows"
    assert dbt.sql(rows) == [[1, 2, 0], [2, 1, 0], [2, 2, 1]]
    dbt.run("run", "--select", "hours", "--full-refresh")
    assert dbt.sql(rows) == [[1, 2, 0], [2, 2, 0]], "a new table and checkpoint"


def test_what_a_kill_or_a_drop_has_left(dbt: Dbt) -> None:
    """A run may end between any two of its statements."""
    select = ("run", "--select", "hours")
    count = "select sum(items) from shop.hours"
    created = dbt.messages(*select, "--full-refresh")
    before = dbt.sql(count)
    dbt.sql("drop table shop.hours")
    assert dbt.messages(*select) == created, "with all rows, not those after the checkpoint"
    assert dbt.sql(count) == before
    dbt.sql("drop streaming query shop_hours purge")
    failed = dbt.failure("hours")
    assert "shop.hours has rows, but there is no streaming query shop_hours" in failed
    assert "--full-refresh" in failed
    assert dbt.sql(count) == before
    assert dbt.messages(*select, "--full-refresh") == created
    assert dbt.sql(count) == before
    dbt.sql("drop streaming query shop_hours")
    again = dbt.messages(*select, "--full-refresh")
    assert again == created, "not from the checkpoint that is left"
    assert dbt.sql(count) == before
    dbt.sql("drop streaming query shop_hours")
    dbt.sql("drop table shop.hours")
    dbt.sql("create table shop.hours (customer_id int, items bigint, batch bigint) using parquet")
    assert dbt.messages(*select) == created, "as after --empty"
    assert dbt.sql(count) == before
    done = dbt.unlisted(*select)
    assert "not among the tables that Spark has listed" in done["nodes"]["hours"]["message"]
    assert dbt.messages(*select) == {"hours": "continued, read 0 rows"}


def without_its_server(dbt: Dbt, name: str) -> tuple[Path, str]:
    """Removes a query; returns where its definition was and the text, which a test puts back."""
    (file,) = dbt.scratch.rglob(f"{name}.json")
    text = file.read_text("utf-8")
    dbt.sql(f"drop streaming query {name}")
    return file, text


def test_a_definition_that_cannot_be_loaded(dbt_in_session: Dbt) -> None:
    dbt = dbt_in_session
    select = ("run", "--select", "broken")
    rows = "select item from shop.broken order by all"
    with (
        dbt.model("streaming_queries/broken.sql", ITEMS_SOLD),
        dbt.model("streaming_queries/whole.sql", ITEMS_SOLD),
    ):
        created = dbt.messages(*select)
        before = dbt.sql(rows)
        for cut in (lambda text: text[:40], lambda text: text.replace("create or", "or")):
            file, text = without_its_server(dbt, "shop_broken")
            file.write_text(cut(text), "utf-8")
            dbt.ask(*select)  # finds a statement that cannot be read, of a file that can
            failed = dbt.failure("broken")
            assert "The definition of the streaming query shop_broken cannot be loaded" in failed
            assert "START STREAMING QUERY `shop_broken`" in failed
            assert "run dbt with --full-refresh" in failed
            dbt.run("run", "--select", "whole", "--full-refresh")
            assert dbt.messages(*select, "--full-refresh") == created
            assert dbt.sql(rows) == before
    for name in ("shop_broken", "shop_whole"):
        dbt.sql(f"drop streaming query {name} purge")


def test_a_definition_that_another_user_may_have_made(dbt: Dbt) -> None:
    """A file that is cut names no user, so only that of the server may drop the query."""
    select = ("run", "--select", "owned")
    with dbt.model("streaming_queries/owned.sql", ITEMS_SOLD):
        dbt.run(*select)
        file, text = without_its_server(dbt, "shop_owned")
        file.write_text(text[:40], "utf-8")
        before = dbt.sql("select count(*) from shop.owned")
        failed = dbt.messages(*select, "--full-refresh", fails=True)["owned"]
        assert "EDDYLINE_STREAMING_QUERY.NOT_ALLOWED" in failed
        assert dbt.sql("select count(*) from shop.owned") == before, "the table was dropped"
        file.write_text(text, "utf-8")
        dbt.sql("start streaming query shop_owned")
        assert dbt.messages(*select) == {"owned": "continued, read 0 rows"}
    dbt.sql("drop streaming query shop_owned purge")


def test_files_that_drop_table_leaves(dbt: Dbt) -> None:
    text = (
        "{{ config(materialized='streaming_query', trigger='available now', "
        f"partition_by='item', location_root='{dbt.scratch}/outside') }}}}\n"
        "select customer_id, item from stream {{ ref('cart').render() }}"
    )
    count = "select count(*) from shop.outside"
    select = ("run", "--select", "outside")
    with dbt.model("streaming_queries/outside.sql", text):
        created = dbt.messages(*select)
        before = dbt.sql(count)
        failed = dbt.messages(*select, "--full-refresh", fails=True)["outside"]
        assert "shop.outside is an external table" in failed
        dbt.sql("drop table shop.outside")
        failed = dbt.messages(*select, "--empty", fails=True)["outside"]
        assert "The table of the streaming query shop_outside is gone" in failed
        assert "is an external table" in dbt.failure("outside"), "its old rows are there again"
        shutil.rmtree(dbt.scratch / "outside")
        assert dbt.messages(*select, "--full-refresh") == created
        assert dbt.sql(count) == before


def test_two_models_with_one_name_of_a_query(dbt: Dbt) -> None:
    dbt.run("run", "--select", "hours", "--full-refresh")
    text = (
        "{{ config(materialized='streaming_query', query_name='shop_hours', on_change='replace') }}"
        "\nselect item from stream {{ ref('cart') }}"
    )
    with dbt.model("streaming_queries/other.sql", text):
        for more in ((), ("--full-refresh",)):
            failed = dbt.messages("run", "--select", "other", *more, fails=True)["other"]
            assert "The streaming query shop_hours writes into another table" in failed
            assert "than shop.other: shop.hours" in failed
    with dbt.model(HOURS):
        dbt.change(HOURS, "trigger=", "query_name='renamed', trigger=")
        failed = dbt.messages("run", "--select", "hours", "--full-refresh", fails=True)["hours"]
        assert "The streaming query shop_hours writes into shop.hours, too" in failed
        assert "drop streaming query `shop_hours` purge" in failed
    assert dbt.messages("run", "--select", "hours") == {"hours": "continued, read 0 rows"}


def test_a_query_by_hand_stays(dbt: Dbt) -> None:
    dbt.sql("create table shop.elsewhere (item string) using parquet")
    dbt.sql(
        "CREATE STREAMING QUERY shop_own TRIGGER AVAILABLE NOW AS\n"
        "INSERT INTO shop.elsewhere SELECT item FROM STREAM shop.cart"
    )
    text = (
        "{{ config(materialized='streaming_query', trigger='available now') }}\n"
        "select item from stream {{ ref('cart') }}"
    )
    with dbt.model("streaming_queries/own.sql", text):
        assert "writes into another table than shop.own: shop.elsewhere" in dbt.failure("own")
    assert query(dbt, "shop_own")["target"] == "shop.elsewhere"
    dbt.sql("drop streaming query shop_own purge")


def test_a_struct_of_many_fields(dbt: Dbt) -> None:
    fields = ", ".join(f"'f{i}', customer_id" for i in range(30))
    head = "{{ config(materialized='streaming_query', trigger='available now') }}\nselect "
    tail = " as s from stream {{ ref('cart') }}"
    with dbt.model("streaming_queries/wide.sql", f"{head}named_struct({fields}){tail}") as file:
        dbt.run("run", "--select", "wide")
        rows = dbt.sql("select s.f0, s.f29 from shop.wide order by all")
        assert rows == dbt.sql("select customer_id, customer_id from shop.cart order by all")
        file.write_text(f"{head}named_struct('my-field', item){tail}")
        failed = dbt.messages("run", "--select", "wide", "--full-refresh", fails=True)["wide"]
        assert "PARSE_SYNTAX_ERROR" in failed or "INVALID_IDENTIFIER" in failed
        assert dbt.sql("select s.f0, s.f29 from shop.wide order by all") == rows
    dbt.sql("drop streaming query shop_wide purge")


def test_a_query_that_fails_fails_the_run(dbt: Dbt) -> None:
    text = (
        "{{ config(materialized='streaming_query', trigger='available now') }}\n"
        "select raise_error('no ' || item) as item from stream {{ ref('cart') }}"
    )
    with dbt.model("streaming_queries/failing.sql", text):
        failed = dbt.failure("failing")
        assert "EDDYLINE_STREAMING_QUERY.FAILED" in failed
        assert "no " in failed
    dbt.sql("drop streaming query shop_failing purge")


def test_a_query_that_has_committed_nothing_is_corrected(dbt: Dbt) -> None:
    config = "{{ config(materialized='streaming_query', trigger='available now') }}\n"
    cart = "from stream {{ ref('cart') }} group by customer_id"
    select = ("run", "--select", "corrected")
    rows = "select * from shop.corrected order by all"
    wrong = (
        f"{config}select customer_id, raise_error(item) as items from stream {{{{ ref('cart') }}}}"
    )
    with dbt.model("streaming_queries/corrected.sql", wrong):
        assert "EDDYLINE_STREAMING_QUERY.FAILED" in dbt.failure("corrected")
    right = (
        f"{config}select customer_id, count(*) as items {cart} having count(*) < 0 emit on change"
    )
    with dbt.model("streaming_queries/corrected.sql", right):
        assert dbt.messages(*select)["corrected"].startswith("created, read ")
        assert dbt.sql(rows) == []
    other = f"{config}select customer_id, count(*) as items {cart} emit on change"
    with dbt.model("streaming_queries/corrected.sql", other):
        failed = dbt.failure("corrected")
        assert "has another definition than the model" in failed, "it has state, if no rows"
        assert dbt.messages(*select, "--full-refresh")["corrected"].startswith("created, read ")
        assert dbt.sql(rows) != []
    dbt.sql("drop streaming query shop_corrected purge")


def test_a_running_query_is_left_alone_until_it_changes(dbt: Dbt) -> None:
    """The partition column is the table's last one, and the new query has another order."""

    def arrived() -> list[list[Any]]:
        return dbt.sql("select customer_id, item from shop.arrivals order by all")

    select = ("run", "--select", "arrivals")
    assert dbt.messages(*select, "--full-refresh") == {"arrivals": "created"}
    run = query(dbt, "shop_arrivals")["run_id"]
    assert dbt.messages(*select) == {"arrivals": "unchanged"}
    assert query(dbt, "shop_arrivals")["run_id"] == run
    before = dbt.sql("select customer_id, item from shop.cart order by all")
    eventually(lambda: arrived() == before)
    with dbt.model(ARRIVALS):
        dbt.change(ARRIVALS, "}} --", "}} /* of */ where customer_id > 2 /* all */ --")
        assert "query: see" in dbt.failure("arrivals"), "no comment from the first to the second"
    with dbt.model(ARRIVALS):
        dbt.change(ARRIVALS, "customer_id, item from", "upper(item) as item, customer_id from")
        dbt.change(ARRIVALS, "partition_by", "trigger='every 1 second', partition_by")
        error = dbt.failure("arrivals")
        assert "The streaming query shop_arrivals has another definition than the model" in error
        assert "trigger: none; now every 1 second" in error
        assert "query: see show create streaming query `shop_arrivals`" in error
        assert "target" not in error
        assert "options" not in error
        assert "on_change='replace'" in error
        assert "--full-refresh" in error
        assert query(dbt, "shop_arrivals")["run_id"] == run
        dbt.change(ARRIVALS, "trigger=", "on_change='replace', trigger=")
        assert dbt.messages(*select) == {"arrivals": "replaced"}
        replaced = query(dbt, "shop_arrivals")
        assert replaced["trigger"] == "EVERY 1000 milliseconds"
        dbt.sql("insert into shop.cart select 3, 'jar'")
        eventually(lambda: arrived() == [*before, [3, "JAR"]])
        assert dbt.messages(*select) == {"arrivals": "unchanged"}
    dbt.sql("stop streaming query shop_arrivals")
    assert dbt.messages(*select, "--full-refresh") == {"arrivals": "created"}
    assert query(dbt, "shop_arrivals")["status"] == "RUNNING"
    dbt.sql("stop streaming query shop_arrivals")
    assert dbt.messages(*select) == {"arrivals": "unchanged"}
    assert "shop_arrivals is stopped. START STREAMING QUERY `shop_arrivals`" in dbt.printed()
    dbt.sql("drop streaming query shop_arrivals purge")


def test_the_type_of_a_change_is_no_column_of_the_table(dbt: Dbt) -> None:
    """The table is made before the query is refused, as Parquet has no MERGE."""
    text = (
        "{{ config(materialized='streaming_query', unique_key='customer_id') }}\n"
        "select customer_id, count(*) as n from stream {{ ref('cart') }} group by customer_id "
        "having count(*) > 1 emit on change with change type"
    )
    with dbt.model("streaming_queries/maintained.sql", text):
        assert "EDDYLINE_STREAMING_QUERY.UPSERT_NOT_SUPPORTED" in dbt.failure("maintained")
    assert dbt.sql("describe shop.maintained") == [
        ["customer_id", "int", None],
        ["n", "bigint", None],
    ]


def test_what_the_engine_refuses(dbt: Dbt) -> None:
    head = "{{ config(materialized='streaming_query', %s) }}\n"
    body = "select customer_id, item from stream {{ ref('cart') }}"
    for config, text, condition in (
        (
            "unique_key='customer_id', batch_id='n'",
            body,
            "EDDYLINE_STREAMING_QUERY.UPSERT_NOT_SUPPORTED",
        ),
        ("batch_id='n'", body.replace("stream", ""), "EDDYLINE_STREAMING_QUERY"),
        ("contract={'enforced': true}", body, "contract"),
    ):
        with dbt.model("streaming_queries/refused.sql", head % config + text):
            failed = dbt.run("run", "--select", "refused", fails=True)
            assert condition in str(failed), failed
    assert "upsert into shop.refused key (`customer_id`) with batch id `n`" in dbt.sent
