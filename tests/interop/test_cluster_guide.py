"""The guide about a cluster: its blocks in one shell, on free ports."""

from __future__ import annotations

from pathlib import Path

import pytest

from interop.launch import free_port, shell
from pages import ROOT, blocks

GUIDE = ROOT / "docs/guides/run-on-a-cluster.md"
END = "-- end of the block --"


@pytest.mark.timeout(0)  # that of the shell is longer than the suite's
def test_guide(tmp_path: Path) -> None:
    found = blocks(GUIDE, "bash")
    code = "".join(f"{block.code}echo '{END}'\n" for block in found)
    for port in ("7077", "10000"):
        code = code.replace(port, str(free_port()))
    done = shell(code, tmp_path, programs=len(found), XDG_STATE_HOME=str(tmp_path / "state"))
    logs = "".join(path.read_text("utf-8", "replace")[-4_000:] for path in tmp_path.glob("*.log"))
    assert done.returncode == 0, done.stdout + done.stderr[-4_000:] + logs
    printed = done.stdout.split(f"{END}\n")
    for block, text in zip(found, printed, strict=False):
        assert block.shown is None or block.shown in text, text
