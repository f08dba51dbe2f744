"""The broker that the tests of topics share, and the jars that they and users fetch."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from eddyline import EddylineError
from eddyline.cli.commands import eddyline
from eddyline.kafka import connector, fetch
from kafka.broker import Broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_the_command_fetches_the_connector(connector_jars: list[Path], tmp_path: Path) -> None:
    done = CliRunner().invoke(eddyline, ["kafka-jars", str(tmp_path / "jars")])
    assert done.exit_code == 0, done.output
    printed = [Path(line) for line in done.output.splitlines()]
    assert {path.name for path in printed} == {path.name for path in connector_jars}
    assert all(path.exists() for path in printed)
    assert len(printed) == len(connector())


def test_no_tool_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr("eddyline.kafka.spark_folder", lambda: None)
    with pytest.raises(EddylineError) as caught:
        fetch(tmp_path)
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.KAFKA_JARS_MISSING"
    assert connector()[0] in str(caught.value)


def test_old_events_are_kept(spark: SparkSession, running: Broker) -> None:
    """The broker deletes nothing by age, since events may be years old."""
    assert spark._jvm is not None
    admins = spark._jvm.org.apache.kafka.clients.admin.Admin
    settings = spark._jvm.java.util.Properties()
    settings.setProperty("bootstrap.servers", running.address)
    resources = spark._jvm.org.apache.kafka.common.config
    node = resources.ConfigResource(resources.ConfigResource.Type.BROKER, "1")
    admin = admins.create(settings)
    try:
        found = admin.describeConfigs(spark._jvm.java.util.List.of(node)).all().get()
        assert found.get(node).get("log.retention.ms").value() == "-1"
    finally:
        admin.close()
