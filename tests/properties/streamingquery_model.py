"""What a streaming query by SQL must have written, whatever is done to it and to its tables.

It joins the files of `events` to the static table `dim`, and writes `copy`. What one cannot know,
as whether a STOP came before the micro-batch, gives more than one state that is possible; the rows
that are found rule the others out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

Rows = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class State:
    """What may be: keys that no micro-batch has read, and the rows of the sink, in order."""

    waiting: tuple[int, ...] = ()
    sink: Rows = ()

    def read(self, keys: tuple[int, ...], dim: dict[int, int]) -> State:
        """A micro-batch of the first keys that wait."""
        joined = [(key, dim[key]) for key in keys if key in dim]
        waiting = self.waiting[len(keys) :]
        return State(waiting, tuple(sorted([*self.sink, *joined])))


@dataclass
class Model:
    """The tables and the query.

    Attributes:
        states: that are possible.
        dim: the static table; None while it is gone.
        joined: `dim` as the run that has not been awaited found it; None: there is none.
        late: keys that came since that run was started, which it reads or not.
        exists: whether there is the query.
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
        """The run is over; one that was stopped may not have read anything."""
        if self.joined is None:
            return
        after = set()
        for state in self.states:
            first = len(state.waiting) - self.late
            for read in range(first, len(state.waiting) + 1):
                after.add(state.read(state.waiting[:read], self.joined))
        self.states = after if by_itself else after | self.states
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
