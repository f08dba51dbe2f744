"""The sessions of the commands, the demo and the benchmarks."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlparse

from eddyline.archive import JAVA_OPTIONS, leave_training
from eddyline.cli.servers import ConnectServer
from eddyline.errors import EddylineError
from eddyline.java import find_java
from eddyline.jvm import is_classic
from eddyline.session import configure, spark_defaults, spark_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_UNREACHABLE = 5.0  # seconds
_CATALOG = "spark.sql.catalogImplementation"
_WAREHOUSE = "spark.sql.warehouse.dir"


@contextmanager
def open_session(
    master: str, remote: str | None, conf: Mapping[str, str]
) -> Iterator[SparkSession]:
    """Yields a session of `eddyline sql`, and stops it afterwards.

    A local session keeps its tables and checkpoints in a temporary folder, unless a setting names
    the warehouse or a catalog of Hive: Spark's own catalog ends with the session, and tables that
    it has forgotten would be in the way of the next run.

    Args:
        master: master URL of a local session.
        remote: address of a Spark Connect server; None for a local session.
        conf: settings of the session, which win over the defaults.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.*, as from `remote_session` and `find_java`.
    """
    if remote is not None:
        spark = remote_session(remote, conf)
        try:
            yield spark
        finally:
            spark.stop()
        return
    with TemporaryDirectory(prefix="eddyline-", ignore_cleanup_errors=True) as folder:
        find_java()
        own = {
            _WAREHOUSE: f"{folder}/warehouse",
            "spark.sql.streaming.checkpointLocation": f"{folder}/checkpoints",
        }
        given = {**spark_defaults(), **conf}
        stays = _WAREHOUSE in given or given.get(_CATALOG) == "hive"
        with training_after(local_session(master, **{**({} if stays else own), **conf})) as spark:
            if threading.current_thread() is threading.main_thread():
                # pyspark's handler cancels the jobs of all streaming queries as well
                signal.signal(signal.SIGINT, signal.default_int_handler)
            yield spark


@contextmanager
def training_after(spark: SparkSession) -> Iterator[SparkSession]:
    """Yields a local session, and stops it; leaves a process that archives its JVM's classes.

    That of a session of Spark Connect, which `spark.api.mode` may ask for, is not known.
    """
    conf = dict(spark.sparkContext.getConf().getAll()) if is_classic(spark) else None
    try:
        yield spark
    finally:
        spark.stop()
    if conf is not None and (home := spark_folder()):
        leave_training(conf, home)


def local_session(master: str = "local[2]", /, **conf: str) -> SparkSession:
    """Returns a local session that knows eddyline; its errors are raised and not logged.

    Args:
        master: master URL of Spark.
        **conf: settings, which win over the defaults, as those of `spark-defaults.conf` do.
    """
    from pyspark.sql import SparkSession

    _log_nothing()
    defaults = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
    }
    present = spark_defaults()
    given = {**{k: v for k, v in defaults.items() if k not in present}, **conf}
    log = Path(str(files("eddyline.cli"))) / "log4j2.properties"
    options = given.get(JAVA_OPTIONS, present.get(JAVA_OPTIONS, ""))
    given[JAVA_OPTIONS] = f"-Dlog4j2.configurationFile={log.as_uri()} {options}".strip()
    builder = SparkSession.builder.master(master).appName("eddyline")
    for key, value in given.items():
        builder.config(key, value)
    return configure(builder).getOrCreate()


def remote_session(address: str, conf: Mapping[str, str]) -> SparkSession:
    """Returns a session of a Spark Connect server that knows eddyline.

    Args:
        address: address of the server, such as `sc://127.0.0.1:15002`.
        conf: settings of the session.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.CONNECT_MISSING if a package of the client is missing,
            EDDYLINE_ENVIRONMENT.SERVER_UNREACHABLE if no server answers, and what `check` raises.
    """
    return configure(_remote_builder(address, conf)).getOrCreate()


@contextmanager
def unchecked_session(address: str) -> Iterator[SparkSession]:
    """Yields a session of a Spark Connect server that may not know eddyline, and stops it.

    Args:
        address: address of the server, such as `sc://127.0.0.1:15002`.

    Raises:
        EddylineError: as from `remote_session`, except those of `check`.
    """
    spark = _remote_builder(address, {}).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def _remote_builder(address: str, conf: Mapping[str, str]) -> SparkSession.Builder:
    from pyspark.sql import SparkSession

    _log_nothing()
    _check_packages()
    probe_server(address)
    builder = SparkSession.builder.remote(address)
    for key, value in conf.items():
        builder.config(key, value)
    return builder


def _check_packages() -> None:
    """Checks that the packages of a Spark Connect client are installed."""
    from pyspark.errors import PySparkImportError
    from pyspark.sql.pandas.utils import (
        require_minimum_pandas_version,
        require_minimum_pyarrow_version,
    )

    try:
        from pyspark.sql.connect import utils

        utils.require_minimum_grpc_version()
        utils.require_minimum_grpcio_status_version()
        utils.require_minimum_googleapis_common_protos_version()
        utils.require_minimum_zstandard_version()
        require_minimum_pandas_version()
        require_minimum_pyarrow_version()
    except PySparkImportError as error:
        raise EddylineError("EDDYLINE_ENVIRONMENT.CONNECT_MISSING", reason=str(error)) from error


def probe_server(address: str) -> None:
    """Connects to a server once, because Spark Connect itself retries for minutes.

    Args:
        address: address of the server, such as `sc://127.0.0.1:15002`.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.SERVER_UNREACHABLE if no server answers.
    """
    server, semicolon, parameters = address.partition(";")  # one of these may be a token
    try:
        parts = urlparse(server)
        host, port = parts.hostname, parts.port or ConnectServer.default_port
        if parts.scheme != "sc" or not host:
            raise ValueError("the address does not begin with sc://host")
        if semicolon and not parts.path:
            raise ValueError("a slash is missing before the first semicolon")
        # pyspark would show them
        if any(pair and pair.count("=") != 1 for pair in parameters.split(";")):
            raise ValueError("a parameter is not key=value, where %3D stands for = in a value")
        socket.create_connection((host, port), _UNREACHABLE).close()
    except (OSError, ValueError) as error:
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.SERVER_UNREACHABLE", address=server, reason=str(error)
        ) from error


def _log_nothing() -> None:
    """Keeps pyspark from logging as JSON the errors that the commands print."""
    for noisy in ("py4j", "SQLQueryContextLogger", "pyspark"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
