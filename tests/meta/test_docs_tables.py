"""The parts of `docs/` that `make update-docs` writes from the code.

A page marks such a part: `<!-- generated: name -->` before it, `<!-- end of name -->` after it.
The errors page is generated as a whole.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import textwrap
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import pyspark
import pytest

import performance
from kafka_streams import CASES, DIFFERENCES
from tables import (
    connectors_table,
    engines_table,
    formats_table,
    grammar_sections,
    older_table,
    table,
    versions_table,
)

ROOT = Path(__file__).resolve().parents[2]
SHIM = ROOT / "jvm-shim/src/main/scala/io/eddyline/spark"
LIST = SHIM / "rules/EddylineRules.scala"
PHASES = SHIM / "rules/Phase.scala"


def stale(page: Path) -> str:
    return f"{page.relative_to(ROOT)} is not what `make update-docs` writes"


def escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")


# --- errors


def errors_page() -> str:
    conditions = json.loads((ROOT / "sql/errors/error-conditions.json").read_text())
    lines = [
        "# Errors",
        "",
        "Every error has a condition and a SQLSTATE and, if it is about a text, says where in it.",
    ]
    for name, entry in conditions.items():
        lines += ["", f"## {name}"]
        if "subClass" not in entry:
            message = f"{' '.join(entry['message'])} SQLSTATE {entry['sqlState']}."
            lines += ["", textwrap.fill(escaped(message), 120)]
        else:
            rows = [("condition", "SQLSTATE", "message")]
            for sub, detail in entry["subClass"].items():
                state = detail.get("sqlState", entry["sqlState"])
                rows.append((sub, state, escaped(" ".join(detail["message"]))))
            lines += ["", table(*rows)]
    return "\n".join(lines) + "\n"


# --- configuration

TEXT = r'(?:\s*"(?:[^"\\]|\\.)*"\s*\+?)+'
CONF = re.compile(
    rf'=\s+(?P<static>static)?[cC]onf\("(?P<key>[^"]+)",(?P<doc>{TEXT})'
    r'(?:, since = "(?P<since>.*?)")?\).*?'
    r"\.create\w+(?:\((?P<default>.*?)\))?\n",
    re.DOTALL,
)


def scala_string(code: str) -> str:
    """Returns the value of Scala string literals that are joined by `+`."""
    return "".join(json.loads(f'"{part}"') for part in re.findall(r'"((?:[^"\\]|\\.)*)"', code))


def entries() -> Iterator[tuple[str, str, str, str, bool]]:
    """Yields key, default, meaning, version and staticness of the entries in EddylineConf.scala."""
    source = (SHIM / "base/EddylineConf.scala").read_text()
    since = re.search(r'since: String = "(.*?)"', source)
    assert since is not None
    for entry in CONF.finditer(source):
        default = re.sub(r"(?<=\d)L$|^Nil$", "", (entry["default"] or "").strip('"'))
        version = entry["since"] or since[1]
        yield entry["key"], default, scala_string(entry["doc"]), version, bool(entry["static"])


def configuration_table() -> str:
    rows = [("key", "default", "meaning", "since")]
    for key, default, meaning, version, static in sorted(entries()):
        shown = f"`{default}`" if default else "unset"
        rows.append((f"`{key}`", shown, "Static. " * static + escaped(meaning), version))
    return table(*rows)


def test_every_entry_is_read() -> None:
    source = (SHIM / "base/EddylineConf.scala").read_text()
    assert len(list(entries())) == len(re.findall(r"\w*[cC]onf\(\"", source))
    assert all(meaning.endswith(".") for _, _, meaning, _, _ in entries())


# --- command line


def command_sections() -> str:
    from eddyline.cli.commands import eddyline
    from eddyline.cli.doctor import doctor_options

    parts = []
    commands = dict(eddyline.commands)
    for name, command in eddyline.commands.items():
        if isinstance(command, click.Group):
            commands |= {f"{name} {inner}": found for inner, found in command.commands.items()}
    for name, command in commands.items():
        assert command.help, name
        text = textwrap.fill(" ".join(inspect.cleandoc(command.help).split()), 120)
        parts += [f"## eddyline {name}", text]
        rows = list(map(parameter_item, command.params))
        if name == "doctor":  # whose options click does not know
            rows = list(map(action_item, doctor_options()._actions[1:]))  # the first is --help
        if rows:
            parts.append(bullets(rows))
    return "\n\n".join(parts)


def action_item(action: argparse.Action) -> tuple[str, str]:
    words = ", ".join(f"`{word}`" for word in action.option_strings)
    return f"{words} {action.metavar or ''}".strip(), action.help or ""


def parameter_item(parameter: click.Parameter) -> tuple[str, str]:
    """Returns an argument or option, and its meaning with the default."""
    if not isinstance(parameter, click.Option):
        choices = " or ".join(getattr(parameter.type, "choices", ()))
        needed = f"required, {choices}" if choices else "required"
        return f"`{parameter.opts[-1]}`", needed if parameter.required else f"`{parameter.metavar}`"
    words = ", ".join(f"`{word}`" for word in parameter.opts)
    if not parameter.is_flag:
        words += f" {parameter.metavar or parameter.type.name.upper()}"
    default = f" (default `{parameter.default}`)" if parameter.show_default else ""
    return words + default, parameter.help or ""


# --- rules of the linter


def lint_table() -> str:
    """Returns the rules of `eddyline lint`, each with its reason and its fix."""
    from eddyline.linting import RULES

    rows = [(f"`{rule.id}`", rule.name, escaped(rule.reason), escaped(rule.fix)) for rule in RULES]
    return table(("rule", "name", "reason", "fix"), *rows)


# --- Python

SECTION = re.compile(r"\n\n(?=(?:Args|Attributes|Raises|Returns|Yields):\n)")
ITEM = re.compile(r"^    (\w+): ((?:.|\n {5,})+)", re.MULTILINE)


def python_sections() -> str:
    """Returns the public functions, then the public classes, each from its docstring."""
    import eddyline
    from eddyline import report

    names = dict.fromkeys([*eddyline.__all__, *report.__all__])
    public = [
        getattr(eddyline, name, None) or getattr(report, name)
        for name in names
        if name != "__version__"
    ]
    return "\n\n".join(map(python_section, sorted(public, key=inspect.isclass)))


def python_section(found: Any) -> str:
    text = inspect.cleandoc(found.__doc__).partition("\n\n>>>")[0]
    body, *sections = SECTION.split(text)
    parts = [f"## {found.__name__}", wrapped(body)]
    if not inspect.isclass(found):
        parts.insert(1, f"```python\n{signature_of(found)}\n```")
    types = getattr(found, "__annotations__", {})
    named: list[str] = []
    returned = ""
    for title, rest in (section.split(":\n", 1) for section in sections):
        items = [
            (f"`{name}`", escaped(" ".join(meaning.split())))
            for name, meaning in ITEM.findall(rest)
        ]
        if title == "Returns":
            returned = wrapped(f"Returns {rest.strip()[:1].lower()}{rest.strip()[1:]}")
        elif title == "Attributes":
            header = ("attribute", "type", "meaning")
            shown = ((n, "`" + types[n[1:-1]].replace(" | ", " or ") + "`", m) for n, m in items)
            parts.append(table(header, *shown) if types else bullets(items))
        else:
            errors = title == "Raises"
            named.append(bullets((f"raises {n}" if errors else n, m) for n, m in items))
    parts += filter(None, ["\n".join(named), returned])
    return "\n\n".join(parts)


def bullets(items: Iterable[tuple[str, str]]) -> str:
    """Returns a list of names and what they mean."""
    lines = (f"- {name}: {meaning}" for name, meaning in items)
    return "\n".join(textwrap.fill(line, 120, subsequent_indent="  ") for line in lines)


def signature_of(function: Any) -> str:
    signature = inspect.signature(function)
    line = f"{function.__name__}{signature}".replace("'", "")
    if len(line) <= 120:
        return line
    head, tail = f"{function.__name__}(", line[line.rindex(") ->") :]
    return head + "\n    " + line[len(head) : -len(tail)].replace(", ", ",\n    ") + f",\n{tail}"


def wrapped(text: str) -> str:
    paragraphs = (escaped(" ".join(part.split())) for part in text.split("\n\n"))
    return "\n\n".join(textwrap.fill(part, 120) for part in paragraphs)


# --- architecture

INJECTED = re.compile(
    r"extensions\.(inject\w+)(?:\(| \{)(.*?)(?=\n    extensions\.|\n    EddylineRules|\n  \}\n)",
    re.DOTALL,
)
RULE = re.compile(r"=>\s*(?:[^=]*\n\s*)?(?:new )?([A-Z]\w+)")
LISTED = re.compile(
    r"^    ([a-z]\w+)(\.optional)?\((?:_ => )?(?:new )?([A-Z][\w.]+).*?\)\((\s*\".*?)"
    r"(?=^    [a-z]|\n\n)",
    re.DOTALL | re.MULTILINE,
)
INJECTOR = re.compile(r"val (\w+) =\s+new \w+\[[^\"]*\]\(\"([\w -]+)\"\)\(\s*_\.(inject\w+)\(")
TYPE = re.compile(
    r"^(?:private\[\w+\] )?(?:case )?(class|object) (\w+)(.*?)(?=\{|\n\n)", re.DOTALL | re.MULTILINE
)
NODE = re.compile(r"\bextends (UnaryNode|StatefulNode|LeafNode|BinaryNode|LogicalPlan)\b")
STEMS = [path.stem for path in sorted((ROOT / "sql/grammar").glob("*.ebnf"))]


def injected() -> dict[str, list[str]]:
    """Returns what EddylineExtensions injects, by the method that injects it."""
    source = (SHIM / "EddylineExtensions.scala").read_text()
    rules: dict[str, list[str]] = {}
    for method, code in INJECTED.findall(source):
        rules.setdefault(method, []).extend(RULE.findall(code))
    assert sum(map(len, rules.values())) == source.count("extensions.inject")
    methods = {phase: method for phase, _, method in INJECTOR.findall(PHASES.read_text())}
    for phase, _, name, _ in LISTED.findall(LIST.read_text()):
        rules.setdefault(methods[phase], []).append(name.partition(".")[0])
    return rules


def rules_table() -> str:
    """Returns each rule with its phase, what it does and whether it has a switch."""
    phases = {phase: name for phase, name, _ in INJECTOR.findall(PHASES.read_text())}
    rows = [("phase", "rule", "what it does", "switch")]
    for phase, optional, name, does in LISTED.findall(LIST.read_text()):
        rows.append((phases[phase], f"`{name}`", scala_string(does), "yes" if optional else ""))
    return table(*rows)


def clauses_table() -> str:
    """Returns what each clause adds to Spark: logical nodes, rules and physical operators."""
    rules = [rule for found in injected().values() for rule in found if rule != "PrettyText"]
    rows = [("clause", "logical nodes", "rules", "operators")]
    for stem in STEMS:
        source = "\n".join(path.read_text() for path in sorted((SHIM / stem).rglob("*.scala")))
        types = TYPE.findall(source)
        names = {name for _, name, _ in types}
        commands = {name for kind, name, _ in types if re.fullmatch(r"[A-Z]\w+Command", name)}
        nodes = listed(name for _, name, rest in types if NODE.search(rest))
        rows.append(
            (
                f"`{stem}`",
                ", ".join(filter(None, [nodes, counted(commands, "command")])),
                listed(rule for rule in rules if rule in names),
                listed(name for _, name, _ in types if name.endswith("Exec")),
            )
        )
    return table(*rows)


def counted(names: set[str], what: str) -> str:
    """Returns how many there are, or an empty text for none."""
    return f"{len(names)} {what}{'s' * (len(names) > 1)}" if names else ""


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


PHASE = re.compile(r"^\| `(inject\w+)` \|([^|]*)\|", re.MULTILINE)


def test_phases_are_fresh() -> None:
    page = ROOT / "docs/architecture.md"
    rules = injected()
    if os.environ.get("UPDATE_DOCS"):
        fresh = PHASE.sub(lambda row: f"| `{row[1]}` | {listed(rules[row[1]])} |", page.read_text())
        page.write_text(fresh)
    shown = [(method, cell.strip()) for method, cell in PHASE.findall(page.read_text())]
    assert shown == [(method, listed(names)) for method, names in rules.items()], stale(page)


def test_the_neighbours_are_sparks() -> None:
    """The rules and classes of Spark in the tables of phases are in the jars of this Spark."""
    section = (ROOT / "docs/architecture.md").read_text().partition("## The phases")[2]
    rows = [row for row in section.partition("\n## ")[0].splitlines() if row.startswith("| ")]
    cells = [row.split("|")[3] if "`inject" in row else row for row in rows]
    named = set(re.findall(r"`([A-Z]\w+)`", " ".join(cells)))
    jars = Path(pyspark.__file__).parent / "jars"
    classes: set[str] = set()
    for jar in (*jars.glob("spark-catalyst_*.jar"), *jars.glob("spark-sql_*.jar")):
        for name in zipfile.ZipFile(jar).namelist():
            classes.update(name.removesuffix(".class").rpartition("/")[2].split("$"))
    assert named - classes == set()


# --- differences from Kafka Streams


def differences_table() -> str:
    """Returns what Kafka Streams does differently, why, and which cases or test show it."""
    rows = [("Kafka Streams", "eddyline", "why", "shown by")]
    for found in DIFFERENCES:
        cases = ", ".join(f"`{name}`" for name in found.get("cases", ()))
        test = found.get("test", "")
        link = f"[{Path(test).name}](../{test})" if test else ""
        rows.append((found["kafka"], found["eddyline"], found["why"], cases or link))
    return table(*rows)


def test_differences_name_cases() -> None:
    known = {case["name"] for case in CASES}
    for found in DIFFERENCES:
        assert set(found.get("cases", ())) <= known
        assert bool(found.get("cases")) != ("test" in found), found


# --- the pages


PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "clauses": ("docs/architecture.md", clauses_table),
    "rules": ("docs/sql/rules.md", rules_table),
    "configuration": ("docs/configuration.md", configuration_table),
    "python": ("docs/python.md", python_sections),
    "commands": ("docs/cli.md", command_sections),
    "lint": ("docs/tools.md", lint_table),
    "grammar": ("docs/sql/grammar.md", grammar_sections),
    "differences": ("docs/kafka.md", differences_table),
    "connectors": ("docs/kafka.md", connectors_table),
    "versions": ("docs/compatibility.md", versions_table),
    "formats": ("docs/table-formats.md", formats_table),
    "engines": ("docs/native.md", engines_table),
    "older": ("docs/compatibility.md", older_table),
    **performance.PARTS,
}


def test_errors_page_is_fresh() -> None:
    page = ROOT / "docs/errors.md"
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(errors_page())
    assert page.read_text() == errors_page(), stale(page)


@pytest.mark.parametrize("name", PARTS)
def test_generated_part_is_fresh(name: str) -> None:
    page, make = ROOT / PARTS[name][0], PARTS[name][1]
    head, tail = f"<!-- generated: {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = page.read_text().partition(head)
    found, end, after = rest.partition(tail)
    assert end, f"{page.name} has no part {name}"
    fresh = f"\n{make()}\n\n"
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(before + head + fresh + tail + after)
    else:
        assert found == fresh, stale(page)
