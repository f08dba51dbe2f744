"""Runs the page about native engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pages import FOLDER, NATIVE
from suite import is_eddyline_first
from test_docs import run_page

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.skipif(not is_eddyline_first(), reason="the page has claims kept native")
def test_page(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(spark, NATIVE, {FOLDER: str(tmp_path)}, monkeypatch)
