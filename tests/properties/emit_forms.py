"""The streaming aggregations for the properties of EMIT ON CHANGE.

They read the streams t, u (columns k, j, v, d, s, ts) and w (t with a watermark), and are written
so that Spark gives one result for them: it promises no order of what a group collects, and ties and
`first` follow the order of the rows, which are in one file for each micro-batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Form:
    """A query, run in plain Update mode and with EMIT ON CHANGE.

    Attributes:
        name: name of the test.
        select: the query up to its HAVING; the columns that identify a row come first.
        keys: number of these columns.
        having: the condition of HAVING, apart because the oracle needs the query without it.
        emit: the query with the clause.
        compared: the columns that the clause compares; None for all.
        shown: function from a row to what the outer query makes of it; None where it rejects it.
        repeats: whether a result can be the previous one.
    """

    name: str
    select: str
    keys: int = 1
    having: str = ""
    emit: str = "{query} EMIT ON CHANGE"
    compared: slice | None = None
    shown: Callable[[Row], Row | None] = lambda row: row
    repeats: bool = True

    @property
    def plain(self) -> str:
        return self.select + (f" HAVING {self.having}" if self.having else "")

    @property
    def emitting(self) -> str:
        return self.emit.format(query=self.plain)


# Aggregates, alone or in expressions, over groups of a key that may be NULL.
RESULTS = {
    "max": "max(v)",
    "min": "min(v)",
    "sum": "sum(v)",
    "avg": "avg(v)",
    "avg_double": "avg(d)",
    "max_double": "max(d)",
    "stddev": "round(stddev(v), 9)",  # rows come in another order than Spark merges buffers
    "count_filter": "count(v) FILTER (WHERE v > 1)",
    "collect_set": "sort_array(collect_set(s))",
    "percentile": "percentile(v, 0.5)",
    "approx_percentile": "approx_percentile(v, 0.5)",
    "median": "median(v)",
    "mode": "mode() WITHIN GROUP (ORDER BY v)",
    "hll": "hll_sketch_estimate(hll_sketch_agg(v))",
    "max_by": "max_by(s, v)",
    "first": "first(v)",
    "last": "last(s)",
    "struct": "named_struct('low', min(v), 'high', max(s))",
    "decimal": "sum(CAST(d AS DECIMAL(28, 2)))",
    "string": "max(s)",
    "hot": "max(v) >= 2",
    "ratio": "sum(v) DIV nullif(count(v), 0)",
    "map": "map_from_entries(collect_set(struct(v AS key, v * v AS value))"
    " FILTER (WHERE v IS NOT NULL))",
    # equal maps whose entries are in another order
    "map_order": "last(IF(v > 1, map('a', 1, 'b', 2), map('b', 2, 'a', 1)))",
    "map_nested": "named_struct('maps', array(last(IF(v > 1, map(1, s, 2, s), map(2, s, 1, s)))))",
    "constant": "'x'",
}

WINDOW = "window.start AS start, k, max(v) AS m FROM w GROUP BY window(ts, '10 seconds'{}), k"

FORMS = [
    *(Form(name, f"SELECT k, {text} AS r FROM t GROUP BY k") for name, text in RESULTS.items()),
    Form("count", "SELECT k, count(*) AS n FROM t GROUP BY k", repeats=False),
    Form("keyless", "SELECT max(v) AS m, min(d) AS n FROM t", keys=0),
    Form("keyless_having", "SELECT max(v) AS m FROM t", keys=0, having="count(*) % 2 = 0"),
    Form("two_keys", "SELECT k, j, max(v) AS m FROM t GROUP BY k, j", keys=2),
    Form("key_expression", "SELECT k % 2 AS p, sum(v) AS r FROM t GROUP BY k % 2"),
    Form("key_double", "SELECT d, max(v) AS m FROM t GROUP BY d"),
    Form(
        "key_not_selected",
        "SELECT k, max(v) AS m FROM t GROUP BY k",
        emit="SELECT max(v) AS m FROM t GROUP BY k EMIT ON CHANGE",
        shown=lambda row: row[1:],
    ),
    Form("distinct", "SELECT DISTINCT k, j FROM t", keys=2),
    Form(
        "rollup",
        "SELECT k, j, grouping_id() AS g, max(v) AS m FROM t GROUP BY ROLLUP (k, j)",
        keys=3,
    ),
    Form(
        "grouping_sets",
        "SELECT k, j, grouping_id() AS g, avg(v) AS m FROM t GROUP BY GROUPING SETS ((k), (j), ())",
        keys=3,
    ),
    Form("window", f"SELECT {WINDOW.format('')}", keys=2),
    Form("window_sliding", f"SELECT {WINDOW.format(', ' + repr('5 seconds'))}", keys=2),
    Form("having", "SELECT k, max(v) AS m FROM t GROUP BY k", having="count(*) % 2 = 0"),
    Form(
        "having_of",
        "SELECT k, max(v) AS m, count(*) AS n FROM t GROUP BY k",
        having="count(v) % 2 = 0",
        emit="{query} EMIT ON CHANGE OF (m)",
        compared=slice(1, 2),
    ),
    Form(
        "of",
        "SELECT k, max(v) AS m, count(*) AS n FROM t GROUP BY k",
        emit="{query} EMIT ON CHANGE OF (k, m)",
        compared=slice(0, 2),
    ),
    Form(
        "except",
        "SELECT k, max(v) AS m, min(d) AS d, count(*) AS n FROM t GROUP BY k",
        emit="{query} EMIT ON CHANGE EXCEPT (n)",
        compared=slice(0, 3),
    ),
    Form(
        "filtered_above",
        "SELECT k, max(v) AS m, count(*) AS n FROM t GROUP BY k",
        emit="SELECT n, m FROM ({query} EMIT ON CHANGE EXCEPT (n)) WHERE n % 2 = 0",
        compared=slice(0, 2),
        shown=lambda row: (row[2], row[1]) if row[2] % 2 == 0 else None,
    ),
    Form(
        "subquery",
        "SELECT k, m % 2 AS odd FROM (SELECT k, max(v) AS m FROM t GROUP BY k) WHERE m > 0",
        emit="WITH c AS ({query}) SELECT * FROM c EMIT ON CHANGE",
    ),
    Form(
        "union_below",
        "SELECT k, max(v) AS m FROM (SELECT k, v FROM t UNION ALL SELECT k, v FROM u) GROUP BY k",
    ),
    Form("cogroup", "COGROUP t BY k, u BY k AGGREGATE max(t.v) AS m, min(u.v) AS n"),
    Form(
        "cogroup_having",
        "COGROUP t BY k, u BY k AGGREGATE max(t.v) + max(u.v) AS m, count(u.*) AS n",
        having="EVERY BRANCH AND n % 2 = 0",
        emit="{query} EMIT ON CHANGE OF (m)",
        compared=slice(1, 2),
    ),
]
