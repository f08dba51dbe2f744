"""sqlfluff's dialect `eddyline`: how it comes to sqlfluff, and what it reads."""

from __future__ import annotations

import logging
import pickle
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import sqlfluff
import sqlfluff.core.dialects
from fluff import DIALECT, GAPS, found, linter, parse_errors, sample, tree
from sqlfluff.core import FluffConfig
from sqlfluff.core.dialects import dialect_readout, dialect_selector
from sqlfluff.core.parser import (
    AnyNumberOf,
    Bracketed,
    Dedent,
    Delimited,
    ImplicitIndent,
    Indent,
    Ref,
    Sequence,
)
from sqlfluff.core.parser.grammar.base import BaseGrammar
from sqlfluff.core.plugin.hookspecs import PluginSpec

import eddyline_sqlfluff.dialect
from eddyline import lower_sql
from eddyline.errors import ClauseError
from eddyline.grammar.ebnf import grammars, parse
from eddyline.lowering.words import UNITS
from eddyline.versions import eddyline_version
from eddyline_sqlfluff import accelerator, versions
from eddyline_sqlfluff.forms import Form, forms, parts
from eddyline_sqlfluff.registration import register
from eddyline_sqlfluff.translation import Translation, class_name, part_name
from goldenfiles import read_golden
from highlighting import golden_clauses, keywords
from parsers import statements
from tiers import ROOT

# --- how sqlfluff gets it


def test_sqlfluff_has_no_hook_for_a_dialect() -> None:
    """If this fails, the dialect may come by a hook, and `registration.py` may go."""
    hooks = {name for name in vars(PluginSpec) if not name.startswith("_")}
    assert hooks == {"get_rules", "load_default_config", "get_configs_info"}
    assert isinstance(sqlfluff.core.dialects._dialect_lookup, dict)


def test_it_is_among_the_dialects() -> None:
    listed = {each.label: each for each in dialect_readout()}
    assert listed[DIALECT].inherits_from == "sparksql"
    assert len(listed) > 20


def test_a_sqlfluff_with_another_list_goes_on_without_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for other in ({}, {"sparksql": "dialect_sparksql"}):
        monkeypatch.setattr(sqlfluff.core.dialects, "_dialect_lookup", dict(other))
        with caplog.at_level(logging.WARNING):
            assert not register()
        assert sqlfluff.core.dialects._dialect_lookup == other
    monkeypatch.delattr(sqlfluff.core.dialects, "_dialect_lookup")
    assert not register()
    assert len(caplog.records) == 3


@pytest.mark.parametrize("found", ["1.4.5", "3.5.0", "4.4.0", "5.0.0a1", "4.6"])
def test_a_version_that_is_not_supported_is_named(
    monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    monkeypatch.setattr(versions, "version", lambda name: found)
    dialect = versions.find_dialect()
    if found == "4.6":
        assert dialect.get_grammar("TailStartGrammar")
        return
    assert (dialect.formatted_name, dialect.inherits_from) == (DIALECT, None)
    with pytest.raises(sqlfluff.core.SQLFluffUserError, match=rf"needs sqlfluff 4.5 .*{found}"):
        dialect.expand()


def test_a_sqlfluff_that_lacks_something_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eddyline_sqlfluff.dialect, "_BEFORE_TAIL", ("GoneGrammar",))
    with pytest.raises(sqlfluff.core.SQLFluffUserError, match="GoneGrammar not found"):
        versions.find_dialect().expand()


def test_the_package_requires_the_supported_versions() -> None:
    package = ROOT / "integrations/sqlfluff/pyproject.toml"
    project = tomllib.loads(package.read_text())["project"]
    assert project["version"] == eddyline_version()
    oldest, limit = (".".join(map(str, each)) for each in (versions.OLDEST, versions.TOO_NEW))
    assert f"sqlfluff>={oldest},<{limit.removesuffix('.0')}" in project["dependencies"]
    major, minor, _ = eddyline_version().split(".")
    next_minor = f"{major}.{int(minor) + 1}"
    assert f"eddyline>={eddyline_version()},<{next_minor}" in project["dependencies"]


def test_the_accelerator_makes_way_for_one_dialect() -> None:
    class Python:
        def __init__(self, config: Any = None, dialect: str | None = None) -> None:
            self.config = config

    class Foreign:
        def __new__(cls, config: Any = None, dialect: str | None = None) -> Foreign:
            assert (config or {"dialect": dialect})["dialect"] != DIALECT, "it panics"
            return super().__new__(cls)

    class Lexer(Foreign):
        """As sqlfluff's lexer, it takes its arguments in `__new__`."""

    class Parser:
        """As sqlfluff's parser, it takes its arguments in `__init__`."""

        def __init__(self, config: Any = None, dialect: str | None = None) -> None:
            assert (config or {"dialect": dialect})["dialect"] != DIALECT, "it panics"

    for accelerated in (Lexer, Parser):
        accelerator.give_way(accelerated, Python, DIALECT)
        for other in ({"config": {"dialect": "ansi"}}, {"dialect": "ansi"}):
            assert type(accelerated(**other)) is accelerated
        assert type(accelerated({"dialect": "ansi"})) is accelerated
        assert type(accelerated(dialect=DIALECT)) is Python
        assert type(accelerated({"dialect": DIALECT})) is Python
        made: object = accelerated(config={"dialect": DIALECT})
        assert isinstance(made, Python)
        assert made.config == {"dialect": DIALECT}


def test_it_is_pickled_as_processes_of_sqlfluff_do() -> None:
    config = pickle.loads(pickle.dumps(FluffConfig(overrides={"dialect": DIALECT})))
    segment = config.get("dialect_obj").get_segment("EmitClauseSegment")
    assert segment is dialect_selector(DIALECT).get_segment("EmitClauseSegment")


# --- the grammar


def test_each_rule_of_the_grammar_is_a_segment() -> None:
    dialect = dialect_selector(DIALECT)
    names = [form.name for form in forms()]
    names += [part_name(stem, rule) for stem in grammars() for rule in parts(stem)]
    assert len(names) > 50
    for name in names:
        assert dialect.get_segment(class_name(name)).type == name
    assert {form.role for form in forms()} == {"primary", "tail", "relation", "statement"}


def test_statements_are_called_by_their_first_words() -> None:
    assert {form.name for form in forms("statement") if form.stem == "globaltable"} == {
        "alter_global_table_statement",
        "create_global_table_statement",
        "describe_global_table_statement",
        "drop_global_table_statement",
        "refresh_global_table_statement",
        "show_create_global_table_statement",
        "show_global_tables_statement",
    }


def test_an_operand_without_a_segment_is_named() -> None:
    body = parse('keep = "KEEP" novelty ;').rules["keep"]
    with pytest.raises(LookupError, match=r"operands\.py: novelty of sql/grammar/keep\.ebnf"):
        Translation("keep", "keep_clause").grammar(body)


def test_lists_and_brackets_become_grammars_of_sqlfluff() -> None:
    text = 'a = "A" "(" string { "," string } ")" { "B" | "C" integer } [ identifier { "." b } ] ;'
    body = parse(f"{text} b = identifier ;").rules["a"]
    assert Translation("stem", "stem_a").grammar(body) == Sequence(
        "A",
        Bracketed(Delimited(Ref("QuotedLiteralSegment"))),
        AnyNumberOf("B", Sequence("C", Ref("NumericLiteralSegment"))),
        Sequence(
            Ref("SingleIdentifierGrammar"),
            AnyNumberOf(Sequence(Ref("DotSegment"), Ref("StemBSegment"))),
            optional=True,
        ),
    )


def test_what_follows_the_first_words_is_indented() -> None:
    shown = {}
    for rule, node in parts("cogroup").items():
        grammar = Translation("cogroup", f"cogroup_{rule}").indented(node)
        elements = grammar._elements if isinstance(grammar, BaseGrammar) else []
        shown[rule] = [each for each in elements if isinstance(each, type)]
    assert shown["branches"] == shown["aggregate"] == [Indent, Dedent]
    assert shown["having"] == [ImplicitIndent, Dedent]
    assert shown["using"] == shown["keys"] == []


@pytest.mark.parametrize("form", forms("statement"), ids=lambda form: form.name)
def test_each_statement_has_its_own_segment(form: Form) -> None:
    sql = next(sql for sql in _golden() if _is(form, sql))
    (statement,) = tree(sql).recursive_crawl("statement", recurse_into=False)
    assert statement.segments[0].get_type() == form.name


@cache
def _golden() -> list[str]:
    return [sql for _, sql in golden_clauses()]


def _is(form: Form, sql: str) -> bool:
    *words, _ = form.name.upper().split("_")
    pattern = r"\s+(?:OR\s+REPLACE\s+)?".join(words)
    return re.match(rf"(?:--.*\n)*\s*{pattern}\b", sql, re.IGNORECASE) is not None


# --- what it reads


def test_a_statement_of_each_golden_file_is_parsed() -> None:
    statements = sample()
    assert len(statements) > 30
    assert [sql for sql in statements if parse_errors(sql)] == []


@pytest.mark.parametrize(
    "start", ["CREATE TABLE t AS ", "CREATE OR REPLACE TABLE t AS ", "REPLACE TABLE t AS ", ""]
)
def test_explain_clauses_reads_the_query_of_a_new_table(start: str) -> None:
    sql = f"EXPLAIN CLAUSES {start}SELECT DISTINCT k FROM r ASSUME PARTITIONED BY (k)"
    assert parse_errors(sql) == []
    assert [each.raw for each in tree(sql).recursive_crawl("assume_clause")] == [
        "ASSUME PARTITIONED BY (k)"
    ]


def test_each_keyword_of_a_clause_is_a_keyword() -> None:
    """The lowering and this dialect take the same words for keywords."""
    for sql in sample():
        at, spans = 0, set()
        for raw in tree(sql).raw_segments:
            # AND of HAVING is an operator, a unit a part of a date
            if raw.is_type("keyword", "binary_operator", "date_part"):
                spans.add((at, at + len(raw.raw)))
            at += len(raw.raw)
        assert keywords(sql) <= spans, sql


@pytest.mark.parametrize("corpus", ["ordinary.sql", "ambiguous.sql"])
def test_sparks_meaning_wins(corpus: str) -> None:
    """What Spark reads by itself has no clause, and is parsed wherever sparksql parses it."""
    names = [form.name for form in forms()]
    for sql in statements(corpus)[:: 1 if corpus == "ambiguous.sql" else 5]:
        parsed = linter().parse_string(f"{sql}\n")
        assert parsed.tree is not None
        assert [each.raw for each in parsed.tree.recursive_crawl(*names)] == [], sql
        if parsed.violations:
            assert parse_errors(sql, "sparksql"), sql


def test_a_stream_is_no_table_with_an_alias() -> None:
    for sql, name in (
        ("SELECT k FROM STREAM t", "t"),
        ("SELECT k FROM STREAM emit EMIT ON UPDATE", "emit"),
        ("SELECT k FROM stream", "stream"),
        ("SELECT k FROM stream AS s", "stream"),
        ("SELECT k FROM stream WHERE k > 1", "stream"),
        ("SELECT k FROM stream EMIT ON UPDATE", "stream"),
        ("SELECT k FROM stream LIMIT 1", "stream"),
        ("SELECT k FROM STREAM t WITH (a = 1) WATERMARK ts DELAY OF INTERVAL 1 DAY AS s", "t"),
    ):
        (reference,) = tree(sql).recursive_crawl("table_reference")
        assert reference.raw == name, sql


@pytest.mark.parametrize(
    ("sql", "is_clause"),
    [
        ("SELECT * FROM a JOIN b EMIT ON CHANGE", False),
        ("SELECT * FROM a LEFT JOIN s.b EMIT ON UPDATE", False),
        ("SELECT * FROM a JOIN (SELECT 1) EMIT ON CHANGE", False),
        ("SELECT * FROM a JOIN b TABLESAMPLE (1 PERCENT) EMIT ON CHANGE", False),
        ("SELECT * FROM a JOIN STREAM b EMIT ON CHANGE", False),
        ("SELECT * FROM a JOIN b EMIT ON CHANGE EXCEPT SELECT 1", False),
        ("SELECT * FROM a JOIN b EMIT ON CHANGE EXCEPT (SELECT 1)", False),
        ("SELECT 1 UNION SELECT * FROM a JOIN b EMIT ON CHANGE", False),
        ("SELECT * FROM a JOIN b EMIT ON CHANGE EXCEPT (k)", True),
        ("SELECT * FROM a JOIN b EMIT ON CHANGE KEY (k)", True),
        ("SELECT * FROM a JOIN b EMIT ON WINDOW CLOSE", True),
        ("SELECT * FROM a JOIN b EMIT EVERY 10 SECONDS", True),
        ("SELECT * FROM a JOIN b AS b EMIT ON CHANGE", True),
        ("SELECT * FROM a JOIN b USING (k) EMIT ON CHANGE", True),
        ("SELECT * FROM a NATURAL LEFT JOIN b EMIT ON CHANGE", True),
        ("SELECT * FROM a, b EMIT ON CHANGE", True),
    ],
)
def test_emit_behind_a_join_is_an_alias_if_spark_reads_one(sql: str, is_clause: bool) -> None:
    assert (lower_sql(sql) != sql) == is_clause
    assert [*tree(sql).recursive_crawl("emit_clause")] != [] or not is_clause
    assert ("emit_clause" in tree(sql).descendant_type_set) == is_clause


@pytest.mark.parametrize(
    "aggregate",
    ["sum(a.v)", "sum(a.v) + 1", "sum(a.v) FILTER (WHERE a.x)", "CASE WHEN any(a.x) THEN 1 END"],
)
def test_what_follows_an_aggregate_is_no_alias(aggregate: str) -> None:
    ends = ["EMIT ON CHANGE", "EMIT ON UPDATE", "EMIT ON WINDOW CLOSE", "EMIT EVERY 1 DAY"]
    ends += ["LIMIT 3", "OFFSET 1", "QUALIFY rank() OVER (ORDER BY k) = 1", "SORT BY k"]
    ends += ["MINUS SELECT 1"]
    for end in ends:
        sql = f"COGROUP a BY k, b USING (k) AGGREGATE count(b.*), {aggregate} {end}"
        assert "alias_expression" not in tree(sql).descendant_type_set, sql
        named = f"{sql.removesuffix(end)}AS offset {end}"
        assert "alias_expression" in tree(named).descendant_type_set, named


@pytest.mark.parametrize("end", ["", " WHERE k > 1", " GROUP BY k HAVING k > 1", " ORDER BY k"])
def test_an_offset_needs_no_limit(end: str) -> None:
    for tail in ("OFFSET 1", "OFFSET 1 EMIT ON CHANGE", "LIMIT 2 OFFSET 1"):
        assert "limit_clause" in tree(f"SELECT k FROM t{end} {tail}").descendant_type_set


def test_no_word_is_reserved() -> None:
    for word in tomllib.loads((ROOT / "sql/keywords.toml").read_text()):
        sql = f"SELECT {word}.{word} AS {word} FROM {word} {word} WHERE {word} = 1 GROUP BY {word}"
        assert parse_errors(sql) == parse_errors(sql, "sparksql"), word


# --- parse errors


def test_what_cannot_be_split_into_words_behind_a_join_is_left_to_sqlfluff() -> None:
    sql = "SELECT it's FROM a CROSS JOIN b AS x EMIT ON UPDATE"
    assert parse_errors(sql)[0] == (1, 10, 'Unable to lex characters: "\'s"')


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_each_unit_of_time_is_one(unit: str) -> None:
    assert parse_errors(f"SELECT k FROM t GROUP BY k EMIT EVERY 1 {unit}") == []
    assert parse_errors(f"SELECT k FROM STREAM t WATERMARK s DELAY OF INTERVAL 2 {unit}S") == []


def _refusals() -> Iterator[tuple[str, ClauseError]]:
    """Yields the texts of golden files with a wrong clause.

    Scripts are left out, and brackets that are not closed, which sqlfluff refuses before it parses.
    """
    for path in sorted((ROOT / "tests/golden").rglob("*errors.sql")):
        for block in read_golden(path).blocks:
            try:
                lower_sql(block.sql)
            except ClauseError as error:
                if "BEGIN" not in block.sql and block.sql.count("(") == block.sql.count(")"):
                    yield block.sql, error


def test_a_wrong_clause_is_an_error_at_the_word_that_spark_shows() -> None:
    refusals = list(_refusals())
    assert len(refusals) > 140
    for sql, refused in refusals:
        line, position, description = parse_errors(sql)[0]
        assert refused.condition in description, sql
        if refused.start < len(sql.rstrip()):
            above, _, before = sql[: refused.start].rpartition("\n")
            assert (line, position) == (above.count("\n") + 2 if above else 1, len(before) + 1), sql


def test_the_error_says_what_is_expected_and_the_next_statement_is_parsed() -> None:
    sql = "SELECT k\nFROM t GROUP BY k EMIT ON CHNAGE; SELECT k FROM u;\nSELECT k FROM t EMIT EVERY"
    (first, second) = parse_errors(sql)
    assert first[:2] == (2, 27)
    assert "'CHNAGE'. Expected: CHANGE, UPDATE or WINDOW CLOSE [EDDYLINE_EMIT" in first[2]
    assert second[:2] == (3, 22)  # the last word, since nothing follows it


def test_rules_pass_over_a_statement_with_a_wrong_clause() -> None:
    sql = "select item, SUM(price)  AS spent FROM t EMIT ON CHNAGE;\nSELECT  k FROM t"
    assert found(sql) == [("PRS", 1, 50), ("LT01", 2, 7)]


def test_an_error_of_sparks_sql_is_left_to_sqlfluff() -> None:
    sql = "SELECT k FROM t WHERE GROUP BY k"
    assert parse_errors(sql) == parse_errors(sql, "sparksql") != []


def test_the_docs_list_what_is_not_parsed() -> None:
    page = (ROOT / "docs/tools.md").read_text("utf-8")
    section = page.partition("\n## sqlfluff\n")[2].partition("\n## ")[0]
    assert [name for name in GAPS if f"- {name}" not in section] == []
