"""The demo: KIP-150's example and the flights of 2013, each checked against plain Spark SQL."""

from .job import run
from .report import Report

__all__ = ["Report", "run"]
