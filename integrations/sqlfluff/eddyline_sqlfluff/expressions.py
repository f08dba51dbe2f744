"""What operands may have: in Spark, where sparksql lacks it, or in the clauses."""

from __future__ import annotations

from sqlfluff.core.parser import (
    BaseSegment,
    Bracketed,
    LiteralSegment,
    Matchable,
    OneOf,
    Ref,
    RegexParser,
    Sequence,
)
from sqlfluff.dialects import dialect_ansi as ansi

UNIT = OneOf(
    Ref("DatetimeUnitSegment"),
    RegexParser(r"[KMGTP](I?B)?|B", LiteralSegment, type="byte_unit"),
)
"""The unit of an interval or of a size."""

_FILTER = Ref("FilterClauseGrammar", optional=True)
_OVER = Ref("OverClauseSegment", optional=True)

COLLATE = Sequence("COLLATE", Ref("CollationReferenceSegment"))
"""The collation of a text."""

AFTER_AGGREGATE: list[Matchable] = [
    Sequence(Ref("WithinGroupClauseSegment"), _FILTER, _OVER),
    Sequence(Ref("IgnoreRespectNullsGrammar"), _OVER),
]
"""What may follow the arguments of an aggregate, beside what sparksql knows."""


class WithinGroupClauseSegment(BaseSegment):
    """`WITHIN GROUP (ORDER BY price)`."""

    type = "withingroup_clause"
    match_grammar = Sequence("WITHIN", "GROUP", Bracketed(Ref("OrderByClauseSegment")))


class AggregateElementSegment(ansi.SelectClauseElementSegment):
    """An aggregate of a COGROUP, whose alias is no word that begins what follows the list."""

    match_grammar = OneOf(
        Ref("WildcardExpressionSegment"),
        Sequence(
            Ref("BaseExpressionElementGrammar"),
            Ref(
                "AliasExpressionSegment",
                exclude=Ref("SelectClauseTerminatorGrammar"),
                optional=True,
            ),
        ),
    )
