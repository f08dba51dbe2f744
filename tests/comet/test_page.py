"""Runs the page about native engines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pages import FOLDER, NATIVE
from test_docs import run_page

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.skipif("EDDYLINE_FIRST" not in os.environ, reason="the page has claims kept native")
def test_page(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(spark, NATIVE, {FOLDER: str(tmp_path)}, monkeypatch)
