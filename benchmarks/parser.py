"""Benchmark of the parser, for ordinary statements and for statements with a clause.

    python benchmarks/parser.py [repetitions]

The figures are milliseconds of `parsePlan`, called through py4j, less the round trip.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from measure import report, session

from eddyline.jvm import stop_sidecar

REPETITIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 500
SMALL = "SELECT k, count(*) AS n FROM t WHERE v > 3 GROUP BY k ORDER BY n DESC LIMIT 10"
LARGE = (
    "SELECT "
    + ", ".join(f"sum(CASE WHEN v = {i} THEN w ELSE 0 END) AS c{i}" for i in range(300))
    + " FROM t"
)
CLAUSE = "COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(cart.item) AS n{i}"
BIG_CLAUSE = (
    "COGROUP a BY k, b BY k AGGREGATE "
    + ", ".join(f"sum(CASE WHEN a.v = {i} THEN a.w ELSE 0 END) AS c{i}" for i in range(300))
    + ", count(*) AS n{{i}}"
)


def milliseconds(parse: Callable[[str], object], texts: list[str]) -> list[float]:
    """Returns the milliseconds that each text takes, after a warm-up."""
    for text in texts[: len(texts) // 4]:
        parse(text)
    times = []
    for text in texts:
        start = time.perf_counter()
        parse(text)
        times.append(1000 * (time.perf_counter() - start))
    return sorted(times)


def main() -> None:
    """Measures all texts and prints the table."""
    spark = session()
    stock = spark._jvm.org.apache.spark.sql.execution.SparkSqlParser()
    ours = spark._jsparkSession.sessionState().sqlParser()
    trip = statistics.median(milliseconds(lambda _: stock.toString(), [""] * REPETITIONS))
    rows: list[dict[str, Any]] = []

    def measure(what: str, parse: Callable[[str], object], texts: list[str]) -> float:
        times = [value - trip for value in milliseconds(parse, texts)]
        rows.append(
            {
                "what": what,
                "min": round(times[0], 2),
                "p50": round(statistics.median(times), 2),
                "p95": round(times[int(len(times) * 0.95)], 2),
            }
        )
        return statistics.median(times)

    for name, text in (("small", SMALL), (f"large ({len(LARGE) >> 10} KB)", LARGE)):
        repeated = [text] * (REPETITIONS if text is SMALL else REPETITIONS // 10)
        for parse in (stock.parsePlan, ours.parsePlan):  # both warm before either is measured
            milliseconds(parse, repeated)
        measure(f"ordinary, {name}: Spark's parser", stock.parsePlan, repeated)
        measure(f"ordinary, {name}: with eddyline", ours.parsePlan, repeated)
    clauses = [CLAUSE.format(i=i) for i in range(REPETITIONS)]
    warm = measure("clause, small, warm", ours.parsePlan, clauses)
    measure("clause, small, remembered", ours.parsePlan, [clauses[-1]] * REPETITIONS)
    big = [BIG_CLAUSE.replace("{{i}}", str(i)) for i in range(max(REPETITIONS // 10, 20))]
    measure(f"clause, large ({len(big[0]) >> 10} KB), warm", ours.parsePlan, big)
    first = []
    for i in range(5):
        stop_sidecar(spark)
        start = time.perf_counter()
        ours.parsePlan(CLAUSE.format(i=f"_first_{i}"))
        first.append(1000 * (time.perf_counter() - start))
    rows.append(
        {
            "what": "clause, the first: starts the sidecar",
            "min": round(min(first), 2),
            "p50": round(statistics.median(first), 2),
            "p95": round(max(first), 2),
        }
    )
    notes = [
        f"aim: clause, small, warm p50 <= 2 ms; found {warm:.2f} ms",
        f"round trip {trip:.2f} ms",
    ]
    report("parser", "Milliseconds of parsePlan", rows, notes)
    spark.stop()


if __name__ == "__main__":
    main()
