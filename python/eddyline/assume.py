"""Reports on the claims (ASSUME PARTITIONED BY) of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline.jvm import claims

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Claim:
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


def why(frame: DataFrame) -> list[Claim]:
    """Reports the outcome of each claim in a query.

    For a classic DataFrame that has been executed, the report is about the executed plan;
    otherwise about the plan that would run. Spark Connect keeps no plan for a DataFrame, so there
    it is always about the plan that would run, and no claim has a verdict.

    Args:
        frame: a DataFrame of a classic session or of Spark Connect, but not a stream.

    Returns:
        One record for each effect of each claim, as the rows of EXPLAIN ASSUMPTIONS.

    Raises:
        AnalysisException: EDDYLINE_ASSUME.NOT_USED if `spark.eddyline.assume.strict` is set; not
            over Spark Connect.
    """
    if hasattr(frame, "_jdf"):
        return [Claim(**row) for row in claims(frame)]
    rows = frame.sparkSession.sql("EXPLAIN ASSUMPTIONS SELECT * FROM {frame}", frame=frame)
    return [Claim(**row.asDict()) for row in rows.collect()]
