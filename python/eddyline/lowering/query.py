"""Finds the start of the query that a trailing clause belongs to, and of its statement."""

from __future__ import annotations

from bisect import bisect_right

from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens
from eddyline.lowering.words import SELECTS, TRANSFORMS

_STATEMENTS = Role.STATEMENT.first_words
_STATEMENT_HEADS = Role.STATEMENT.heads
_BEGINS = SELECTS | TRANSFORMS
_CHANGES_ROWS = frozenset(["DELETE", "INSERT", "MERGE", "UPDATE"])
# statements that end with a query
_HOLDS_QUERY = _CHANGES_ROWS | frozenset(
    "ALTER CACHE CREATE DECLARE DESC DESCRIBE EXPLAIN REPLACE SET START VALIDATE".split()
)
# words after which TABLE begins no query
_BEFORE_TABLE = _STATEMENTS | frozenset(
    "CACHE CREATE EXTERNAL INTO LAZY OVERWRITE REPLACE RETURNS STREAMING TEMP TEMPORARY".split()
)
# words after which a name follows
_BEFORE_NAME = frozenset(["EXISTS", "FUNCTION", "INTO", "OVERWRITE", "TABLE", "VIEW", ".", ":"])
_BLOCKS = frozenset(["ATOMIC", "BEGIN", "ELSE", "LOOP", "REPEAT"])
_CONDITIONS = frozenset(["CASE", "ELSEIF", "FOR", "IF", "WHEN", "WHILE"])
_AFTER_CONDITION = frozenset(["DO", "THEN"])
_LABELLED = frozenset(["BEGIN", "FOR", "LOOP", "REPEAT", "WHILE"])


def query_start(tokens: Tokens, index: int) -> int | None:
    """Returns the index of the first word of the query in whose group the word at `index` stands.

    The query is the whole set operation, with its WITH; None if no query begins there.

    >>> from eddyline.lowering.tokens import read_tokens
    >>> tokens = read_tokens("INSERT INTO t WITH c AS (SELECT 1) TABLE c UNION SELECT 2 EMIT")
    >>> query_start(tokens, len(tokens) - 1)
    3
    """
    first = tokens.group_start(index)
    if first > 0 and tokens.key(first - 1) != ";":
        return first
    first = _after_script(tokens, first, index)
    if tokens.key(first) == "WITH":
        first = _after_with(tokens, first, index)
    if begins_query(tokens, first):
        return first
    if tokens.key(first) not in _HOLDS_QUERY:
        return None
    before_as = _creates(tokens, first)
    for at in tokens.top_level(first, index):
        before_as = before_as and tokens.key(at) != "AS"
        if at < first or before_as or not begins_query(tokens, at):
            continue
        if tokens.key(at) == "WITH":
            first = _after_with(tokens, at, index)
        if at >= first:
            return at
    return None


def _creates(tokens: Tokens, first: int) -> bool:
    """Returns whether the statement is an eddyline CREATE, which may have expressions before AS."""
    return tokens.key(first) == "CREATE" and tokens.key(after_verb(tokens, first)) in _STATEMENTS


def after_verb(tokens: Tokens, index: int) -> int:
    """Returns the index after CREATE [OR REPLACE], SHOW [CREATE] or another verb."""
    words = [tokens.key(index + i) for i in range(3)]
    if words == ["CREATE", "OR", "REPLACE"]:
        return index + 3
    return index + 2 if words[:2] == ["SHOW", "CREATE"] else index + 1


def begins_statement(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins a statement, alone or in a script.

    >>> from eddyline.lowering.tokens import read_tokens
    >>> tokens = read_tokens("BEGIN IF x THEN STOP y; END IF; (SELECT 1); END")
    >>> [tokens.key(i) for i in range(len(tokens)) if begins_statement(tokens, i)]
    ['BEGIN', 'IF', 'STOP', 'END', '(', 'END']
    """
    first = tokens.group_start(index)
    if first > 0 and tokens.key(first - 1) != ";":
        return False
    return _after_script(tokens, first, index) == index


def statement_verb(tokens: Tokens, index: int) -> str:
    """Returns the word that says what the statement around `index` does: SELECT, INSERT, MERGE, ….

    >>> from eddyline.lowering.tokens import read_tokens
    >>> statement_verb(read_tokens("MERGE INTO t USING (SELECT 1 EMIT) s ON true"), 6)
    'MERGE'
    """
    first = _after_script(tokens, tokens.statement_start(index), index)
    if tokens.key(first) == "WITH":
        first = _after_with(tokens, first, len(tokens))
    return tokens.key(first)


def begins_write(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins INSERT or MERGE, or a WITH before one.

    >>> from eddyline.lowering.tokens import read_tokens
    >>> begins_write(read_tokens("EXPLAIN WITH a AS (SELECT 1) INSERT INTO t TABLE a"), 1)
    True
    """
    first = index
    if tokens.key(index) == "WITH":
        first = _after_with(tokens, index, len(tokens))
    return tokens.key(first) in ("INSERT", "MERGE")


def begins_query(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins a query, alone or after a statement's head."""
    while tokens.key(index) == "(":
        if is_column_list(tokens, index):
            return False
        index += 1
    key, before = tokens.key(index), tokens.key(index - 1)
    if key == "WITH":
        recursive = tokens.key(index + 1) == "RECURSIVE"
        return tokens.key(index + 2) in ("AS", "(") or recursive
    if key == "TABLE":
        return before not in _BEFORE_TABLE and tokens.is_name(index + 1)
    is_name = (tokens.key(index - 2), before) in _STATEMENT_HEADS
    is_name = is_name or before in _BEFORE_NAME or tokens.key(index + 1) in ("=", "==")
    if key in TRANSFORMS and not is_name:
        end = tokens.find(index + 1, _ends_transform)
        return tokens.key(end) == "USING"
    return key in SELECTS and not is_name


def _ends_transform(tokens: Tokens, index: int) -> bool:
    """Returns whether the word is the USING 'script' of MAP or REDUCE, or begins another query."""
    if tokens.key(index) == "USING":
        return index + 1 < len(tokens) and tokens.words[index + 1].quoted
    return tokens.key(index) in _BEGINS


def is_column_list(tokens: Tokens, opening: int) -> bool:
    """Returns whether the group that opens here holds only names, separated by commas."""
    close = tokens.match.get(opening, opening)
    return close > opening + 1 and all(
        tokens.is_name(i) if (i - opening) % 2 else tokens.key(i) == ","
        for i in range(opening + 1, close)
    )


def _after_with(tokens: Tokens, first: int, stop: int) -> int:
    """Returns the index of INSERT in `WITH … INSERT INTO t SELECT`; else `first`."""
    end = tokens.find(first + 1, _ends_with)
    return end if end < stop and tokens.key(end) in _CHANGES_ROWS else first


def _ends_with(tokens: Tokens, index: int) -> bool:
    """Returns whether the word may follow the last query of a WITH."""
    return tokens.key(index - 1) == ")" and tokens.key(index) in _CHANGES_ROWS | _BEGINS


def _after_script(tokens: Tokens, first: int, stop: int) -> int:
    """Returns the index after a script's words before a statement: BEGIN, IF … THEN and so on."""
    steps = tokens.once(_script_steps, first)
    return steps[bisect_right(steps, stop) - 1]


def _script_steps(tokens: Tokens, first: int) -> list[int]:
    """Returns where a query or statement can begin in a group: at `first`, after such words."""
    steps, end = [first], tokens.group_end(first)
    at: int | None = first
    while at is not None:
        if tokens.key(at) == "FOR":
            steps.append(at + 3 if tokens.key(at + 2) == "AS" else at + 1)
        at = _after_word(tokens, at, end)
        if at is not None:
            steps.append(at)
    return steps


def _after_word(tokens: Tokens, at: int, end: int) -> int | None:
    """Returns where a statement can begin after the script's word at `at`; None without one."""
    key = tokens.key(at)
    if key in _BLOCKS:
        return at + 1
    if _is_label(tokens, at) or (key, tokens.key(at + 1)) == ("NOT", "ATOMIC"):
        return at + 2
    if key == "DECLARE":
        return _after_handler(tokens, at, end)
    return _after_condition(tokens, at + 1, end) if key in _CONDITIONS else None


def _is_label(tokens: Tokens, at: int) -> bool:
    """Returns whether the word at `at` is a label, and not one before a parameter `:name`."""
    labels = tokens.key(at + 1) == ":" and tokens.key(at + 2) in _LABELLED
    return labels and tokens.key(at) not in _BEGINS | _CONDITIONS


def _after_condition(tokens: Tokens, first: int, stop: int) -> int | None:
    """Returns the index after the THEN or DO of a condition, which may hold CASE expressions."""
    cases = 0
    for index in tokens.top_level(first, stop):
        key = tokens.key(index)
        if cases == 0 and key in _AFTER_CONDITION:
            return index + 1
        cases += (key == "CASE") - (key == "END")
    return None


def _after_handler(tokens: Tokens, first: int, stop: int) -> int | None:
    """Returns where the statement of `DECLARE EXIT HANDLER FOR condition, …` begins."""
    if tokens.key(first + 2) != "HANDLER":
        return None
    at = first + 4  # after FOR
    while at < stop:
        at += 1 if tokens.key(at) != "SQLSTATE" else 2 + (tokens.key(at + 1) == "VALUE")
        if tokens.key(at - 1) == "NOT":
            at += 1  # NOT FOUND
        if tokens.key(at) != ",":
            return at
        at += 1
    return None
