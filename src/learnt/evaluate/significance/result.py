"""What a significance test found, and what may be concluded from it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from learnt.show.html import html_lines
from learnt.show.numbers import number, percent
from learnt.show.words import count_of, plural, printable

Tail = Literal["two", "greater", "less"]
TAILED = {"two": "two-tailed", "greater": "one-tailed, greater", "less": "one-tailed, less"}


@dataclass(frozen=True)
class SignificanceTest:
    """The result of a test; printing it says in words what can and what cannot be concluded.

    | field | meaning |
    |---|---|
    | `name`, `tail`, `alpha` | which test, which tail ("two", "greater", "less"), at which level |
    | `symbol`, `statistic` | the statistic, NaN where there were too few scores for one |
    | `degrees_of_freedom` | of its distribution: a number, a pair for F, None where it has none |
    | `p_value` | the chance of a statistic at least as extreme if there is no difference |
    | `critical_region` | intervals of the statistic for which the hypothesis of no difference is rejected |
    | `significant` | whether it is |
    | `difference`, `interval` | the estimated difference and its 1 − α confidence interval, where the test has them |
    | `words`, `caveat` | what can and cannot be concluded, and what to mind |
    | `n` | how many scores or pairs were used |
    """

    name: str
    symbol: str
    statistic: float
    degrees_of_freedom: float | tuple[float, float] | None
    p_value: float
    tail: Tail
    alpha: float
    critical_region: tuple[tuple[float, float], ...]
    words: str
    caveat: str = ""
    difference: float | None = None
    interval: tuple[float, float] | None = None
    n: int = 0

    @property
    def significant(self) -> bool:
        return self.p_value <= self.alpha

    @property
    def region_words(self) -> str:
        """The critical region, such as "t ≤ −2.262 or t ≥ 2.262"."""
        if not self.critical_region:
            return f"no value of {self.symbol} is extreme enough"
        return " or ".join(self._interval_words(low, high) for low, high in self.critical_region)

    def _interval_words(self, low: float, high: float) -> str:
        if math.isinf(low):
            return f"{self.symbol} ≤ {number(high)}"
        if math.isinf(high):
            return f"{self.symbol} ≥ {number(low)}"
        return f"{number(low)} ≤ {self.symbol} ≤ {number(high)}"

    def _lines(self) -> list[str]:
        df = self.degrees_of_freedom
        freedom = "" if df is None else f" with {_freedom(df)}"
        found = f"{self.symbol} = {number(self.statistic)}{freedom}, " if not math.isnan(self.statistic) else ""
        squared = self.tail == "two" and len(self.critical_region) == 1  # χ² and F have no direction to speak of
        tailed = "" if squared else f" ({TAILED[self.tail]})"
        lines = [
            f"{self.name}{tailed}: {found}p = {number(self.p_value)}",
            f"critical region at α = {number(self.alpha)}: {self.region_words}",
        ]
        if self.difference is not None and self.interval is not None and self.n > 1:
            low, high = map(number, self.interval)
            lines.append(f"difference {number(self.difference)}, {percent(1 - self.alpha)} interval {low} … {high}")
        lines.append(self.words)
        return [*lines, f"Mind: {self.caveat}"] if self.caveat else lines

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<{self.name}: {self.symbol} = {number(self.statistic)}, p = {number(self.p_value)}>"

    def _repr_html_(self) -> str:
        return html_lines(self._lines())

    def to_dict(self) -> dict[str, Any]:
        """All fields and `significant` as JSON has them; None for what is NaN or infinite."""
        from learnt.evaluate.comparison.records import finite

        record: dict[str, Any] = finite(asdict(self) | {"significant": self.significant})
        return record


def _freedom(df: float | tuple[float, float]) -> str:
    if isinstance(df, tuple):
        return f"{number(df[0])} and {number(df[1])} degrees of freedom"
    return f"{number(df)} {plural(df, 'degree')} of freedom"


def difference_words(difference: float, p: float, tail: Tail, alpha: float, names: tuple[str, str]) -> str:
    """What a test of a difference says, and what it does not."""
    one, other = (printable(name) for name in names)
    if p <= alpha:
        than = "higher" if difference > 0 else "lower"
        return (
            f"{_opening(one)} is {than} than {other}: chance alone rarely does this. "
            "Whether the difference matters is another question."
        )
    if tail == "two":
        return (
            f"It cannot be concluded that {one} and {other} differ: chance alone does this often enough. "
            "That they are equal is not shown either."
        )
    than = "higher" if tail == "greater" else "lower"
    return f"It cannot be concluded that {one} is {than} than {other}. That it is not so is not shown either."


def left_out(dropped: int, what: str = "pair") -> str:
    """A sentence on missing scores; empty if there were none."""
    if not dropped:
        return ""
    return f"{count_of(dropped, what)} with a missing score {'were' if dropped > 1 else 'was'} left out."


def _opening(name: str) -> str:
    """A name at the start of a sentence: "the first" gets a capital, a learner's own name stays as it is."""
    return "T" + name[1:] if name.startswith("the ") else name
