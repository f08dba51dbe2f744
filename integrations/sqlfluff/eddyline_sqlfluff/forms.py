"""The clauses of `sql/grammar` in the forms in which sqlfluff has them, each a segment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from eddyline.grammar.ebnf import Choice, Grammar, Leaf, Node, Optional, Rule, Sequence, grammars
from eddyline.versions import read_toml

_KEYWORDS = read_toml("sql/keywords.toml")
# words after which nothing belongs to the name of a statement
_END_NAME = frozenset(["IF", "ON"])


@dataclass(frozen=True)
class Form:
    """A clause, or one of the statements of a clause.

    Attributes:
        stem: the stem of the clause.
        role: what it is: primary (a query), tail (of a query), relation (after a relation) or
            statement.
        name: the type of its segment.
        bodies: the ways in which it may be written.
    """

    stem: str
    role: str
    name: str
    bodies: tuple[Node, ...]


@cache
def forms(role: str = "") -> tuple[Form, ...]:
    """Returns all clauses and statements, or those with a role.

    >>> [form.name for form in forms("primary")]
    ['cogroup_statement']
    """
    found = [form for stem, grammar in grammars().items() for form in _forms(stem, grammar)]
    return tuple(form for form in found if role in ("", form.role))


@cache
def parts(stem: str) -> dict[str, Node]:
    """Returns the rules of a grammar that are parts of its forms, by their names.

    >>> sorted(parts("assume"))
    ['keys', 'violation']
    """
    grammar = grammars()[stem]
    opened = {name for root in grammar.roots for name in _opened(grammar, root)}
    return {name: node for name, node in grammar.rules.items() if name not in opened}


@cache
def words() -> frozenset[str]:
    """Returns the words of all clauses.

    >>> "COGROUP" in words()
    True
    """
    return frozenset(
        word
        for grammar in grammars().values()
        for root in grammar.roots
        for word in words_of(Rule(root), grammar)
    )


def words_of(node: Node, grammar: Grammar) -> Iterator[str]:
    """Yields the words of a part of a grammar in their order."""
    inner: tuple[Node, ...] = ()
    if isinstance(node, Leaf):
        if node.is_word:
            yield node.text
    elif isinstance(node, Rule):
        inner = (grammar.rules[node.name],)
    else:
        inner = (node.part,) if isinstance(node, Optional) else node.parts
    for part in inner:
        yield from words_of(part, grammar)


def _forms(stem: str, grammar: Grammar) -> Iterator[Form]:
    statements: dict[str, list[Node]] = {}
    for root in grammar.roots:
        role = _role(grammar, root)
        if role == "statement":
            for body in _statements(grammar, Rule(root)):
                statements.setdefault(_statement_name(body), []).append(body)
        elif role:
            kind = "statement" if role == "primary" else "clause"
            yield Form(stem, role, f"{stem}_{kind}", (_from_word(grammar.rules[root]),))
    for name, bodies in statements.items():
        yield Form(stem, "statement", f"{name}_statement", tuple(bodies))


def _role(grammar: Grammar, root: str) -> str:
    """Returns the role of a rule that no other names; empty for a hint, which Spark parses."""
    known = [_KEYWORDS[word] for word in words_of(Rule(root), grammar) if word in _KEYWORDS]
    roles = [facts["role"] for facts in known if "role" in facts]
    return roles[0] if roles else "statement" if known else ""


def _from_word(body: Node) -> Node:
    """Returns a clause without the operands before its first word, which it follows."""
    if not isinstance(body, Sequence) or not isinstance(body.parts[0], Leaf):
        return body
    words = [at for at, part in enumerate(body.parts) if isinstance(part, Leaf) and part.is_word]
    return Sequence(body.parts[words[0] :])


def _statements(grammar: Grammar, node: Node) -> Iterator[Node]:
    """Yields the statements of a rule."""
    if isinstance(node, Rule):
        yield from _statements(grammar, grammar.rules[node.name])
    elif isinstance(node, Choice):
        for part in node.parts:
            yield from _statements(grammar, part)
    elif isinstance(node, Sequence) and (verbs := _verbs(node.parts[0])):
        for verb in verbs:
            yield Sequence((verb, *node.parts[1:]))
    else:
        yield node


def _verbs(first: Node) -> tuple[Node, ...]:
    """Returns the words that begin different statements; none if they are one, as DESC is."""
    words = first.parts if isinstance(first, Choice) else ()
    texts = sorted(word.text for word in words if isinstance(word, Leaf))
    return words if texts and not texts[-1].startswith(texts[0]) else ()


def _opened(grammar: Grammar, name: str) -> Iterator[str]:
    """Yields the rules that are statements, or choices between statements."""
    yield name
    node = grammar.rules[name]
    if isinstance(node, Choice) and _role(grammar, name) == "statement":
        for part in node.parts:
            if isinstance(part, Rule):
                yield from _opened(grammar, part.name)


def _statement_name(body: Node) -> str:
    """Returns the words with which a statement begins, without those that may be absent."""
    found: list[str] = []
    for part in body.parts if isinstance(body, Sequence) else (body,):
        first = part.parts[0] if isinstance(part, Choice) and not found else part
        if isinstance(first, Optional):
            continue
        if not isinstance(first, Leaf) or not first.is_word or first.text in _END_NAME:
            break
        found.append(first.text.lower())
    return "_".join(found)
