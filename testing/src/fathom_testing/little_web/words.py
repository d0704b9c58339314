"""Made-up names, people and values, the same for the same seed and none of them twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

_STARTS = "Bal Cor Dren Eld Fen Gar Hal Ist Jor Kel Lun Mor Nar Orl Pell Quen Ras Sel Tarn Ulv Vel Wes Yar Zol".split()
_MIDDLES = "a e i o u ar en il or un am eth is ov ul".split()
_ENDS = "ford wick moor dale sund gard bruck ness holm mere stad vik tor beck hus lund".split()
_GIVEN = (
    "Ada Bram Clara Davit Elin Farid Greta Hugo Ines Jonas Katya Lars Mira Nils Olga Piet Runa Sven Tilda Una".split()
)

Draw = Callable[[Random], str]


class Words:
    """Draws names and values; a value is never drawn twice, so that it names its fact."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._drawn: set[str] = set()

    def name(self) -> str:
        """The name of a place or thing."""
        return self._new(lambda r: r.choice(_STARTS) + r.choice(_MIDDLES) + r.choice(_ENDS))

    def person(self) -> str:
        """A person's name."""
        return self._new(lambda r: f"{r.choice(_GIVEN)} {r.choice(_STARTS)}{r.choice(_MIDDLES)}{r.choice(_ENDS)}")

    def day(self, first: int, last: int) -> date:
        """A day in the years from `first` to `last`."""
        start = date(first, 1, 1)
        return start + timedelta(days=self._random.randrange((date(last, 12, 31) - start).days))

    def value(self, spec: str) -> str:
        """A value as `spec` says: `person`, `date FIRST LAST`, or `LOWEST HIGHEST UNIT…`, with a point for decimals."""
        if spec == "person":
            return self.person()
        first, second, *unit = spec.split()
        if first == "date":
            return self._new(lambda _: written(self.day(int(second), int(unit[0]))))
        if "." in first:
            return self._new(lambda r: f"{r.uniform(float(first), float(second)):.1f} {' '.join(unit)}")
        return self._new(lambda r: f"{r.randint(int(first), int(second)):,} {' '.join(unit)}")

    def sample(self, items: list[str], count: int) -> list[str]:
        """Some of the items, in the order that chance gives."""
        return self._random.sample(items, min(count, len(items)))

    def chance(self) -> Random:
        """The source of all chance."""
        return self._random

    def _new(self, draw: Draw) -> str:
        while (found := draw(self._random)) in self._drawn:
            pass
        self._drawn.add(found)
        return found


def written(day: date) -> str:
    """A day as prose has it: `3 May 2024`."""
    return f"{day.day} {day:%B} {day.year}"
