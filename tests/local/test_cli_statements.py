"""The command line splits a text into statements without a session, as Spark does with one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.lowering.statements import Statement, split, statements_of
from goldenfiles import Block, read_golden
from parsers import split_by_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """\
l: BEGIN
  DECLARE n INT DEFAULT 1;
  IF n > CASE WHEN if(true, 1, 2) = 1 THEN 0 ELSE 1 END THEN SELECT 1; END IF;
  CASE n WHEN 1 THEN SELECT 2; END CASE;
  BEGIN SELECT 3; END;
  WHILE n < 1 DO SET n = 2; END WHILE;
END l"""

QUOTED = "SELECT ';' , `;`, r'\\', \"\\\";\" -- ;"
NAMES = "SELECT CASE WHEN a THEN b END if, t.end FROM t"
HINT_IN_COMMENT = "/* old; /*+ BROADCAST(t) */ WHERE k > 1"  # such a comment does not nest
COLUMNS = "BEGIN SELECT begin, end FROM t; DELETE FROM u; END"


@pytest.mark.check
@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("", [], ""),
        (" ;; -- nothing\n /* ; /* ; */ don't; */", [], ""),
        ("SELECT 1", [], "SELECT 1"),
        ("SELECT 1;", ["SELECT 1"], ""),
        (f"{QUOTED}\n;", [QUOTED], ""),
        ("SELECT $$;$$, $a$;$$;$a$; SELECT 2", ["SELECT $$;$$, $a$;$$;$a$"], "SELECT 2"),
        ("SELECT 'a;", [], "SELECT 'a;"),
        ("SELECT 1 /* ;", [], "SELECT 1 /* ;"),
        (f"{SCRIPT}; SELECT 4;", [SCRIPT, "SELECT 4"], ""),
        ("BEGIN SELECT 1;", [], "BEGIN SELECT 1;"),
        ("BEGIN; BEGIN WORK; SELECT 1", ["BEGIN", "BEGIN WORK"], "SELECT 1"),
        (f"{COLUMNS}; SELECT 2;", [COLUMNS, "SELECT 2"], ""),
        ("-- a\rSELECT 1;", ["-- a\rSELECT 1"], ""),
        (f"{NAMES}; x", [NAMES], "x"),
        (f"SELECT 1 {HINT_IN_COMMENT}; SELECT 2", [f"SELECT 1 {HINT_IN_COMMENT}"], "SELECT 2"),
        ("SELECT /*+ COALESCE(1) /* ; */ */ 1; x", ["SELECT /*+ COALESCE(1) /* ; */ */ 1"], "x"),
    ],
)
def test_split(text: str, statements: list[str], rest: str) -> None:
    assert split(text) == ([Statement(statement) for statement in statements], rest)


@pytest.mark.check
@pytest.mark.parametrize(
    "body",
    [
        "REPEAT SELECT 1; UNTIL x END REPEAT;",
        "REPEAT SELECT 1; UNTIL CASE WHEN x THEN y END END REPEAT;",
        "CASE x WHEN 1 THEN REPEAT SELECT 1; UNTIL x END REPEAT; END CASE;",
        "CASE x WHEN 1 THEN IF x THEN SELECT 1; END IF; ELSE SELECT 2; END CASE;",
        "l: LOOP SELECT 1; LEAVE l; END LOOP l;",
        "WHILE x DO SELECT 1; END WHILE;",
        "FOR r AS SELECT 1 DO SELECT 2; END FOR;",
        "IF x THEN SELECT 1; ELSEIF y THEN SELECT 2; ELSE SELECT 3; END IF;",
        "SELECT CASE WHEN x THEN y END if, CASE WHEN x THEN y END repeat FROM t;",
        "SELECT until, handler, begin, end FROM t;",
        "DECLARE handler INT;",
        "DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 1; END;",
        "DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN BEGIN SELECT begin FROM t; END; END;",
        "DECLARE CONTINUE HANDLER FOR SQLSTATE '22012' BEGIN SELECT 1; END;",
        "DECLARE EXIT HANDLER FOR SQLSTATE VALUE '22012', NOT FOUND, a.b BEGIN SELECT 1; END;",
        "DECLARE EXIT HANDLER FOR NOT FOUND BEGIN IF x THEN SELECT 1; END IF; END;",
        "DECLARE EXIT HANDLER FOR DIVIDE_BY_ZERO SELECT begin, CASE WHEN x THEN y END FROM t;",
        "DECLARE EXIT HANDLER FOR SQLEXCEPTION SET x = 1;",
    ],
)
def test_a_script_is_one_statement(body: str) -> None:
    for script in (f"BEGIN {body} SELECT 4; END", f"BEGIN BEGIN {body} END; {body} END"):
        assert split(f"{script}; SELECT 5") == ([Statement(script)], "SELECT 5")


@pytest.mark.check
def test_vertical() -> None:
    assert statements_of("SELECT 1\\G\nSELECT '\\G' \\G; SELECT 2; SELECT \\Go") == [
        Statement("SELECT 1", vertical=True),
        Statement("SELECT '\\G'", vertical=True),
        Statement("SELECT 2"),
        Statement("SELECT \\Go"),
    ]


def is_read(block: Block) -> bool:
    """Returns whether Spark splits after the block; it cuts a script with a clause in FOR."""
    return block.kind != "query error" and "END FOR" not in block.sql


def test_split_as_spark_does(spark: SparkSession) -> None:
    texts = [path.read_text() for path in (ROOT / "sql/examples").glob("*.sql")]
    for path in sorted((ROOT / "tests/golden").rglob("*.sql")):
        blocks = read_golden(path).blocks
        texts.append(";\n".join(block.sql for block in blocks if is_read(block)))
    for text in texts:
        assert [each.text for each in statements_of(text)] == split_by_spark(spark, text)
