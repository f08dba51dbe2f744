"""The records of a report, one class for each part of EXPLAIN CLAUSES."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


class Entry:
    """One record of a report. `str` of it is a sentence."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    part: ClassVar[str]
    outcome: str
    reason: str | None

    @property
    def subject(self) -> str:
        """What the record is about."""
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """Returns the fields that subject, outcome and reason do not show, without unknown ones."""
        shown = ("outcome", "reason", *self._in_subject)
        names = [name for name in self.__dataclass_fields__ if name not in shown]
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in (None, "", {})}

    _in_subject: ClassVar[tuple[str, ...]] = ()

    def __str__(self) -> str:
        facts = ", ".join(f"{name}={value}" for name, value in self.facts().items())
        reason = "" if self.reason is None else f": {self.reason}"
        head = self.subject if self.subject.startswith(self.part) else f"{self.part} {self.subject}"
        return f"{head}: {self.outcome}{reason}" + f" [{facts}]" * bool(facts)


@dataclass(frozen=True)
class Claim(Entry):
    """One effect of one claim on a query.

    Attributes:
        keys: the keys as claimed, with LAYOUT and INTO … PARTITIONS; only the partition columns
            among them, if there are any.
        relation: the table or path that the claim speaks of, or the operator at which it ends.
        proof: how it is known to be true: `structural`, `witness`, `checked`, `sampled`, `trusted`
            or `none`.
        units: number of units, each read by one task; None if the claim was dropped, or is about
            rows that the query has shuffled.
        outcome: USED, NOT_USED, NOT_NEEDED or DROPPED.
        exchange: the keys of the Exchange that the operator would need without the claim, or still
            needs; None if no operator needs one.
        exchange_avoided: whether the claim has saved that Exchange; None if no operator needs
            one.
        operator: the operator that needs the rows of a key together.
        reason: why the claim did not help; None if it did.
        verdict: what the check has found; None before it has run, and where there is no check.
        check_ms: how long the check took, in milliseconds; None as for `verdict`.
    """

    keys: str
    relation: str
    proof: str
    units: int | None
    outcome: str
    exchange: str | None
    exchange_avoided: bool | None
    operator: str | None
    reason: str | None
    verdict: str | None
    check_ms: int | None = None

    part = "ASSUME"
    _in_subject = ("keys", "relation")

    @property
    def subject(self) -> str:
        """The relation and its keys."""
        return f"{self.relation} ({self.keys})"

    def __str__(self) -> str:
        """Returns the outcome as EXPLAIN shows it.

        >>> print(Claim("k", "t", "checked", 2, "USED", "k", True, "Window", None, None))
        USED, avoids Exchange(k) for Window
        """
        fate = "avoids" if self.exchange_avoided else "keeps"
        exchange = "" if self.exchange is None else f", {fate} Exchange({self.exchange})"
        operator = "" if self.operator is None else f" for {self.operator}"
        reason = "" if self.reason is None else f": {self.reason}"
        return self.outcome + exchange + operator + reason


@dataclass(frozen=True)
class CoGroup(Entry):
    """A COGROUP and how its branches are aggregated.

    Attributes:
        branches: the branches, each as `name BY keys`.
        keys: names of the keys in the result.
        outcome: ONE_SHUFFLE if the rows of all branches are aggregated together; PREAGGREGATED if
            each branch is aggregated by itself and the results are merged.
        reason: why.
    """

    branches: tuple[str, ...]
    keys: str
    outcome: str
    reason: str | None

    part = "COGROUP"
    _in_subject = ("branches",)

    @property
    def subject(self) -> str:
        """The branches with their keys."""
        return "; ".join(self.branches)


@dataclass(frozen=True)
class Emit(Entry):
    """The clause EMIT of a query.

    Attributes:
        clause: the clause as one could type it.
        outcome: USED, or REMOVED in a batch query.
        reason: why it was removed.
    """

    clause: str
    outcome: str
    reason: str | None

    part = "EMIT"
    _in_subject = ("clause",)

    @property
    def subject(self) -> str:
        """The clause."""
        return self.clause


@dataclass(frozen=True)
class GlobalTableUse(Entry):
    """A version of a global table that a query reads.

    Attributes:
        table: name of the table.
        version: name of the version.
        outcome: LOOKUP in a replica, or SCAN of the version.
        reason: why it is no lookup; None if it is one.
        join: type of the join with it, as in SQL; None if no join reads it.
        side: LEFT or RIGHT, the side of the join on which it stands.
        keys: keys of the lookup; empty if each row is compared with all.
        replica: `hit` if the replica existed, `build` if the query builds it; None for a scan.
        rows: rows of the replica or of the version; None if unknown.
        bytes: size of the replica in memory, or of the files of the version, in bytes.
        age_ms: milliseconds since the version was last confirmed.
        last_error: error of the table's last refresh, if it failed.
    """

    table: str
    version: str
    outcome: str
    reason: str | None
    join: str | None
    side: str | None
    keys: str | None
    replica: str | None
    rows: int | None
    bytes: int | None
    age_ms: int | None
    last_error: str | None

    part = "GLOBAL TABLE"
    _in_subject = ("table", "version")

    @property
    def subject(self) -> str:
        """The table and its version."""
        return f"{self.table}@{self.version}"


@dataclass(frozen=True)
class StateOperator(Entry):
    """A stateful operator of a streaming query, after its last micro-batch.

    Attributes:
        operator: name of the operator.
        id: number of the operator in the checkpoint.
        keys: keys of the state.
        outcome: what it emits: CHANGES (EMIT ON CHANGE), UPDATES, CLOSED windows and groups, ALL
            groups, NEW rows, each once, or CUSTOM, what a function of the query decides.
        reason: why.
        rows: rows in its state; None if it has not run yet, as the counts below.
        bytes: memory of its state on the executors, in bytes.
        updated: rows of the state that were written.
        removed: rows of the state that were removed.
        dropped: idempotent updates that it dropped (KIP-557); None if it does not compare.
        late: rows behind the watermark that it dropped.
    """

    operator: str
    id: int | None
    keys: str
    outcome: str
    reason: str | None
    rows: int | None
    bytes: int | None
    updated: int | None
    removed: int | None
    dropped: int | None
    late: int | None

    part = "STATE"
    _in_subject = ("operator", "keys", "id")

    @property
    def subject(self) -> str:
        """The operator and its keys."""
        return f"{self.operator} ({self.keys})" if self.keys else self.operator


@dataclass(frozen=True)
class Exchange(Entry):
    """An Exchange that a query has, or would have without a clause.

    Attributes:
        kind: SHUFFLE or BROADCAST.
        keys: keys of the shuffle, or `single`, `range(…)`; the table of a broadcast that a lookup
            saves.
        operator: the operator that reads its rows.
        outcome: SAVED, KEPT or REUSED.
        reason: why.
        saved_by: the clause that saves it; None if it is not saved.
        partitions: number of partitions that it writes.
        rows: rows that were written; None before the run.
        bytes: size of these rows, in bytes.
    """

    kind: str
    keys: str
    operator: str
    outcome: str
    reason: str | None
    saved_by: str | None
    partitions: int | None
    rows: int | None
    bytes: int | None

    part = "EXCHANGE"
    _in_subject = ("kind", "keys", "operator")

    @property
    def subject(self) -> str:
        """Kind, keys and reader."""
        return f"{self.kind} ({self.keys}) for {self.operator}"


@dataclass(frozen=True)
class Fallback(Entry):
    """Something that a clause offers and a query does not get, so that it does something slower.

    Attributes:
        clause: the part of the report that tells more.
        about: the keys, branches or table.
        outcome: what the query does instead.
        reason: why.
    """

    clause: str
    about: str
    outcome: str
    reason: str | None

    part = "FALLBACK"
    _in_subject = ("clause", "about")

    @property
    def subject(self) -> str:
        """The clause, and what it is about."""
        return f"{self.clause} {self.about}"


@dataclass(frozen=True)
class NativeOperators(Entry):
    """Operators that a native engine, such as DataFusion Comet, runs; or one that it does not.

    Attributes:
        operators: their names.
        outcome: NATIVE, or SPARK.
        reason: why the engine leaves the operator to Spark, in its words.
    """

    operators: str
    outcome: str
    reason: str | None

    part = "NATIVE"
    _in_subject = ("operators",)

    @property
    def subject(self) -> str:
        """The operators."""
        return self.operators


@dataclass(frozen=True)
class MicroBatch(Entry):
    """A micro-batch of a streaming query that Spark remembers.

    Attributes:
        batch: its number.
        input_rows: rows read.
        emitted: rows that EMIT ON CHANGE emitted; None without it.
        dropped: idempotent updates that EMIT ON CHANGE dropped (KIP-557).
        state_rows: rows in all state stores.
        state_bytes: memory of the state stores on the executors, in bytes.
        versions: the version of each global table that it joined.
    """

    batch: int
    input_rows: int
    emitted: int | None
    dropped: int
    state_rows: int
    state_bytes: int
    versions: Mapping[str, str]

    part = "MICRO-BATCH"
    outcome = "DONE"
    reason = None
    _in_subject = ("batch",)

    @property
    def subject(self) -> str:
        """The number of the micro-batch."""
        return str(self.batch)


_CLASSES: dict[str, type[Entry]] = {
    entry.part: entry
    for entry in (
        Claim,
        CoGroup,
        Emit,
        GlobalTableUse,
        StateOperator,
        Exchange,
        Fallback,
        NativeOperators,
        MicroBatch,
    )
}


def entry_of(part: str, details: str) -> Entry:
    """Returns the record of a row of EXPLAIN CLAUSES.

    Args:
        part: the column `part`.
        details: the column `details`, a JSON object.

    >>> print(entry_of("EMIT", '{"clause": "EMIT ON CHANGE", "outcome": "USED", "reason": null}'))
    EMIT ON CHANGE: USED
    """
    values = json.loads(details)
    return _CLASSES[part](
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
    )
