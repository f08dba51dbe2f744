"""The materialization `global_table` of the dbt package."""

from __future__ import annotations

from interop.dbt_client import Dbt

PEOPLE = "global_tables/people.sql"
SELECT = ("run", "--select", "people")


def described(dbt: Dbt) -> dict[str, str]:
    return dict(dbt.sql("describe global table shop.people"))


def test_a_later_run_changes_what_has_changed(dbt: Dbt) -> None:
    dbt.sql("drop global table if exists shop.people")
    with dbt.model(PEOPLE):
        created = dbt.run("run", "--select", "people")["nodes"]["people"]
        assert created["response"]["code"] == "created"
        assert created["response"]["rows_affected"] == 2
        first = described(dbt)
        assert (first["primary_key"], first["rows"]) == ("id", "2")

        def done() -> str:
            return str(dbt.messages(*SELECT)["people"]).partition(",")[0]

        assert done() == "unchanged"
        assert described(dbt)["version"] == first["version"]

        dbt.change(PEOPLE, "manual", "every 1 hour")
        dbt.change(
            PEOPLE,
            "max_rows=1000",
            "max_rows=2000, max_staleness='2 days', on_stale='wait 5 seconds'",
        )
        assert done() == "altered"
        altered = described(dbt)
        assert altered["version"] == first["version"], "a stream that joins it would go on"
        assert "REFRESH EVERY 3600000 MILLISECONDS" in altered["clauses"]
        assert "ON STALE WAIT 5000 MILLISECONDS, MAX ROWS 2000" in altered["clauses"]

        dbt.sql("insert into shop.staff select 3, 'Cem'")
        assert done() == "refreshed"
        assert done() == "unchanged"
        assert described(dbt)["rows"] == "3"

        dbt.change(PEOPLE, "select id, name", "select id, upper(name) as name")
        assert done() == "replaced"
        assert dbt.sql("select name from shop.people where id = 3") == [["CEM"]]
        dbt.change(PEOPLE, "primary_key='id'", "primary_key=['id', 'name']")
        assert done() == "replaced"
        assert described(dbt)["primary_key"] == "id, name"
        dbt.change(PEOPLE, ", max_staleness='2 days', on_stale='wait 5 seconds'", "")
        assert done() == "replaced", "ALTER cannot take MAX STALENESS back"
        assert "STALE" not in described(dbt)["clauses"]
        assert dbt.messages(*SELECT, "--full-refresh")["people"].startswith("unchanged")


def test_errors_are_those_of_the_statement(dbt: Dbt) -> None:
    text = (
        "{{ config(materialized='global_table', primary_key='id') }}\n"
        "select * from values (1, 'a'), (1, 'b') as t(id, name)"
    )
    with dbt.model("global_tables/twice.sql", text):
        failed = dbt.failure("twice")
        assert "EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY" in failed
        assert dbt.sql("show tables in shop like 'twice'") == []
        dbt.change("global_tables/twice.sql", "'id')", "'id', on_duplicate='latest by name')")
        dbt.run("run", "--select", "twice")
        assert dbt.sql("select name from shop.twice") == [["b"]]


def test_a_source_with_one_more_column(dbt: Dbt) -> None:
    dbt.sql("create table shop.growing using parquet as select 1 as id")
    text = "{{ config(materialized='global_table', primary_key='id') }}\nselect * from shop.growing"
    with dbt.model("global_tables/widened.sql", text):
        for columns, done in (("", "created"), ("name string", "replaced"), ("", "unchanged")):
            if columns:
                dbt.sql(f"alter table shop.growing add columns ({columns})")
            assert dbt.messages("run", "--select", "widened")["widened"].startswith(done)
        assert dbt.sql("select id from shop.widened where name is null") == [[1]]
    dbt.sql("drop table shop.growing")


def test_a_table_becomes_a_global_table_and_back(dbt: Dbt) -> None:
    for kind in ("table", "global_table", "table"):
        text = f"{{{{ config(materialized='{kind}') }}}}\nselect 1 as id"
        with dbt.model("global_tables/changing.sql", text):
            dbt.run("run", "--select", "changing")
        names = [row[1] for row in dbt.sql("show global tables in shop")]
        assert ("changing" in names) is (kind == "global_table"), kind


def test_a_table_is_kept_until_its_successor_is_valid(dbt: Dbt) -> None:
    head = "{{ config(materialized='%s', primary_key='id') }}\n"
    with dbt.model("global_tables/kept.sql", head % "table" + "select 1 as id"):
        dbt.run("run", "--select", "kept")
    for query, condition in (
        ("select nope as id", "UNRESOLVED_COLUMN"),
        ("select * from values (1), (1) as t(id)", "EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY"),
    ):
        with dbt.model("global_tables/kept.sql", head % "global_table" + query):
            assert condition in dbt.failure("kept")
        assert dbt.sql("select id from shop.kept") == [[1]]


def test_docs_and_properties(dbt: Dbt) -> None:
    assert list(dbt.messages("run", "--select", "tag:dimension")) == ["documented"]
    (shown,) = dbt.sql("show create global table shop.documented")
    assert "COMMENT 'It\\'s \"documented\"; C:\\\\temp'" in shown[0]
    assert "TBLPROPERTIES ('team' = 'it\\'s ours')" in shown[0]
    assert "has no comments of columns" in dbt.printed()
    assert dbt.messages("run", "--select", "documented")["documented"].startswith("unchanged")


def test_grants_are_statements(dbt: Dbt) -> None:
    """Plain Spark has none, so that it refuses the first."""
    text = "{{ config(materialized='global_table', grants={'select': ['ann']}) }}\nselect 1 as id"
    with dbt.model("global_tables/granted.sql", text):
        failed = dbt.failure("granted")
    assert "GRANT is not valid" in failed
    assert "grant select on shop.granted to `ann`" in dbt.sent
