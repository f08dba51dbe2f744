"""`eddyline fmt`: what stays as it was typed."""

from __future__ import annotations

import pytest

from eddyline.formatting import format_sql

LOOP = """\
BEGIN
  WHILE n < 3 DO
    SELECT  n,
            n + 1;
  END WHILE;
END;
SELECT  1
"""


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        (
            "SELECT CASE WHEN day >= ${start} AND day < ${end} THEN 'in' ELSE 'out' END FROM bids",
            "SELECT CASE\n  WHEN day >= ${start} AND day < ${end} THEN 'in'\n  ELSE 'out'\n"
            "  END\nFROM bids\n",
        ),
        (
            "SELECT k FROM t WHERE the_first_of_both = ${env:and} AND the_second_of_both = ${b}",
            "SELECT k\nFROM t\nWHERE the_first_of_both = ${env:and}\n"
            "  AND the_second_of_both = ${b}\n",
        ),
        ("SELECT  k,  ${hiveconf:a,b},  ${c;d}", "SELECT k, ${hiveconf:a,b}, ${c;d}\n"),
        ("SELECT  k  FROM  t_${env:a,b}_c", "SELECT k FROM t_${env:a,b}_c\n"),
        ("SET  k = ${a,b}", "SET  k = ${a,b}\n"),
        # no variables
        ("SELECT  '${',k,'}'", "SELECT '${', k, '}'\n"),
        ("SELECT  k  FROM ${ a,b }", "SELECT k FROM ${ a, b }\n"),
    ],
)
def test_what_spark_replaces_by_a_value_is_one_word(sql: str, text: str) -> None:
    assert format_sql(sql, line_length=60) == text


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("SET x = 1;\n\n", "SET x = 1;\n\n"),
        ("select  1;\n-- a loop\n", "select 1;\n-- a loop\n"),
        ("select  1; create: ", "select 1;\ncreate: "),
        ("{{ config(a=1) }}\n", "{{ config(a=1) }}\n"),
    ],
)
def test_a_script_stays_after_other_statements(before: str, text: str) -> None:
    assert format_sql(before + LOOP) == text + LOOP.replace("SELECT  1", "SELECT 1")


def test_what_follows_a_script_or_dollars_is_laid_out() -> None:
    script = "BEGIN select  1; select  2; END;"
    assert format_sql(f"{script} select  3; {script}") == f"{script}\nselect 3;\n{script}\n"
    view = "CREATE VIEW v AS  $$ a;  b $$;"
    assert format_sql(f"{view} select  1") == f"{view}\nselect 1\n"


def test_statements_of_a_transaction_are_laid_out() -> None:
    assert format_sql("BEGIN; select  1; COMMIT") == "BEGIN;\nselect 1;\nCOMMIT\n"


@pytest.mark.parametrize("end", ["\\ ", "\\ \t", "\\\\ "])
def test_a_blank_after_a_backslash_ends_a_comment(end: str) -> None:
    kept = end.rstrip() + " "
    assert format_sql(f"-- a{end}\nSELECT  b -- c{end}\nFROM t -- d{end}") == (
        f"-- a{kept}\nSELECT b -- c{kept}\nFROM t -- d{kept}\n"
    )
