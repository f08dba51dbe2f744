"""The local session of the commands, the demo and the benchmarks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from eddyline.session import configure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def local_session(master: str = "local[2]", **conf: str) -> SparkSession:
    """Returns a local session that knows eddyline and logs errors only."""
    from pyspark.sql import SparkSession

    for noisy in ("py4j", "SQLQueryContextLogger"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    builder = SparkSession.builder.master(master).appName("eddyline")
    defaults = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
    }
    for key, value in {**defaults, **conf}.items():
        builder.config(key, value)
    return configure(builder).getOrCreate()
