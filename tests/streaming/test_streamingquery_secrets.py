"""Texts shown about streaming queries and global tables contain no secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from waiting import eventually

from .streamingquery_harness import NOW, arrive, one, status

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

GONE = "*********(redacted)"
SECRET_NAMES = (
    "password ssl.truststore.passwd PWD passphrase secret client_secret token dapi.token "
    "fs.s3a.access.key accessKeyId apikey api_key api-key x.apiKey credentials private_key "
    "pem.private-key kafka.sasl.jaas.config fs.azure.account.key.acc SharedKey connectionString "
    "Authorization url signature encryption.key"
).split()
PLAIN_NAMES = "path keyspace maxFilesPerTrigger designated tok pass authors user monkey".split()
WEB = "https:" + "//"
PEM = "-----BEGIN RSA PRIVATE KEY-----"

# the text as typed, and as shown where it is SQL
STATEMENTS = [
    ("WITH ('password' = 'hush')", f"WITH ('password' = '{GONE}')"),
    ("WITH (api_key 'hush', n 5)", f"WITH (api_key '{GONE}', n 5)"),
    ('f(apiKey => "hush")', f'f(apiKey => "{GONE}")'),
    ("map('client.secret', 'it\\'s hush', 'a', 'b')", f"map('client.secret', '{GONE}', 'a', 'b')"),
    ("WHERE t.`token`='it''s hush'", f"WHERE t.`token`='{GONE}'"),
    ("'jdbc:x://u:hush@h/d'", f"'jdbc:x://{GONE}@h/d'"),
    ("'s3a://ID:hush@bucket/x'", f"'s3a://{GONE}@bucket/x'"),
    (f"'{WEB}hush@host'", f"'{WEB}{GONE}@host'"),
    ("'jdbc:oracle:thin:me/hush@h:1521'", f"'jdbc:oracle:thin:{GONE}@h:1521'"),
    (f"{PEM}\nhush\n-----END", f"{PEM}{GONE}-----END"),
    ("'jdbc:x://h/d?user=u&password=hush'", f"'jdbc:x://h/d?user=u&password={GONE}'"),
    ("f('x', \"Authorization: Bearer hush\")", f"f('x', \"Authorization: Bearer {GONE}\")"),
    ("'password=${env:P}', 'a STRUCT<token: STRING>'", None),
    ("SELECT a.token, password p FROM a, b WHERE a.token = b.token", None),
    ("WHERE password = :password AND token_id = 5 AND tokens > 'x'", None),
    ("'abfss://box@account.dfs.core.windows.net/x', 'a:9092,b:9092', 'a@b.org'", None),
    ("WHERE signal = 'x' AND designated = 'y' AND access = 'z'", None),
]
# the text as typed, and as shown in a message, a path or a plan
TEXTS = [
    ("cannot log in: user=a&password=hush&x=1", f"cannot log in: user=a&password={GONE}&x=1"),
    ("sig=hush;AccountKey=hush==;x", f"sig={GONE};AccountKey={GONE};x"),
    ('{"apiKey": "hush", "a": 1}', f'{{"apiKey": "{GONE}", "a": 1}}'),
    ("Authorization: Bearer hush.hush", f"Authorization: Bearer {GONE}"),
    (f"{WEB}h/x?access_token=hush#a", f"{WEB}h/x?access_token={GONE}"),
    ("Filter (token#1 = token#2)", None),
]


def redaction(spark: SparkSession) -> Any:
    assert spark._jvm is not None
    return spark._jvm.io.eddyline.spark.base.Redaction


def conf(spark: SparkSession) -> Any:
    return spark._jsparkSession.sessionState().conf()


@pytest.mark.parametrize(("typed", "shown"), STATEMENTS)
def test_statements(spark: SparkSession, typed: str, shown: str | None) -> None:
    once = redaction(spark).statement(conf(spark), typed)
    assert once == (shown or typed)
    assert redaction(spark).statement(conf(spark), once) == once


@pytest.mark.parametrize(("typed", "shown"), [*STATEMENTS[:12], *TEXTS])
def test_texts(spark: SparkSession, typed: str, shown: str | None) -> None:
    no_secrets = getattr(redaction(spark), "text$default$3")()
    once = redaction(spark).text(conf(spark), typed, no_secrets)
    assert once == (shown or typed)
    assert redaction(spark).text(conf(spark), once, no_secrets) == once


def test_long_texts(spark: SparkSession) -> None:
    """Long texts take linear time: a second pass over each word would take minutes."""
    for text in ("x" * 1_000_000, "x." * 500_000, "a:" * 500_000, "://" * 300_000, "'x'" * 300_000):
        assert redaction(spark).statement(conf(spark), text) == text


@pytest.mark.usefixtures("events_and_copy")
def test_options(spark: SparkSession) -> None:
    secret = ", ".join(f"'{name}' 'hush{i}'" for i, name in enumerate(SECRET_NAMES))
    plain = ", ".join(f"'{name}' 'open'" for name in PLAIN_NAMES)
    spark.sql(
        f"START STREAMING QUERY q TRIGGER EVERY 1 HOUR OPTIONS ({secret}, {plain}) "
        "AS INSERT INTO copy SELECT k, v FROM STREAM events"
    )
    described = {
        row.info_name: row.info_value for row in spark.sql("DESCRIBE STREAMING QUERY q").collect()
    }
    options = dict(pair.split("=") for pair in described["options"].split(", "))
    assert options == {
        **dict.fromkeys(SECRET_NAMES, GONE),
        **dict.fromkeys(PLAIN_NAMES, "open"),
    }
    assert "hush" not in described["statement"]


@pytest.mark.usefixtures("events_and_copy")
def test_everything_of_a_streaming_query(spark: SparkSession, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.redaction.string.regex", "quiet\\w*")
    arrive(spark, 1)
    spark.sql("CREATE TABLE quiet6 (k INT, v INT) USING parquet")
    started = spark.sql(
        f"START STREAMING QUERY q {NOW} CHECKPOINT 'file://{tmp_path}/token=hush1' "
        "OPTIONS (apikey 'hush2', plain 'x') COMMENT 'password=hush3' "
        "AS INSERT INTO quiet6 SELECT k, if(string(k) = map('secret', 'hush4')['secret'], v, "
        "raise_error(concat('hu', 'sh2 and quiet5'))) FROM STREAM events"
    )
    eventually(lambda: status(spark) == "FAILED")
    awaiting = "AWAIT STREAMING QUERY q"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(awaiting)
    with pytest.raises(AnalysisException) as in_use:
        spark.sql(
            f"START STREAMING QUERY other CHECKPOINT 'file://{tmp_path}/token=hush1' "
            "AS INSERT INTO copy SELECT k, v FROM STREAM events"
        )
    described = str(spark.sql("DESCRIBE STREAMING QUERY q").collect())
    for text in [
        str(started.collect()),
        str(caught.value),
        str(in_use.value),
        described,
        str(spark.sql("SHOW STREAMING QUERIES").collect()),
        str(spark.sql("SHOW STREAMING QUERY PROGRESS q").collect()),
        one(spark, "SHOW CREATE STREAMING QUERY q").statement,
        one(spark, "EXPLAIN STREAMING QUERY q").plan,
        str(one(spark, "STOP STREAMING QUERY q")),
        str(started._jdf.queryExecution().toString()),
    ]:
        assert "hush" not in text
        assert "quiet" not in text
    assert "plain=x" in described


def test_a_global_table(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "rates"
    spark.range(2).write.csv(str(folder))
    spark.sql(
        f"CREATE GLOBAL TABLE rates (id INT) USING csv OPTIONS ('apikey' 'hush1') "
        f"LOCATION '{folder}'"
    )
    spark.sql("CREATE GLOBAL TABLE ids AS SELECT id, map('api-key', 'hush2') AS m FROM rates")
    for table in ("rates", "ids"):
        for statement in ("SHOW CREATE GLOBAL TABLE", "DESCRIBE GLOBAL TABLE"):
            assert "hush" not in str(spark.sql(f"{statement} {table}").collect())


@pytest.mark.usefixtures("events_and_copy", "servers")
@pytest.mark.parametrize(
    "option",
    [
        "'conf' 'password=hush'",
        "'url' 'jdbc:x:/h'",
        "'header' 'Authorization: Bearer hush'",
    ],
)
def test_a_definition_that_is_stored(spark: SparkSession, option: str) -> None:
    create = f"CREATE STREAMING QUERY q OPTIONS ({option}) AS INSERT INTO copy "
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"{create} SELECT k, v FROM STREAM events")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.SECRET_IN_CLEAR"
    assert "hush" not in str(caught.value)
