"""Grammar, keywords, conditions, tests and docs agree on one language."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
KEYWORDS = tomllib.loads((ROOT / "sql/keywords.toml").read_text())
PLACEHOLDERS = {
    function: named
    for function, named in tomllib.loads((ROOT / "sql/placeholders.toml").read_text()).items()
    if "like" not in named
}
GRAMMARS = sorted((ROOT / "sql/grammar").glob("*.ebnf"))
CONDITIONS = json.loads((ROOT / "sql/errors/error-conditions.json").read_text())
NAMES = [
    f"{main}.{sub}" if sub else main
    for main, entry in CONDITIONS.items()
    for sub in entry.get("subClass", {"": {}})
]
TESTS = "\n".join(
    path.read_text()
    for path in (ROOT / "tests").rglob("*")
    if path.suffix in (".py", ".sql") and path.parent.name != "meta"
)


def terminals(grammar: Path) -> set[str]:
    return {word for word in re.findall(r'"([^"]+)"', grammar.read_text()) if word.isalpha()}


def spark_json(name: str) -> dict[str, dict[str, object]]:
    import pyspark

    for jar in (Path(pyspark.__file__).parent / "jars").glob("spark-common-utils_*.jar"):
        with zipfile.ZipFile(jar) as archive:
            return dict(json.loads(archive.read(f"error/{name}.json")))
    raise FileNotFoundError(name)


def test_every_terminal_is_a_keyword_of_its_clause() -> None:
    keywords = {
        grammar.stem: {word for word, facts in KEYWORDS.items() if grammar.stem in facts["clauses"]}
        for grammar in GRAMMARS
    }
    for grammar in GRAMMARS:
        assert terminals(grammar) == keywords[grammar.stem], f"sql/keywords.toml: {grammar.stem}"


def test_the_words_of_arguments_are_those_of_a_clause() -> None:
    for function, named in PLACEHOLDERS.items():
        said = [
            text
            for facts in named.values()
            for text in (facts.get("words", ""), *facts.get("values", {}).values())
        ]
        words = set(re.findall(r"[A-Z]+", " ".join(said)))
        assert any(words <= terminals(grammar) for grammar in GRAMMARS), function


def test_the_jar_reads_each_argument_of_a_placeholder() -> None:
    readers = [
        path.read_text() for path in (ROOT / "jvm-shim/src/main").rglob("*Placeholder.scala")
    ]
    for function, named in PLACEHOLDERS.items():
        (reader,) = (text for text in readers if f'"{function}"' in text)
        assert [name for name in named if f'"{name}"' not in reader] == [], function


def test_every_terminal_stands_in_a_golden_file() -> None:
    absent = []
    for grammar in GRAMMARS:
        folder = ROOT / "tests/golden" / grammar.stem
        words = set(re.findall(r"\w+", " ".join(map(Path.read_text, folder.glob("*.sql"))).upper()))
        absent += [f"{grammar.stem}: {word}" for word in terminals(grammar) - words]
    assert absent == []


def test_keywords_are_sorted() -> None:
    assert list(KEYWORDS) == sorted(KEYWORDS)


def test_no_keyword_is_reserved(spark: SparkSession) -> None:
    for word in (word for word, facts in KEYWORDS.items() if facts.get("starts")):
        spark.sql(f"CREATE TEMPORARY VIEW {word} AS SELECT 1 AS {word}")
        sql = f"SELECT {word}.{word} AS {word} FROM {word} {word} WHERE {word} = 1 GROUP BY {word}"
        assert spark.sql(sql).collect() == [(1,)]


def test_conditions_are_sorted() -> None:
    assert list(CONDITIONS) == sorted(CONDITIONS)
    for entry in CONDITIONS.values():
        assert list(entry.get("subClass", {})) == sorted(entry.get("subClass", {}))


def test_conditions_are_not_sparks() -> None:
    assert not set(CONDITIONS) & set(spark_json("error-conditions"))
    assert all(name.startswith("EDDYLINE_") for name in CONDITIONS)


def test_sqlstates_are_registered() -> None:
    registered = set(spark_json("error-states"))
    for entry in CONDITIONS.values():
        states = {entry["sqlState"]}
        states |= {sub.get("sqlState") for sub in entry.get("subClass", {}).values()} - {None}
        assert states <= registered


def test_each_condition_is_named_by_a_test() -> None:
    assert [name for name in NAMES if not re.search(rf"{re.escape(name)}\b(?!\.)", TESTS)] == []


def test_each_message_says_what_to_do() -> None:
    """Each message has a sentence of fact, and one of what to do."""
    wrong = []
    for name in NAMES:
        main, _, sub = name.partition(".")
        entry = CONDITIONS[main]["subClass"][sub] if sub else CONDITIONS[main]
        message = " ".join(entry["message"])
        sentences = len(re.findall(r"[.?:>](?:\s|$)", message))
        if sentences < 2 or not message.endswith((".", ">")):
            wrong.append(f"{name}: {message}")
    assert wrong == []
