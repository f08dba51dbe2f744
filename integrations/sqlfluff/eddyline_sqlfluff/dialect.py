"""sqlfluff's dialect `eddyline`: its `sparksql` with the clauses of `sql/grammar`."""

from __future__ import annotations

from typing import cast

from sqlfluff.core.dialects import Dialect, load_raw_dialect
from sqlfluff.core.parser import (
    BaseSegment,
    Bracketed,
    KeywordSegment,
    Matchable,
    OneOf,
    OptionallyBracketed,
    Ref,
    RegexParser,
    Sequence,
    StringParser,
)

from eddyline.lowering.words import UNITS
from eddyline_sqlfluff import aliases, expressions, known, properties, queries, relations
from eddyline_sqlfluff.forms import forms, words
from eddyline_sqlfluff.segments import SEGMENTS
from eddyline_sqlfluff.starts import starts
from eddyline_sqlfluff.translation import class_name

# words of Spark that sparksql lacks
_SPARKS_WORDS = frozenset(["DELAY", "OFFSET", "STREAM", "WATERMARK", "WITHIN"])
# words that are reserved in Spark only with spark.sql.ansi.enforceReservedKeywords
_GOOD_NAMES = frozenset(["BOTH", "USER"])
_OTHER_SEGMENTS: tuple[type[BaseSegment], ...] = (
    aliases.NeededAliasSegment,
    expressions.AggregateElementSegment,
    expressions.WithinGroupClauseSegment,
    known.CogroupKeyColumnSegment,
    known.CogroupKeyNameSegment,
    properties.PropertyNameSegment,
    properties.ResetStatementSegment,
    properties.SetConfigValueSegment,
    queries.FromSelectStatementSegment,
    queries.LimitClauseSegment,
    queries.OrderByClauseSegment,
    queries.QueryWithTailSegment,
    queries.SelectStatementSegment,
    queries.SetExpressionSegment,
    queries.StatementSegment,
    queries.TableQuerySegment,
    queries.UnorderedSelectStatementSegment,
    queries.ValuesClauseSegment,
    relations.AliasedQueryExpressionSegment,
    relations.AliasedQuerySegment,
    relations.FromExpressionElementSegment,
    relations.TableExpressionSegment,
    relations.WatermarkClauseSegment,
    relations.WatermarkedQuerySegment,
)
_BEFORE_TAIL = (
    "FromClauseTerminatorGrammar",
    "GroupByClauseTerminatorGrammar",
    "HavingClauseTerminatorGrammar",
    "OrderByClauseTerminators",
    "SelectClauseTerminatorGrammar",
    "WhereClauseTerminatorGrammar",
)


def build() -> Dialect:
    """Returns the dialect.

    Inside sqlfluff its name is that of Spark's, by which rules know how Spark's SQL works.
    """
    spark = load_raw_dialect("sparksql")
    dialect = spark.copy_as(spark.name, formatted_name="eddyline", docstring=__doc__)
    _add_words(dialect)
    _keep_quotes(dialect)
    made = (*_OTHER_SEGMENTS, *SEGMENTS)
    dialect.add_update_segments({segment.__name__: segment for segment in made})
    _add_starts(dialect)
    _add_queries(dialect)
    _add_relations(dialect)
    _add_expressions(dialect)
    return dialect


def _add_words(dialect: Dialect) -> None:
    """Adds the words that sparksql lacks; in no list of keywords, so that they are good names."""
    dialect.sets("reserved_keywords").difference_update(_GOOD_NAMES)
    dialect.sets("unreserved_keywords").update(_GOOD_NAMES)
    dialect.sets("datetime_units").update(unit + end for unit in UNITS for end in ("", "S"))
    listed = dialect.sets("reserved_keywords") | dialect.sets("unreserved_keywords")
    for word in (words() | _SPARKS_WORDS) - listed:
        parser = StringParser(word.lower(), KeywordSegment)
        dialect.add(**{f"{word.capitalize()}KeywordSegment": parser})


def _keep_quotes(dialect: Dialect) -> None:
    """Lets names that are words of the clauses keep their quotes, which some of them need.

    A rule (RF06) takes off quotes unless `anti_template` matches; the parser goes by its own copy.
    """
    parser = cast(RegexParser, dialect.expand().ref("NakedIdentifierSegment"))
    parser.anti_template = "|".join([str(parser.anti_template), *words(), *_SPARKS_WORDS])
    dialect.replace(NakedIdentifierSegment=parser)


def _add_starts(dialect: Dialect) -> None:
    """Adds where clauses begin, so that what stands before does not take their words for names."""
    dialect.add(
        RelationStartGrammar=starts("relation"),
        TailStartGrammar=starts("tail"),
        NoAliasGrammar=OneOf(
            Ref("FromClauseTerminatorGrammar"),
            Ref("JoinLikeClauseGrammar"),
            Ref("RelationStartGrammar"),
            Ref("WatermarkClauseSegment"),
        ),
    )
    for name in _BEFORE_TAIL:
        ends = dialect.get_grammar(name).copy(
            insert=[Ref("LimitClauseSegment"), Ref("TailStartGrammar")]
        )
        dialect.replace(**{name: ends})


def _add_queries(dialect: Dialect) -> None:
    """Adds the clauses that are queries: in set operations, and wherever a query may stand."""
    names = [class_name(form.name) for form in forms("primary")]
    operands: list[Matchable] = [Ref("TableQuerySegment")]
    wholes: list[Matchable] = [Ref("FromSelectStatementSegment"), Ref("QueryWithTailSegment")]
    for name in names:
        operands += [Ref(f"Unordered{name}"), Bracketed(Ref(name))]
        wholes.append(OptionallyBracketed(Ref(name)))
    places: dict[str, list[Matchable]] = {
        "NonSetSelectableGrammar": operands,
        "NonWithSelectableGrammar": wholes,
        # LATERAL (query) is a function to sparksql
        "Expression_D_Potential_Select_Statement_Without_Brackets": [Ref(name) for name in names],
    }
    for place, added in places.items():
        dialect.replace(**{place: dialect.get_grammar(place).copy(insert=added)})


def _add_relations(dialect: Dialect) -> None:
    """Adds the clauses after a relation: in FROM, behind a join and in MERGE."""
    like_joins = Ref("JoinLikeClauseGrammar")
    clause = Ref("RelationClauseGrammar")
    dialect.add(
        RelationClauseGrammar=relations.relation_clause(),
        SparksJoinLikeClauseGrammar=dialect.get_grammar("JoinLikeClauseGrammar"),
        **relations.RELATIONS,
    )
    dialect.replace(
        AliasedTableReferenceGrammar=relations.table_in_merge(),
        JoinLikeClauseGrammar=OneOf(Ref("SparksJoinLikeClauseGrammar"), clause),
        JoinTargetGrammar=Sequence(
            dialect.get_grammar("JoinTargetGrammar"), Ref("RelationClauseGrammar", optional=True)
        ),
        # a table may be called `assume`
        ObjectReferenceTerminatorGrammar=dialect.get_grammar(
            "ObjectReferenceTerminatorGrammar"
        ).copy(insert=[Ref("SparksJoinLikeClauseGrammar")], before=like_joins, remove=[like_joins]),
    )


def _add_expressions(dialect: Dialect) -> None:
    """Adds what operands may have."""
    after = dialect.get_grammar("PostFunctionGrammar").copy(insert=expressions.AFTER_AGGREGATE)
    dialect.add(ClauseUnitGrammar=expressions.UNIT)
    dialect.replace(
        CollateGrammar=expressions.COLLATE,
        PostFunctionGrammar=after,
        PropertiesNakedIdentifierSegment=properties.WORD,
    )
