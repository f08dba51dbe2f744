"""The rules of the linter, and the function that applies them to a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sqlglot.errors import TokenError

from eddyline.errors import EddylineError, describe
from eddyline.linting.claims import unchecked_claims
from eddyline.linting.cogroups import (
    counts_of_all_branches,
    keys_of_different_types,
    windows_without_watermark,
)
from eddyline.linting.findings import Finding, RuleHit
from eddyline.linting.globaltables import global_table_without_key, staleness_below_refresh
from eddyline.linting.sinks import emit_without_sink_key, upsert_without_deletes
from eddyline.linting.source import ALL, Source, read_source


@dataclass(frozen=True)
class Rule:
    """A rule of the linter.

    Attributes:
        id: `EL` and two digits; it never changes.
        name: a name in words.
        reason: what goes wrong where the rule is broken.
        fix: what to write instead.
        check: yields what breaks the rule; None for the rule about invalid clauses.
    """

    id: str
    name: str
    reason: str
    fix: str
    check: Callable[[Source], Iterator[RuleHit]] | None = None


INVALID = Rule(
    "EL00",
    "invalid-clause",
    "A clause that cannot be read is refused by Spark too.",
    "Do what the message of the condition says.",
)
RULES = (
    INVALID,
    Rule(
        "EL01",
        "emit-without-sink-key",
        "INSERT INTO appends every emission, so the table has several rows of a key in no order.",
        "Write WITH BATCH ID column after the table, and read the last row of each key.",
        emit_without_sink_key,
    ),
    Rule(
        "EL02",
        "unchecked-claim",
        "A false claim that is NOT ENFORCED gives wrong rows without an error.",
        "Leave it out, so that the claim is checked. A claim about rows that the query itself has "
        "shuffled cannot be checked: test it, and silence the rule there.",
        unchecked_claims,
    ),
    Rule(
        "EL03",
        "global-table-without-key",
        "Without PRIMARY KEY a global table keeps all rows of a key, and each refresh reads all.",
        "Write PRIMARY KEY (column, …).",
        global_table_without_key,
    ),
    Rule(
        "EL04",
        "cogroup-key-types",
        "Keys of different types are refused when the query is resolved.",
        "Cast the keys to one type in every branch.",
        keys_of_different_types,
    ),
    Rule(
        "EL05",
        "window-without-watermark",
        "Without a watermark no window of a stream ends; with it in some branches only, the "
        "COGROUP is refused.",
        "Write WATERMARK column DELAY OF INTERVAL 10 SECONDS after the table.",
        windows_without_watermark,
    ),
    Rule(
        "EL06",
        "staleness-below-refresh",
        "A global table that is refreshed less often than MAX STALENESS asks makes queries wait "
        "or fail.",
        "Let MAX STALENESS be longer than the interval of REFRESH EVERY.",
        staleness_below_refresh,
    ),
    Rule(
        "EL07",
        "count-of-all-branches",
        "In a COGROUP count(*) counts the rows of all branches, not of one.",
        "Write count(branch.*) for each branch that is meant.",
        counts_of_all_branches,
    ),
    Rule(
        "EL08",
        "upsert-without-deletes",
        "A row that HAVING no longer lets through stays in the table of an UPSERT INTO.",
        "End the query with EMIT ON CHANGE WITH CHANGE TYPE, so that the row is deleted.",
        upsert_without_deletes,
    ),
)


def lint_sql(sql: str, *, rules: Iterable[Rule] = RULES) -> list[Finding]:
    r"""Returns what the rules find in a text, from its start to its end.

    Args:
        sql: statements, which may contain Jinja. An invalid clause is no finding where Jinja may
            make it valid.
        rules: the rules to apply.

    Raises:
        EddylineError: EDDYLINE_LINT.NOT_SQL if the text cannot be split into words.

    >>> for found in lint_sql("CREATE GLOBAL TABLE g\nAS SELECT 1 AS k"):
    ...     print(found.line, found.column, found.rule, found.name)
    1 21 EL03 global-table-without-key
    """
    try:
        source = read_source(sql)
    except TokenError as error:
        reason = str(error).split("\n", maxsplit=1)[0]
        raise EddylineError("EDDYLINE_LINT.NOT_SQL", reason=reason) from error
    found = []
    for rule in rules:
        if rule.check is not None:
            found += [_finding_of(source, rule, hit) for hit in rule.check(source)]
        else:
            found += _of_errors(source)
    heard = [finding for finding in found if not _is_silenced(source, finding)]
    return sorted(heard, key=lambda finding: (finding.line, finding.column, finding.rule))


def _is_silenced(source: Source, finding: Finding) -> bool:
    silenced = source.silenced.get(finding.line, frozenset())
    return ALL in silenced or finding.rule in silenced


def _finding_of(source: Source, rule: Rule, hit: RuleHit) -> Finding:
    start = source.tokens.words[hit.index].start
    return _finding(source, start, rule, hit.message, hit.hint or rule.fix)


def _of_errors(source: Source) -> Iterator[Finding]:
    """Yields the findings of invalid clauses, but of those that Jinja may make valid."""
    for error in source.refused:
        if "{%" in source.sql or "{{" in source.sql[error.start : error.stop]:
            continue
        hint = error.parameters.get("hint", "")
        message, _ = describe(error.condition, {**error.parameters, "hint": ""})
        yield _finding(source, error.start, INVALID, f"[{error.condition}] {message}", hint)


def _finding(source: Source, start: int, rule: Rule, message: str, hint: str) -> Finding:
    line, column = source.place(start)
    return Finding(line, column, rule.id, rule.name, message, hint)
