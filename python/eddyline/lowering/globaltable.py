"""The reader of statements about global tables (KIP-99): `sql/grammar/globaltable.ebnf`.

    CREATE GLOBAL TABLE big PRIMARY KEY (id) REFRESH EVERY 1 HOUR AS SELECT …

becomes, with the user's query where it was:

    SELECT * FROM __eddyline_create_global_table(name => TABLE( big) , primary_key => array (id)
      , refresh_every => INTERVAL 1 HOUR  , text => X'…', query => TABLE(SELECT …))

With USING it stays Spark's CREATE TABLE, and the call is the value of an option:

    CREATE GLOBAL TABLE big USING csv OPTIONS (header true) LOCATION '/big' MAX ROWS 100

    CREATE  TABLE big USING csv  LOCATION '/big' OPTIONS ('__eddyline_create_global_table' =
      __eddyline_create_global_table(options => map('header', CAST(true AS STRING)),
      max_rows => 100))

and every other statement is a call of `__eddyline_global_table(action => 'drop', name => TABLE(
big))` or, for ALTER, of `__eddyline_alter_global_table`.
"""

from __future__ import annotations

import re
from decimal import Decimal

from eddyline.lowering.placeholders import arguments
from eddyline.lowering.query import after_verb, begins_query, begins_statement
from eddyline.lowering.reader import Clause, Pair, StatementReader
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens
from eddyline.lowering.words import QUERY_STARTS

ROLE = Role.STATEMENT
STAND_IN = StatementReader.stand_in

FIRST = frozenset("CREATE DROP REFRESH ALTER DESCRIBE DESC SHOW".split())
CALL = "__eddyline_create_global_table"
_ACTIONS = {"DESC": "describe"}
_INTERVALS = {each.words: each.name for each in arguments(CALL) if each.type == "interval"}
# the second words of a clause and a hint, by its first word
_SECOND = {
    "MAX": ("STALENESS, ROWS or BYTES", "Write MAX STALENESS 1 HOUR, MAX ROWS 1000, or the like."),
    "ON": (
        "DUPLICATE KEY",
        "ON STALE stands directly after MAX STALENESS 1 HOUR.",
    ),
    "REFRESH": ("MANUAL or EVERY", "Write REFRESH EVERY 10 SECONDS, or REFRESH MANUAL."),
}
_CLAUSES = frozenset(["COMMENT", "TBLPROPERTIES", *_SECOND])
# words that begin a clause of Spark's CREATE TABLE
_OF_SPARK = frozenset(
    "USING STORED ROW OPTIONS PARTITIONED CLUSTER CLUSTERED SKEWED LOCATION DEFAULT".split()
) | {"CLUSTER BY", "PARTITIONED BY"}
# WITH SERDEPROPERTIES is of Spark's CREATE TABLE
_QUERIES = QUERY_STARTS - {"WITH"}
_AFTER_EXPRESSION = _CLAUSES | _OF_SPARK | {"AS", ",", "PRIMARY", "PRIMARY KEY"}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(?:(?:([KMGTP])I?)?B?|L)", re.IGNORECASE)

_HINT = "Write CREATE GLOBAL TABLE name … AS SELECT …, or CREATE GLOBAL TABLE name USING …."
_SET_HINT = "Write ALTER GLOBAL TABLE name SET REFRESH EVERY 10 SECONDS, or another clause."
_EITHER = "A global table is made by USING or by AS and a query. Leave one of them out."
_ORDER = (
    "Write USING, OPTIONS, LOCATION and the like before the clauses of a global table, and only "
    "where no query follows."
)


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins a statement about global tables."""
    verb, at = tokens.key(index), after_verb(tokens, index)
    if verb not in FIRST:
        return False
    noun = "TABLES" if verb == "SHOW" and at == index + 1 else "TABLE"
    if tokens.key(at) != "GLOBAL" or tokens.key(at + 1) != noun:
        return False
    if verb in ("DESCRIBE", "DESC") and not tokens.is_name(at + 2):
        return False  # Spark's statement about the column `table` of the table `global`
    return begins_statement(tokens, index)


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the statement at `index`. Raises `ClauseError`, EDDYLINE_GLOBAL_TABLE.*."""
    return _Reader(tokens, index).read()


class _Reader(StatementReader):
    """Reads one statement.

    Attributes:
        lead: text before the next argument.
    """

    condition = "EDDYLINE_GLOBAL_TABLE"

    def __init__(self, tokens: Tokens, index: int) -> None:
        super().__init__(tokens, index)
        self.lead = ", "

    def read(self) -> Clause:
        verb = self.tokens.key(self.first)
        if verb == "CREATE":
            return self.read_create()
        if verb == "ALTER":
            return self.read_alter()
        return self.read_action(_ACTIONS.get(verb, verb.lower()))

    def read_action(self, action: str) -> Clause:
        """Reads DROP, REFRESH, DESCRIBE, SHOW CREATE or SHOW GLOBAL TABLES."""
        argument = "name"
        if action != "show":
            self.take("GLOBAL", "TABLE")
        elif self.key() == "CREATE":
            self.take("CREATE", "GLOBAL", "TABLE")
            action = "show_create"
        else:
            self.take("GLOBAL", "TABLES")
            argument = "namespace" if self.key() in ("IN", "FROM") else ""
            self.at += bool(argument)
        if action == "drop" and self.read_if("EXISTS"):
            action = "drop_if_exists"
        call = f"SELECT * FROM __eddyline_global_table(action => '{action}'"
        if argument:
            self.read_name(f"{call}, {argument} => TABLE(", ")", argument)
        else:
            self.replace_words(self.first, self.at - 1, call)
        return self.end_statement()

    def read_alter(self) -> Clause:
        """Reads GLOBAL TABLE name SET clause {clause}."""
        self.take("GLOBAL", "TABLE")
        self.read_name("SELECT * FROM __eddyline_alter_global_table(name => TABLE(", ")")
        if self.key() != "SET":
            raise self.expected("SET", _SET_HINT)
        self.replace_words(self.at, self.at, "")
        self.at += 1
        if self.key() not in _CLAUSES:
            raise self.expected("a clause", _SET_HINT)
        self.read_clauses(alters=True)
        return self.end_statement(hint=_SET_HINT)

    def read_create(self) -> Clause:
        """Reads [OR REPLACE] GLOBAL TABLE [IF NOT EXISTS] name, and one of the two forms."""
        flags = ")"
        replaces = self.key() == "OR"
        if replaces:
            self.take("OR", "REPLACE")
            flags += ", or_replace => true"
        word = self.at
        self.take("GLOBAL", "TABLE")
        if replaces and self.key() == "IF":
            raise self.expected("a name", "Write OR REPLACE or IF NOT EXISTS, not both.")
        if self.read_if("NOT", "EXISTS"):
            flags += ", if_not_exists => true"
        name = self.at
        self.skip_name("name")
        if self.key() == "(" or self.key() in _OF_SPARK:
            if replaces:
                self.at = self.first + 1
                hint = "Leave OR REPLACE out, or write AS and a query in the place of USING."
                raise self.expected("GLOBAL TABLE", hint)
            return self.read_table_form(word)
        self.at = name
        self.read_name(f"SELECT * FROM {CALL}(name => TABLE(", flags)
        return self.read_query_form()

    def read_query_form(self) -> Clause:
        """Reads {clause} AS query."""
        self.read_clauses()
        if self.key() != "AS":
            raise self.expected("AS", _ORDER if self.key() in _OF_SPARK else _HINT)
        self.replace_words(self.at, self.at, "")
        self.at += 1
        return self.end_query(_HINT)

    def read_table_form(self, word: int) -> Clause:
        """Reads [(columns)] and Spark's clauses, which stay, then ours; removes the word GLOBAL."""
        self.replace_words(word, word, "")
        columns_only = self.key() == "("
        call, options = f"OPTIONS ('{CALL}' = {CALL}(", ""
        if columns_only:
            self.require_closed()
            self.at = self.tokens.after(self.at)
        while self.at < self.end and not self.is_own():
            key = "" if self.tokens.expects_operand(self.at) else self.key()
            self.require_no_query(key, columns_only=columns_only)
            columns_only = False
            if key in ("OPTIONS", "COMMENT", "TBLPROPERTIES"):
                self.once(key)
            if key == "OPTIONS":
                first = self.at
                self.at += 1
                options = f"options => {self.moved_map(self.read_pairs('OPTIONS'))}"
                self.replace_words(first, self.at - 1, "")
                continue
            self.require_closed()
            self.at = self.tokens.after(self.at)
        if self.at == self.end:
            return self.end_statement(f" {call}{options}))")
        self.lead = f"{call}{options}, " if options else call
        self.read_clauses()
        self.require_no_query(self.key(), columns_only=False)
        return self.end_statement("))", _ORDER if self.key() in _OF_SPARK else _HINT)

    def moved_map(self, pairs: list[Pair]) -> str:
        """Returns options as an SQL map of strings, of which none is a parameter.

        They are moved, and would take the value of another `?` there.
        """
        entries = []
        for pair in pairs:
            self.at, after = pair.value, self.at
            if self.is_parameter():
                hint = "Write the value; the path may be LOCATION and a parameter."
                raise self.expected("a string, a number, TRUE or FALSE", hint)
            self.at = after
            entries.append(f"{pair.key}, CAST({self.tokens.words[pair.value].text} AS STRING)")
        return f"map({', '.join(entries)})"

    def require_no_query(self, key: str, *, columns_only: bool) -> None:
        """Refuses a query: only the other form has one."""
        names_format = self.tokens.key(self.at - 1) in ("STORED", "DEFINED")
        if key in _QUERIES or (key == "AS" and not names_format):
            hint = "Leave the columns out: the query names them." if columns_only else _EITHER
            raise self.expected("the end of the statement", hint)

    def is_own(self) -> bool:
        """Returns whether a clause follows that Spark's CREATE TABLE does not have."""
        if self.tokens.expects_operand(self.at):
            return False
        if self.key() not in _SECOND:
            return self.is_primary_key()
        return self.key() != "ON" or self.tokens.key(self.at + 1) in ("DUPLICATE", "STALE")

    def is_primary_key(self) -> bool:
        """Returns whether PRIMARY KEY follows, as one word or, with a comment between, as two."""
        two = (self.key(), self.tokens.key(self.at + 1)) == ("PRIMARY", "KEY")
        return two or self.key() == "PRIMARY KEY"

    def read_clauses(self, *, alters: bool = False) -> None:
        """Reads {clause}."""
        while (word := self.key()) in _CLAUSES or self.is_primary_key():
            second = self.tokens.key(self.at + 1)
            if word not in _CLAUSES:
                self.read_primary_key(alters=alters)
                continue
            self.once(f"{word} {second}" if word in ("MAX", "ON") else word)
            first = self.at
            self.at += 1 + (word in _SECOND)
            if word in ("COMMENT", "TBLPROPERTIES"):
                self.read_spark_clause(first, word)
            elif (word, second) == ("ON", "STALE") and alters:
                self.read_stale(first)
            else:
                self.read_clause(first, f"{word} {second}")

    def read_primary_key(self, *, alters: bool) -> None:
        """Reads PRIMARY KEY (columns)."""
        if alters:
            raise self.expected("another clause", "A primary key is given by CREATE alone.")
        self.once("PRIMARY KEY")
        first = self.at
        self.at += 1 if self.key() == "PRIMARY KEY" else 2
        self.read_columns(first, "PRIMARY KEY", "primary_key", self.lead)
        self.lead = ", "

    def read_spark_clause(self, first: int, word: str) -> None:
        """Reads COMMENT or TBLPROPERTIES."""
        if word == "TBLPROPERTIES":
            self.read_map(word, f"{self.lead}properties")
            self.lead = ", "
            return
        self.put(first, "comment =>")
        self.read_text(word)

    def read_clause(self, first: int, words: str) -> None:
        """Reads what follows the first two words of a clause."""
        if words == "ON DUPLICATE":
            self.read_duplicates(first)
        elif words == "REFRESH MANUAL":
            self.put(first, "refresh => 'manual'")
        elif words in _INTERVALS:
            self.put(first, f"{_INTERVALS[words]} =>")
            self.read_interval(words)
            is_stale = (self.key(), self.tokens.key(self.at + 1)) == ("ON", "STALE")
            if words == "MAX STALENESS" and is_stale:
                self.once("ON STALE")
                self.at += 2
                self.read_stale(self.at - 2)
        elif words == "MAX ROWS":
            number = self.tokens.words[self.at].text if self.is_number() else ""
            is_positive = re.fullmatch("0*[1-9][0-9]{0,17}[lL]?", number) is not None
            if not self.is_parameter() and not is_positive:
                raise self.expected("a positive whole number", "Write MAX ROWS 1000000.")
            self.put(first, "max_rows =>")
            self.at = self.after_literal()
        elif words == "MAX BYTES":
            self.read_bytes(first)
        else:
            self.at = first + 1
            raise self.expected(*_SECOND[self.tokens.key(first)])

    def read_duplicates(self, first: int) -> None:
        """Reads ON DUPLICATE KEY FAIL or ON DUPLICATE KEY LATEST BY expression."""
        self.at = first
        self.take("ON", "DUPLICATE", "KEY")
        if self.key() == "FAIL":
            self.at += 1
            self.put(first, "on_duplicate => 'fail'")
            return
        if self.key() != "LATEST":
            hint = "Write ON DUPLICATE KEY FAIL, or LATEST BY a column."
            raise self.expected("FAIL or LATEST BY", hint)
        self.take("LATEST", "BY")
        self.put(first, "latest_by =>")
        expression = self.at
        if self.key() != "AS" or not begins_query(self.tokens, self.at + 1):
            self.skip_to(_AFTER_EXPRESSION)
        if self.at == expression:
            raise self.expected("an expression", "Write LATEST BY a column.")

    def read_stale(self, first: int) -> None:
        """Reads FAIL or WAIT interval."""
        if self.key() not in ("FAIL", "WAIT"):
            raise self.expected("FAIL or WAIT", "Write ON STALE FAIL, or ON STALE WAIT 1 MINUTE.")
        self.at += 1
        if self.tokens.key(self.at - 1) == "FAIL":
            self.put(first, "on_stale => 'fail'")
            return
        self.put(first, f"{_INTERVALS['ON STALE WAIT']} =>")
        self.read_interval("ON STALE WAIT")

    def read_bytes(self, first: int) -> None:
        """Reads a size: a number, a number and a unit, or a string that holds them."""
        size = self.at
        if not self.is_number() and not self.is_text():
            raise self.expected("a size", "Write MAX BYTES 512 MB.")
        is_parameter, unit = self.is_parameter(), self.after_literal()
        has_unit = self.is_number() and self.tokens.is_name(unit) and unit < self.end
        has_unit = has_unit and self.tokens.key(unit) not in _AFTER_EXPRESSION
        if is_parameter:
            self.put(first, "max_bytes =>")
            if has_unit:
                self.replace_words(unit, unit, "")
        self.at = unit + has_unit
        if is_parameter:
            return
        words = self.tokens.words
        text = self.tokens.sql[words[size].start : words[self.at - 1].stop]
        count = _count_bytes(text)
        if count is None:
            raise self.error("INVALID_SIZE", size, size=text)
        self.put(first, f"max_bytes => {count}L")

    def put(self, first: int, argument: str) -> None:
        """Replaces the words from `first` up to the next word by an argument."""
        self.replace_words(first, self.at - 1, f"{self.lead}{argument}")
        self.lead = ", "

    def read_name(self, before: str, after: str, what: str = "name") -> None:
        """Reads a name; `before` replaces all words of the statement before it."""
        self.replace_words(self.first, self.at - 1, before, "name")
        self.skip_name(what)
        self.insert_after(self.at - 1, after, "name")

    def skip_name(self, what: str) -> None:
        """Skips a name, or IDENTIFIER(…)."""
        thing = "a global table" if what == "name" else "a namespace"
        self.read_relation_name(f"the name of {thing}", f"Write the name of {thing}.")


def _count_bytes(size: str) -> int | None:
    """Returns the bytes of a size, with powers of 1024 as in Spark; None unless it is above 0.

    >>> [_count_bytes(size) for size in ("10", "1.5 KiB", "'2g'", "1.5", "0 MB", "1 XB")]
    [10, 1536, 2147483648, None, None, None]
    """
    match = _SIZE.fullmatch(size.lstrip("rR").strip("'\"").strip())
    if match is None or ("." in match[1] and not match[2]):
        return None
    power = " KMGTP".index((match[2] or " ").upper())
    count = int(Decimal(match[1]) * 1024**power)
    return count if 0 < count < 2**63 else None
