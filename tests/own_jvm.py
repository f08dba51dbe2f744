"""Sessions in another JVM, with the settings of the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from collections.abc import Mapping

# a folder in which a cluster of two hosts works
TWO_HOSTS = "spark.eddyline.tests.twoHosts"
_OF_THE_RUN = ("spark.app.", "spark.driver.host", "spark.driver.port", "spark.executor.id")


def settings_of(spark: SparkSession) -> dict[str, str]:
    """Returns the settings that give another JVM a session like this one."""
    return {
        key: value
        for key, value in spark.sparkContext.getConf().getAll()
        if not key.startswith(_OF_THE_RUN)
    }


def start_session(settings: Mapping[str, str]) -> tuple[SparkSession, Any]:
    """Starts the session of this process; returns it and its JVM."""
    conf = dict(settings)
    SparkContext._ensure_initialized(conf=SparkConf().setAll(list(conf.items())))
    jvm = SparkContext._jvm
    assert jvm is not None
    if folder := conf.get(TWO_HOSTS):
        conf["spark.master"] = jvm.org.apache.spark.deploy.eddyline.TwoHosts.start(folder)
    return SparkSession.builder.config(map=conf).getOrCreate(), jvm
