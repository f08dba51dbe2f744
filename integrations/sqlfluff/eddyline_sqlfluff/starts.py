"""Where a clause begins after a query or a relation, since its words are names elsewhere."""

from __future__ import annotations

from sqlfluff.core.parser import Bracketed, Delimited, Matchable, OneOf, Ref, Sequence

from eddyline.grammar.ebnf import grammars
from eddyline.grammar.steps import Steps, steps
from eddyline_sqlfluff.forms import Form, forms, words_of
from eddyline_sqlfluff.lookbehind import JoinedRelation


def starts(role: str) -> Matchable:
    """Returns the grammar of the first words of the clauses with a role."""
    return OneOf(*(way for form in forms(role) for way in _ways(form)))


def _ways(form: Form) -> list[Matchable]:
    places = steps(form.stem)
    first = next(words_of(form.bodies[0], grammars()[form.stem]))
    found: list[Matchable] = []
    for second, at in _words_after(places, places.of(first)).items():
        begins = Sequence(first, second)
        if second != "ON":
            found.append(begins)
            continue
        # behind a join Spark reads a name and ON as its alias and its condition ...
        found.append(OneOf(begins, exclude=JoinedRelation()))
        # ... unless what follows is no condition
        for third, after in _words_after(places, at).items():
            fourths = [_no_operator(word) for word in _words_after(places, after)]
            found += [Sequence(first, second, third, OneOf(*fourths))] if fourths else []
    return found


def _no_operator(word: str) -> Matchable:
    """Returns the grammar of a word; EXCEPT before a query is Spark's own."""
    columns = Bracketed(Delimited(Ref("ColumnReferenceSegment")))
    return Sequence(word, columns) if word == "EXCEPT" else Ref.keyword(word)


def _words_after(places: Steps, indexes: list[int]) -> dict[str, list[int]]:
    """Returns the words that may follow some steps, each with its own steps."""
    found: dict[str, list[int]] = {}
    for index in indexes:
        for after in places.steps[index].following:
            leaf = places.steps[after].leaf
            if leaf.is_word:
                found.setdefault(leaf.text, []).append(after)
    return found
