"""The segments of the clauses: one for each clause, statement and rule of `sql/grammar`."""

from __future__ import annotations

from sqlfluff.core.parser import BaseSegment, Matchable, OneOf, Ref, Sequence

from eddyline.grammar.ebnf import grammars
from eddyline_sqlfluff.forms import Form, forms, parts
from eddyline_sqlfluff.known import bases
from eddyline_sqlfluff.translation import Translation, class_name, define, part_name

# in a set operation, too
_OF_SELECT = ("QualifyClauseSegment", "NamedWindowSegment")
_SPARKS_ENDS = (
    "QualifyClauseSegment",
    "OrderByClauseSegment",
    "ClusterByClauseSegment",
    "DistributeByClauseSegment",
    "SortByClauseSegment",
    "LimitClauseSegment",
    "NamedWindowSegment",
)


def sparks_ends(names: tuple[str, ...] = _SPARKS_ENDS) -> list[Matchable]:
    """Returns Spark's clauses that may end a query."""
    return [Ref(name, optional=True) for name in names]


def tails() -> list[Matchable]:
    """Returns our clauses that may end a query, after Spark's."""
    return [Ref(class_name(form.name), optional=True) for form in forms("tail")]


def _segments() -> list[type[BaseSegment]]:
    found = [
        _make(part_name(stem, rule), Translation(stem, part_name(stem, rule)).indented(node))
        for stem in grammars()
        for rule, node in parts(stem).items()
    ]
    for form in forms():
        found += _queries(form) if form.role == "primary" else [_form(form)]
    return found


def _form(form: Form) -> type[BaseSegment]:
    translation = Translation(form.stem, form.name)
    if form.role == "statement":
        return _make(form.name, OneOf(*map(translation.grammar, form.bodies)))
    return _make(form.name, translation.indented(form.bodies[0]))


def _queries(form: Form) -> list[type[BaseSegment]]:
    """Returns the segment of a clause that is a query, and that in a set operation."""
    body = Translation(form.stem, form.name).grammar(form.bodies[0])
    whole = Sequence(body, *sparks_ends(), *tails())
    inside = Sequence(body, *sparks_ends(_OF_SELECT))
    return [_make(form.name, inside, prefix="Unordered"), _make(form.name, whole)]


def _make(name: str, grammar: Matchable, prefix: str = "") -> type[BaseSegment]:
    doc = f"`{name}` of `sql/grammar`."
    body = {"__doc__": doc, "match_grammar": grammar, "type": name}
    return define(globals(), prefix + class_name(name), bases(name), **body)


SEGMENTS = _segments()
"""The segments, each of which is also an attribute of this module, where pickle finds it."""
