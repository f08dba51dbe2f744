"""`eddyline fmt`: the layout of SQL files, in which every word and comment stays."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.errors import TokenError

from eddyline import lower_sql
from eddyline.cli.commands import eddyline
from eddyline.cli.texts import only_one, read_text
from eddyline.errors import ClauseError, EddylineError
from eddyline.formatting import files, format_sql
from eddyline.lowering.tokenizer import tokenize
from goldenfiles import read_golden
from parsers import statements
from properties.examples import repeated

ROOT = Path(__file__).parents[2]
GOLDEN = sorted((ROOT / "tests/golden").rglob("*.sql"))
# near misses have quotes that nothing ends
SPLIT = [path for path in GOLDEN if path.stem != "near_misses"]
PAIRS = tomllib.loads((ROOT / "tests/unit/lowering.toml").read_text())["pair"]
MODEL = """\
{{ config(materialized='table',
     tags=["a"]) }}
-- a model
with base as (select * from {{ ref('orders') }} where {{ var("x") }} = 1 and status in ('a','b')),
{% for m in ["x","y"] %}
  {{ m }}_cte as (select {{ m }} , 1 as c from {{ source('s', m) }} as t -- why
  ),
{% endfor %}
final as (select 1)
select a,b , /* in */ c from base {# what? #} left join x_cte on base.id=x_cte.id
emit on change;
"""
LAID_OUT = """\
{{ config(materialized='table',
     tags=["a"]) }}
-- a model
with
  base as (
    select *
    from {{ ref('orders') }}
    where {{ var("x") }} = 1 and status in ('a', 'b')
  ),
  {% for m in ["x","y"] %}
  {{ m }}_cte as (
    select {{ m }}, 1 as c from {{ source('s', m) }} as t -- why
  ),
  {% endfor %}
  final as (select 1)
select a, b, /* in */ c
from base {# what? #}
left join x_cte on base.id=x_cte.id
emit on change;
"""


def texts() -> list[str]:
    """Returns the golden files and their statements, and the corpora of other statements."""
    found = [path.read_text() for path in GOLDEN]
    for path in GOLDEN:
        for block in read_golden(path).blocks:
            found += [block.sql, block.expected if block.kind == "query equals" else ""]
    corpora = [statement for name in ("ordinary.sql", "ambiguous.sql") for statement in
               statements(name)]  # fmt: skip
    files = [path.read_text() for path in sorted((ROOT / "sql").rglob("*.sql"))]
    return [*found, *corpora, *files, *(pair["typed"] for pair in PAIRS)]


def words(sql: str) -> list[str]:
    return [sql[token.start : token.end + 1] for token in tokenize(sql)]


def lowered(sql: str) -> list[str]:
    """Returns the words that Spark parses, without the typed text that a statement keeps."""
    try:
        found = words(lower_sql(sql))
    except ClauseError as error:
        return [error.condition, str(error.parameters)]
    return [word for word in found if not word.startswith("X'")]


def check(sql: str, line_length: int) -> None:
    """Words and comments stay, what Spark parses stays, and a second time changes nothing."""
    text = format_sql(sql, line_length=line_length)
    assert words(text) == words(sql)
    assert lowered(text) == lowered(sql)
    assert format_sql(text, line_length=line_length) == text
    assert text.count("--") == sql.count("--")
    assert text.count("/*") == sql.count("/*")


def is_split(sql: str) -> bool:
    try:
        tokenize(sql)
    except TokenError:
        return False
    return True


@pytest.mark.full
@pytest.mark.parametrize("path", SPLIT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_file(path: Path) -> None:
    check(path.read_text(), 100)


@pytest.mark.full
@pytest.mark.parametrize("line_length", [100, 40])
def test_every_statement(line_length: int) -> None:
    found = [sql for sql in texts() if is_split(sql)]
    assert len(found) > 2000
    for sql in found:
        check(sql, line_length)


WORDS = st.sampled_from(
    "SELECT FROM a b.c count( ) , ; 'x  y' `q` -- /* c */ {{x}} {%if%} WHERE AND OR CASE WHEN THEN "
    "ELSE END COGROUP AGGREGATE BY EMIT ON CHANGE EXCEPT UNION ALL WITH AS ( ) [ ] JOIN INSERT "
    "INTO VALUES CREATE TABLE BEGIN + = 1 {#c#} GROUP ORDER".split(" ")
)
GAPS = st.sampled_from([" ", "\n", "\n\n", "  ", "\t", ""])


@repeated(100)
@given(st.lists(st.tuples(WORDS, GAPS), max_size=40), st.integers(20, 60))
def test_any_text_keeps_its_words_and_is_laid_out_once(
    parts: list[tuple[str, str]], line_length: int
) -> None:
    sql = "".join(word + (gap if word != "--" else " c\n") for word, gap in parts)
    if not is_split(sql):
        with pytest.raises(EddylineError, match=re.escape("[EDDYLINE_FORMAT.NOT_SQL]")):
            format_sql(sql)
        return
    text = format_sql(sql, line_length=line_length)
    assert format_sql(text, line_length=line_length) == text


@pytest.mark.parametrize(
    ("sql", "lines"),
    [
        ("select  1 ;select 2", ["select 1;", "select 2"]),
        ("select  a/*/*/*b", ["select a/*/*/ *b"]),
        ("select  a /* /*+ b */, /* c */ d", ["select a /* /*+ b */, /* c */ d"]),
        ("select 1;\n\n\n\nselect 2 -- two", ["select 1;", "", "select 2 -- two"]),
        ("set  x = a   b;\nadd jar /a  b", ["set  x = a   b;", "add jar /a  b"]),
        ("set  x = a /* b */", ["set  x = a /* b */"]),
        (
            "set x = a; /* b */ set  y /* c */ -- d",
            ["set x = a;", "/* b */", "set  y /* c */ -- d"],
        ),
        ("set x = a; /* b */", ["set x = a;", "/* b */"]),
        ("BEGIN\n  SELECT  1;\n\n  SELECT  2;\nEND", ["BEGIN", "  SELECT  1;", "",
                                                      "  SELECT  2;", "END"]),
        ("l: BEGIN SELECT  1; SELECT  2; END", ["l: BEGIN SELECT  1; SELECT  2; END"]),
        ("create: BEGIN\n  SELECT  1;\nEND -- x", ["create: BEGIN", "  SELECT  1;", "END -- x"]),
        (
            "COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(cart.item) AS n "
            "HAVING EVERY BRANCH EMIT ON CHANGE EXCEPT (n)",
            ["COGROUP", "  cart BY customer_id,", "  purchases BY buyer",
             "AGGREGATE count(cart.item) AS n", "HAVING EVERY BRANCH",
             "EMIT ON CHANGE EXCEPT (n)"],
        ),
        (
            "SELECT k, v FROM t EMIT EVERY 10 SECONDS ON CHANGE OF (v) KEY (k) ORDER BY ts "
            "EXPIRE AFTER 1 DAY TOLERANCE (v 0.5) HEARTBEAT 1 HOUR",
            ["SELECT k, v", "FROM t", "EMIT EVERY 10 SECONDS ON CHANGE OF (v)",
             "  KEY (k) ORDER BY ts EXPIRE AFTER 1 DAY", "  TOLERANCE (v 0.5)",
             "  HEARTBEAT 1 HOUR"],
        ),
        (
            "SELECT k, v FROM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN v < 1 "
            "HEARTBEAT 1 HOUR WITH CHANGE TYPE kind BEFORE",
            ["SELECT k, v", "FROM t", "EMIT ON CHANGE", "  KEY (k) APPLY AS DELETE WHEN v < 1",
             "  HEARTBEAT 1 HOUR", "  WITH CHANGE TYPE kind BEFORE"],
        ),
        (
            "START STREAMING QUERY tops TRIGGER EVERY 10 SECONDS CHECKPOINT '/c' AS INSERT INTO t "
            "SELECT k FROM STREAM s",
            ["START STREAMING QUERY tops", "  TRIGGER EVERY 10 SECONDS", "  CHECKPOINT '/c'",
             "AS INSERT INTO t", "SELECT k FROM STREAM s"],
        ),
        (
            "SELECT a FROM t WHERE a BETWEEN 1 AND 2 AND (b = 'something long' OR c = 3) "
            "AND CASE WHEN d THEN e ELSE f END",
            ["SELECT a", "FROM t", "WHERE a BETWEEN 1 AND 2",
             "  AND (b = 'something long' OR c = 3)",
             "  AND CASE WHEN d THEN e ELSE f END"],
        ),
        (
            "SELECT k FROM (SELECT k, count(*) AS n FROM events GROUP BY k) AS x UNION ALL TABLE t",
            ["SELECT k", "FROM (", "  SELECT k, count(*) AS n", "  FROM events", "  GROUP BY k",
             ") AS x", "UNION ALL TABLE t"],
        ),
    ],
)  # fmt: skip
def test_layout(sql: str, lines: list[str]) -> None:
    assert format_sql(sql, line_length=40) == "\n".join(lines) + "\n"


def test_jinja_stays() -> None:
    assert format_sql(MODEL, line_length=60) == LAID_OUT


@pytest.mark.parametrize(
    "table",
    [
        "t{% if dev %}_dev{% endif %}",
        "{% if dev %}dev{% else %}prod{% endif %}_orders",
        "{{ p }}{% if dev %}_s{% endif %}",
        "a{# the old one #}b",
        "x1{%- if dev %}2{% endif -%}",
    ],
)
def test_jinja_inside_a_word_parts_no_word(table: str) -> None:
    assert (
        format_sql(f"select  * from {table} where a = 1") == f"select * from {table} where a = 1\n"
    )
    macro = f"{{% macro m() %}}{table}{{% endmacro %}}\n"
    assert format_sql(macro) == macro


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(eddyline, ["fmt", *arguments], input=typed)


def test_files_and_folders_are_written(tmp_path: Path) -> None:
    inner = tmp_path / "models" / "a.sql"
    inner.parent.mkdir()
    inner.write_text("select  1")
    other = tmp_path / "b.sql"
    other.write_text("select 1\n")
    (tmp_path / "models" / "notes.txt").write_text("select  1")
    result = run(str(tmp_path))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{inner} changed\n"
    assert (inner.read_text(), other.read_text()) == ("select 1\n", "select 1\n")
    assert (tmp_path / "models" / "notes.txt").read_text() == "select  1"
    assert run(str(tmp_path), "--check").exit_code == 0


def test_standard_input() -> None:
    result = run("-", "--line-length", "20", typed="select a from t where b")
    assert (result.exit_code, result.stdout) == (0, "select a\nfrom t\nwhere b\n")


def test_check_and_diff_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text("select  1")
    result = run(str(path), "--check")
    assert (result.exit_code, result.stderr) == (1, f"{path} would change\n")
    result = run(str(path), "--diff")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[2:] == [
        "@@ -1 +1 @@", "-select  1", "\\ No newline at end of file", "+select 1"
    ]  # fmt: skip
    assert path.read_text() == "select  1"


def test_what_is_no_sql_is_left_alone(tmp_path: Path) -> None:
    bad, good = tmp_path / "a.sql", tmp_path / "b.sql"
    bad.write_text("select  'x")
    good.write_text("select  1")
    result = run(str(tmp_path))
    assert result.exit_code == 2
    assert f"{bad}: [EDDYLINE_FORMAT.NOT_SQL]" in result.stderr
    assert (bad.read_text(), good.read_text()) == ("select  'x", "select 1\n")


def test_the_ends_of_lines_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(b"select  1;\r\nselect 2\r\n")
    assert run(str(path)).exit_code == 0
    assert path.read_bytes() == b"select 1;\r\nselect 2\r\n"
    path.write_bytes(b"\xef\xbb\xbfselect  1")
    assert run(str(path)).exit_code == 0
    assert path.read_bytes() == b"select 1\n", "a byte order mark is no part of the text"


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        # a backslash before a newline would let the comment go on
        (
            "SELECT a -- from C:\\data\\\n, b  FROM t\n",
            "SELECT\n  a -- from C:\\data\\\n    ,\n  b\nFROM t\n",
        ),
        ("-- C:\\\nselect  'it''s\n  x   y',  2", "-- C:\\\nselect\n  'it''s\n  x   y',\n  2\n"),
        ("select  'x', -- C:\\\n'a\nb'", "select\n  'x', -- C:\\\n  'a\nb'\n"),
    ],
)
def test_carriage_returns_stay(typed: str, text: str, tmp_path: Path) -> None:
    typed, text = (each.replace("\n", "\r\n") for each in (typed, text))
    check(typed, 100)
    result = run("-", typed=typed)
    assert (result.exit_code, result.stdout_bytes) == (0, text.encode())
    path = tmp_path / "a.sql"
    path.write_bytes(typed.encode())
    assert run(str(path)).exit_code == 0
    assert path.read_bytes() == text.encode()


def test_ends_of_lines_in_strings_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(b"select  'a\r\nb',\n'c\nd'\n")
    assert run(str(path)).exit_code == 0
    text = path.read_bytes().decode()
    assert "'a\r\nb'" in text
    assert "'c\nd'" in text
    assert text.count("\r") == 1
    assert only_one(None, path) == text


def test_a_write_that_fails_leaves_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, link = tmp_path / "a.sql", tmp_path / "b.sql"
    path.write_text("select  1")
    path.chmod(0o640)
    link.symlink_to(path)
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        result = run(str(path))
    assert result.exit_code == 2
    assert "[EDDYLINE_ENVIRONMENT.FILE_NOT_WRITTEN]" in result.stderr
    assert path.read_text() == "select  1"
    assert run(str(link)).exit_code == 0
    assert (path.read_text(), link.is_symlink()) == ("select 1\n", True)
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [path, link], "and nothing else"


def fail(_: int) -> None:
    raise OSError(28, "No space left on device")


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(EddylineError, match=re.escape("[EDDYLINE_ENVIRONMENT.FILE_NOT_READ]")):
        read_text(tmp_path)


def test_one_file_that_is_nested_too_deeply(tmp_path: Path) -> None:
    deep, good = tmp_path / "a.sql", tmp_path / "b.sql"
    deep.write_text("select " + "f(" * 3000 + "1" + ")" * 3000)
    good.write_text("select  1")
    result = run(str(tmp_path))
    assert result.exit_code == 2
    assert f"{deep}: [EDDYLINE_FORMAT.TOO_DEEP]" in result.stderr
    assert good.read_text() == "select 1\n"


def test_a_text_between_dollars_stays() -> None:
    view = "CREATE VIEW v WITH METRICS LANGUAGE YAML AS $$\nversion:  0.1\n  a: 1; b\n$$;\n"
    assert format_sql(view) == view
    assert format_sql("select  '$$',  ${x}") == "select '$$', ${x}\n"


def test_what_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(b"select '\xff'")
    result = run(str(path))
    assert result.exit_code == 2
    assert f"[EDDYLINE_ENVIRONMENT.NOT_UTF8] {path} is not UTF-8: the byte at offset 8" in (
        result.stderr.replace("eddyline cannot work in this environment. ", "")
    )
    arguments = {"-f": str(path), "-e": "select '\udcff'"}
    for option, value in arguments.items():
        result = CliRunner().invoke(eddyline, ["lower", option, value])
        assert result.exit_code == 1
        assert "[EDDYLINE_ENVIRONMENT.NOT_UTF8]" in result.stderr


def test_a_layout_with_other_words_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for typed, other in [
        ("SELECT 1", "SELECT 2"),
        ("SELECT a{% if x %}_x{% endif %}", "SELECT a _x"),
    ]:
        monkeypatch.setattr(files.Layout, "statement", lambda *_, line=other: [line])
        with pytest.raises(EddylineError, match=re.escape("[EDDYLINE_FORMAT.NOT_THE_SAME]")):
            format_sql(typed)


def test_the_hook_of_pre_commit_names_the_command() -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: eddyline fmt\n" in hook
    assert "fmt" in eddyline.commands
