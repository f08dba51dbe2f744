"""The reader of statements about streaming queries: `sql/grammar/streamingquery.ebnf`.

    START STREAMING QUERY tops TRIGGER EVERY 10 SECONDS CHECKPOINT '/c' AS INSERT INTO t SELECT …

becomes, with the user's query where it was:

    SELECT * FROM __eddyline_start_streaming_query(name => 'tops' , every => INTERVAL 10 SECONDS ,
      checkpoint => '/c' , target => TABLE(t) , text => X'…', query => TABLE( SELECT …))

CREATE and VALIDATE STREAMING QUERY have also `statement => X'…'`, the whole statement as typed.
Every other statement is a call of
`__eddyline_streaming_query(action => 'stop', name => 'tops')`.
"""

from __future__ import annotations

from eddyline.lowering.query import after_verb, begins_statement, is_column_list
from eddyline.lowering.reader import Clause, StatementReader
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens

ROLE = Role.STATEMENT
STAND_IN = StatementReader.stand_in

FIRST = frozenset(
    "START STOP RESTART DROP AWAIT SHOW DESCRIBE DESC EXPLAIN CREATE VALIDATE ALTER PAUSE "
    "RESUME".split()
)
CALL = "__eddyline_start_streaming_query"
_LATER = frozenset(["ALTER", "PAUSE", "RESUME"])
_ACTIONS = {"DESC": "describe"}
_CLAUSES = ("TRIGGER", "CHECKPOINT", "RESET", "OPTIONS", "COMMENT")
_AFTER_NAME = ("AS", *_CLAUSES)
# options of the writer that have a clause of their own
_RESERVED = frozenset(["checkpointlocation", "queryname"])
# what Spark's own triggers are called here
_TRIGGER_HINTS = {
    "ONCE": "Write TRIGGER AVAILABLE NOW, which has taken the place of Spark's trigger ONCE.",
    "CONTINUOUS": "Write TRIGGER REAL TIME.",
}
_SHOWN = {
    "progress": "SHOW STREAMING QUERY PROGRESS",
    "show_create": "SHOW CREATE STREAMING QUERY",
}
_SHOW_HINT = (
    "Write SHOW STREAMING QUERIES, SHOW STREAMING QUERY PROGRESS name, or DESCRIBE STREAMING QUERY "
    "name."
)


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins a statement about streaming queries."""
    if tokens.key(index) not in FIRST:
        return False
    at = after_verb(tokens, index)
    if tokens.key(at) != "STREAMING" or tokens.key(at + 1) not in ("QUERY", "QUERIES"):
        return False
    return begins_statement(tokens, index)


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the statement at `index`. Raises `ClauseError`, EDDYLINE_STREAMING_QUERY.*."""
    return _Reader(tokens, index).read()


class _Reader(StatementReader):
    """Reads one statement."""

    condition = "EDDYLINE_STREAMING_QUERY"
    replaces = False

    @property
    def verb(self) -> str:
        """The first word of the statement."""
        return self.tokens.key(self.first)

    def read(self) -> Clause:
        verb = self.verb
        if verb in _LATER:
            raise self.error("NOT_SUPPORTED_YET", self.first, statement=f"{verb} STREAMING QUERY")
        action = _ACTIONS.get(verb, verb.lower())
        if verb == "SHOW":
            action = self.read_show()
        else:
            self.replaces = verb == "CREATE" and self.key() == "OR"
            if self.replaces:
                self.take("OR", "REPLACE")
            self.take("STREAMING")
            if self.key() != "QUERY":
                raise self.expected("QUERY", f"Write {verb} STREAMING QUERY name.")
            self.at += 1
        if verb in ("CREATE", "VALIDATE"):
            return self.read_definition(self.statement())
        if verb == "START" and self.is_definition():
            return self.read_definition("")
        if verb == "START" and self.after_name() < self.end:
            self.read_query_name("", self.hint)
            raise self.expected("AS", self.hint)
        if verb == "DROP" and self.read_if("EXISTS"):
            action = "drop_if_exists"
        call = f"SELECT * FROM __eddyline_streaming_query(action => '{action}'"
        self.replace_words(self.first, self.at - 1, call)
        if action != "show":
            form = _SHOWN.get(action, f"{verb} STREAMING QUERY")
            self.read_query_name(", ", f"Write {form} name.")
        if verb == "AWAIT" and self.key() == "TIMEOUT":
            self.replace(self.tokens.words[self.at], ", timeout =>")
            self.at += 1
            self.read_interval("TIMEOUT")
        if verb == "DROP" and self.key() == "PURGE":
            self.replace(self.tokens.words[self.at], ", purge => true")
            self.at += 1
        return self.end_statement()

    @property
    def hint(self) -> str:
        """The form of the statement that defines a query."""
        verb = self.verb if self.verb in ("CREATE", "VALIDATE") else "START"
        return f"Write {verb} STREAMING QUERY name AS INSERT INTO table SELECT …."

    def statement(self) -> str:
        """Returns the arguments of CREATE and VALIDATE, among them the statement as typed."""
        words = self.tokens.words
        typed = self.tokens.sql[words[self.first].start : words[self.end - 1].stop]
        call = f"statement => X'{typed.encode().hex()}', "
        if self.verb == "VALIDATE":
            return call + "validate => true, "
        return call + ("or_replace => true, " if self.replaces else "")

    def read_show(self) -> str:
        """Reads STREAMING QUERIES, STREAMING QUERY PROGRESS or CREATE STREAMING QUERY."""
        if self.key() == "CREATE":
            self.take("CREATE", "STREAMING", "QUERY")
            return "show_create"
        self.take("STREAMING")
        if self.key() == "QUERIES":
            self.take("QUERIES")
            return "show"
        if (self.key(), self.tokens.key(self.at + 1)) != ("QUERY", "PROGRESS"):
            self.at += self.key() == "QUERY"
            raise self.expected("QUERIES or QUERY PROGRESS", _SHOW_HINT)
        self.take("QUERY", "PROGRESS")
        return "progress"

    def is_definition(self) -> bool:
        """Returns whether a definition follows the name, and not the name alone."""
        conditional = self.key() == "IF" and self.tokens.key(self.at + 1) == "NOT"
        return conditional or self.tokens.key(self.after_name()) in _AFTER_NAME or self.lacks_name()

    def after_name(self) -> int:
        """Returns the index after the name that is next, or after IDENTIFIER(…)."""
        is_clause = self.key() == "IDENTIFIER" and self.tokens.key(self.at + 1) == "("
        return self.tokens.after(self.at + 1) if is_clause else self.at + 1

    def lacks_name(self) -> bool:
        """Returns whether the words after the name follow, but no name."""
        follows = self.key() in _AFTER_NAME and self.at + 1 < self.end
        return follows and self.tokens.key(self.at + 1) not in _AFTER_NAME

    def read_definition(self, arguments: str) -> Clause:
        """Reads [IF NOT EXISTS] name {clause} AS sink query."""
        call = f"SELECT * FROM {CALL}({arguments}"
        conditional = (self.key(), self.tokens.key(self.at + 1)) == ("IF", "NOT")
        if conditional and self.replaces:
            raise self.expected("a name", "Write either OR REPLACE or IF NOT EXISTS.")
        if conditional and self.verb == "VALIDATE":
            raise self.expected("the name of a streaming query", self.hint)
        if self.read_if("NOT", "EXISTS"):
            call += "if_not_exists => true, "
        self.replace_words(self.first, self.at - 1, call)
        if self.lacks_name():
            raise self.expected("the name of a streaming query", self.hint)
        self.read_query_name("", self.hint)
        while self.key() in _CLAUSES:
            self.once(self.key())
            self.read_clause(self.key())
        if self.key() != "AS":
            raise self.expected("AS", self.hint)
        self.read_sink()
        return self.end_query(self.hint)

    def read_clause(self, clause: str) -> None:
        """Reads TRIGGER …, CHECKPOINT …, RESET CHECKPOINT, OPTIONS … or COMMENT …."""
        first = self.at
        self.at += 1
        if clause == "OPTIONS":
            self.read_options()
        elif clause == "RESET":
            self.take("CHECKPOINT")
            if not self.replaces:
                statement = f"{self.verb} STREAMING QUERY"
                raise self.error("RESET_WITHOUT_REPLACE", first, statement=statement)
            self.replace_words(first, self.at - 1, ", reset_checkpoint => true")
        elif clause != "TRIGGER":
            self.replace(self.tokens.words[first], f", {clause.lower()} =>")
            self.read_text(clause)
        elif self.key() == "EVERY":
            self.replace_words(first, self.at, ", every =>")
            self.at += 1
            self.read_interval("EVERY")
        elif self.key() == "AVAILABLE":
            self.take("AVAILABLE", "NOW")
            self.replace_words(first, self.at - 1, ", available_now => true")
        elif self.key() == "REAL":
            self.take("REAL", "TIME")
            if self.key() == "INTERVAL" or self.is_number() or self.is_text():
                self.replace_words(first, self.at - 1, ", batch =>")
                self.read_interval("REAL TIME")
            else:
                self.replace_words(first, self.at - 1, ", real_time => true")
        else:
            hint = _TRIGGER_HINTS.get(self.key(), "Write TRIGGER EVERY 10 SECONDS.")
            raise self.expected("EVERY, AVAILABLE NOW or REAL TIME", hint)

    def read_options(self) -> None:
        """Reads options of the reader and the writer, and confs."""
        for pair in self.read_map("OPTIONS", ", options"):
            key = pair.key.lstrip("rR")[1:-1]
            if key.lower() in _RESERVED:
                raise self.error("OPTION_RESERVED", pair.index, option=key)

    def read_sink(self) -> None:
        """Reads AS INSERT INTO … or AS UPSERT INTO …."""
        first = self.at
        self.at += 1
        upsert = self.key() == "UPSERT"
        if self.key() not in ("INSERT", "UPSERT"):
            raise self.expected("INSERT INTO or UPSERT INTO", self.hint)
        self.at += 1
        if self.key() == "OVERWRITE":
            hint = "A stream appends to its table; UPSERT INTO table KEY (column) replaces rows."
            raise self.expected("INTO", hint)
        self.take("INTO")
        if self.key() == "TABLE":
            self.at += 1
        self.replace_words(first, self.at - 1, ", target => TABLE(", "target")
        self.read_relation_name("a table", "Write INSERT INTO table.")
        self.insert_after(self.at - 1, ")", "target")
        if upsert:
            start = self.at
            self.take("KEY")
            self.read_columns(start, "KEY", "upsert_key")
        elif self.key() == "(" and is_column_list(self.tokens, self.at):
            self.read_columns(self.at, "columns", "columns")
        elif self.key() == "BY":
            start = self.at
            self.take("BY", "NAME")
            self.replace_words(start, self.at - 1, ", by_name => true")
        if [self.tokens.key(self.at + i) for i in range(3)] == ["WITH", "BATCH", "ID"]:
            start = self.at
            self.take("WITH", "BATCH", "ID")
            if not self.tokens.is_name(self.at):
                raise self.expected("a column", "Write WITH BATCH ID column.")
            self.replace_words(start, self.at - 1, ", batch_id => array(")
            self.insert_after(self.at, ")")
            self.at += 1
