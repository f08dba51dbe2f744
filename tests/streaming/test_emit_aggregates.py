"""Each aggregate function of Spark with EMIT, over rows and over partial aggregates.

A stream of three micro-batches, with a restart before the last one, must end with the rows of the
batch query. A function that Spark adds fails the test until it has a call here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .harness import Stream

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

# Calls by the name of the function; `@` stands for the name of a branch. Results that depend on the
# order of rows, or on that in which doubles are added, are reduced to what does not.
CALLS = {
    "any": "any(@v > 3)",
    "any_value": "any_value(@k)",
    "approx_count_distinct": "approx_count_distinct(@v)",
    "approx_percentile": "approx_percentile(@v, 0.5)",
    "approx_top_k": "size(approx_top_k(@v, 2))",
    "approx_top_k_accumulate": "size(approx_top_k_estimate(approx_top_k_accumulate(@v), 2))",
    "approx_top_k_combine": "size(approx_top_k_estimate(approx_top_k_combine(@top, 100), 2))",
    "array_agg": "array_sort(array_agg(@v))",
    "avg": "avg(@v)",
    "bit_and": "bit_and(@v)",
    "bit_or": "bit_or(@v)",
    "bit_xor": "bit_xor(@v)",
    "bitmap_and_agg": "bitmap_count(bitmap_and_agg(@bits))",
    "bitmap_construct_agg": "bitmap_count(bitmap_construct_agg(bitmap_bit_position(@v)))",
    "bitmap_or_agg": "bitmap_count(bitmap_or_agg(@bits))",
    "bool_and": "bool_and(@v > 3)",
    "bool_or": "bool_or(@v > 3)",
    "collect_list": "array_sort(collect_list(@s))",
    "collect_set": "array_sort(collect_set(@s))",
    "collect_union": "array_sort(collect_union(array(@v)))",
    "corr": "round(corr(@v, @d), 6)",
    "count": "count(@s)",
    "count_if": "count_if(@v > 3)",
    "count_min_sketch": "hex(count_min_sketch(@v, 0.5d, 0.5d, 1))",
    "covar_pop": "round(covar_pop(@v, @d), 6)",
    "covar_samp": "round(covar_samp(@v, @d), 6)",
    "every": "every(@v > 3)",
    "first": "first(@k)",
    "first_value": "first_value(@k)",
    "histogram_numeric": "size(histogram_numeric(@v, 3))",
    "hll_sketch_agg": "hll_sketch_estimate(hll_sketch_agg(@v))",
    "hll_union_agg": "hll_sketch_estimate(hll_union_agg(@hll))",
    "kll_merge_agg_bigint": "kll_sketch_get_n_bigint(kll_merge_agg_bigint(@kb))",
    "kll_merge_agg_double": "kll_sketch_get_n_double(kll_merge_agg_double(@kd))",
    "kll_merge_agg_float": "kll_sketch_get_n_float(kll_merge_agg_float(@kf))",
    "kll_sketch_agg_bigint": "kll_sketch_get_n_bigint(kll_sketch_agg_bigint(@v))",
    "kll_sketch_agg_double": "kll_sketch_get_n_double(kll_sketch_agg_double(@d))",
    "kll_sketch_agg_float": "kll_sketch_get_n_float(kll_sketch_agg_float(float(@d)))",
    "kurtosis": "round(kurtosis(@v), 6)",
    "last": "last(@k)",
    "last_value": "last_value(@k)",
    "listagg": "listagg(@s, ',') WITHIN GROUP (ORDER BY @s)",
    "max": "max(@s)",
    "max_by": "max_by(@s, @v)",
    "mean": "mean(@v)",
    "median": "median(@v)",
    "min": "min(@s)",
    "min_by": "min_by(@s, @v)",
    "mode": "mode() WITHIN GROUP (ORDER BY @s)",
    "percentile": "percentile(@v, 0.3)",
    "percentile_approx": "percentile_approx(@v, 0.5)",
    "percentile_cont": "percentile_cont(0.5) WITHIN GROUP (ORDER BY @v)",
    "percentile_disc": "percentile_disc(0.5) WITHIN GROUP (ORDER BY @v)",
    "regr_avgx": "round(regr_avgx(@v, @d), 6)",
    "regr_avgy": "round(regr_avgy(@v, @d), 6)",
    "regr_count": "regr_count(@v, @d)",
    "regr_intercept": "round(regr_intercept(@v, @d), 6)",
    "regr_r2": "round(regr_r2(@v, @d), 6)",
    "regr_slope": "round(regr_slope(@v, @d), 6)",
    "regr_sxx": "round(regr_sxx(@v, @d), 6)",
    "regr_sxy": "round(regr_sxy(@v, @d), 6)",
    "regr_syy": "round(regr_syy(@v, @d), 6)",
    "skewness": "round(skewness(@v), 6)",
    "some": "some(@v > 3)",
    "std": "round(std(@v), 6)",
    "stddev": "round(stddev(@v), 6)",
    "stddev_pop": "round(stddev_pop(@v), 6)",
    "stddev_samp": "round(stddev_samp(@v), 6)",
    "string_agg": "string_agg(@s, ',') WITHIN GROUP (ORDER BY @s)",
    "sum": "sum(CAST(@v AS DECIMAL(38, 2)))",
    "theta_intersection_agg": "theta_sketch_estimate(theta_intersection_agg(@th))",
    "theta_sketch_agg": "theta_sketch_estimate(theta_sketch_agg(@v))",
    "theta_union_agg": "theta_sketch_estimate(theta_union_agg(@th))",
    "try_avg": "try_avg(@v)",
    "try_sum": "try_sum(@v)",
    "tuple_intersection_agg_double": "tuple_sketch_estimate_double("
    "tuple_intersection_agg_double(@td))",
    "tuple_intersection_agg_integer": "tuple_sketch_estimate_integer("
    "tuple_intersection_agg_integer(@ti))",
    "tuple_sketch_agg_double": "tuple_sketch_estimate_double(tuple_sketch_agg_double(@v, @d))",
    "tuple_sketch_agg_integer": "tuple_sketch_estimate_integer("
    "tuple_sketch_agg_integer(@v, int(@v)))",
    "tuple_union_agg_double": "tuple_sketch_estimate_double(tuple_union_agg_double(@td))",
    "tuple_union_agg_integer": "tuple_sketch_estimate_integer(tuple_union_agg_integer(@ti))",
    "var_pop": "round(var_pop(@v), 6)",
    "var_samp": "round(var_samp(@v), 6)",
    "variance": "round(variance(@v), 6)",
}
# no functions over rows: they belong to GROUPING SETS and to metric views
NO_AGGREGATES = {"grouping", "grouping_id", "measure"}
# columns that are sketches of one row, for the functions that merge such
SKETCHES = {
    "top": ("approx_top_k_combine", "approx_top_k_accumulate(v)"),
    "bits": ("bitmap_or_agg", "bitmap_construct_agg(bitmap_bit_position(v))"),
    "hll": ("hll_union_agg", "hll_sketch_agg(v)"),
    "kb": ("kll_merge_agg_bigint", "kll_sketch_agg_bigint(v)"),
    "kd": ("kll_merge_agg_double", "kll_sketch_agg_double(d)"),
    "kf": ("kll_merge_agg_float", "kll_sketch_agg_float(float(d))"),
    "th": ("theta_union_agg", "theta_sketch_agg(v)"),
    "td": ("tuple_union_agg_double", "tuple_sketch_agg_double(v, d)"),
    "ti": ("tuple_union_agg_integer", "tuple_sketch_agg_integer(v, int(v))"),
}


def aggregates_of_spark(spark: SparkSession) -> set[str]:
    registry = spark._jsparkSession.sessionState().functionRegistry()
    names, found = registry.listFunction().iterator(), set()
    while names.hasNext():
        name = names.next()
        info = registry.lookupFunction(name)
        if info.isDefined() and info.get().getGroup() == "agg_funcs":
            found.add(name.funcName())
    return found - NO_AGGREGATES


@pytest.mark.parametrize("partial", ["NEVER", "ALWAYS"])
def test_each_aggregate(spark: SparkSession, tmp_path: Path, provider: str, partial: str) -> None:
    names = sorted(aggregates_of_spark(spark))
    assert [name for name in names if name not in CALLS] == []
    spark.conf.set("spark.eddyline.emit.partialAggregation", partial)
    sketches = {name: call for name, (needs, call) in SKETCHES.items() if needs in names}
    rows = f"SELECT k, v, s, d, {', '.join(f'{c} AS {n}' for n, c in sketches.items())}"

    def arrive(table: str, first: int, last: int) -> None:
        values = (
            f"SELECT id % 3 AS k, id AS v, IF(id % 5 = 0, NULL, string(id % 4)) AS s, id / 2D AS d "
            f"FROM range({first}, {last})"
        )
        spark.sql(f"{rows} FROM ({values}) GROUP BY k, v, s, d").coalesce(1).write.mode(
            "append"
        ).saveAsTable(table)

    grouped = [CALLS[name].replace("@", "") for name in names]
    sides = [CALLS[name].replace("@", f"{side}.") for name in names for side in "ab"]
    queries = [
        f"SELECT k, {', '.join(grouped)} FROM {{}}a GROUP BY k",
        f"COGROUP {{0}}a AS a BY k, {{0}}b AS b BY k AGGREGATE "
        f"{', '.join(call for call in sides if '.k)' not in call)}",
    ]
    for table in "ab":
        arrive(table, 0, 7)
    streams = [
        Stream(lambda query=query: spark.sql(f"{query.format('STREAM ')} EMIT ON CHANGE"), folder)
        for query, folder in zip(queries, (tmp_path / "grouped", tmp_path / "cogroup"), strict=True)
    ]
    for table, last in ("a", 20), ("b", 25):  # b is silent in the second micro-batch
        for stream in streams:
            stream.run()
            assert ("HashAggregate" in stream.plan) == (partial == "ALWAYS")
        arrive(table, 7, last)
    for query, stream in zip(queries, streams, strict=True):
        stream.run()
        expected = [tuple(row) for row in spark.sql(query.format("")).collect()]
        assert stream.final() == sorted(expected, key=str)


SIDES = "(SELECT k, 1 AS side, v FROM {0} UNION ALL SELECT k, 2 AS side, v FROM {0})"
LATE = "WATERMARK ts DELAY OF INTERVAL 0 SECONDS"
# What Spark's operators do, and the rows that are shuffled must not change: late rows are dropped
# by the time in the key alone, an argument is computed only where the function asks for it, and a
# column of the result only where HAVING lets it pass.
LAZY = [
    "k, max(ts) AS m, count(*) AS n FROM {late} GROUP BY k",
    "window(ts, '1 minute') AS w, max(ts) AS m, count(*) AS n FROM {late} GROUP BY w",
    f"k, array_sort(collect_list(v) FILTER (WHERE side = 1)) AS a FROM {SIDES} GROUP BY k",
    f"k, median(v) FILTER (WHERE side = 1) AS a, count(*) AS n FROM {SIDES} GROUP BY k",
    "k, sum(v) FILTER (WHERE v > (SELECT min(b) FROM d)) AS a, "
    "count(*) FILTER (WHERE v < (SELECT min(b) FROM d)) AS c FROM {0} GROUP BY k",
    "k, sum(v + (SELECT min(b) FROM d)) FILTER (WHERE v > 0) AS a FROM {0} GROUP BY k",
    "k, sum(v + (SELECT min(b) FROM d)) AS a FROM {0} GROUP BY k",
    "k, first((SELECT min(b) FROM d) + k) AS a FROM {0} GROUP BY k",
    "k, count(*) + (SELECT min(b) FROM d) AS n FROM {0} GROUP BY k",
    "k, count(*) AS n FROM {0} GROUP BY k HAVING count(*) > (SELECT min(b) FROM d)",
    "k, count(nullif(k, k), 1 / v) AS n FROM {0} GROUP BY k",
    "k, max_by(100 / nullif(v, 0), v) AS n FROM {0} GROUP BY k",
    "k, sum(100 / v) FILTER (WHERE v <> 0) AS n FROM {0} GROUP BY k",
    "k, 100 / count(v) AS r FROM {0} GROUP BY k HAVING count(v) > 0",
]


@pytest.mark.full
@pytest.mark.parametrize("sql", LAZY)
def test_a_stream_evaluates_what_spark_does(spark: SparkSession, tmp_path: Path, sql: str) -> None:
    spark.sql("CREATE TABLE d AS SELECT 0 AS b")
    spark.sql("CREATE TABLE t (k BIGINT, v BIGINT, ts TIMESTAMP) USING parquet")
    query = "SELECT " + sql.format("STREAM t", late=f"STREAM t {LATE} AS t")
    package = "org.apache.spark.sql.execution.streaming.state"
    spark.conf.set("spark.eddyline.emit.partialAggregation", "NEVER")

    def stream(name: str, text: str, provider: str) -> Stream:
        spark.conf.set(
            "spark.sql.streaming.stateStore.providerClass",
            f"{package}.{provider}StateStoreProvider",
        )
        made = Stream(lambda: spark.sql(text), tmp_path / name)
        made.mode = "update"
        made.run()
        return made

    for rows in (
        "1, 1, 60), (2, 2, 600",
        "1, 3, 1), (2, NULL, 1200",
        "3, 0, 1300), (4, NULL, 1400",
    ):
        values = f"VALUES ({rows}) AS x(k, v, s)"
        spark.sql(f"INSERT INTO t SELECT k, v, timestamp_seconds(s) FROM {values}")
        oracle = stream("plain", query, "HDFSBacked")
        on_update = stream("update", f"{query} EMIT ON UPDATE", "RocksDB")
        assert on_update.batches == oracle.batches, rows
