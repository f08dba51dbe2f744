"""The points of all series, and how fast the cost grows along each."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

from scaling.meter import OURS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measure import Figure

    from scaling.meter import Sample

LEAST = 0.001  # seconds, what the figures are rounded to


@dataclass(frozen=True)
class Series:
    """What grows, and what is measured of it.

    Attributes:
        title: what is measured and by what.
        unit: what the cost is divided by.
        part: the part of a sample.
        memory_of: what `Point.memory` is of; None if there is none.
        cost: the figure whose growth is shown, `CPU` or `wall`.
    """

    title: str
    unit: str
    part: str
    memory_of: str | None = None
    cost: str = "CPU"

    def point(
        self, size: int, found: Mapping[str, Sample], count: int, memory: float | None = None
    ) -> Point:
        """Returns a point.

        Args:
            size: what grows.
            found: the samples of the ways.
            count: how many units were done.
            memory: bytes.
        """
        figures = {way: sample[self.part] for way, sample in found.items()}
        return Point(self, size, count, figures[OURS], figures.get(PLAIN), memory)


@dataclass(frozen=True)
class Point:
    """What a size costs.

    Attributes:
        series: the series.
        size: what grows.
        count: how many units were done.
        ours: figure of the clause.
        plain: that of plain Spark; None if it does nothing of the kind.
        memory: bytes.
    """

    series: Series
    size: int
    count: int
    ours: Figure
    plain: Figure | None
    memory: float | None

    def cost(self, figure: Figure | None) -> float | None:
        """Returns the seconds whose growth is shown."""
        if figure is None:
            return None
        return max(LEAST, figure.wall if self.series.cost == "wall" else figure.cpu)

    def of_unit(self, figure: Figure | None) -> float | None:
        """Returns the microseconds of a unit."""
        cost = self.cost(figure)
        return None if cost is None else _three_digits(cost / self.count * 1e6)


def exponent(sizes: Sequence[int], costs: Sequence[float | None]) -> float | None:
    """Returns the slope of the least squares line of log cost over log size.

    Args:
        sizes: those of a series, of which there are two or more.
        costs: of each size; None if there is none.
    """
    x, y = [log(size) for size in sizes], [log(cost) for cost in costs if cost is not None]
    if len(y) < len(x):
        return None
    middle, level = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True))
    return round(above / sum((a - middle) ** 2 for a in x), 2)


def table(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Returns a row for each point, in the order of the series; its last one has the exponents."""
    series: dict[Series, list[Point]] = {}
    for point in points:
        series.setdefault(point.series, []).append(point)
    rows: list[dict[str, Any]] = []
    for found in series.values():
        sizes = [point.size for point in found]
        ours = exponent(sizes, [point.cost(point.ours) for point in found])
        plain = exponent(sizes, [point.cost(point.plain) for point in found])
        rows += ({**_row(point), "exponent": None, "plain exponent": None} for point in found)
        rows[-1] |= {"exponent": ours, "plain exponent": plain}
    return rows


def _row(point: Point) -> dict[str, Any]:
    series, plain, memory = point.series, point.plain, point.memory
    return {
        "series": series.title,
        "size": point.size,
        "CPU s": point.ours.cpu,
        "plain CPU s": plain and plain.cpu,
        "wall s": point.ours.wall,
        "plain wall s": plain and plain.wall,
        "us": point.of_unit(point.ours),
        "plain us": point.of_unit(plain),
        "of": f"{series.cost}, a {series.unit}",
        "bytes": memory and _three_digits(memory),
        "bytes of": series.memory_of,
    }


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")
