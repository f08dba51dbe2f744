"""Builds the jar with nothing but Java and pyspark: pyspark's jars bring the Scala compiler.

    python jvm-shim/build.py                build python/eddyline/jars/eddyline-spark-<minor>.jar
    python jvm-shim/build.py --tests        build build/tests/eddyline-tests-<minor>.jar as well
    python jvm-shim/build.py --comet JAR    build build/comet/eddyline-comet-spark-<minor>.jar
    python jvm-shim/build.py --resources D  write only the jar's resources into D, for build.sbt
    python jvm-shim/build.py --facts        print what the jar is built from, for build.sbt

A jar is rebuilt when a source, a resource, this file or the Spark version changed (a digest is
stored beside it). Equal inputs give equal bytes: the entries are sorted and have a fixed time.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
SERVICE = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
EXTENSIONS = "io.eddyline.spark.EddylineExtensions"
SOURCES = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"
TOPICS = "io.eddyline.spark.globaltable.topic.TopicProvider"
FLAGS = ["-deprecation", "-feature", "-unchecked", "-Xlint:infer-any,unused", "-Werror"]
FLAGS += ["-Wconf:cat=deprecation:s", "-release", "17"]


class BuildError(Exception):
    """An error that names what is missing and says what to do."""


def spark_home() -> Path:
    """Returns the folder with `jars/`: SPARK_HOME, else the installed pyspark."""
    if home := os.environ.get("SPARK_HOME"):
        return Path(home)
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise BuildError("pyspark is not installed: run `make setup`, or set SPARK_HOME.")
    return Path(spec.origin).parent


def spark_version(home: Path) -> str:
    """Returns the version of Spark in `home`, read from the name of its catalyst jar."""
    for jar in (home / "jars").glob("spark-catalyst_2.13-*.jar"):
        return jar.stem.removeprefix("spark-catalyst_2.13-")
    raise BuildError(f"{home / 'jars'} holds no Spark built for Scala 2.13.")


def java(required: int) -> str:
    """Returns the path of a Java of at least the major version `required`."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if found is None or not Path(found).exists():
        raise BuildError(f"Java is missing: install Java {required} and set JAVA_HOME.")
    text = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', text)
    if version is None or int(version[1]) < required:
        shown = version[1] if version else "of an unknown version"
        raise BuildError(f"Java {required} is needed, but {found} is Java {shown}: set JAVA_HOME.")
    return found


def versions(root: Path) -> dict[str, object]:
    """Returns the contents of `versions.toml`."""
    return tomllib.loads((root / "python/eddyline/versions.toml").read_text())


def lines(root: Path) -> dict[str, dict[str, str]]:
    """Returns the facts about each supported Spark, by minor version."""
    return versions(root)["spark"]  # type: ignore[return-value]


def resources(root: Path, spark: str) -> dict[str, bytes]:
    """Returns the jar's resources by path: services, properties, the language, Python's start."""
    keywords = tomllib.loads((root / "python/eddyline/sql/keywords.toml").read_text())
    starting = [
        " ".join([word, *facts.get("before", [])])
        for word, facts in sorted(keywords.items())
        if facts.get("starts")
    ]
    placeholders = tomllib.loads(
        (root / "python/eddyline/sql/placeholders.toml").read_text("utf-8")
    )
    arguments = [
        f"{function} {name} {facts.get('words', '')}"
        for function, named in placeholders.items()
        for name, facts in placeholders.get(named.get("like"), named).items()
    ]
    near_misses = tomllib.loads((root / "python/eddyline/sql/near_misses.toml").read_text("utf-8"))
    properties = f"version={versions(root)['eddyline']}\nspark={spark}\n"
    conditions = json.loads((root / "python/eddyline/sql/errors/error-conditions.json").read_text())
    if _number(spark) < (4, 3):  # a part of a condition has had a SQLSTATE since SPARK-58619
        for condition in conditions.values():
            for part in condition.get("subClass", {}).values():
                part.pop("sqlState", None)
    return {
        SERVICE: f"{EXTENSIONS}\n".encode(),
        SOURCES: f"{TOPICS}\n".encode(),
        "eddyline/build.properties": properties.encode(),
        "eddyline/error-conditions.json": json.dumps(conditions, indent=2).encode(),
        "eddyline/keywords.txt": ("\n".join(starting) + "\n").encode(),
        "eddyline/near_misses.json": json.dumps(near_misses, indent=2).encode(),
        "eddyline/placeholders.txt": ("\n".join(arguments) + "\n").encode(),
        "eddyline/start_sidecar.py": (root / "python/eddyline/start_sidecar.py").read_bytes(),
    }


def sources(root: Path, minor: str) -> list[Path]:
    """Returns all Scala sources for one Spark minor version, sorted."""
    return scala_files(root / "jvm-shim/src/main", minor)


def scala_files(parent: Path, minor: str) -> list[Path]:
    """Returns the files of the folders for one Spark minor version, sorted."""
    found = scala_folders(parent, minor)
    return sorted(path for folder in found for path in folder.rglob("*.scala"))


def scala_folders(parent: Path, minor: str) -> list[Path]:
    """Returns `scala`, and the folders of what differs between Spark minor versions.

    `scala-spark-since-4.3` is for Spark 4.3 and newer, `scala-spark-before-4.3` for older ones.
    """

    def belongs(folder: Path) -> bool:
        bound, _, other = folder.name.removeprefix("scala-spark-").partition("-")
        return (_number(minor) >= _number(other)) == (bound == "since")

    return [parent / "scala", *sorted(filter(belongs, parent.glob("scala-spark-*-*")))]


def _number(minor: str) -> tuple[int, ...]:
    return tuple(map(int, minor.split(".")))


def compile_scala(java_path: str, classpath: str, files: list[Path], out: Path) -> None:
    """Runs the Scala compiler that is among Spark's jars."""
    compiler = [java_path, "-Xss8m", "-Xmx1g", "-cp", classpath, "scala.tools.nsc.Main"]
    flags = [*FLAGS, "-usejavacp", "-d", str(out)]
    done = subprocess.run([*compiler, *flags, *map(str, files)], check=False)
    if done.returncode != 0:
        raise BuildError("The shim does not compile; the compiler's messages stand above.")


def pack(jar: Path, classes: Path, extra: dict[str, bytes]) -> None:
    """Writes the jar with sorted entries and fixed times, without the `jar` tool."""
    entries = {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\n\r\n", **extra}
    for path in classes.rglob("*.class"):
        entries[path.relative_to(classes).as_posix()] = path.read_bytes()
    part = jar.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(entries, key=lambda name: (not name.startswith("META-INF/"), name)):
            archive.writestr(zipfile.ZipInfo(name), entries[name], zipfile.ZIP_DEFLATED)
    part.replace(jar)


def supported_version(root: Path) -> tuple[str, str]:
    """Returns the installed Spark's version and its minor version, if versions.toml has it."""
    spark = spark_version(spark_home())
    minor = ".".join(spark.split(".")[:2])
    if minor not in lines(root):
        raise BuildError(f"Spark {spark} is not supported: versions.toml has no line for {minor}.")
    return spark, minor


def make(
    root: Path, jar: Path, files: list[Path], extra: dict[str, bytes], libraries: list[Path]
) -> Path:
    """Compiles the files against Spark and `libraries` into `jar`, unless nothing has changed."""
    digest = digest_of(root, files, extra, libraries)
    if is_built(jar, digest):
        return jar
    if not is_writable(jar.parent):
        raise BuildError(f"{jar.parent} cannot be written: build in a copy of this checkout.")
    java_path = java(versions(root)["java"][0])  # type: ignore[index]
    classpath = os.pathsep.join(map(str, [spark_home() / "jars/*", *libraries]))
    with tempfile.TemporaryDirectory() as out:
        compile_scala(java_path, classpath, files, Path(out))
        pack(jar, Path(out), extra)
    jar.with_suffix(".sha256").write_text(digest)
    return jar


def is_writable(folder: Path) -> bool:
    """Makes a folder, and returns whether files can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def digest_of(root: Path, files: list[Path], extra: dict[str, bytes], libraries: list[Path]) -> str:
    """Returns a digest of everything from which a jar is built but Spark."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in files:
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    for name in sorted(extra):
        digest.update(name.encode() + extra[name])
    for library in libraries:
        stamp = library.with_suffix(".sha256")  # a jar of Maven is known by its name
        digest.update(stamp.read_bytes() if stamp.exists() else library.name.encode())
    return digest.hexdigest()


def is_built(jar: Path, digest: str) -> bool:
    """Whether the jar was built from what the digest is of."""
    stamp = jar.with_suffix(".sha256")
    return jar.exists() and stamp.exists() and stamp.read_text() == digest


def build_jar(root: Path = ROOT) -> Path:
    """Builds the jar for the installed Spark unless nothing changed; returns its path."""
    spark, minor = supported_version(root)
    return make(root, jar_of(root, minor), sources(root, minor), resources(root, spark), [])


def jar_of(root: Path, minor: str) -> Path:
    """Returns the path of the jar for a Spark minor version."""
    return root / f"python/eddyline/jars/eddyline-spark-{minor}.jar"


def built_jars(root: Path) -> dict[str, Path]:
    """Returns the jars that were built from these sources with the tested release of a Spark.

    The keys are the minor versions.
    """
    return {
        minor: jar_of(root, minor)
        for minor, line in lines(root).items()
        if is_built(
            jar_of(root, minor),
            digest_of(root, sources(root, minor), resources(root, line["pyspark"]), []),
        )
    }


def build_test_jar(root: Path = ROOT) -> Path:
    """Builds the jar of the tests' Scala classes unless nothing changed; returns its path."""
    _, minor = supported_version(root)
    jar = root / f"build/tests/eddyline-tests-{minor}.jar"
    return make(root, jar, scala_files(root / "jvm-shim/src/test", minor), {}, [build_jar(root)])


def build_comet_jar(comet: Path, root: Path = ROOT) -> Path:
    """Builds the jar of integrations/comet against a jar of Comet; returns its path."""
    _, minor = supported_version(root)
    jar = root / f"build/comet/eddyline-comet-spark-{minor}.jar"
    main = root / "integrations/comet/src/main"
    extra = {
        path.relative_to(main / "resources").as_posix(): path.read_bytes()
        for path in sorted((main / "resources").rglob("*"))
        if path.is_file()
    }
    files = sorted((main / "scala").rglob("*.scala"))
    return make(root, jar, files, extra, [build_jar(root), comet])


def scala_version(jars: Path) -> str:
    """Returns the version of the Scala that a Spark has among its jars."""
    (library,) = jars.glob("scala-library-*.jar")
    return library.stem.removeprefix("scala-library-")


def facts(root: Path) -> Iterator[tuple[str, str]]:
    """Yields what the jar for the installed Spark is built from, as names with values.

    A name may have several values: `source` and `suite` are folders, `flag` is for scalac.
    """
    spark, minor = supported_version(root)
    yield "spark", spark
    yield "minor", minor
    yield "jars", str(spark_home() / "jars")
    yield "scala", scala_version(spark_home() / "jars")
    yield "version", str(versions(root)["eddyline"])
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    yield "description", project["description"]
    for folder in scala_folders(root / "jvm-shim/src/main", minor):
        yield "source", str(folder)
    for folder in scala_folders(root / "jvm-shim/src/suites", minor):
        yield "suite", str(folder)
    for flag in FLAGS:
        yield "flag", flag


def main() -> int:
    """Runs the command line, which prints the paths of the jars."""
    parser = argparse.ArgumentParser(description="Build eddyline's jar.")
    parser.add_argument("--tests", action="store_true", help="build the tests' jar as well")
    parser.add_argument("--comet", type=Path, metavar="JAR", help="build the jar for this Comet")
    parser.add_argument("--resources", type=Path, help="only write the jar's resources here")
    parser.add_argument("--facts", action="store_true", help="only print what build.sbt needs")
    arguments = parser.parse_args()
    try:
        if arguments.facts:
            for name, value in facts(ROOT):
                print(f"{name}={value}")
            return 0
        if arguments.resources is None:
            print(build_jar())
            if arguments.tests:
                print(build_test_jar())
            if arguments.comet is not None:
                print(build_comet_jar(arguments.comet.resolve()))
            return 0
        for name, content in resources(ROOT, spark_version(spark_home())).items():
            target = arguments.resources / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            print(target)
        return 0
    except BuildError as error:
        print(f"eddyline: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
