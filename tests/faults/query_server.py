"""Runs statements in a JVM of its own: `python -m faults.query_server <settings as JSON>`.

It reads a statement a line, as JSON with a number and the number of a session, and answers with
the number and the rows, or the condition and the message of the error; first it prints the id of
its process.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from own_jvm import start_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PRINTING = Lock()


def answer(session: SparkSession, number: int, sql: str) -> None:
    """Runs a statement and prints its answer."""
    try:
        found: dict[str, Any] = {"rows": [row.asDict() for row in session.sql(sql).collect()]}
    except PySparkException as e:
        found = {"error": e.getCondition() or str(e), "message": str(e)}
    except Exception as e:
        found = {"error": repr(e)}
    with _PRINTING:
        print(json.dumps({"number": number, **found}, default=str), flush=True)


def main(plan: dict[str, Any]) -> None:
    """Serves the sessions of the plan until the input ends."""
    spark, jvm = start_session(plan["conf"])
    for statement in plan["first"]:
        spark.sql(statement)
    sessions = [spark.newSession() for _ in range(plan["sessions"])]
    pools = [ThreadPoolExecutor(1) for _ in sessions]
    print(jvm.java.lang.ProcessHandle.current().pid(), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        at = asked["session"]
        pools[at].submit(answer, sessions[at], asked["number"], asked["sql"])


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
