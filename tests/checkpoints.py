"""Checkpoints of streaming queries, as a failure leaves them."""

from __future__ import annotations

from pathlib import Path

from waiting import eventually


def commits(checkpoint: Path) -> list[int]:
    """Returns the numbers of the micro-batches that are committed, in their order."""
    return sorted(int(file.name) for file in (checkpoint / "commits").glob("[0-9]*"))


def await_commit(checkpoint: Path) -> None:
    """Waits until one more micro-batch is committed."""
    before = commits(checkpoint)
    eventually(lambda: len(commits(checkpoint)) > len(before))


def forget_last_commit(checkpoint: Path) -> None:
    """Leaves a checkpoint as if the driver had died before the last commit."""
    last = str(commits(checkpoint)[-1])
    for name in (last, f".{last}.crc"):
        (checkpoint / "commits" / name).unlink(missing_ok=True)
