"""Each clause in batch and as a stream, with executors in processes of their own.

The golden files and the pages say what a local run returns: `make test` runs them too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from goldenfiles import read_golden
from pages import FOLDER, ROOT
from test_docs import EXECUTED, run_page
from test_golden import GOLDEN, drawn, run_with

from .standalone import executors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# they shuffle, build replicas or regroup files, which other processes do here
FILES = (
    "assume/files.sql",
    "assume/hoisted.sql",
    "assume/layout.sql",
    "assume/structural.sql",
    "assume/hash_check.sql",
    "cogroup/aggregates.sql",
    "cogroup/branches.sql",
    "cogroup/windows.sql",
    "emit/positions.sql",
    "globaltable/joins.sql",
    "globaltable/subqueries.sql",
    "streamingquery/statements.sql",
)
# they have streams of each clause and option, and START STREAMING QUERY
PAGES = [page for page in EXECUTED if page.parent == ROOT / "docs/sql"]


def test_there_are_two_executors(spark: SparkSession) -> None:
    assert len(executors(spark.sparkContext.applicationId)) == 2


@pytest.mark.parametrize("name", FILES)
def test_golden(spark: SparkSession, name: str, tmp_path: Path) -> None:
    golden = read_golden(GOLDEN / name)
    run_with(spark, golden, drawn(golden), checkpoints=tmp_path)


@pytest.mark.usefixtures("newest_spark")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(
    spark: SparkSession, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_page(spark, page, {FOLDER: str(tmp_path)}, monkeypatch)
