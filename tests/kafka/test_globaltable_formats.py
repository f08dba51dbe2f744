"""Global tables over topics of Avro, which fastavro has written."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from pyspark.errors import AnalysisException

from kafka.globaltables import create, refresh, rows
from kafka.topics import Topic
from streaming.globaltable_harness import described

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEY: dict[str, Any] = {
    "type": "record",
    "name": "Key",
    "fields": [{"name": "id", "type": "long"}],
}
VALUE: dict[str, Any] = {
    "type": "record",
    "name": "Person",
    "namespace": "shop",
    "fields": [
        {"name": "name", "type": ["null", "string"]},
        {"name": "unread", "type": "double"},
        {"name": "born", "type": {"type": "int", "logicalType": "date"}},
        {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {
            "name": "paid",
            "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
        },
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["NEW", "OLD"]}},
    ],
}
COLUMNS = (
    "id BIGINT, NAME STRING, born DATE, seen TIMESTAMP, paid DECIMAL(9, 2), tags ARRAY<STRING>, "
    "kind STRING, PRIMARY KEY (id)"
)
ADA = {
    "name": "ada",
    "unread": 0.5,
    "born": date(1815, 12, 10),
    "seen": datetime(2026, 1, 2, 3, 4, 5, 678901, UTC),
    "paid": Decimal("-12.34"),
    "tags": ["a", "b"],
    "kind": "NEW",
}


def encoded(schema: dict[str, Any] | str, datum: Any) -> bytes:
    output = io.BytesIO()
    fastavro.schemaless_writer(output, fastavro.parse_schema(schema), datum)
    return output.getvalue()


def write(topic: Topic, records: Iterable[tuple[bytes, bytes | None]]) -> None:
    rows = [(bytearray(key), None if value is None else bytearray(value)) for key, value in records]
    frame = topic.spark.createDataFrame(rows, "key BINARY, value BINARY").coalesce(1)
    options = {"kafka.bootstrap.servers": topic.broker.address, "topic": topic.name}
    frame.write.format("kafka").options(**options).save()


def create_avro(
    topic: Topic, key: Any = KEY, value: Any = VALUE, columns: str = COLUMNS, **options: str
) -> str:
    return create(
        topic,
        columns=columns,
        key_format="avro",
        value_format="avro",
        key_avroSchema=json.dumps(key),
        value_avroSchema=json.dumps(value),
        **options,
    )


def of_id(number: int) -> bytes:
    return encoded(KEY, {"id": number})


def test_records(spark: SparkSession, topic: Topic) -> None:
    """The columns are found by name in any case; fields without a column are left out."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    nameless = {**ADA, "name": None, "tags": []}
    write(topic, [(of_id(n), encoded(VALUE, ADA)) for n in (1, 2, 3)])
    write(topic, [(of_id(2), encoded(VALUE, nameless)), (of_id(3), None)])
    table = create_avro(topic)
    read = spark.sql(
        f"SELECT id, name, born, unix_micros(seen), paid, tags, kind FROM {table} ORDER BY id"
    )
    micros = int(ADA["seen"].timestamp()) * 1_000_000 + 678901
    rest = (ADA["born"], micros, ADA["paid"])
    assert list(map(tuple, read.collect())) == [
        (1, "ada", *rest, ["a", "b"], "NEW"),
        (2, None, *rest, [], "NEW"),
    ]


def test_a_type_that_widens(spark: SparkSession, topic: Topic) -> None:
    """A schema that is no record gives the only column."""
    write(topic, [(encoded("int", n), encoded("string", f"v{n}")) for n in (1, 2)])
    table = create_avro(topic, "int", "string", "id BIGINT, v STRING, PRIMARY KEY (id)")
    assert rows(spark, table) == {1: "v1", 2: "v2"}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("PERMISSIVE", {1: None, 2: None, 3: None, 4: "x"}), ("DROPMALFORMED", {1: "a", 4: "x"})],
)
def test_malformed(
    spark: SparkSession, topic: Topic, mode: str, expected: dict[int, str | None]
) -> None:
    """Bytes that are too few or too many are no datum; among them are those with a header."""
    value = {"type": "record", "name": "V", "fields": [{"name": "name", "type": "string"}]}
    whole = encoded(value, {"name": "a"})
    write(
        topic,
        [
            (of_id(1), whole),
            (of_id(1), whole[:1]),
            (of_id(2), b"\0\0\0\0\1" + whole),
            (of_id(3), whole + b"\0"),
            (b"\x80", whole),
        ],
    )
    table = create_avro(
        topic, value=value, columns="id BIGINT, name STRING, PRIMARY KEY (id)", mode=mode
    )
    write(topic, [(of_id(4), encoded(value, {"name": "x"}))])
    assert refresh(spark, table) == expected
    assert described(spark, table)["malformed_records"] == "4"


def test_malformed_fails(spark: SparkSession, topic: Topic) -> None:
    write(topic, [(of_id(1), encoded(VALUE, ADA)), (of_id(1), b"\2")])
    with pytest.raises(AnalysisException) as caught:
        create_avro(topic, mode="FAILFAST")
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.MALFORMED_RECORD"


def test_a_schema_that_does_not_fit(spark: SparkSession, topic: Topic) -> None:
    with pytest.raises(AnalysisException) as caught:
        create_avro(topic, columns="id BIGINT, born STRING, PRIMARY KEY (id)")
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.TOPIC_SCHEMA"
    assert "born" in str(caught.value)
    assert "value.avroSchema" in str(caught.value)
