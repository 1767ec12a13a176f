"""Winnow: weights that are multiplied, so that columns without meaning cost only their logarithm."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.survey import Survey, TakeSurvey, check_finite
from learnt.engine.training import Training
from learnt.errors import ParameterError, SavedModelError
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.linear.gathered_rows import GatherRows, Rows
from learnt.linear.online.literals import Literals
from learnt.linear.online.mistakes import (
    by_unit,
    check_by_unit,
    report_pass,
    unit_codes,
    unit_count,
    visits,
    warn_if_not_separated,
)
from learnt.linear.online.number_cuts import cuts_of
from learnt.linear.score_classifier import ScoreClassifier, steepness
from learnt.linear.weighted_sum import WeightedSum
from learnt.show.numbers import number
from learnt.show.words import spell


class Winnow(ScoreClassifier):
    """Add up the weights of the statements that hold in a row; multiply or divide them after a mistake.

        says yes if Σ_{j holds} w_j > θ.   Wrongly no: w_j ← α w_j (promotion);  wrongly yes: w_j ← w_j / α (demotion)

    >>> table = {"a": [True, False, False, True], "b": [False, True, False, False], "c": [False, False, True, True]}
    >>> model = Winnow().fit(table, ["yes", "yes", "no", "yes"])
    >>> dict(zip(model.coefficient_names_, model.coef_[0].tolist()))
    {'a=True': 2.0, 'b=True': 2.0, 'c=True': 1.0}
    >>> model.n_promotions_, model.n_demotions_, round(model.mistake_bound(2), 2)
    (2, 0, 13.51)

    A boolean column makes one statement, a nominal or ordinal one a statement per category, a number one per interval
    of `n_bins` with about equally many rows. Of a number that is mostly 0, or one of two, only "above 0" (and "below
    0") or "the larger" is a statement. A missing cell makes none hold. Weights begin at 1.

    "winnow1" sets weights to 0 in a demotion; "winnow2" divides; "balanced" holds two weights per statement, for and
    against, so that statements may speak against a class. Several classes: each against all others. A weight of 2
    shows a row twice; fractions are taken relative to the smallest weight.

    {settings}

    Attributes: `coef_` (for "balanced" the difference of both weights), `coefficient_names_`, `intercept_` (−θ);
    `n_promotions_`, `n_demotions_`, `n_mistakes_` (per class, if there are more than two); `n_iter_`; `converged_`,
    whether a pass had no mistake; `threshold_`; `n_statements_`, those that hold in some rows and not in others;
    `steepness_`.

    Reference: N. Littlestone, Learning quickly when irrelevant attributes abound, Machine Learning 2, 1988.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent"})
    poor_score = True  # it is for columns that are true or false: of a number it sees in which tenth it lies
    fit_cost = 6.0
    takes_text = "presence"  # a statement is there or not
    simplicity = 14.0
    finds_infinities = True
    search_space: ClassVar[dict[str, Any]] = {"variant": ("winnow2", "balanced"), "alpha": (1.1, 1.5, 2.0)}

    variant: Any = setting(
        OneOf("winnow1", "winnow2", "balanced"), '"winnow1", "winnow2" or "balanced"', default="winnow2"
    )
    alpha: float = setting(Real(above=1), "α, the factor of a promotion", default=2.0)
    threshold: float | None = setting(
        OneOf(None) | Real(above=0), 'θ; None: half the number of statements (1 if "balanced")', default=None
    )
    n_bins: int = setting(Whole(2), "intervals a number is cut into, fewer where values repeat", default=10)
    max_iter: int = setting(Whole(1), "passes over the rows at most; 1 for an online learner", default=50)
    shuffle: bool = setting(Flag(), "whether each pass draws an order of the rows", default=False)
    random_state: Any = setting(Seed(), "seed of that", default=0)

    n_promotions_: Any = attribute()
    n_demotions_: Any = attribute()
    n_iter_: int = attribute()
    converged_: bool = attribute()
    threshold_: float = attribute()
    n_statements_: int = attribute()

    @property
    def n_mistakes_(self) -> Any:
        """Promotions and demotions together."""
        return self.n_promotions_ + self.n_demotions_

    def mistake_bound(self, k: int) -> float:
        """How many mistakes it makes at most if the class is an "or" of k statements, whatever rows come.

            winnow1   α k (log_α θ + 1) + n/θ
            winnow2   (1 + α) k (log_α θ + 1) + α/(α − 1) · n/θ          n statements in all

        A promotion raises one of the k weights, none of which ever exceeds α θ, and adds (α − 1) θ at most to the sum
        of all; a demotion takes θ, or (1 − 1/α) θ, off that sum, which began at n.
        """
        self._fitted_schema()
        if self.variant == "balanced":
            raise ParameterError("Winnow: the bound is of variant='winnow1' and 'winnow2'. 'balanced' has none here.")
        n, a, t = self.n_statements_, float(self.alpha), float(self.threshold_)
        if k not in Whole(1, max(n, 1)):
            raise ParameterError(f"Winnow.mistake_bound: k={spell(k)} is not allowed. Expected 1 to {n} statements.")
        promotions: float = k * max(math.log(t, a) + 1, 0.0)
        if self.variant == "winnow1":
            return a * promotions + n / t
        return (1 + a) * promotions + a / (a - 1) * n / t

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        survey: Survey = yield TakeSurvey()
        survey.check_finite()
        literals = Literals.of(survey.schema, cuts_of(training, int(self.n_bins)))
        gathered: Rows = yield GatherRows(literals)
        x, y, w = gathered.joined()
        codes, units = unit_codes(y, len(self.classes_)), unit_count(len(self.classes_))
        weight = np.ones(x.shape[0]) if w is None else w
        share = np.asarray(x.T @ weight).ravel() / weight.sum()
        varying = np.flatnonzero((share > 0) & (share < 1 - 1e-12))  # what always or never holds says nothing
        balanced, n = self.variant == "balanced", len(varying)
        self.threshold_ = float(self.threshold or (1.0 if balanced else max(n / 2, 0.5)))
        start = self.threshold_ / max(share[varying].sum(), 1e-12) if balanced else 1.0  # one promotion says yes
        up = np.full((max(units, 1), n), start)
        down = up.copy() if balanced else None
        done = self._train(x if n == x.shape[1] else x[:, varying], codes, w, units, up, down)
        self.converged_, self.n_statements_ = bool(done.all()), n
        coef = np.zeros((len(up), x.shape[1]))
        coef[:, varying] = up if down is None else up - down
        self._keep_coefficients(literals, coef, np.full(len(coef), -self.threshold_), share)
        self.steepness_ = steepness(np.asarray(x @ coef.T) - self.threshold_, y, w, len(self.classes_))
        if not units:
            self.coef_, self.intercept_ = np.zeros_like(coef), np.zeros(1)
        advice = "'balanced' lets statements speak against a class; a smaller alpha suits noise."
        warn_if_not_separated("Winnow", done, self.classes_, int(self.max_iter), advice)

    def _train(self, x: Any, codes: Array, w: Array | None, units: int, up: Array, down: Array | None) -> Array:
        promotions, demotions = np.zeros(max(units, 1), np.int64), np.zeros(max(units, 1), np.int64)
        done, seed, shown = np.zeros(units, dtype=bool), seed_from(self.random_state), visits(w)
        places = None if w is None or w.all() else np.flatnonzero(w).astype(np.int64)
        rows = x.data, x.indices.astype(np.int32, copy=False), x.indptr, x.shape[1]
        self.n_iter_ = 0
        for epoch in range(int(self.max_iter)):
            if done.all():
                break
            before, open_units = promotions + demotions, np.flatnonzero(~done).astype(np.int32)
            course = places, shown, seed, epoch, bool(self.shuffle)
            _core.winnow_pass(*rows, codes, course, self.threshold_, float(self.alpha), self.variant == "winnow1",
                              open_units, up, down, promotions, demotions)  # fmt: skip
            made = promotions + demotions - before
            self.n_iter_ = epoch + 1
            done[open_units] = made[open_units] == 0
            report_pass("Winnow", epoch + 1, int(self.max_iter), int(made.sum()))
        self.n_promotions_, self.n_demotions_ = by_unit(promotions), by_unit(demotions)
        return done

    def _scores(self, table: Table) -> Array:
        check_finite(table)
        scores: Array = np.asarray(self._design.encode(table) @ self.coef_.T) + self.intercept_
        return scores

    def _words(self, j: int, cell: Any, coef: Array) -> str:
        """The statement that holds and its weight: `in (20, 40] weighs 4, on average 1.3`."""
        if cell is None:
            return "missing, so that nothing is said of it"
        literals = self._design
        assert isinstance(literals, Literals)
        mine = slice(int(literals.starts[j]), int(literals.starts[j]) + int(literals._widths[j]))
        average = f"on average {number(float(coef[mine] @ self._mean[mine]))}"
        place = literals.statement(j, cell)
        if place is None:
            return f"says nothing, {average}"
        statement = literals.names[place].removeprefix(literals.schema.columns[j].name).strip()
        told = "" if statement.startswith("=") else f"{statement} "  # the category stands beside it already
        return f"{told}weighs {number(float(coef[place]))}, {average}"

    def _check_fitted_state(self) -> None:
        WeightedSum._check_fitted_state(self)
        if not isinstance(self._design, Literals):
            raise SavedModelError("The statements of a Winnow are missing.")
        if not 0 < self.threshold_ < math.inf or self.n_statements_ < 0:
            raise SavedModelError("The threshold of a Winnow is a number above 0, and it counts statements.")
        check_by_unit(len(self.classes_), self.n_promotions_, self.n_demotions_)
