"""`eddyline lint`: the rules, each where it applies and where not, and their exact places."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.errors import TokenError

from eddyline.cli.commands import eddyline
from eddyline.errors import EddylineError
from eddyline.linting import RULES, lint_sql
from eddyline.lowering.tokenizer import tokenize
from goldenfiles import read_golden
from parsers import statements
from properties.examples import repeated

ROOT = Path(__file__).parents[2]
GOLDEN = sorted((ROOT / "tests/golden").rglob("*.sql"))
# what these say depends on confs of the session
WITH_CONFS = ("double_quoted", "near_misses", "variables")
CARETS = re.compile(r"^--( *)\^ (EL\d\d)$")

# Each line `--  ^ RULE` is below the place of a finding. A text without one has no finding.
TEXTS = [
    # EL00
    """
SELECT k FROM t EMIT ON CHANGES
--                      ^ EL00
""",
    """
SELECT 1;
COGROUP a BY k AGGREGATE count(a.*)
--             ^ EL00
""",
    "SELECT k FROM t EMIT ON {{ what }}",
    "SELECT k FROM t EMIT ON {% if x %} CHANGE {% else %} UPDATE {% endif %}",
    # EL01
    """
START STREAMING QUERY q AS INSERT INTO s SELECT k, max(v) FROM STREAM t GROUP BY k EMIT ON CHANGE
--                                                                                 ^ EL01
""",
    """
CREATE OR REPLACE STREAMING QUERY IF NOT EXISTS q AS INSERT INTO s SELECT k FROM t EMIT ON UPDATE
--                                ^ EL00
""",
    """
CREATE STREAMING QUERY IF NOT EXISTS q TRIGGER EVERY 1 SECOND AS INSERT INTO db.s (k, n)
(SELECT k, n FROM t EMIT EVERY 1 MINUTE ON CHANGE KEY (k))
--                  ^ EL01
""",
    """
VALIDATE STREAMING QUERY q AS INSERT INTO TABLE s COGROUP a BY k, b BY k AGGREGATE sum(a.v) AS v
  EMIT EVERY 1 MINUTE
--^ EL01
""",
    "START STREAMING QUERY q AS INSERT INTO s SELECT k FROM STREAM t EMIT EVERY 1 MINUTE",
    "START STREAMING QUERY q AS INSERT INTO s SELECT k FROM STREAM t",
    "START STREAMING QUERY q AS INSERT INTO s WITH BATCH ID b SELECT k FROM t EMIT ON CHANGE",
    "START STREAMING QUERY q AS INSERT INTO s SELECT k FROM t EMIT ON WINDOW CLOSE",
    "START STREAMING QUERY q AS UPSERT INTO s KEY (k) SELECT k FROM t EMIT ON CHANGE",
    "CREATE TABLE IF NOT EXISTS db.s (k INT) USING kafka;"
    "START STREAMING QUERY q AS INSERT INTO DB.S SELECT k FROM t EMIT ON CHANGE",
    "START STREAMING QUERY q; SELECT k, max(v) FROM STREAM t GROUP BY k EMIT ON CHANGE",
    # EL02
    """
SELECT k, count(*) FROM t ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k
--                                                  ^ EL02
""",
    """
SELECT * FROM t AS x ASSUME PARTITIONED BY (k) LAYOUT l INTO 4 PARTITIONS
  NOT ENFORCED JOIN u USING (k)
--^ EL02
""",
    "SELECT k FROM t ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k",
    "SELECT k FROM t ASSUME PARTITIONED BY (k) WHERE NOT enforced",
    "CREATE TABLE t (k INT, CONSTRAINT c CHECK (k > 0) NOT ENFORCED) USING parquet",
    # EL03
    """
CREATE OR REPLACE GLOBAL TABLE db.g REFRESH EVERY 10 SECONDS AS SELECT * FROM t
--                             ^ EL03
""",
    """
CREATE GLOBAL TABLE IF NOT EXISTS g (id INT) USING parquet MAX ROWS 100
--                                ^ EL03
""",
    "CREATE GLOBAL TABLE g (id INT, PRIMARY KEY (id)) USING parquet",
    "CREATE GLOBAL TABLE g USING jdbc OPTIONS (url 'x') PRIMARY KEY (id)",
    "CREATE GLOBAL TABLE g PRIMARY /* the */ KEY (id) AS SELECT * FROM t",
    "DROP GLOBAL TABLE g",
    # EL04
    """
COGROUP a BY CAST(x AS STRING), b BY int(y), c BY z AGGREGATE sum(a.v)
--                                   ^ EL04
""",
    """
COGROUP a BY (k, d::DATE AS day), b BY (k, CAST(ts AS TIMESTAMP)) AGGREGATE sum(a.v)
--                                         ^ EL04
""",
    """
COGROUP a BY (to_date(x), 'EU'), b BY ((year(y)), 1) AGGREGATE sum(a.v)
--                                     ^ EL04
--                                                ^ EL04
""",
    "COGROUP a BY round(x), b BY int(y), c BY coalesce(z, 'none') AGGREGATE sum(a.v)",
    "COGROUP a BY CAST(x AS INT), b BY CAST(y AS BIGINT) AGGREGATE sum(a.v)",
    "COGROUP a BY CAST(x AS STRING), b BY y AGGREGATE sum(a.v)",
    "COGROUP a BY upper(x), b BY CAST(y AS STRING) AGGREGATE sum(a.v)",
    "COGROUP a BY lower(, b BY ) , b BY CAST(y AS STRING) AGGREGATE sum(a.v)",
    # EL05
    """
COGROUP STREAM a WATERMARK t DELAY OF INTERVAL 1 DAY BY window(t, '1 day') AS w,
        STREAM b BY window(u, '1 day')
--      ^ EL05
AGGREGATE sum(a.v)
""",
    """
COGROUP STREAM a BY (k, session_window(t, '1 day')),
--      ^ EL05
        STREAM b BY (k, session_window(t, '1 day'))
--      ^ EL05
AGGREGATE sum(a.v)
""",
    "COGROUP a BY window(t, '1 day'), b BY window(t, '1 day') AGGREGATE sum(a.v)",
    "COGROUP STREAM a BY k, STREAM b BY k AGGREGATE sum(a.v)",
    "COGROUP STREAM (SELECT * FROM c) AS a BY window(t, '1 h'), d BY window(t, '1 h') "
    "AGGREGATE sum(a.v)",
    # EL06
    """
CREATE GLOBAL TABLE g PRIMARY KEY (id) MAX STALENESS 1 HOUR REFRESH MANUAL AS SELECT 1 AS id
--                                     ^ EL06
""",
    """
CREATE GLOBAL TABLE g PRIMARY KEY (id) MAX STALENESS '9 seconds' AS SELECT 1 AS id
--                                     ^ EL06
""",
    """
CREATE GLOBAL TABLE g (id INT, PRIMARY KEY (id)) USING parquet
  REFRESH EVERY INTERVAL '1' HOUR MAX STALENESS 30 MINUTES 5 SECONDS ON STALE WAIT 1 MINUTE
--                                ^ EL06
""",
    """
CREATE GLOBAL TABLE g PRIMARY KEY (id) MAX STALENESS 5 NANOSECONDS AS SELECT 1 AS id
--                                     ^ EL06
""",
    "CREATE GLOBAL TABLE g PRIMARY KEY (i) MAX STALENESS 10 SECONDS AS SELECT 1 AS i",
    "CREATE GLOBAL TABLE g PRIMARY KEY (i) REFRESH MANUAL AS SELECT max(staleness) AS i FROM t",
    "CREATE GLOBAL TABLE g PRIMARY KEY (i) MAX STALENESS 1 MONTH REFRESH EVERY 40 DAYS AS SELECT 1",
    "CREATE GLOBAL TABLE g PRIMARY KEY (i) MAX STALENESS '1e999999' DAY AS SELECT 1 AS i",
    "CREATE GLOBAL TABLE g PRIMARY KEY (i) MAX STALENESS 'NaN' DAY AS SELECT 1 AS i",
    "ALTER GLOBAL TABLE g SET MAX STALENESS 1 SECOND",
    # EL07
    """
COGROUP cart BY k, bought AS b BY k AGGREGATE sum(b.v) / count(*) AS n HAVING count(*) > 1
--                                                       ^ EL07
--                                                                            ^ EL07
""",
    "COGROUP a BY k, b BY k AGGREGATE count(a.*), (SELECT count(*) FROM c) AS all",
    "COGROUP a BY k, (SELECT count(*) AS n FROM c) AS b BY n AGGREGATE sum(a.v)",
    "SELECT count(*) FROM t",
    # EL08
    """
START STREAMING QUERY q AS UPSERT INTO s KEY (k)
SELECT k, sum(v) FROM STREAM t GROUP BY k HAVING sum(v) > 1 EMIT ON UPDATE
--                                                          ^ EL08
""",
    """
CREATE STREAMING QUERY q AS UPSERT INTO s KEY (k) COGROUP a BY k, b BY k AGGREGATE sum(a.v) AS v
HAVING v > 3 EMIT EVERY 1 DAY ON CHANGE OF (v)
--           ^ EL08
""",
    "START STREAMING QUERY q AS UPSERT INTO s KEY (k) SELECT k, sum(v) FROM STREAM t GROUP BY k "
    "HAVING sum(v) > 1 EMIT ON CHANGE WITH CHANGE TYPE kind",
    "START STREAMING QUERY q AS UPSERT INTO s KEY (k) COGROUP a BY k, b BY k AGGREGATE sum(a.v) "
    "HAVING EVERY BRANCH EMIT ON UPDATE",
    # comments
    """
SELECT 1 FROM t ASSUME PARTITIONED BY (k) NOT ENFORCED -- eddyline: noqa EL01, EL03
--                                        ^ EL02
""",
    "SELECT 1 FROM t ASSUME PARTITIONED BY (k) NOT ENFORCED -- eddyline: noqa EL01, EL02",
    "SELECT 1 FROM t ASSUME PARTITIONED BY (k) NOT ENFORCED /* why; Eddyline: NOQA: el02 */",
    "-- eddyline: noqa\n-- why\nSELECT 1 FROM t ASSUME PARTITIONED BY (k) NOT ENFORCED",
    "{# eddyline: noqa EL03 #}\nCREATE GLOBAL TABLE g AS SELECT 1",
    """
SELECT '-- eddyline: noqa', 1 FROM t ASSUME PARTITIONED BY (k) NOT ENFORCED
--                                                             ^ EL02
""",
    # Jinja
    """
{{ config(materialized='view') }}
-- a model
SELECT k FROM {{ ref('x') }} ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k EMIT ON CHANGE
--                                                     ^ EL02
""",
    """
BEGIN
  IF x THEN CREATE GLOBAL TABLE ünïcode AS SELECT 1; END IF;
--                              ^ EL03
END
""",
]


def expected(text: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Returns the SQL, and line, column and rule of each finding, as the carets say."""
    sql: list[str] = []
    places = []
    for line in text.split("\n"):
        if caret := CARETS.match(line):
            places.append((len(sql), len(caret[1]) + 3, caret[2]))
        else:
            sql.append(line)
    return "\n".join(sql), places


@pytest.mark.parametrize("text", TEXTS)
def test_a_text(text: str) -> None:
    sql, places = expected(text)
    assert [(found.line, found.column, found.rule) for found in lint_sql(sql)] == places


def test_every_rule_is_tested_where_it_applies_and_where_not() -> None:
    found = {rule for text in TEXTS for _, _, rule in expected(text)[1]}
    assert found == {rule.id for rule in RULES}
    assert sorted(found) == [rule.id for rule in RULES]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_file(path: Path) -> None:
    """Statements that Spark runs have no invalid clause."""
    for block in read_golden(path).blocks:
        if block.kind.startswith("query error") or path.stem in WITH_CONFS:
            continue
        lines = block.sql.split("\n")
        for found in lint_sql(block.sql):
            assert found.rule != "EL00", (block.sql, found)
            assert 1 <= found.column <= len(lines[found.line - 1])


def test_refused_statements_of_golden_files_are_findings() -> None:
    refused = [
        block.sql
        for path in GOLDEN
        for block in read_golden(path).blocks
        if block.argument.startswith("EDDYLINE_") and ".SYNTAX_ERROR" in block.argument
        if path.stem not in WITH_CONFS
    ]
    assert len(refused) > 100
    for sql in refused:
        (found,) = (each for each in lint_sql(sql) if each.rule == "EL00")
        assert ".SYNTAX_ERROR]" in found.message


def test_ordinary_sql_has_no_findings_but_names_like_clauses() -> None:
    found = [each for sql in statements("ordinary.sql") for each in lint_sql(sql)]
    assert {each.rule for each in found} <= {"EL00"}
    assert len(found) < 10


WORDS = st.sampled_from(
    "SELECT FROM a b.c count( ) * , ; 'x' `q` -- /* c */ {{x}} {%if%} WHERE COGROUP AGGREGATE BY "
    "EMIT ON CHANGE EVERY 1 SECOND ASSUME PARTITIONED ENFORCED NOT CREATE GLOBAL TABLE STREAM t "
    "MAX STALENESS REFRESH MANUAL AS window( ) START STREAMING QUERY INSERT INTO [ ] ( ) \n".split(
        " "
    )
)


@repeated(100)
@given(st.lists(WORDS, max_size=40))
def test_any_text_has_findings_inside_it(parts: list[str]) -> None:
    sql = " ".join(word if word != "--" else "-- c\n" for word in parts)
    try:
        tokenize(sql)
    except TokenError:
        return
    lines = sql.split("\n")
    for found in lint_sql(sql):
        assert 1 <= found.column <= len(lines[found.line - 1]) + 1


def test_a_deep_text_is_read() -> None:
    deep = "(" * 3000 + "k" + ")" * 3000
    sql = f"COGROUP a BY {deep}, b BY k AGGREGATE sum{deep} + count(*)"
    assert [found.rule for found in lint_sql(sql)] == ["EL07"]


def test_the_hint_names_what_stands_in_the_text() -> None:
    (found,) = lint_sql("COGROUP cart AS c BY k, b BY k AGGREGATE count(*)")
    assert found.message == "count(*) counts the rows of all branches together."
    assert found.hint == "Write count(c.*) for the rows of one branch."
    (found,) = lint_sql("COGROUP a BY {{ k }}::INT, b BY string( x ) AGGREGATE sum(a.v)")
    assert found.message == "string( x ) is a string, and {{ k }}::INT is an integer."
    (found,) = lint_sql("SELECT k FROM t EMIT ON CHANGES")
    assert found.message.endswith("Expected CHANGE, UPDATE or WINDOW CLOSE, but found 'CHANGES'.")
    assert found.hint.startswith("Write EMIT ON CHANGE, ")


def test_what_is_no_sql() -> None:
    with pytest.raises(EddylineError, match=re.escape("[EDDYLINE_LINT.NOT_SQL]")):
        lint_sql("SELECT 'x")


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(eddyline, ["lint", *arguments], input=typed)


def test_files_and_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "models" / "a.sql"
    path.parent.mkdir()
    path.write_bytes(b"SELECT 1;\r\nCREATE GLOBAL TABLE g AS SELECT 1\r\n")
    (tmp_path / "b.sql").write_text("SELECT 1")
    (tmp_path / "c.txt").write_text("CREATE GLOBAL TABLE g AS SELECT 1")
    line = (
        "2:21: EL03 Nothing checks that a key is unique, so a join may return rows several times."
    )
    result = run(str(tmp_path))
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == f"{path}:{line} Write PRIMARY KEY (column, …).\n"
    result = run("-", typed=path.read_text())
    assert result.exit_code == 1
    assert result.stdout.startswith(f"-:{line}")
    result = run(str(tmp_path / "b.sql"))
    assert (result.exit_code, result.stdout) == (0, "")


def test_rules_are_chosen() -> None:
    sql = "CREATE GLOBAL TABLE g MAX STALENESS 1 SECOND AS SELECT 1; SELECT 1 EMIT ON CHANGES"

    def rules(*arguments: str) -> list[str]:
        return re.findall(r"EL\d\d(?= )", run(*arguments, "-", typed=sql).stdout)

    assert rules() == ["EL03", "EL06", "EL00"]
    assert rules("--select", "el03,EL00") == ["EL03", "EL00"]
    assert rules("--ignore", "EL03", "--ignore", "EL00") == ["EL06"]
    assert rules("--select", "EL03,EL06", "--ignore", "EL03") == ["EL06"]
    result = run("--ignore", "EL99", "-", typed=sql)
    assert result.exit_code == 2
    assert "'EL99' is no rule" in result.stderr


def test_json() -> None:
    result = run("--format", "json", "-", typed="CREATE GLOBAL TABLE g AS SELECT 1")
    assert json.loads(result.stdout) == [
        {
            "file": "-",
            "line": 1,
            "column": 21,
            "rule": "EL03",
            "name": "global-table-without-key",
            "message": "Nothing checks that a key is unique, so a join may return rows several "
            "times.",
            "hint": "Write PRIMARY KEY (column, …).",
        }
    ]
    assert json.loads(run("--format", "json", "-", typed="SELECT 1").stdout) == []


def test_github(tmp_path: Path) -> None:
    path = tmp_path / "50%,a.sql"
    path.write_text("COGROUP a BY int(x % 5), b BY 'x,\n' AGGREGATE sum(a.v);\nSELECT 1 EMIT ON X")
    file = f"file={tmp_path.as_posix()}/50%25%2Ca.sql"
    first, second = run("--format", "github", str(path)).stdout.splitlines()
    assert first == (
        f"::warning {file},line=1,col=31,title=EL04 cogroup-key-types::'x, ' is a string, and "
        "int(x %25 5) is an integer. Cast the keys to one type in every branch."
    )
    assert second.startswith(f"::error {file},line=3,col=18,title=EL00 invalid-clause::[EDDYLINE_")


def test_what_cannot_be_read_is_said_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("select  'x")
    (tmp_path / "b.sql").write_bytes(b"select '\xff'")
    (tmp_path / "c.sql").write_text("CREATE GLOBAL TABLE g AS SELECT 1")
    result = run(str(tmp_path))
    assert result.exit_code == 2
    assert "a.sql: [EDDYLINE_LINT.NOT_SQL]" in result.stderr
    assert "b.sql: [EDDYLINE_ENVIRONMENT.NOT_UTF8]" in result.stderr
    assert "EL03" in result.stdout


def test_the_rules_are_listed() -> None:
    result = run("--list")
    assert result.exit_code == 0
    assert re.findall(r"^EL\d\d .*", result.stdout, re.MULTILINE) == [
        f"{rule.id} {rule.name}" for rule in RULES
    ]


def test_the_hook_of_pre_commit_names_the_command() -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: eddyline lint\n" in hook
    assert "lint" in eddyline.commands
