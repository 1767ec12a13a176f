"""An ensemble chosen from a comparison: its members, its score beside the best of them, its model."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from learnt.ensemble import vote_of_fitted
from learnt.evaluate.comparison.text import interval
from learnt.evaluate.comparison.words import name_on_one_line
from learnt.evaluate.foreign import fit_on, fresh
from learnt.show.numbers import number, percent
from learnt.show.text_table import Field, fitted_table
from learnt.show.words import wrap_words

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.standings import Standing
    from learnt.evaluate.significance import Pair


@dataclass(frozen=True, eq=False)
class ChosenEnsemble:
    """What `best_ensemble` gives. Print it; `model` predicts, explains and is saved as a vote is.

    | field | meaning |
    |---|---|
    | `comparison` | what it was chosen from |
    | `weights` | the members that are taken, the weightiest first; they sum to 1 |
    | `judged` | a comparison of the ensemble, chosen anew inside each fold, with the best single learners |
    | `single` | the single learner of the least log loss, or RMSE |
    """

    comparison: Comparison = field(repr=False)
    weights: dict[str, float]
    judged: Comparison = field(repr=False)
    single: str

    @property
    def standing(self) -> Standing:
        """The ensemble's own line: mean, 95 % interval, times."""
        return next(row for row in self.judged.leaderboard() if row.name not in self._singles)

    @property
    def lead(self) -> Pair | None:
        """The ensemble against the best single learner, with the interval of the difference; None if it is the only
        one, or the folds are too few."""
        ties = self.judged.ties
        both = {self.standing.name, self.single}
        return None if ties is None else next((p for p in ties.pairs if {p.better, p.worse} == both), None)

    @property
    def _singles(self) -> set[str]:
        return {o.name for o in self.comparison.outcomes}

    @cached_property
    def model(self) -> Any:
        """The ensemble of learners fitted on all rows: a `VotingClassifier` or `VotingRegressor`. What the comparison
        has fitted already is not fitted again."""
        problem = self.comparison.problem
        fitted = [(_member_name(name), self.comparison.fitted(name)) for name in self.weights]
        vote = vote_of_fitted(fitted, list(self.weights.values()), problem.table.schema, fresh)
        if "estimators_" not in vote.__dict__:  # members that see other columns, such as words of text
            vote = fit_on(vote, problem)
        return vote

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int = 100) -> str:
        """The scores beside those of single learners, the lead, and the members."""
        rows, metric = self.judged.leaderboard(), self.judged.metric
        others = [m for m in self.judged.metrics if m.name != metric.name][:1]
        if self.comparison.metric.name != metric.name:
            others = [self.comparison.metric]
        scores = fitted_table(
            [
                Field("", [name_on_one_line(r.name) for r in rows], right=False),
                Field(metric.name, [number(r.mean) for r in rows]),
                Field("95 % interval", [interval(r.low, r.high) for r in rows], right=False),
                *(Field(m.name, [number(r.means[m.name]) for r in rows]) for m in others),
            ],
            width,
        )
        names = list(self.weights)
        members = fitted_table(
            [
                Field("member", [name_on_one_line(name) for name in names], right=False),
                Field("weight", [percent(self.weights[name], 0) for name in names]),
            ],
            width,
        )
        return f"{scores}\n{wrap_words(self._words(), width)}\n\n{members}"

    def _words(self) -> str:
        metric, pair = self.judged.metric, self.lead
        note = f"{metric.title}: less is better. The ensemble was chosen anew for each fold, without its rows."
        if pair is None or pair.difference == 0:
            return note
        who = self.standing.name
        better = pair.better == who
        low, high = (pair.low, pair.high) if better else (-pair.high, -pair.low)
        gain = number(abs(pair.difference))
        shown = "" if low > 0 or high < 0 else ", so that a difference is not shown"
        return (
            f"{note} It scores {gain} {'better' if better else 'worse'} than {name_on_one_line(self.single)} "
            f"(95 % interval of the gain {interval(low, high)}{shown})."
        )


def _member_name(name: str) -> str:
    """A name that a vote can reach settings by."""
    plain = name.replace("__", "_")
    return f"member {plain}" if plain in ("estimators", "weights", "vote", "") else plain
