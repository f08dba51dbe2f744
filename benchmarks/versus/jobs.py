"""The jobs of the comparison, in the SQL of each engine.

The events are on topics with a key and a text. `cart`, `purchases` and `wishes` have values
`item,amount,store,promotion`, `levels` has a number. The four dimensions have a row for a key.
"""

from __future__ import annotations

from dataclasses import dataclass

CARTS = ("cart", "purchases", "wishes")
# what a purchase is joined with, and by which of its columns
DIMENSIONS = {
    "customers": "key",
    "items": "item",
    "stores": "store",
    "promotions": "promotion",
}
PARTS = ("item", "amount", "store", "promotion")


@dataclass(frozen=True)
class Job:
    """What is done with the events.

    Attributes:
        name: its name, here and in the program on Kafka Streams.
        topics: the topics of its events.
        looks_up: whether it reads the dimensions.
        spark: the query of stock Spark over the view `events` of these topics.
        mode: the output mode of that query.
        eddyline: the query over tables of the names of the topics; `{claim}` stands for ASSUME.
        flink: the query over tables of the names of the topics, with the columns k and v.
    """

    name: str
    topics: tuple[str, ...]
    looks_up: bool
    spark: str
    mode: str
    eddyline: str
    flink: str


def _part(value: str, name: str) -> str:
    """Returns the expression of Spark for a part of a value."""
    return f"split_part(string({value}), ',', {PARTS.index(name) + 1})"


def _flink_part(value: str, name: str) -> str:
    return f"SPLIT_INDEX({value}, ',', {PARTS.index(name)})"


def _cogroup_of_spark() -> str:
    found = ", ".join(
        f"count(*) {of}, coalesce(sum(amount) {of}, 0), coalesce(max_by(item, offset) {of}, -1)"
        for topic in CARTS
        for of in [f"FILTER (WHERE topic = '{topic}')"]
    )
    return (
        f"SELECT key, concat_ws(',', {found}) AS value FROM (SELECT string(key) AS key, topic, "
        f"offset, bigint({_part('value', 'item')}) AS item, "
        f"bigint({_part('value', 'amount')}) AS amount FROM events) GROUP BY key"
    )


def _cogroup_of_eddyline() -> str:
    branches = ", ".join(
        f"STREAM {topic}{{claim}} BY string({topic}.key){' AS key' if topic == CARTS[0] else ''}"
        for topic in CARTS
    )
    found = ", ".join(
        f"count({topic}.*), coalesce(sum(bigint({_part(f'{topic}.value', 'amount')})), 0), "
        f"coalesce(max_by(bigint({_part(f'{topic}.value', 'item')}), {topic}.offset), -1)"
        for topic in CARTS
    )
    return f"COGROUP {branches} AGGREGATE concat_ws(',', {found}) AS value EMIT ON UPDATE"


def _cogroup_of_flink() -> str:
    rows = " UNION ALL ".join(
        f"SELECT k, '{topic}' AS topic, CAST({_flink_part('v', 'item')} AS BIGINT) AS item, "
        f"CAST({_flink_part('v', 'amount')} AS BIGINT) AS amount FROM {topic}"
        for topic in CARTS
    )
    found = ", ".join(
        f"CAST({value} AS STRING)"
        for topic in CARTS
        for of in [f"FILTER (WHERE topic = '{topic}')"]
        for value in (
            f"COUNT(*) {of}",
            f"COALESCE(SUM(amount) {of}, 0)",
            f"COALESCE(LAST_VALUE(item) {of}, -1)",
        )
    )
    return f"SELECT k, CONCAT_WS(',', {found}) AS v FROM ({rows}) GROUP BY k"


def _star_of_spark(source: str) -> str:
    """Returns the query over events and dimensions `(id, info)`, here and for eddyline."""
    parts = ", ".join(f"{_part('value', name)} AS {name}" for name in PARTS if name != "amount")
    found = ", ".join(f"coalesce({name}.info, '-')" for name in DIMENSIONS)
    joins = " ".join(
        f"LEFT JOIN {name} ON {name}.id = e.{column}" for name, column in DIMENSIONS.items()
    )
    return (
        f"SELECT e.key, concat_ws('|', e.text, {found}) AS value FROM (SELECT string(key) AS key, "
        f"string(value) AS text, {parts} FROM {source}) AS e {joins}"
    )


def _star_of_flink() -> str:
    parts = ", ".join(f"{_flink_part('v', name)} AS {name}" for name in PARTS if name != "amount")
    found = ", ".join(f"COALESCE({name}.info, '-')" for name in DIMENSIONS)
    joins = " ".join(
        f"LEFT JOIN {name} FOR SYSTEM_TIME AS OF e.sent ON {name}.id = e.{column}"
        for name, column in {**DIMENSIONS, "customers": "k"}.items()
    )
    return (
        f"SELECT e.k, CONCAT_WS('|', e.v, {found}) AS v FROM (SELECT k, v, sent, {parts} "
        f"FROM purchases) AS e {joins}"
    )


JOBS = [
    Job(
        "cogroup",
        CARTS,
        looks_up=False,
        spark=_cogroup_of_spark(),
        mode="update",
        eddyline=_cogroup_of_eddyline(),
        flink=_cogroup_of_flink(),
    ),
    Job(
        "star",
        ("purchases",),
        looks_up=True,
        spark=_star_of_spark("events"),
        mode="append",
        eddyline=_star_of_spark("STREAM purchases"),
        flink=_star_of_flink(),
    ),
    Job(
        "change",
        ("levels",),
        looks_up=False,
        spark="SELECT string(key) AS key, string(max(bigint(string(value)))) AS value "
        "FROM events GROUP BY string(key)",
        mode="update",
        eddyline="SELECT string(key) AS key, string(max(bigint(string(value)))) AS value "
        "FROM STREAM levels{claim} GROUP BY string(key) EMIT ON CHANGE",
        flink="SELECT k, CAST(MAX(CAST(v AS BIGINT)) AS STRING) AS v FROM levels GROUP BY k",
    ),
]
