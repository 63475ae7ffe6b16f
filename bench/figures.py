"""Figures beside their references, and the table that shows them."""

from collections.abc import Sequence
from dataclasses import dataclass

HEADINGS = ("figure", "Reverie", "reference", "ratio", "added", "what it means")
COLUMNS_OF_NUMBERS = range(1, 5)


@dataclass(frozen=True)
class Figure:
    """One measured value. `reference` is a bare counterpart of the same run, in the same unit."""

    name: str
    value: float
    unit: str
    meaning: str
    reference: float | None = None

    def cells(self) -> tuple[str, ...]:
        value = _written(self.value, self.unit)
        if self.reference is None:
            return self.name, value, "", "", "", self.meaning
        reference = _written(self.reference, self.unit)
        ratio = f"{self.value / self.reference:.1f} ×" if self.reference else ""
        added = _written(self.value - self.reference, self.unit)
        return self.name, value, reference, ratio, added, self.meaning


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest of `values` that at least `percent` % of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def table(figures: Sequence[Figure]) -> str:
    """The figures as aligned lines."""
    rows = [HEADINGS, *(figure.cells() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        cell.rjust(width) if column in COLUMNS_OF_NUMBERS else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _written(value: float, unit: str) -> str:
    number = f"{value:.0f}" if value == int(value) or abs(value) >= 100 else f"{value:.1f}"
    return f"{number} {unit}".strip()
