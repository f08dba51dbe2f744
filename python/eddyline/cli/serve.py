"""The command `eddyline serve`."""

from __future__ import annotations

import signal
from pathlib import Path

import click
from platformdirs import user_log_path

from eddyline.cli.metastore import ADVICE, is_embedded
from eddyline.cli.options import NamedError, settings_option
from eddyline.cli.runner import progress
from eddyline.cli.serverlog import ServerLog
from eddyline.cli.serverprocess import (
    EndedError,
    ServerProcess,
    StopRequestedError,
    StopRequests,
)
from eddyline.cli.servers import SERVERS, Server
from eddyline.cli.submit import (
    check_python,
    given_settings,
    listening_port,
    server_settings,
    spark_home,
    submit,
)
from eddyline.errors import EddylineError
from eddyline.java import find_java
from eddyline.session import PYTHON

_KILLED = 128 + signal.SIGKILL  # exit code
_PORTS = ", ".join(f"{server.default_port} for {kind}" for kind, server in SERVERS.items())


@click.command()
@click.argument("kind", type=click.Choice(sorted(SERVERS)))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help=f"The port to listen on, 0 for a free one; by default {_PORTS}.",
)
@click.option("--master", metavar="URL", help="Master URL of Spark; that of spark-submit if unset.")
@settings_option
@click.option(
    "--log-file",
    "log_file",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    help="The file to append the server's output to, 100 MiB with older ones at most; "
    "- for standard output; one in the user's log folder by default.",
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[-- SPARK_SUBMIT_OPTIONS]")
def serve(
    *,
    kind: str,
    host: str,
    port: int | None,
    master: str | None,
    conf: dict[str, str],
    log_file: Path | None,
    options: tuple[str, ...],
) -> None:
    """Run Spark's Thrift or Connect server with eddyline until Ctrl-C or SIGTERM.

    Prints the server's URL and `ready` when the server has answered a statement with a clause.
    Words after -- are options of spark-submit. The streaming queries of CREATE STREAMING QUERY that
    were running start with the server. When it is asked to stop, streaming queries have a
    minute to end their micro-batch, then the server ends, and the exit code is 0. A second Ctrl-C
    kills the server. If the server ends by itself, its exit code is that of the command; 1 if it
    ends before `ready`.
    """
    home = spark_home()
    python = server_settings(conf, options)[PYTHON]
    find_java()
    check_python(python)
    wanted = SERVERS[kind].default_port if port is None else port
    server = SERVERS[kind](host, listening_port(host, wanted))
    command = submit(home, server, master, conf, options)
    log = _open_log(log_file or _default_log(kind, server))
    embedded = is_embedded(server.default_catalog, given_settings(conf, options))
    try:
        with (
            StopRequests() as requests,
            ServerProcess(server, home, command, log, requests) as process,
        ):
            click.echo(f"Log: {log}", err=True)
            _run(process, server, ADVICE if embedded else None)
    except EndedError as error:
        click.echo(log.tail(), err=True)
        ended = EddylineError("EDDYLINE_SERVER.ENDED", code=str(error.code), log=str(log))
        NamedError(ended).show()
        raise SystemExit(error.code or 1) from error


def _run(process: ServerProcess, server: Server, advice: str | None) -> None:
    """Says when the server is ready, and waits for its end.

    Args:
        process: the process of the server.
        server: the server.
        advice: what to know of its settings when it is ready.

    Raises:
        EndedError: if the server has failed.
        SystemExit: if it was killed.
    """
    try:
        with progress("Starting Spark…"):
            process.await_ready()
        if advice is not None:
            click.echo(advice, err=True)
        click.echo(f"{server.url}\nready")
        try:
            process.await_end()
        except EndedError as error:
            if error.code != 0:
                raise
    except StopRequestedError:
        _stop(process)


def _stop(process: ServerProcess) -> None:
    """Stops the server; kills it if that is asked for meanwhile."""
    click.echo("Stopping the server; another Ctrl-C kills it.", err=True)
    try:
        process.stop()
    except StopRequestedError:
        click.echo("Killed.", err=True)
        raise SystemExit(_KILLED) from None
    click.echo("Stopped.", err=True)


def _default_log(kind: str, server: Server) -> Path:
    """Returns a file in the user's log folder, such as `~/.local/state/eddyline/log`."""
    return user_log_path("eddyline", appauthor=False) / f"{kind}-{server.port}.log"


def _open_log(path: Path) -> ServerLog:
    try:
        return ServerLog(path)
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}.", param_hint="--log-file") from error
