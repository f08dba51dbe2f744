"""`eddyline serve` with real servers, from the printed URL to the last process."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pyarrow.parquet
import pytest

from eddyline.java import find_java
from interop.served import serving
from interop.shop import COGROUP, ROWS, VIEWS
from waiting import PROCESS_HANGS, eventually

NUMBERS = 20
# each row of the micro-batch takes a second, so that the signal comes while it runs; on a machine
# where it comes later the test still holds
QUERY = f"""
CREATE TABLE numbers (k BIGINT) USING parquet;
CREATE TABLE slow (k BIGINT, slept STRING) USING parquet;
INSERT INTO numbers SELECT /*+ COALESCE(1) */ id FROM range({NUMBERS});
START STREAMING QUERY `slow ``one` CHECKPOINT '<checkpoint>' COMMENT 'a, "b"' AS
INSERT INTO slow SELECT k, java_method('java.lang.Thread', 'sleep', 1000L) FROM STREAM numbers
"""


@pytest.mark.parametrize(("kind", "number"), [("thrift", "SIGTERM"), ("connect", "SIGINT")])
def test_a_stop_lets_the_micro_batch_end(tmp_path: Path, kind: str, number: str) -> None:
    in_memory = {
        "spark.sql.catalogImplementation": "in-memory",
        "spark.eddyline.streamingQuery.stopTimeout": f"{PROCESS_HANGS:.0f}s",
    }
    with serving(kind, tmp_path, in_memory) as served:
        served.run(*VIEWS)
        assert "was not tried" not in served.errors()
        printed = served.run(f"SELECT count(*) AS n FROM ({COGROUP})")
        assert re.findall(r"\d+", printed)[-1] == str(len(ROWS))
        checkpoint = tmp_path / "checkpoint"
        served.run(*QUERY.replace("<checkpoint>", str(checkpoint)).split(";"))
        writes, ended = tmp_path / "warehouse/slow/_temporary", checkpoint / "commits/0"
        eventually(lambda: writes.exists() or ended.exists())
        group = served.group

        served.command.send_signal(signal.Signals[number])
        assert served.command.wait(PROCESS_HANGS) == 0, served.errors()
        assert served.errors().endswith("Stopped.\n")

        written = pyarrow.parquet.read_table(tmp_path / "warehouse/slow")
        assert sorted(written["k"].to_pylist()) == list(range(NUMBERS))
        assert ended.exists()
        assert "terminated with error" not in (tmp_path / "server.log").read_text("utf-8")
        eventually(lambda: not running(group))


# a server that asks for a password, of a directory that does not exist, and one with TLS
LOCKED = {
    "hive.server2.authentication": "LDAP",
    "hive.server2.authentication.ldap.url": "ldap://127.0.0.1:1",
}
TLS = {
    "hive.server2.use.SSL": "true",
    "hive.server2.keystore.path": "<keystore>",
    "hive.server2.keystore.password": "secret",
}


@pytest.mark.parametrize(
    ("settings", "reason"),
    [(LOCKED, "client without a password: Error validating the login"), (TLS, "as with TLS")],
)
def test_a_server_that_does_not_let_in_ends_with_the_command(
    tmp_path: Path, settings: dict[str, str], reason: str
) -> None:
    keystore = str(tmp_path / "keystore")
    if settings is TLS:
        keytool = str(Path(find_java()[0]).resolve().with_name("keytool"))
        options = ["-keystore", keystore, "-storepass", "secret", "-dname", "CN=127.0.0.1"]
        command = [keytool, "-genkeypair", "-keyalg", "EC", *options]
        subprocess.run(command, check=True, capture_output=True)
    properties = "".join(
        f"<property><name>{key}</name><value>{value}</value></property>"
        for key, value in settings.items()
    )
    site = f"<configuration>{properties}</configuration>".replace("<keystore>", keystore)
    (tmp_path / "hive-site.xml").write_text(site)  # in the folder of Spark's settings
    with serving("thrift", tmp_path, {}) as served:
        assert reason in served.errors()
        group = served.group
        served.command.kill()
        eventually(lambda: not running(group))


def test_a_connect_server_that_asks_for_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its user has the token in the environment, with which a client would expect TLS."""
    monkeypatch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "secret")
    with serving("connect", tmp_path, {"spark.connect.authenticate.token": "secret"}) as served:
        assert "was not tried: it asks its clients for a token\n" in served.errors()


def running(group: int) -> list[str]:
    """Returns the processes of a group, but for those that init has not collected yet."""
    command = ["ps", "-eo", "pgid=,stat=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    return [row[-1] for row in rows if row[0] == str(group) and not row[1].startswith("Z")]
