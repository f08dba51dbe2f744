"""Runs the page about native engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages import FOLDER, NATIVE
from test_docs import run_page

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession


def test_page(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(spark, NATIVE, {FOLDER: str(tmp_path)}, monkeypatch)
