"""The program Statements, which runs the statements it is given and prints their answers."""

from __future__ import annotations

from pathlib import Path

from interop.jdbc import CLASS_PATH, java, require_compiler
from interop.launch import run

_COMPILERS = {
    "java": [java("javac"), "-cp", CLASS_PATH],
    "scala": [java(), "-cp", CLASS_PATH, "scala.tools.nsc.Main", "-usejavacp"],
}
LANGUAGES = list(_COMPILERS)


def compiled(language: str, folder: Path) -> Path:
    """Compiles the program of one of the languages into a jar in `folder`."""
    require_compiler()
    classes, jar = folder / "classes", folder / "statements.jar"
    classes.mkdir()
    source = Path(__file__).with_name(f"Statements.{language}")
    for command in (
        [*_COMPILERS[language], "-d", str(classes), str(source)],
        [java("jar"), "--create", "--file", str(jar), "-C", str(classes), "."],
    ):
        done = run(command, folder)
        assert done.returncode == 0, done.stdout + done.stderr
    return jar
