"""Runs the SQL and Python of README and docs, and compares what they print with what they show.

A page is one session: its blocks run in order and as they stand. A block ```text directly after
one is what its last statement prints, a plan without ids and paths; `…` stands for anything in a
line, and a line of it for any lines. All pages share a session here, so that a page also works for
a reader who has pasted others before.
"""

from __future__ import annotations

import contextlib
import io
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

import eddyline.dialect  # noqa: F401 - an older editable install has no entry point for it
from eddyline.lowering.statements import statements_of
from eddyline.plans import brief
from pages import (
    CLIENTS,
    FOLDER,
    FOLLOWING,
    KAFKA,
    LAUNCH,
    MOVED,
    NATIVE,
    PAGES,
    PIPELINES,
    ROOT,
    SQLMESH,
    TABLE_FORMATS,
    blocks,
)
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXECUTED = [
    page
    for page in PAGES
    if page not in (CLIENTS, *KAFKA, LAUNCH, MOVED, NATIVE, PIPELINES, SQLMESH, TABLE_FORMATS)
    and blocks(page, "sql", "python")
]


@pytest.mark.usefixtures("newest_spark")
@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_page(
    shared_spark: SparkSession, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_page(shared_spark, page, {FOLDER: str(tmp_path)}, monkeypatch)


def run_page(
    spark: SparkSession, page: Path, replaced: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs a page after some of its words were replaced, and compares what its blocks print.

    A SELECT of a page that follows other processes is repeated until its rows have come.
    """
    # `SparkSession.builder.getOrCreate()` of a page returns this session
    monkeypatch.setattr(type(spark), "_instantiatedSession", spark)
    names: dict[str, Any] = {"spark": spark}
    before = session_settings(spark)
    for block in blocks(page, "sql", "python"):
        code = block.code
        for word, other in replaced.items():
            code = code.replace(word, other)
        if block.language == "python":
            output = run_python(code, names)
        else:
            *others, last = (statement.text for statement in statements_of(code))
            for statement in others:
                spark.sql(statement)
            output = run(spark, last, fails=(block.shown or "").startswith("["))
            if page in FOLLOWING and block.shown and last.startswith("SELECT"):
                eventually(partial(is_shown, spark, last, block.shown))
                output = run(spark, last)
        if block.shown:
            assert matches(output.strip(), block.shown.strip()), f"{block.code}\n{output}"
    assert session_settings(spark) == before, "RESET what the page has SET"


def is_shown(spark: SparkSession, statement: str, shown: str) -> bool:
    return matches(run(spark, statement).strip(), shown.strip())


def session_settings(spark: SparkSession) -> dict[str, str]:
    rows = spark.sql("SET").collect()
    return {row.key: row.value for row in rows if row.key.startswith(("spark.sql", "spark.eddy"))}


def run_python(code: str, names: dict[str, Any]) -> str:
    """Returns what a block of Python prints; `names` are those that earlier blocks have bound."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "page", "exec"), names)
    return printed.getvalue()


def run(spark: SparkSession, statement: str, fails: bool = False) -> str:
    """Returns what a statement prints: its rows as by `show`, a plan, or its error if it fails."""
    if fails:
        with pytest.raises(PySparkException) as refused:
            spark.sql(statement).collect()
        return str(refused.value).partition(";\n")[0]  # the plan follows
    frame = spark.sql(statement)
    if frame.columns == ["plan"]:
        return brief(str(frame.collect()[0][0]))
    return str(frame._jdf.showString(20, 0, False)) if frame.columns else ""


def matches(output: str, shown: str) -> bool:
    """Returns whether a page shows this output.

    >>> matches("name: ada\\nage: 36\\nborn: 1815", "name: …\\n…\\nborn: 1815")
    True
    """
    lines = (
        "(?s:.*)" if line == "…" else re.escape(line).replace("…", ".*")
        for line in shown.splitlines()
    )
    return re.fullmatch("\n".join(lines), output) is not None


@pytest.mark.parametrize("example", sorted((ROOT / "sql/examples").glob("*.sql")), ids=str)
def test_example(spark: SparkSession, example: Path, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    rows = []
    for statement in statements_of(example.read_text()):
        rows = spark.sql(statement.text).collect()
    assert rows
