"""Runs dbt again and again in one process, as told by the lines of its stdin.

A line is a JSON list of dbt's arguments, a statement of SQL, or an object with `arguments` and
more: `writes`, see `dying`; `before` and `statement`, see `interrupted`; or `unlisted`. Its
answer is a line of JSON on stdout: `done`, see `run` and `rows`, or `raised`, the text of an
exception. What dbt prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

# What only reads, waits, or is about what lasts no longer than the session.
_READS = re.compile(
    r"(\s|/\*.*?\*/)*(select|with|show|describe|await|cache|create or replace temporary"
    r"|drop view( if exists)? `\w+__dbt_\w+`)",
    re.DOTALL | re.IGNORECASE,
)


def run(arguments: list[str]) -> dict[str, Any]:
    """Runs one command of dbt.

    Returns:
        `success`; `error`, the exception as text; `nodes`, for each name of a node its `status`,
        `message`, `response` of the adapter, `failures`, and `rows` if it was shown.
    """
    from dbt.cli.main import dbtRunner

    done = dbtRunner().invoke(arguments)
    nodes = {}
    for result in getattr(done.result, "results", None) or []:
        node = getattr(result, "node", None)
        shown = getattr(result, "agate_table", None)
        nodes[getattr(node, "name", "")] = {
            "status": str(result.status),
            "message": getattr(result, "message", None),
            "response": getattr(result, "adapter_response", None),
            "failures": getattr(result, "failures", None),
            "rows": None if shown is None else [list(row) for row in shown.rows],
        }
    return {"success": done.success, "error": str(done.exception or ""), "nodes": nodes}


def rows(statement: str) -> list[list[Any]]:
    """Returns the rows of a statement, run in the session or by the server that dbt uses."""
    if os.environ["DBT_TARGET"] == "session":
        from pyspark.sql import SparkSession

        return [list(row) for row in SparkSession.builder.getOrCreate().sql(statement).collect()]
    from pyhive import hive

    port = int(os.environ["EDDYLINE_TEST_PORT"])
    with closing(hive.connect("127.0.0.1", port, username="interop")) as connection:
        cursor = connection.cursor()
        cursor.execute(statement)
        return [list(row) for row in cursor.fetchall()] if cursor.description else []


@contextmanager
def dying(writes: int) -> Iterator[list[str]]:
    """Lets dbt send so many statements that write, and after them no statement at all.

    Yields those that were not sent.

    To the server this is a dbt that was killed between two statements: what dbt does in memory
    afterwards has no effect, and its session is closed.
    """
    from dbt.adapters.spark.connections import PyhiveConnectionWrapper

    execute = PyhiveConnectionWrapper.execute
    sent = 0
    lost: list[str] = []

    def counted(wrapper: PyhiveConnectionWrapper, sql: str, bindings: Any = None) -> None:
        nonlocal sent
        sent += not _READS.match(sql)
        if sent > writes:
            lost.append(sql)
            raise ConnectionAbortedError(f"dbt is dead, which would have sent: {sql}")
        execute(wrapper, sql, bindings)

    with mock.patch.object(PyhiveConnectionWrapper, "execute", counted):
        yield lost


@contextmanager
def interrupted(before: str, statement: str) -> Iterator[None]:
    """Lets another client run a statement, before dbt sends its first one that begins so."""
    from dbt.adapters.spark.connections import PyhiveConnectionWrapper

    execute = PyhiveConnectionWrapper.execute
    waiting = [statement]

    def late(wrapper: PyhiveConnectionWrapper, sql: str, bindings: Any = None) -> None:
        if waiting and re.sub(r"/\*.*?\*/", "", sql, flags=re.DOTALL).strip().startswith(before):
            rows(waiting.pop())
        execute(wrapper, sql, bindings)

    with mock.patch.object(PyhiveConnectionWrapper, "execute", late):
        yield
    assert not waiting, "dbt has sent no such statement"


@contextmanager
def unlisted() -> Iterator[None]:
    """Lets Spark list no tables, as if one was dropped meanwhile."""
    from dbt.adapters.spark.impl import SparkAdapter

    with mock.patch.object(SparkAdapter, "list_relations_without_caching", return_value=[]):
        yield


def answer(asked: Any) -> dict[str, Any]:
    """Returns the answer to a line. An exception ends no more than that."""
    try:
        return {"done": result_of(asked)}
    except Exception:
        return {"raised": traceback.format_exc()}


def result_of(asked: Any) -> Any:
    """Returns what a line asks for."""
    if isinstance(asked, str):
        return rows(asked)
    if isinstance(asked, list):
        return run(asked)
    if "statement" in asked:
        with interrupted(asked["before"], asked["statement"]):
            return run(asked["arguments"])
    if "unlisted" in asked:
        with unlisted():
            return run(asked["arguments"])
    with dying(asked["writes"]) as lost:
        return {**run(asked["arguments"]), "died": bool(lost)}


def poll_often() -> None:
    """Lets dbt ask every 20 ms whether a statement has ended; its setting has whole seconds."""
    from dbt.adapters.spark import connections

    pause = time.sleep
    connections.time = SimpleNamespace(time=time.time, sleep=lambda _: pause(0.02))


def main() -> None:
    """Answers until stdin ends."""
    poll_often()
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line)), default=str), file=answers, flush=True)


if __name__ == "__main__":
    main()
