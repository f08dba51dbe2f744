"""Where the words of the language are keywords, since none of them is reserved.

A region begins at the first word of a clause. Inside it, a word is a keyword only before one of the
words and signs that may follow it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from eddyline.grammar.steps import Steps, steps
from eddyline.lowering.words import QUERY_TAIL, SELECTS, TRANSFORMS
from eddyline.versions import read_toml

NAME = r"(?:[A-Za-z_]\w*|`[^`]*`)"
"""Matches an identifier."""

AFTER_A_QUERY = tuple(sorted({key.partition(" ")[0] for key in QUERY_TAIL}))
"""The words of Spark that end a query that is a clause."""

# what may follow a name
_AFTER_A_NAME = (
    "AS|BY|CROSS|EMIT|EXCEPT|FROM|FULL|GROUP|HAVING|IN|INNER|IS|JOIN|LEFT|LIKE|LIMIT|ON|ORDER|RIGHT|"
    "UNION|USING|WHERE|WINDOW"
)

QUERY = tuple(sorted(SELECTS | TRANSFORMS | {"WITH"}))
"""The words with which the query of a statement may begin."""

_KEYWORDS = read_toml("sql/keywords.toml")
_NAMES = frozenset(["identifier", "identifierReference", "multipartIdentifier"])
_NO_PART = r"(?<![\w.`$:])"
# after these a query or a relation cannot end, nor a query begin, so a name stands there
_NO_NAME = "".join(rf"(?<!\b(?i:{word})[ \t])" for word in "BY FROM INTO JOIN SELECT TABLE".split())


@dataclass(frozen=True)
class Keyword:
    """A word, and what may follow it.

    Attributes:
        text: the word in upper case.
        before: the words and signs of which one must follow; none if anything may follow.
        names: whether a name may follow, which is no keyword whatever it is.
        calls: whether an opening bracket may follow.
        relates: whether a relation must follow.
        ends: whether the clause may end after it, so that anything may follow.
    """

    text: str
    before: tuple[str, ...] = ()
    names: bool = False
    calls: bool = True
    relates: bool = False
    ends: bool = False

    def pattern(self, blank: str, unknown: str) -> str:
        """Returns the regular expression of the keyword, in any case.

        Args:
            blank: matches one piece of the blanks between two words.
            unknown: matches where the word that follows cannot be seen; empty if it always can.
        """
        return rf"{_NO_PART}(?i:{self.text})(?![\w.`]){self.ahead(blank, unknown)}"

    def ahead(self, blank: str, unknown: str) -> str:
        """Returns the part of the pattern that looks at what follows."""
        if self.relates:
            relation = rf"{blank}*\(|{blank}+(?!(?i:{_AFTER_A_NAME})\b){NAME}"
            return f"(?={'|'.join(filter(None, [relation, unknown]))})"
        if self.ends or not self.before:
            return "" if self.calls else rf"(?!{blank}*\()"
        words = "|".join(rf"{blank}+".join(phrase.split()) for phrase in self._phrases)
        signs = "|".join(re.escape(sign) for sign in self.before if not sign[0].isalpha())
        ways = [rf"{blank}+(?i:{words})\b"] if words else []
        ways += [rf"{blank}*(?:{signs})"] if signs else []
        ways += [rf"{blank}+{NAME}"] if self.names else []
        return f"(?={'|'.join(filter(None, [*ways, unknown]))})"

    @property
    def name(self) -> str:
        """The pattern of the name that may follow, with one group."""
        words = "|".join(phrase.split()[0] for phrase in self._phrases)
        return rf"(?!(?i:{words})\b)({NAME})" if words else f"({NAME})"

    @property
    def _phrases(self) -> list[str]:
        return [phrase for phrase in self.before if phrase[0].isalpha()]


STREAM = Keyword("STREAM", relates=True)
"""The word of Spark before a relation."""


@dataclass(frozen=True)
class Region:
    """A clause from its first word on.

    Attributes:
        stem: the stem of the clause.
        role: its role; a statement if `sql/keywords.toml` gives the word none.
        first: its first word.
        words: the words that may come after it.
    """

    stem: str
    role: str
    first: Keyword
    words: tuple[Keyword, ...]

    def pattern(self, blank: str, unknown: str) -> str:
        """Returns the regular expression of the first word, as `Keyword.pattern` does."""
        return _NO_NAME + self.first.pattern(blank, unknown)


@cache
def regions() -> tuple[Region, ...]:
    """Returns the regions of all clauses.

    >>> next(region.role for region in regions() if region.first.text == "COGROUP")
    'primary'
    """
    found = []
    for word, facts in _KEYWORDS.items():
        if facts.get("starts"):
            # the clause in which most may follow, since another only names it
            stem = max(facts["clauses"], key=lambda stem: len(steps(stem).steps))
            places = steps(stem)
            starts = places.of(word)
            first = _keyword(places, starts)
            if "before" in facts:
                first = Keyword(word, tuple(facts["before"]))
            role = facts.get("role", "statement")
            if role == "primary":
                first = Keyword(word, relates=True)
            found.append(Region(stem, role, first, _by_text(places, places.reachable(starts))))
    return tuple(found)


@cache
def heads() -> tuple[Keyword, ...]:
    """Returns the words before the first words of statements, such as CREATE.

    >>> next(word.before for word in heads() if word.text == "DROP")
    ('GLOBAL', 'STREAMING')
    """
    first = {region.first.text for region in regions()}
    found: dict[str, set[str]] = {}
    for region in regions():
        places = steps(region.stem)
        ahead = {(index, region.first.text) for index in places.of(region.first.text)}
        while ahead:
            ahead = {
                (index, f"{step.leaf.text} {phrase}")
                for index, step in enumerate(places.steps)
                for following, phrase in ahead
                if step.leaf.is_word and step.leaf.text not in first and following in step.following
            }
            for _, phrase in ahead:
                word, _, rest = phrase.partition(" ")
                found.setdefault(word, set()).add(rest)
    return tuple(Keyword(word, tuple(sorted(found[word]))) for word in sorted(found))


def _by_text(places: Steps, indexes: Iterable[int]) -> tuple[Keyword, ...]:
    """Returns the keywords among some places, each once."""
    words: dict[str, list[int]] = {}
    for index in indexes:
        leaf = places.steps[index].leaf
        if leaf.is_word and leaf.text in _KEYWORDS:
            words.setdefault(leaf.text, []).append(index)
    return tuple(_keyword(places, words[text]) for text in sorted(words))


def _keyword(places: Steps, indexes: list[int]) -> Keyword:
    """Returns the keyword that stands at some places."""
    here = [places.steps[index] for index in indexes]
    after = [places.steps[index].leaf for step in here for index in step.following]
    operands = {leaf.text for leaf in after if leaf.operand}
    texts = tuple(sorted({leaf.text for leaf in after if not leaf.operand}))
    ends = any(step.ends for step in here)
    free = bool(operands) or ends
    names = bool(operands) and operands <= _NAMES
    calls = bool(operands - _NAMES) or "(" in texts
    before = texts if names or not free else ()
    return Keyword(here[0].leaf.text, before, names, calls, ends=ends)
