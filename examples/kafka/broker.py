"""A Kafka broker of one node, and jars that Maven fetches; the demo and the tests have them."""

from __future__ import annotations

import base64
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from pathlib import Path

from eddyline.java import find_java
from eddyline.kafka import fetch, jar_names

POM = Path(__file__).with_name("broker.xml")
_BUILD = Path(__file__).resolve().parents[2] / "build/kafka"
JARS = _BUILD / "broker"
CONNECTOR = _BUILD / "connector"
PARTITIONS = 2  # of a topic that a client creates by writing to it
USER = "reader"
PASSWORD = "a-password-of-tests"
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_LOG_SHOWN = 4_000  # characters
# Limits that are reached only if something hangs.
_STARTS = 300.0  # seconds
_PROGRAM_ENDS = 1200.0  # seconds; a download may be slow

# Events may be years old, and the broker would delete them by their age while a test reads them.
_SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},SASL_PLAINTEXT://127.0.0.1:{secure},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SASL_PLAINTEXT://127.0.0.1:{secure}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_plaintext.plain.sasl.jaas.config={login} user_{user}="{password}";
log.dirs={folder}/data
log.retention.ms=-1
log.cleaner.backoff.ms=500
num.partitions={partitions}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
num.network.threads=2
num.io.threads=2
"""


def fetch_jars(pom: Path = POM, jars: Path = JARS) -> str | None:
    """Fetches jars by Maven unless they are there, those of the broker by default.

    Args:
        pom: the file that names them.
        jars: the folder for them.

    Returns:
        Why it could not.
    """
    if any(jars.glob("*.jar")):
        return None
    maven = shutil.which("mvn")
    if maven is None:
        return "Maven is missing, which fetches the jars of the broker"
    # renamed when complete, since another process may fetch at the same time
    partial = jars.with_name(f"{jars.name}-{os.getpid()}")
    goal = ["dependency:copy-dependencies", f"-DoutputDirectory={partial}"]
    done = subprocess.run(
        [maven, "-q", "-B", "-f", str(pom), *goal],
        capture_output=True,
        text=True,
        check=False,
        timeout=_PROGRAM_ENDS,
    )
    if done.returncode == 0 and not jars.exists():
        partial.rename(jars)
    shutil.rmtree(partial, ignore_errors=True)
    return None if jars.exists() else f"Maven did not fetch {jars.name}: {done.stdout[-500:]}"


def connector_jars() -> list[Path]:
    """Returns the jars of Spark's connector, which are fetched unless they are there.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.KAFKA_JARS_MISSING if they cannot be fetched.
    """
    jars = [CONNECTOR / name for name in jar_names()]
    return jars if all(jar.exists() for jar in jars) else fetch(CONNECTOR)


class Broker:
    """A broker on a free port of 127.0.0.1, which keeps port and data when it is started again.

    Attributes:
        port: its port.
        secure_port: its port for clients that log in by SASL/PLAIN as `USER` with `PASSWORD`.
        folder: the folder with its settings, its data and its log.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._reserved = [_reserved() for _ in range(3)]
        self.port, self.secure_port, controller = (
            int(held.getsockname()[1]) for held in self._reserved
        )
        self._settings = folder / "server.properties"
        self._settings.write_text(
            _SETTINGS.format(
                port=self.port,
                secure=self.secure_port,
                controller=controller,
                folder=folder,
                partitions=PARTITIONS,
                login=LOGIN,
                user=USER,
                password=PASSWORD,
            )
        )
        self._process: subprocess.Popen[bytes] | None = None
        # the tool would take an id that begins with a hyphen for an option
        identity = b"\0" + uuid.uuid4().bytes[1:]
        cluster = base64.urlsafe_b64encode(identity).decode().rstrip("=")
        command = self._java("128m", "kafka.tools.StorageTool", "format", "-t", cluster, "-c")
        subprocess.run(command, check=True, capture_output=True, timeout=_PROGRAM_ENDS)

    @property
    def address(self) -> str:
        """What a client takes for `kafka.bootstrap.servers`."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts the broker and waits until it accepts clients.

        Raises:
            RuntimeError: if it ended or hangs; with the end of its log.
        """
        log = self.folder / "broker.log"
        with log.open("ab") as output:
            started = subprocess.Popen(
                self._java("256m", "kafka.Kafka"),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._process = started
        deadline = time.monotonic() + _STARTS
        while not _accepts(self.port):
            if started.poll() is not None or time.monotonic() > deadline:
                ended = started.poll()
                self.kill()
                state = "hangs" if ended is None else f"ended with {ended}"
                tail = log.read_text("utf-8", "replace")[-_LOG_SHOWN:]
                raise RuntimeError(f"the broker {state}; its log ends with\n{tail}")
            time.sleep(0.05)

    @property
    def pid(self) -> int:
        """The id of its process, which runs."""
        assert self._process is not None
        return self._process.pid

    def ensure(self) -> None:
        """Starts the broker unless it runs."""
        if self._process is None or self._process.poll() is not None:
            self.start()

    def stop(self, grace: float = 60) -> None:
        """Ends the broker; kills it if it has not ended after so many seconds."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(grace)
            except subprocess.TimeoutExpired:
                self.kill()
        for held in self._reserved:
            held.close()

    def kill(self) -> None:
        """Kills the broker, which writes nothing more to its disk."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(_PROGRAM_ENDS)

    def _java(self, heap: str, *words: str) -> list[str]:
        java, _ = find_java()
        options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-Xmx{heap}"]
        return [java, *options, "-cp", str(JARS / "*"), *words, str(self._settings)]


def _reserved() -> socket.socket:
    """Returns a socket with a port of 127.0.0.1 that the system gives to nobody else.

    It does not listen, so that the broker can, whenever it is started.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def _accepts(port: int) -> bool:
    """Returns whether a process listens on the port of 127.0.0.1."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
