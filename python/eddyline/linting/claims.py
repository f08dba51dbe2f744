"""The rule about claims that are not checked."""

from __future__ import annotations

from collections.abc import Iterator

from eddyline.linting.findings import RuleHit
from eddyline.linting.source import Source


def unchecked_claims(source: Source) -> Iterator[RuleHit]:
    """Yields each claim NOT ENFORCED."""
    tokens = source.tokens
    for claim in source.clauses_of("ASSUME"):
        for at in tokens.top_level(claim.first, claim.end):
            if (tokens.key(at), tokens.key(at + 1)) == ("NOT", "ENFORCED") and at + 1 < claim.end:
                message = (
                    "The claim is not checked, so if it is false the query returns wrong rows."
                )
                yield RuleHit(at, message)
