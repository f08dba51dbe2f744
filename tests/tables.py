"""Tables in Markdown, as `make update-docs` writes them, of the versions, and the grammars."""

from __future__ import annotations

from eddyline.versions import (
    OtherExtension,
    java_versions,
    native_engines,
    read_toml,
    scala_version,
    spark_line,
    spark_lines,
    table_formats,
)
from pages import ROOT


def table(*rows: tuple[str, ...]) -> str:
    """Returns a Markdown table; the first row is the header."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]).replace("|  ", "| ")


def formats_table() -> str:
    """Returns the table formats that are tested, with the Spark and the jars."""
    return _extensions_table("format", table_formats())


def engines_table() -> str:
    """Returns the native engines that are tested, with the Spark and the jars."""
    return _extensions_table("engine", native_engines())


def _extensions_table(kind: str, found: dict[str, OtherExtension]) -> str:
    rows = [(kind, "tested with Spark", "jars")]
    for known in found.values():
        jars = ", ".join(f"`{jar}`" for jar in known.jars)
        rows.append((known.name, spark_line(known.spark).pyspark, jars))
    return table(*rows)


def versions_table() -> str:
    """Returns the supported Spark versions, newest first."""
    rows = [("Spark", "oldest", "tested", "Scala", "Java", "status")]
    scala = scala_version().rpartition(".")[0]
    java = ", ".join(map(str, java_versions()))
    for line in reversed(spark_lines()):
        rows.append((line.minor, line.oldest, line.pyspark, scala, java, line.status))
    return table(*rows)


def older_table() -> str:
    """Returns what each older Spark does otherwise."""
    rows = [("before Spark", "clause", "what", "then")]
    differences = read_toml("versions.toml")["differences"]
    rows += [
        (each["before"], each["clause"], each["feature"], each["then"]) for each in differences
    ]
    return table(*rows)


def connectors_table() -> str:
    """Returns the Kafka connector of each Spark, without its group."""
    rows = [("Spark", "connector", "with")]
    for line in reversed(spark_lines()):
        first, *others = (f"`{found.partition(':')[2]}`" for found in line.kafka)
        rows.append((line.minor, first, ", ".join(others)))
    return table(*rows)


def grammar_sections() -> str:
    """Returns the grammar of each clause; the site puts its diagrams at the comment below it."""
    parts = []
    for path in sorted((ROOT / "sql/grammar").glob("*.ebnf")):
        page = ROOT / f"docs/sql/{path.stem}.md"
        title = page.read_text().partition("\n")[0].removeprefix("# ")
        grammar = f"```ebnf\n{path.read_text()}```\n\n<!-- diagrams: {path.stem} -->"
        parts.append(f"## {title}\n\n{grammar}")
    return "\n\n".join(parts)
