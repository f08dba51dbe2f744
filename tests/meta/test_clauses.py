"""Each clause has each of its places, which `docs/contributing/add-a-clause.md` lists.

A message names the place that is missing. `tests/contributing` leaves out each place once.
"""

from __future__ import annotations

import json
import re
import tomllib

from eddyline.lowering import scanner
from eddyline.lowering.roles import Role
from guide import ADD_A_CLAUSE, IF_IT_APPLIES, places
from parsers import FIRST_WORDS, KEYWORDS
from placeholders import calls
from tiers import ROOT

SHIM = "jvm-shim/src/main/scala/io/eddyline/spark"
EXTENSIONS = f"{SHIM}/EddylineExtensions.scala"
RULES = f"{SHIM}/rules/EddylineRules.scala"
MODULES = {module.__name__.rpartition(".")[2]: module for module in scanner._CLAUSES}


def read(place: str) -> str:
    return (ROOT / place).read_text()


def stems() -> list[str]:
    """Returns the stems of all clauses of which any place is there."""
    found = {path.stem for path in (ROOT / "sql/grammar").glob("*.ebnf")}
    found |= {stem for facts in KEYWORDS.values() for stem in facts["clauses"]}
    found |= {path.parent.name for path in (ROOT / SHIM).glob("*/?*Placeholder.scala")}
    return sorted(found | MODULES.keys())


STEMS = stems()


def first_words(stem: str) -> list[str]:
    return [word for word in FIRST_WORDS if stem in KEYWORDS[word]["clauses"]]


def holds(text: str, word: str) -> bool:
    return re.search(rf"\b{word}\b", text, re.IGNORECASE) is not None


def test_each_clause_has_its_files() -> None:
    wanted = [place.replace("<stem>", stem) for place in places(ADD_A_CLAUSE) for stem in STEMS]
    assert [place for place in wanted if next(ROOT.glob(place), None) is None] == []


def test_some_clause_has_the_files_that_not_all_have() -> None:
    section = ADD_A_CLAUSE.partition(IF_IT_APPLIES)[2]
    for place in places(section):
        found = [path for stem in STEMS for path in ROOT.glob(place.replace("<stem>", stem))]
        assert found, place


def test_each_clause_has_a_first_word() -> None:
    assert [f"sql/keywords.toml: {stem}" for stem in STEMS if not first_words(stem)] == []


def test_the_first_words_have_the_roles_of_their_modules() -> None:
    for stem, module in MODULES.items():
        roles = {KEYWORDS[word]["role"] for word in first_words(stem) if "role" in KEYWORDS[word]}
        assert roles == {module.ROLE.value}, f"sql/keywords.toml: role of {stem}"


def test_the_scanner_has_each_clause_in_the_order_of_the_roles() -> None:
    absent = [stem for stem in STEMS if stem not in MODULES]
    assert absent == [], "python/eddyline/lowering/scanner.py: _CLAUSES"
    order = [Role.STATEMENT, Role.PRIMARY, Role.TAIL, Role.RELATION]
    found = [order.index(module.ROLE) for module in MODULES.values()]
    assert found == sorted(found), "python/eddyline/lowering/scanner.py: _CLAUSES"


def test_each_first_word_is_lowered_in_a_pair() -> None:
    pairs = tomllib.loads(read("tests/unit/lowering.toml"))["pair"]
    lowered = "\n".join(pair["typed"] for pair in pairs if pair["typed"] != pair["lowered"])
    assert [f"tests/unit/lowering.toml: {w}" for w in FIRST_WORDS if not holds(lowered, w)] == []


def test_each_argument_of_a_placeholder_is_in_the_table() -> None:
    pairs = tomllib.loads(read("tests/unit/lowering.toml"))["pair"]
    lowered = [pair["lowered"] for pair in pairs if pair["lowered"] != pair["typed"]]
    table = tomllib.loads(read("sql/placeholders.toml"))
    absent = set()
    for function, name in {call for sql in lowered for call in calls(sql)}:
        named = table.get(function, {})
        is_branch = function == "__eddyline_cogroup" and not name.startswith("__eddyline_")
        if not is_branch and name not in table.get(named.get("like"), named):
            absent.add(f"sql/placeholders.toml: {function}.{name}")
    assert sorted(absent) == []


def test_the_extension_has_each_placeholder() -> None:
    names = re.search(r"PLACEHOLDERS: .*? = Seq\((.*?)\)", read(EXTENSIONS), re.DOTALL)
    assert names is not None
    listed = re.findall(r"\w+", names[1])
    found = sorted((ROOT / SHIM).glob("*/?*Placeholder.scala"))
    readers = [path.stem for path in found]
    assert listed == readers, f"{EXTENSIONS}: PLACEHOLDERS"


def test_what_the_extension_imports_is_there() -> None:
    absent = []
    for package, names in re.findall(
        r"^import io\.eddyline\.spark\.([a-z.]+)\.(\w+|\{.*?\})$",
        read(EXTENSIONS) + read(RULES),
        re.MULTILINE,
    ):
        folder = f"{SHIM}/{package.replace('.', '/')}"
        files = [f"{folder}/{name}.scala" for name in re.findall(r"[A-Z]\w+", names)]
        absent += [file for file in files if not (ROOT / file).exists()]
    assert absent == []


def test_the_conditions_of_golden_files_exist() -> None:
    known = json.loads(read("sql/errors/error-conditions.json"))
    absent = {
        f"sql/errors/error-conditions.json: {main}.{sub}"
        for path in (ROOT / "tests/golden").rglob("*.sql")
        for main, sub in re.findall(r"\b(EDDYLINE_[A-Z_]+)\.([A-Z_]+)", path.read_text())
        if sub not in known.get(main, {}).get("subClass", {})
    }
    assert sorted(absent) == []


def test_each_first_word_is_a_name_in_ordinary_sql() -> None:
    ordinary = read("tests/corpus/ordinary.sql")
    words = [word for word in FIRST_WORDS if "role" in KEYWORDS[word]]
    assert [f"tests/corpus/ordinary.sql: {w}" for w in words if not holds(ordinary, w)] == []


def test_the_readme_and_the_changelog_have_each_clause() -> None:
    rows = "\n".join(row for row in read("README.md").splitlines() if row.startswith("| [`"))
    assert [f"README.md: {s}" for s in STEMS if f"](docs/sql/{s}.md)" not in rows] == []
    changes = read("CHANGELOG.md")
    # in capitals, since a word of the language may be one of English
    absent = [word for word in FIRST_WORDS if not re.search(rf"\b{word}\b", changes)]
    assert [f"CHANGELOG.md: {word}" for word in absent] == []


def test_make_bench_runs_each_benchmark() -> None:
    target = re.search(r"^bench: .*\n\t@for name in (.*?);", read("Makefile"), re.MULTILINE)
    assert target is not None
    assert "benchmarks/backlog.py --archives" in read("Makefile")
    results = sorted((ROOT / "benchmarks/results").glob("*.json"))
    names = sorted([*target[1].split(), "backlog_archives"])
    assert names == [path.stem for path in results], "Makefile: bench"
