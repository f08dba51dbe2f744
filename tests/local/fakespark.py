"""A Spark installation of two small programs, for tests of `eddyline serve` without Spark."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from interop.launch import free_port
from signals import by_default
from waiting import PROCESS_HANGS, eventually

# A server: it listens on the port of its arguments until a signal ends it. To each client it sends
# the end of Thrift's SASL negotiation: COMPLETE, BAD with a reason, or bytes of another protocol.
# The second client logs in. One that breaks takes the first only, and ends.
_SERVER = """
import contextlib, json, os, re, signal, socket, sys, time
print("started with", *sys.argv[1:], flush=True)
open("server.json", "w").write(json.dumps({"pid": os.getpid(), "words": sys.argv[1:]}))
behavior = os.environ["FAKE_SERVER"]
if behavior == "dies":
    print(*(f"line {n}" for n in range(100)), sep="\\n", flush=True)
    sys.exit(3)
if behavior == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
listening = socket.socket()
# who had this port before may have closed it a moment ago
listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
if behavior != "silent":
    port = re.findall(r"\\bport=(\\d+)", " ".join(sys.argv))[-1]
    listening.bind(("127.0.0.1", int(port)))
    listening.listen()
open("serving", "w").close()
answers = {"locked": b"\\3\\0\\0\\0\\x08no entry", "tls": b"\\x15\\3\\3\\0\\2\\2P"}
clients = []
while behavior != "silent":
    client, _ = listening.accept()
    clients.append(client)
    if behavior == "breaks":
        listening.close()
        time.sleep(1)
        sys.exit(3)
    if behavior == "hangs":
        open(f"client{len(clients)}", "w").close()
        continue
    client.setblocking(False)
    with contextlib.suppress(OSError):
        client.send(answers.get(behavior, b"\\5\\0\\0\\0\\0"))
while True:
    time.sleep(60)
"""

# A client: it writes the statements that it is given into a file.
_CLIENT = """
import json, os, sys
statements = [word for option, word in zip(sys.argv, sys.argv[1:]) if option == "-e"]
print(json.dumps(statements), file=open("statements", "a"))
if any(os.environ["FAKE_ERROR"] in statement for statement in statements):
    sys.exit("WARNING: a warning\\nError: the client fails\\n\\tat java.lang")
"""


@dataclass(frozen=True)
class FakeSpark:
    """An installation of Spark in a folder, where its programs also leave what they have seen."""

    folder: Path

    @property
    def words(self) -> list[str]:
        """The arguments of spark-submit."""
        words: list[str] = self._seen()["words"]
        return words

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return int(self._seen()["pid"])

    @property
    def started(self) -> bool:
        """Whether spark-submit has run."""
        return (self.folder / "server.json").exists()

    @property
    def statements(self) -> list[list[str]]:
        """The statements of each client."""
        seen = self.folder / "statements"
        return [json.loads(line) for line in seen.read_text("utf-8").splitlines()]

    def _seen(self) -> dict[str, object]:
        seen: dict[str, object] = json.loads((self.folder / "server.json").read_text("utf-8"))
        return seen


def install(folder: Path) -> FakeSpark:
    """Writes the programs into `folder`."""
    (folder / "bin").mkdir()
    for name, program in (("spark-submit", _SERVER), ("beeline", _CLIENT)):
        (folder / "bin" / name).write_text(f"#!{sys.executable}\n{program}")
        (folder / "bin" / name).chmod(0o755)
    return FakeSpark(folder)


@dataclass(frozen=True)
class Serve:
    """A running `eddyline serve` over a fake Spark."""

    spark: FakeSpark
    process: subprocess.Popen[str]

    @property
    def output(self) -> str:
        """What it has written to stdout."""
        return (self.spark.folder / "output").read_text("utf-8")

    @property
    def errors(self) -> str:
        """What it has written to stderr."""
        return (self.spark.folder / "errors").read_text("utf-8")

    def await_output(self, text: str) -> None:
        eventually(lambda: text in self.output or self.process.poll() is not None)
        assert text in self.output, self.errors

    def await_errors(self, text: str) -> None:
        eventually(lambda: text in self.errors or self.process.poll() is not None)
        assert text in self.errors

    def end(self, *signals: signal.Signals) -> int:
        """Sends signals and returns the exit code."""
        for number in signals:
            self.process.send_signal(number)
        return self.process.wait(PROCESS_HANGS)


@contextmanager
def serving(
    spark: FakeSpark, *arguments: str, server: str = "serves", error: str = "?", **variables: str
) -> Iterator[Serve]:
    """Runs `eddyline serve` on a free port, and kills it afterwards.

    Args:
        spark: the fake installation, whose folder is the working directory too.
        *arguments: the arguments of the command.
        server: how the server behaves: `serves`, `silent`, `stubborn`, `dies`, `locked`, `tls`,
            `hangs` or `breaks`.
        error: statements with this text fail.
        **variables: environment variables.
    """
    folder = spark.folder
    environment = {
        **os.environ,
        "SPARK_HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "FAKE_SERVER": server,
        "FAKE_ERROR": error,
        **variables,
    }
    with (folder / "output").open("wb") as output, (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            by_default(
                [sys.executable, "-m", "eddyline", "serve", *arguments, "--port", str(free_port())]
            ),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            text=True,
        )
    try:
        yield Serve(spark, process)
    finally:
        process.kill()
        process.wait()
