"""The reader of COGROUP (KIP-150): `sql/grammar/cogroup.ebnf` on tokens.

    COGROUP cart WHERE c BY k, purchases AS p BY buyer AGGREGATE count(cart.item) AS n HAVING h

becomes, with the user's expressions where they were:

    FROM __eddyline_cogroup(cart => TABLE(SELECT * FROM cart WHERE c ) PARTITION BY ( k),
      p => TABLE(SELECT * FROM purchases AS p ) PARTITION BY ( buyer) ) SELECT count(cart.item) AS n
      GROUP BY __eddyline_keys HAVING h
"""

from __future__ import annotations

from difflib import get_close_matches
from itertools import zip_longest

from eddyline.lowering import emit
from eddyline.lowering.branches import Branch, Key
from eddyline.lowering.edits import Edit
from eddyline.lowering.reader import Clause, ClauseReader, is_between, literal
from eddyline.lowering.relation import OPTION_HEADS, is_row, read_primary, relation_name
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens, Word
from eddyline.lowering.words import JOIN_TYPES, QUERY_STARTS, QUERY_TAIL, SET_OPERATORS

MAX_BRANCHES = 63
ROLE = Role.PRIMARY
STAND_IN = "TABLE c"  # a text no longer than the shortest clause
FIRST = frozenset(["COGROUP"])
CALL = "__eddyline_cogroup"
USING = "__eddyline_using"
KEY_NAMES = "__eddyline_key_names"
BRANCH_BIT = "__eddyline_branch"
_PRESENCE = f"bit_count(bit_or({BRANCH_BIT})) >="

_BEGINS_QUERY = frozenset([";", "BEGIN", "DO", "ELSE", "EXPLAIN", "THEN"]) | {""}
_NO_QUERY_BEFORE = frozenset(["FROM", "JOIN", "LATERAL", ",", "STREAM"])
_BEFORE_QUERY = _NO_QUERY_BEFORE | {"(", "ALL", "AS", "DISTINCT"}
_IN_CASE = frozenset(["ELSE", "END", "WHEN"])
_AFTER_NAME = frozenset(["AS", "FROM", "JOIN"])  # of a column or another relation
_TELLING = frozenset(["BY", "AGGREGATE", "USING"])
_BRANCH_END = frozenset(["WHERE", "BY", ",", "USING", "AGGREGATE"])
_NO_KEY = frozenset(["FROM", "GROUP BY", "HAVING", "LIMIT", "ORDER BY", "SELECT"])
_KEY_END = _BRANCH_END - {"BY"} | _NO_KEY
_AFTER_TABLE = _BRANCH_END - {"AGGREGATE"} | {"AS", "."}
_NOT_IN_BRANCH = frozenset(["GROUP BY", "JOIN", "LATERAL", "ON"])
_TAIL = QUERY_TAIL | {"QUALIFY", "WINDOW", "DO", "|>"}
# words that may follow a column, and are names as well
_AFTER_OPERAND = _TAIL | frozenset(
    "AND AS BETWEEN DIV EMIT ILIKE IN IS LIKE OR REGEXP RLIKE".split()
)
_AGGREGATE_HINT = "Write AGGREGATE and the aggregates after the branches."
_NOT_HERE = {
    "WHERE": "Write WHERE after a branch, and HAVING after the aggregates.",
    "GROUP BY": "Write BY and the keys after each branch, without GROUP.",
    "SELECT": "Write the aggregates after AGGREGATE.",
    "FROM": "Write the branches after COGROUP.",
    "JOIN": "Put a join in parentheses and use it as a branch.",
    "ON": "Write BY and the key after each branch, as in cart BY customer_id.",
    "LATERAL": "Put a LATERAL VIEW into a subquery and use it as a branch.",
    "AGGREGATE": "Write AGGREGATE once, with a comma between the aggregates.",
    "BY": "Write the keys in BY after each branch.",
    "USING": "Write USING before AGGREGATE.",
}


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins a COGROUP; Spark has refused the text."""
    if tokens.key(index) not in FIRST or tokens.key(index - 1) == ".":
        return False
    before, follower = tokens.key(index - 1), index + 1
    names_relation = tokens.is_name(follower) or tokens.key(follower) == "("
    if before in _BEGINS_QUERY:
        ends = follower >= len(tokens) or tokens.key(follower) in (",", ")", ";")
        return ends or (names_relation and tokens.key(follower) not in _IN_CASE)
    if not names_relation or tokens.key(follower) in _AFTER_NAME:
        return False
    in_join = before in _NO_QUERY_BEFORE or tokens.key(follower + 1) in JOIN_TYPES | {"JOIN"}
    if tokens.key(follower) in JOIN_TYPES and in_join:
        return False
    misplaced = tokens.expects_operand(index) and before not in _BEFORE_QUERY
    return not misplaced and tokens.key(tokens.find(follower, _tells)) in _TELLING


def _tells(tokens: Tokens, index: int) -> bool:
    """Returns whether a keyword at `index` tells that the text is a COGROUP, or a SELECT."""
    return tokens.key(index) in _TELLING | {"FROM"} and not tokens.expects_operand(index)


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the clause at `index`. Raises `ClauseError`, condition EDDYLINE_COGROUP.*."""
    return _Reader(tokens, index).read()


def read_branches(tokens: Tokens, index: int) -> list[Branch]:
    """Returns the branches of the COGROUP at `index`. Raises `ClauseError` as `read` does."""
    reader = _Reader(tokens, index)
    reader.read()
    return reader.branches


class _Reader(ClauseReader):
    """Reads one COGROUP."""

    condition = "EDDYLINE_COGROUP"

    def __init__(self, tokens: Tokens, index: int) -> None:
        super().__init__(tokens, index)
        self.branches: list[Branch] = []

    def read(self) -> Clause:
        keyword = self.tokens.words[self.first]
        if self.tokens.key(self.first - 1) in _NO_QUERY_BEFORE:
            raise self.error("NOT_A_RELATION", self.first)
        self.read_branch(keyword, f"FROM {CALL}(")
        while self.key() == ",":
            comma = self.tokens.words[self.at]
            self.at += 1
            self.read_branch(comma, f"{self.end_of_keyless()}, ")
        if len(self.branches) == 1:
            raise self.expected("',' and a second branch", "COGROUP needs at least two branches.")
        if len(self.branches) > MAX_BRANCHES:
            raise self.error("TOO_MANY_BRANCHES", self.first, count=str(len(self.branches)))
        self.read_using()
        self.read_aggregates()
        stop = self.read_having()
        closing = self.parenthesize(keyword.start)
        return Clause(keyword.start, stop, self.at, self.edits, STAND_IN, closing)

    def read_branch(self, keyword: Word, lead: str) -> None:
        """Reads one branch: relationPrimary [WHERE condition] [BY keys]."""
        first = self.at
        if self.tokens.key(first) == "AGGREGATE" and self.tokens.key(first + 1) not in _AFTER_TABLE:
            raise self.expected("a table or subquery", "Leave out the comma before AGGREGATE.")
        self.skip_relation()
        if self.at == first:
            raise self.expected("a table or subquery", "Each branch is a table or a subquery.")
        if self.key() in _NOT_IN_BRANCH:
            raise self.expected("BY", _NOT_HERE[self.key()])
        name = self.branch_name(first)
        if self.key() == "WHERE":
            self.at += 1
            condition = self.at
            if self.key() != "BY" or not self.tokens.is_name(self.at + 1):
                self.skip_to(_BRANCH_END - {"WHERE"})
            if self.at == condition:
                raise self.expected("a condition", "WHERE filters the rows of its branch.")
        self.replace(keyword, f"{lead}{name} => TABLE(SELECT * FROM")
        stop = self.at
        if self.tokens.key(stop) == "BY" and stop < self.end:
            self.branches.append(Branch(name, first, stop, True, self.read_keys()))
        else:
            self.branches.append(Branch(name, first, stop, False, ()))

    def end_of_keyless(self) -> str:
        """Returns what closes the last branch if it has no BY, after the edits of its claims."""
        return "" if self.branches[-1].has_keys else ")"

    def skip_relation(self) -> None:
        """Skips a table, a subquery or the like, with its alias, its claims and so on."""
        if self.key() == "VALUES":
            first = self.at
            self.at, _ = read_primary(self.tokens, first, self.end)  # commas separate its rows
            if self.at == first + 1:
                raise self.expected("'('", "Write each row of VALUES in parentheses.")
        while True:
            self.skip_to(_BRANCH_END | _NOT_IN_BRANCH)
            follower = self.tokens.key(self.at + 1)
            is_of_claim = (self.key(), follower) in OPTION_HEADS
            is_name = self.key() == "ON" and follower in _BRANCH_END
            if not is_of_claim and not is_name:
                return
            self.at += 1

    def branch_name(self, first: int) -> str:
        """Returns the name of the relation at `first`; made up for a table function or a join."""
        last = self.at - 1
        if self.tokens.key(last - 1) == "AS" and self.tokens.words[last].text[0].isdigit():
            return self.tokens.words[last].text  # Spark takes AS 2nd for a name
        name = relation_name(self.tokens, first, self.at)
        if name is None and self.is_query(first):
            raise self.error("BRANCH_UNNAMED", first)
        return name or f"branch_{len(self.branches) + 1}"

    def is_query(self, index: int) -> bool:
        """Returns whether a query begins at `index`, and not a join in parentheses."""
        while self.tokens.key(index) == "(" and self.tokens.key(index + 1) == "(":
            follower = self.tokens.after(index + 1)
            if self.tokens.key(follower) != ")" and self.tokens.key(follower) not in SET_OPERATORS:
                return False
            index += 1
        if self.tokens.key(index) == "(":
            index += 1
        return self.tokens.key(index) in QUERY_STARTS

    def read_keys(self) -> tuple[Key, ...]:
        """Reads BY key, or BY (key, …)."""
        by = self.tokens.words[self.at]
        self.at += 1
        first = self.at
        self.skip_to(_KEY_END)
        if self.at == first:
            raise self.expected("a key", "Write a column or an expression after BY.")
        self.require_keys(first)
        if self.tokens.key(first) == "(" and self.tokens.after(first) == self.at:
            self.replace(by, ") PARTITION BY", "keys")
            return self.read_key_list(first + 1, self.at - 1)
        self.replace(by, ") PARTITION BY (", "key")
        key = self.read_key(first, self.at)
        self.insert_after(self.at - 1, ")")
        return (key,)

    def require_keys(self, first: int) -> None:
        """Refuses WHERE after the keys that begin at `first`, and AGGREGATE if it is misspelt."""
        if self.key() == "WHERE":
            hint = "WHERE stands before BY, as in cart WHERE price > 1 BY customer_id."
            raise self.expected("',' or AGGREGATE", hint)
        for index in self.tokens.top_level(first, self.at):
            is_near = get_close_matches(self.tokens.key(index), ["AGGREGATE"], cutoff=0.8)
            if is_near and not self.tokens.expects_operand(index):
                self.at = index
                raise self.expected("AGGREGATE", _AGGREGATE_HINT)

    def read_key_list(self, first: int, stop: int) -> tuple[Key, ...]:
        """Reads the keys in [first, stop), separated by commas."""
        hint = "Write a column or an expression after BY."
        return tuple(self.read_key(*key) for key in self.keys_between(first, stop, hint))

    def read_key(self, first: int, stop: int) -> Key:
        """Reads expression [AS identifier], whose name becomes another argument."""
        named = next(
            (i for i in self.tokens.top_level(first, stop) if self.tokens.key(i) == "AS"), None
        )
        if named is None:
            return Key(first, stop, None)
        if named == first or named + 2 != stop or not self.tokens.is_name(named + 1):
            self.at = min(named + 1, stop) if named > first else named
            raise self.expected("the name of the key", "A key is an expression [AS name].")
        name = self.tokens.words[named + 1]
        self.replace_range(self.tokens.words[named].start, name.stop, "")
        return Key(first, named, name.name)

    def read_using(self) -> None:
        """Reads USING (column, …), the keys of all branches without BY."""
        keyless = [branch for branch in self.branches if not branch.has_keys]
        if self.key() != "USING":
            if keyless and self.key() == "AGGREGATE":
                raise self.error("KEY_MISSING", keyless[0].index, alias=keyless[0].name)
            return
        using = self.at
        if not keyless:
            raise self.error("USING_UNUSED", using)
        self.at += 1
        if self.key() != "(" or self.at not in self.tokens.match:
            raise self.expected("'('", "Write USING (column, …).")
        close = self.tokens.match[self.at]
        for i in range(self.at + 1, close + 1):
            even = (i - self.at) % 2 == 0
            if (even and i < close and self.tokens.key(i) != ",") or (
                not even and not self.tokens.is_name(i)
            ):
                self.at = i
                raise self.expected(
                    "','" if even else "a column", "USING takes names of columns; else write BY."
                )
        self.replace(self.tokens.words[using], f"{self.end_of_keyless()}, {USING} => array")
        self.at = close + 1

    def read_aggregates(self) -> None:
        """Reads AGGREGATE namedExpression, …."""
        if self.key() != "AGGREGATE":
            raise self.expected("AGGREGATE", _NOT_HERE.get(self.key(), _AGGREGATE_HINT))
        names = self.key_names()
        self.replace(self.tokens.words[self.at], f"{names}) SELECT")
        self.at += 1
        hint = "Write an aggregate, as in count(cart.item) AS items."
        if self.key() == "HAVING" and self.is_operand(self.at + 1):  # and not a column
            raise self.expected("an aggregate", hint)
        self.skip_list("an aggregate", hint)
        self.insert_after(self.at - 1, " GROUP BY __eddyline_keys")

    def is_operand(self, index: int) -> bool:
        """Returns whether an operand is at `index`, and not a word that may follow one."""
        key = self.tokens.key(index)
        is_operand = key == "(" or self.tokens.is_name(index) or is_row(self.tokens, index)
        return index < self.end and is_operand and key not in _AFTER_OPERAND

    def read_having(self) -> int:
        """Reads [HAVING …] and checks what follows; returns the offset after the clause."""
        if self.key() == "HAVING":
            self.at += 1
            condition = self.at
            if self.key() == "EVERY" and self.tokens.key(self.at + 1) == "BRANCH":
                self.replace_words(self.at, self.at + 1, f"{_PRESENCE} {len(self.branches)}")
                self.at += 2
                self.read_more_conditions()
            elif self.key() == "AT" and self.tokens.key(self.at + 1) == "LEAST":
                self.replace_words(self.at, self.at + 1, _PRESENCE)
                self.at += 2
                self.read_count()
                self.read_more_conditions()
            else:
                self.skip_tail()
                if self.at == condition:
                    raise self.expected("a condition", "HAVING filters the rows of the result.")
        if self.at < self.end and not self.is_tail():
            word = self.key()
            raise self.expected("the end of the COGROUP", _NOT_HERE.get(word, ""))
        return self.tokens.words[self.at - 1].stop

    def read_count(self) -> None:
        """Reads n BRANCHES."""
        is_whole = self.at < self.end and self.tokens.words[self.at].text.isdecimal()
        if not is_whole and not self.is_parameter():
            raise self.expected("a number of branches", "Write HAVING AT LEAST 2 BRANCHES.")
        count = self.tokens.words[self.at].text
        if is_whole and not is_between(1, count, len(self.branches)):
            number, branches = count.lstrip("0") or "0", str(len(self.branches))
            raise self.error("BRANCH_COUNT_OUT_OF_RANGE", self.at, count=number, branches=branches)
        self.at = self.after_literal()
        if self.key() not in ("BRANCH", "BRANCHES"):
            raise self.expected("BRANCHES", "Write HAVING AT LEAST 2 BRANCHES.")
        self.replace_words(self.at, self.at, "")
        self.at += 1

    def read_more_conditions(self) -> None:
        """Reads [AND condition] after that on the branches."""
        if self.key() == "AND":
            self.replace(self.tokens.words[self.at], "AND (")
            self.at += 1
            condition = self.at
            self.skip_tail()
            if self.at == condition:
                raise self.expected("a condition", "HAVING EVERY BRANCH AND condition.")
            self.insert_after(self.at - 1, ")")

    def parenthesize(self, start: int) -> Edit | None:
        """Opens a bracket after UNION or the like, as ORDER BY belongs to the whole; closes it."""
        before, end = self.first - 1, self.at
        if self.tokens.key(before) in ("ALL", "DISTINCT"):
            before -= 1
        if self.tokens.key(before) not in SET_OPERATORS:
            return None
        self.edits.insert(0, Edit(start, start, "("))
        while self.key() in ("QUALIFY", "WINDOW"):
            self.at += 1
            self.skip_tail()
        stop, self.at = self.tokens.words[self.at - 1].stop, end
        return Edit(stop, stop, ")")

    def key_names(self) -> str:
        """Returns the argument that names the keys, or an empty string where no key was named."""
        rows = [branch.keys for branch in self.branches if any(key.name for key in branch.keys)]
        if not rows:
            return ""
        names: list[str | None] = []
        for position, column in enumerate(zip_longest(*rows), start=1):
            given = [(key, key.name) for key in column if key is not None and key.name is not None]
            for key, name in given[1:]:
                if name.lower() != given[0][1].lower():
                    found = {"position": str(position), "firstName": given[0][1], "name": name}
                    raise self.error("KEY_NAME_MISMATCH", key.stop + 1, **found)
            names.append(given[0][1] if given else None)
        texts = ["NULL" if name is None else literal(name) for name in names]
        return f", {KEY_NAMES} => array({', '.join(texts)})"

    def skip_list(self, what: str, hint: str) -> None:
        """Skips a list of expressions, of which none may be empty."""
        start = self.at
        while True:
            self.skip_tail(stop_at_comma=True)
            if self.at == start:
                raise self.expected(what, hint)
            if self.key() != ",":
                return
            self.at += 1
            start = self.at

    def is_tail(self) -> bool:
        """Returns whether the next word begins what may follow a COGROUP."""
        return self.tokens.key(self.at) in _TAIL or emit.starts(self.tokens, self.at)

    def skip_tail(self, *, stop_at_comma: bool = False) -> None:
        """Skips an expression, up to HAVING, ORDER BY or the like, or a misplaced word."""
        while self.at < self.end:
            key = self.tokens.key(self.at)
            if stop_at_comma and key == ",":
                return
            ends = key == "HAVING" or key in _NOT_HERE or self.is_tail()
            is_from = key == "FROM" and self.tokens.key(self.at - 1) == "DISTINCT"
            if ends and not is_from and not self.tokens.expects_operand(self.at):
                return
            self.require_closed()
            self.at = self.tokens.after(self.at)
