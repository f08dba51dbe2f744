"""What is typed, as `eddyline lint`, `fmt` and `lower` read it and as they print it."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from eddyline.cli.commands import eddyline
from eddyline.linting import lint_sql


def test_carriage_returns_end_a_comment_after_a_backslash() -> None:
    typed = "COGROUP a BY k, -- from C:\\data\\\r\nb BY k AGGREGATE count(*) AS n"
    result = CliRunner().invoke(eddyline, ["lint", "-"], input=typed)
    assert (result.exit_code, result.stdout.split(" ")[:2]) == (1, ["-:2:18:", "EL07"])
    lines = "COGROUP a BY 'x\r\ny', -- C:\\\r\n  b BY k AGGREGATE count(*) AS n"
    assert [(found.line, found.column) for found in lint_sql(lines)] == [(3, 20)]


def test_typed_text_is_no_command_to_a_terminal_or_to_github(tmp_path: Path) -> None:
    path = tmp_path / "a\n::error::b\x1b[2J.sql"
    typed = "CREATE GLOBAL TABLE g MAX ROWS 'a\n::error::b\r::error::c\x1b[2J\x9b2J\n' AS SELECT 1"
    path.write_text(typed, newline="")
    place = f"{tmp_path}/a\\n::error::b\\x1b[2J.sql"
    shown = "'a\\n::error::b\\r::error::c\\x1b[2J\\x9b2J\\n'"

    def printed(*arguments: str) -> str:
        return CliRunner().invoke(eddyline, arguments).output_bytes.decode()

    (line,) = printed("lint", str(path)).split("\n")[:-1]
    assert line.startswith(f"{place}:1:32: EL00 [")
    assert shown in line
    (line,) = printed("lint", "--format", "github", str(path)).split("\n")[:-1]
    assert "a%0A%3A%3Aerror%3A%3Ab\\x1b[2J.sql" in line
    assert "'a%0A::error::b%0D::error::c\\x1b[2J\\x9b2J%0A'" in line
    assert "\\u001b[2J\\u009b2J" in printed("lint", "--format", "json", str(path))
    assert "c\\x1b[2J\\x9b2J" in printed("lower", "-f", str(path)), "no sequence of the terminal"
    path.write_text("select  1")
    assert printed("fmt", "--check", str(path)) == f"{place} would change\n"
    assert printed("fmt", str(path)) == f"{place} changed\n"
    path.write_text("\x1b[2J\r'a")
    for command in ("fmt", "lint"):
        (line,) = printed(command, str(path)).split("\n")[:-1]
        assert line.startswith(f"{place}: [EDDYLINE_")
        assert not re.search(r"[\r\x1b]", line)
