"""What a comparison promises of a model on new rows, and whether new rows keep the promise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from learnt.evaluate.journal import data_key
from learnt.evaluate.metrics.scoring import METRICS
from learnt.show.numbers import number

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.new_rows import Figure
    from learnt.evaluate.problem import Problem

NORMAL = 1.959964  # standard errors to either side of a 95 % interval
Kept = Literal["as promised", "worse", "better"]


@dataclass(frozen=True)
class Promise:
    """A score with its 95 % interval, and where it comes from; `data` is the hash of the rows."""

    metric: str
    score: float
    low: float
    high: float
    standard_error: float
    rows: int
    splitting: str
    data: str

    @classmethod
    def of(cls, comparison: Comparison, name: str) -> Promise | None:
        """Of a learner that finished; None where others could not compute the metric again."""
        metric = comparison.metric
        row = next(row for row in comparison.leaderboard() if row.name == name)
        if METRICS.get(metric.name) is not metric or not math.isfinite(row.low + row.high + row.standard_error):
            return None
        return cls(
            metric.name,
            float(row.mean),
            float(row.low),
            float(row.high),
            float(row.standard_error),
            comparison.problem.n_rows,
            comparison.splitting.words,
            rows_key(comparison.problem),
        )

    @classmethod
    def from_dict(cls, facts: Any) -> Promise | None:
        """What a file says, if it is a promise at all: files come from anyone."""
        if not isinstance(facts, Mapping) or facts.get("metric") not in METRICS:
            return None
        numbers = {name: facts.get(name) for name in ("score", "low", "high", "standard_error")}
        if not all(isinstance(v, int | float) and math.isfinite(v) for v in numbers.values()):
            return None
        rows = facts.get("rows")
        return cls(
            str(facts["metric"]),
            **{name: float(value) for name, value in numbers.items() if value is not None},
            rows=rows if isinstance(rows, int) else 0,
            splitting=str(facts.get("splitting", ""))[:200],
            data=str(facts.get("data", ""))[:64],
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def kept_by(self, found: Figure) -> Kept:
        """Whether the difference to the score that was found is more than chance, at the level 0.05."""
        gap = (found.score - self.score) * (1 if METRICS[self.metric].higher_is_better else -1)
        error = math.hypot(self.standard_error, found.standard_error)
        if abs(gap) <= NORMAL * error:
            return "as promised"
        return "better" if gap > 0 else "worse"

    def words(self, found: Figure) -> str:
        """Promised and found, and what to make of it."""
        title = METRICS[self.metric].title
        both = (
            f"{title}: promised {number(self.score)} ({number(self.low)} to {number(self.high)}), "
            f"found {number(found.score)} ({number(found.low)} to {number(found.high)})"
        )
        return f"{both}: {_CONCLUSIONS[self.kept_by(found)]}."


_CONCLUSIONS: dict[Kept, str] = {
    "as promised": "as promised",
    "worse": "clearly worse than promised. These rows differ from those it learnt from",
    "better": "better than promised. These rows are easier than those it learnt from, or among them",
}


def rows_key(problem: Problem) -> str:
    """A hash of columns and answers, by which rows are known again, whatever they were weighted by."""
    return data_key(replace(problem, weights=None, groups=None, declared=None))
