"""The command line of spark-submit that starts a server, and what it needs."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from eddyline import archive
from eddyline.cli import metastore
from eddyline.cli.servers import Server
from eddyline.cli.texts import read_bytes
from eddyline.errors import EddylineError
from eddyline.session import (
    properties,
    settings,
    settings_folder,
    spark_defaults,
    spark_folder,
)
from eddyline.versions import eddyline_version

# spark-submit takes these options for these settings, and their values over those of --conf
_SETTING_OF_OPTION = {
    "--driver-class-path": archive.CLASS_PATH,
    "--driver-java-options": archive.JAVA_OPTIONS,
    "--jars": "spark.jars",
}
_AUTO_START = "spark.eddyline.streamingQuery.autoStart"
_JAVA_OPTIONS = (
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "SPARK_DAEMON_JAVA_OPTS",
    "SPARK_SUBMIT_OPTS",
)
_LOG_FORMATS = frozenset([".json", ".jsn", ".properties", ".xml", ".yaml", ".yml"])
_OPTION_OF_SETTING = {key: option for option, key in _SETTING_OF_OPTION.items()}


def spark_home() -> Path:
    """Returns the folder of the Spark that is started: SPARK_HOME, else the installed pyspark.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.PYSPARK_MISSING if there is neither, CLIENT_ALONE if
            pyspark cannot start Spark, SPARK_MISSING if SPARK_HOME cannot.
    """
    home = spark_folder()
    if home is None:
        raise EddylineError("EDDYLINE_ENVIRONMENT.PYSPARK_MISSING")
    if not (home / "bin" / "spark-submit").is_file():
        raise EddylineError("EDDYLINE_ENVIRONMENT.CLIENT_ALONE")
    return home


def given_settings(conf: Mapping[str, str], options: Sequence[str]) -> dict[str, str]:
    """Returns the settings of Spark that a server has been given.

    Args:
        conf: settings that were given to the command.
        options: options of spark-submit.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.FILE_NOT_READ, of a file of properties.
    """
    return {**_settings_of_files(options), **conf, **dict(_settings_of(options))}


def server_settings(conf: Mapping[str, str], options: Sequence[str]) -> dict[str, str]:
    """Returns the settings by which a server knows eddyline.

    Lists are appended to those of `spark-defaults.conf`, of `conf` and of `options`. Persistent
    streaming queries start with the server, and its JVM uses its archive of classes if there is
    one, unless one of these says otherwise. The log is that of `log4j2-server.properties`, unless
    one is configured.

    Args:
        conf: settings that were given to the command.
        options: options of spark-submit.

    Raises:
        EddylineError: as from `given_settings` and `eddyline.session.jar_path`.
    """
    present = given_settings(conf, options)
    found = settings(present)
    if not _has_log_configuration(present):
        log = Path(str(files("eddyline.cli"))) / "log4j2-server.properties"
        options = present.get(archive.JAVA_OPTIONS, "")  # they come later, so they count more
        found[archive.JAVA_OPTIONS] = f"-Dlog4j2.configurationFile={log.as_uri()} {options}".strip()
    if _AUTO_START not in present:
        found[_AUTO_START] = "true"
    home = spark_folder()
    return found | (archive.used({**present, **found}, home) if home else {})


def _has_log_configuration(present: Mapping[str, str]) -> bool:
    """Whether the user configures the log, in Spark's folder of settings or by options of Java.

    Options in the setting that the server gets are not asked for, since they come last.
    """
    options = [os.environ.get(name, "") for name in _JAVA_OPTIONS]
    options.append(present.get("spark.driver.defaultJavaOptions", ""))
    folder = settings_folder()
    found = folder.glob("log4j2.*") if folder else ()
    return any("configurationFile=" in text for text in options) or any(
        path.suffix in _LOG_FORMATS for path in found
    )


def submit(
    home: Path,
    server: Server,
    master: str | None,
    conf: Mapping[str, str],
    options: Sequence[str],
) -> list[str]:
    """Returns the command line that starts a server.

    Args:
        home: the folder of Spark's installation.
        server: the server.
        master: master URL; None for that of `spark-defaults.conf` or `options`.
        conf: settings of Spark.
        options: options of spark-submit.

    Raises:
        EddylineError: as from `server_settings`.
    """
    words = [str(home / "bin" / "spark-submit")]
    words += ["--master", master] if master else []
    words += _confs(conf)
    words += options
    # last: of an option that is given twice, spark-submit takes the last
    for key, value in server_settings(conf, options).items():
        option = _OPTION_OF_SETTING.get(key)
        words += [option, value] if option else _confs({key: value})
    words += _confs(metastore.settings(server.default_catalog, given_settings(conf, options)))
    words += _confs(server.settings)
    return [*words, "--class", server.main, "spark-internal", *server.arguments]


def check_python(python: str) -> None:
    """Checks that a Python reads clauses for this version, as the jar will start it.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.PYTHON_UNUSABLE if it does not.
    """
    start = files("eddyline").joinpath("start_sidecar.py").read_text(encoding="utf-8")
    command = [python, "-c", start]
    version = eddyline_version()
    items = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join(filter(os.path.isabs, items))
    try:
        # with no input, the sidecar writes one frame, its version, and ends
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        reason = _why_not(done.stdout, version)
    except OSError as error:
        reason = str(error.strerror)
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        reason = last or f"it ended with exit code {error.returncode}"
    if reason is not None:
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.PYTHON_UNUSABLE", python=python, reason=reason, version=version
        )


def _why_not(output: bytes, version: str) -> str | None:
    r"""Returns why what a Python wrote is not the first frame of this version; None if it is.

    >>> _why_not(b"\0\0\0\0050.1.0", "0.1.0")
    >>> _why_not(b"\0\0\0\0050.0.9", "0.1.0")
    'it has eddyline 0.0.9'
    >>> _why_not(b"welcome\n\0\0\0\0050.1.0", "0.1.0")
    'it printed "welcome" on standard output, where its answers belong'
    """
    length, found = int.from_bytes(output[:4], "big"), output[4:].decode(errors="replace")
    if not found:
        return "it did not say which eddyline it has"
    if length != len(output) - 4:
        printed = output.decode(errors="replace").splitlines()[0]
        return f'it printed "{printed}" on standard output, where its answers belong'
    return None if found == version else f"it has eddyline {found}"


def listening_port(host: str, port: int) -> int:
    """Returns the port if a server can listen on it, or a free one in the place of 0.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.PORT_UNAVAILABLE if no server can listen there.
    """
    try:
        (family, kind, _, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return int(probe.getsockname()[1])
    except OSError as error:
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.PORT_UNAVAILABLE",
            address=f"{host}:{port}",
            reason=str(error.strerror),
        ) from error


def _confs(settings: Mapping[str, str]) -> list[str]:
    return [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]


def _settings_of_files(options: Sequence[str]) -> dict[str, str]:
    """Returns the settings of the files of properties that spark-submit reads; the last one wins.

    These are `spark-defaults.conf`, or the last --properties-file in its place, or on top of it
    with --load-spark-defaults, then each --extra-properties-file.
    """
    values = list(_values(options))
    own = [value for name, value in values if name == "--properties-file"][-1:]
    extra = [value for name, value in values if name == "--extra-properties-file"]
    found = {} if own and "--load-spark-defaults" not in options else spark_defaults()
    for file in (*own, *extra):
        found.update(properties(read_bytes(Path(file))))
    return found


def _settings_of(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields the settings that options of spark-submit make, of which the last one counts.

    >>> dict(_settings_of(["--verbose", "--jars=a.jar", "-c", "spark.jars=b.jar"]))
    {'spark.jars': 'a.jar'}
    """
    values = list(_values(options))
    for name, value in values:
        if name in ("--conf", "-c"):
            key, _, set_to = value.partition("=")
            yield key, set_to
    for name, value in values:
        if name in _SETTING_OF_OPTION:
            yield _SETTING_OF_OPTION[name], value


def _values(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields each word with the one after it; spark-submit takes `--name=value` as two words."""
    words = [
        word
        for option in options
        for word in (option.split("=", 1) if option.startswith("--") else [option])
    ]
    yield from pairwise(words)
