"""The reader of ASSUME PARTITIONED BY (KIP-759): `sql/grammar/assume.ebnf` on tokens.

    SELECT dt, count(*) FROM sales AS s ASSUME PARTITIONED BY (dt) GROUP BY dt

becomes, with the user's relation and keys where they were:

    SELECT dt, count(*) FROM __eddyline_assume(TABLE(SELECT * FROM sales AS s ),
      enforced => 'full', keys => array (dt), violation => 'repartition') GROUP BY dt

`LAYOUT name` becomes `layout => 'name'`, `INTO 8 PARTITIONS` becomes `partitions => 8`, and
`USING HASH SPARK` becomes `hash => 'spark'`, each before `violation`.

`CHECK ASSUMPTION ON sales PARTITIONED BY (dt) LIMIT 5` becomes a call of
`__eddyline_check_assumption(TABLE(SELECT * FROM sales ), keys => array (dt) , count => 5)`.
"""

from __future__ import annotations

from dataclasses import dataclass

from eddyline.errors import ClauseError
from eddyline.lowering.edits import Edit
from eddyline.lowering.query import begins_query, begins_statement
from eddyline.lowering.reader import Clause, ClauseReader, StatementReader, is_between, literal
from eddyline.lowering.relations import relation_start
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens
from eddyline.lowering.words import AFTER_RELATION

ROLE = Role.RELATION
STAND_IN = ""  # the clause disappears and its relation stays
FIRST = frozenset(["ASSUME", "CHECK"])
CALL = "__eddyline_assume"
CHECK_CALL = "__eddyline_check_assumption"

_PARTITIONED = frozenset(["PARTITION BY", "PARTITIONED BY"])
_OPTIONS = frozenset(["LAYOUT", "NOT", "ENFORCED"])
_MAX_PARTITIONS = 100_000
_BEFORE_CLAUSE = frozenset(["AS", "TABLESAMPLE", "WATERMARK"])
# words that may follow an operand
_AFTER_OPERAND = frozenset(
    "AND OR IS IN BETWEEN LIKE NOT = == <> != < > <= >= <=> + - * / % . [ : WHERE ) ;".split()
) | {"GROUP BY", "ORDER BY"}
_MAX_LIMIT = 2**31 - 1
_CHECK_FORM = "Write CHECK ASSUMPTION ON relation PARTITIONED BY (column, …) LIMIT 10."
_FORM = "Write relation AS alias ASSUME PARTITIONED BY (column, …)."


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins a clause or CHECK ASSUMPTION."""
    key, follower = tokens.key(index), tokens.key(index + 1)
    if key == "CHECK":
        return follower == "ASSUMPTION" and begins_statement(tokens, index)
    if key != "ASSUME" or tokens.key(index - 1) in (".", "("):
        return False
    return follower in _PARTITIONED or follower == "PARTITIONED"


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the clause at `index`. Raises `ClauseError`, condition EDDYLINE_ASSUME.*."""
    if tokens.key(index) == "ASSUME":
        return _Reader(tokens, index).read()
    return _StatementReader(tokens, index).read()


@dataclass(frozen=True)
class _Layout:
    """The layout of a claim: how its units are numbered.

    Attributes:
        named: whether it has a name.
        hashed: whether Spark's hash of a key gives its unit.
    """

    named: bool
    hashed: bool = False

    def is_opaque(self) -> bool:
        """Returns whether an unknown function, named by the layout, assigns keys to units."""
        return self.named and not self.hashed


class _KeysReader(ClauseReader):
    """Reads what the clause and the statements share: the keys."""

    condition = "EDDYLINE_ASSUME"

    def read_keys(self) -> None:
        """Reads (key, …), where no key may be empty."""
        if self.key() != "(":
            raise self.expected("'('", _FORM)
        self.require_closed()
        close = self.tokens.match[self.at]
        for _ in self.keys_between(self.at + 1, close, "Write a column or an expression."):
            pass  # an empty one is refused
        self.at = close + 1

    def is_own_by(self) -> bool:
        """Returns whether the BY of PARTITIONED follows, where a comment stands between the two."""
        word = self.tokens.words[self.at] if self.at < self.end else None
        return word is not None and not word.key and word.text.upper() == "BY"


class _Reader(_KeysReader):
    """Reads one ASSUME PARTITIONED BY."""

    def read(self) -> Clause:
        in_merge = self.open_relation()
        last = self.at
        if self.key() not in _PARTITIONED:
            self.take("PARTITIONED", "BY")
            last = self.at - 1
        elif self.key() == "PARTITION BY":
            raise self.expected("PARTITIONED BY", _FORM)
        else:
            self.at += 1
            if self.is_own_by():
                self.at += 1
                last = self.at - 1
        self.read_keys()
        layout = self.read_layout()
        options_end = self.at
        enforced, violation = self.read_enforcement(layout)
        self.replace_words(self.first, last, f"), enforced => '{enforced}', keys => array")
        rest = f", violation => '{violation}')" + (")" if in_merge else "")
        if self.at > options_end:
            self.replace_words(options_end, self.at - 1, rest)
        else:
            self.insert_after(self.at - 1, rest)
        if self.key() in _BEFORE_CLAUSE:
            raise self.expected("the end of the clause", f"{self.key()} must be before ASSUME.")
        if self.key() == "ASSUME" or self.key() in _OPTIONS:
            raise self.expected("the end of the clause", "A relation takes one claim.")
        start = self.tokens.words[self.first].start
        return Clause(start, self.tokens.words[self.at - 1].stop, self.at, self.edits, STAND_IN)

    def open_relation(self) -> bool:
        """Opens the call before the relation; returns whether that is the source of a MERGE."""
        first = relation_start(self.tokens, self.first)
        if first is None or self.is_no_source(first):
            raise self.error("NO_RELATION", self.first)
        merges = self.tokens.key(first - 1) == "USING"
        call = f"{CALL}(TABLE(SELECT * FROM "
        start = self.tokens.words[first].start
        self.edits.append(Edit(start, start, f"(SELECT * FROM {call}" if merges else call))
        return merges

    def is_no_source(self, first: int) -> bool:
        """Returns whether a query or the target of a DELETE begins at `first`."""
        key, before = self.tokens.key(first), self.tokens.key(first - 1)
        if key not in ("(", "VALUES") and begins_query(self.tokens, first):
            return True
        return before == "FROM" and self.tokens.key(first - 2) == "DELETE"

    def read_layout(self) -> _Layout:
        """Reads [LAYOUT name] [INTO n PARTITIONS [USING HASH (SPARK | KAFKA)]]."""
        named = self.key() == "LAYOUT"
        if named:
            self.read_name()
        numbered = self.read_partitions()
        first = self.at
        if self.key() != "USING" or self.tokens.key(self.at + 1) != "HASH":
            return _Layout(named)
        if not numbered:
            raise self.expected("INTO n PARTITIONS", "Write INTO 8 PARTITIONS USING HASH SPARK.")
        self.take("USING", "HASH")
        if self.key() == "KAFKA":
            raise self.bad_option(
                "USING HASH KAFKA",
                "files have no partitions of a topic, and the state of a stream would lie where "
                "only this claim finds it",
                "Write USING HASH SPARK, or leave it out.",
            )
        if self.key() != "SPARK":
            raise self.expected("SPARK", "Write USING HASH SPARK.")
        self.replace_words(first, self.at, ", hash => 'spark'")
        self.at += 1
        return _Layout(named, hashed=True)

    def read_name(self) -> None:
        """Reads LAYOUT name."""
        self.at += 1
        is_name = self.tokens.is_name(self.at) and self.at < self.end
        if not is_name or self.key() in AFTER_RELATION:
            raise self.expected("a name", "Write LAYOUT name, or LAYOUT `name` if it is a keyword.")
        name = literal(self.tokens.words[self.at].name)
        self.replace_words(self.at - 1, self.at, f", layout => {name}")
        self.at += 1

    def read_partitions(self) -> bool:
        """Reads [INTO n PARTITIONS] and returns whether it is there.

        Another INTO may follow a relation too, and is left alone.
        """
        if self.key() != "INTO" or self.at + 1 >= self.end:
            return False
        self.at += 1
        if not self.is_number():
            self.at -= 1
            return False
        number = self.tokens.words[self.at].text
        if not self.is_parameter() and not is_between(1, number, _MAX_PARTITIONS):
            raise self.bad_option(
                f"INTO {number} PARTITIONS",
                f"the number of units is from 1 to {_MAX_PARTITIONS}",
                "Write the number of partitions that the files were written from.",
            )
        self.replace_words(self.at - 1, self.at - 1, ", partitions =>")
        self.at = self.after_literal()
        self.take("PARTITIONS")
        self.replace_words(self.at - 1, self.at - 1, "")
        return True

    def read_enforcement(self, layout: _Layout) -> tuple[str, str]:
        """Reads [NOT ENFORCED | ENFORCED [ON VIOLATION (REPARTITION | FAIL)]]."""
        default = "fail" if layout.is_opaque() else "repartition"
        if self.key() == "NOT":
            self.take("NOT", "ENFORCED")
            return "no", default
        if self.key() != "ENFORCED":
            if self.names_violation():
                raise self.expected("ENFORCED", "Write ENFORCED ON VIOLATION FAIL.")
            return "full", default
        self.at += 1
        if self.key() == "SAMPLE":
            raise self.removed("ENFORCED SAMPLE", "Write ENFORCED or NOT ENFORCED.")
        if not self.names_violation():
            return "full", default
        self.at += 2
        violation = self.key()
        if violation not in ("REPARTITION", "FAIL"):
            raise self.expected("REPARTITION or FAIL", "Write ENFORCED ON VIOLATION FAIL.")
        if violation == "REPARTITION" and layout.is_opaque():
            raise self.bad_option(
                "ON VIOLATION REPARTITION",
                "by what function the keys of a LAYOUT were spread is not known, so no shuffle "
                "can spread them alike",
                "Write ON VIOLATION FAIL, or INTO n PARTITIONS USING HASH SPARK.",
            )
        self.at += 1
        return "full", violation.lower()

    def bad_option(self, option: str, reason: str, hint: str) -> ClauseError:
        """Returns the error INVALID_OPTION at the next word."""
        return self.error("INVALID_OPTION", self.at, option=option, reason=reason, hint=hint)

    def removed(self, feature: str, hint: str) -> ClauseError:
        """Returns the error that there is no `feature` any more, at the last word and the next."""
        first, last = self.tokens.words[self.at - 1 : self.at + 1]
        return ClauseError(
            "EDDYLINE_SYNTAX.FEATURE_REMOVED",
            self.tokens.sql,
            first.start,
            last.stop,
            feature=feature,
            hint=hint,
        )

    def names_violation(self) -> bool:
        """Returns whether ON VIOLATION follows as an option, and not as a join's condition."""
        if self.key() != "ON" or self.tokens.key(self.at + 1) != "VIOLATION":
            return False
        return self.tokens.key(self.at + 2) not in _AFTER_OPERAND


class _StatementReader(_KeysReader, StatementReader):
    """Reads CHECK ASSUMPTION."""

    def read(self) -> Clause:
        """Reads CHECK ASSUMPTION ON relation PARTITIONED BY (key, …) [LIMIT n]."""
        self.at += 1
        if self.key() != "ON":
            raise self.expected("ON", _CHECK_FORM)
        self.at += 1
        call = f"SELECT * FROM {CHECK_CALL}(TABLE(SELECT * FROM"
        self.replace_words(self.first, self.at - 1, call, "relation")
        relation = self.at
        while self.at < self.end and self.key() != "PARTITIONED BY":
            self.require_closed()
            self.at = self.tokens.after(self.at)
        if self.at == relation or self.key() != "PARTITIONED BY":
            raise self.expected("a relation and PARTITIONED BY", _CHECK_FORM)
        self.replace(self.tokens.words[self.at], "), keys => array", "relation")
        self.at += 1
        if self.is_own_by():
            self.replace(self.tokens.words[self.at], "")
            self.at += 1
        self.read_keys()
        if self.key() == "LIMIT":
            self.replace(self.tokens.words[self.at], ", count =>")
            self.at += 1
            text = self.tokens.words[self.at].text if self.is_number() else ""
            if not self.is_parameter() and not is_between(0, text, _MAX_LIMIT):
                raise self.expected(f"a number up to {_MAX_LIMIT}", "Write LIMIT 10.")
            self.at = self.after_literal()
        return self.end_statement(hint=_CHECK_FORM)
