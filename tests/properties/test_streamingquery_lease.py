"""The lease of persistent streaming queries, with random applications and a clock of the test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from properties.examples import examples, repeated

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

APPLICATIONS = 3
DURATION = 1000  # milliseconds of the test's clock
WHO = st.integers(0, APPLICATIONS - 1)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("advance"), WHO),
        st.tuples(st.just("tick"), st.sampled_from([1, 300, 600, 1000])),
        st.tuples(st.just("release"), WHO),
        st.tuples(st.just("kill"), WHO),
    ),
    min_size=10,
    max_size=40,
)


def leases(spark: SparkSession, folder: Path) -> Any:
    assert spark._jvm is not None
    found = spark._jvm.io.eddyline.spark.streamingquery.Leases(str(folder), DURATION)
    for _ in range(APPLICATIONS):
        found.add()
    return found


@examples(10, 300)
def test_no_two_applications_have_the_lease(
    spark: SparkSession, tmp_path: Path, count: int
) -> None:
    seen = iter(range(1_000_000))

    @repeated(count)
    @given(STEPS)
    def holds(steps: list[tuple[str, int]]) -> None:
        found = leases(spark, tmp_path / str(next(seen)))
        killed: set[int] = set()
        for step, value in steps:
            if step == "kill":
                killed.add(value)
            elif step == "tick":
                found.tick(value)
            elif value not in killed:
                getattr(found, step)(value)
            holders = [i for i in range(APPLICATIONS) if found.isHeld(i)]
            assert len(holders) <= 1
            if step == "release" and value not in killed:
                assert value not in holders
        # whoever is left has it after the time of a lease
        for left in set(range(APPLICATIONS)) - killed:
            found.renewOrTake(left)
            found.tick(DURATION)
            found.tick(DURATION)
            assert found.renewOrTake(left)
            assert found.owner(left) == str(left)
            found.release(left)

    holds()


def test_an_owner_that_sleeps_is_no_owner(spark: SparkSession, tmp_path: Path) -> None:
    found = leases(spark, tmp_path)
    assert found.renewOrTake(0)
    assert not found.renewOrTake(1)
    found.tick(DURATION * 6 // 10)
    assert found.isHeld(0)
    assert not found.renewOrTake(1), "it has seen the owner's beat for a part of the duration"
    found.tick(DURATION // 10)
    assert not found.isHeld(0)
    assert found.renewOrTake(0), "nobody has taken it"
    found.tick(DURATION)
    assert not found.renewOrTake(1), "it has seen another beat before"
    found.tick(DURATION)
    assert found.renewOrTake(1)
    assert found.owner(2) == "1"
    assert not found.renewOrTake(0)
    assert found.isHeld(1)
