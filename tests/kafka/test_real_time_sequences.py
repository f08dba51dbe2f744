"""Whatever happens to a query in real-time mode, the last row of a key is that of the batch query.

Queries, records and changes are random; servers and the broker die between them. Several queries
run side by side, each on topics of its own.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from faults.query_servers import QueryServer
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.sequences import KEYS, QUERIES, SESSIONS, Runner, Sequence
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

SIDE_BY_SIDE = 20
ROUNDS = 4


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 11))]
)
def test_the_last_row_of_a_key_is_that_of_the_batch_query(
    spark: SparkSession, running: Broker, connector_jars: list[Path], tmp_path: Path, seed: int
) -> None:
    random_ = random.Random(seed)
    salt = f"{random.getrandbits(32):x}"
    admin = Admin(spark, running)

    def topic(name: str, number: int) -> Topic:
        made = Topic(spark, running, f"{name}_{number}_{salt}")
        admin.create(made.name)
        return made

    sequences = [
        Sequence(
            f"q{number}",
            list(QUERIES)[number % len(QUERIES)],
            random.Random(f"{seed} {number}"),
            (topic("sent", number), topic("other", number), topic("rows", number)),
            tmp_path / f"checkpoints/q{number}",
        )
        for number in range(SIDE_BY_SIDE)
    ]
    tables = [each.definition() for sequence in sequences for each in sequence.topics]
    conf = {
        "spark.master": f"local[{4 * SIDE_BY_SIDE}]",
        "spark.driver.memory": "2g",
        # so many queries on a busy machine keep the owner from renewing it for seconds
        "spark.eddyline.streamingQuery.leaseDuration": "15s",
    }
    server = QueryServer(tmp_path, "server", tables, SESSIONS, jars=connector_jars, conf=conf)
    runner = Runner(spark, server, sequences)
    server.start()
    server.wait()
    try:
        runner.send(KEYS)
        runner.each(lambda number, each: runner.run(number, each.statement("CREATE")))
        eventually(lambda: all(each.has_answered() for each in sequences))
        for number in range(ROUNDS):
            runner.send()
            runner.each(runner.change)
            runner.send()
            if random_.random() < 0.5:
                server.kill()
                runner.send()
                server.start()
                server.wait()
            if number == ROUNDS // 2:
                running.kill()
                running.start()
            runner.each(runner.start)
        runner.send(KEYS)  # of which some bring up a row that HAVING lets through since a change
        runner.each(runner.rest)
        try:
            eventually(lambda: not differences(runner))
        except AssertionError:
            pytest.fail("\n".join(differences(runner)))
    finally:
        server.close()


def differences(runner: Runner) -> list[str]:
    """Returns what became of the queries whose topic has other rows than the batch query."""
    rows = runner.last_rows()
    return [
        f"{each.kind}: {found}, but {each.result()} after {each.history}"
        for each in runner.sequences
        if (found := rows[each.topics[2].name]) != each.result()
    ]
