"""The base of the readers of all clauses: a position in the words, edits, errors at a word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from eddyline.errors import ClauseError
from eddyline.lowering.edits import Edit
from eddyline.lowering.query import begins_query, is_column_list
from eddyline.lowering.tokens import Tokens, Word
from eddyline.lowering.words import is_unit


@dataclass
class Clause:
    """One clause that was read: its place in the text and its edits.

    Attributes:
        start: offset of its first character.
        stop: offset after its last character.
        end: index of the word after it, such as ORDER BY.
        edits: edits that lower it.
        stand_in: a text that Spark parses in its place, no longer than the clause.
        closing: an edit at its end, after those of the clauses inside it.
    """

    start: int
    stop: int
    end: int
    edits: list[Edit] = field(default_factory=list)
    stand_in: str = ""
    closing: Edit | None = None


@dataclass(frozen=True)
class Pair:
    """One option.

    Attributes:
        index: index of its first word.
        key: its key as an SQL literal.
        value: index of its value.
        stop: index after its value.
    """

    index: int
    key: str
    value: int
    stop: int


class ClauseReader:
    """Reads one clause from left to right.

    Attributes:
        condition: the main condition of the clause's errors.
        first: index of the clause's first word.
        at: index of the next word.
        end: index of the word that ends the group of the clause.
        edits: edits so far.
    """

    condition: ClassVar[str]

    def __init__(self, tokens: Tokens, index: int) -> None:
        self.tokens = tokens
        self.first = index
        self.at = index + 1
        self.end = tokens.group_end(index + 1)
        self.edits: list[Edit] = []

    def skip_to(self, keys: frozenset[str]) -> None:
        """Skips words up to the first of the keywords, used as one, or the end of the clause."""
        while self.at < self.end:
            if self.tokens.key(self.at) in keys and (
                self.tokens.key(self.at) == "," or not self.tokens.expects_operand(self.at)
            ):
                return
            self.require_closed()
            self.at = self.tokens.after(self.at)

    def keys_between(self, first: int, stop: int, hint: str) -> Iterator[tuple[int, int]]:
        """Yields start and stop of each key in [first, stop); none may be empty."""
        commas = [i for i in self.tokens.top_level(first, stop) if self.tokens.key(i) == ","]
        for end in [*commas, stop]:
            if end == first:
                self.at = end
                raise self.expected("a key", hint)
            yield first, end
            first = end + 1

    def require_closed(self) -> None:
        """Refuses an opening bracket at the next word that has no partner."""
        if self.tokens.key(self.at) in ("(", "[", "{") and self.at not in self.tokens.match:
            opening = self.at
            self.at = len(self.tokens)
            raise self.expected(
                f"the partner of '{self.tokens.words[opening].text}'", "A bracket is not closed."
            )

    def replace(self, word: Word, text: str, argument: str = "") -> None:
        """Replaces a word by `text`."""
        self.edits.append(Edit(word.start, word.stop, text, argument))

    def replace_range(self, start: int, stop: int, text: str, argument: str = "") -> None:
        """Replaces [start, stop) by `text`; newlines stay, for Spark's line numbers."""
        newlines = "\n" * self.tokens.sql.count("\n", start, stop)
        self.edits.append(Edit(start, stop, text + newlines, argument))

    def insert_after(self, index: int, text: str, argument: str = "") -> None:
        """Inserts `text` after the word at `index`."""
        stop = self.tokens.words[index].stop
        self.edits.append(Edit(stop, stop, text, argument))

    def expected(self, what: str, hint: str) -> ClauseError:
        """Returns the error SYNTAX_ERROR at the next word."""
        found = "the end of the text"
        if self.at < len(self.tokens):
            found = f"'{self.tokens.words[self.at].text}'"
        return self.error("SYNTAX_ERROR", self.at, expected=what, found=found, hint=hint)

    def error(self, condition: str, index: int, **parameters: str) -> ClauseError:
        """Returns the error at the word with the index, or at the end of the text."""
        name = f"{self.condition}.{condition}"
        sql = self.tokens.sql
        if index < len(self.tokens):
            word = self.tokens.words[index]
            return ClauseError(name, sql, word.start, word.stop, **parameters)
        return ClauseError(name, sql, len(sql), len(sql), **parameters)

    def read_interval(self, word: str) -> None:
        """Reads [INTERVAL] (n unit … | 'text' [unit [TO unit]] | parameter)."""
        hint = f"Write {word} 10 SECONDS, or {word} '10 seconds'."
        first = self.at
        self.at += self.key() == "INTERVAL"
        is_whole = self.is_text() and not self.is_unit(self.after_literal())
        if is_whole and self.is_parameter():
            if first < self.at:  # for Spark, `INTERVAL :x` is a field of a column
                self.replace_words(first, first, "")
        elif first == self.at:
            start = self.tokens.words[self.at].start if self.at < self.end else 0
            self.edits.append(Edit(start, start, "INTERVAL "))
        if is_whole:
            self.at = self.after_literal()
            return
        if not self.is_text() and not self.is_number():
            raise self.expected("an interval", hint)
        while self.is_text() or self.is_number():
            self.at = self.after_literal()
            if not self.is_unit(self.at):
                raise self.expected("a unit of time", hint)
            self.at += 1
            if self.key() == "TO" and self.is_unit(self.at + 1):
                self.at += 2

    def read_dotted_name(self, what: str, hint: str) -> None:
        """Skips a name, which may have several parts."""
        if not self.tokens.is_name(self.at) or self.at >= self.end:
            raise self.expected(what, hint)
        self.at += 1
        while self.key() == "." and self.tokens.is_name(self.at + 1):
            self.at += 2

    def key(self) -> str:
        """Returns the next keyword; empty at the end of the group."""
        return self.tokens.key(self.at) if self.at < self.end else ""

    def is_number(self) -> bool:
        """Returns whether a number is next, or a parameter, which may stand for one."""
        if self.is_parameter():
            return True
        return self.at < self.end and self.tokens.words[self.at].text[0].isdecimal()

    def is_text(self) -> bool:
        """Returns whether a string is next, or a parameter, which may stand for one."""
        if self.is_parameter():
            return True
        if self.at >= self.end or self.tokens.is_name(self.at):
            return False
        return self.tokens.words[self.at].text.lstrip("rR")[:1] in ("'", '"')

    def is_parameter(self) -> bool:
        """Returns whether a parameter, `?` or `:name`, is next.

        The JVM puts its value in its place, and has the text read again. Until then Spark has to
        find it, so it stays where it was typed.
        """
        is_named = self.key() == ":" and self.tokens.is_name(self.at + 1)
        return self.key() == "?" or is_named

    def after_literal(self) -> int:
        """Returns the index after the number, string or parameter that is next."""
        return self.at + (2 if self.key() == ":" else 1)

    def read_text(self, clause: str) -> None:
        """Reads a string, which may consist of several in a row."""
        if not self.is_text():
            raise self.expected("a string", f"Write {clause} '…'.")
        while self.is_text():
            self.at = self.after_literal()

    def is_unit(self, index: int) -> bool:
        """Returns whether the word at `index` is a unit of time."""
        return index < self.end and is_unit(self.tokens.key(index))

    def take(self, *keys: str) -> None:
        """Skips the keywords, which must follow."""
        for key in keys:
            if self.key() != key:
                raise self.expected(key, f"Write {' '.join(keys)}.")
            self.at += 1

    def replace_words(self, first: int, last: int, text: str, argument: str = "") -> None:
        """Replaces the words from `first` to `last` by `text`."""
        words = self.tokens.words
        self.replace_range(words[first].start, words[last].stop, text, argument)


class StatementReader(ClauseReader):
    """Reads a statement of eddyline, which becomes a call.

    Attributes:
        seen: clauses read so far.
    """

    stand_in: ClassVar[str] = "TABLE c"

    def __init__(self, tokens: Tokens, index: int) -> None:
        super().__init__(tokens, index)
        self.seen: set[str] = set()

    def once(self, clause: str) -> None:
        """Refuses a clause that was read already."""
        if clause in self.seen:
            raise self.expected("another clause", f"Write {clause} once.")
        self.seen.add(clause)

    def read_if(self, *keys: str) -> bool:
        """Returns whether IF and the keywords follow, and skips them."""
        if self.key() != "IF":
            return False
        self.take("IF", *keys)
        return True

    def read_columns(self, first: int, word: str, argument: str, lead: str = ", ") -> None:
        """Reads (column, …); the argument replaces the words from `first` to the bracket."""
        closed = self.key() == "(" and self.at in self.tokens.match
        if not closed or not is_column_list(self.tokens, self.at):
            raise self.expected("columns in parentheses", f"Write {word} (column, …).")
        start = self.tokens.words[self.at].start
        if first < self.at:
            self.replace_words(first, self.at - 1, f"{lead}{argument} => array")
        else:
            self.edits.append(Edit(start, start, f"{lead}{argument} => array"))
        self.at = self.tokens.match[self.at] + 1

    def read_map(self, word: str, lead: str) -> list[Pair]:
        """Reads (key [=] value, …), which becomes a map of strings.

        Args:
            word: the word before it.
            lead: what replaces that word, such as the name of an argument.
        """
        opening = self.at
        pairs = self.read_pairs(word)
        self.replace_words(opening - 1, opening, f"{lead} => map(")
        for pair in pairs:
            self.replace_words(pair.index, pair.value - 1, f"{pair.key}, CAST(")
            self.insert_after(pair.stop - 1, " AS STRING)")
        return pairs

    def read_pairs(self, word: str) -> list[Pair]:
        """Reads (key [=] value, …) as in Spark, where keys are dotted names or strings."""
        hint = f"Write {word} ('key' 'value', …)."
        if self.key() != "(":
            raise self.expected("'('", hint)
        self.require_closed()
        close = self.tokens.match[self.at]
        self.at += 1
        pairs: list[Pair] = []
        while self.at < close:
            key = self.at
            name = self.read_key(close, hint)
            if self.key() in ("=", "=="):
                self.at += 1
            if not (self.is_text() or self.is_number() or self.key() in ("TRUE", "FALSE")):
                raise self.expected("a string, a number, TRUE or FALSE", hint)
            pairs.append(Pair(key, name, self.at, self.after_literal()))
            self.at = self.after_literal()
            if self.at < close:
                if self.key() != "," or self.at + 1 == close:
                    raise self.expected("',' or ')'", hint)
                self.at += 1
        self.at = close + 1
        return pairs

    def read_key(self, close: int, hint: str) -> str:
        """Reads a dotted name or a string, and returns it as an SQL literal."""
        first = self.at
        while self.at < close and (self.is_text() or self.tokens.is_name(self.at)):
            if self.is_parameter():
                break
            self.at += 1
            if self.key() != ".":
                break
            self.at += 1
        if self.at == first:
            raise self.expected("a key", hint)
        words = self.tokens.words[first : self.at]
        if len(words) == 1 and not words[0].identifier:
            return words[0].text
        return literal("".join(word.name for word in words))

    def read_relation_name(self, what: str, hint: str) -> None:
        """Skips the name of a table, or IDENTIFIER(…)."""
        if not self.skip_identifier_clause():
            self.read_dotted_name(what, hint)

    def skip_identifier_clause(self) -> bool:
        """Returns whether IDENTIFIER(…) is next, and skips it."""
        if self.key() != "IDENTIFIER" or self.tokens.key(self.at + 1) != "(":
            return False
        self.at += 1
        self.require_closed()
        self.at = self.tokens.after(self.at)
        return True

    def read_query_name(self, lead: str, hint: str) -> None:
        """Reads the name of a streaming query, which becomes an argument."""
        first = self.at
        if self.skip_identifier_clause():
            start = self.tokens.words[first].start
            self.edits.append(Edit(start, start, f"{lead}name => TABLE("))
            self.insert_after(self.at - 1, ")")
            return
        name = self.tokens.words[self.at].name if self.at < self.end else ""
        if not name or not self.tokens.is_name(self.at):
            raise self.expected("the name of a streaming query", hint)
        # spark.sql.parser.escapedStringLiterals decides what a string literal means
        special = "'" in name or "\\" in name
        value = f"X'{name.encode().hex()}'" if special else literal(name)
        self.replace(self.tokens.words[self.at], f"{lead}name => {value}")
        self.at += 1

    def end_query(self, hint: str) -> Clause:
        """Returns the statement, whose rest is the query; the call has it as text and as table."""
        if self.at >= self.end or not begins_query(self.tokens, self.at):
            raise self.expected("a query", hint)
        start, stop = self.tokens.words[self.at].start, self.tokens.words[self.end - 1].stop
        text = self.tokens.sql[start:stop].encode().hex()
        opening, closing = f", text => X'{text}', query => TABLE(", Edit(stop, stop, "))", "query")
        self.edits.append(Edit(start, start, opening, "query"))
        first = self.tokens.words[self.first].start
        return Clause(first, stop, self.at, self.edits, self.stand_in, closing)

    def before_statement(self, closing: str, argument: str = "") -> Clause:
        """Returns the words of EXPLAIN, after which a query or statement is read as any other."""
        words = self.tokens.words
        end = words[self.end - 1].stop
        first, last = words[self.first], words[self.at - 1]
        edit = Edit(end, end, closing, argument) if closing else None
        return Clause(first.start, last.stop, self.at, self.edits, "EXPLAIN", edit)

    def end_statement(self, closing: str = ")", hint: str = "") -> Clause:
        """Returns the statement, which must end here."""
        if self.at < self.end:
            raise self.expected("the end of the statement", hint)
        self.insert_after(self.at - 1, closing)
        words = self.tokens.words
        start, stop = words[self.first].start, words[self.at - 1].stop
        return Clause(start, stop, self.at, self.edits, self.stand_in)


def literal(text: str) -> str:
    r"""Returns a string as an SQL literal.

    >>> print(literal("it's"))
    'it\'s'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def is_between(first: int, text: str, last: int) -> bool:
    """Returns whether a text is a whole number in [first, last], however many digits it has.

    >>> [is_between(1, text, 10) for text in ("010", "0", "11", "1.5", "9" * 5000)]
    [True, False, False, False, False]
    """
    digits = text.lstrip("0") or "0"  # int() takes no more than 4300
    is_short = text.isdecimal() and len(digits) <= len(str(last))
    return is_short and first <= int(digits) <= last
