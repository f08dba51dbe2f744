"""Spark's own servers: how spark-submit starts them, and the clients that ask them."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from eddyline.cli import hivelogin


@dataclass(frozen=True)
class Server(ABC):
    """One of Spark's servers.

    A client is a program that runs statements on the server and prints their rows. It is a process
    of its own, which can be ended at any moment.

    Attributes:
        host: name or IP address that the server listens on.
        port: port that the server listens on.
        main: the server's main class.
        default_port: the port without `--port`.
        default_catalog: what `spark.sql.catalogImplementation` is if it is not set.
        client_variables: environment variables of the client.
    """

    host: str
    port: int

    main: ClassVar[str]
    default_port: ClassVar[int]
    default_catalog: ClassVar[str]
    client_variables: ClassVar[Mapping[str, str]] = {}

    @property
    def address(self) -> str:
        """Host and port, as URLs write them.

        >>> ConnectServer("::1", 15002).address
        '[::1]:15002'
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    @abstractmethod
    def url(self) -> str:
        """The address for clients."""

    @property
    def settings(self) -> dict[str, str]:
        """Settings of Spark by which the server listens there."""
        return {}

    @property
    def arguments(self) -> list[str]:
        """Arguments of the server's main class by which it listens there."""
        return []

    def login_error(self, pause: Callable[[], None]) -> str | None:
        """Returns why the server refuses the client, once it accepts connections; else None.

        Args:
            pause: waits for a moment. What it raises ends the waiting for a reply.

        Raises:
            ConnectionRefusedError: the server no longer accepts connections.
        """
        return None

    def inconclusive_reason(self, reason: str) -> str | None:
        """Returns why the error of a statement says nothing about the server; None if it does.

        Args:
            reason: the error of the client.
        """
        return None

    @abstractmethod
    def client(self, home: Path, *statements: str) -> list[str]:
        """Returns the command line of a client that runs statements.

        Args:
            home: the folder of Spark's installation.
            *statements: the statements; the first error ends the client.
        """


class ThriftServer(Server):
    """The Thrift server, whose client is beeline: it is among Spark's jars, so it is there."""

    main = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
    default_port = 10000
    default_catalog = "hive"
    # it has ended before Java's second compiler would have gained anything
    client_variables: ClassVar[Mapping[str, str]] = {
        "SPARK_BEELINE_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    }

    @property
    def url(self) -> str:
        """The address for JDBC."""
        return f"jdbc:hive2://{self.address}/"

    @property
    def arguments(self) -> list[str]:
        """Settings of Hive, which win over those in a `hive-site.xml`."""
        return [
            *("--hiveconf", f"hive.server2.thrift.bind.host={self.host}"),
            *("--hiveconf", f"hive.server2.thrift.port={self.port}"),
        ]

    def login_error(self, pause: Callable[[], None]) -> str | None:
        """Returns why the server does not let a client without a password in."""
        return hivelogin.login_error(self.host, self.port, pause)

    def client(self, home: Path, *statements: str) -> list[str]:
        """Returns a command line of beeline, which prints CSV."""
        options = ["-n", "eddyline", "--silent=true", "--outputformat=csv2"]
        typed = [word for statement in statements for word in ("-e", statement)]
        return [str(home / "bin" / "beeline"), "-u", self.url, *options, *typed]


class ConnectServer(Server):
    """The Spark Connect server, whose client is `eddyline sql`."""

    main = "org.apache.spark.sql.connect.service.SparkConnectServer"
    default_port = 15002
    default_catalog = "in-memory"

    @property
    def url(self) -> str:
        """The address for Spark Connect."""
        return f"sc://{self.address}"

    @property
    def settings(self) -> dict[str, str]:
        """Host and port of gRPC."""
        binding = "spark.connect.grpc.binding"
        return {f"{binding}.address": self.host, f"{binding}.port": str(self.port)}

    def inconclusive_reason(self, reason: str) -> str | None:
        """Returns the reason if the client has no token, or not all packages."""
        if "StatusCode.UNAUTHENTICATED" in reason:
            return "it asks its clients for a token"
        return reason if "EDDYLINE_ENVIRONMENT.CONNECT_MISSING" in reason else None

    def client(self, home: Path, *statements: str) -> list[str]:
        """Returns a command line of `eddyline sql`, which prints JSON."""
        safe = ["-P"] if sys.version_info >= (3, 11) else []
        command = [sys.executable, *safe, "-m", "eddyline", "sql", "--remote", self.url, "--json"]
        return [*command, "-e", ";\n".join(statements)]


SERVERS: Mapping[str, type[Server]] = {"connect": ConnectServer, "thrift": ThriftServer}
