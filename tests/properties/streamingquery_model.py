"""The model of a streaming query by SQL: what it must have written, whatever is done to it.

It joins the files of `events` to the static table `dim`, and writes `copy`. What cannot be known,
such as whether a STOP came before the micro-batch, makes several states possible; the rows that are
found rule the others out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

Rows = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class State:
    """A possible state: keys that no micro-batch has read, and the rows of the sink, in order."""

    waiting: tuple[int, ...] = ()
    sink: Rows = ()

    def read(self, keys: tuple[int, ...], dim: dict[int, int]) -> State:
        """Returns the state after a micro-batch of `keys`, the first that wait."""
        joined = [(key, dim[key]) for key in keys if key in dim]
        waiting = self.waiting[len(keys) :]
        return State(waiting, tuple(sorted([*self.sink, *joined])))


@dataclass
class Model:
    """The model of the tables and the query.

    Attributes:
        states: the states that are possible.
        dim: the static table; None while it is dropped.
        joined: `dim` as the run that has not been awaited found it; None without such a run.
        late: keys that came since that run was started, which it may have read.
        exists: whether the query exists.
    """

    states: set[State] = field(default_factory=lambda: {State()})
    dim: dict[int, int] | None = None
    joined: dict[int, int] | None = None
    late: int = 0
    exists: bool = False

    def arrive(self, keys: tuple[int, ...]) -> None:
        self.states = {replace(state, waiting=state.waiting + keys) for state in self.states}
        if self.joined is not None:
            self.late += len(keys)

    def start(self) -> None:
        assert self.dim is not None
        self.joined, self.late = dict(self.dim), 0

    def ends(self, *, by_itself: bool) -> None:
        """Ends the run; one that was stopped may have ended after any of its micro-batches."""
        if self.joined is None:
            return
        after = set()
        for state in self.states:
            first = len(state.waiting) - self.late if by_itself else 0
            for read in range(first, len(state.waiting) + 1):
                after.add(state.read(state.waiting[:read], self.joined))
        self.states = after
        self.joined = None

    def replace_source(self) -> None:
        self.states = {replace(state, waiting=()) for state in self.states}

    def replace_sink(self) -> None:
        self.states = {replace(state, sink=()) for state in self.states}

    def found(self, rows: Iterable[tuple[int, int]]) -> None:
        """Fails where no state has these rows."""
        sink = tuple(sorted(rows))
        possible = {state for state in self.states if state.sink == sink}
        assert possible, f"{sink} is none of {[state.sink for state in self.states]}"
        self.states = possible
