"""The result of tuning: the settings chosen, what they are worth, and how the others did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from learnt.evaluate.cross_validation import CrossValidation
from learnt.evaluate.folds import FoldResult
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.tuning.board import Candidate
from learnt.evaluate.tuning.spaces import Settings, in_words, value_words
from learnt.lazy import optional_package
from learnt.show.numbers import number, percent, signed
from learnt.show.text_table import aligned

SHOWN = 10  # candidates of a printed result


@dataclass(frozen=True, eq=False)
class Tuning:
    """What a search found.

    | field | meaning |
    |---|---|
    | `model` | the learner with the best settings, fitted on all rows |
    | `settings` | the best settings |
    | `candidates` | all that were tried, best first, each with its settings, inner scores and error |
    | `nested` | the cross-validation of the whole search, or None |
    | `saved` | the share of the work that halving or racing spared |
    | `notices` | what to keep in mind |
    """

    learner: Any
    model: Any
    settings: Settings
    candidates: list[Candidate]
    metric: Metric
    search: str
    n_folds: int
    n_rows: int
    nested: CrossValidation | None
    saved: float
    notices: tuple[str, ...]
    seconds: float

    @property
    def inner_score(self) -> float:
        """The score by which the settings were chosen: the best of many, so too good to be reported."""
        return self.candidates[0].mean

    @property
    def score(self) -> float | None:
        """What tuning this learner is worth on rows that had no part in the choice; None without `nested`."""
        return None if self.nested is None else self.nested.mean(self.metric.name)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of `score`."""
        return None if self.nested is None else self.nested.interval(self.metric.name)

    @property
    def optimism(self) -> float | None:
        """How much better the score of the search is than the honest one."""
        if self.score is None:
            return None
        return (self.inner_score - self.score) * (1 if self.metric.higher_is_better else -1)

    @property
    def names(self) -> list[str]:
        """The settings that were searched."""
        return list(dict.fromkeys(key for c in self.candidates for key in c.settings))

    def chosen(self) -> dict[str, str]:
        """What the search of each outer fold chose, by setting: where these differ, the choice matters little, or
        there is too little data to make it."""
        return chosen_by_setting([] if self.nested is None else self.nested.results) or {}

    def __str__(self) -> str:
        lines = [
            f"{self.learner!r} tuned by {_SEARCHES[self.search]}: {len(self.candidates)} candidates on "
            f"{self.n_folds} folds of {self.n_rows} rows",
            f"Best settings: {in_words(self.settings)}",
            *self._score_lines(),
        ]
        if self.search in ("halving", "racing"):
            lines.append(f"Work: {percent(self.saved, 0)} less than trying every candidate on all folds of all rows.")
        lines += [f"Note: {notice}" for notice in self.notices]
        return "\n".join([*lines, "", self._table()])

    def _score_lines(self) -> list[str]:
        title, inner = self.metric.title, number(self.inner_score)
        if self.nested is None or self.score is None or self.interval is None:
            return [f"Best of the search: {title} {inner}"]
        low, high = self.interval
        span = "" if low != low else f", 95 % interval {number(low)} … {number(high)}"
        outer, optimism = len(self.nested.results), self.optimism or 0.0
        fewer = ", as its folds learnt from fewer rows" if optimism < 0 else ""
        return [
            f"On rows that had no part in the choice: {title} {number(self.score)}{span} ({outer} outer folds)",
            f"Best of the search: {inner} (optimism {signed(optimism)}{fewer}). Report the honest one.",
            "Chosen in the outer folds: " + "; ".join(f"{key} {words}" for key, words in self.chosen().items()),
        ]

    def _table(self) -> str:
        names = self.names
        rows = [["", *names, self.metric.title, "folds", "rows", ""]]
        for place, c in enumerate(self.candidates[:SHOWN], start=1):
            values = [value_words(c.settings[key]) if key in c.settings else "" for key in names]
            score = "" if c.mean != c.mean else number(c.mean)
            rows.append([str(place), *values, score, str(len(c.scores)), str(c.rows), c.error])
        text = aligned(rows, left=(len(names) + 4,))
        left = len(self.candidates) - SHOWN
        return text + (f"\n… and {left} more" if left > 0 else "")

    def __repr__(self) -> str:
        score = "no honest score" if self.score is None else f"{self.metric.title} {number(self.score)}"
        return f"<Tuning of {self.learner!r}: {in_words(self.settings)}, {score}>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per candidate, best first."""
        pd = optional_package("pandas")

        return pd.DataFrame(
            {
                **{key: [c.settings.get(key) for c in self.candidates] for key in self.names},
                self.metric.name: [c.mean for c in self.candidates],
                "folds": [len(c.scores) for c in self.candidates],
                "rows": [c.rows for c in self.candidates],
                "error": [c.error for c in self.candidates],
            }
        )

    def plot(self, *settings: str, ax: Any = None) -> Any:
        """Draw the inner scores against one setting, or as a heat map over two; returns the matplotlib axes.

        Unless named, those are the one or two that matter most. Settings left out are at their best.
        """
        from learnt.plot.tuning import plot_tuning

        return plot_tuning(self, settings, ax)


_SEARCHES = {"grid": "grid search", "random": "random search", "halving": "successive halving", "racing": "racing"}


def chosen_by_setting(results: Iterable[FoldResult]) -> dict[str, str] | None:
    """What the searches of several folds chose, by setting the values and how often; None where none searched."""
    found = [r.chosen for r in results if r.chosen is not None]
    if not found:
        return None
    names = dict.fromkeys(name for chosen in found for name in chosen)
    counts = {name: Counter(chosen[name] for chosen in found if name in chosen) for name in names}
    return {
        name: ", ".join(f"{value} ({times}×)" for value, times in count.most_common()) for name, count in counts.items()
    }
