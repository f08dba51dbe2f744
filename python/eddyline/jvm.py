"""The JVM of a classic session; no other module uses py4j."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

# Hive's driver has each of these in a URL, a token of Kerberos or JWT and a cookie among them
_SECRET = re.compile(
    r"(?<=[;?#])([^;?#=]*(?:password|token|jwt)|http\.(?:header|cookie)\.[^;=]*)=([^;]+)",
    re.IGNORECASE,
)


def java_errors() -> tuple[type[Exception], ...]:
    """Returns the class of errors of the JVM that pyspark does not convert; none without a JVM."""
    protocol = sys.modules.get("py4j.protocol")
    return () if protocol is None else (protocol.Py4JError,)


def error_text(error: Exception) -> str:
    """Returns the message of an error, without the stack trace if it is one of the JVM."""
    thrown = getattr(error, "java_exception", None)
    return str(error if thrown is None else thrown.getMessage() or thrown.toString())


def without_secrets(text: str, url: str) -> str:
    """Returns a text in which no password, token, header or cookie of a JDBC URL can be read.

    >>> url = "jdbc:hive2://h/;user=u;password=p1;http.header.Authorization=Bearer b=;x=y"
    >>> without_secrets(f"no transport: {url}: refused", url)
    'no transport: jdbc:hive2://h/;user=u;password=***;http.header.Authorization=***;x=y: refused'
    """
    for secret in _SECRET.finditer(url):
        text = text.replace(secret[0], f"{secret[1]}=***")
    return text


def _jvm(spark: SparkSession) -> Any:
    return spark._jvm


def _api(spark: SparkSession) -> Any:
    """Returns what eddyline offers to Python."""
    return _jvm(spark).io.eddyline.spark.PythonApi


def sidecar_pid(spark: SparkSession) -> int | None:
    """Returns the process id of the JVM's sidecar, or None if none runs."""
    pid = int(_api(spark).sidecarPid())
    return None if pid < 0 else pid


def stop_sidecar(spark: SparkSession) -> None:
    """Stops the sidecar; the next statement with a clause starts another."""
    _api(spark).stopSidecar()


def started_with(spark: SparkSession) -> tuple[list[str], str]:
    """Returns the options with which the JVM was started, and its class path."""
    java = _jvm(spark).java.lang
    options = java.management.ManagementFactory.getRuntimeMXBean().getInputArguments()
    return list(map(str, options)), str(java.System.getProperty("java.class.path"))


def has_jvm() -> bool:
    """Whether this process has a JVM, which has its options already."""
    from pyspark import SparkContext  # noqa: PLC0415

    return SparkContext._gateway is not None


def end_jvm() -> None:
    """Ends the JVM of this process, and waits until it has ended."""
    from pyspark import SparkContext  # noqa: PLC0415

    _end(SparkContext._gateway)


def _end(gateway: Any) -> None:
    process = gateway.proc
    gateway.shutdown()
    process.stdin.close()
    process.wait()


def explained(query: Any) -> str:
    """Returns the physical plan of the last micro-batch of a classic session's query."""
    return str(query._jsq.explainInternal(False))


def active(spark: SparkSession | None) -> SparkSession:
    """Returns the session, or the active one if there is none."""
    from pyspark.sql import SparkSession  # noqa: PLC0415

    return spark or SparkSession.active()


def is_classic(spark: SparkSession) -> bool:
    """Returns whether a session has a JVM in this process, and is not one of Spark Connect."""
    return hasattr(spark, "_jsparkSession")


def delete_folder(spark: SparkSession, path: str) -> None:
    """Deletes a folder and what is in it, in whichever file system the path names."""
    folder = _jvm(spark).org.apache.hadoop.fs.Path(path)
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    folder.getFileSystem(conf).delete(folder, True)


def clauses_of(frame: DataFrame) -> list[Row]:
    """Returns the rows of EXPLAIN CLAUSES for a DataFrame, of the plan that ran if it has run."""
    spark = frame.sparkSession
    return type(frame)(_api(spark).why(frame._jdf), spark).collect()


def clauses_of_stream(query: Any, spark: SparkSession) -> list[Row]:
    """Returns the rows of EXPLAIN CLAUSES for a streaming query of a classic session."""
    from pyspark.sql.classic.dataframe import DataFrame as Frame  # noqa: PLC0415

    return Frame(_api(spark).why(query._jsq, spark._jsparkSession), spark).collect()


def plan_of(frame: DataFrame, stock: bool) -> str:
    """Returns the plan of a DataFrame of a classic session as JSON: the one that ran, or runs."""
    return str(_api(frame.sparkSession).plan(frame._jdf, stock))


def plan_of_stream(query: Any, spark: SparkSession, stock: bool) -> str:
    """Returns the plan of a streaming query's last micro-batch as JSON.

    Args:
        query: the query in a classic session, or its name.
        spark: a classic session.
        stock: whether to return Spark's plan without eddyline instead.
    """
    if isinstance(query, str):
        return str(_api(spark).plan(query, spark._jsparkSession, stock))
    return str(_api(spark).plan(query._jsq, stock))


def is_classic_query(query: Any) -> bool:
    """Returns whether a streaming query runs in the JVM of this process."""
    return hasattr(query, "_jsq")


def jars_on_path(spark: SparkSession) -> list[str]:
    """Returns the places from which the driver can load eddyline, sorted."""
    loader = _jvm(spark).java.lang.Thread.currentThread().getContextClassLoader()
    found = loader.getResources("eddyline/build.properties")
    places = set()
    while found.hasMoreElements():
        url = str(found.nextElement().toString())
        places.add(url.removeprefix("jar:").removeprefix("file:").rpartition("/eddyline/")[0])
    return sorted(place.removesuffix("!") for place in places)


@contextmanager
def jdbc_connection(url: str) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """Connects to a Thrift server by Hive's driver, which Spark has, in a JVM of its own.

    Args:
        url: address of the server, `jdbc:hive2://host:port/database;key=value`.

    Yields:
        A function that runs a statement and returns its rows.

    Raises:
        RuntimeError: the server does not let this client in; the function raises the same for an
            error of a statement.
    """
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415

    gateway = launch_gateway(  # type: ignore[no-untyped-call]
        popen_kwargs={"stderr": DEVNULL}
    )
    try:
        jvm: Any = gateway.jvm
        jvm.java.lang.Class.forName("org.apache.hive.jdbc.HiveDriver")
        try:
            connection = jvm.java.sql.DriverManager.getConnection(url)
        except Py4JJavaError as error:
            raise RuntimeError(without_secrets(error_text(error), url)) from error

        def ask(sql: str) -> list[tuple[Any, ...]]:
            statement = connection.createStatement()
            try:
                found = statement.executeQuery(sql)
                columns = range(1, found.getMetaData().getColumnCount() + 1)
                rows = []
                while found.next():
                    rows.append(tuple(found.getObject(column) for column in columns))
                return rows
            except Py4JJavaError as error:
                raise RuntimeError(error_text(error)) from error
            finally:
                statement.close()

        try:
            yield ask
        finally:
            connection.close()
    finally:
        _end(gateway)
