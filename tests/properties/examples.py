"""The number of random examples that a test runs, and their settings."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings


def examples(few: int, many: int) -> pytest.MarkDecorator:
    """Returns the parameter `count`: few in `make test`, many in `make test-slow`."""
    slow = pytest.param(many, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])
    return pytest.mark.parametrize("count", [few, slow])


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
