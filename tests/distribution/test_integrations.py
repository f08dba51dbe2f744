"""pip installs what `integrations/` publishes beside the wheel of eddyline."""

from __future__ import annotations

import tomllib
from pathlib import Path

from distribution.environments import REQUIRED, build, new_environment
from tiers import ROOT

FOLDER = ROOT / "integrations/sqlfluff"
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
OTHERS = [each for each in PROJECT["dependencies"] if not each.startswith("eddyline")]


def test_sqlfluff_has_the_dialect(wheel: Path, tmp_path: Path) -> None:
    environment = new_environment(tmp_path / "venv")
    environment.fetch(*REQUIRED, *OTHERS)
    environment.install(wheel)
    environment.install(build(FOLDER, "wheel", tmp_path))
    (tmp_path / "a.sql").write_text("SELECT k FROM t GROUP BY k EMIT ON CHNAGE\n")
    command = ["lint", "--dialect", "eddyline", str(tmp_path / "a.sql")]
    assert "[EDDYLINE_EMIT.SYNTAX_ERROR]" in environment.run("sqlfluff", *command).stdout
