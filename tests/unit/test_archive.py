"""When an archive of classes is made, found and used; the training run is a stand-in here."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from eddyline import EddylineError, archive
from eddyline.archive import CLASS_PATH, ENABLED, JAVA_OPTIONS, archive_for, leave_training, used
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the folder of a Spark; a Java 17 is in JAVA_HOME, and no archive is there."""
    for name in (*archive._ENVIRONMENT, *archive._FOLDERS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EDDYLINE_ARCHIVES", str(tmp_path / "archives"))
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path / "java", 17)))
    (tmp_path / "spark/jars").mkdir(parents=True)
    (tmp_path / "spark/jars/spark-core.jar").write_text("core")
    (tmp_path / "eddyline-spark-4.3.jar").write_text("ours")
    return tmp_path / "spark"


def java(folder: Path, version: int) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/java").touch()
    (folder / "lib/server").mkdir(parents=True)
    (folder / "lib/server/classes.jsa").touch()
    (folder / "release").write_text(f'JAVA_VERSION="{version}.0.1"\n')
    return folder


@pytest.fixture
def trains(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Lets a training run write four bytes; returns the settings of each."""
    runs: list[dict[str, str]] = []

    def run(command: Sequence[str], cwd: str) -> None:
        runs.append(json.loads(command[-1]))
        with open(runs[-1][JAVA_OPTIONS].rpartition("=")[2], "w") as file:
            file.write("abcd")

    monkeypatch.setattr(archive, "_run", run)
    return runs


def settings(home: Path, options: str = "") -> dict[str, str]:
    return {CLASS_PATH: str(home.parent / "eddyline-spark-4.3.jar"), JAVA_OPTIONS: options}


def reason(given: dict[str, str], home: Path) -> str:
    """Returns why there is no archive."""
    with pytest.raises(EddylineError) as caught:
        archive_for(given, home).make()
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.ARCHIVE_UNAVAILABLE"
    return caught.value.parameters["reason"]


def names(home: Path) -> list[str]:
    return sorted(path.name for path in (home.parent / "archives").iterdir())


def test_it_is_made_once_and_used(home: Path, trains: list[dict[str, str]]) -> None:
    given = settings(home, "-Dsecret=1 -XX:+UseSerialGC -Xlog:gc:file=gc.log")
    assert used(given, home) == {}
    made = archive_for(given, home).make()
    assert archive_for(given, home).make() == made
    assert names(home) == [".lock", made.name]
    (trained,) = trains
    # no option of the user but those that shape it: others would write into the user's files
    assert trained[JAVA_OPTIONS].startswith("-XX:+UseSerialGC -XX:ArchiveClassesAtExit=")
    assert trained[ENABLED] == "false"
    assert used(given, home) == {
        JAVA_OPTIONS: f"-Xshare:auto -XX:SharedArchiveFile={made} -Xlog:cds*=off "
        "-Dsecret=1 -XX:+UseSerialGC -Xlog:gc:file=gc.log"
    }


def test_java_25_has_a_cache_with_profiles(
    home: Path, trains: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(home.parent / "java25", 25)))
    made = archive_for(settings(home), home).make()
    assert trains[0][JAVA_OPTIONS].startswith("-XX:AOTCacheOutput=")
    options = used(settings(home), home)[JAVA_OPTIONS]
    assert options == f"-XX:AOTMode=auto -XX:AOTCache={made} -Xlog:aot*=off -Xlog:cds*=off"


@pytest.mark.parametrize(
    "change",
    [
        lambda home: (home.parent / "eddyline-spark-4.3.jar").write_text("OURS"),
        lambda home: (home / "jars/other.jar").touch(),
        lambda home: os.utime(home / "jars/spark-core.jar", (1, 1)),
        lambda home: (home.parent / "java/release").write_text('JAVA_VERSION="17.0.2"\n'),
    ],
    ids=["our jar", "another jar", "a jar's time", "Java"],
)
def test_what_changes_needs_another(home: Path, change: Callable[[Path], object]) -> None:
    jar = home.parent / "eddyline-spark-4.3.jar"
    os.utime(jar, (1, 1))
    before = archive_for(settings(home), home).key
    assert archive_for(settings(home, "-Dx=y -Xmx1g"), home).key == before
    assert archive_for(settings(home, "-XX:+UseZGC"), home).key != before
    change(home)
    os.utime(jar, (1, 1))
    assert archive_for(settings(home), home).key != before


@pytest.mark.parametrize("variable", ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"])
def test_what_the_user_chose_stays(
    home: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    for word in ("-Xshare:off", "-XX:SharedArchiveFile=a.jsa", "-XX:AOTMode=off"):
        assert reason(settings(home, word), home) == f"the options of Java have {word} already"
        monkeypatch.setenv(variable, word)
        assert reason(settings(home), home) == f"the options of Java have {word} already"
        assert used(settings(home), home) == {}
        monkeypatch.delenv(variable)
        defaults = {"spark.driver.defaultJavaOptions": word}
        assert reason(defaults, home) == f"the options of Java have {word} already"


def test_why_there_is_none(
    home: Path, trains: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = settings(home)
    assert reason({**given, ENABLED: "FALSE"}, home) == f"{ENABLED} is false"
    (home / "conf").mkdir()
    archive_for(given, home)  # an empty folder is no reason
    (home / "conf/spark-env.sh").touch()
    assert reason(given, home).endswith(f"on the class path: {home}/conf")
    shutil.rmtree(home / "conf")
    (home.parent / "java/lib/server/classes.jsa").unlink()
    assert "has no archive of its own" in reason(given, home)
    (home.parent / "java/release").unlink()
    assert "has no file release" in reason(given, home)
    assert trains == []


def test_a_folder_that_no_option_can_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark splits options at blanks, and Java an option at colons."""
    for name in ("a b", "a:b", "a'b", "a,b"):
        monkeypatch.setenv("EDDYLINE_ARCHIVES", f"/tmp/{name}")
        assert reason(settings(home), home).endswith(f"the folder /tmp/{name}")
    monkeypatch.delenv("EDDYLINE_ARCHIVES")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home.parent))
    assert archive_for(settings(home), home).folder == home.parent / "eddyline/archives"


def test_a_left_process_finds_the_same_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It runs elsewhere, so that it imports nothing from the folder of the user."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDDYLINE_ARCHIVES", "archives")
    started: dict[str, Any] = {}
    monkeypatch.setattr(subprocess, "Popen", lambda _, **given: started.update(given))
    leave_training({CLASS_PATH: "eddyline-spark-4.3.jar"}, home)
    assert started["env"]["EDDYLINE_ARCHIVES"] == str(tmp_path / "archives")
    here = archive_for({CLASS_PATH: "eddyline-spark-4.3.jar"}, home)
    monkeypatch.chdir("/")
    monkeypatch.setenv("EDDYLINE_ARCHIVES", str(tmp_path / "archives"))
    assert archive_for(here.settings, home) == here


def test_no_room_and_no_folder(
    home: Path, trains: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home.parent / "archives"
    usage = shutil.disk_usage(home)._replace(free=1000)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage)
        assert reason(settings(home), home) == f"less than 1 GiB is free in {folder}"
    shutil.rmtree(folder)
    folder.touch()
    assert reason(settings(home), home) == f"{folder}: File exists"
    assert used(settings(home), home) == {}
    assert trains == []


def test_a_file_that_is_cut_off_is_not_used(home: Path, trains: list[dict[str, str]]) -> None:
    """A JVM crashes over one."""
    given = settings(home)
    made = archive_for(given, home).make()
    made.write_text("abc")
    assert used(given, home) == {}
    archive_for(given, home).make()
    assert used(given, home)
    assert len(trains) == 2


@pytest.mark.usefixtures("trains")
def test_a_file_of_another_user_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = archive_for(settings(home), home).make()
    if os.geteuid() == 0:
        os.chown(made, 1, 1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 1)
    assert used(settings(home), home) == {}


def test_a_training_that_fails_is_not_repeated_by_itself(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Any] = []
    monkeypatch.setattr(archive, "_run", lambda _, cwd: "no such class")
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **_: runs.append(given))
    leave_training(settings(home), home)
    assert len(runs) == 1
    assert reason(settings(home), home) == "no such class"
    assert archive_for(settings(home), home).failure.read_text() == "no such class"
    assert not [name for name in names(home) if name.startswith(".training")]
    leave_training(settings(home), home)
    assert len(runs) == 1


def test_a_killed_writer_leaves_nothing(home: Path, trains: list[dict[str, str]]) -> None:
    """While it runs, there is no other one; after its death, the next one removes what it left."""
    program = (
        "import sys, time; from pathlib import Path; from eddyline import archive;"
        "archive._run = lambda _, cwd: time.sleep(600);"
        f"archive.archive_for({settings(home)!r}, Path(sys.argv[1])).make()"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(home)]) as writer:
        folder = home.parent / "archives"
        eventually(lambda: folder.exists() and list(folder.glob(".training-*")))
        assert reason(settings(home), home) == "another process is making one"
        writer.send_signal(signal.SIGKILL)
    assert used(settings(home), home) == {}
    made = archive_for(settings(home), home).make()
    assert names(home) == [".lock", made.name]


@pytest.mark.usefixtures("trains")
def test_old_ones_are_deleted(home: Path) -> None:
    made = []
    for number in range(archive._KEPT + 2):
        given = settings(home, f"-XX:TieredStopAtLevel={number}")
        made.append(archive_for(given, home).make())
        used(settings(home, "-XX:TieredStopAtLevel=0"), home)  # so it is not old
    assert names(home) == sorted([".lock", *(path.name for path in [made[0], *made[3:]])])
