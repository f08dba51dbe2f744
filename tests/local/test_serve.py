"""`eddyline serve` without Spark: what it checks, what it starts, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from eddyline.cli import rollover, serverlog
from eddyline.cli.commands import eddyline
from eddyline.cli.serverlog import ServerLog
from eddyline.versions import eddyline_version
from local.fakespark import FakeSpark, install, serving
from waiting import eventually


@pytest.fixture
def spark(tmp_path: Path) -> FakeSpark:
    return install(tmp_path)


def refused(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """Returns the error of a server that is not started."""
    monkeypatch.setenv("SPARK_HOME", str(spark.folder))
    result = CliRunner().invoke(eddyline, ["serve", *arguments])
    assert result.exit_code != 0
    assert not spark.started
    return result.output


# --- what is checked before anything starts


def test_the_port_is_taken(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        error = refused(spark, monkeypatch, "connect", "--port", port)
    assert error.startswith("[EDDYLINE_ENVIRONMENT.PORT_UNAVAILABLE]")
    assert f"127.0.0.1:{port}: Address already in use" in error


def test_the_host_is_unknown(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
    error = refused(spark, monkeypatch, "thrift", "--host", "no.such.host.invalid", "--port", "0")
    assert error.startswith("[EDDYLINE_ENVIRONMENT.PORT_UNAVAILABLE]")


@pytest.mark.parametrize("port", ["65536", "-1", "x"])
def test_no_port(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    assert "Invalid value for '--port'" in refused(spark, monkeypatch, "thrift", "--port", port)


def test_no_java(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(spark.folder))
    error = refused(spark, monkeypatch, "thrift", "--port", "0")
    assert error.startswith("[EDDYLINE_ENVIRONMENT.JAVA_MISSING]")
    assert "no java on the path" in error


def test_no_jar(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eddyline.session.files", lambda _: spark.folder)
    error = refused(spark, monkeypatch, "thrift", "--port", "0")
    assert error.startswith("[EDDYLINE_ENVIRONMENT.JAR_MISSING]")


def test_no_spark(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
    (spark.folder / "bin/spark-submit").unlink()
    error = refused(spark, monkeypatch, "thrift", "--port", "0")
    assert error.startswith("[EDDYLINE_ENVIRONMENT.SPARK_MISSING]")
    assert f"SPARK_HOME is {spark.folder}," in error


def test_no_pyspark(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    error = refused(spark, monkeypatch, "thrift", "--port", "0")
    assert error.startswith("[EDDYLINE_ENVIRONMENT.PYSPARK_MISSING]")


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (None, "No such file or directory"),
        ("echo 'Traceback: …' >&2; echo 'No module named eddyline' >&2; exit 1", "No module named"),
        ("printf '\\0\\0\\0\\0050.0.1'", "it has eddyline 0.0.1"),
    ],
)
def test_no_python_for_the_sidecar(
    spark: FakeSpark, monkeypatch: pytest.MonkeyPatch, program: str | None, reason: str
) -> None:
    python = spark.folder / "python"
    if program is not None:
        python.write_text(f"#!/bin/sh\n{program}\n")
        python.chmod(0o755)
    conf = f"spark.eddyline.python={python}"
    error = refused(spark, monkeypatch, "connect", "--port", "0", "--conf", conf)
    assert error.startswith("[EDDYLINE_ENVIRONMENT.PYTHON_UNUSABLE]")
    assert f"{python} cannot read clauses for the jar: {reason}" in error
    assert f"eddyline {eddyline_version()} installed" in error


def test_no_log_file(spark: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
    log = str(spark.folder / "bin/beeline/server.log")
    error = refused(spark, monkeypatch, "thrift", "--port", "0", "--log-file", log)
    assert "Invalid value for --log-file" in error


# --- the life of the server and of its log


def test_the_files_of_the_log(tmp_path: Path) -> None:
    """The newest lines, in files of a size, also where a line is long or not UTF-8."""
    lines = [*(b"%d \xff" % number for number in range(500)), *[b"x" * 200_000] * 3, b"last"]
    command = [sys.executable, "-I", rollover.__file__, str(tmp_path / "log"), "100000", "3"]
    subprocess.run(command, input=b"\n".join(lines), check=True)
    files = [tmp_path / name for name in ("log.3", "log.2", "log.1", "log")]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert all(file.stat().st_size <= 100_001 for file in files)
    (tmp_path / "log.1").unlink()
    subprocess.run(command, input=b"more\n", check=True)
    assert (tmp_path / "log").read_bytes().endswith(b"last\nmore\n")


@pytest.mark.parametrize("lines", [3, 30])
def test_the_end_of_the_log_of_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    """It is what this run wrote, also if the file of the run before became full meanwhile."""
    monkeypatch.setattr(serverlog, "_SIZE", 1000)
    (tmp_path / "log").write_text("before\n" * 120)
    log = ServerLog(tmp_path / "log")
    with log.output() as output:
        assert output is not None
        os.write(output, b"".join(b"line %d\n" % number for number in range(lines)))
    assert ((tmp_path / "log.1").exists()) == (lines == 30)
    assert log.tail().splitlines()[-2:] == [f"line {number}" for number in (lines - 2, lines - 1)]
    assert "before" not in log.tail()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stop(spark: FakeSpark, number: signal.Signals) -> None:
    with serving(spark, "thrift", "--master", "local[1]", "--", "--name", "mine") as serve:
        serve.await_output("ready\n")
        port = serve.output.splitlines()[0].removeprefix("jdbc:hive2://127.0.0.1:").rstrip("/")
        assert serve.output == f"jdbc:hive2://127.0.0.1:{port}/\nready\n"
        assert spark.words[:2] == ["--master", "local[1]"]
        assert spark.words[2:4] == ["--name", "mine"]
        assert spark.words[-1] == f"hive.server2.thrift.port={port}"
        ((probe,),) = spark.statements
        assert probe.startswith("EXPLAIN COGROUP")
        pid = spark.pid
        assert serve.end(number) == 0
        assert serve.errors.endswith("Stopped.\n")
    log = spark.folder / f"state/eddyline/log/thrift-{port}.log"
    assert f"Log: {log}\n" in serve.errors
    assert log.read_text("utf-8").startswith("started with --master local[1]")
    assert gone(pid)


@pytest.mark.parametrize(("kind", "is_said"), [("thrift", True), ("connect", False)])
def test_the_embedded_metastore_is_said(spark: FakeSpark, kind: str, is_said: bool) -> None:
    (spark.folder / "packages").mkdir()
    (spark.folder / "packages/grpc.py").write_text("raise ImportError('no grpc')\n")
    with serving(spark, kind, PYTHONPATH=f"{spark.folder}/packages") as serve:
        serve.await_output("ready\n")
        assert ("--conf spark.hadoop.hive.metastore.uris=" in serve.errors) == is_said
        assert serve.end(signal.SIGTERM) == 0


def test_a_stop_before_the_server_is_ready(spark: FakeSpark) -> None:
    with serving(spark, "thrift", server="silent") as serve:
        eventually((spark.folder / "serving").exists)
        pid = spark.pid
        assert serve.end(signal.SIGTERM) == 0
        assert serve.output == ""
        assert not (spark.folder / "statements").exists()
    assert gone(pid)


def test_a_second_stop_kills(spark: FakeSpark) -> None:
    with serving(spark, "thrift", server="stubborn") as serve:
        serve.await_output("ready\n")
        pid = spark.pid
        serve.process.send_signal(signal.SIGINT)
        serve.await_errors("another Ctrl-C kills it")
        assert serve.end(signal.SIGINT) == 128 + signal.SIGKILL
        assert serve.errors.endswith("Killed.\n")
    assert gone(pid)


def test_a_server_that_dies_at_its_start(spark: FakeSpark) -> None:
    log = spark.folder / "server.log"
    log.write_text("of an earlier run\n")
    with serving(spark, "thrift", "--log-file", str(log), server="dies") as serve:
        assert serve.end() == 3
    assert serve.output == ""
    shown = serve.errors.splitlines()
    assert [line for line in shown if line.startswith("line")] == [
        f"line {number}" for number in range(80, 100)
    ]
    assert "[EDDYLINE_SERVER.ENDED]" in shown[-1]
    assert f"exit code 3. Look for the cause in its log {log}." in shown[-1]
    assert log.read_text("utf-8").startswith("of an earlier run\nstarted with")


def test_a_server_that_dies_before_a_client_logs_in(spark: FakeSpark) -> None:
    """It accepts connections for a moment, and is not ready."""
    with serving(spark, "thrift", server="breaks") as serve:
        assert serve.end() == 3
    assert serve.output == ""
    assert "[EDDYLINE_SERVER.ENDED]" in serve.errors
    assert "was not tried" not in serve.errors


def test_a_stop_while_a_client_logs_in(spark: FakeSpark) -> None:
    with serving(spark, "thrift", server="hangs") as serve:
        eventually((spark.folder / "client2").exists)
        assert serve.end(signal.SIGTERM) == 0
    assert serve.output == ""
    assert serve.errors.endswith("Stopped.\n")


def test_the_log_on_standard_output(spark: FakeSpark) -> None:
    with serving(spark, "thrift", "--log-file", "-", server="dies") as serve:
        assert serve.end() == 3
    assert serve.output.startswith("started with")
    assert serve.output.endswith("line 99\n")
    assert "Look for the cause in its log on standard output." in serve.errors


def test_a_server_that_dies_later(spark: FakeSpark) -> None:
    with serving(spark, "thrift") as serve:
        serve.await_output("ready\n")
        os.kill(spark.pid, signal.SIGKILL)
        assert serve.end() == 128 + signal.SIGKILL
    assert "[EDDYLINE_SERVER.ENDED]" in serve.errors
    assert "started with" in serve.errors


def test_a_server_without_the_dialect(spark: FakeSpark) -> None:
    with serving(spark, "thrift", error="COGROUP") as serve:
        assert serve.end() == 1
    assert serve.output == ""
    assert "[EDDYLINE_SERVER.STATEMENT_FAILED]" in serve.errors
    assert "a statement failed: Error: the client fails Look" in serve.errors
    assert gone(spark.pid)


@pytest.mark.parametrize(
    ("server", "reason"),
    [("locked", "a client without a password: no entry\n"), ("tls", "as with TLS, Kerberos or")],
)
def test_a_server_that_does_not_let_in(spark: FakeSpark, server: str, reason: str) -> None:
    """It is ready all the same, and no client tries to log in."""
    with serving(spark, "thrift", server=server) as serve:
        serve.await_output("ready\n")
        assert "accepts connections, but was not tried: it does not" in serve.errors
        assert reason in serve.errors
        assert serve.end(signal.SIGTERM) == 0
    assert not (spark.folder / "statements").exists()


@pytest.mark.parametrize("server", ["serves", "silent"])
def test_the_command_is_killed(spark: FakeSpark, server: str) -> None:
    """Its server ends too, before it is ready and afterwards."""
    with serving(spark, "thrift", server=server) as serve:
        if server == "serves":
            serve.await_output("ready\n")
        else:
            eventually((spark.folder / "serving").exists)
        pid = spark.pid
        assert serve.end(signal.SIGKILL) == -signal.SIGKILL
    eventually(lambda: ended(pid))


def test_a_connect_server_without_the_packages_of_a_client(spark: FakeSpark) -> None:
    (spark.folder / "packages").mkdir()
    (spark.folder / "packages/grpc.py").write_text("raise ImportError('no grpc')\n")
    path = os.pathsep.join([str(spark.folder / "packages"), os.environ.get("PYTHONPATH", "")])
    with serving(spark, "connect", PYTHONPATH=path) as serve:
        serve.await_output("ready\n")
        assert serve.output.startswith("sc://127.0.0.1:")
        assert "was not tried: [EDDYLINE_ENVIRONMENT.CONNECT_MISSING]" in serve.errors
        assert serve.end(signal.SIGTERM) == 0
    assert gone(spark.pid)


def ended(pid: int) -> bool:
    """Whether an orphan has ended; init may not have collected it yet."""
    command = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return state.strip()[:1] in ("", "Z")


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
