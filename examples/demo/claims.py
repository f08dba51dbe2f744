"""The demo's claims: flights written by month, grouped without a shuffle, and a claim that lies."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from eddyline.report import why

from .plans import count_exchanges, explained
from .report import Part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CLAIM = "ASSUME PARTITIONED BY (month)"
_LIE = "ASSUME PARTITIONED BY (carrier)"
_CARRIERS = "SELECT carrier, count(*) AS flights FROM flights_by_month {} GROUP BY carrier"


def claims_by_month(spark: SparkSession, scratch: Path) -> Part:
    """Writes flights in a folder a month, so that a GROUP BY of months shuffles nothing (KIP-759).

    Args:
        spark: a session that has the temporary view `flights`.
        scratch: an empty folder.
    """
    spark.table("flights").write.partitionBy("month").parquet(str(scratch))
    spark.read.parquet(str(scratch)).createOrReplaceTempView("flights_by_month")
    sql = files(__package__).joinpath("claims.sql").read_text("utf-8")
    plain = sql.replace(_CLAIM, "")
    exchanges = count_exchanges(spark, plain), count_exchanges(spark, sql)
    claimed, expected = spark.sql(sql), spark.sql(plain)
    (claim,) = why(claimed).claims

    lie = spark.sql(_CARRIERS.format(_LIE))
    caught = sorted(lie.collect()) == sorted(spark.sql(_CARRIERS.format("")).collect())
    (found,) = why(lie).claims
    condition = None
    try:
        spark.sql(_CARRIERS.format(f"{_LIE} ENFORCED ON VIOLATION FAIL")).collect()
    except AnalysisException as error:
        condition = error.getCondition()
    return Part(
        "Flights written by month and claimed to be so: no shuffle; a false claim is caught",
        sql,
        claimed.columns,
        [list(row) for row in claimed.orderBy("month", "origin", "dest").limit(5).collect()],
        claimed.count(),
        {
            "equal to the query without the claim": (
                claimed.exceptAll(expected).isEmpty() and expected.exceptAll(claimed).isEmpty()
            ),
            "the claim saves the Exchange": exchanges == (1, 0),
            "a false claim, by carrier, is found, and the rows are right all the same": caught,
            "with ON VIOLATION FAIL it is an error": condition == "EDDYLINE_ASSUME.VIOLATED",
        },
        {
            "exchanges without the claim": exchanges[0],
            "exchanges with the claim": exchanges[1],
            "what became of it": str(claim),
            "what the check said of the false claim": found.verdict,
        },
        {
            "the plan without the claim": explained(spark, plain),
            "the plan with the claim": explained(spark, sql),
        },
    )
