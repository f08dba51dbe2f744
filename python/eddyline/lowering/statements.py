r"""Splits a text into statements, as the command line, the formatter and sqlglot's dialect do.

`;` ends a statement, and so does `\G`, which asks for a line for each column. Both are text in
strings, quoted names, comments and between BEGIN and END of a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from eddyline.comments import after_comment
from eddyline.lowering.tokenizer import LINE_COMMENT, QUOTED

_TOKEN = re.compile(
    rf"""(?P<comment>{LINE_COMMENT})|(?P<bracketed>/\*)|(?P<space>\s+)|(?P<end>;|\\G\b;?)|{QUOTED}"""
    r"""|(?P<tag>\$\w*\$).*?(?P=tag)|(?P<unclosed>['"`].*)|\w+|.""",
    re.DOTALL,
)
_BLANK = frozenset(["comment", "space"])
# words after the BEGIN of a transaction, which is no script
_OF_TRANSACTION = frozenset([";", "TRANSACTION", "WORK"])
# words after which a statement of a script begins
_BEFORE_STATEMENT = frozenset(["", ";", ":", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"])
# END IF and the like close what is not counted when it opens, as IF is also a function
_NOT_COUNTED = frozenset(["FOR", "IF", "LOOP", "REPEAT", "WHILE"])
# END closes these after any word, as it ends an expression
_OF_EXPRESSION = frozenset(["CASE", "UNTIL"])
# words of the conditions of a HANDLER, before the name or the string that may end them
_OF_CONDITIONS = frozenset(["HANDLER", "FOR", "NOT", "SQLSTATE", "VALUE", ",", "."])


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
    statements, first = list[Statement](), 0
    for end in statement_ends(text):
        piece = text[first : end.start()]
        if not _is_blank(piece):
            statements.append(Statement(piece.strip(), vertical=end[0].startswith("\\")))
        first = end.end()
    rest = text[first:]
    return statements, "" if _is_blank(rest) else rest.strip()


def statements_of(text: str) -> list[Statement]:
    """Returns all statements of a text, of which the last may lack its end."""
    statements, rest = split(text)
    return [*statements, Statement(rest)] if rest else statements


def statement_ends(text: str) -> Iterator[re.Match[str]]:
    r"""Yields what ends a statement, `;` or `\G`, from left to right."""
    blocks: list[str] = []
    words = [""]
    for token in _tokens(text):
        if token.lastgroup in _BLANK:
            continue
        if len(words) == 2 and blocks and token[0].upper() in _OF_TRANSACTION:
            blocks.clear()
        if token.lastgroup == "end" and not blocks:
            yield token
            words = [""]
        else:
            word = token[0].upper()
            _open_or_close(blocks, words, word)
            words.append(word)


def _is_blank(text: str) -> bool:
    """Returns whether a text has no more than blanks and comments."""
    return all(token.lastgroup in _BLANK for token in _tokens(text))


def _open_or_close(blocks: list[str], words: list[str], word: str) -> None:
    """Adds the block that a word of a statement opens, or removes the one that it closes."""
    before = words[-1]
    is_script = "BEGIN" in (*words[1:2], *words[3:4])
    begins = before in _BEFORE_STATEMENT
    if blocks[-1:] == ["HANDLER"] and before not in _OF_CONDITIONS and word not in (",", "."):
        blocks.pop()  # its conditions have ended
        begins = True
    if before == ".":
        return
    if word == "END":
        if blocks and (blocks[-1] in _OF_EXPRESSION or begins):
            blocks.pop()
    elif before == "END":
        if is_script and word in _NOT_COUNTED and words[-2] in _BEFORE_STATEMENT:
            blocks.append(word)
    elif word == "BEGIN":
        is_first = len(words) == 1 or (len(words) == 3 and before == ":")  # a label may stand there
        if is_first or (blocks and begins):
            blocks.append(word)
    elif blocks and (
        word == "CASE"
        or (word == "UNTIL" and begins)
        or (word == "HANDLER" and words[-2] == "DECLARE")
    ):
        blocks.append(word)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Yields the tokens outside of bracketed comments, which may be nested."""
    position = 0
    while token := _TOKEN.match(text, position):
        position = token.end()
        if token["bracketed"]:
            position = after_comment(text, position, len(text)) or len(text)
        else:
            yield token
