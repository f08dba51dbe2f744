"""Global tables whose sources get files: only these are read, and executors get only their rows."""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException

from .globaltable_harness import described, folder_of, new_driver, shown, snapshots, versions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("restarting")

FORMS = {
    "query": "CREATE GLOBAL TABLE g PRIMARY KEY (k) {} AS "
    "SELECT k, upper(v) AS v, at FROM base WHERE v <> 'hidden'",
    "table": "CREATE GLOBAL TABLE g (k INT, v STRING, at INT, PRIMARY KEY (k)) "
    "USING parquet LOCATION '{location}' {}",
}
VALUES = ("a", "b", "hidden")
EVERY_SIZE = {"incremental.minRows": "0"}
LATEST = "ON DUPLICATE KEY LATEST BY at"


@pytest.fixture
def base(spark: SparkSession) -> Path:
    """Creates the source, with 400 rows of even keys, of which no table is too small to grow."""
    new_driver(spark, **EVERY_SIZE)
    spark.sql("CREATE TABLE base (k INT, v STRING, at INT) USING parquet")
    append(spark, *((key, f"v{key}", 0) for key in range(0, 800, 2)))
    return folder_of(spark, "base")


def create(spark: SparkSession, base: Path, clauses: str, form: str = "query") -> None:
    text = FORMS[form].replace("{location}", str(base)).format(f"{clauses} REFRESH MANUAL")
    spark.sql(text)


def append(spark: SparkSession, *rows: tuple[int | None, str, int]) -> None:
    """Adds a file to the source."""
    spark.createDataFrame(list(rows), "k INT, v STRING, at INT").coalesce(1).write.insertInto(
        "base"
    )


def refresh(spark: SparkSession) -> set[tuple[int, str]]:
    spark.sql("REFRESH GLOBAL TABLE g")
    return content(spark)


def content(spark: SparkSession) -> set[tuple[int, str]]:
    """Returns the rows, which a scan and a lookup find."""
    scanned = [(row.k, row.v) for row in spark.sql("SELECT k, v FROM g").collect()]
    keys = "SELECT int(id) AS i FROM range(-1, 1000)"
    found = spark.sql(f"SELECT k, v FROM ({keys}) JOIN g ON i = k").collect()
    assert sorted(scanned) == sorted((row.k, row.v) for row in found)
    assert len(scanned) == int(described(spark)["rows"])
    return set(scanned)


def spoil(folder: Path) -> None:
    """Makes the files unreadable, and leaves their lengths and times as they were."""
    for path in folder.glob("part-*"):
        before = path.stat()
        path.write_bytes(b"?" * before.st_size)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def is_of_changes(spark: SparkSession) -> bool:
    """Whether the newest version is stored as changes."""
    return "base" in newest(spark)


def is_read_as_a_whole(spark: SparkSession) -> bool:
    """Whether the newest version was made of all rows of its source, whose content was hashed."""
    return "content" in newest(spark)


def newest(spark: SparkSession) -> dict[str, object]:
    """Returns what the newest snapshot says of its version."""
    file = snapshots(spark) / f"v={versions(spark)[-1]}" / "_eddyline.json"
    found: dict[str, object] = json.loads(file.read_text())
    return found


def test_sparks_own_relations_have_the_same_rows(spark: SparkSession, base: Path) -> None:
    new_driver(spark, **EVERY_SIZE, ownRelations="false")
    create(spark, base, "")
    before = content(spark)
    append(spark, (1, "one", 0), (3, "three", 0))
    grown = before | {(1, "ONE"), (3, "THREE")}
    assert refresh(spark) == grown
    assert is_of_changes(spark)
    taken = shown(spark).replica_bytes
    new_driver(spark, **EVERY_SIZE)
    assert content(spark) == grown
    assert shown(spark).replica_bytes != taken  # less since Spark 4.2, whose own takes large pages


@pytest.mark.parametrize("form", FORMS)
def test_only_new_files_are_read(spark: SparkSession, base: Path, form: str) -> None:
    create(spark, base, "", form)
    before = content(spark)
    spoil(base)
    case: Callable[[str], str] = str.upper if form == "query" else str
    append(spark, (1, "one", 0), (None, "no key", 0), (3, "three", 0))
    first = before | {(1, case("one")), (3, case("three"))}
    assert refresh(spark) == first
    assert is_of_changes(spark)
    assert described(spark)["null_keys_dropped"] == "1"
    append(spark, (5, "five", 0))
    assert refresh(spark) == first | {(5, case("five"))}
    facts = described(spark)
    assert facts["null_keys_dropped"] == "1"
    assert 0 < int(facts["changed_bytes"]) < int(facts["replica_bytes"])


@pytest.mark.since("4.3")
def test_readers_leave_out_no_file(spark: SparkSession, base: Path) -> None:
    """What is no data in a snapshot is hidden by its name, which a setting may say is none."""
    maker = spark.newSession()
    maker.conf.set("spark.sql.files.ignoredPathSegmentRegex", "")
    create(maker, base, "")
    before = content(maker)
    for key in (1, 3):
        append(spark, (key, "odd", 0))
        before |= {(key, "ODD")}
        assert refresh(maker) == before
        assert is_of_changes(spark)


def test_a_table_over_one_that_grew(spark: SparkSession, base: Path) -> None:
    create(spark, base, "")
    spark.sql("CREATE GLOBAL TABLE h PRIMARY KEY (k) REFRESH MANUAL AS SELECT k, v FROM g")
    append(spark, (1, "one", 0))
    grown = refresh(spark)
    assert is_of_changes(spark)
    spark.sql("REFRESH GLOBAL TABLE h")
    assert {(row.k, row.v) for row in spark.table("h").collect()} == grown


def test_a_key_in_other_letters(spark: SparkSession, base: Path) -> None:
    spark.sql("CREATE GLOBAL TABLE g PRIMARY KEY (K) REFRESH MANUAL AS SELECT * FROM base")
    append(spark, (1, "one", 0))
    grown = refresh(spark)
    assert is_of_changes(spark)
    spark.conf.set("spark.sql.caseSensitive", "true")
    assert content(spark) == grown


def test_more_than_a_tenth_is_a_new_base(spark: SparkSession, base: Path) -> None:
    create(spark, base, "")
    before = content(spark)
    spoil(base)
    for first, is_few in ((1, True), (61, False)):
        append(spark, *((key, "new", 0) for key in range(first, first + 60, 2)))
        before |= {(key, "NEW") for key in range(first, first + 60, 2)}
        assert refresh(spark) == before
        assert is_of_changes(spark) is is_few


def test_many_new_keys_are_not_broadcast(spark: SparkSession, base: Path) -> None:
    """An append of more than a tenth makes the source be read as a whole."""
    create(spark, base, "")
    before = content(spark)
    news = [(key, "new", 0) for key in range(1, 201, 2)]
    append(spark, *news)
    assert refresh(spark) == before | {(key, "NEW") for key, _, _ in news}
    assert not is_of_changes(spark)
    assert is_read_as_a_whole(spark)


def test_a_refresh_after_a_failed_one_reads_all(spark: SparkSession, base: Path) -> None:
    """What makes the read of new files alone fail, such as a damaged snapshot, may stay."""
    create(spark, base, "")
    before = content(spark)
    spoil(snapshots(spark) / f"v={versions(spark)[-1]}")
    append(spark, (1, "one", 0))
    with pytest.raises(Py4JJavaError, match=r"CANNOT_READ_FILE_FOOTER|Checksum error"):
        spark.sql("REFRESH GLOBAL TABLE g")
    assert refresh(spark) == before | {(1, "ONE")}
    append(spark, (3, "three", 0))
    refresh(spark)
    assert is_of_changes(spark)


def test_a_later_row_of_a_key(spark: SparkSession, base: Path) -> None:
    """LATEST BY compares the rows of new files with those of the last version."""
    create(spark, base, LATEST)
    rows = dict(content(spark))
    spoil(base)
    append(spark, (2, "later", 1), (4, "earlier", -1), (4, "last", 2), (6, "earlier", -1))
    assert refresh(spark) == set((rows | {2: "LATER", 4: "LAST"}).items())
    assert is_of_changes(spark)
    append(spark, (2, "too late", 0))
    assert refresh(spark) == set((rows | {2: "LATER", 4: "LAST"}).items())
    assert is_of_changes(spark)


def test_equal_times_are_decided_as_in_one_read(spark: SparkSession, base: Path) -> None:
    create(spark, base, LATEST)
    chance = random.Random(5)
    for number in range(3):
        append(spark, *((2 * chance.randrange(20), f"w{number}{n}", 0) for n in range(8)))
        refresh(spark)
    assert is_of_changes(spark)
    grown = content(spark)
    spark.sql("DROP GLOBAL TABLE g")
    create(spark, base, LATEST)
    assert content(spark) == grown


@pytest.mark.full
def test_random_growth(spark: SparkSession, base: Path) -> None:
    """Grown versions have the rows that a version has which reads all; drivers end between."""
    create(spark, base, LATEST)
    chance = random.Random(11)
    for number in range(1, 8):
        append(
            spark,
            *(
                (
                    chance.randrange(900),
                    chance.choice(VALUES),
                    chance.randrange(-9, 9),
                )
                for _ in range(chance.choice((1, 5, 60)))
            ),
        )
        if number % 3 == 0:
            new_driver(spark, **EVERY_SIZE)
        grown = refresh(spark)
        last = spark.sql(
            "SELECT k, collect_set(upper(v)) AS v FROM (SELECT *, max(at) OVER (PARTITION BY k) "
            "AS last FROM base WHERE v <> 'hidden') WHERE at = last GROUP BY k"
        ).collect()
        values = {row.k: row.v for row in last}
        assert {key for key, _ in grown} == values.keys()
        assert all(value in values[key] for key, value in grown)


def test_a_key_that_comes_again(spark: SparkSession, base: Path) -> None:
    create(spark, base, "")
    before = content(spark)
    for rows in ([(2, "again", 0)], [(1, "a", 0), (1, "b", 0)]):
        append(spark, *rows)
        with pytest.raises(AnalysisException) as caught:
            refresh(spark)
        assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY"
        assert content(spark) == before


def test_a_column_that_is_added(spark: SparkSession, base: Path) -> None:
    create(spark, base, "", "table")
    before = content(spark)
    spark.sql("ALTER TABLE g ADD COLUMN more STRING")
    append(spark, (1, "one", 0))
    assert refresh(spark) == before | {(1, "one")}
    assert not is_of_changes(spark)
    assert spark.sql("SELECT count(*), count(more) FROM g").collect()[0] == (401, 0)


def test_a_small_table_is_read_as_a_whole(spark: SparkSession, base: Path) -> None:
    new_driver(spark, **{"incremental.minRows": "401"})
    create(spark, base, "")
    append(spark, (1, "one", 0))
    refresh(spark)
    assert not is_of_changes(spark)
    append(spark, (3, "three", 0))
    refresh(spark)
    assert is_of_changes(spark)


def test_a_file_that_is_replaced(spark: SparkSession, base: Path) -> None:
    """Files that go, or have another time, make the source be read as a whole."""
    create(spark, base, "")
    (first,) = base.glob("part-*.parquet")
    before = content(spark)
    append(spark, (1, "one", 0))
    at = first.stat().st_mtime + 5
    os.utime(first, (at, at))
    assert refresh(spark) == before | {(1, "ONE")}
    assert not is_of_changes(spark)
    append(spark, (3, "three", 0))
    first.unlink()
    assert refresh(spark) == {(1, "ONE"), (3, "THREE")}
    assert not is_of_changes(spark)
