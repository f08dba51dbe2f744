"""Settings and checks for a Spark session that knows eddyline."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import javaproperties

from eddyline import archive
from eddyline.errors import EddylineError
from eddyline.java import find_java
from eddyline.jvm import has_jvm
from eddyline.versions import is_older, native_engines, spark_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTENSIONS = "io.eddyline.spark.EddylineExtensions"
EXPLAIN = "io.eddyline.spark.EddylineExplain"
PYTHON = "spark.eddyline.python"
BUFFER_WAIT = "spark.shuffle.streaming.networkBufferMaxWaitTimeMs"

# the settings that are lists, with what separates their items
_LISTS = (
    ("spark.sql.extensions", ","),
    ("spark.sql.extendedExplainProviders", ","),
    ("spark.driver.extraClassPath", os.pathsep),
    ("spark.jars", ","),
)
PROBE = (
    "COGROUP (SELECT 1 AS k) AS a BY k, (SELECT 1 AS k) AS b BY k "
    "AGGREGATE count(*) AS n HAVING EVERY BRANCH"
)


def jar_path(spark_minor: str | None = None) -> Path:
    """Returns the path of the jar for a Spark minor version.

    Args:
        spark_minor: minor version such as "4.3"; None for that of `SPARK_HOME`, or else of the
            installed pyspark.

    Returns:
        The path of the jar, which exists.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.JAR_MISSING if the jar is not there,
            EDDYLINE_ENVIRONMENT.PYSPARK_MISSING if there is no Spark, SPARK_MISSING if there is
            none in SPARK_HOME,
            EDDYLINE_UNSUPPORTED_SPARK_VERSION if eddyline has no jar for this minor version.
    """
    line = spark_line(spark_minor or started_spark())
    jar = Path(str(files("eddyline"))) / "jars" / f"eddyline-spark-{line.minor}.jar"
    if not jar.exists():
        raise EddylineError("EDDYLINE_ENVIRONMENT.JAR_MISSING", path=str(jar))
    return jar


def settings(
    present: Mapping[str, str], jar: str | None = None, spark: str | None = None
) -> dict[str, str]:
    """Returns the settings that make a session know eddyline, for launchers without a builder.

    Args:
        present: settings made already, by key. Lists among them are appended to, but eddyline's
            extension comes before that of a native engine.
        jar: path of the jar where Spark runs; None for the jar of this installation.
        spark: version of that Spark, such as "4.3"; None for that of `started_spark`.

    Returns:
        The values of `spark.sql.extensions`, `spark.sql.extendedExplainProviders`,
        `spark.driver.extraClassPath`, `spark.jars`, `spark.eddyline.python` and, for a Spark that
        has it, `spark.shuffle.streaming.networkBufferMaxWaitTimeMs`.

    Raises:
        EddylineError: as from `jar_path`.
    """
    jar = jar or str(jar_path())
    appended = {}
    for (key, separator), value in zip(_LISTS, (EXTENSIONS, EXPLAIN, jar, jar), strict=True):
        parts = items(present.get(key, ""), separator)
        if value not in parts:
            parts.insert(_place(parts), value)
        appended[key] = separator.join(parts)
    defaults = {PYTHON: sys.executable}
    if has_buffer_wait(spark or started_spark()):
        defaults[BUFFER_WAIT] = "2"
    return {**appended, **{key: present.get(key, value) for key, value in defaults.items()}}


def items(value: str, separator: str = ",") -> list[str]:
    """Returns the items of a list as Spark reads them: blanks count in class paths alone."""
    parts = value.split(separator)
    return [part for part in (map(str.strip, parts) if separator == "," else parts) if part]


def _place(parts: list[str]) -> int:
    """Returns where eddyline comes in a list: before a native engine, whose rules replace scans."""
    engines = {engine.extension for engine in native_engines().values()}
    return next((place for place, part in enumerate(parts) if part in engines), len(parts))


def has_buffer_wait(spark: str) -> bool:
    """Whether a version of Spark has the shuffle of real-time mode, whose buffers wait."""
    return not is_older(spark, "4.3")


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Makes the session that `builder` creates know eddyline.

    Appends to `spark.sql.extensions`, `spark.sql.extendedExplainProviders`,
    `spark.driver.extraClassPath` and `spark.jars`, and overwrites none of them; what
    `spark-defaults.conf` sets is kept as well. A native engine stays after eddyline, so that it
    finds claims. Sets `spark.eddyline.python` to this Python and,
    where Spark has it, `spark.shuffle.streaming.networkBufferMaxWaitTimeMs` to 2, unless they are
    set, also by spark-submit: with Spark's 50 a record waits some 25 ms before a shuffle in
    real-time mode. If there is an archive of classes (`eddyline warm`), the JVM starts with it,
    unless `spark.eddyline.archive.enabled` is false. `getOrCreate` then checks that the session
    really knows eddyline, because Spark only warns when an extension is missing. A builder of a
    remote session (`sc://…`) is left alone: the server has the jar.

    Args:
        builder: a builder of sessions, such as `SparkSession.builder`.

    Returns:
        The same builder.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.PYSPARK_MISSING or CLIENT_ALONE if no pyspark is
            installed that can start Spark; as from `jar_path`; `getOrCreate` raises what `check`
            raises, and EDDYLINE_ENVIRONMENT.JAVA_MISSING if Spark cannot start because there is no
            Java.
    """
    options: dict[str, str] = builder._options
    remote = options.get("spark.remote", os.environ.get("SPARK_REMOTE", ""))
    if not remote.startswith("sc://"):
        check_pyspark()
        present = {**spark_defaults(), **_submitted(), **options}
        found = settings(present)
        home = spark_folder()
        if home and "PYSPARK_GATEWAY_PORT" not in os.environ and not has_jvm():
            found |= archive.used({**present, **found}, home)
        for key, value in found.items():
            builder.config(key, value)
    create = builder.getOrCreate

    @functools.wraps(create)
    def create_checked() -> SparkSession:
        session = _start(create)
        check(session)
        return session

    builder.getOrCreate = create_checked  # type: ignore[method-assign]
    return builder


def _submitted() -> dict[str, str]:
    """Returns those of eddyline's settings that spark-submit has made, if it runs this program."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415

    SparkContext._ensure_initialized()
    made = dict(SparkConf().getAll())
    keys = (*(key for key, _ in _LISTS), PYTHON, BUFFER_WAIT)
    return {key: made[key] for key in keys if key in made}


def _start(create: Callable[[], SparkSession]) -> SparkSession:
    """Calls `create`, and says by name if Spark's JVM cannot start because there is no Java."""
    from pyspark.errors import PySparkRuntimeError  # noqa: PLC0415

    try:
        return create()
    except PySparkRuntimeError as error:
        if error.getCondition() == "JAVA_GATEWAY_EXITED":
            find_java()
        raise


def check(spark: SparkSession) -> None:
    """Checks that the session reads eddyline's clauses, by a statement that runs no job.

    Args:
        spark: a classic session or one of Spark Connect.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.JAR_NOT_LOADED if it does not.
        AnalysisException: EDDYLINE_SIDECAR.* if the sidecar cannot be started or used.
    """
    from pyspark.errors import AnalysisException, ParseException  # noqa: PLC0415

    if str(spark.conf.get("spark.eddyline.enabled", "true")).lower() == "false":
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.JAR_NOT_LOADED", reason="spark.eddyline.enabled is false"
        )
    try:
        columns = spark.sql(PROBE).columns
    except ParseException as error:
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.JAR_NOT_LOADED", reason="it cannot parse COGROUP"
        ) from error
    except AnalysisException as error:
        if error.getCondition() != "UNRESOLVABLE_TABLE_VALUED_FUNCTION":
            raise
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.JAR_NOT_LOADED", reason="its parser has lost the jar's"
        ) from error
    assert columns == ["k", "n"], columns


def check_pyspark() -> str:
    """Returns the version of the installed pyspark, which can start Spark.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.PYSPARK_MISSING if none is installed,
            EDDYLINE_ENVIRONMENT.CLIENT_ALONE if it is a client of Spark Connect alone.
    """
    version = _pyspark_version()
    if find_spec("pyspark.core") is None:
        raise EddylineError("EDDYLINE_ENVIRONMENT.CLIENT_ALONE")
    return version


def _pyspark_version() -> str:
    try:
        import pyspark  # noqa: PLC0415
    except ImportError as error:
        raise EddylineError("EDDYLINE_ENVIRONMENT.PYSPARK_MISSING") from error
    return pyspark.__version__


def spark_folder() -> Path | None:
    """Returns the folder of Spark: SPARK_HOME, else that of the installed pyspark, if any.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.SPARK_MISSING if Spark cannot be started from
            SPARK_HOME. A program that spark-submit runs has its Spark already.
    """
    if home := os.environ.get("SPARK_HOME"):
        is_started = "PYSPARK_GATEWAY_PORT" in os.environ
        if not is_started and not (Path(home) / "bin" / "spark-submit").is_file():
            raise EddylineError("EDDYLINE_ENVIRONMENT.SPARK_MISSING", home=home)
        return Path(home)
    pyspark = find_spec("pyspark")
    return Path(pyspark.origin).parent if pyspark and pyspark.origin else None


def started_spark() -> str:
    """Returns the minor version of the Spark in `spark_folder`, such as "4.3".

    Its jars name it; where there are none, as in a client of Spark Connect, pyspark does.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.PYSPARK_MISSING if there is no Spark.
    """
    home = spark_folder()
    jars = home.glob("jars/spark-core_*.jar") if home else ()
    found = (re.match(r"spark-core_[\d.]+-(\d+\.\d+)", jar.name) for jar in jars)
    minor = next((match[1] for match in found if match), None)
    return minor or ".".join(_pyspark_version().split(".")[:2])


def spark_defaults() -> dict[str, str]:
    """Returns the settings in `spark-defaults.conf`, a Java properties file, or none without it."""
    path = Path(settings_folder() or os.devnull) / "spark-defaults.conf"
    return properties(path.read_bytes()) if path.is_file() else {}


def settings_folder() -> Path | None:
    """Returns Spark's folder of settings: SPARK_CONF_DIR, else `conf` of the Spark, if any."""
    home = spark_folder()
    given = os.environ.get("SPARK_CONF_DIR")
    return Path(given) if given else home and home / "conf"


def properties(data: bytes) -> dict[str, str]:
    """Returns the settings in a Java properties file."""
    text = data.decode("utf-8", "replace")  # as Spark does with what is not UTF-8
    return {key: value.strip() for key, value in javaproperties.loads(text).items()}
