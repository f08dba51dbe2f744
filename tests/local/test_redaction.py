"""What counts as a secret in SQL, in other texts and in the names of options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from parsers import CORPUS, ROOT, jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GONE = "*********(redacted)"
WEB = "https:" + "//"
PEM = "-----BEGIN RSA PRIVATE KEY-----"
# without a signature, as a test makes it
JWT = "eyJhbGciOiJIUzI1NiJ9.e30"

# SQL in which « and » stand around each secret
SECRETS = [
    "WITH ('password' = '«hush»')",
    "OPTIONS (api_key '«hush»', n 5)",
    "OPTIONS (n 5, es.net.http.auth.pass '«hush»', keyPass = '«it\\'s hush»')",
    "OPTIONS (`my.bearer` '«hush»', 'x-functions-key' '«hush»', redis.auth '«hush»')",
    "TBLPROPERTIES (passcode = '«it''s hush»', github.pat = '«hush»')",
    'f(apiKey => "«hush»")',
    "f(1, `token` => r'«hush»', v => 'x')",
    "map('a', f(b, 'c'), 'client.secret', '«hush»')",
    "'😀', WITH (password '«hush»' '«hush»')",
    "'jdbc:x://«u:hush»@h/d', parquet.`s3a://«ID:hush»@bucket/x`",
    f"'{WEB}«hush»@host', 'jdbc:oracle:thin:«me/hush»@h:1521'",
    f"'{PEM}«\nhush\n»-----END'",
    "'jdbc:x://h/d?user=u&password=«hush»'",
    "f('x', \"Authorization: Bearer «hush»\")",
    "OPTIONS (query 'SELECT 1 WHERE password = \\'«hush»\\' AND 1 = 1')",
    "OPTIONS (query 'SELECT 1 WHERE api_key = ''«hush»''')",
    '\'{"a": 1, "token": "«hush»"}\'',
    '\'x required username="u" password="«hush»";\'',
    "'X-Vault-Token: «hush1»'",
    "LIKE '%password=«hush%»'",
    "SELECT 1 -- password=«hush»\n, 2",
    "SELECT /* a /* token: «hush1» */ b */ 1",
    "-- don't\nWHERE x = 'pwd=«hush»'",
    "SELECT 1 /* password=«hush»*/, 2",
    "SELECT 1 -- password = '«hush is it»\n, 2",
    "'password=«abc\\'hush»', 1",
    "'password=«пароль»'",
]
# tokens that need no name
TOKENS = [
    f"Bearer «{JWT}»",
    "bearer «abcdefgh1»",
    f"«{JWT}»",
    f"«ghp_{'a1' * 18}»",
    f"«xoxb-{'1' * 12}»",
    f"«AKIA{'A1' * 8}»",
]
NO_SECRETS = [
    "WHERE event = 'password_reset'",
    "WHERE event IN ('login', 'token', 'logout')",
    "CASE event WHEN 'token' THEN 'login' WHEN 'secret' THEN 'x' END",
    "SELECT k, 'access_token' AS kind, v, 'x' AS y",
    "get_json_object(v, '$.token'), map('token', v)['token'], named_struct('token', 'x')",
    "WHERE v = 'token' OR v = 'x'",
    "WHERE token_type = 'refresh' AND signature_status = 'done' AND t.password <> 'none'",
    "COMMENT 'resets the password'",
    "COMMENT 'Counts per access token, and the signature: computed upstream'",
    "WHERE token=x AND a - b / c > 1 -- of the session",
    "WHERE `it's` = `password=x` + '1'",
    "SELECT 1 -- token: id of the session",
    "/* signature: computed upstream */ SELECT 1",
    "'password=${env:P}', 'a STRUCT<token: STRING>', OPTIONS (password '${env:P}')",
    "SELECT a.token, password p FROM a, b WHERE a.token = b.token",
    "WHERE password = :password AND token_id = 5 AND tokens > 'x'",
    "'abfss://box@account.dfs.core.windows.net/x', 'a:9092,b:9092', 'a@b.org'",
    "LIKE '%password=%'",
    "LIKE 'token=_%'",
    "RLIKE 'pwd=\\\\S+'",
    "RLIKE r'secret=[^&]*'",
    "regexp_replace(u, 'token=[a-zA-Z0-9]+', 'token=***')",
    'regexp_replace(u, \'"password":"[^"]*"\', \'"password":"***"\')',
    "'Bearer bond', 'bearer of 12 shares', 'a bearer', 'Bearer ${env:TOKEN}'",
]
# messages, paths and plans
TEXTS = [
    "cannot log in: user=a&password=«hush»&x=1",
    "sig=«hush»;AccountKey=«hush==»;x",
    '{"apiKey": "«hush»", "a": 1}',
    "Authorization: Bearer «hush.hush»",
    f"{WEB}h/x?access_token=«hush#a»",
    f"{{X-Vault-Token=[«s.hush1]»}}, {{Authorization=[Bearer «{JWT}]»}}",
    "password = '«hush»', and what was cut off: token = '«hush»",
]
# names of options: the value is a secret, whatever it is
SECRET_NAMES = (
    "password ssl.truststore.passwd PWD passphrase passcode secret client_secret token dapi.token "
    "fs.s3a.access.key accessKeyId apikey api_key api-key x.apiKey credentials private_key "
    "pem.private-key kafka.sasl.jaas.config fs.azure.account.key.acc SharedKey connectionString "
    "Authorization signature encryption.key pass keyPass key.pass redis.auth bearer github.pat"
).split()
PLAIN_NAMES = (
    "path keyspace maxFilesPerTrigger designated tok passenger authors user monkey compass patch "
    "auth.type signature_status authentication"
).split()
# Before Spark's lexer could read such a text as SQL, it would need more than linear time itself.
LONG = ["'x'", "x", "x.", "a:", "://", "-/", "bearer ", "password=%", "password=[", "passPass"]


def redaction(spark: SparkSession) -> Any:
    return jvm(spark).io.eddyline.spark.base.Redaction


def conf(spark: SparkSession) -> Any:
    return spark._jsparkSession.sessionState().conf()


def in_statement(spark: SparkSession, typed: str) -> str:
    shown: str = redaction(spark).statement(conf(spark), typed)
    assert redaction(spark).statement(conf(spark), shown) == shown
    return shown


def in_text(spark: SparkSession, typed: str) -> str:
    no_secrets = getattr(redaction(spark), "text$default$3")()
    shown: str = redaction(spark).text(conf(spark), typed, no_secrets)
    assert redaction(spark).text(conf(spark), shown, no_secrets) == shown
    return shown


def marked(text: str) -> tuple[str, str]:
    """Returns a text without the marks around its secrets, and without its secrets."""
    return re.sub("[«»]", "", text), re.sub("«.*?»", GONE, text, flags=re.DOTALL)


@pytest.mark.parametrize("text", [*SECRETS, *(f"SELECT '{token}'" for token in TOKENS)])
def test_a_statement_with_a_secret(spark: SparkSession, text: str) -> None:
    typed, shown = marked(text)
    assert in_statement(spark, typed) == shown


@pytest.mark.parametrize("typed", NO_SECRETS)
def test_a_statement_without_a_secret(spark: SparkSession, typed: str) -> None:
    assert in_statement(spark, typed) == typed


@pytest.mark.parametrize("text", [*TEXTS, *TOKENS])
def test_a_text_with_a_secret(spark: SparkSession, text: str) -> None:
    typed, shown = marked(text)
    assert in_text(spark, typed) == shown


def test_names(spark: SparkSession) -> None:
    def options(names: list[str]) -> dict[str, str]:
        given = jvm(spark).PythonUtils.toScalaMap(dict.fromkeys(names, "open"))
        shown = redaction(spark).options(conf(spark), given)
        return {name: shown.apply(name) for name in names}

    assert options(SECRET_NAMES) == dict.fromkeys(SECRET_NAMES, GONE)
    assert options(PLAIN_NAMES) == dict.fromkeys(PLAIN_NAMES, "open")


@pytest.mark.parametrize("part", LONG)
def test_long_texts_take_linear_time(spark: SparkSession, part: str) -> None:
    text = part * (300_000 // len(part))
    assert in_statement(spark, text) == text
    assert in_text(spark, f"'{text}'")


def written() -> list[str]:
    """Returns the SQL of the corpora, the golden files, the docs and the examples."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    blocks = [
        block
        for page in pages
        for block in re.findall(r"```sql\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]
    golden = [
        part
        for path in (ROOT / "tests/golden").rglob("*.sql")
        for part in re.split(r"^-- .*\n", path.read_text("utf-8"), flags=re.MULTILINE)
    ]
    files = [*(ROOT / "sql/examples").iterdir(), *CORPUS.iterdir()]
    return [*blocks, *golden, *(path.read_text("utf-8") for path in files)]


def test_written_sql(spark: SparkSession) -> None:
    """SQL without a secret is shown as typed, and one with a secret but for that secret."""
    texts = [text for text in written() if not re.search("hunter2|abcdef", text)]
    assert len(texts) > 1000
    changed = [text for text in texts if in_statement(spark, text) != text]
    assert not changed, changed[0]
    secret = "s3cret"
    pairs = r"\b(?:OPTIONS|TBLPROPERTIES|WITH|map) ?\("
    literal = rf"\A(?s:(?!.*{pairs}))[^'\"`]*'(?=[^'\\]*')"
    plants = [
        (rf"{pairs}(?<!map\()(?=['\w]+ ?[= ])", f"'password' '{secret}', "),
        (literal, f"jdbc:x://h?user=u&password={secret}& "),
        (literal, f"SELECT 1 WHERE password = \\'{secret}\\'; "),
        (r"\A", f"/* password={secret} */ "),
    ]
    for place, plant in plants:
        found = [(match.end(), text) for text in texts if (match := re.search(place, text))]
        assert len(found) > 20, place
        for at, text in found:
            planted = text[:at] + plant + text[at:]
            assert in_statement(spark, planted) == planted.replace(secret, GONE)
