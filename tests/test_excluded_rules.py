"""A query has the same rows whichever optional rules are excluded, on the golden files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import eddyline
from eddyline.testing import GoldenFile, read_golden
from sessions import new_session
from test_golden import GOLDEN, drawn, run_with

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# those of the clauses that have optional rules; the other files are in the tier `slow`
FILES = [
    path for stem in ("assume", "globaltable") for path in sorted((GOLDEN / stem).glob("*.sql"))
]
IN_FULL = {"codegen.sql", "dpp.sql"}


def about_rows(golden: GoldenFile) -> GoldenFile:
    """Returns the file without what shows a plan or what became of a claim, which rules change."""
    blocks = [
        block
        for block in golden.blocks
        if block.kind in ("statement", "query", "query equals")
        if not block.sql.upper().startswith("EXPLAIN")
    ]
    return replace(golden, blocks=tuple(blocks))


def exclusions(spark: SparkSession) -> list[str]:
    """Returns values of the conf in which any two rules are both in, both out, or one of them."""
    names = [rule.name for rule in eddyline.rules(spark) if rule.optional]
    either = GoldenFile(Path(), (), dict.fromkeys(names, ("in", "out")))
    return [
        ",".join(name for name, where in run.items() if where == "out") for run in either.confs()
    ]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=path.relative_to(GOLDEN).as_posix(),
            marks=pytest.mark.full if path.name in IN_FULL else pytest.mark.slow,
        )
        for path in FILES
    ],
)
def test_rows_do_not_depend_on_optional_rules(
    spark_session: SparkSession, path: Path, tmp_path: Path
) -> None:
    golden = about_rows(read_golden(path))
    for number, names in enumerate(exclusions(spark_session)):
        with new_session(spark_session) as spark:
            conf = {**drawn(golden), "spark.eddyline.rules.excluded": names}
            run_with(spark, golden, conf, checkpoints=tmp_path / str(number))
