"""The demo: KIP-150's example and the flights of 2013, each checked against plain Spark SQL."""

from eddyline.cli.demo.job import run
from eddyline.cli.demo.report import Report

__all__ = ["Report", "run"]
