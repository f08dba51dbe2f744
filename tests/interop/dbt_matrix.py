"""What dbt does to models with each clause: a model for each pair, run by a few commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from typing import Any

from interop.dbt_client import Dbt

# The name of a clause in the project, and its column in the table of docs/dbt.md.
CLAUSES = {
    "cogroup": "`COGROUP`",
    "assume": "`ASSUME`",
    "joined": "join with a global table",
    "stream": "stream with `EMIT`",
}
_QUERIES = {
    "cogroup": """
        cogroup {cart} as cart by customer_id, {staff} as staff by id
        aggregate count(cart.item) as items, count(staff.name) as names""",
    "assume": """
        select customer_id, count(*) as items
        from {cart} as cart assume partitioned by (customer_id)
        group by customer_id""",
    "joined": """
        select customer_id, item, name
        from {cart} as cart left join {people} as people on people.id = cart.customer_id""",
    "stream": """
        select customer_id, count(*) as items from stream {cart} group by customer_id
        emit on change""",
}
_TYPES = {
    "cogroup": {"customer_id": "int", "items": "bigint", "names": "bigint"},
    "assume": {"customer_id": "int", "items": "bigint"},
    "joined": {"customer_id": "int", "item": "string", "name": "string"},
    "stream": {"customer_id": "int", "items": "bigint"},
}
_EXPECTED: dict[str, list[dict[str, Any]]] = {
    "cogroup": [
        {"customer_id": 1, "items": 1, "names": 0},
        {"customer_id": 2, "items": 0, "names": 1},
    ],
    "assume": [{"customer_id": 1, "items": 1}],
    "joined": [{"customer_id": 1, "item": "pen", "name": None}],
    "stream": [{"customer_id": 1, "items": 1}],
}
_CONFIGS = {
    "view": "materialized='view'",
    "table": "materialized='table'",
    "append": "materialized='incremental', incremental_strategy='append'",
    "insert_overwrite": "materialized='incremental', incremental_strategy='insert_overwrite'",
    "changed_rows": "materialized='incremental', incremental_strategy='changed_rows', "
    "unique_key=['customer_id'{more}]",
    "ephemeral": "materialized='ephemeral'",
    "global_table": "materialized='global_table', refresh='manual'",
    "streaming_query": "materialized='streaming_query', trigger='available now'",
    "contract": "materialized='{contract}', trigger='available now', contract={{'enforced': true}}",
    "unit_test": "materialized='view'",
}


def _query(clause: str, name: str = "{{{{ ref('{0}') }}}}") -> str:
    tables = {table: name.format(table) for table in ("cart", "staff", "people")}
    return _QUERIES[clause].format(**tables)


def write_models(dbt: Dbt) -> None:
    """Writes the models, tests and snapshots of all pairs into the project."""
    folder = dbt.project / "models/matrix"
    folder.mkdir()
    models, unit_tests, snapshots = [], [], []
    for clause in CLAUSES:
        contract = "streaming_query" if clause == "stream" else "table"
        for kind, config in _CONFIGS.items():
            more = ", 'item'" if clause == "joined" else ""
            head = config.format(more=more, contract=contract)
            path = folder / f"{clause}_{kind}.sql"
            path.write_text(f"{{{{ config({head}) }}}}\n{_query(clause)}\n", "utf-8")
        (folder / f"{clause}_read.sql").write_text(
            "{{ config(materialized='table') }}\n"
            f"select * from {{{{ ref('{clause}_ephemeral') }}}}",
            "utf-8",
        )
        hook = f"create or replace view shop.{clause}_hooked as {_query(clause, 'shop.{0}')}"
        (folder / f"{clause}_hooks.sql").write_text(
            f'{{{{ config(materialized="table", pre_hook="{" ".join(hook.split())}") }}}}\n'
            f"-- depends_on: {{{{ ref('people') }}}}\nselect 1 as id",
            "utf-8",
        )
        columns = [{"name": name, "data_type": kind} for name, kind in _TYPES[clause].items()]
        tested = [{"not_null": {"name": f"{clause}_data_test", "column_name": "customer_id"}}]
        models += [
            {"name": f"{clause}_contract", "columns": columns},
            {"name": f"{clause}_view", "data_tests": tested},
        ]
        given = {"cart": [{"customer_id": 1, "item": "pen"}], "staff": [{"id": 2, "name": "Bob"}]}
        given["people"] = given["staff"]
        unit_tests.append(
            {
                "name": f"{clause}_is_as_expected",
                "model": f"{clause}_unit_test",
                "given": [
                    {"input": f"ref('{table}')", "rows": rows}
                    for table, rows in given.items()
                    if f"{{{table}}}" in _QUERIES[clause]
                ],
                "expect": {"rows": _EXPECTED[clause]},
            }
        )
        config = {"strategy": "check", "unique_key": "customer_id", "check_cols": "all"}
        snapshots.append(
            {
                "name": f"{clause}_snapshot",
                "relation": f"ref('{clause}_contract')",
                "config": config,
            }
        )
    found = {"models": models, "unit_tests": unit_tests, "snapshots": snapshots}
    (folder / "models.yml").write_text(json.dumps(found), "utf-8")  # which is YAML, too
    (dbt.project / "macros/run_clause.sql").write_text(
        "{% macro run_clause(clause) %}\n{% set queries = "
        + json.dumps({clause: _query(clause, "shop.{0}") for clause in CLAUSES})
        + " %}\n{% do run_query(queries[clause]) %}\n{% endmacro %}\n",
        "utf-8",
    )


def outcomes(dbt: Dbt) -> dict[tuple[str, str], str]:
    """Runs dbt, and returns for each operation and clause `works` or the error."""
    write_models(dbt)
    dbt.run("run", "--select", "people")
    shutil.copytree(dbt.project / "target", dbt.project / "state")
    found: dict[tuple[str, str], str] = {}

    def keep(nodes: Mapping[str, dict[str, Any]], kinds: Mapping[str, str]) -> None:
        for clause in CLAUSES:
            for kind, suffix in kinds.items():
                node = nodes[f"{clause}_{suffix}"]
                works = node["status"] in ("success", "pass")
                found[kind, clause] = "works" if works else str(node["message"])

    of_matrix = ("--select", "path:models/matrix")
    built = dbt.ask("build", *of_matrix)
    models = [kind for kind in _CONFIGS if kind not in ("ephemeral", "unit_test")]
    keep(built["nodes"], {kind: kind for kind in [*models, "snapshot", "data_test", "hooks"]})
    keep(built["nodes"], {"ephemeral": "read", "unit_test": "is_as_expected"})
    again = dbt.ask("run", "--select", "path:models/matrix,config.materialized:incremental")
    for kind in ("append", "insert_overwrite", "changed_rows"):
        keep(again["nodes"], {kind: kind})
    for clause in CLAUSES:
        shown = dbt.ask("show", "--select", f"{clause}_view")
        found["show", clause] = "works" if shown["success"] else shown["error"]
        done = dbt.ask("run-operation", "run_clause", "--args", json.dumps({"clause": clause}))
        found["run-operation", clause] = "works" if done["success"] else dbt.last_printed()
    compiled = dbt.ask("compile", *of_matrix)
    keep(compiled["nodes"], {"compile": "view"})
    _docs(dbt, found)
    _modified(dbt, found)
    return found


def _docs(dbt: Dbt, found: dict[tuple[str, str], str]) -> None:
    """`docs generate`: the tables that a model reads, and the columns of its relation."""
    dbt.run("docs", "generate")
    manifest = json.loads((dbt.project / "target/manifest.json").read_text("utf-8"))
    catalog = json.loads((dbt.project / "target/catalog.json").read_text("utf-8"))["nodes"]
    for clause, types in _TYPES.items():
        name = f"model.shop.{clause}_view"
        parents = {parent.rpartition(".")[2] for parent in manifest["parent_map"][name]}
        read = {
            table for table in ("cart", "staff", "people") if f"{{{table}}}" in _QUERIES[clause]
        }
        columns = list(catalog[name]["columns"]) if name in catalog else []
        right = parents == read and columns == list(types)
        found["docs generate", clause] = "works" if right else f"{parents} {columns}"


def _modified(dbt: Dbt, found: dict[tuple[str, str], str]) -> None:
    """`state:modified` finds the models whose clause has changed, and no other."""
    shutil.rmtree(dbt.project / "state")
    dbt.run("parse")
    shutil.copytree(dbt.project / "target", dbt.project / "state")
    for clause in CLAUSES:
        dbt.change(f"matrix/{clause}_view.sql", "customer_id", "customer_id ")
    select = ("--select", "state:modified,resource_type:model", "--state", "state")
    nodes = dbt.ask("build", *select)["nodes"]
    for clause in CLAUSES:
        message = nodes.get(f"{clause}_view", {}).get("status", "not selected")
        found["state:modified", clause] = "works" if message == "success" else message
    assert {name.partition("_")[2] for name in nodes} <= {"view", "data_test"}, nodes
