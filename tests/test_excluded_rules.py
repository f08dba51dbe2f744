"""A query has the same rows whichever optional rules are excluded, on the golden files.

`test_golden.py` runs the same files with all rules.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import eddyline
from goldenfiles import GoldenFile, read_golden
from sessions import new_session
from test_golden import GOLDEN, drawn, run_with

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# the optional rules, by clause
CLAUSES = {
    "assume": ["NarrowAssume", "PushThroughAssume", "PruneThroughAssume", "HoistChecks"],
    "globaltable": ["RewriteGlobalViews", "RewriteGlobalJoins"],
}
FILES = [path for stem in sorted(CLAUSES) for path in sorted((GOLDEN / stem).glob("*.sql"))]
# the only file with both; a rule has nothing to do where its clause is not
OF_BOTH = GOLDEN / "assume" / "globaltable.sql"
# the other files are in the tier `slow`
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


def exclusions(spark: SparkSession, path: Path) -> list[str]:
    """Returns values of the conf for a file, each of which excludes one or more rules.

    Any two rules of its clause are both in, both out, or one of them.
    """
    optional = {rule.name for rule in eddyline.rules(spark) if rule.switch is not None}
    assert optional == {name for names in CLAUSES.values() for name in names}
    clauses = CLAUSES if path == OF_BOTH else [path.parent.name]
    names = [name for clause in clauses for name in CLAUSES[clause]]
    either = GoldenFile(Path(), (), dict.fromkeys(names, ("in", "out")))
    excluded = [[name for name in names if run[name] == "out"] for run in either.confs()]
    return [",".join(some) for some in excluded if some]


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
    for number, names in enumerate(exclusions(spark_session, path)):
        with new_session(spark_session) as spark:
            conf = {**drawn(golden), "spark.eddyline.rules.excluded": names}
            run_with(spark, golden, conf, checkpoints=tmp_path / str(number))
