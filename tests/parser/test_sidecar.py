"""Failures of the sidecar, each of which is survived or named."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from eddyline.jvm import sidecar_pid, stop_sidecar
from eddyline.versions import eddyline_version
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VERSION = eddyline_version()
HELLO = f"printf '\\000\\000\\000\\{len(VERSION):03o}{VERSION}'"


class Clauses:
    """Texts with a clause, each new, so that none is in the cache."""

    count = 0

    @classmethod
    def next(cls) -> str:
        cls.count += 1
        return (
            f"COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(*) AS n{cls.count}"
        )


@pytest.fixture
def conf(spark: SparkSession) -> Iterator[dict[str, str]]:
    """Yields the static settings of the running JVM, and resets them afterwards."""
    environment = spark._jsparkSession.sparkContext().conf()
    keys = ["spark.eddyline.python", "spark.eddyline.sidecar.timeout"]
    before = {key: environment.get(key, "30s") for key in keys}

    class Settings(dict[str, str]):
        def __setitem__(self, key: str, value: str) -> None:
            environment.set(key, value)

    stop_sidecar(spark)
    yield Settings()
    for key, value in before.items():
        environment.set(key, value)
    stop_sidecar(spark)


def script(folder: Path, text: str) -> str:
    """Returns the path of a program to run instead of Python."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def counting(folder: Path, text: str) -> tuple[str, Callable[[], int]]:
    """Returns the path of such a program, and a function that returns how often it was started."""
    starts = folder / "starts"
    path = script(folder, f"echo >> {starts}\n{text}")
    return path, lambda: len(starts.read_text().splitlines())


def failure(spark: SparkSession) -> AnalysisException:
    with pytest.raises(AnalysisException) as caught:
        spark.sql(Clauses.next())
    assert caught.value.getSqlState() == "56038"
    return caught.value


def alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_killed(spark: SparkSession) -> None:
    spark.sql(Clauses.next())
    first = sidecar_pid(spark)
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert spark.sql(Clauses.next()).count() == 3
    assert sidecar_pid(spark) not in (None, first)


def test_killed_while_it_starts(spark: SparkSession, conf: dict[str, str], tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.touch()
    kill = f"if [ -e {first} ]; then rm {first}; kill -9 $$; fi"
    conf["spark.eddyline.python"] = script(tmp_path, f'{kill}\nexec {sys.executable} "$@"')
    assert spark.sql(Clauses.next()).count() == 3
    assert not first.exists()


def test_interrupted(spark: SparkSession, conf: dict[str, str], tmp_path: Path) -> None:
    """The thread is interrupted, as by the cancellation of a statement."""
    conf["spark.eddyline.python"] = script(tmp_path, f"{HELLO}\nexec sleep 600")
    conf["spark.eddyline.sidecar.timeout"] = "600s"
    errors: list[str] = []

    def work() -> None:
        try:
            spark.sql(Clauses.next())
        except Exception as error:
            errors.append(str(error))

    waiting = threading.Thread(target=work)
    waiting.start()
    eventually(lambda: threads_in(spark, READER))
    threads_in(spark, READER)[0].interrupt()
    waiting.join()
    assert "InterruptedException" in errors[0]
    assert sidecar_pid(spark) is None, "what it waited for is ended"
    conf["spark.eddyline.python"] = sys.executable
    assert spark.sql(Clauses.next()).count() == 3


READER = ("io.eddyline.spark.parser.sidecar.SidecarProcess", "ask")
WAITER = ("java.util.concurrent.locks.ReentrantLock", "lockInterruptibly")


def threads_in(spark: SparkSession, method: tuple[str, str]) -> list[Any]:
    """Returns the threads that are in a method of the sidecar, or wait for its lock."""
    jvm: Any = spark._jvm
    return [
        thread
        for thread, stack in jvm.java.lang.Thread.getAllStackTraces().items()
        if (calls := [(frame.getClassName(), frame.getMethodName()) for frame in stack])
        and method in calls
        and any("parser.sidecar" in called for called, _ in calls)
    ]


def test_a_text_that_waits_for_a_long_one(
    spark: SparkSession, conf: dict[str, str], tmp_path: Path
) -> None:
    """Its cancellation does not end the process, which reads the long one."""
    free = tmp_path / "free"
    (tmp_path / "slow.py").write_text(
        "import pathlib, sys, time\n"
        "from eddyline import sidecar\n"
        "answer = sidecar.answer\n"
        "def slow(sql, **settings):\n"
        f"    while 'long' in sql and not pathlib.Path({str(free)!r}).exists():\n"
        "        time.sleep(0.01)\n"
        "    return answer(sql, **settings)\n"
        "sidecar.answer = slow\n"
        "sidecar.serve(sys.stdin.buffer, sys.stdout.buffer)\n"
    )
    conf["spark.eddyline.python"] = script(tmp_path, f"exec {sys.executable} {tmp_path}/slow.py")
    conf["spark.eddyline.sidecar.timeout"] = "600s"
    spark.sql(Clauses.next())
    first = sidecar_pid(spark)
    counts: list[int] = []
    errors: list[str] = []

    def short() -> None:
        try:
            spark.sql(Clauses.next())
        except Exception as error:
            errors.append(str(error))

    long = threading.Thread(
        target=lambda: counts.append(spark.sql(f"{Clauses.next()}, 'long' AS l").count())
    )
    long.start()
    eventually(lambda: threads_in(spark, READER))
    waiting = threading.Thread(target=short)
    waiting.start()
    eventually(lambda: threads_in(spark, WAITER))
    threads_in(spark, WAITER)[0].interrupt()
    waiting.join()
    assert "InterruptedException" in errors[0]
    assert counts == []
    free.touch()
    long.join()
    assert counts == [3]
    assert sidecar_pid(spark) == first


def test_hung_once(spark: SparkSession, conf: dict[str, str]) -> None:
    """The statement fails, since others wait for the sidecar, and the next one has another."""
    conf["spark.eddyline.sidecar.timeout"] = "5s"  # of the next process

    def answers() -> bool:
        with suppress(AnalysisException):  # on a machine that is too slow for that
            return bool(spark.sql(Clauses.next()))
        return False

    eventually(answers)
    conf["spark.eddyline.sidecar.timeout"] = "600s"  # of the one after it
    first = sidecar_pid(spark)
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    assert failure(spark).getCondition() == "EDDYLINE_SIDECAR.TIMEOUT"
    assert spark.sql(Clauses.next()).count() == 3
    assert sidecar_pid(spark) != first
    eventually(lambda: not alive(first))


def test_hung_always(spark: SparkSession, conf: dict[str, str], tmp_path: Path) -> None:
    conf["spark.eddyline.python"], starts = counting(tmp_path, f"{HELLO}\nexec sleep 60")
    conf["spark.eddyline.sidecar.timeout"] = "500ms"
    error = failure(spark)
    assert error.getCondition() == "EDDYLINE_SIDECAR.TIMEOUT"
    assert "500 ms" in str(error)
    assert starts() == 1


def test_no_python(spark: SparkSession, conf: dict[str, str]) -> None:
    conf["spark.eddyline.python"] = "/nowhere/python"
    error = failure(spark)
    assert error.getCondition() == "EDDYLINE_SIDECAR.NOT_STARTED"
    assert "/nowhere/python" in str(error)
    assert "spark.eddyline.python" in str(error)
    assert spark.sql("SELECT 1").collect() == [(1,)]


def test_a_python_without_eddyline(
    spark: SparkSession, conf: dict[str, str], tmp_path: Path
) -> None:
    conf["spark.eddyline.python"], starts = counting(tmp_path, f'exec {sys.executable} -I -S "$@"')
    error = failure(spark)
    assert error.getCondition() == "EDDYLINE_SIDECAR.NOT_STARTED"
    assert "No module named" in str(error)
    assert starts() == 1, "it would be the same the next time"


def test_another_version(spark: SparkSession, conf: dict[str, str], tmp_path: Path) -> None:
    conf["spark.eddyline.python"], starts = counting(
        tmp_path, "printf '\\000\\000\\000\\0059.9.9'\nexec sleep 60"
    )
    error = failure(spark)
    assert error.getCondition() == "EDDYLINE_SIDECAR.VERSION_MISMATCH"
    assert starts() == 1, "it would be the same the next time"
    assert "9.9.9" in str(error)
    assert eddyline_version() in str(error)
    assert sidecar_pid(spark) is None


@pytest.mark.parametrize("text", ["welcome to this computer", ""])
def test_a_python_that_prints_when_it_starts(
    spark: SparkSession, conf: dict[str, str], tmp_path: Path, text: str
) -> None:
    conf["spark.eddyline.python"] = script(tmp_path, f'echo "{text}"; exec {sys.executable} "$@"')
    error = failure(spark)
    assert error.getCondition() == "EDDYLINE_SIDECAR.NOT_STARTED"
    assert f'it printed "{text}" on standard output' in str(error)


def test_it_ends_twice(spark: SparkSession, conf: dict[str, str], tmp_path: Path) -> None:
    conf["spark.eddyline.python"] = script(tmp_path, f"{HELLO}\necho 'out of luck' >&2\nexit 7")
    error = failure(spark)
    assert error.getCondition() == "EDDYLINE_SIDECAR.FAILED"
    assert "out of luck" in str(error)


def test_an_exception_that_nobody_expects(
    spark: SparkSession, conf: dict[str, str], tmp_path: Path
) -> None:
    """The process goes on, so the text is not sent to a second one."""
    (tmp_path / "faulty.py").write_text(
        "import sys\n"
        "from eddyline import sidecar\n"
        "read = sidecar.read\n"
        "def faulty(sql, **settings):\n"
        "    if 'fault' in sql:\n"
        "        raise IndexError('beyond the end')\n"
        "    return read(sql, **settings)\n"
        "sidecar.read = faulty\n"
        "sidecar.serve(sys.stdin.buffer, sys.stdout.buffer)\n"
    )
    conf["spark.eddyline.python"] = script(tmp_path, f"exec {sys.executable} {tmp_path}/faulty.py")
    spark.sql(Clauses.next())
    first = sidecar_pid(spark)
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"{Clauses.next()}, 'fault' AS f")
    assert caught.value.getCondition() == "EDDYLINE_READER"
    assert "IndexError: beyond the end" in str(caught.value)
    assert spark.sql(Clauses.next()).count() == 3
    assert sidecar_pid(spark) == first is not None


def test_eight_threads_race_for_its_start(
    spark: SparkSession, conf: dict[str, str], tmp_path: Path
) -> None:
    conf["spark.eddyline.python"], starts = counting(tmp_path, f'exec {sys.executable} "$@"')
    counts: list[int] = []

    def work() -> None:
        counts.append(spark.sql(Clauses.next()).count())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [3] * 8
    assert starts() == 1


def test_no_orphan_when_stopped(spark: SparkSession) -> None:
    spark.sql(Clauses.next())
    pid = sidecar_pid(spark)
    assert pid is not None
    stop_sidecar(spark)
    eventually(lambda: not alive(pid))
    assert sidecar_pid(spark) is None


def test_a_folder_of_the_same_name_in_the_working_directory(
    conf: dict[str, str], spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "eddyline").mkdir()
    (tmp_path / "eddyline/__init__.py").write_text("raise SystemExit('the wrong eddyline')")
    conf["spark.eddyline.python"] = script(tmp_path, f'cd {tmp_path} && exec {sys.executable} "$@"')
    assert spark.sql(Clauses.next()).count() == 3
