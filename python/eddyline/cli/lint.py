"""The command `eddyline lint`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from eddyline.cli.output import in_one_line
from eddyline.cli.texts import files, read_text
from eddyline.errors import EddylineError
from eddyline.linting import RULES, Finding, lint_sql
from eddyline.rowtext import visible

_INVALID = "EL00"
# what GitHub wants to be percent-encoded in a text, and in a value before it
_OF_TEXT = "%\r\n"
_OF_VALUE = f"{_OF_TEXT}:,"


def _rules(_: click.Context, parameter: click.Parameter, typed: tuple[str, ...]) -> frozenset[str]:
    """Returns the ids of rules that were typed, with commas between them."""
    ids = frozenset(each.strip().upper() for text in typed for each in text.split(","))
    for each in sorted(ids - {rule.id for rule in RULES}):
        raise click.BadParameter(f"{each!r} is no rule; see --list.", param=parameter)
    return ids


def _list(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Prints the rules."""
    if wanted:
        for rule in RULES:
            click.echo(f"{rule.id} {rule.name}\n  {rule.reason}\n  {rule.fix}")
        context.exit()


@click.command()
@click.argument(
    "paths", nargs=-1, type=click.Path(exists=True, allow_dash=True, path_type=Path), required=True
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="Lines of text, JSON, or annotations of GitHub Actions.",
)
@click.option(
    "--select", multiple=True, callback=_rules, metavar="RULES", help="Apply these rules only."
)
@click.option(
    "--ignore", multiple=True, callback=_rules, metavar="RULES", help="Do not apply these rules."
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list,
    help="Print the rules, each with its reason and its fix.",
)
def lint(
    *, paths: tuple[Path, ...], form: str, select: frozenset[str], ignore: frozenset[str]
) -> None:
    """Look for mistakes in SQL files that Spark accepts or finds late, or in standard input, -.

    RULES are ids such as EL01, with commas between them. In a folder these are all files that end
    with .sql, and Jinja may stand in them. A comment `-- eddyline: noqa EL01` silences a rule on
    its line. Exits with status 1 if something is found, and with 2 if a file cannot be read.
    """
    rules = [rule for rule in RULES if (not select or rule.id in select) and rule.id not in ignore]
    found, failed = [], 0
    for path in files(paths):
        try:
            found += [(path, finding) for finding in lint_sql(read_text(path), rules=rules)]
        except EddylineError as error:
            failed += 1
            click.echo(in_one_line(f"{path}: {error}"), err=True)
    if form == "json":
        click.echo(json.dumps([_record(*each) for each in found], indent=2))
    else:
        for path, finding in found:
            click.echo(_annotation(path, finding) if form == "github" else _line(path, finding))
    if failed:
        raise SystemExit(2)
    if found:
        raise SystemExit(1)


def _line(path: Path, finding: Finding) -> str:
    place = f"{path}:{finding.line}:{finding.column}"
    return in_one_line(f"{place}: {finding.rule} {finding.message} {finding.hint}".rstrip())


def _record(path: Path, finding: Finding) -> dict[str, object]:
    return {"file": path.as_posix(), **asdict(finding)}


def _annotation(path: Path, finding: Finding) -> str:
    """Returns a workflow command of GitHub."""
    kind = "error" if finding.rule == _INVALID else "warning"
    place = f"file={_encoded(path.as_posix())},line={finding.line},col={finding.column}"
    text = _encoded(f"{finding.message} {finding.hint}".strip(), _OF_TEXT)
    return f"::{kind} {place},title={finding.rule} {finding.name}::{text}"


def _encoded(text: str, characters: str = _OF_VALUE) -> str:
    return visible("".join(f"%{ord(each):02X}" if each in characters else each for each in text))
