"""Errors with a condition and an SQLSTATE, from the file that the jar's errors come from too."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _conditions() -> dict[str, Any]:
    path = files("eddyline").joinpath("sql/errors/error-conditions.json")
    conditions: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return conditions


def describe(condition: str, parameters: dict[str, str]) -> tuple[str, str]:
    """Returns the message and SQLSTATE of a condition such as `EDDYLINE_COGROUP.SYNTAX_ERROR`.

    >>> describe("EDDYLINE_ENVIRONMENT.PYSPARK_MISSING", {})[1]
    '56038'
    """
    main, _, sub = condition.partition(".")
    entry = _conditions()[main]
    detail = entry["subClass"][sub] if sub else {}
    template = " ".join([*entry["message"], *detail.get("message", [])])
    message = re.sub(r"<(\w+)>", lambda name: parameters.get(name[1], name[0]), template)
    return message.strip(), detail.get("sqlState", entry["sqlState"])


class EddylineError(Exception):
    """An error that eddyline raises outside a Spark statement.

    Attributes:
        condition: name of the condition, as in `sql/errors/error-conditions.json`.
        sqlstate: SQLSTATE of the condition, five characters.
        parameters: values filled into the message, by name.
    """

    def __init__(self, condition: str, **parameters: str) -> None:
        message, self.sqlstate = describe(condition, parameters)
        self.condition = condition
        self.parameters = parameters
        super().__init__(f"[{condition}] {message} SQLSTATE: {self.sqlstate}")


class ClauseError(EddylineError):
    """A clause that cannot be lowered; as a text it shows the line with the offending word.

    Attributes:
        text: the text that was lowered.
        start: offset of the offending word in the text, in characters.
        stop: offset after the word, in characters.
    """

    def __init__(self, condition: str, text: str, start: int, stop: int, **parameters: str) -> None:
        super().__init__(condition, **parameters)
        self.text = text
        self.start = start
        self.stop = stop

    def __str__(self) -> str:
        r"""Returns the message with the line, in the form of Spark's errors.

        >>> error = ClauseError("EDDYLINE_EMIT.NO_QUERY", "SELECT 1;\nEMIT ON CHANGE", 10, 14)
        >>> print(error)  # doctest: +ELLIPSIS
        [EDDYLINE_EMIT.NO_QUERY] EMIT error. EMIT does not follow a query. ...
        == SQL (line 2, position 1) ==
        EMIT ON CHANGE
        ^^^^
        """
        begin = self.text.rfind("\n", 0, self.start) + 1
        line = self.text[begin:].partition("\n")[0].rstrip("\r")
        blanks = re.sub(r"\S", " ", self.text[begin : self.start])
        carets = "^" * max(1, min(self.stop, begin + len(line)) - self.start)
        place = f"line {self.text.count(chr(10), 0, begin) + 1}, position {len(blanks) + 1}"
        return f"{super().__str__()}\n== SQL ({place}) ==\n{line}\n{blanks}{carets}"
