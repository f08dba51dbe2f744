"""Formats a text, statement by statement."""

from __future__ import annotations

from sqlglot.errors import TokenError

from eddyline.errors import EddylineError
from eddyline.formatting.atoms import Atom, Source, read_atoms
from eddyline.formatting.clauses import is_laid_out
from eddyline.formatting.layout import Layout

LINE_LENGTH = 100
_SCRIPT = "BEGIN"
_MOVES = 4


def format_sql(sql: str, *, line_length: int = LINE_LENGTH) -> str:
    r"""Returns the formatted text, with the same words and comments.

    Queries, INSERT and CREATE are laid out. Scripts and all other statements stay as typed.

    Args:
        sql: statements, which may contain Jinja.
        line_length: length of a line, in characters.

    Raises:
        EddylineError: EDDYLINE_FORMAT.NOT_SQL if the text cannot be split into words;
            EDDYLINE_FORMAT.NOT_THE_SAME if the result would say something else.

    >>> print(format_sql("SELECT  k,max( v )\nFROM t EMIT ON  CHANGE;"), end="")
    SELECT k, max(v) FROM t EMIT ON CHANGE;
    """
    text = _laid_out(sql, line_length)
    for _ in range(_MOVES):
        # a comment that now begins a line needs no place in the next one
        before, text = text, _laid_out(text, line_length)
        if before == text:
            break
    if _words(_read(text)) != _words(_read(sql)):
        raise EddylineError("EDDYLINE_FORMAT.NOT_THE_SAME")
    return text


def _laid_out(sql: str, line_length: int) -> str:
    source = _read(sql)
    layout = Layout(source, line_length)
    lines: list[str] = []
    for atoms in _statements(source):
        lines += layout.statement(atoms) if is_laid_out(atoms) else _as_typed(source, atoms)
    text = "\n".join([*lines, *source.end]).strip("\n")
    return f"{text}\n" if text else ""


def _read(sql: str) -> Source:
    try:
        return read_atoms(sql)
    except TokenError as error:
        reason = str(error).split("\n", maxsplit=1)[0]
        raise EddylineError("EDDYLINE_FORMAT.NOT_SQL", reason=reason) from error


def _words(source: Source) -> list[str]:
    """Returns all that a text says: its words and comments."""
    found = []
    for atom in source.atoms:
        found += [*(text for text in atom.before if text), atom.text, atom.after]
    return [text for text in [*found, *source.end] if text]


def _statements(source: Source) -> list[list[Atom]]:
    """Returns the atoms of each statement with its semicolon; a script is one statement."""
    found: list[list[Atom]] = [[]]
    is_script = source.tokens.key(0) == _SCRIPT
    for atom in source.atoms:
        found[-1].append(atom)
        if atom.key == ";" and not is_script:
            found.append([])
    for atoms in found:
        for atom in atoms[1:]:
            atom.before = [comment for comment in atom.before if comment]
    return [atoms for atoms in found if atoms]


def _as_typed(source: Source, atoms: list[Atom]) -> list[str]:
    """Returns a statement as it was typed, below the comments before it."""
    inside = [number for number, atom in enumerate(atoms) if atom.index >= 0]
    parts = [atom.text for atom in atoms]  # if there are only comments
    if inside:
        first, last = inside[0], inside[-1]
        typed = source.sql[atoms[first].start : atoms[last].stop]
        parts = [*parts[:first], typed, *parts[last + 1 :]]
    if atoms[-1].after:
        parts.append(atoms[-1].after)
    return [*atoms[0].before, " ".join(parts)]
