"""Prints as JSON, in a process of its own, what statements give in sessions of given confs."""

from __future__ import annotations

import json
import sys
from typing import Any

CLAUSE = "COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(*) AS n"
# Each value is (text, args); the first statement stores a view, and the second reads it.
STATEMENTS: dict[str, tuple[str, dict[str, int] | None]] = {
    "toy": ("TOY HELLO", None),
    "ordinary": ("SELECT id FROM range(2)", None),
    "ordinary with args": ("SELECT :x AS x", {"x": 7}),
    "clause": (CLAUSE, None),
    "clause with args": (f"{CLAUSE}, sum(b.id) + :x AS m HAVING count(*) > :y", {"x": 7, "y": 1}),
    "create view": (f"CREATE VIEW stored AS {CLAUSE}", None),
    "view": ("SELECT sum(n) FROM stored", None),
    "drop view": ("DROP VIEW stored", None),
    "wrong clause": ("COGROUP a BY k AGGREGATE count(*)", None),
}


def outcome(spark: Any, text: str, args: dict[str, int] | None) -> Any:
    """Returns rows as lists, or the name of the error."""
    from pyspark.errors import PySparkException

    try:
        frame = spark.sql(text) if args is None else spark.sql(text, args=args)
        return sorted(list(row) for row in frame.collect())
    except PySparkException as error:
        return error.getCondition()


def report(spark: Any) -> dict[str, Any]:
    """Returns the class of the outermost parser, and the outcome of each statement."""
    parser = spark._jsparkSession.sessionState().sqlParser().getClass().getSimpleName()
    outcomes = {name: outcome(spark, *pair) for name, pair in STATEMENTS.items()}
    return {"outermost": parser, **outcomes}


def main() -> None:
    """Prints a report of each of three sessions."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    for key, value in json.loads(sys.argv[1]).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    jvm, context = spark._jvm, spark.sparkContext
    sessions = jvm.org.apache.spark.sql.classic.SparkSession
    print(json.dumps(report(spark)), flush=True)

    # Scala applications and the servers make their sessions like this
    sessions.clearActiveSession()
    sessions.clearDefaultSession()
    print(json.dumps(report(SparkSession(context, sessions.builder().getOrCreate()))), flush=True)

    # Spark with the toy alone
    conf = context._jsc.sc().conf()
    listed = conf.get("spark.sql.extensions").split(",")
    conf.set("spark.sql.extensions", ",".join(name for name in listed if "eddyline" not in name))
    conf.set("spark.sql.extensions.test.loadFromCp", "false")
    sessions.clearActiveSession()
    sessions.clearDefaultSession()
    alone = sessions(context._jsc.sc(), jvm.java.util.HashMap())
    print(json.dumps(report(SparkSession(context, alone))), flush=True)


if __name__ == "__main__":
    main()
