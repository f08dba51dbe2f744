"""Macros of the dbt package, without dbt."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

from jinja2 import Environment

MACROS = Path(__file__).parents[2] / "sql/dbt/macros"


def test_a_thread_cuts_off_no_types_that_another_reads() -> None:
    """All share a session, and one is done while another has not read yet."""
    limit = "spark.sql.debug.maxToStringFields"
    session: dict[str, str] = {}
    read: list[str] = []

    def run_query(statement: str) -> None:
        word, *setting = statement.replace("=", " ").split()
        if word == "set":
            session.update([setting])
        else:
            session.pop(setting[0], None)

    def get_columns_in_relation(relation: str) -> None:
        if relation == "slow":
            macros.columns_of("fast")
        read.append(session.get(limit, "25"))

    environment = Environment(extensions=["jinja2.ext.do"])
    template = environment.from_string((MACROS / "text.sql").read_text("utf-8"))
    adapter = Mock(get_columns_in_relation=get_columns_in_relation)
    names = {"adapter": adapter, "run_query": run_query, "return": str}
    macros = template.make_module(names)
    macros.columns_of("slow")
    assert read == ["100000", "100000"]
