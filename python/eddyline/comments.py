"""Comments and Jinja, which the tokenizer of the lowering leaves out or does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Jinja's statements and comments, and what stands there without a blank between, of any kind
_TAG = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_JINJA = re.compile(r"(?:\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})+", re.DOTALL)
_COMMENT = re.compile(r"--(?:\\\n|[^\r\n])*|/\*|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_BRACKET = re.compile(r"/\*(?!\+)|\*/")  # a hint, which begins with `/*+`, opens no comment


def without_jinja(sql: str) -> tuple[str, set[int]]:
    """Returns the text with words and blanks of the same length for Jinja, and where it ends.

    A tag that touches a word is a part of it, because a blank between them would part the word.

    >>> without_jinja("SELECT {{ x }} {# why #} FROM t{% if y %}_y{% endif %}")[0]
    'SELECT jjjjjjj           FROM tjjjjjjjjjj_yjjjjjjjjjjj'
    """
    places: set[int] = set()

    def put(found: re.Match[str]) -> str:
        start, stop = found.span()
        places.add(stop)
        around = sql[max(start - 1, 0) : start] + sql[stop : stop + 1]
        is_word = "{{" in found.group() or re.search(r"\w", around)
        return ("j" if is_word else " ") * (stop - start)

    return _JINJA.sub(put, sql), places


def without_tags(sql: str) -> str:
    """Returns the text without Jinja's statements and comments, as it may be rendered."""
    return _TAG.sub("", sql)


def comments(sql: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yields start and stop of each comment between two words; comments in brackets nest.

    Args:
        sql: the text, with its Jinja.
        start: offset after a word.
        stop: offset of the next word, as the tokenizer has found it.
    """
    while found := _COMMENT.search(sql, start, stop):
        start = found.end()
        if found.group() == "/*":  # the tokenizer takes `/*/*/` for a whole comment
            start = after_comment(sql, start, stop) or sql.rindex("*/", start, stop) + 2
        yield found.start(), start


def after_comment(sql: str, start: int, stop: int) -> int | None:
    """Returns the offset after the comment whose `/*` ends at `start`; None if it does not end."""
    depth = 1
    while depth and (bracket := _BRACKET.search(sql, start, stop)):
        depth += 1 if bracket.group() == "/*" else -1
        start = bracket.end()
    return None if depth else start
