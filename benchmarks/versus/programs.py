"""The programs in Java, `benchmarks/java`: compiled, and their command lines."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from eddyline.java import find_java

PROGRAMS = Path(__file__).resolve().parents[1] / "java"


@cache
def compiled(jars: Path, *programs: str) -> str:
    """Compiles programs; returns their class path.

    Args:
        jars: the folder of the jars that they need; the classes go into one beside it.
        *programs: their names.
    """
    classes = jars.with_name(f"{jars.name}-classes")
    compile_into(classes, jars, *programs)
    return f"{classes}{os.pathsep}{jars}/*"


def compile_into(classes: Path, jars: Path, *programs: str) -> None:
    """Compiles programs, with the classes that they use.

    Args:
        classes: the folder for the classes.
        jars: the folder of the jars that they need.
        *programs: their names.
    """
    sources = [PROGRAMS / f"{program}.java" for program in programs]
    compiler = Path(_java()).with_name("javac")
    words = ["-proc:none", "-cp", f"{jars}/*", "-sourcepath", PROGRAMS, "-d", classes, *sources]
    subprocess.run([compiler, *map(str, words)], check=True)


def command(class_path: str, program: str, *words: object, options: tuple[str, ...]) -> list[str]:
    """Returns the command line of a program.

    Args:
        class_path: as from `compiled`.
        program: its name.
        *words: its arguments.
        options: those of the JVM.
    """
    return [_java(), *options, "-cp", class_path, program, *map(str, words)]


@cache
def _java() -> str:
    path, _ = find_java()
    return path
