"""Our parser and Spark's, and the statements that both read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eddyline import lower_sql
from eddyline.versions import is_older
from pages import SQLMESH

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests/corpus"
KEYWORDS = tomllib.loads((ROOT / "sql/keywords.toml").read_text())
FIRST_WORDS = [word for word, facts in KEYWORDS.items() if facts.get("starts")]
HAS_FIRST_WORD = re.compile(rf"\b({'|'.join(FIRST_WORDS)})\b", re.IGNORECASE)
CONF = {
    # syntax that Spark 4.3 parses only with this conf
    "spark.sql.join.asofJoin.enabled": "true",
    "spark.sql.scripting.cursorEnabled": "true",
    "spark.sql.scripting.continueHandlerEnabled": "true",
    # plans with all fields, not the first 25
    "spark.sql.debug.maxToStringFields": "1000",
}
# what differs between two parses of one text: expression and plan ids, identity hashes, the
# labels that Spark gives to unlabelled blocks
ID = re.compile(r"#\d+L?|plan_id=\d+|@[0-9a-f]+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def statements(name: str) -> list[str]:
    if name == "docs":
        return _statements_of_docs()
    text = (CORPUS / name).read_text(encoding="utf-8")
    return [part.strip("\n") for part in re.split(r"^--;$", text, flags=re.MULTILINE)]


def _statements_of_docs() -> list[str]:
    """Returns the statements of README and docs without a clause of ours.

    SQLMesh's page is left out, since its statements begin with a declaration that only SQLMesh
    reads.
    """
    docs = (page for page in (ROOT / "docs").rglob("*.md") if page != SQLMESH)
    pages = [ROOT / "README.md", *docs, *(ROOT / "sql/examples").iterdir()]
    blocks = [
        block
        for page in pages
        for block in (
            [page.read_text("utf-8")]
            if page.suffix == ".sql"
            else re.findall(r"```sql\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        )
    ]
    statements = (part.strip() for block in blocks for part in block.split(";\n"))
    return [
        statement for statement in statements if statement and lower_sql(statement) == statement
    ]


def jvm(spark: SparkSession) -> Any:
    return spark._jvm


def our_parser(spark: SparkSession) -> Any:
    return spark._jsparkSession.sessionState().sqlParser()


def split_by_spark(spark: SparkSession, text: str) -> list[str]:
    """Splits a text into statements, as the spark-sql CLI does with our parser."""
    if is_older(spark.version, "4.3"):
        pytest.skip("before Spark 4.3 the spark-sql CLI splits a text without the parser")
    split = our_parser(spark).splitStatements(text)
    complete = split.completeStatements()
    statements = [str(complete.apply(i).statement()) for i in range(complete.size())]
    return [found for found in [*statements, str(split.partialStatement())] if found.strip()]


def stock_parser(spark: SparkSession) -> Any:
    return jvm(spark).org.apache.spark.sql.execution.SparkSqlParser()


@contextmanager
def parsing(spark: SparkSession) -> Iterator[SparkSession]:
    """Makes `spark` the session from which Spark's parser takes its confs."""
    sessions = jvm(spark).org.apache.spark.sql.classic.SparkSession
    before = sessions.getActiveSession()
    for key, value in CONF.items():
        spark.conf.set(key, value)
    sessions.setActiveSession(spark._jsparkSession)
    yield spark
    if before.isDefined():
        sessions.setActiveSession(before.get())
    else:
        sessions.clearActiveSession()
