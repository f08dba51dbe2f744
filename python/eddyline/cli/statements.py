r"""Splits a text into statements, without a session.

`;` ends a statement, and so does `\G`, which asks for a line for each column. Both are text in
strings, quoted names, comments and between BEGIN and END of a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>--(?:\\\n|[^\n])*)|(?P<bracketed>/\*)|(?P<space>\s+)|(?P<end>;|\\G\b;?)"""
    r"""|\b[rR]'[^']*'|\b[rR]"[^"]*"|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`"""
    r"""|(?P<tag>\$\w*\$).*?(?P=tag)|(?P<unclosed>['"`].*)|\w+|.""",
    re.DOTALL,
)
_COMMENT = re.compile(r"/\*|\*/")
_OPENING = frozenset(["BEGIN", "CASE"])
# END IF and the like close what is not counted when it opens, as IF is also a function
_NOT_COUNTED = frozenset(["FOR", "IF", "LOOP", "REPEAT", "WHILE"])


@dataclass(frozen=True)
class Statement:
    r"""One statement.

    Attributes:
        text: its text, without what ends it.
        vertical: whether it ends with `\G`.
    """

    text: str
    vertical: bool = False


def split(text: str) -> tuple[list[Statement], str]:
    r"""Returns the statements that end in the text, and what follows the last of them.

    >>> statements, rest = split("SELECT ';' AS a; -- one;\nSELECT 2\\G SELECT 3")
    >>> [(statement.text, statement.vertical) for statement in statements]
    [("SELECT ';' AS a", False), ('-- one;\nSELECT 2', True)]
    >>> rest
    'SELECT 3'
    """
    statements = []
    first, words, depth, blank = 0, [""], 0, True
    for token in _tokens(text):
        kind = token.lastgroup
        if kind == "end" and not depth:
            if not blank:
                piece = text[first : token.start()].strip()
                statements.append(Statement(piece, token[0].startswith("\\")))
            first, words, blank = token.end(), [""], True
        elif kind not in ("comment", "space"):
            word = token[0].upper()
            depth += _change(words, word, depth)
            words.append(word)
            blank = False
    return statements, "" if blank else text[first:].strip()


def statements_of(text: str) -> list[Statement]:
    """Returns all statements of a text, of which the last may lack its end."""
    statements, rest = split(text)
    return [*statements, Statement(rest)] if rest else statements


def _change(words: list[str], word: str, depth: int) -> int:
    """Returns by how much a word of a statement changes the number of open blocks."""
    is_script = "BEGIN" in (*words[1:2], *words[3:4])
    if words[-1] == ".":
        return 0
    if word == "END":
        return -1 if depth else 0
    if words[-1] == "END":
        return int(is_script and word in _NOT_COUNTED)
    if not depth:  # a script begins with BEGIN or with a label
        return int(word == "BEGIN" and (len(words) == 1 or (len(words) == 3 and words[2] == ":")))
    return int(word in _OPENING)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Yields the tokens outside of bracketed comments, which may be nested."""
    position = 0
    while token := _TOKEN.match(text, position):
        position = _after_comment(text, token.end()) if token["bracketed"] else token.end()
        if not token["bracketed"]:
            yield token


def _after_comment(text: str, position: int) -> int:
    depth = 1
    while depth and (found := _COMMENT.search(text, position)):
        depth += 1 if found[0] == "/*" else -1
        position = found.end()
    return len(text) if depth else position
