"""The demo's report, for people and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text


@dataclass(frozen=True)
class Part:
    """One query of the demo, its checks and its figures.

    Attributes:
        title: what the query shows.
        sql: text of the query.
        columns: names of the columns of its result.
        rows: the first rows of its result.
        row_count: number of rows of the whole result.
        checks: by what was compared, whether it held.
        figures: by name, which has the unit, what was counted or measured.
        plans: by name, physical plans to compare, with an operator a line.
    """

    title: str
    sql: str
    columns: list[str]
    rows: list[list[Any]]
    row_count: int
    checks: dict[str, bool]
    figures: dict[str, Any]
    plans: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """The report of the demo: all its parts."""

    parts: list[Part]

    @property
    def ok(self) -> bool:
        """Returns whether every check held."""
        return all(all(part.checks.values()) for part in self.parts)

    def as_dict(self) -> dict[str, Any]:
        """Returns the report as a dict for JSON, as `--json` prints it."""
        return {"ok": self.ok, "parts": [asdict(part) for part in self.parts]}

    def print(self, console: Console) -> None:
        """Prints the report for people to read."""
        for part in self.parts:
            console.rule(f"[bold]{part.title}")
            highlighted = Syntax("", "sql", background_color="default").highlight(part.sql)
            console.print(highlighted, soft_wrap=True)
            table = Table(*part.columns)
            for row in part.rows:
                table.add_row(*map(_cell, row))
            console.print(table)
            if part.row_count > len(part.rows):
                console.print(f"… {part.row_count:,} rows in all", style="dim")
            for name, plan in part.plans.items():
                console.print(f"\n{name}:")
                console.print(_plan(plan), soft_wrap=True)
            if part.plans:
                console.print()
            for name, figure in part.figures.items():
                console.print(f"   {name}: {figure}")
            for name, held in part.checks.items():
                console.print(("[green]ok[/] " if held else "[red]NO[/] ") + name)
            console.print()


def _plan(plan: str) -> Text:
    """Returns the plan with each Exchange marked, including avoided ones."""
    text = Text(plan)
    text.highlight_regex(r"Exchange \w+partitioning\(.*?\)", "bold red")
    text.highlight_regex(r"\{.*?\}", "bold green")
    return text


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
