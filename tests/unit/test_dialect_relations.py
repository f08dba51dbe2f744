"""The relations of random statements, as sqlglot's dialect reads, prints and reads them again."""

from __future__ import annotations

import re
from random import Random

import pytest
import sqlglot
from sqlglot import exp

from eddyline import lower_sql
from eddyline.dialect.marks import STREAM, marks

TABLES = (
    "t{n}",
    "db.t{n}",
    "stream",
    "t{n} AS x{n}",
    "VALUES (1, 2), (3, 4) AS v{n}(k, v)",
    "(VALUES (1, 2), (3, 4)) AS v{n}(k, v)",
    "(SELECT f(k, v) AS k, stream FROM t{n}, t) AS q{n}",
    "t{n} ASSUME PARTITIONED BY (k, v)",
)
STREAMS = (
    "STREAM s{n}",
    "STREAM db.s{n}",
    "STREAM s{n} AS x{n}",
    "STREAM (s{n}) AS x{n}",
    "STREAM s{n} WATERMARK ts DELAY OF INTERVAL 1 HOUR AS x{n}",
)
LATERALS = ("LATERAL explode(array(1, 2))", "LATERAL (SELECT 1, 2)")
JOINS = (", {}", ", {}", " CROSS JOIN {}", " LEFT JOIN {} ON true", " JOIN {} USING (k)")
ITEMS = ("*", "k, v", "stream, k", "f(k, (stream(v))), stream v", "k IS DISTINCT FROM v, stream v")
TAILS = ("", "", " WHERE k IN (1, 2)", " GROUP BY k, v", " ORDER BY k, v LIMIT 3")
EMITS = ("ON CHANGE", "ON UPDATE", "ON WINDOW CLOSE", "ON CHANGE KEY (k)", "EVERY 1 MINUTE")
KEYS = ("k", "(k, v)", "(x.y)", "((k))", "(k + 1)", "(x.y) AS z")
LEADS = ("", "INSERT INTO u ", "CREATE STREAMING QUERY q AS INSERT INTO u ", "CREATE VIEW w AS ")


class Statements:
    """Draws statements.

    Attributes:
        streams: the names of the streams of the last one.
    """

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.streams: list[str] = []
        self.count = 0

    def statement(self) -> str:
        self.streams = []
        query = self.cogroup() if self.draw.random() < 0.3 else self.select()
        return f"{self.draw.choice(LEADS)}{query}"

    def select(self) -> str:
        relations = self.relation()
        for _ in range(self.draw.randrange(3)):
            relations += self.draw.choice(JOINS).format(self.relation())
        if self.draw.random() < 0.2:
            relations += f", {self.draw.choice(LATERALS)}"
        tail, emit = self.draw.choice(TAILS), f" EMIT {self.draw.choice(EMITS)}"
        if not tail and re.search(r" CROSS JOIN (?!.*(?:AS|[,(]))", relations):
            emit = ""  # it would be the alias and the condition of the join
        return f"SELECT {self.draw.choice(ITEMS)} FROM {relations}{tail}{emit}"

    def cogroup(self) -> str:
        keys = self.draw.choice(KEYS)
        branches = [f"{self.relation()} WHERE v > 1 BY {keys}", f"{self.relation()} BY {keys}"]
        return f"COGROUP {', '.join(branches)} AGGREGATE count(*) AS n, max(f(1, 2)) AS m"

    def relation(self) -> str:
        self.count += 1
        if self.draw.random() < 0.4:
            self.streams.append(f"s{self.count}")
            return self.draw.choice(STREAMS).format(n=self.count)
        return self.draw.choice(TABLES).format(n=self.count)


def streams(tree: exp.Expr) -> list[str]:
    tables = tree.find_all(exp.Table)
    return sorted(t.name for t in tables if any(call.name == STREAM for call in marks(t)))


def clauses(sql: str) -> list[str]:
    """Returns the clauses of a statement as the lowering reads it, and what they say."""
    return sorted(re.findall(r"__eddyline_\w+\(|\b(?!__)\w+ =>(?= *')", lower_sql(sql)))


@pytest.mark.parametrize("seed", range(3))
def test_a_printed_statement_is_read_as_the_typed_one(seed: int) -> None:
    statements = Statements(Random(seed))
    for _ in range(80):
        sql = statements.statement()
        tree = sqlglot.parse_one(sql, dialect="eddyline")
        assert streams(tree) == sorted(statements.streams), sql
        if "COGROUP" in sql:
            assert tree.sql("eddyline") == sql
            continue
        pretty = tree.sql("eddyline", pretty=True)
        for printed in (pretty, tree.sql("eddyline", comments=False)):
            again = sqlglot.parse_one(printed, dialect="eddyline")
            assert streams(again) == streams(tree), (sql, printed)
            assert clauses(printed) == clauses(sql), (sql, printed)
            assert again.sql("eddyline", pretty=True) == pretty, sql
