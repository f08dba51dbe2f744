"""Statements about global tables that are refused, without Spark; `^` marks the place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import ClauseError, lower_sql
from eddyline.lowering import read
from eddyline.lowering.scanner import mask
from properties.examples import repeated

QUERY = "AS SELECT 1"
REFUSED = {
    # the statement, with ^ before the word; what the message says
    "CREATE GLOBAL TABLE^": "the name of a global table",
    "CREATE GLOBAL TABLE g^": "Expected AS",
    "CREATE GLOBAL TABLE g ^SELECT 1": "Expected AS",
    "CREATE GLOBAL TABLE g AS^": "Expected a query",
    "CREATE GLOBAL TABLE g (a INT^": "not closed",
    "CREATE OR REPLACE GLOBAL TABLE ^IF NOT EXISTS g AS SELECT 1": "not both",
    "CREATE ^OR REPLACE GLOBAL TABLE g USING csv": "Leave OR REPLACE out",
    "CREATE GLOBAL TABLE g USING csv ^AS SELECT 1": "Leave one of them out",
    "CREATE GLOBAL TABLE g USING csv REFRESH MANUAL ^SELECT 1": "Leave one of them out",
    "CREATE GLOBAL TABLE g (a) ^AS SELECT 1": "Leave the columns out",
    "CREATE GLOBAL TABLE g REFRESH MANUAL ^USING csv": "before the clauses of",
    "CREATE GLOBAL TABLE g USING csv REFRESH MANUAL ^LOCATION 'x'": "before the clauses of",
    "CREATE GLOBAL TABLE g USING csv PRIMARY KEY (k) ^PRIMARY KEY (k)": "PRIMARY KEY once",
    "ALTER GLOBAL TABLE g SET MAX ROWS 1 ^PRIMARY KEY (k)": "by CREATE alone",
    f"CREATE GLOBAL TABLE g PRIMARY KEY ^k {QUERY}": "PRIMARY KEY \\(column",
    f"CREATE GLOBAL TABLE g ON DUPLICATE KEY ^IGNORE {QUERY}": "FAIL or LATEST BY",
    f"CREATE GLOBAL TABLE g ON DUPLICATE ^FAIL {QUERY}": "Write ON DUPLICATE KEY",
    f"CREATE GLOBAL TABLE g ON DUPLICATE KEY LATEST BY ^{QUERY}": "an expression",
    f"CREATE GLOBAL TABLE g ON DUPLICATE KEY LATEST BY a^, b {QUERY}": "Expected AS",
    f"CREATE GLOBAL TABLE g REFRESH ^NEVER {QUERY}": "MANUAL or EVERY",
    f"CREATE GLOBAL TABLE g REFRESH EVERY 10 ^{QUERY}": "a unit of time",
    f"CREATE GLOBAL TABLE g REFRESH MANUAL ^REFRESH EVERY 1 DAY {QUERY}": "REFRESH once",
    "CREATE GLOBAL TABLE g USING csv COMMENT 'a' MAX ROWS 1 ^COMMENT 'b'": "COMMENT once",
    "CREATE GLOBAL TABLE g USING csv OPTIONS (a 1) ^OPTIONS (b 2)": "OPTIONS once",
    f"CREATE GLOBAL TABLE g MAX ^AGE 1 {QUERY}": "STALENESS, ROWS or BYTES",
    f"CREATE GLOBAL TABLE g MAX STALENESS ^{QUERY}": "an interval",
    f"CREATE GLOBAL TABLE g MAX STALENESS 1 DAY ON STALE ^{QUERY}": "FAIL or WAIT",
    f"CREATE GLOBAL TABLE g ON ^STALE FAIL {QUERY}": "directly after MAX STALENESS",
    f"CREATE GLOBAL TABLE g MAX ROWS ^0 {QUERY}": "a positive whole number",
    f"CREATE GLOBAL TABLE g MAX ROWS ^1.5 {QUERY}": "a positive whole number",
    f"CREATE GLOBAL TABLE g MAX BYTES ^{QUERY}": "a size",
    f"CREATE GLOBAL TABLE g COMMENT ^x {QUERY}": "a string",
    f"CREATE GLOBAL TABLE g TBLPROPERTIES (a^) {QUERY}": "TBLPROPERTIES \\('key'",
    "ALTER GLOBAL TABLE g^": "Expected SET",
    "ALTER GLOBAL TABLE g SET^": "a clause",
    "ALTER GLOBAL TABLE g SET ^LOCATION 'x'": "a clause",
    "ALTER GLOBAL TABLE g SET ON STALE FAIL MAX STALENESS 1 DAY ^ON STALE FAIL": "ON STALE once",
    "ALTER GLOBAL TABLE g SET MAX ROWS 5^, MAX BYTES 5": "the end of the statement",
    "DROP GLOBAL TABLE IF ^g": "Expected EXISTS",
    "DROP GLOBAL TABLE g^, h": "the end of the statement",
    "SHOW GLOBAL TABLES ^LIKE 'x'": "the end of the statement",
    "SHOW GLOBAL TABLES IN^": "a namespace",
}


@pytest.mark.parametrize("marked", REFUSED)
def test_refused(marked: str) -> None:
    with pytest.raises(ClauseError, match=REFUSED[marked]) as caught:
        lower_sql(marked.replace("^", ""))
    assert caught.value.condition == "EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR"
    assert caught.value.sqlstate == "42601"
    assert caught.value.start == marked.index("^")


@pytest.mark.parametrize("size", ["5 QB", "1.5", "0", "'2 g b'", "9e3 MB", "8388608 TB"])
def test_no_number_of_bytes(size: str) -> None:
    with pytest.raises(ClauseError) as caught:
        lower_sql(f"CREATE GLOBAL TABLE g MAX BYTES {size} {QUERY}")
    assert caught.value.condition == "EDDYLINE_GLOBAL_TABLE.INVALID_SIZE"
    assert caught.value.sqlstate == "22023"
    assert caught.value.parameters == {"size": size}


@pytest.mark.parametrize(
    "size", ["512MB", "512 mib", "'512 m'", "0.5 GB", "536870912", "536870912L"]
)
def test_bytes(size: str) -> None:
    lowered = lower_sql(f"ALTER GLOBAL TABLE g SET MAX BYTES {size}")
    assert lowered.endswith("max_bytes => 536870912L)")


def test_the_cli_splits_behind_the_statement() -> None:
    text = "CREATE GLOBAL TABLE g AS (SELECT 1);\nSELECT 2; CREATE GLOBAL TABLE; SELECT 3"
    assert mask(text).split() == "TABLE c ; SELECT 2; TABLE c ; SELECT 3".split()
    assert len(mask(text)) == len(text)


def test_newlines_stay_where_they_were() -> None:
    for form in (
        "PRIMARY KEY (k) MAX STALENESS 1 HOUR ON STALE WAIT 1 DAY AS SELECT 1",
        "(k INT) USING csv OPTIONS ( a 1 ) MAX BYTES 5 MB TBLPROPERTIES ( b 2 )",
    ):
        typed = f"CREATE GLOBAL TABLE g {form}".replace(" ", "\n")
        assert lower_sql(typed).count("\n") == typed.count("\n")


HEADS = st.sampled_from(
    [f"{head} GLOBAL TABLE g " for head in ("CREATE", "CREATE OR REPLACE", "DROP", "ALTER")]
    + ["SHOW GLOBAL TABLES ", "CREATE GLOBAL TABLE g USING ", "ALTER GLOBAL TABLE g SET "]
)
WORDS = st.sampled_from(
    "PRIMARY KEY ON DUPLICATE FAIL LATEST BY REFRESH MANUAL EVERY MAX STALENESS STALE WAIT ROWS "
    "BYTES COMMENT TBLPROPERTIES OPTIONS LOCATION STORED AS SELECT SET IF NOT EXISTS IN 1 5L MB "
    "SECONDS 'x' a . , ( ) (a) (a,b) [ ] = ; + IDENTIFIER( EMIT CHANGE /*c*/ \n 🌊 :p".split(" ")
)


@repeated(100)
@given(HEADS, st.lists(WORDS, max_size=20).map(" ".join))
def test_any_text_is_lowered_or_refused_inside_its_bounds(head: str, rest: str) -> None:
    text = head + rest
    assert len(mask(text)) == len(text)
    bounds = [0, len(text)]
    try:
        read(text)
    except ClauseError as error:
        bounds = [0, error.start, error.stop, len(text)]
    assert bounds == sorted(bounds)
