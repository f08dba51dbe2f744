"""Formats a text, statement by statement."""

from __future__ import annotations

import re

from sqlglot.errors import TokenError

from eddyline.comments import without_tags
from eddyline.errors import EddylineError
from eddyline.formatting.atoms import Atom, Source, read_atoms
from eddyline.formatting.clauses import is_laid_out
from eddyline.formatting.layout import Layout
from eddyline.lowering.statements import statement_ends

LINE_LENGTH = 100
_MOVES = 4
_DOLLARS = re.compile(r"\$\w*\$")


def format_sql(sql: str, *, line_length: int = LINE_LENGTH) -> str:
    r"""Returns the formatted text, with the same words, comments and ends of lines.

    Queries, INSERT and CREATE are laid out. All other statements stay as typed, such as scripts and
    those with a part in `$$`.

    Args:
        sql: statements, which may contain Jinja.
        line_length: length of a line, in characters.

    Raises:
        EddylineError: EDDYLINE_FORMAT.NOT_SQL if the text cannot be split into words;
            EDDYLINE_FORMAT.NOT_THE_SAME if the result would say something else;
            EDDYLINE_FORMAT.TOO_DEEP if expressions are nested hundreds of times.

    >>> print(format_sql("SELECT  k,max( v )\nFROM t EMIT ON  CHANGE;"), end="")
    SELECT k, max(v) FROM t EMIT ON CHANGE;
    """
    try:
        text = _laid_out(sql, line_length)
        for _ in range(_MOVES):
            # a comment that now begins a line needs no place in the next one
            before, text = text, _laid_out(text, line_length)
            if before == text:
                break
    except RecursionError as error:
        raise EddylineError("EDDYLINE_FORMAT.TOO_DEEP") from error
    if _words(text) != _words(sql):
        raise EddylineError("EDDYLINE_FORMAT.NOT_THE_SAME")
    return text


def _laid_out(sql: str, line_length: int) -> str:
    source = _read(sql)
    layout = Layout(source, line_length)
    lines: list[str] = []
    for atoms in _statements(source):
        if is_laid_out(atoms) and not _is_opaque(source, atoms):
            lines += layout.statement(_without_empty_lines(atoms))
        else:
            lines += _as_typed(source, atoms)
    newline = _newline(sql)
    text = newline.join([*lines, *source.end]).strip(newline)
    return f"{text}{newline}" if text else ""


def _newline(sql: str) -> str:
    r"""Returns what ends each line; `\n` where that differs, as a string may have the other one.

    >>> _newline("a\r\nb\r\n"), _newline("a\nb'\r\n'")
    ('\r\n', '\n')
    """
    return "\r\n" if 0 < sql.count("\n") == sql.count("\r\n") else "\n"


def _is_opaque(source: Source, atoms: list[Atom]) -> bool:
    """Returns whether a statement is a script, or has a text between dollars, which is no SQL."""
    is_script = any(atom.key == ";" for atom in atoms[:-1])
    signs = (source.tokens.words[atom.index].start for atom in atoms if atom.text == "$")
    return is_script or any(_DOLLARS.match(source.sql, start) for start in signs)


def _read(sql: str) -> Source:
    try:
        return read_atoms(sql)
    except TokenError as error:
        reason = str(error).split("\n", maxsplit=1)[0]
        raise EddylineError("EDDYLINE_FORMAT.NOT_SQL", reason=reason) from error


def _words(sql: str) -> list[str]:
    """Returns all that a text says: its words and comments, and its words without Jinja's tags."""
    found = []
    source = _read(sql)
    for atom in source.atoms:
        found += [*(text for text in atom.before if text), atom.text, atom.after]
    rendered = without_tags(sql)
    if rendered != sql:
        found += _words(rendered)
    return [text for text in [*found, *source.end] if text]


def _statements(source: Source) -> list[list[Atom]]:
    """Returns the atoms of each statement, with its semicolon."""
    words, sql = source.tokens.words, source.tokens.sql
    text = list(" " * len(sql))  # without Jinja that stands before a statement
    for atom in source.atoms:
        if atom.index >= 0:
            place = slice(words[atom.index].start, words[atom.index].start + len(atom.text))
            text[place] = sql[place]
    ends = {end.end() - 1 for end in statement_ends("".join(text))}
    found: list[list[Atom]] = [[]]
    for atom in source.atoms:
        found[-1].append(atom)
        if atom.key == ";" and words[atom.index].start in ends:
            found.append([])
    return [atoms for atoms in found if atoms]


def _without_empty_lines(atoms: list[Atom]) -> list[Atom]:
    """Takes the empty lines out of a statement, and returns it."""
    for atom in atoms[1:]:
        atom.before = [comment for comment in atom.before if comment]
    return atoms


def _as_typed(source: Source, atoms: list[Atom]) -> list[str]:
    """Returns a statement as it was typed, below the comments before it."""
    words = source.tokens.words
    inside = [number for number, atom in enumerate(atoms) if atom.index >= 0]
    parts = [atom.text for atom in atoms]  # if there are only comments
    if inside:
        first, last = inside[0], inside[-1]
        stop = words[atoms[last].index].start + len(atoms[last].text)
        typed = source.sql[words[atoms[first].index].start : stop]
        parts = [*parts[:first], typed, *parts[last + 1 :]]
    if atoms[-1].after:
        parts.append(atoms[-1].after)
    return [*atoms[0].before, " ".join(parts)]
