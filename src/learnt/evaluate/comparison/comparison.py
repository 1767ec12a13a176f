"""The result of a comparison: who did how well, and what may be concluded from it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.notes import Note
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.comparison.outcome import STATUSES, Outcome
from learnt.evaluate.comparison.roles import Roles
from learnt.evaluate.comparison.standings import Standing, fold_sizes, standings
from learnt.evaluate.foreign import fit_on, quiet_blas, seeded
from learnt.evaluate.splits.naming import Splitting
from learnt.evaluate.tuning.tuned import Tuned
from learnt.lazy import optional_package
from learnt.learner.parameters import seed_from

if TYPE_CHECKING:
    from learnt.evaluate.comparison.verdict import Verdict
    from learnt.evaluate.metrics.scoring import Metric
    from learnt.evaluate.problem import Problem
    from learnt.evaluate.significance import Ties
    from learnt.learner.loss_matrix import LossMatrix


@dataclass
class Comparison:
    """Learners on one table, compared by cross-validation on the same folds.

    Print it, `plot()` it, take `to_frame()` or `to_dict()` to go on with, `write("report.html")` to show it.

    | field | meaning |
    |---|---|
    | `problem` | the table and what was to be predicted from it |
    | `metric`, `metrics` | the one that ranks, and all that were computed |
    | `outcomes` | one per learner: done ones best first, then stopped, failed, skipped |
    | `ties` | pairwise tests of the done ones; None with fewer than two, or fewer than two folds |
    | `notices` | what was decided about the data on the way, in sentences |
    | `notes` | what a reader of files did to the columns |
    | `reading` | settings of `read` that the table of `source` was read by |
    | `splitting` | how rows were cut into those to train on and those to test on |
    | `loss` | the costs that answers were chosen by, or None |
    | `margin` | how far from the best score a readable learner may be; None: any that may be the best (●) |
    | `roles` | columns that were dropped, kept, or tell groups, weights or time |
    | `verdict`, `best`, `readable` | the answer: the most accurate learner, the most readable one within reach |
    """

    problem: Problem
    outcomes: list[Outcome]
    metric: Metric
    metrics: tuple[Metric, ...]
    cv: int
    repeats: int = 1
    random_state: int = 0
    source: str = ""
    ties: Ties | None = None
    notices: list[str] = field(default_factory=list)
    notes: tuple[Note, ...] = ()
    command: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict, repr=False)
    seconds: float = 0.0
    loss: LossMatrix | None = None
    margin: float | None = None
    interrupted: bool = False
    roles: Roles = field(default_factory=Roles, repr=False)
    _splitting: Splitting | None = None
    _fitted: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.outcomes = ordered(self.outcomes, self.metric)
        if self.ties is None:
            self.ties = _ties(self.problem, self.done, self.metric)
        for outcome in self.outcomes:
            outcome.refit = self.fitted

    # Who did how well

    @property
    def target_name(self) -> str:
        return self.problem.target_name

    @property
    def done(self) -> list[Outcome]:
        """Learners with a score for every fold, best first."""
        return [o for o in self.outcomes if o.status == "done"]

    @property
    def n_folds(self) -> int:
        return self.cv * self.repeats

    @property
    def splitting(self) -> Splitting:
        return self._splitting or Splitting.of(self.cv, self.cv, self.repeats)

    @property
    def top(self) -> Outcome:
        """The learner with the best mean, the first of the leaderboard."""
        if not self.done:
            raise InputError("No learner finished, so none is best. The outcomes say why.")
        return self.done[0]

    @cached_property
    def verdict(self) -> Verdict:
        """Two names and a price: the most accurate learner, and the most readable one within reach."""
        from learnt.evaluate.comparison.verdict import verdict

        _ = self.top  # an error where nobody finished
        return verdict(self, self.margin)

    @property
    def best(self) -> Outcome:
        """The most accurate learner, which is the one to use: `comparison.best.fit()` fits it on all rows."""
        return self.verdict.accurate

    @property
    def readable(self) -> Outcome | None:
        """The learner to be read: of those that may be the best, a simple one close to it; None where there is none."""
        return self.verdict.readable

    @property
    def tied(self) -> list[Outcome]:
        """The learners that may be the best, the first of the leaderboard among them."""
        if self.ties is None:
            return self.done
        names = set(self.ties.with_best) | {self.top.name}
        return [o for o in self.done if o.name in names]

    @property
    def baseline(self) -> Outcome | None:
        """The finished learner that does not look at the columns, if there is one."""
        return next((o for o in self.done if o.baseline), None)

    def better_than(self, name: str) -> set[str]:
        """The learners that are significantly better than this one, its comparisons taken together."""
        return set() if self.ties is None else set(self.ties.better_than(name))

    def ranked_by(self, metric: Metric) -> list[Outcome]:
        """The finished learners, best first by another metric that was computed; those it does not judge last."""
        return [o for o in ordered(self.done, metric) if o.status == "done"]

    def ties_by(self, metric: Metric) -> Ties | None:
        """Who can be told apart by another metric that was computed."""
        return _ties(self.problem, [o for o in self.ranked_by(metric) if np.isfinite(o.mean(metric.name))], metric)

    def leaderboard(self) -> list[Standing]:
        """A row for each learner that finished: place, mean, 95 % interval, tied groups, times."""
        return standings(self.done, self.metric, self.ties)

    @property
    def conclusion(self) -> str:
        """What can be concluded from the scores, and what cannot."""
        from learnt.evaluate.comparison.words import conclusion

        return conclusion(self)

    def outcome(self, name: str) -> Outcome:
        """What became of the learner of that name."""
        for candidate in self.outcomes:
            if candidate.name == name:
                return candidate
        import difflib

        names = [o.name for o in self.outcomes]
        near = difflib.get_close_matches(name, names, 1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(names)}."
        raise InputError(f"There is no learner {name!r} in this comparison. {hint}")

    # Answers and models

    def out_of_fold(self, name: str) -> tuple[Array, Array | None]:
        """What a learner answered to each row when that row was held out (first repeat), and its probabilities.

        Answers are codes into `problem.classes`, or numbers; −1 or NaN where a row was never held out.
        """
        results = [r for r in self.outcome(name).results if r.repeat == 0]
        n, classes = self.problem.n_rows, self.problem.classes
        answer = np.full(n, np.nan) if classes is None else np.full(n, -1, np.int32)
        for r in results:
            answer[r.test] = r.answer
        if not results or results[0].probabilities is None:
            return answer, None
        probabilities = np.full((n, results[0].probabilities.shape[1]), np.nan)
        for r in results:
            probabilities[r.test] = r.probabilities
        return answer, probabilities

    def fitted(self, name: str) -> Any:
        """The learner fitted on all rows, with the settings a search on them chose if it was tuned; then kept."""
        if name not in self._fitted:
            learner = seeded(self.outcome(name).learner, seed_from(self.random_state) % 2**32)
            with quiet_blas(learner):
                model = fit_on(learner, self.problem)
            self._fitted[name] = model.model_ if isinstance(model, Tuned) else model
        return self._fitted[name]

    # How it shows itself

    def to_text(self, width: int = 100) -> str:
        from learnt.evaluate.comparison.text import comparison_text

        return comparison_text(self, width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.outcomes)} learners, {len(self.done)} of them done>"

    def _repr_html_(self) -> str:
        from learnt.evaluate.comparison.html import comparison_html

        return comparison_html(self)

    def plot(self, ax: Any = None) -> Any:
        """Means and intervals of the learners, best on top; returns the matplotlib axes."""
        from learnt.plot.resampling import plot_comparison

        return plot_comparison(self, ax)

    def to_frame(self) -> Any:
        """The outcomes as a pandas DataFrame, a row per learner, in their order."""
        pd = optional_package("pandas")

        return pd.DataFrame(self.to_dict()["learners"])

    def to_dict(self) -> dict[str, Any]:
        """Everything but rows and models, in plain types: for JSON and other programs."""
        from learnt.evaluate.comparison.records import comparison_record

        return comparison_record(self)

    def to_html(self) -> str:
        """The report as one self-contained page."""
        from learnt.report.comparison import render

        return render(self)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the report, one self-contained HTML file."""
        from learnt.report.comparison import write

        write(self, path)
        return Path(path)


#: What settles a draw: proper scores, which look at more than the answer, and errors in another norm.
_SECOND = ("log_loss", "brier", "mae", "rmse")


def ordered(outcomes: Sequence[Outcome], metric: Metric) -> list[Outcome]:
    """Done ones best first (of equal ones the better by a proper score, then the simplest), then the others by name."""

    def key(outcome: Outcome) -> tuple[Any, ...]:
        place = STATUSES.index(outcome.status)
        if outcome.status != "done":
            return place, 0, 0.0, (), outcome.simplicity, outcome.name
        unscored = int(np.isnan(outcome.scores[metric.name]).sum())  # as `tied_groups` does, so that both agree
        worse = _worse(outcome.mean(metric.name), metric.higher_is_better)
        second = tuple(_worse(outcome.mean(name), False) for name in _SECOND if name in outcome.scores)
        return place, unscored, worse, second, outcome.simplicity, outcome.name

    return sorted(outcomes, key=key)


def _worse(mean: float, higher_is_better: bool) -> float:
    """A mean as a number of which less is better; without one, the worst. Rounding makes no difference."""
    if np.isnan(mean):
        return float("inf")
    return float(f"{-mean if higher_is_better else mean:.12g}")


def _ties(problem: Problem, done: Sequence[Outcome], metric: Metric) -> Ties | None:
    """Who can be told apart: row by row where the metric allows, else by the folds, where there are enough."""
    from learnt.evaluate.comparison.row_scores import sampling_errors
    from learnt.evaluate.significance import row_ties, tied_groups

    scores = {o.name: o.scores[metric.name] for o in done}
    if len(scores) < 2:
        return None
    errors = sampling_errors(problem, done, metric)
    if errors is not None:
        sign = 1.0 if metric.higher_is_better else -1.0
        return row_ties(
            list(scores),
            errors,
            {name: sign * s for name, s in scores.items()},
            higher_is_better=metric.higher_is_better,
            n_folds=len(done[0].results),
        )
    if min(np.isfinite(s).sum() for s in scores.values()) < 2:
        return None
    n_train, n_test = fold_sizes(done)
    return tied_groups(scores, n_train, n_test, higher_is_better=metric.higher_is_better)
