"""Claims in the SQL of PyHive and Spark Connect, and the errors about false claims."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CREATE = (
    "CREATE TABLE {0}_days USING parquet PARTITIONED BY (day) AS "
    "SELECT id AS item, id % 3 AS day FROM range(12)",
    "CREATE TABLE {0}_visits USING json AS "
    "SELECT /*+ REPARTITION(2, user) */ id % 4 AS user, id AS visit FROM range(12)",
)
DAYS = "SELECT day, count(*) AS n FROM {0}_days ASSUME PARTITIONED BY (day) GROUP BY day"
USERS = "SELECT user, count(*) AS n FROM {0}_visits ASSUME PARTITIONED BY (user) {1} GROUP BY user"
FAIL = "ENFORCED ON VIOLATION FAIL"
CHECK = "CHECK ASSUMPTION ON {0}_visits PARTITIONED BY (user)"
# a row in another file than the three visits of user 1
STRAY = "INSERT INTO {0}_visits SELECT /*+ COALESCE(1) */ 1, 12"
OF_DAYS, OF_USERS = [(0, 4), (1, 4), (2, 4)], [(0, 3), (1, 3), (2, 3), (3, 3)]
OF_USERS_WITH_STRAY = [(0, 3), (1, 4), (2, 3), (3, 3)]


def _used(relation: str, key: str, proof: str, units: int) -> tuple[object, ...]:
    """Returns the row of a claim that saves its aggregate the Exchange."""
    name = f"spark_catalog.default.{relation}"
    return (key, name, proof, units, "USED", key, True, "HashAggregate", None, None)


def _claims(rows: list[tuple[Any, ...]]) -> list[tuple[object, ...]]:
    """Returns the fields of claims, without the time of the check, from their rows."""
    return [
        tuple(json.loads(details).values())[:-1] for part, *_, details in rows if part == "ASSUME"
    ]


def test_pyhive(cursor: Any) -> None:
    from pyhive.exc import OperationalError

    def rows(sql: str) -> list[tuple[object, ...]]:
        cursor.execute(sql)
        found: list[tuple[object, ...]] = cursor.fetchall()
        return sorted(found, key=str)

    for create in CREATE:
        cursor.execute(create.format("hive"))
    assert rows(DAYS.format("hive")) == OF_DAYS
    explained = _claims(rows("EXPLAIN CLAUSES " + DAYS.format("hive")))
    assert explained == [_used("hive_days", "day", "structural", 3)]

    assert rows(USERS.format("hive", FAIL)) == OF_USERS
    explained = _claims(rows("EXPLAIN CLAUSES " + USERS.format("hive", FAIL)))
    assert explained == [_used("hive_visits", "user", "checked", 2)]
    assert rows(CHECK.format("hive")) == []

    cursor.execute(STRAY.format("hive"))
    assert rows(USERS.format("hive", "")) == OF_USERS_WITH_STRAY
    ((key, units, count, _),) = rows(CHECK.format("hive"))
    assert (key, units, count) == ("(1)", 2, 4)
    with pytest.raises(OperationalError) as refused:
        cursor.execute(USERS.format("hive", FAIL))
    status = refused.value.args[0].status
    assert status.sqlState == "22000"
    assert "[EDDYLINE_ASSUME.VIOLATED]" in status.errorMessage
    assert "the key (1) is in the files" in status.errorMessage
    assert rows(DAYS.format("hive")) == OF_DAYS, "the session must live on"


def test_connect(remote: SparkSession) -> None:
    from pyspark.errors import PySparkException
    from pyspark.sql import functions as f

    from eddyline import why

    def rows(sql: str) -> list[tuple[object, ...]]:
        return sorted(map(tuple, remote.sql(sql).collect()), key=str)

    for create in CREATE:
        remote.sql(create.format("far"))
    days = remote.sql(DAYS.format("far"))
    assert rows(DAYS.format("far")) == OF_DAYS
    of_days = _used("far_days", "day", "structural", 3)
    assert _claims(rows("EXPLAIN CLAUSES " + DAYS.format("far"))) == [of_days]
    assert [tuple(claim.details.values())[:-1] for claim in why(days).claims] == [of_days]

    users = remote.sql(USERS.format("far", FAIL))
    of_users = _used("far_visits", "user", "checked", 2)
    assert sorted(map(tuple, users.collect())) == OF_USERS
    assert _claims(rows("EXPLAIN CLAUSES " + USERS.format("far", FAIL))) == [of_users]
    told = [tuple(claim.details.values())[:-1] for claim in why(users).claims]
    assert told == [of_users], "a server keeps no plan that ran, so no verdict"
    of_both = why(users.where(f.col("n") > 1).groupBy("user").agg(f.max("n").alias("n"))).claims
    assert [claim.outcome for claim in of_both] == ["USED", "USED"]
    assert why(remote.range(3)).claims == []
    assert rows(CHECK.format("far")) == []

    remote.sql(STRAY.format("far"))
    assert rows(USERS.format("far", "")) == OF_USERS_WITH_STRAY
    ((key, units, count, files),) = rows(CHECK.format("far"))
    assert (key, units, count, len(files)) == ("(1)", 2, 4, 2)
    with pytest.raises(PySparkException) as refused:
        remote.sql(USERS.format("far", FAIL)).collect()
    error = refused.value
    assert error.getCondition() == "EDDYLINE_ASSUME.VIOLATED"
    assert error.getSqlState() == "22000"
    assert "the key (1) is in the files" in str(error)
