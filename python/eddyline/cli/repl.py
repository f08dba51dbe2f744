"""The prompt of `eddyline sql`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

import click
from platformdirs import user_state_path
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import completion_is_selected
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer

from eddyline.cli.options import NamedError, named_errors
from eddyline.lexer import EddylineLexer
from eddyline.lowering.statements import split
from eddyline.lowering.tokenizer import EddylineTokens
from eddyline.versions import eddyline_version, read_toml

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from eddyline.cli.runner import Runner

_PROMPT = "eddyline> "
_LEAVE = frozenset(["exit", "quit"])
# keywords of Spark that sqlglot does not know
_OF_STREAMS = frozenset(["DELAY", "STREAM", "WATERMARK"])
_WORD = re.compile(r"[\w.]+$")


def run_prompt(runner: Runner) -> None:
    """Reads statements from the terminal and runs them, until Ctrl-D, `exit` or `quit`."""
    history = user_state_path("eddyline", appauthor=False, ensure_exists=True) / "history"
    history.touch(mode=0o600)
    completer = WordCompleter(runner.spark)
    prompt: PromptSession[str] = PromptSession(
        _PROMPT,
        history=FileHistory(str(history)),
        completer=completer,
        complete_in_thread=True,
        complete_while_typing=False,
        key_bindings=_bindings(),
        lexer=PygmentsLexer(EddylineLexer),
        multiline=True,
        prompt_continuation=f"{'-> ':>{len(_PROMPT)}}",
    )
    click.echo(
        f"eddyline {eddyline_version()} on Spark {runner.spark.version}. A statement ends with ; or"
        " \\G for a line for each column. Ctrl-C cancels it, Ctrl-D leaves."
    )
    while True:
        try:
            text = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if _command(text) in _LEAVE:
            return
        for statement in split(text)[0]:
            try:
                runner.run(statement)
            except KeyboardInterrupt:
                break
            except named_errors() as error:
                NamedError(error).show()
                break
        completer.forget_tables()


def _command(text: str) -> str:
    return text.strip().rstrip(";").strip().lower()


def _bindings() -> KeyBindings:
    """Returns the keys: Enter runs complete statements, and otherwise begins a new line."""
    bindings = KeyBindings()

    @bindings.add("enter", filter=~completion_is_selected)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        statements, rest = split(buffer.text)
        blank = not statements and not rest
        if blank or (statements and not rest) or _command(buffer.text) in _LEAVE:
            buffer.validate_and_handle()
        else:
            buffer.newline()

    return bindings


class WordCompleter(Completer):
    """Completes keywords and the names of tables, views and global tables."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._tables: list[str] | None = None

    def forget_tables(self) -> None:
        """Lets the next completion ask the catalog again."""
        self._tables = None

    def get_completions(self, document: Document, _: CompleteEvent) -> Iterable[Completion]:
        """Yields the words that begin as the one before the cursor."""
        if not (typed := _WORD.search(document.text_before_cursor)):
            return
        if self._tables is None:
            self._tables = []
            with suppress(*named_errors()):  # the current schema may be gone
                self._tables += [row.tableName for row in self._spark.sql("SHOW TABLES").collect()]
        for word in (*self._tables, *self._keywords):
            if word.lower().startswith(typed[0].lower()):
                yield Completion(word, start_position=-len(typed[0]))

    @cached_property
    def _keywords(self) -> list[str]:
        sparks = (word for key in EddylineTokens.Tokenizer.KEYWORDS for word in key.split())
        return sorted({*read_toml("sql/keywords.toml"), *filter(str.isalpha, sparks), *_OF_STREAMS})
