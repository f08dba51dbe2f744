"""What statements say about a session: one of this process, of a server, or of JDBC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from eddyline.doctor.findings import Finding, first_line
from eddyline.doctor.settings import (
    Setting,
    examine_class_path,
    examine_conflicts,
    other_extensions,
    why_inactive,
)
from eddyline.session import EXTENSIONS, PROBE

Ask = Callable[[str], list[tuple[Any, ...]]]

_WITH_PARAMETER = (
    "EXECUTE IMMEDIATE 'COGROUP (SELECT :x AS k) AS a BY k, (SELECT 1 AS k) AS b BY k "
    "AGGREGATE count(*) AS n, :x AS x' USING 1 AS x"
)
_RULE, _SWITCH = 1, 3  # columns of SHOW EDDYLINE RULES
_ANOTHER_PARSER = "The parser of another extension "


def examine_session(ask: Ask) -> Iterator[Finding]:
    """Checks a session from the inside; what is wrong with it ends the checks.

    Args:
        ask: function that runs a statement and returns its rows, or raises an error of which the
            text names the condition.
    """
    setting = settings_of(ask)
    spark = str(ask("SELECT version()")[0][0]).split(" ", maxsplit=1)[0]
    wrong = list(examine_class_path(setting, spark))
    yield from wrong
    probe = _clause(ask, setting, spark)
    yield probe
    if probe.ok:
        yield from _parameters(ask, setting)
        yield from _rules(ask)
        yield from examine_conflicts(setting, spark)


def settings_of(ask: Ask) -> Setting:
    """Returns a function from the key of a setting to its value in the session, or None."""

    def setting(key: str) -> str | None:
        value = str(ask(f"SET {key}")[0][1])
        return None if value == "<undefined>" else value

    return setting


def _clause(ask: Ask, setting: Setting, spark: str) -> Finding:
    """Returns whether the session reads a clause, and else why not."""
    try:
        ask(PROBE)
    except Exception as error:  # the report names whatever is wrong
        if "[PARSE_SYNTAX_ERROR]" in str(error):
            return why_inactive(setting)
        if "[UNRESOLVABLE_TABLE_VALUED_FUNCTION]" in str(error):
            others = ", ".join(other_extensions(setting))
            return Finding(
                "extension",
                False,
                f"{_ANOTHER_PARSER}has replaced eddyline's: {others}.",
                f"Make its parser call the one that it was given, or list {EXTENSIONS} last.",
            )
        return Finding("extension", False, first_line(error))
    extensions = setting("spark.sql.extensions")
    return Finding(
        "session", True, f"Spark {spark} reads COGROUP; extensions in order: {extensions}"
    )


def _parameters(ask: Ask, setting: Setting) -> Iterator[Finding]:
    """Finds a parser that inherits Spark's default, which forgets the parameters."""
    try:
        ask(_WITH_PARAMETER)
    except Exception as error:  # the report names whatever is wrong
        if "[UNBOUND_SQL_PARAMETER]" not in str(error):
            yield Finding("parameters", False, first_line(error))
            return
        yield Finding(
            "parameters",
            False,
            f"{_ANOTHER_PARSER}drops the parameters of a statement: "
            f"{', '.join(other_extensions(setting))}.",
            "Use a version of it that implements parsePlanWithParameters.",
        )


def _rules(ask: Ask) -> Iterator[Finding]:
    """Names the rules that the session leaves out."""
    excluded = [str(row[_RULE]) for row in ask("SHOW EDDYLINE RULES") if row[_SWITCH] == "OFF"]
    if excluded:
        yield Finding(
            "rules",
            True,
            f"spark.eddyline.rules.excluded leaves out {', '.join(excluded)}.",
            "RESET spark.eddyline.rules.excluded to have them again.",
        )
