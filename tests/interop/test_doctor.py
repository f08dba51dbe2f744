"""The doctor with running servers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interop.launch import free_port
from interop.server import Server
from interop.test_cli import command


def doctor(*options: str) -> tuple[int, list[Any]]:
    done = command("doctor", "--json", *options)
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout)["findings"]


def test_connect(connect: Server) -> None:
    status, findings = doctor("--remote", f"sc://127.0.0.1:{connect.port}")
    assert (status, [finding["name"] for finding in findings]) == (0, ["session"])
    assert "reads COGROUP" in findings[0]["detail"]


def test_jdbc(thrift: Server) -> None:
    url = f"jdbc:hive2://127.0.0.1:{thrift.port}/default"
    status, findings = doctor("--jdbc", url)
    assert (status, [finding["name"] for finding in findings]) == (0, ["session"])
    assert "reads COGROUP" in findings[0]["detail"]
    status, (session, rules) = doctor("--jdbc", f"{url}?spark.eddyline.rules.excluded=NarrowAssume")
    assert (status, session["ok"], rules["ok"]) == (0, True, True)
    assert rules["detail"] == "spark.eddyline.rules.excluded leaves out NarrowAssume."
    status, (disabled,) = doctor("--jdbc", f"{url}?spark.eddyline.enabled=false")
    assert (status, disabled["detail"]) == (1, "spark.eddyline.enabled is false.")


@pytest.mark.parametrize("option", ["--remote", "--jdbc"])
def test_nothing_listens(option: str) -> None:
    scheme = "sc" if option == "--remote" else "jdbc:hive2"
    status, (only,) = doctor(option, f"{scheme}://127.0.0.1:{free_port()}")
    assert (status, only["name"], only["ok"]) == (1, "server", False)
    assert "127.0.0.1" in only["detail"]
