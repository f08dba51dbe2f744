"""Names and values of properties, which sparksql reads as identifiers and words.

Their case and their blanks matter, and the rules would change both.
"""

from __future__ import annotations

from sqlfluff.core.parser import CodeSegment, OneOf, Ref, RegexParser, Sequence
from sqlfluff.dialects import dialect_sparksql as spark

WORD = RegexParser(r"[A-Z0-9_]*[A-Z][A-Z0-9_]*", CodeSegment, type="property_key")
"""A word of a name; no identifier, whose case a rule (CP02) would change."""


class PropertyNameSegment(spark.PropertyNameSegment):
    """The name of a property; in quotes it is a text, from which no rule (RF06) takes them."""

    match_grammar = Sequence(
        OneOf(Ref("QuotedLiteralSegment"), spark.PropertyNameSegment.match_grammar)
    )


class ResetStatementSegment(spark.ResetStatementSegment):
    """`RESET spark.sql.shuffle.partitions`."""

    match_grammar = Sequence("RESET", Ref("PropertyNameSegment", optional=True))


class SetConfigValueSegment(spark.SetConfigValueSegment):
    """What SET gives a property, such as a path, into which no rule (LT01) puts blanks."""

    type = "conf_value"
