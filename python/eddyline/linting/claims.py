"""The rule about claims that are not checked."""

from __future__ import annotations

from collections.abc import Iterator

from eddyline.linting.findings import Flaw
from eddyline.linting.source import Source

_UNCHECKED = {
    ("NOT", "ENFORCED"): "The claim is not checked",
    ("ENFORCED", "SAMPLE"): "Only one key hash in 1024 is checked",
}


def unchecked_claims(source: Source) -> Iterator[Flaw]:
    """Yields each claim NOT ENFORCED or ENFORCED SAMPLE."""
    tokens = source.tokens
    for claim in source.clauses_of("ASSUME"):
        for at in tokens.top_level(claim.first, claim.end):
            fact = _UNCHECKED.get((tokens.key(at), tokens.key(at + 1)))
            if fact is not None and at + 1 < claim.end:
                yield Flaw(at, f"{fact}, so if it is false the query returns wrong rows.")
