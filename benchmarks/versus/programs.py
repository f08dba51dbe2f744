"""The programs in Java, `benchmarks/java`: compiled, and their command lines."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from eddyline.java import find_java

PROGRAMS = Path(__file__).resolve().parents[1] / "java"


@cache
def compiled(jars: Path, *programs: str) -> str:
    """Compiles programs; returns their class path.

    Args:
        jars: the folder of the jars that they need; the jar of the programs is put beside it.
        *programs: their names.
    """
    archive = jars.with_name(f"{jars.name}-programs.jar")
    compile_into(archive, jars, *programs)
    return f"{archive}{os.pathsep}{jars}/*"


def compile_into(archive: Path, jars: Path, *programs: str) -> None:
    """Compiles programs, with the classes that they use, into a jar.

    Args:
        archive: the jar; Java refuses an archive of classes for a class path with a folder.
        jars: the folder of the jars that they need.
        *programs: their names.
    """
    sources = [PROGRAMS / f"{program}.java" for program in programs]
    compiler = Path(_java()).with_name("javac")
    with TemporaryDirectory() as classes:
        words = ["-proc:none", "-cp", f"{jars}/*", "-sourcepath", PROGRAMS, "-d", classes, *sources]
        subprocess.run([compiler, *map(str, words)], check=True)
        shutil.make_archive(str(archive), "zip", classes)
    archive.with_name(f"{archive.name}.zip").replace(archive)


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
