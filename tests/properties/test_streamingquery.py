"""Streaming queries by SQL, with random steps against a model, and folders of random names.

The few steps of `make test-full` are the same ones on every machine; `make test-slow` takes more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import AnalysisException

from properties.examples import examples, repeated
from properties.streamingquery_model import Model

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAMES = st.text(
    st.sampled_from("aAzZ09_-.%/\\:` '\"\n\0éÉßİıſK🌊") | st.characters(exclude_categories=["Cs"]),
    min_size=1,
    max_size=40,
)


class Life:
    """A series of random steps, each taken by Spark and by the model, and compared."""

    def __init__(self, spark: SparkSession, root: Path, seed: object) -> None:
        self.spark = spark
        self.random = Random(f"{seed}")
        self.model = Model()
        self.taken: Counter[str] = Counter()
        spark.conf.set("spark.sql.streaming.checkpointLocation", str(root))
        spark.sql("CREATE TABLE events (k INT) USING parquet")
        spark.sql("CREATE TABLE copy (k INT, n INT) USING parquet")
        self.change_dim()

    def step(self) -> None:
        steps: list[tuple[Callable[[], None], int]] = [
            *[(self.arrive, 6), (self.define, 3), (self.start, 4), (self.restart, 4)],
            *[(self.stop, 2), (self.drop, 1), (self.finish, 4), (self.restart_twice, 1)],
            *[(self.change_dim, 3), (self.drop_dim, 1), (self.append_dim, 2)],
            *[(self.replace_sink, 1), (self.replace_source, 1)],
        ]
        (take,) = self.random.choices([s for s, _ in steps], [weight for _, weight in steps])
        self.taken[take.__name__] += 1
        take()
        if self.model.joined is None:
            self.compare()

    def compare(self) -> None:
        rows = self.spark.sql("SELECT k, n FROM copy").collect()
        self.model.found((row.k, row.n) for row in rows)
        listed = self.spark.sql("SHOW STREAMING QUERIES").collect()
        assert [row.name for row in listed] == ["q"] * self.model.exists

    def run(self, statement: str, condition: str | None = None) -> Any:
        """Returns the one row of a statement, or None where it is refused as expected."""
        if condition is None:
            return self.spark.sql(statement).first()
        with pytest.raises(AnalysisException) as refused:
            self.spark.sql(statement)
        assert refused.value.getCondition() == condition, statement
        return None

    def arrive(self) -> None:
        keys = tuple(self.random.choices(range(4), k=self.random.randint(1, 2)))
        values = ", ".join(f"({key})" for key in keys)
        self.spark.sql(f"INSERT INTO events (k) SELECT /*+ COALESCE(1) */ * FROM VALUES {values}")
        self.model.arrive(keys)

    def define(self) -> None:
        exists = "EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS"
        condition = exists if self.model.exists else self.missing()
        self.run(
            "START STREAMING QUERY q TRIGGER AVAILABLE NOW AS INSERT INTO copy BY NAME "
            "SELECT n, k FROM STREAM events JOIN dim USING (k)",
            condition,
        )
        if condition is None:
            self.model.exists = True
            self.model.start()

    def start(self) -> None:
        if self.model.joined is not None:
            self.finish()
        condition = self.unknown() or self.missing()
        self.run("START STREAMING QUERY q", condition)
        if condition is None:
            self.model.start()

    def restart(self) -> None:
        condition = self.unknown() or self.missing()
        self.run("RESTART STREAMING QUERY q", condition)
        if condition is None:
            self.model.ends(by_itself=False)
            self.model.start()

    def restart_twice(self) -> None:
        """Restarts the query in two sessions at a time."""
        if self.unknown() or self.missing():
            return
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda _: self.run("RESTART STREAMING QUERY q"), range(2)))
        for _ in range(2):
            self.model.ends(by_itself=False)
            self.model.start()

    def stop(self) -> None:
        self.run("STOP STREAMING QUERY q", self.unknown())
        self.model.ends(by_itself=False)

    def drop(self) -> None:
        """Drops the query, whose checkpoint stays for the next query of its name."""
        self.run("DROP STREAMING QUERY q", self.unknown())
        self.model.ends(by_itself=False)
        self.model.exists = False

    def finish(self) -> None:
        row = self.run("AWAIT STREAMING QUERY q", self.unknown())
        assert row is None or row.status in ("FINISHED", "STOPPED")
        self.model.ends(by_itself=True)

    def change_dim(self) -> None:
        self.settle()
        if self.model.dim is None:
            columns = self.random.choice(["k INT, n INT", "n INT, more STRING, k INT"])
            self.spark.sql(f"CREATE TABLE dim ({columns}) USING parquet")
        self.model.dim = {
            key: self.random.randint(0, 9) for key in range(self.random.randint(1, 4))
        }
        self.write_dim("OVERWRITE", self.model.dim)

    def append_dim(self) -> None:
        """Adds a row to the static table, in another session."""
        if self.model.dim is not None and (new := len(self.model.dim)) < 4:
            self.model.dim[new] = self.random.randint(0, 9)
            self.write_dim("INTO", {new: self.model.dim[new]})

    def write_dim(self, how: str, rows: dict[int, int]) -> None:
        values = ", ".join(map(str, rows.items()))
        self.spark.newSession().sql(f"INSERT {how} dim (k, n) VALUES {values}")

    def drop_dim(self) -> None:
        self.settle()
        self.spark.sql("DROP TABLE IF EXISTS dim")
        self.model.dim = None

    def replace_sink(self) -> None:
        self.settle()
        self.spark.sql("DROP TABLE copy")
        columns = self.random.choice(["k INT, n INT", "n BIGINT, k INT, more STRING"])
        self.spark.sql(f"CREATE TABLE copy ({columns}) USING parquet")
        self.model.replace_sink()

    def replace_source(self) -> None:
        self.settle()
        self.spark.sql("DROP TABLE events")
        self.spark.sql("CREATE TABLE events (more STRING, k INT) USING parquet")
        self.model.replace_source()

    def settle(self) -> None:
        """Waits, so that no table is dropped during a micro-batch that reads or writes it."""
        if self.model.joined is not None:
            self.finish()
            self.compare()

    def unknown(self) -> str | None:
        return None if self.model.exists else "EDDYLINE_STREAMING_QUERY.NOT_FOUND"

    def missing(self) -> str | None:
        return None if self.model.dim is not None else "TABLE_OR_VIEW_NOT_FOUND"


@examples(40, 1500)
def test_a_random_life(spark: SparkSession, tmp_path: Path, count: int) -> None:
    life = Life(spark, tmp_path, count)
    for _ in range(count):
        life.step()
    life.settle()
    life.compare()
    assert len(life.taken) >= 10, life.taken


@examples(200, 20_000)
def test_folders_of_names(spark: SparkSession, count: int) -> None:
    """Folder names are reversible, so unique, and valid on any file system."""
    assert spark._jvm is not None
    folders = spark._jvm.io.eddyline.spark.streamingquery.store.FileName

    @repeated(count)
    @given(NAMES)
    def check(name: str) -> None:
        found = folders.of(name)
        key = folders.key(name)
        if found.isDefined():
            folder = found.get()
            assert re.fullmatch(r"([a-z0-9_-]|%[0-9a-f]{2}){1,255}", folder)
            assert unquote(folder) == key
        else:
            assert 3 * len(key.encode()) > 255

    check()
