"""The files that name a Spark version are those of `docs/contributing/add-a-spark-version.md`."""

from __future__ import annotations

import re
import subprocess

from eddyline.versions import spark_lines
from guide import ADD_A_SPARK_VERSION, places
from tiers import ROOT

MAJOR, NEWEST = spark_lines()[-1].minor.split(".")
MINOR = re.escape(f"{MAJOR}.{NEWEST}")
BOUND = re.escape(f"{MAJOR}.{int(NEWEST) + 1}")
NAMED = re.compile(
    rf'Spark\W{{0,3}} \W{{0,3}}{MINOR}\b|pyspark\S*=\s?"?{MINOR}\b|pyspark\S*<{BOUND}"'
    rf'|\| {MINOR} \||spark\."{MINOR}"'
)
# of any version: the changelog, the guides, and a page of figures
EXEMPT = re.compile(r"CHANGELOG\.md|tests/.*|docs/contributing/.*|docs/performance\.md")
FILES, _, INTERNALS = ADD_A_SPARK_VERSION.partition("\n## What the compiler does not see\n")


def test_the_guide_lists_each_file_that_names_a_version() -> None:
    texts = ["*.md", "*.toml", "*.txt", "*.yml", "*.sbt"]
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *texts]
    names = subprocess.check_output(listed, cwd=ROOT, text=True).split()
    found = [
        name
        for name in names
        if not EXEMPT.fullmatch(name)
        if (ROOT / name).exists() and NAMED.search((ROOT / name).read_text())
    ]
    assert sorted(places(FILES)) == sorted(found)


def test_the_extras_allow_the_supported_versions() -> None:
    wanted = f">={spark_lines()[0].oldest},<{MAJOR}.{int(NEWEST) + 1}"
    ranges = re.findall(r'"pyspark(?:\[\w+\])?(.*?)"', (ROOT / "pyproject.toml").read_text())
    assert ranges == [wanted] * len(ranges), "pyproject.toml"


def test_make_tests_with_each_spark() -> None:
    text = (ROOT / "Makefile").read_text()
    others = [line.minor for line in spark_lines()[:-1]]
    assert f"\nLINES := {' '.join(others)}\n" in text
    assert f"\n{' '.join(f'test-spark-{minor}' for minor in others)}: " in text


def test_what_the_compiler_does_not_see_is_in_the_code() -> None:
    """The names to which the guide says that a package is bound are in the sources."""
    files = [*(ROOT / "jvm-shim").rglob("*.scala"), *(ROOT / "python/eddyline").glob("*.py")]
    files.append(ROOT / "jvm-shim/build.py")
    code = {word for path in files for word in re.findall(r"\w+", path.read_text())}
    names = re.findall(r"`(.*?)`", "".join(re.findall(r"^\| \S+ \| (.*)", INTERNALS, re.MULTILINE)))
    assert names
    assert [
        name for name in names if not {*re.findall(r"\w+", name.partition("<")[0])} <= code
    ] == []
