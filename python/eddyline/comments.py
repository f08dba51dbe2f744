"""Comments and Jinja, which the tokenizer of the lowering leaves out or does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Jinja's expressions, statements and comments
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_COMMENT = re.compile(r"--(?:\\\n|[^\n])*|/\*|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_BRACKET = re.compile(r"/\*|\*/")


def without_jinja(sql: str) -> tuple[str, set[int]]:
    """Returns the text with words and blanks of the same length for Jinja, and where it ends.

    >>> without_jinja("SELECT {{ x }} {# why #} FROM t")[0]
    'SELECT jjjjjjj           FROM t'
    """
    places: set[int] = set()

    def put(found: re.Match[str]) -> str:
        length = len(found.group())
        places.add(found.end())
        return ("j" if found.group().startswith("{{") else " ") * length

    return _JINJA.sub(put, sql), places


def comments(sql: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yields start and stop of each comment between two words; comments in brackets nest.

    Args:
        sql: the text, with its Jinja.
        start: offset after a word.
        stop: offset of the next word, as the tokenizer has found it.
    """
    while found := _COMMENT.search(sql, start, stop):
        start, depth = found.end(), int(found.group() == "/*")
        while depth and (bracket := _BRACKET.search(sql, start, stop)):
            depth += 1 if bracket.group() == "/*" else -1
            start = bracket.end()
        if depth:  # the tokenizer takes `/*/*/` for a whole comment
            start = sql.rindex("*/", found.end(), stop) + 2
        yield found.start(), start
