"""The rules over PyHive and Spark Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import eddyline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COGROUP = "COGROUP (SELECT 1 AS k) AS a BY k, (SELECT 1 AS k) AS b BY k AGGREGATE count(a.k) AS n"
EXCLUDED = "spark.eddyline.rules.excluded"


def test_pyhive(cursor: Any) -> None:
    from pyhive.exc import OperationalError

    cursor.execute("SHOW EDDYLINE RULES")
    names = [column[0].rpartition(".")[2] for column in cursor.description]
    assert names == ["phase", "rule", "description", "switch"]
    shown = {row[1]: row for row in cursor.fetchall()}
    assert shown["ResolveCoGroup"][3] is None
    assert shown["NarrowAssume"][3] == "ON"

    cursor.execute(f"SET {EXCLUDED}=PlanAssume")
    with pytest.raises(OperationalError) as refused:
        cursor.execute(COGROUP)
    assert "[EDDYLINE_RULES.REQUIRED]" in refused.value.args[0].status.errorMessage
    cursor.execute(f"SET {EXCLUDED}=")
    cursor.execute(COGROUP)
    assert cursor.fetchall() == [(1, 1)]


def test_connect(remote: SparkSession) -> None:
    def off() -> list[str]:
        return [rule.name for rule in eddyline.rules(remote) if rule.switch == "OFF"]

    assert off() == []
    remote.conf.set(EXCLUDED, "NarrowAssume")
    assert off() == ["NarrowAssume"]
