"""The prompt of `eddyline sql`, with keys that are typed into a pipe."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import ColorDepth, DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from eddyline.cli.repl import WordCompleter, run_prompt
from eddyline.cli.runner import Runner

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CTRL_C, CTRL_D, ENTER = "\x03", "\x04", "\r"


def typed(spark: SparkSession, keys: str) -> None:
    """Types the keys at the prompt."""
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        run_prompt(Runner(spark, "csv"))


def test_prompt(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    keys = (
        f"SELECT 1{ENTER}  AS one;{ENTER}"  # Enter begins a new line until the statement ends
        f"SELECT wrong{CTRL_C}"  # abandons the line
        f"COGROUP a BY k;{ENTER}"  # an error, after which the prompt goes on
        f"SELECT 2 AS two; SELECT 3 AS three\\G{ENTER}"
        f"{ENTER}"
    )
    typed(spark, keys + CTRL_D)
    printed = capsys.readouterr()
    out = printed.out.partition("leaves.\n")[2]
    assert out == "one\n1\ntwo\n2\n-RECORD 0-\n three | 3\n"
    assert re.findall(r"^\[(\w+\.\w+)\]", printed.err, re.MULTILINE) == [
        "EDDYLINE_COGROUP.SYNTAX_ERROR"
    ]
    history = tmp_path / "eddyline/history"
    assert "AS one;" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0
    typed(spark, f"exit{ENTER}SELECT 4;{ENTER}")
    printed = capsys.readouterr()
    assert "4" not in printed.out.partition("leaves.\n")[2]
    assert printed.err == ""


def test_clauses_are_colored(spark: SparkSession, tmp_path: Path) -> None:
    """Of the word EMIT, a column and the beginning of a clause, only the second is a keyword."""
    screen = io.StringIO()
    output = Vt100_Output(screen, lambda: Size(24, 80), default_color_depth=ColorDepth.DEPTH_4_BIT)
    with (
        pytest.MonkeyPatch.context() as patch,
        create_pipe_input() as pipe,
        create_app_session(input=pipe, output=output),
    ):
        patch.setenv("XDG_STATE_HOME", str(tmp_path))
        pipe.send_text(f"SELECT emit FROM t EMIT ON CHANGE{CTRL_C}{CTRL_D}")
        run_prompt(Runner(spark, "csv"))
    colored = re.findall(r"\x1b\[0;[\d;]+m(\w+)", screen.getvalue())
    assert "EMIT" in colored
    assert "emit" not in colored


def test_completion(spark: SparkSession) -> None:
    spark.sql("CREATE TEMPORARY VIEW cogs AS SELECT 1 AS id")
    completer = WordCompleter(spark)

    def completions(text: str) -> list[str]:
        found = completer.get_completions(Document(text), CompleteEvent())
        return [completion.text for completion in found]

    assert completions("SELECT * FROM cog") == ["cogs", "COGROUP"]
    assert "DISTRIBUTE" in completions("distr")
    assert completions("SELECT ") == []
    spark.sql("CREATE TEMPORARY VIEW cogwheels AS SELECT 1 AS id")
    completer.forget_tables()
    assert "cogwheels" in completions("FROM cog")
    spark.sql("CREATE SCHEMA leaving")
    spark.sql("USE leaving")
    spark.sql("DROP SCHEMA leaving")
    completer.forget_tables()
    assert "COGROUP" in completions("FROM cog"), "the current schema is gone"
    spark.sql("USE default")
