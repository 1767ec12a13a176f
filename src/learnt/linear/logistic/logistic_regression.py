"""Logistic regression on any table."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import ParameterError, SavedModelError, convergence_warning
from learnt.learner.class_weights import CLASS_WEIGHTS, class_factors
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole
from learnt.linear.logistic.aliasing import aliased_words, determined
from learnt.linear.logistic.inference import INTERCEPT, PENALISED, Likelihood, LogisticSummary
from learnt.linear.logistic.look import look
from learnt.linear.logistic.online import Descent, OnlineClassifier, Pace
from learnt.linear.logistic.passes import CountWeights, Curvature, TakeCurvature
from learnt.linear.logistic.problem import Problem, Solution, View, units_of_numbers
from learnt.linear.logistic.search import FEW, Search, mostly_zeros
from learnt.linear.separation import Margins, separation_words
from learnt.show.words import spell

#: Log-odds of a class that no row of any weight has.
NEVER = -40.0


class LogisticRegression(OnlineClassifier):
    """Predict a class by the odds of it: their logarithm is a weighted sum of the columns.

        log p(c | x) / p(c′ | x) = (b_c − b_c′) · (1, x)
        b = argmin C · Σ_i w_i · −log p(y_i | x_i) + penalty(b)

    >>> table = {"hours": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    >>> model = LogisticRegression(penalty=None).fit(table, ["no", "no", "yes", "no", "yes", "yes"])
    >>> model.predict({"hours": [1.5, 5.5]})
    array(['no', 'yes'], dtype='<U3')

    Two classes have one row of coefficients, for the second; more have a row each, which sum to 0 over the classes
    unless the penalty is an L1. Numbers enter as they are, ordered categories by rank, other categories by indicators
    (the most frequent is the reference), missing cells as the mean or the most frequent category.

    {settings}

    Without a penalty, classes that a weighted sum separates have no finite best coefficients: a warning says what
    separates them, `separation_` which way, and the coefficients are where the search stopped.

    Attributes: `coef_`, `intercept_` and `coefficient_names_`; `n_iter_`, `converged_`, `gap_` (what is estimated to be
    left of the objective, relative); `separation_`. `summary()` tells errors and tests, `odds_ratios()` the odds.

    Reference: T. Hastie, R. Tibshirani, J. Friedman, The Elements of Statistical Learning, 2009, 4.4.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse", "probabilities"})
    fit_cost = 8.0
    simplicity = 11.0
    search_space: ClassVar[dict[str, Any]] = {"C": (0.01, 0.1, 1.0, 10.0, 100.0)}
    finds_infinities = True

    penalty: str | None = setting(
        OneOf("l2", "l1", "elasticnet", None),
        '½ Σ b², or "l1" Σ abs b, or "elasticnet", or None; never on intercepts',
        default="l2",
    )
    C: float = setting(Real(above=0), "weight of the rows against the penalty", default=1.0)
    l1_ratio: float | None = setting(OneOf(None) | Real(0, 1), 'the share of L1 in "elasticnet"', default=None)
    fit_intercept: bool = setting(Flag(), "whether intercepts are learnt; False fixes them at 0", default=True)
    standardize: bool = setting(
        Flag(),
        "penalise as if columns of numbers had been divided by their standard deviations; indicators as they are",
        default=False,
    )
    class_weight: Any = setting(
        CLASS_WEIGHTS,
        'weights of classes by label, or "balanced": all classes weigh the same',
        default=None,
        bounds="≥ 0",
    )
    tol: float = setting(
        Real(0), "ends when the objective is within tol² of its least, relative, as its curvature tells", default=1e-4
    )
    max_iter: int = setting(Whole(1), "most steps of Newton's method", default=100)
    solver: str = setting(
        OneOf("auto", "newton", "newton-cg", "coordinate"),
        '"newton" with all second derivatives, "newton-cg" without, "coordinate" for L1',
        default="auto",
    )
    warm_start: bool = setting(Flag(), "whether `fit` begins where the last one ended", default=False)
    random_state: Any = setting(Seed(), "shuffles the rows of `partial_fit`", default=0)

    n_iter_: int = attribute()
    converged_: bool = attribute()
    gap_: float = attribute()
    separation_: str | None = attribute()
    _likelihood: Likelihood | None = attribute()

    # Fitting

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if (self.penalty == "elasticnet") != (self.l1_ratio is not None):
            raise ParameterError(
                f"LogisticRegression: penalty={self.penalty!r} and l1_ratio={spell(self.l1_ratio)} do not go together. "
                "Give l1_ratio with penalty='elasticnet', and only then."
            )
        with_l1 = self._penalties()[0] > 0
        if (self.solver == "newton-cg" and with_l1) or (self.solver == "coordinate" and not with_l1):
            raise ParameterError(
                f"LogisticRegression: solver={self.solver!r} cannot have penalty={self.penalty!r}. 'newton-cg' takes "
                "no L1 penalty, and 'coordinate' needs one. solver='auto' chooses."
            )

    def _penalties(self) -> tuple[float, float]:
        """l1 and l2 where the loss counts once."""
        share = {"l1": 1.0, "l2": 0.0, "elasticnet": self.l1_ratio or 0.0}
        if self.penalty is None:
            return 0.0, 0.0
        return share[self.penalty] / self.C, (1 - share[self.penalty]) / self.C

    def _blank(self) -> Self:
        twin = super()._blank()
        if self.warm_start and "coef_" in self.__dict__:
            twin.__dict__["_start"] = (self.classes_, self.coefficient_names_, self.coef_, self.intercept_)
        return twin

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        name, intercept = type(self).__name__, bool(self.fit_intercept)
        start = self.__dict__.pop("_start", None)
        counts = (yield CountWeights(len(self.classes_))).weight
        factors = class_factors(self.class_weight, self.classes_, counts, name)
        counts = counts if factors is None else counts * factors
        n_scores = 1 if len(counts) == 2 else len(counts)
        seen = yield from look(training, intercept, len(counts), factors)
        design, mean = seen.design, seen.mean
        if len(counts) == 1 or (np.count_nonzero(counts) == 1 and intercept):
            return self._keep_one_class(design, mean, counts)
        view = View.of(mean, seen.variance, intercept)
        units = units_of_numbers(design, view.scale) if self.standardize else None
        problem = Problem(design, n_scores, *self._penalties(), intercept, factors, plain=seen.plain, units=units)
        point = _point(start, self.classes_, design, view, n_scores, counts if intercept else None)
        first = seen.first if start is None else None
        alike = training.weights is None and factors is None
        rows = float(counts.sum()) if alike else np.inf
        search = Search(self.solver, self.tol, self.max_iter, mostly_zeros(training, design), rows)
        margins: Margins | None = None
        if self.penalty is None:
            solution, margins = yield from search.without_penalty(problem, view, point, counts, first)
        else:
            solution = yield from search.solve(problem, view, point, self.max_iter, first)
        coef, base = view.to_user(solution.point)
        if n_scores > 1:
            base = base - base.mean()
        yield from self._weigh(problem, view, coef, base, counts, solution, margins is not None)
        self._keep_coefficients(design, coef, base, mean)
        self._pace = Pace.after(view, mean, float(counts.sum()))
        self._keep_solution(solution, margins, view)

    def _weigh(
        self,
        problem: Problem,
        view: View,
        coef: Array,
        base: Array,
        counts: Array,
        solution: Solution,
        separated: bool,
    ) -> Generator[Pass, Any, None]:
        """The likelihood; without a penalty and with few columns, the errors of the coefficients too."""
        weight, there = float(counts.sum()), counts[counts > 0]
        null = float(there @ np.log(there / weight)) if problem.intercept else -weight * float(np.log(len(counts)))
        free = max(problem.n_scores - 1, 1)
        parameters = free * (int(np.count_nonzero(view.scale)) + problem.intercept)
        if self.penalty is None and problem.n_scores * (problem.n_columns + 1) <= 2 * FEW:
            found: Curvature = yield TakeCurvature(problem, coef, base, view.shift)
            known = determined(found.hessian, coef, base, view.shift, view.scale, problem.intercept)
            # Where classes are separated nothing is determined, and what repeats what is lost in rounding.
            estimates = None if separated else known.estimates
            parameters = parameters if separated else free * len(known.kept)
            self._likelihood = Likelihood(-found.loss, null, weight, parameters, known.covariance, estimates)
        else:
            loss = solution.objective - problem.penalty(coef)
            self._likelihood = Likelihood(-loss, null, weight, parameters, None)

    def _keep_solution(self, solution: Solution, margins: Margins | None, view: View) -> None:
        self.n_iter_, self.converged_ = solution.n_iter, solution.converged and margins is None
        self.gap_ = max(0.0, solution.gap / max(solution.objective, np.finfo(float).tiny))
        self.separation_ = None if margins is None else margins.kind
        if margins is not None:
            inverse = np.divide(1.0, view.scale, out=np.zeros_like(view.scale), where=view.scale > 0)
            pull = np.abs(view.to_user(solution.step)[0] * inverse).max(axis=0)
            words = separation_words(margins, self._design, self.classes_.tolist(), pull)
            warnings.warn(
                convergence_warning(
                    f"The classes are separated ({margins.kind} separation), so that the likelihood has no maximum: "
                    f"coefficients were stopped on their way to infinity. {words} Use a penalty, or leave that out."
                ),
                stacklevel=2,
            )
        elif not solution.converged:
            warnings.warn(
                convergence_warning(
                    f"LogisticRegression stopped after {solution.n_iter} steps, before its objective was within "
                    f"tol² = {self.tol * self.tol:.3g} of its least. Raise max_iter, or tol."
                ),
                stacklevel=2,
            )

    def _keep_one_class(self, design: Design, mean: Array, counts: Array) -> None:
        """All rows of any weight are of one class: no column says anything."""
        k = 1 if len(counts) <= 2 else len(counts)
        base = np.where(counts > 0, 0.0, NEVER) if k > 1 else np.zeros(1)
        if len(counts) == 2:
            base = np.array([-NEVER if counts[1] > 0 else NEVER])
        self._keep_coefficients(design, np.zeros((k, design.n_columns)), base, mean)
        self.n_iter_, self.converged_, self.gap_, self.separation_ = 1, True, 0.0, None
        self._likelihood = None
        self._pace = Pace.after(View.of(mean, np.ones_like(mean), bool(self.fit_intercept)), mean, float(counts.sum()))

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        fit, free = self._likelihood, max(len(self.coef_) - 1, 1) * (self._design.n_columns + 1)
        if fit is not None and fit.covariance is not None and fit.covariance.shape != (free, free):
            raise SavedModelError("The covariance does not fit the coefficients.")
        if fit is not None and fit.estimates is not None and fit.estimates.shape != (free,):
            raise SavedModelError("The estimates do not fit the coefficients.")

    # Learning in instalments

    def _descent(self) -> Descent:
        l1, l2 = self._penalties()
        return Descent(l1, l2, bool(self.fit_intercept), bool(self.standardize))

    # Inference

    def summary(self, level: float = 0.95) -> LogisticSummary:
        """Coefficients with standard errors, z, p values and intervals; `str` of it is a table to read.

        By Wald's approximation, each class against the first. A column that does not vary or repeats columns before
        it is left out, as in R. After a penalised fit, coefficients and odds alone.
        """
        self._fitted_schema()
        if level not in Real(above=0, below=1):
            raise ParameterError(f"level={spell(level)} is not allowed. Expected a number > 0 and < 1.")
        labels = self.classes_.tolist()
        coef, base = self.coef_, self.intercept_
        if len(labels) > 2:
            coef, base = coef[1:] - coef[0], base[1:] - base[0]
        fit = self._likelihood
        table = np.column_stack([base, coef])
        if fit is not None and fit.estimates is not None:
            table = fit.estimates.reshape(table.shape)
        errors = np.full(table.shape, np.nan)
        if fit is not None and fit.covariance is not None:
            errors = np.sqrt(np.maximum(np.diagonal(fit.covariance), 0)).reshape(table.shape)
        shown = slice(None) if self.fit_intercept else slice(1, None)
        names = (INTERCEPT, *self.coefficient_names_)[shown]
        classes = [c for c in labels[1:] or labels for _ in names]
        return LogisticSummary(
            names=names * len(table),
            estimates=table[:, shown].ravel(),
            standard_errors=errors[:, shown].ravel(),
            level=float(level),
            classes=tuple(classes),
            reference=labels[0],
            likelihood=fit,
            note=self._note(fit),
        )

    def _note(self, fit: Likelihood | None) -> str:
        if self.penalty is not None:
            return PENALISED
        if self.separation_ is not None:
            return "The classes are separated: coefficients and their errors mean nothing."
        if fit is None:
            return "No standard errors: there is one class alone, or partial_fit has moved the coefficients."
        if fit.covariance is None:
            return "No standard errors: there are too many coefficients for their matrix."
        notes = [] if fit.estimates is None else [aliased_words(self.coefficient_names_, fit.estimates)]
        if self.class_weight is not None:
            notes.append("Weighted by class: the errors are not those of the rows as drawn.")
        return " ".join(notes)

    def odds_ratios(self, level: float = 0.95) -> Table:
        """By what a unit more of each column multiplies the odds, with intervals, as a table."""
        return self.summary(level).odds_ratios()


def _point(start: Any, classes: Array, design: Design, view: View, n_scores: int, counts: Array | None) -> Array:
    """Where to begin: at an earlier fit of the same columns and classes, or at the shares of the classes."""
    if start is not None and start[1] == design.names and np.array_equal(start[0], classes):
        return view.from_user(start[2], start[3])
    point = np.zeros((n_scores, len(view.scale) + 1))
    if counts is not None:
        logs = np.log(np.maximum(counts / counts.sum(), 1e-6))
        point[:, 0] = logs[1] - logs[0] if n_scores == 1 else logs - logs.mean()
    return point
