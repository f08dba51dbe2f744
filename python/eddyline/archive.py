"""The archive of classes with which the JVM of Spark starts in about 0.6 of the CPU time.

Java 17 to 24 share the classes of an earlier run (-XX:ArchiveClassesAtExit). From Java 25 on an AOT
cache (JEP 483, 514 and 515) has its profiles, too. There is one archive for each Java, jar, class
path and set of options: another JVM refuses it, and starts as it does without one. But a JVM
crashes over an archive that is cut off, so a file has its size in its name.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from eddyline.errors import EddylineError
from eddyline.java import java_path

ENABLED = "spark.eddyline.archive.enabled"
CLASS_PATH = "spark.driver.extraClassPath"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"

_VARIABLE = "EDDYLINE_ARCHIVES"
_DEFAULT_OPTIONS = "spark.driver.defaultJavaOptions"
_PLAIN = re.compile(r"[\w./+@-]+")  # Spark splits options at blanks, and Java paths at colons
_KEPT = 4  # archives in a folder, those of the last use
_NEEDED = 1 << 30  # bytes
_LIMIT = 1800  # seconds that a training run may take; then it hangs
_WITH_PROFILES = 25  # the first Java that has them
_FOLDERS = ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR")
_ENVIRONMENT = (
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "SPARK_SUBMIT_OPTS",
    "SPARK_DIST_CLASSPATH",
)
# by these a user decides about archives
_CHOSEN = re.compile(r"-Xshare\S*|-XX:[+-]?\w*(?:AOT|SharedArchive|ArchiveClasses)\S*")
# by these a JVM decides whether it can use an archive, and how well its profiles fit
_SHAPING = re.compile(r"-XX:[+-]Use\w+|-XX:(?:ObjectAlignmentInBytes|TieredStopAtLevel)=\d+")


@dataclass(frozen=True)
class Archive:
    """The archive for one kind of JVM, which exists once it has been made.

    Attributes:
        folder: where it is.
        key: digest of what a JVM must have to use it.
        java: major version of this Java.
        settings: the settings of Spark with which it is made.
    """

    folder: Path
    key: str
    java: int
    settings: Mapping[str, str]

    def find(self) -> Path | None:
        """Returns its file, or None; of another user's file only root's is trusted."""
        try:
            paths = list(self.folder.glob(f"{self.key}-*"))
        except OSError:  # a folder that this user cannot enter
            return None
        for path in paths:
            with suppress(OSError):
                found = path.stat()
                if path.name == f"{self.key}-{found.st_size}" and found.st_uid in (0, os.geteuid()):
                    return path
        return None

    @property
    def failure(self) -> Path:
        """The file that says why it could not be made, so that it is not tried again and again."""
        return self.folder / f"{self.key}.txt"

    def make(self) -> Path:
        """Makes it by a run of Spark in a process of its own, unless it is there; takes a minute.

        Old archives are deleted. If this process is killed, the file does not appear, and the next
        one removes what is left.

        Raises:
            EddylineError: EDDYLINE_ENVIRONMENT.ARCHIVE_UNAVAILABLE.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _only_writer(self.folder):
                return self.find() or self._train()
        except OSError as error:
            raise unavailable(f"{self.folder}: {error.strerror}") from error

    def _train(self) -> Path:
        for left in self.folder.glob(".training-*"):
            shutil.rmtree(left, ignore_errors=True)
        if shutil.disk_usage(self.folder).free < _NEEDED:
            raise unavailable(f"less than 1 GiB is free in {self.folder}")
        self.failure.unlink(missing_ok=True)
        with TemporaryDirectory(
            prefix=".training-", dir=self.folder, ignore_cleanup_errors=True
        ) as name:
            new = Path(name) / "new"
            settings = {**self.settings, ENABLED: "false"}
            options = f"{settings.get(JAVA_OPTIONS, '')} {creation(self.java, new)}"
            settings[JAVA_OPTIONS] = options.strip()
            training = [sys.executable, "-m", "eddyline.cli.training", json.dumps(settings)]
            reason = _run(training, cwd=name)
            if reason is not None:
                self.failure.write_text(reason, "utf-8")
                raise unavailable(reason)
            with new.open("rb") as written:
                os.fsync(written.fileno())
            made = self.folder / f"{self.key}-{new.stat().st_size}"
            new.rename(made)
        _delete_old(self.folder)
        return made


def creation(java: int, path: Path) -> str:
    """Returns the option by which a JVM of this Java writes an archive when it ends."""
    option = "ArchiveClassesAtExit" if java < _WITH_PROFILES else "AOTCacheOutput"
    return f"-XX:{option}={path}"


def usage(java: int, path: Path) -> str:
    """Returns the options by which a JVM of this Java uses one, without a word if it cannot."""
    if java < _WITH_PROFILES:
        return f"-Xshare:auto -XX:SharedArchiveFile={path} -Xlog:cds*=off"
    return f"-XX:AOTMode=auto -XX:AOTCache={path} -Xlog:aot*=off -Xlog:cds*=off"


def archive_for(settings: Mapping[str, str], home: Path) -> Archive:
    """Returns the archive for the JVM that Spark starts with these settings.

    Args:
        settings: settings of Spark.
        home: the folder of Spark.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.ARCHIVE_UNAVAILABLE if that JVM can have none;
            EDDYLINE_ENVIRONMENT.JAVA_MISSING if there is no Java.
    """
    if settings.get(ENABLED, "true").strip().lower() == "false":
        raise unavailable(f"{ENABLED} is false")
    try:
        return _archive_for(settings, home, _folder())
    except OSError as error:
        raise unavailable(str(error)) from error


def _archive_for(settings: Mapping[str, str], home: Path, folder: Path) -> Archive:
    environment = [os.environ.get(name, "") for name in _ENVIRONMENT]
    options = [settings.get(key, "") for key in (_DEFAULT_OPTIONS, JAVA_OPTIONS)]
    words = " ".join([*environment, *options]).split()
    for word in words:
        if _CHOSEN.fullmatch(word):
            raise unavailable(f"the options of Java have {word} already")
    release, java = java_release()
    entries = list(_class_path(settings, home))
    for entry in entries:
        if entry.is_dir() and any(entry.iterdir()):
            raise unavailable(
                f"Java archives no classes while a folder with files is on the class path: {entry}"
            )
    # Spark repeats the default options among the others
    shaping = list(dict.fromkeys(word for word in words if _SHAPING.fullmatch(word)))
    text = [release, *environment, *shaping]
    for entry in entries:
        if entry.is_file():
            found = entry.stat()
            text.append(f"{entry.absolute()} {found.st_size} {found.st_mtime_ns}")
            if entry.name.startswith("eddyline-"):
                text.append(sha256(entry.read_bytes()).hexdigest())
    items = settings.get(CLASS_PATH, "").split(os.pathsep)
    kept = {
        CLASS_PATH: os.pathsep.join(os.path.abspath(item) for item in items if item),
        JAVA_OPTIONS: " ".join(shaping),
    }
    key = sha256("\n".join(text).encode()).hexdigest()[:32]
    return Archive(folder, key, java, kept)


def used(settings: Mapping[str, str], home: Path) -> dict[str, str]:
    """Returns the setting by which the JVM uses its archive; none if there is no archive."""
    try:
        archive = archive_for(settings, home)
    except EddylineError:
        return {}  # the doctor says why, and Spark what is wrong with Java
    path = archive.find()
    if path is None:
        return {}
    with suppress(OSError):  # a folder that is only read
        os.utime(path, (time.time(), path.stat().st_mtime))
    # an option of the user counts more, since it comes later
    return {JAVA_OPTIONS: f"{usage(archive.java, path)} {settings.get(JAVA_OPTIONS, '')}".strip()}


def leave_training(settings: Mapping[str, str], home: Path) -> None:
    """Leaves a process behind that makes the archive, unless it is there or cannot be made."""
    try:
        archive = archive_for(settings, home)
    except EddylineError:
        return
    if archive.find() or os.path.exists(archive.failure):
        return
    given = [
        word for key, value in archive.settings.items() for word in ("--conf", f"{key}={value}")
    ]
    program = "import os; os.nice(19); from eddyline.cli import main; main()"
    subprocess.Popen(
        [sys.executable, "-c", program, "warm", *given],
        cwd="/",
        env={**os.environ, _VARIABLE: str(archive.folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def refusal(options: Sequence[str], class_path: str) -> str | None:
    """Returns why a JVM with these options and this class path cannot use its archive, or None."""
    has_profiles = any(option.startswith("-XX:AOTCache=") for option in options)
    required = "-XX:AOTMode=on" if has_profiles else "-Xshare:on"
    words = [*options, required, "-Xlog:all=error:stderr"]
    return _run([java_path(), *words, "-cp", class_path, "-version"])


def unavailable(reason: str) -> EddylineError:
    """Returns the error that says why there is no archive."""
    return EddylineError("EDDYLINE_ENVIRONMENT.ARCHIVE_UNAVAILABLE", reason=reason)


def _folder() -> Path:
    """Returns the folder of the archives: EDDYLINE_ARCHIVES, or one in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    given = os.environ.get(_VARIABLE) or os.path.join(cache, "eddyline/archives")
    folder = Path(given).absolute()
    if not _PLAIN.fullmatch(str(folder)):
        raise unavailable(f"an option of Java cannot name the folder {folder}")
    return folder


def java_release() -> tuple[str, int]:
    """Returns what names the build of Java that Spark will start, and its major version.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.ARCHIVE_UNAVAILABLE if this Java has no archives;
            EDDYLINE_ENVIRONMENT.JAVA_MISSING if there is none.
    """
    home = Path(java_path()).resolve().parent.parent
    try:
        text = (home / "release").read_text("utf-8")
    except OSError as error:
        raise unavailable(f"{home} has no file release, by which Java is known") from error
    found = re.search(r'^JAVA_VERSION="(\d+)', text, re.MULTILINE)
    if found is None:
        raise unavailable(f"{home}/release names no version of Java")
    java = int(found[1])
    if java < _WITH_PROFILES and not list(home.glob("lib/**/classes.jsa")):
        raise unavailable(f"{home} has no archive of its own, which `java -Xshare:dump` makes")
    library = next(home.glob("lib/**/libjvm.*"), home)
    return f"{home} {text} {library.stat().st_mtime_ns}", java


def _class_path(settings: Mapping[str, str], home: Path) -> Iterator[Path]:
    """Yields what Spark has on the class path of the driver."""
    configured = [Path(os.environ.get("SPARK_CONF_DIR") or home / "conf")]
    configured += [Path(os.environ[name]) for name in _FOLDERS[1:] if os.environ.get(name)]
    yield from configured
    for item in settings.get(CLASS_PATH, "").split(os.pathsep):
        if item.endswith("/*"):
            yield from sorted(Path(item[:-2]).glob("*.jar"))
        elif item:
            yield Path(item)
    yield from sorted(home.glob("jars/*.jar"))


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder, which the system frees if this process dies.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.ARCHIVE_UNAVAILABLE if another process has it.
    """
    import fcntl  # noqa: PLC0415 Windows has none

    with (folder / ".lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise unavailable("another process is making one") from error
        yield


def _delete_old(folder: Path) -> None:
    """Deletes all archives but those that were used last. A JVM that uses one keeps it."""
    found = sorted(
        folder.glob("[0-9a-f]*-*"), key=lambda path: path.stat().st_atime_ns, reverse=True
    )
    for path in found[_KEPT:]:
        path.unlink()


def _run(command: Sequence[str], cwd: str | None = None) -> str | None:
    """Runs a command; returns what it wrote, in one line, if it fails, and None if it does not."""
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {_LIMIT} seconds"
    lines = done.stdout.split() or [f"exit code {done.returncode}"]
    return None if done.returncode == 0 else " ".join(lines)[:1000]
