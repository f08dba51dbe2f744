"""Packages and files of the shim, and Python modules, depend on each other in one direction."""

from __future__ import annotations

import ast
import re
import runpy
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from eddyline.versions import spark_lines

ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / "jvm-shim/src/main"
BUILD = runpy.run_path(str(ROOT / "jvm-shim/build.py"))
ENTRY_POINTS = ("EddylineExtensions", "EddylineExplain", "PythonApi")
ARCHITECTURE = ROOT / "docs/architecture.md"
JAR, MODULES = "package of the jar", "Python module or package"
SPARKS_OWN = "in Spark's own packages"
TYPE = re.compile(
    r"^(?:@\w+(?:\(.*?\))? )*(?:private(?:\[\w+\])? )?(?:sealed |abstract |final |case )*"
    r"(?:class|object|trait) (\w+)",
    re.MULTILINE,
)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"\"\".*?\"\"\"", re.DOTALL)


@cache
def sources() -> dict[Path, str]:
    """Returns each file of the newest Spark without comments and imports, by its path."""
    files = BUILD["sources"](ROOT, spark_lines()[-1].minor)
    return {
        path: COMMENT.sub("", path.read_text()) for path in files if path.name != "package.scala"
    }


def folders(path: Path) -> tuple[str, ...]:
    """Returns the names of the folders of a file, of which the first is `io` or `org`."""
    return path.relative_to(MAIN).parts[1:-1]


def package(path: Path) -> str:
    """Returns the package of a file; the root package has the entry points."""
    name = ".".join(folders(path))
    return "the entry points" if name == "io.eddyline.spark" else name


def row(package: str) -> str | None:
    """Returns the row of a package in the table of packages; None for a part of Spark's own.

    >>> row("io.eddyline.spark.globaltable.join"), row("org.apache.spark.ui.eddyline")
    ('globaltable', 'ui')
    >>> row("org.apache.spark.sql.eddyline")
    """
    if package.startswith("org.apache.spark.ui"):
        return "ui"
    if package.startswith("org.apache.spark"):
        return None
    return package.removeprefix("io.eddyline.spark.").partition(".")[0]


def table(heading: str) -> list[list[str]]:
    """Returns the rows of a table of packages in docs/architecture.md."""
    head = f"| {heading} | may use | lines |\n|---|---|---|\n"
    _, found, rest = ARCHITECTURE.read_text().partition(head)
    assert found, heading
    rows = rest.partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in rows]


def declared(heading: str) -> dict[str, set[str]]:
    """Returns what each package may use, in the order of its table."""
    return {
        name.strip("`"): set(re.findall(r"`([^`]+)`", uses))
        for name, uses, _ in table(heading)
        if name != SPARKS_OWN
    }


@cache
def dependencies() -> dict[Path, set[Path]]:
    """Returns the files whose types a file names, from its own package or imported."""
    homes: dict[str, dict[str, Path]] = {}
    for path, text in sources().items():
        for name in TYPE.findall(text):
            homes.setdefault(".".join(folders(path)), {})[name] = path
    found: dict[Path, set[Path]] = {}
    for path, text in sources().items():
        visible = dict(homes[".".join(folders(path))])
        found[path] = set()
        for prefix, names in re.findall(r"^import ([\w.]+)\.(\w+|\{[^}]*\})", text, re.MULTILINE):
            there = homes.get(prefix, {})
            outer, _, owner = prefix.rpartition(".")
            found[path] |= {home for name, home in homes.get(outer, {}).items() if name == owner}
            wanted = there if names == "_" else re.findall(r"\w+", names)
            visible.update({name: there[name] for name in wanted if name in there})
        body = re.sub(r"^(import|package) .*", "", text, flags=re.MULTILINE)
        words = set(re.findall(r"\w+", body))
        found[path] |= {visible[word] for word in words & visible.keys()}
        found[path].discard(path)
    return found


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Returns some nodes that form a cycle, or none."""
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for target in sorted(graph.get(node, ())):
            if loop := visit(target, [*path, node]):
                return loop
        done.add(node)
        return []

    return next((loop for node in sorted(graph) if (loop := visit(node, []))), [])


def test_packages_do_not_depend_on_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for path, targets in dependencies().items():
        graph.setdefault(package(path), set()).update(
            package(target) for target in targets if package(target) != package(path)
        )
    assert not cycle(graph)


def test_packages_use_what_the_table_allows() -> None:
    used: dict[str, set[str]] = {}
    for path, targets in dependencies().items():
        if name := row(package(path)):
            rows = {row(package(target)) for target in targets}
            used.setdefault(name, set()).update(
                other for other in rows - {name, "base", "shim"} if other
            )
    assert used == declared(JAR), ARCHITECTURE.relative_to(ROOT)


@pytest.mark.parametrize("heading", [JAR, MODULES])
def test_a_package_uses_only_those_above(heading: str) -> None:
    above: set[str] = set()
    for name, uses in declared(heading).items():
        assert uses <= above, name
        above.add(name)


@pytest.mark.parametrize("name", sorted({package(path) for path in sources()}))
def test_files_of_a_package_do_not_depend_on_each_other_in_a_circle(name: str) -> None:
    graph = {
        path.stem: {target.stem for target in targets if package(target) == name}
        for path, targets in dependencies().items()
        if package(path) == name
    }
    assert not cycle(graph)


def test_every_file_is_used() -> None:
    """A rule that is not injected, or any other type that nothing names, is dead code."""
    used = set().union(*dependencies().values())
    unused = [path for path in dependencies() if path not in used and path.stem not in ENTRY_POINTS]
    names = [path.relative_to(MAIN).as_posix() for path in unused]
    rules = MAIN / "scala/io/eddyline/spark/rules/EddylineRules.scala"
    assert names == [], f"rules stand in {rules.relative_to(ROOT)}"


def differs(path: Path) -> bool:
    """Whether the file is only for some Spark versions."""
    return path.relative_to(MAIN).parts[0] != "scala"


@pytest.mark.parametrize("minor", [line.minor for line in spark_lines()])
def test_each_spark_has_what_differs_once(minor: str) -> None:
    """What the other sources use of these folders is in one folder of each Spark version."""
    used = {
        target.stem
        for path, targets in dependencies().items()
        for target in targets
        if differs(target) and not differs(path)
    }
    found = [path.stem for path in BUILD["sources"](ROOT, minor) if differs(path)]
    assert used
    assert sorted(found) == sorted({*found, *used})


PYTHON = ROOT / "python"
INTEGRATIONS = ("integrations/editors", "integrations/sqlfluff")


def imports(path: Path, known: set[str]) -> set[str]:
    """Returns the known modules that a module imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{name.name}" for name in node.names}
            found |= names & known or {node.module}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found & known


@cache
def modules() -> dict[str, set[str]]:
    """Returns each module with the modules that it imports; a package is its `__init__`."""
    files = {
        ".".join(path.relative_to(folder).with_suffix("").parts): path
        for folder in (PYTHON, *(ROOT / folder for folder in INTEGRATIONS))
        for path in folder.glob("eddyline*/**/*.py")
    }
    names = {name.removesuffix(".__init__"): path for name, path in files.items()}
    return {name: imports(path, {*names}) - {name} for name, path in names.items()}


def test_python_modules_do_not_import_each_other_in_a_circle() -> None:
    packages = {"eddyline", "eddyline_editors", "eddyline_sqlfluff"}
    assert not cycle({name: found - packages for name, found in modules().items()})


def test_python_packages_use_what_the_table_allows() -> None:
    def name(module: str) -> str:
        return module.split(".")[1] if "." in module else module

    used: dict[str, set[str]] = {}
    for module, found in modules().items():
        if module.partition(".")[0] == "eddyline":
            others = {name(each) for each in found} - {"errors", "versions"}
            used.setdefault(name(module), set()).update(others - {name(module)})
    assert used == declared(MODULES)


def lines() -> Iterator[tuple[str, str, int]]:
    """Yields the lines of each source: its table, its row there, and how many they are."""
    for path in MAIN.rglob("*.scala"):
        yield JAR, row(package(path)) or SPARKS_OWN, len(path.read_text().splitlines())
    for path in (PYTHON / "eddyline").rglob("*.py"):
        name = path.relative_to(PYTHON / "eddyline").parts[0].removesuffix(".py")
        is_root = name == "__init__"
        yield MODULES, "eddyline" if is_root else name, len(path.read_text().splitlines())


@pytest.mark.parametrize("heading", [JAR, MODULES])
def test_a_package_has_no_more_lines_than_its_budget(heading: str) -> None:
    """A commit that raises a budget says what the new lines make unnecessary."""
    found: Counter[str] = Counter()
    for of, name, count in lines():
        if of == heading:
            found[name] += count
    budgets = {name.strip("`"): int(most.replace(",", "")) for name, _, most in table(heading)}
    assert found.keys() == budgets.keys()
    assert {name: count for name, count in found.items() if count > budgets[name]} == {}


def test_eddyline_imports_nothing_of_its_integrations() -> None:
    own = {name: found for name, found in modules().items() if name.split(".")[0] == "eddyline"}
    imported = {each.split(".")[0] for found in own.values() for each in found}
    assert imported == {"eddyline"}


def test_sqlfluff_loads_nothing_of_eddyline_with_the_plug_in() -> None:
    loaded, added = set(), {"eddyline_sqlfluff"}
    while added:
        loaded |= added
        added = {name for module in added for name in modules()[module]} - loaded
    assert {name.partition(".")[0] for name in loaded} == {"eddyline_sqlfluff"}
