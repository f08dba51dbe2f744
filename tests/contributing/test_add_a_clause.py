"""A toy clause, KEEP, is added to a copy of the tree by the steps of `add-a-clause.md`.

`keep/files` holds its files, `keep/steps.toml` what it puts into files of all clauses. With every
step the copy passes `make check`. Without one step, or a part of it, `make check` fails and names
the place. `keep/option.toml` then gives the clause an option, with which it also passes its tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from guide import ADD_A_CLAUSE, ADD_AN_OPTION, places
from tiers import ROOT, seed
from waiting import PROCESS_HANGS

TOY = Path(__file__).with_name("keep")
STEM = TOY.name
STEPS = tomllib.loads((TOY / "steps.toml").read_text())["step"]
OPTION = tomllib.loads((TOY / "option.toml").read_text())["step"]
PLACES = [step["place"] for step in STEPS]
OWN = [place for place in PLACES if "<stem>" in place]
GENERATED = [step["place"] for step in STEPS if step["place"] not in OWN and "part" not in step]
FILES = sorted(
    path.relative_to(TOY / "files").as_posix()
    for path in (TOY / "files").rglob("*")
    if path.is_file() and path.suffix != ".pyc"
)
PYTHON = ("python", "integrations/editors", "integrations/sqlfluff")
CHECK = ("-m", "pytest", "-q", "-m", "check")
CHECKS = ("tests/meta", "integrations/editors/tests/test_fresh.py")
IMPORT_ERROR = f"ImportError: cannot import name '{STEM}'"


@dataclass(frozen=True)
class Omission:
    """What is left out: a file of the clause, or a part of what is put into a shared file."""

    place: str
    part: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, [self.place, self.part]))


OMISSIONS = [
    Omission(step["place"], part)
    for step in STEPS
    for part in [part["what"] for part in step.get("part", [])] or [""]
]


def place_of(file: str) -> str | None:
    """Returns the first place of the guide to which a file of the clause belongs."""
    patterns = [(place, place.replace("<stem>", STEM)) for place in OWN]
    return next((place for place, pattern in patterns if Path(file).match(pattern)), None)


def inserted(text: str, insert: dict[str, str], place: str) -> str:
    """Returns the text with an insertion at the first occurrence of what it names."""
    ((where, anchor),) = ((key, value) for key, value in insert.items() if key != "text")
    head, found, tail = text.partition(anchor)
    assert found, f"{TOY.name}/steps.toml: {place} no longer holds {anchor!r}"
    new = {"before": insert["text"] + found, "after": found + insert["text"]}
    return head + new.get(where, insert["text"]) + tail


def copy_tree(to: Path) -> None:
    """Copies the files of the tree, without the toy, into a Git repository of its own."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(listed, cwd=ROOT, text=True).split("\0")
    own = Path(__file__).parent.relative_to(ROOT)
    for name in filter(None, names):
        if own not in Path(name).parents and os.path.lexists(ROOT / name):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name, follow_symlinks=False)
    (to / own).mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=to, check=True)


def add_clause(to: Path, without: Omission | None = None) -> None:
    """Takes all steps of the guide in a copy, but those that are generated, and the omission."""
    for file in FILES:
        if without is None or place_of(file) != without.place:
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOY / "files" / file, to / file)
    take(STEPS, to, without)


def take(steps: list[dict[str, Any]], to: Path, without: Omission | None = None) -> None:
    """Puts into shared files what steps say, but for an omission."""
    for step in steps:
        for part in step.get("part", []):
            if Omission(step["place"], part["what"]) != without:
                (path,) = to.glob(step["place"].replace("<stem>", STEM))
                text = path.read_text()
                for insert in part["insert"]:
                    text = inserted(text, insert, step["place"])
                path.write_text(text)


def run(tree: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs Python in the copy with the packages of the copy."""
    outer = ("PYTEST_", "EDDYLINE_PARTS")  # of the tests that run this
    own = {key: value for key, value in os.environ.items() if not key.startswith(outer)}
    paths = os.pathsep.join(str(tree / folder) for folder in PYTHON)
    settings = {"PYTHONPATH": paths, "EDDYLINE_SEED": seed(), **environment}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**own, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=PROCESS_HANGS,
    )


def passes(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


def generate(tree: Path) -> None:
    """Writes what is made from the files of a copy."""
    passes(run(tree, "-m", "pytest", "-q", "tests/meta/test_docs_tables.py", UPDATE_DOCS="1"))
    passes(run(tree, "-m", "eddyline_editors", "integrations"))


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a copy with the toy, in which all that is generated has been written."""
    tree = tmp_path_factory.mktemp("complete")
    copy_tree(tree)
    add_clause(tree)
    generate(tree)
    return tree


@pytest.mark.check
def test_the_guide_lists_the_steps_of_the_toy() -> None:
    assert places(ADD_A_CLAUSE) == PLACES


@pytest.mark.check
def test_the_guide_lists_the_steps_of_the_option() -> None:
    assert places(ADD_AN_OPTION) == [step["place"] for step in OPTION]
    assert len(OPTION) <= 7


@pytest.mark.check
def test_each_file_of_the_toy_belongs_to_a_place() -> None:
    assert [file for file in FILES if place_of(file) is None] == []
    assert {place_of(file) for file in FILES} == set(OWN)


@pytest.mark.check
def test_each_step_can_be_taken() -> None:
    for step in STEPS:
        for part in step.get("part", []):
            for insert in part["insert"]:
                inserted((ROOT / step["place"]).read_text(), insert, step["place"])


@pytest.mark.parametrize("omission", OMISSIONS, ids=str)
def test_a_forgotten_place_is_named(complete: Path, tmp_path: Path, omission: Omission) -> None:
    copy_tree(tmp_path)
    add_clause(tmp_path, without=omission)
    for place in GENERATED:
        if place != omission.place:
            shutil.copy(complete / place, tmp_path / place)
    done = run(tmp_path, *CHECK, "--tb=short", *CHECKS)
    output = done.stdout + done.stderr
    errors = "\n".join(re.findall(r"^E .*", output, re.MULTILINE))
    named = omission.place.replace("<stem>", STEM).partition("*")[0]
    assert done.returncode != 0
    # pytest cannot begin where the scanner imports a module that is missing
    assert named in errors or IMPORT_ERROR in errors, output


def test_a_forgotten_word_of_the_option_is_named(complete: Path, tmp_path: Path) -> None:
    shutil.copytree(complete, tmp_path, dirs_exist_ok=True, symlinks=True)
    place, part = "sql/keywords.toml", "the clause at the word"
    take(OPTION, tmp_path, Omission(place, part))
    done = run(tmp_path, *CHECK, "--tb=short", *CHECKS)
    assert done.returncode != 0
    assert place in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(0)  # each program has a limit of its own
def test_a_clause_and_an_option_are_added(complete: Path, tmp_path: Path) -> None:
    passes(run(complete, *CHECK))
    shutil.copytree(complete, tmp_path, dirs_exist_ok=True, symlinks=True)
    take(OPTION, tmp_path)
    generate(tmp_path)
    passes(run(tmp_path, "jvm-shim/build.py"))
    # the Scala classes of the tests do not depend on the toy
    shutil.copytree(ROOT / "build/tests", tmp_path / "build/tests", dirs_exist_ok=True)
    passes(run(tmp_path, *CHECK))
    runs = [
        f"tests/test_golden.py::test_golden[{STEM}/{STEM}.sql]",
        f"tests/test_docs.py::test_page[{STEM}.md]",
        f"tests/test_docs.py::test_example[{tmp_path}/sql/examples/{STEM}.sql]",
        "tests/test_corpus.py::test_plans_are_sparks_own[ordinary.sql]",
    ]
    passes(run(tmp_path, "-m", "pytest", "-q", *runs))
