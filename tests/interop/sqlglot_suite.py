"""Runs sqlglot's tests of its Spark dialect by the dialect `eddyline`, and the golden statements.

It runs in an environment with one version of sqlglot, from a folder that holds sqlglot's tests, and
prints JSON: for each of the two dialects the number of tests and the names of those that failed,
and of the golden statements with a clause how many came back as typed, and which did not.
"""

from __future__ import annotations

import json
import logging
import sys
import unittest
from pathlib import Path

import sqlglot

import eddyline.dialect  # noqa: F401 - the environment has no eddyline installed
from eddyline import ClauseError, lower_sql
from goldenfiles import read_golden


def suite(dialect: str) -> dict[str, object]:
    """Returns what became of sqlglot's Spark tests with another dialect in Spark's place."""
    from tests.dialects import test_spark

    test_spark.TestSpark.dialect = dialect
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(test_spark).run(result)
    failed = [str(test) for test, _ in [*result.failures, *result.errors]]
    return {"ran": result.testsRun, "failed": failed}


def has_clause(sql: str) -> bool:
    """Returns whether a text has a clause, without variables, which Spark alone can put in."""
    try:
        return "${" not in sql and lower_sql(sql) != sql
    except ClauseError:
        return False  # with spark.sql.ansi.doubleQuotedIdentifiers it is right


def golden(folder: Path) -> dict[str, object]:
    """Returns what became of the golden statements with a clause."""
    same, others = 0, []
    for path in sorted(folder.rglob("*.sql")):
        for block in read_golden(path).blocks:
            if block.kind == "query error" or not has_clause(block.sql):
                continue
            try:
                trees = sqlglot.parse(block.sql, dialect="eddyline")
            except sqlglot.ParseError as error:
                others.append(f"{path}:{block.line}: {error}")
                continue
            texts = [tree.sql("eddyline") for tree in trees if tree is not None]
            try:
                pretty = [tree.sql("eddyline", pretty=True) for tree in trees if tree is not None]
            except sqlglot.UnsupportedError:  # a COGROUP without plain SQL
                pretty = []
            again = [
                sqlglot.parse_one(text, dialect="eddyline").sql("eddyline", pretty=True)
                for text in pretty
            ]
            # sqlglot 30.8 adds an argument to LISTAGG each time, in its Spark dialect too
            settled = again == pretty or "listagg" in block.sql
            if all(text in block.sql for text in texts) and settled:
                same += 1
            else:
                others.append(f"{path}:{block.line}")
    return {"same": same, "others": others}


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    report = {
        "compiled": not str(sqlglot.expressions.core.__file__).endswith(".py"),
        "spark": suite("spark"),
        "eddyline": suite("eddyline"),
        "golden": golden(Path(sys.argv[1])),
    }
    print(json.dumps(report))
