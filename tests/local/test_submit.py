"""The command line of spark-submit by which `eddyline serve` starts a server."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path

import pyspark
import pytest

from eddyline.cli import rollover
from eddyline.cli.servers import ConnectServer, ThriftServer
from eddyline.cli.submit import server_settings, submit
from eddyline.session import BUFFER_WAIT, EXPLAIN, EXTENSIONS, has_buffer_wait, jar_path

LOG = Path(rollover.__file__).with_name("log4j2-server.properties").as_uri()
NO_POOL = "spark.hadoop.datanucleus.connectionPoolingType=None"


def test_arguments_of_spark_submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("EDDYLINE_ARCHIVES", str(tmp_path / "none"))
    jar = str(jar_path())
    words = submit(tmp_path, ThriftServer("::1", 1), "local[2]", {"spark.x": "a b"}, ["--verbose"])
    assert words == [
        f"{tmp_path}/bin/spark-submit",
        *("--master", "local[2]"),
        *("--conf", "spark.x=a b"),
        "--verbose",
        *("--conf", f"spark.sql.extensions={EXTENSIONS}"),
        *("--conf", f"spark.sql.extendedExplainProviders={EXPLAIN}"),
        *("--driver-class-path", jar),
        *("--jars", jar),
        *("--conf", f"spark.eddyline.python={sys.executable}"),
        *(("--conf", f"{BUFFER_WAIT}=2") if has_buffer_wait(pyspark.__version__) else ()),
        *("--driver-java-options", f"-Dlog4j2.configurationFile={LOG}"),
        *("--conf", "spark.eddyline.streamingQuery.autoStart=true"),
        *("--conf", NO_POOL),
        *("--class", ThriftServer.main),
        "spark-internal",
        *("--hiveconf", "hive.server2.thrift.bind.host=::1"),
        *("--hiveconf", "hive.server2.thrift.port=1"),
    ]
    words = submit(tmp_path, ConnectServer("127.0.0.1", 2), None, {}, [])
    assert "--master" not in words
    assert words[-7:] == [
        *("--conf", "spark.connect.grpc.binding.address=127.0.0.1"),
        *("--conf", "spark.connect.grpc.binding.port=2"),
        *("--class", ConnectServer.main),
        "spark-internal",
    ]


@pytest.mark.parametrize(
    "options",
    [
        ["--jars", "a.jar", "--driver-class-path", "/a", "--conf", "spark.sql.extensions=a.A"],
        ["--jars=a.jar", "--driver-class-path=/a", "-c", "spark.sql.extensions=a.A"],
        ["--properties-file", "<folder>/own.conf"],
        [],
    ],
)
def test_lists_of_the_user_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    lines = "spark.jars a.jar\nspark.driver.extraClassPath /a\nspark.sql.extensions a.A\n"
    (tmp_path / "own.conf").write_text(lines)
    if not options:
        (tmp_path / "own.conf").rename(tmp_path / "spark-defaults.conf")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    given = [option.replace("<folder>", str(tmp_path)) for option in options]
    words = submit(tmp_path, ThriftServer("127.0.0.1", 1), None, {}, given)
    last = dict(pairwise(words))
    assert last["--jars"] == f"a.jar,{jar_path()}"
    assert last["--driver-class-path"] == os.pathsep.join(["/a", str(jar_path())])
    assert f"spark.sql.extensions=a.A,{EXTENSIONS}" in words


def test_a_log_that_is_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options of the user come after that of the command, so that theirs is the last."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("EDDYLINE_ARCHIVES", str(tmp_path / "none"))
    own = "-Dlog4j2.configurationFile=/own.xml"
    found = server_settings({"spark.driver.extraJavaOptions": own}, [])
    assert found["spark.driver.extraJavaOptions"] == f"-Dlog4j2.configurationFile={LOG} {own}"
    defaults = {"spark.driver.defaultJavaOptions": own}
    assert "spark.driver.extraJavaOptions" not in server_settings(defaults, [])
    (tmp_path / "log4j2.properties.template").touch()
    assert server_settings({}, [])["spark.driver.extraJavaOptions"].endswith(LOG)
    (tmp_path / "log4j2.properties").touch()
    assert "spark.driver.extraJavaOptions" not in server_settings({}, [])


@pytest.mark.parametrize(
    ("options", "extension", "jar"),
    [
        ("--properties-file own", EXTENSIONS, "own.jar"),
        ("--properties-file own --load-spark-defaults", "d.D", "own.jar"),
        ("--extra-properties-file=first --extra-properties-file second", "d.D", "second.jar"),
        ("--extra-properties-file first --properties-file own", EXTENSIONS, "first.jar"),
    ],
)
def test_files_of_properties(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, extension: str, jar: str
) -> None:
    """They are read as by SparkSubmitArguments, also where one is not UTF-8."""
    (tmp_path / "spark-defaults.conf").write_text("spark.sql.extensions d.D\nspark.jars d.jar\n")
    for name in ("own", "first", "second"):
        (tmp_path / name).write_text(f"spark.app.name Müller\nspark.jars {name}.jar\n", "latin-1")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    found = server_settings({}, options.split())
    assert found["spark.sql.extensions"].split(",")[0] == extension
    assert found["spark.jars"].split(",")[0] == jar


def test_persistent_queries_may_stay_stopped(tmp_path: Path) -> None:
    conf = {"spark.eddyline.streamingQuery.autoStart": "false"}
    words = submit(tmp_path, ThriftServer("127.0.0.1", 1), None, conf, [])
    assert [word for word in words if "autoStart" in word] == [
        "spark.eddyline.streamingQuery.autoStart=false"
    ]


@pytest.mark.parametrize(
    ("settings", "is_embedded"),
    [
        ({}, True),
        ({"spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:;databaseName=m"}, True),
        ({"spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby://host:1527/m"}, False),
        ({"spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:postgresql://host/m"}, False),
        ({"spark.hadoop.hive.metastore.uris": "thrift://host:9083"}, False),
        ({"spark.hive.metastore.uris": "thrift://host:9083"}, False),
        ({"spark.sql.catalogImplementation": "in-memory"}, False),
    ],
)
def test_the_embedded_metastore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], is_embedded: bool
) -> None:
    """It is given as Spark reads it: by a setting, or in `hive-site.xml`."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    server = ThriftServer("127.0.0.1", 1)
    assert (NO_POOL in submit(tmp_path, server, None, settings, [])) == is_embedded
    of_hive = {key for key in settings if key.startswith("spark.hadoop.")}
    properties = "".join(
        f"<property><name>{key.removeprefix('spark.hadoop.')}</name>"
        f"<value>\n{settings[key]}</value></property>"
        for key in of_hive
    )
    (tmp_path / "hive-site.xml").write_text(f"<configuration>{properties}</configuration>")
    given = {key: settings[key] for key in settings.keys() - of_hive}
    assert (NO_POOL in submit(tmp_path, server, None, given, [])) == is_embedded


def test_a_pool_that_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    own = {"spark.hadoop.datanucleus.connectionPoolingType": "HikariCP"}
    assert NO_POOL not in submit(tmp_path, ThriftServer("127.0.0.1", 1), None, own, [])
    hive = {"spark.sql.catalogImplementation": "hive"}
    assert NO_POOL in submit(tmp_path, ConnectServer("127.0.0.1", 1), None, hive, [])
