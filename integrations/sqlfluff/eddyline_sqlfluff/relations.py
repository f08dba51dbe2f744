"""Relations as Spark and eddyline have them: streams, watermarks, and clauses after a relation."""

from __future__ import annotations

from sqlfluff.core.parser import (
    AnyNumberOf,
    BaseSegment,
    Bracketed,
    Dedent,
    ImplicitIndent,
    Matchable,
    OneOf,
    OptionallyBracketed,
    Ref,
    Sequence,
)
from sqlfluff.dialects import dialect_sparksql as spark

from eddyline.grammar.steps import steps
from eddyline_sqlfluff.forms import forms
from eddyline_sqlfluff.operands import RELATION_OPERANDS, relation_name
from eddyline_sqlfluff.translation import class_name, define


class WatermarkClauseSegment(BaseSegment):
    """`WATERMARK column DELAY OF interval` after a relation."""

    type = "watermark_clause"
    match_grammar = Sequence(
        "WATERMARK",
        ImplicitIndent,
        # a name alone is no reference, which rules would want to be qualified
        OneOf(Ref("SingleIdentifierGrammar"), Ref("ExpressionSegment")),
        Sequence("AS", Ref("SingleIdentifierGrammar"), optional=True),
        "DELAY",
        "OF",
        Ref("IntervalExpressionSegment"),
        Dedent,
    )


class WatermarkedQuerySegment(BaseSegment):
    """A subquery with its watermark, so that no rule (ST05) replaces one and drops the other."""

    type = "watermarked_query"
    match_grammar = Sequence(Bracketed(Ref("SelectableGrammar")), Ref("WatermarkClauseSegment"))


class AliasedQuerySegment(BaseSegment):
    """A subquery that needs its alias, so that no rule (ST05) replaces both by a name."""

    type = "aliased_query"
    match_grammar = Bracketed(Ref("SelectableGrammar"))


class AliasedQueryExpressionSegment(spark.TableExpressionSegment):
    """Such a subquery as a relation without its alias."""

    match_grammar = OneOf(Ref("AliasedQuerySegment"))


class TableExpressionSegment(spark.TableExpressionSegment):
    """A relation without its alias; STREAM before a name reads it as a stream."""

    match_grammar = spark.TableExpressionSegment.match_grammar.copy(
        insert=[
            Sequence(
                "STREAM",
                OneOf(
                    Ref("FunctionSegment"),
                    OptionallyBracketed(Ref("TableReferenceSegment")),
                    exclude=Ref("NoAliasGrammar"),
                ),
            ),
            Ref("WatermarkedQuerySegment"),
        ],
        at=0,
    )


def _element(*after: str) -> Sequence:
    """Returns the grammar of a relation with its alias.

    Args:
        after: words that may follow it, so that they are no alias.
    """
    no_alias = OneOf(Ref("NoAliasGrammar"), *after)
    alias = OneOf(
        Ref("NeededAliasSegment"), Ref("AliasExpressionSegment"), exclude=no_alias, optional=True
    )
    return Sequence(
        Ref("PreTableFunctionKeywordsGrammar", optional=True),
        OneOf(
            Sequence(Ref("AliasedQueryExpressionSegment"), Ref("NeededAliasSegment")),
            Sequence(
                OneOf(
                    OptionallyBracketed(Ref("TableExpressionSegment")),
                    Bracketed(Ref("TableExpressionSegment"), alias, Ref("RelationClauseGrammar")),
                ),
                Sequence("WITH", Ref("BracketedPropertyListGrammar"), optional=True),
                Ref("SamplingExpressionSegment", optional=True),
                Ref("WatermarkClauseSegment", optional=True),
                alias,
            ),
        ),
        Ref("PostTableExpressionGrammar", optional=True),
    )


class FromExpressionElementSegment(spark.FromExpressionElementSegment):
    """A relation with its alias."""

    match_grammar = _element()


def relation_clause() -> Matchable:
    """Returns the grammar of our clauses after a relation."""
    return OneOf(*(Ref(class_name(form.name)) for form in forms("relation")))


def table_in_merge() -> Matchable:
    """Returns the grammar of a table in MERGE that has an alias or a clause."""
    alias = Ref("AliasExpressionSegment", exclude=Ref("RelationStartGrammar"))
    clause = Ref("RelationClauseGrammar")
    return Sequence(
        Ref("TableReferenceSegment"),
        OneOf(Sequence(alias, clause), alias, clause),
    )


def _relations() -> dict[str, Matchable | type[BaseSegment]]:
    found: dict[str, Matchable | type[BaseSegment]] = {}
    for stem in {form.stem for form in forms()}:
        after = _words_after_relation(stem)
        if after:
            segment = class_name(f"{stem}_relation")
            bases = (spark.FromExpressionElementSegment,)
            found[segment] = define(globals(), segment, bases, match_grammar=_element(*after))
            found[relation_name(stem)] = OneOf(
                Sequence(Ref(segment), AnyNumberOf(Ref("JoinLikeClauseGrammar"))),
                Bracketed(Ref("FromExpressionSegment")),
            )
    return found


def _words_after_relation(stem: str) -> list[str]:
    """Returns the words that may follow a relation in a clause."""
    places = steps(stem).steps
    here = [step for step in places if step.leaf.operand and step.leaf.text in RELATION_OPERANDS]
    leaves = [places[index].leaf for step in here for index in step.following]
    return sorted({leaf.text for leaf in leaves if leaf.is_word} - {"AS"})


RELATIONS = _relations()
"""The relations of the clauses that have some, by their names in the dialect.

The segments among them are also attributes of this module, where pickle finds them.
"""
