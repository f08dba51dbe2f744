"""The process of a server, from its start to its end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import click

from eddyline.cli.serverlog import ServerLog
from eddyline.cli.servers import Server
from eddyline.errors import EddylineError
from eddyline.session import PROBE

_POLL = 0.1  # seconds
_START = Path(__file__).with_name("startserver.py")
_TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"


class EndedError(Exception):
    """The server has ended.

    Attributes:
        code: its exit code, 128 more than the number of the signal that ended it.
    """

    def __init__(self, code: int) -> None:
        self.code = code if code >= 0 else 128 - code


class StopRequestedError(Exception):
    """A signal asks to stop."""


class StopRequests:
    """Counts the signals that ask to stop, SIGINT, SIGTERM and SIGHUP, inside a `with` block.

    A signal that the caller ignores, as `nohup` does with SIGHUP, stays ignored.
    """

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> StopRequests:
        self._before = {
            number: signal.signal(number, self._add)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
            if signal.getsignal(number) is not signal.SIG_IGN
        }
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _add(self, *_: Any) -> None:
        self.count += 1


class ServerProcess:
    """A server in a process group of its own, which a Ctrl-C at the terminal does not reach.

    It starts where a `with` block begins. Where that ends, nothing of the group is left running,
    and the log has all that it has written. If this process is killed, the server is asked to end.

    Args:
        server: the server.
        home: the folder of Spark's installation.
        command: the command line that starts the server.
        log: where its output goes.
        requests: the signals that ask to stop.
    """

    def __init__(
        self,
        server: Server,
        home: Path,
        command: Sequence[str],
        log: ServerLog,
        requests: StopRequests,
    ) -> None:
        self._server = server
        self._home = home
        self._command = command
        self._log = log
        self._requests = requests
        self._stopping = False
        # a client's address of this user would be taken for the server's master
        inherited = {key: value for key, value in os.environ.items() if key != "SPARK_REMOTE"}
        self._environment = {
            **inherited,
            "SPARK_HOME": str(home),
        }

    def __enter__(self) -> ServerProcess:
        self._output = ExitStack()
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_START), *self._command],
            stdin=subprocess.PIPE,
            stdout=self._output.enter_context(self._log.output()),
            stderr=subprocess.STDOUT,
            env=self._environment,
            start_new_session=True,
        )
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
        self._output.close()

    def await_ready(self) -> None:
        """Waits until the server has answered a statement of the dialect.

        Where the packages of a Spark Connect client are missing, or the server does not let in a
        client without a password or token, no statement can be tried, so it only waits until the
        server accepts connections, and says so.

        Raises:
            EddylineError: EDDYLINE_SERVER.STATEMENT_FAILED if it could not.
            EndedError: if it has ended.
            StopRequestedError: if a signal asks to stop.
        """
        reason = self._refusal()
        if reason is None:
            try:
                self._ask(f"EXPLAIN {PROBE}")  # to run it may take longer than the server's start
            except EddylineError as error:
                reason = self._server.inconclusive_reason(error.parameters["reason"])
                if reason is None:
                    raise
        if reason is not None:
            click.echo(f"The server accepts connections, but was not tried: {reason}", err=True)

    def await_end(self) -> None:
        """Waits forever.

        Raises:
            EndedError: when the server has ended.
            StopRequestedError: when a signal asks to stop.
        """
        while True:
            self._pause()

    def stop(self) -> None:
        """Stops the server and waits for its end; its streaming queries end their micro-batch.

        Raises:
            StopRequestedError: if another signal asks to stop.
        """
        self._stopping = True
        with suppress(EndedError):
            self._process.terminate()
            self.await_end()

    def _accepts(self) -> bool:
        try:
            socket.create_connection((self._server.host, self._server.port), _POLL).close()
        except OSError:
            return False
        return True

    def _refusal(self) -> str | None:
        """Waits until the server accepts connections; returns why it does not let in a client.

        A server that is ending has closed its port, or its process has ended.
        """
        while True:
            while not self._accepts():
                self._pause()
            with suppress(ConnectionRefusedError):
                reason = self._server.login_error(self._pause)
                if reason is None or self._accepts():
                    self._check()
                    return reason

    def _ask(self, statement: str) -> None:
        """Runs a statement by a client.

        Raises:
            EddylineError: EDDYLINE_SERVER.STATEMENT_FAILED if it fails.
        """
        variables = {**self._server.client_variables, **self._environment}
        with subprocess.Popen(
            self._server.client(self._home, statement),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            # with a token it would expect TLS
            env={key: value for key, value in variables.items() if key != _TOKEN},
            text=True,
        ) as client:
            try:
                while True:
                    self._check()
                    with suppress(subprocess.TimeoutExpired):
                        _, errors = client.communicate(timeout=_POLL)
                        break
            finally:
                client.kill()
        if client.returncode != 0:
            raise EddylineError(
                "EDDYLINE_SERVER.STATEMENT_FAILED",
                reason=_reason(errors),
                log=str(self._log),
            )

    def _pause(self) -> None:
        self._check()
        time.sleep(_POLL)

    def _check(self) -> None:
        """Checks that the server runs and that no signal asks to stop."""
        if self._requests.count > int(self._stopping):
            raise StopRequestedError
        code = self._process.poll()
        if code is not None:
            raise EndedError(code)


def _reason(errors: str) -> str:
    r"""Returns the line with the error in what a client has written, else everything.

    >>> _reason("WARNING: incubator\nError: no table\n\tat java")
    'Error: no table'
    """
    lines = errors.strip().splitlines()
    return next((line for line in lines if line.startswith(("Error", "["))), errors.strip())
