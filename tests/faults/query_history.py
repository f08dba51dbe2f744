"""What statements about one streaming query may have done, in any order that explains them.

A statement takes effect at one moment between its begin and its end. An answer that fits no such
order of the statements is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

# the version of the definition, and whether it is to run; None: there is no query
State = tuple[int, bool] | None

ERRORS = "EDDYLINE_STREAMING_QUERY."
NOT_FOUND = ERRORS + "NOT_FOUND"
ALREADY_EXISTS = ERRORS + "ALREADY_EXISTS"
ALREADY_RUNNING = ERRORS + "ALREADY_RUNNING"


@dataclass(frozen=True)
class Statement:
    """A statement about the query.

    Attributes:
        number: its place among all statements, which is the version that a CREATE defines.
        kind: its first words.
    """

    number: int
    kind: str

    def after(self, state: State) -> set[State]:
        """Returns the states in which it may leave the query, if it does not fail."""
        if self.kind.startswith("CREATE"):
            return {(self.number, True)} if self.kind != "CREATE" or state is None else set()
        if self.kind == "SHOW":
            return {state}
        if state is None:
            return set()
        if self.kind.startswith("DROP"):
            return {None}
        return {(state[0], self.kind != "STOP")}

    def halfway(self, state: State) -> set[State]:
        """Returns the states in which it may leave the query if it is interrupted."""
        return {state} | self.after(state)

    def explains(self, error: str, state: State) -> bool:
        """Whether it fails with this error in this state."""
        return {
            NOT_FOUND: state is None and not self.kind.startswith("CREATE"),
            ALREADY_EXISTS: state is not None and self.kind == "CREATE",
            ALREADY_RUNNING: state is not None and state[1] and self.kind == "START",
        }.get(error, False)


@dataclass(frozen=True)
class Answer:
    """What became of a statement.

    Attributes:
        error: the condition with which it failed.
        interrupted: whether its server was killed, or ceased to be the owner, meanwhile.
        exists: whether SHOW has found the query.
    """

    error: str | None = None
    interrupted: bool = False
    exists: bool | None = None

    @property
    def text(self) -> str:
        found = "" if self.exists is None else f"exists: {self.exists} "
        return f"{found}{self.error or 'OK'}{' (interrupted)' if self.interrupted else ''}"

    def possible(self, statement: Statement, state: State) -> set[State]:
        """Returns the states after the statement, which had this answer, in a state."""
        if self.interrupted:
            return statement.halfway(state)
        if self.error is not None:
            return {state} if statement.explains(self.error, state) else set()
        if self.exists is not None and self.exists != (state is not None):
            return set()
        return statement.after(state)


class History:
    """The statements about one name, in the order in which they began and ended."""

    def __init__(self) -> None:
        self._moments: list[tuple[Statement, Answer | None]] = []
        self._lock = Lock()

    def begin(self, statement: Statement) -> None:
        with self._lock:
            self._moments.append((statement, None))

    def end(self, statement: Statement, answer: Answer) -> None:
        with self._lock:
            self._moments.append((statement, answer))

    def forget(self, statement: Statement) -> None:
        """Leaves out a statement that has done nothing."""
        with self._lock:
            self._moments.remove((statement, None))

    def __str__(self) -> str:
        return "\n".join(
            f"{statement.number:5} {'begin' if answer is None else 'end  '} {statement.kind} "
            f"{answer.text if answer else ''}"
            for statement, answer in self._moments
        )

    def ends(self) -> set[State]:
        """Returns the states that some order leads to, once all statements have ended."""
        answers = {statement: answer for statement, answer in self._moments if answer}
        orders: set[tuple[frozenset[Statement], State]] = {(frozenset(), None)}
        running: set[Statement] = set()
        for statement, answer in self._moments:
            if answer is None:
                running.add(statement)
                continue
            orders = _reached(orders, running, answers)
            orders = {(done - {statement}, s) for done, s in orders if statement in done}
            running.discard(statement)
            assert orders, f"no order explains statement {statement.number}:\n{self}"
        return {state for _, state in orders}


def _reached(
    orders: set[tuple[frozenset[Statement], State]],
    running: set[Statement],
    answers: dict[Statement, Answer],
) -> set[tuple[frozenset[Statement], State]]:
    """Returns the orders, and those in which statements that are running take effect next."""
    found, left = set(orders), list(orders)
    while left:
        done, state = left.pop()
        for statement in running - done:
            for after in answers[statement].possible(statement, state):
                order = (done | {statement}, after)
                if order not in found:
                    found.add(order)
                    left.append(order)
    return found
