"""What the perceptron and its dual share: going through the rows, counting mistakes, Novikoff's bound."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.explain import Explanation
from learnt.learner.fields import attribute
from learnt.learner.parameters import Domain, Flag, OneOf, Seed, Whole, seed_from
from learnt.linear.encoded import encode_training
from learnt.linear.online.mistakes import by_unit, report_pass, unit_codes, unit_count, visits, warn_if_not_separated
from learnt.linear.online.novikoff import FEW_CELLS, Margin, MistakeBound, margin, radius
from learnt.linear.online.perceptron_votes import Votes, collect_votes
from learnt.linear.online.rows import OnlineRows, plain_scaling, standard_scaling
from learnt.linear.score_classifier import ScoreClassifier, steepness

VARIANTS = OneOf("auto", "plain", "averaged", "voted")


class PerceptronLearner(MistakeBound, ScoreClassifier, abstract=True):
    """A unit for each class, or one for two of them; members say what they keep beside the weights."""

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent"})
    finds_infinities: ClassVar[bool] = True
    domains: ClassVar[dict[str, Domain]] = {
        "variant": VARIANTS,
        "fit_intercept": Flag(),
        "max_iter": Whole(1),
        "standardize": Flag(),
        "shuffle": Flag(),
        "random_state": Seed(),
    }

    variant: Any = attribute()
    eta0 = 1.0
    fit_intercept: bool = attribute()
    max_iter: int = attribute()
    standardize: bool = attribute()
    shuffle: bool = attribute()
    random_state: Any = attribute()

    n_mistakes_: Any = attribute()
    n_iter_: int = attribute()
    converged_: bool = attribute()
    _votes: Votes | None = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        found = yield from encode_training(training, drop_reference=bool(self.fit_intercept))
        y, w = found.target, found.weights
        scaling = standard_scaling(found, center=bool(self.fit_intercept)) if self.standardize else plain_scaling(found)
        rows = OnlineRows.of(found.matrix, scaling, visits(w))
        codes, units = unit_codes(y, len(self.classes_)), unit_count(len(self.classes_))
        last, mean, done = self._train(rows, codes, units)
        self.converged_ = bool(done.all())
        separable = self._measure(rows, codes, done, *last)
        coef, intercept = (np.where(_like(v, self._averaged(done)), m, v) for v, m in zip(last, mean, strict=True))
        self._keep_coefficients(found.design, *scaling.in_units(coef, intercept), found.mean)
        self.steepness_, self._votes = 1.0, None
        if units:
            scores = rows.scores(coef, intercept, rows.places)
            if self.variant == "voted":
                votes = collect_votes(self, rows, codes, units)
                scores, self._votes = votes.scores(rows.dense()), votes.in_units(scaling)
            self.steepness_ = steepness(
                scores, rows.taking_part(y), None if w is None else rows.taking_part(w), len(self.classes_)
            )
        advice = "It predicts with the mean of its weights." if self.variant == "auto" else "'averaged' copes best."
        warn_if_not_separated(type(self).__name__, done, self.classes_, int(self.max_iter), advice, separable)

    def _averaged(self, done: Array) -> Array:
        """Which units use the mean of their weights instead of the last."""
        return {"auto": ~done, "averaged": np.ones_like(done)}.get(self.variant, np.zeros_like(done))

    def _train(self, rows: OnlineRows, codes: Array, units: int) -> tuple[tuple[Array, Array], Any, Array]:
        """Go through the rows until a pass has no mistake: last weights, their mean, which units came to that."""
        k, p = max(units, 1), rows.n_columns
        weights, late = (np.zeros((k, p)), np.zeros(k)), (np.zeros((k, p)), np.zeros(k))
        time, counts = np.zeros(k), self._counts(k, rows.n_rows)
        mistakes, following = np.zeros(k, np.int64), np.zeros(k, np.int64)
        done, seed = np.zeros(units, dtype=bool), seed_from(self.random_state)
        self.n_iter_ = 0
        for epoch in range(int(self.max_iter)):
            if done.all():
                break
            before, open_units = mistakes.copy(), np.flatnonzero(~done).astype(np.int32)
            course = rows.course(seed, epoch, bool(self.shuffle))
            rows.perceptron_pass(codes, course, 0, False, float(self.eta0), bool(self.fit_intercept), open_units,
                                 weights, late if self.variant in ("auto", "averaged") else None, time, counts,
                                 mistakes, following)  # fmt: skip
            self.n_iter_ = epoch + 1
            done[open_units] = mistakes[open_units] == before[open_units]
            report_pass(type(self).__name__, epoch + 1, int(self.max_iter), int((mistakes - before).sum()))
        self.n_mistakes_ = by_unit(mistakes)
        shown = np.maximum(time, 1.0)
        mean = weights[0] - late[0] / shown[:, None], weights[1] - late[1] / shown
        if not all(np.isfinite(a).all() for a in (*weights, *mean)):
            raise InputError(
                "A column holds values so large that weights overflow. Scale it down first, or use standardize=True."
            )
        self._keep_counts(counts, shown, self._averaged(done))
        return weights, mean, done

    def _counts(self, units: int, n_rows: int) -> tuple[Array, Array] | None:
        """Where mistakes are counted by row, if they are."""
        return None

    def _keep_counts(self, counts: tuple[Array, Array] | None, shown: Array, averaged: Array) -> None:
        """Turn those into attributes."""

    def _measure(self, rows: OnlineRows, codes: Array, done: Array, coef: Array, intercept: Array) -> list[bool | None]:
        """R, γ of the units that can be separated, and whether they can, as far as that is known."""
        self.radius_ = _radius_of(rows, bool(self.fit_intercept))
        found = [Margin(float("nan"), largest=False)] * len(coef)
        if rows.n_rows * (rows.n_columns + 1) <= FEW_CELLS:
            x = rows.dense()
            x, w = (
                (np.column_stack([x, np.ones(len(x))]), np.column_stack([coef, intercept]))
                if self.fit_intercept
                else (x, coef)
            )
            for u in range(len(done)):
                found[u] = margin(x, np.where(rows.taking_part(codes) == u, 1.0, -1.0), w[u])
        else:
            for u in np.flatnonzero(done).tolist():
                found[u] = _margin_found(rows, codes, u, coef[u], float(intercept[u]))
        self._keep_margins(found, done)
        return [m.separates for m in found]

    def _scores(self, table: Table) -> Array:
        return super()._scores(table) if self._votes is None else self._votes.of(table, self._design)

    def _explain_row(self, row: Table) -> Explanation:
        if self._votes is None:
            return super()._explain_row(row)
        return self._votes.explain(self._class_scores(row)[0], self.classes_.tolist())

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        self._check_mistakes()
        if self._votes is not None:
            self._votes.check(self._design.n_columns, len(self.coef_))


def _like(values: Array, chosen: Array) -> Array:
    """A choice by unit in the shape of values by unit; where there are no units, nothing is chosen."""
    chosen = chosen if len(chosen) else np.zeros(len(values), dtype=bool)
    return chosen[:, None] if values.ndim > 1 else chosen


def _radius_of(rows: OnlineRows, intercept: bool) -> float:
    """The longest row that takes part, with a 1 for the intercept."""
    longest = max((radius(block) for block in rows.blocks()), default=0.0)
    return float(np.hypot(longest, 1.0)) if intercept else longest


def _margin_found(rows: OnlineRows, codes: Array, u: int, coef: Array, intercept: float) -> Margin:
    scores = rows.scores(coef[None], np.array([intercept]), rows.places)[:, 0]
    size = float(np.sqrt(coef @ coef + intercept**2))
    signs = np.where(rows.taking_part(codes) == u, 1.0, -1.0)
    return Margin(float((scores * signs).min()) / size if size else 0.0, largest=False)
