"""The reader of EMIT (KIP-557): `sql/grammar/emit.ebnf` on tokens.

    SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE OF (top)

becomes, with the user's query and columns where they were:

    SELECT * FROM __eddyline_emit(TABLE(SELECT k, max(v) AS top FROM t GROUP BY k ),
      strategy => 'change', compared => array (top))
"""

from __future__ import annotations

from eddyline.lowering.edits import Edit
from eddyline.lowering.placeholders import Argument, arguments
from eddyline.lowering.query import begins_query, query_start, statement_verb
from eddyline.lowering.reader import Clause, ClauseReader, literal
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens
from eddyline.lowering.words import JOIN_TYPES, QUERY_STARTS, QUERY_TAIL

ROLE = Role.TAIL
STAND_IN = ""  # the clause disappears and its query stays
FIRST = frozenset(["EMIT"])
CALL = "__eddyline_emit"

_ARGUMENTS = {argument.name: argument for argument in arguments(CALL)}
_STRATEGIES = frozenset(name.upper() for name in _ARGUMENTS["strategy"].values)
_MISSPELT = frozenset(["CHANGE", "CHANGES", "FINAL", "UPDATE", "WINDOW"])
# the options of ON CHANGE in their order, and the words that begin them
_IN_ORDER = [each for each in _ARGUMENTS.values() if each.name not in ("every", "strategy")]
_HEADS = {
    each.name: each.words if each.type == "expression" else each.words.split()[0]
    for each in _IN_ORDER
}
# the words that begin an option and, but for EXCEPT and WITH, nothing else
_OPTIONS = frozenset(_HEADS[each.name] for each in _IN_ORDER if each.type != "expression")
# the words before which a formatter begins a line
BEGIN_LINE = frozenset(
    _HEADS[each.name]
    for each in _IN_ORDER
    if not each.needs and each.name not in ("compared", "ignored")
)
_EXPRESSION_ENDS = _OPTIONS - {"OF", "EXCEPT", "KEY"}
_CHANGE_TYPE = "_change_type"  # as in the change data of Delta and Spark
_DIRECTIONS = frozenset(["ASC", "DESC", "NULLS"])
_IN_QUERY = QUERY_TAIL | {"GROUP BY", "HAVING", "WHERE", "WINDOW", "|>"}
_BEGINS_QUERY = QUERY_STARTS | {"("}
_NO_DML = frozenset(["MERGE", "DELETE", "UPDATE"])
_HINT = "Write EMIT ON CHANGE, EMIT ON UPDATE, EMIT ON WINDOW CLOSE or EMIT EVERY 10 SECONDS."
_AMOUNT_HINT = "Write TOLERANCE 0.5, TOLERANCE 10 SECONDS, or TOLERANCE (price 0.5, at 10 SECONDS)."
_COLUMNS_HINT = "{} takes names of columns of the result."
_ORDER_HINT = (
    "Write the options once each, in the order "
    + "".join(
        (" or " if each.instead_of else ", " if number else "") + each.words
        for number, each in enumerate(_IN_ORDER)
    )
    + "."
)


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins an EMIT; Spark has refused the text.

    After a JOIN without a condition, Spark reads `EMIT ON CHANGE` as an alias and a condition. It
    remains so, unless what follows cannot be a condition.
    """
    names_index = tokens.key(index - 1) == "INDEX" and tokens.key(index - 2) in ("CREATE", "DROP")
    is_word = index > 0 and tokens.key(index - 1) != "." and not names_index
    is_word = is_word and not tokens.expects_operand(index)
    if tokens.key(index) not in FIRST or not is_word:
        return False
    follower = tokens.key(index + 1)
    if follower != "ON":
        names_window = follower == "WINDOW" and tokens.key(index + 3) == "AS"
        return follower == "EVERY" or (follower in _MISSPELT and not names_window)
    return not may_be_alias_of_join(tokens, index) or _is_no_condition(tokens, index + 2)


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the clause at `index`. Raises `ClauseError`, condition EDDYLINE_EMIT.*."""
    return _Reader(tokens, index).read()


def _is_no_condition(tokens: Tokens, index: int) -> bool:
    """Returns whether a strategy that Spark cannot read as a join's condition is at `index`."""
    strategy, option, bracket = (tokens.key(index + i) for i in range(3))
    if strategy == "WINDOW":
        return option == "CLOSE"
    if strategy != "CHANGE" or option not in _OPTIONS:
        return False
    return option != "EXCEPT" or (bracket == "(" and tokens.key(index + 3) not in _BEGINS_QUERY)


def _begins_insert(tokens: Tokens, index: int) -> bool:
    """Returns whether an INSERT begins at `index`, as in Hive's FROM t INSERT INTO u SELECT …."""
    is_insert = tokens.key(index) == "INSERT" and not tokens.expects_operand(index)
    return is_insert and tokens.key(index + 1) in ("INTO", "OVERWRITE")


def may_be_alias_of_join(tokens: Tokens, index: int) -> bool:
    """Returns whether a relation joined without alias and condition ends before `index`."""
    at = index - 1
    while tokens.key(at) == ")":
        at = tokens.match.get(at, at) - 1
        if tokens.key(at) not in ("REPEATABLE", "TABLESAMPLE"):
            break
        at -= 1
    if tokens.key(at) == "USING" and tokens.key(at - 1) != "JOIN":
        return False  # the columns of the join
    if tokens.is_name(at) and tokens.key(at) not in ("JOIN", "LATERAL"):
        at -= 1
        while tokens.key(at) == ".":
            at -= 2
    if tokens.key(at) in ("LATERAL", "STREAM", "TABLE"):
        at -= 1
    return tokens.key(at) == "JOIN" and not _is_natural(tokens, at)


def _is_natural(tokens: Tokens, at: int) -> bool:
    """Returns whether the JOIN at `at` is a NATURAL JOIN, which takes no condition."""
    while tokens.key(at - 1) in JOIN_TYPES:
        at -= 1
        if tokens.key(at) == "NATURAL":
            return True
    return False


class _Reader(ClauseReader):
    """Reads one EMIT."""

    condition = "EDDYLINE_EMIT"

    def read(self) -> Clause:
        emit = self.tokens.words[self.first]
        verb = statement_verb(self.tokens, self.first)
        if verb in _NO_DML:
            raise self.error("NOT_IN_DML", self.first, statement=verb)
        start = query_start(self.tokens, self.first)
        if start is None or start >= self.first:
            raise self.error("NO_QUERY", self.first)
        if self.tokens.find(start, _begins_insert) < self.first:
            raise self.error("NOT_IN_DML", self.first, statement="FROM … INSERT")
        opening = self.tokens.words[start].start
        self.edits.append(Edit(opening, opening, f"SELECT * FROM {CALL}(TABLE("))
        self.read_strategy()
        self.require_end()
        self.insert_after(self.at - 1, ")")
        stop = self.tokens.words[self.at - 1].stop
        return Clause(emit.start, stop, self.at, self.edits, STAND_IN)

    def read_strategy(self) -> None:
        """Reads ON … or EVERY interval [ON …]."""
        last = self.at
        every = self.key() == "EVERY"
        if every:
            self.at += 1
            self.read_interval("EVERY")
        elif self.key() != "ON":
            raise self.expected("ON or EVERY", _HINT)
        if self.key() != "ON":
            self.open_call(last, "every", every=True)
            return
        first = self.at
        self.at += 1
        strategy = self.key()
        if strategy not in _STRATEGIES or (strategy == "WINDOW" and every):
            what = "CHANGE or UPDATE" if every else "CHANGE, UPDATE or WINDOW CLOSE"
            raise self.expected(what, _HINT)
        self.at += 1
        if strategy == "WINDOW":
            self.take("CLOSE")
        if every:
            self.replace_words(first, self.at - 1, "")
        else:
            last = self.at - 1
        self.open_call(last, strategy.lower(), every=every)
        if strategy == "CHANGE":
            self.read_change()

    def open_call(self, last: int, strategy: str, *, every: bool) -> None:
        """Replaces the words up to `last` by the end of the query and the name of the strategy."""
        pace = ", every =>" if every else ""
        self.replace_words(self.first, last, f"), strategy => '{strategy}'{pace}")

    def read_change(self) -> None:
        """Reads the options of ON CHANGE, each once and in their order."""
        seen: set[str] = set()
        for option in _IN_ORDER:
            is_next = self.key() == _HEADS[option.name] and option.instead_of not in seen
            if not is_next or (option.type != "expression" and not self.is_option()):
                continue
            if option.needs and option.needs not in seen:
                if option.needs != "keys" or option.type == "expression":
                    continue  # it belongs to the query, or is refused below
                raise self.error("OPTION_WITHOUT_KEY", self.at, option=option.words)
            self.read_option(option)
            seen.add(option.name)
        if self.is_option():
            raise self.expected("the end of the query", _ORDER_HINT)

    def read_option(self, option: Argument) -> None:
        """Reads the words of an option and its value."""
        if option.type == "columns":
            self.read_columns(option)
        elif option.type == "expression":
            self.read_ordering(option)
        elif option.type == "condition":
            self.read_condition(option)
        elif option.type == "amount":
            self.read_tolerance(option)
        elif option.type == "name":
            self.read_change_type(option)
        elif option.type == "flag":
            self.replace(self.tokens.words[self.at], f", {option.name} => true")
            self.at += 1
        else:
            self.read_duration(option)

    def is_option(self) -> bool:
        """Returns whether an option of ON CHANGE is next; EXCEPT may also join two queries."""
        if self.key() == "WITH":
            return self.tokens.key(self.at + 1) == "CHANGE"
        if self.key() != "EXCEPT":
            return self.key() in _OPTIONS
        return self.tokens.key(self.at + 1) == "(" and not begins_query(self.tokens, self.at + 2)

    def read_words(self, option: Argument) -> None:
        """Reads the words of an option, after which its value follows."""
        first = self.at
        self.take(*option.words.split())
        self.replace_words(first, self.at - 1, f", {option.name} =>")

    def read_duration(self, option: Argument) -> None:
        """Reads an option that consists of words and an interval."""
        self.read_words(option)
        self.read_interval(option.words)

    def read_ordering(self, option: Argument) -> None:
        """Reads ORDER BY and its expression, which may not have a direction."""
        self.replace(self.tokens.words[self.at], f", {option.name} =>")
        self.at += 1
        first = self.at
        self.skip_to(_EXPRESSION_ENDS | _DIRECTIONS | {",", "EMIT"})
        if self.at == first:
            raise self.expected("an expression", "Write KEY (k) ORDER BY ts.")
        if self.key() in _DIRECTIONS:
            hint = (
                "Rows are taken in ascending order, NULL first: write ORDER BY ts or ORDER BY -ts."
            )
            raise self.expected("the end of the expression", hint)
        if self.key() == ",":
            hint = "To sort by several expressions, write ORDER BY struct(a, b)."
            raise self.expected("the end of the expression", hint)

    def read_condition(self, option: Argument) -> None:
        """Reads the words of an option and a condition."""
        self.read_words(option)
        first = self.at
        self.skip_to(_EXPRESSION_ENDS | {",", "EMIT"})
        if self.at == first:
            raise self.expected("a condition", f"Write {option.words} op = 'd'.")

    def read_change_type(self, option: Argument) -> None:
        """Reads WITH CHANGE TYPE [name]."""
        first = self.at
        self.take(*option.words.split())
        name = _CHANGE_TYPE
        if (
            self.key() not in ("BEFORE", "DO")
            and self.at < self.end
            and self.tokens.is_name(self.at)
        ):
            name = self.tokens.words[self.at].name
            self.at += 1
        self.replace_words(first, self.at - 1, f", {option.name} => {literal(name)}")

    def read_tolerance(self, option: Argument) -> None:
        """Reads TOLERANCE amount or TOLERANCE (column amount, …)."""
        self.replace(self.tokens.words[self.at], f", {option.name} =>")
        self.at += 1
        if self.key() != "(":
            self.read_amount()
            return
        self.replace(self.tokens.words[self.at], "array(")
        self.require_closed()
        self.at += 1
        while True:
            self.read_dotted_name("a column", _COLUMNS_HINT.format("TOLERANCE"))
            self.insert_after(self.at - 1, ",")
            self.read_amount()
            if not self.read_comma("TOLERANCE"):
                return

    def read_amount(self) -> None:
        """Reads a number, whose sign the JVM checks, or an interval."""
        if self.key() == "-":
            self.at += 1
        if self.key() == "." and self.tokens.key(self.at + 1).isdecimal():
            self.at += 2
        elif self.is_number() and not self.is_unit(self.after_literal()):
            self.at = self.after_literal()
        elif self.is_number() or self.is_text() or self.key() == "INTERVAL":
            self.read_interval("TOLERANCE")
        else:
            raise self.expected("a number or an interval", _AMOUNT_HINT)

    def read_columns(self, option: Argument) -> None:
        """Reads OF, EXCEPT or KEY and its columns in parentheses."""
        word = option.words
        self.replace(self.tokens.words[self.at], f", {option.name} => array")
        self.at += 1
        if self.key() != "(":
            raise self.expected("'('", f"Write {word} (column, …).")
        self.require_closed()
        self.at += 1
        while True:
            self.read_dotted_name("a column", _COLUMNS_HINT.format(word))
            if not self.read_comma(word):
                return

    def read_comma(self, word: str) -> bool:
        """Reads the comma or bracket after a column; returns whether another column follows."""
        key = self.key()
        if key not in (",", ")"):
            raise self.expected("',' or ')'", _COLUMNS_HINT.format(word))
        self.at += 1
        return key == ","

    def require_end(self) -> None:
        """Refuses any words of the query after the clause."""
        key = self.key()
        if not key and self.at >= self.end:
            return
        if key == "EMIT":
            raise self.error("DUPLICATE_EMIT", self.at)
        if self.is_option():
            words = self.tokens.words
            emit = self.tokens.sql[words[self.first].start : words[self.at - 1].stop]
            typed = " ".join(emit.split())
            raise self.error("OPTION_WITHOUT_CHANGE", self.at, option=key, emit=typed)
        if key in _IN_QUERY:
            raise self.error("NOT_AT_END", self.at, word=key)
        if self.at < self.end and key != "DO":
            hint = "EMIT is the last clause of a query; those of a statement stand before its AS."
            raise self.expected("the end of the query", hint)
