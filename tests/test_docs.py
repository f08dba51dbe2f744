"""Runs the SQL of README and docs, and compares its output with what they show.

A block ```sql runs; a block ```text directly after it is what its last statement prints, a plan
without ids and paths.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from eddyline.jvm import split_statements
from eddyline.plans import brief

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```sql\n(.*?)```(?:\n+```text\n(.*?)```)?", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(spark: SparkSession, page: Path, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    for sql, shown in BLOCK.findall(page.read_text()):
        output = ""
        for statement in split_statements(spark, sql) or [sql]:
            output = run(spark, statement)
        if shown:
            assert output.strip() == shown.strip(), f"{page.name} shows something else for\n{sql}"


def run(spark: SparkSession, statement: str) -> str:
    """Returns what a statement prints: its rows as by `show`, a plan, or its error."""
    try:
        frame = spark.sql(statement)
        if frame.columns == ["plan"]:
            return brief(str(frame.collect()[0][0]))
        return str(frame._jdf.showString(20, 0, False)) if frame.columns else ""
    except PySparkException as error:
        return str(error).partition(";\n")[0]  # the plan follows


@pytest.mark.parametrize("example", sorted((ROOT / "sql/examples").glob("*.sql")), ids=str)
def test_example(spark: SparkSession, example: Path, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    rows = []
    for statement in split_statements(spark, example.read_text()):
        rows = spark.sql(statement).collect()
    assert rows
