"""Runs the page about table formats, which shows Delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pages import FOLDER, TABLE_FORMATS
from test_docs import run_page

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_page(
    spark: SparkSession,
    table_format: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if table_format != "delta":
        pytest.skip("the page shows Delta")
    run_page(spark, TABLE_FORMATS, {FOLDER: str(tmp_path)}, monkeypatch)
