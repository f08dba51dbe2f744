"""The cases of the tests of Kafka Streams, with their inputs and results in topics."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

from kafka.broker import Broker
from kafka.topics import Event, Topic
from kafka_streams import (
    CASES,
    SILENT,
    Case,
    Row,
    as_row,
    changes,
    cogroup,
    expectation,
    expected,
    last,
    lookups,
    reason_not_to_run,
    rekeyed,
    windows,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOBODY = [{"key": None, "value": None, "ts": 0, "seq": -1}]  # so that there is such a topic
_AFTER_ALL = 1_000_000  # milliseconds


def text(value: object) -> str | None:
    return None if value is None else str(value)


class Run:
    """A case as a streaming query `q` from topics into a topic.

    Attributes:
        case: the case.
        inputs: the topics that it reads, by the names that its program has for them.
    """

    def __init__(self, spark: SparkSession, broker: Broker, case: Case) -> None:
        self.spark = spark
        self.case = case
        self._broker = broker
        self._started = False
        self.inputs = {name: self._topic(name) for name in case["inputs"]}
        self._target = self._topic("results")

    def _topic(self, name: str) -> Topic:
        topic = Topic(self.spark, self._broker, f"{self.case['name']}_{name}")
        return topic.create("includeHeaders 'true'")

    def arrive(self, name: str, rows: Iterable[Case]) -> None:
        """Writes rows of the case to a topic."""
        if name not in self.inputs:
            self.inputs[name] = self._topic(name)
        self.inputs[name].produce(
            Event(text(row["key"]), text(row["value"]), row["ts"], {"seq": str(row["seq"])})
            for row in rows
        )

    def open(self, name: str, options: str = "", watermark: str = "") -> None:
        """Makes the view that the program reads."""
        self.spark.sql(f"""
            CREATE TEMPORARY VIEW `{name}` AS
            SELECT string(key) AS key, string(value) AS value, ts,
                   int(string(headers[0].value)) AS seq
            FROM (SELECT * EXCEPT (timestamp), timestamp AS ts
                  FROM STREAM {self.inputs[name].name} {options}) {watermark}""")

    def read(self, program: str) -> None:
        """Runs the query over what has arrived; its rows become records with columns as JSON."""
        if self._started:
            self.spark.sql("START STREAMING QUERY q")
        else:
            self.spark.sql(f"""
                START STREAMING QUERY q TRIGGER AVAILABLE NOW
                AS INSERT INTO {self._target.name} (key, value)
                SELECT key, to_json(struct(* EXCEPT (key))) FROM ({program})""")
        self.spark.sql("AWAIT STREAMING QUERY q")
        self._started = True

    def written(self) -> list[dict[str, Any]]:
        """Returns the records of the result, those of a key in their order."""
        return [{"key": key, **json.loads(value or "")} for key, value in self._target.records()]

    def rows(self) -> list[Row]:
        """Returns the same as rows of the case."""
        return [
            as_row({**row, "window": [row["start"], row["end"]]} if "start" in row else row)
            for row in self.written()
        ]


def run_cogroup(run: Run) -> None:
    one_input = len(run.case["inputs"]) == 1
    session = "gap" in run.case["params"]
    # one record a micro-batch gives Kafka's updates, but of two topics only in their order
    options = "WITH (maxOffsetsPerTrigger = 1)" if one_input and not session else ""
    watermark = "WATERMARK ts DELAY OF INTERVAL 0 SECONDS" if session else ""
    clock = {"key": "clock", "value": "", "ts": _AFTER_ALL, "seq": -1}
    for name, rows in {**run.case["inputs"], SILENT: NOBODY}.items():
        run.arrive(name, [*rows, *([clock] if session else [])])
        run.open(name, options, watermark)
    run.read(cogroup(run.case) + ("EMIT ON WINDOW CLOSE" if session else "EMIT ON UPDATE"))


def run_windows(run: Run) -> None:
    ((name, rows),) = run.case["inputs"].items()
    # Kafka's stream time advances with each record. Here a row is late by the watermark of the
    # micro-batch before, so that one without a row that counts follows each record.
    run.arrive(name, [each for row in rows for each in (row, *NOBODY)])
    grace = f"INTERVAL {run.case['params']['grace']} MILLISECONDS"
    run.open(name, "WITH (maxOffsetsPerTrigger = 1)", f"WATERMARK ts DELAY OF {grace}")
    run.read(windows(run.case) + " EMIT ON WINDOW CLOSE")


def run_changes(run: Run) -> None:
    ((name, rows),) = run.case["inputs"].items()
    run.arrive(name, rows)
    run.open(name)
    run.read(changes(run.case))


def run_lookups(run: Run) -> None:
    """Writes the records of the two topics in the order of the case."""
    program = lookups(run.case, "latest")
    run.arrive("table", NOBODY)
    run.spark.sql(f"""
        CREATE GLOBAL TABLE latest (key STRING, value STRING, PRIMARY KEY (key)) USING kafka
        OPTIONS ('kafka.bootstrap.servers' '{run.inputs["table"].broker.address}',
                 subscribe '{run.inputs["table"].name}', 'value.format' 'string')
        REFRESH MANUAL""")
    everything = [(row["seq"], name, row) for name, of in run.case["inputs"].items() for row in of]
    for name, step in groupby(sorted(everything, key=lambda at: at[0]), lambda at: at[1]):
        run.arrive(name, [row for _, _, row in step])
        if name == "table":
            run.spark.sql("REFRESH GLOBAL TABLE latest")
        elif not run.spark.catalog.tableExists("stream"):
            run.open("stream")
        if run.spark.catalog.tableExists("stream"):
            run.read(program)  # which emits nothing for records of the table


RUNS = {
    "cogroup": run_cogroup,
    "cogroup_time_window": run_cogroup,
    "cogroup_session": run_cogroup,
    "emit_close": run_windows,
    "suppress_final": run_windows,
    "emit_on_change": run_changes,
    "global_join": run_lookups,
}


def by_key(rows: Iterable[Row]) -> dict[Row, list[Row]]:
    """Returns the rows of each key and window in their order; a topic has no other order."""
    found: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[:-2]].append(row)
    return dict(found)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["params"]["op"] in RUNS or reason_not_to_run(case)],
    ids=lambda case: case["name"],
)
def test_case(spark: SparkSession, running: Broker, case: Case) -> None:
    if reason := reason_not_to_run(case):
        pytest.skip(reason)
    run = Run(spark, running, case)
    RUNS[case["params"]["op"]](run)
    rows = run.rows()
    name = expectation(case)
    if name == "final_derived":
        assert last(rows) == sorted(expected(case, name))
    else:
        assert by_key(rows) == by_key(expected(case, name))


def the_case(name: str) -> Case:
    (case,) = [case for case in CASES if case["name"] == name]
    return case


def test_an_update_is_not_lost_by_a_failure(spark: SparkSession, running: Broker) -> None:
    """A function fails behind the comparison, and the query continues with one that does not."""
    case = the_case("same_value_same_ts_must_not_be_lost_on_replay")
    run = Run(spark, running, case)
    run.arrive("input", case["inputs"]["input"])
    run.open("input")
    source = changes(case)
    failing = "if(value = 'A', raise_error('once'), value) AS value"
    with pytest.raises(PySparkException, match="once"):
        run.read(f"SELECT key, {failing}, ts FROM ({source})")
    spark.sql("DROP STREAMING QUERY q")
    run.read(source)
    assert by_key(run.rows()) == by_key(expected(case, "expected"))


def exchanges(spark: SparkSession) -> int:
    plan = str(spark.sql("EXPLAIN STREAMING QUERY q").collect()[0][0])
    return plan.partition("== Initial Plan ==")[0].count("Exchange ")


def test_a_new_key_is_shuffled_once(spark: SparkSession, running: Broker) -> None:
    case = the_case("rekey_without_mark_shuffles_once")
    run = Run(spark, running, case)
    run.arrive("input", case["inputs"]["input"])
    run.open("input")
    run.read("SELECT /*+ REPARTITION(2, key) */ string(int(value)) AS key, value FROM input")
    *rows, shuffles = case["expected"]
    assert sorted((row["key"], row["value"]) for row in run.written()) == [
        (str(row["key"]), row["value"]) for row in rows
    ]
    assert exchanges(spark) == shuffles["count"]


def test_all_results_of_a_new_key_are_one_shuffle(spark: SparkSession, running: Broker) -> None:
    case = the_case("repartition_merge_same_results")
    run = Run(spark, running, case)
    run.arrive("input", case["inputs"]["input"])
    run.open("input")
    run.read(f"{rekeyed(case)} EMIT ON UPDATE")
    *outputs, shuffles = case["expected"]
    written = {row["key"]: row for row in run.written()}
    for output in outputs:
        found = {key: written[key][output["output"]] for key in output["rows"]}
        assert found == output["rows"]
    assert exchanges(spark) == shuffles["optimized"]


def test_every_case_is_run() -> None:
    special = {
        "same_value_same_ts_must_not_be_lost_on_replay",
        "rekey_without_mark_shuffles_once",
        "repartition_merge_same_results",
    }
    by_op = {case["name"] for case in CASES if case["params"]["op"] in RUNS}
    skipped = {case["name"] for case in CASES if reason_not_to_run(case)}
    assert special.isdisjoint(by_op | skipped)
    assert special | by_op | skipped == {case["name"] for case in CASES}
