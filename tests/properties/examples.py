"""The number of random examples that a test runs, and their settings."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, Phase, settings

from tiers import seed


def examples(few: int, many: int) -> pytest.MarkDecorator:
    """Returns the parameter `count`: few in `make test-full`, many in `make test-slow`."""
    slow = pytest.param(many, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])
    return pytest.mark.parametrize("count", [few, slow])


def families(drawn: int, of: int) -> pytest.MarkDecorator:
    """Returns the parameter `number`: five in `make test-full`, some of others in `make test-slow`.

    These are drawn by the commit, so that the runs of some nights together have all of them.
    """
    others = sorted(Random(f"{seed()} families").sample(range(5, 5 + of), drawn))
    slow = [pytest.param(number, marks=pytest.mark.slow) for number in others]
    return pytest.mark.parametrize("number", [*range(5), *slow])


def repeated(count: int, *, shrink: bool = True) -> settings:
    """Returns settings for `count` examples, the same in each run; a failing one may be shrunk."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        suppress_health_check=checks,
        phases=[phase for phase in Phase if shrink or phase is not Phase.shrink],
    )
