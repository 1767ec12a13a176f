"""The perceptron: a line found by its mistakes."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.explain import Explanation
from learnt.linear.encoded import encoded
from learnt.linear.mistakes import report_pass, told, unit_codes, unit_count, visits, warn_if_not_separated
from learnt.linear.novikoff import FEW_CELLS, Margin, margin, radius
from learnt.linear.online_rows import OnlineRows, as_they_are
from learnt.linear.perceptron_votes import Votes, collect_votes
from learnt.linear.score_classifier import ScoreClassifier, steepness
from learnt.parameters import Domain, Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.wording import label, number


class PerceptronLearner(ScoreClassifier, abstract=True):
    """What the perceptron and its dual share: going through the rows, counting mistakes, Novikoff's bound."""

    finds_infinities: ClassVar[bool] = True
    _advice: ClassVar[str] = "KernelPerceptron can bend."

    eta0: float = 1.0
    fit_intercept: bool
    max_epochs: int
    shuffle: bool
    random_state: Any

    n_mistakes_: Any
    n_epochs_: int
    converged_: bool
    radius_: float
    margin_: Any
    margin_is_largest_: Any

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        found = yield from encoded(training, drop_reference=bool(self.fit_intercept))
        y, w = found.target, found.weights
        rows = OnlineRows.of(found.matrix, as_they_are(found), visits(w))
        codes, units = unit_codes(y, len(self.classes_)), unit_count(len(self.classes_))
        coef, intercept = np.zeros((max(units, 1), rows.n_columns)), np.zeros(max(units, 1))
        done = self._learn(rows, codes, units, coef, intercept)
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise InputError("A column holds values so large that weights overflow. Scale it down first.")
        self.converged_ = bool(done.all())
        self._keep_coefficients(found.design, coef, intercept, found.mean)
        self._measure(rows, codes, units, done, coef, intercept)
        self._keep_more(rows, codes, units)
        self.steepness_ = 1.0
        if units:
            weights = None if w is None else rows.taking_part(w)
            self.steepness_ = steepness(self._own_scores(rows), rows.taking_part(y), weights, len(self.classes_))
        warn_if_not_separated(type(self).__name__, done, self.classes_, int(self.max_epochs), self._advice)

    def _learn(self, rows: OnlineRows, codes: Array, units: int, coef: Array, intercept: Array) -> Array:
        """Go through the rows until a pass has no mistake; which units came to that."""
        late, time, counts = self._memory(rows, units)
        mistakes, following = np.zeros(max(units, 1), np.int64), np.zeros(max(units, 1), np.int64)
        done = np.zeros(units, dtype=bool)
        self.n_epochs_ = 0
        seed = seed_from(self.random_state)
        for epoch in range(int(self.max_epochs)):
            if done.all():
                break
            before, open_units = mistakes.copy(), np.flatnonzero(~done).astype(np.int32)
            course = rows.course(seed, epoch, bool(self.shuffle))
            rows.perceptron_pass(codes, course, 0, False, float(self.eta0), bool(self.fit_intercept), open_units,
                                 (coef, intercept), late, time, counts, mistakes, following)  # fmt: skip
            self.n_epochs_ = epoch + 1
            done[open_units] = mistakes[open_units] == before[open_units]
            report_pass(type(self).__name__, epoch + 1, int(self.max_epochs), int((mistakes - before).sum()))
        self.n_mistakes_ = told(mistakes)
        self._use_memory(coef, intercept, late, time, counts)
        return done

    def _memory(self, rows: OnlineRows, units: int) -> tuple[Any, Array, Array | None]:
        """What a pass keeps beside the weights: sums for an average, visits, mistakes by row."""
        return None, np.zeros(max(units, 1)), None

    def _use_memory(self, coef: Array, intercept: Array, late: Any, time: Array, counts: Array | None) -> None:
        """Turn that into attributes, or into other weights."""

    def _keep_more(self, rows: OnlineRows, codes: Array, units: int) -> None:
        """Members' own attributes."""

    def _own_scores(self, rows: OnlineRows) -> Array:
        return rows.scores(self.coef_, self.intercept_, rows.places)

    def _measure(self, rows: OnlineRows, codes: Array, units: int, done: Array, coef: Array, intercept: Array) -> None:
        """R, and γ of the units that were separated."""
        self.radius_ = _radius_of(rows, bool(self.fit_intercept))
        found = [Margin(float("nan"), largest=False)] * max(units, 1)
        few = rows.n_rows * (rows.n_columns + 1) <= FEW_CELLS
        for u in np.flatnonzero(done):
            if few:
                x, w = rows.dense(), coef[u]
                if self.fit_intercept:
                    x, w = np.column_stack([x, np.ones(len(x))]), np.append(coef[u], intercept[u])
                found[u] = margin(x, np.where(rows.taking_part(codes) == u, 1.0, -1.0), w)
            else:
                found[u] = _margin_found(rows, codes, int(u), coef[u], float(intercept[u]))
        self.margin_ = told(np.array([m.value for m in found]))
        self.margin_is_largest_ = told(np.array([m.largest for m in found]))

    @property
    def mistake_bound_(self) -> Any:
        """(R/γ)², which no perceptron on these rows exceeds; NaN where no separator was found.

        Where γ is that of the separator found (`margin_is_largest_` is False), the largest margin may be larger and
        the bound smaller.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.square(np.divide(self.radius_, self.margin_))
        return float(bound) if np.ndim(bound) == 0 else bound

    def summary(self) -> str:
        """What happened, in a line per class: mistakes, and the bound where there is one."""
        self._fitted_schema()
        labels = self.classes_.tolist()
        mistakes, margins, bounds, largest = (
            np.atleast_1d(v) for v in (self.n_mistakes_, self.margin_, self.mistake_bound_, self.margin_is_largest_)
        )
        lines = []
        for u, count in enumerate(mistakes):
            who, others = (label(labels[u]), "the rest") if len(mistakes) > 1 else (label(labels[-1]), label(labels[0]))
            if np.isnan(margins[u]):
                lines.append(f"{who} against {others}: {count} mistakes, not separated in {self.n_epochs_} passes")
                continue
            size, limit = ("=", "=") if largest[u] else ("≥", "≤")
            lines.append(
                f"{who} against {others}: separated after {count} mistakes; Novikoff's bound (R/γ)² {limit} "
                f"{number(bounds[u])} (R = {number(self.radius_)}, γ {size} {number(margins[u])})"
            )
        return "\n".join(lines)


class Perceptron(PerceptronLearner):
    """Go through the rows and, at each that is on the wrong side, move the line towards it.

        wrong if y (b + w·x) ≤ 0;   then   w ← w + η y x,   b ← b + η y          (y = +1 or −1)

    >>> table = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}
    >>> model = Perceptron().fit(table, [-1, -1, -1, 1])
    >>> model.intercept_.tolist(), model.coef_.tolist(), model.n_mistakes_
    ([-4.0], [[3.0, 2.0]], 18)

    If some line separates the classes with margin γ, and no row (with a 1 for the intercept) is longer than R, it
    makes at most (R/γ)² mistakes (`mistake_bound_`). If none does, it never ends: passes are limited by `max_epochs`
    and a warning says so. Columns that do not vary are left out. Several classes: each against all others.

    A weight of 2 shows a row twice; fractions are taken relative to the smallest weight.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `variant` | "plain" | predict with the last weights; "averaged": with their mean over all rows shown; "voted": \
let all weights vote, by how many rows they survived | |
    | `eta0` | 1.0 | η, which only scales the weights | > 0 |
    | `fit_intercept` | True | whether b is learnt; False fixes it at 0 | |
    | `max_epochs` | 50 | passes over the rows at most | ≥ 1 |
    | `shuffle` | False | whether each pass draws an order of the rows | |
    | `random_state` | 0 | seed of that | |

    Attributes: `coef_`, `intercept_`, `coefficient_names_`; `n_mistakes_` (per class, if there are more than two);
    `n_epochs_`; `converged_`, whether a pass had no mistake; `radius_`, `margin_`, `margin_is_largest_`,
    `mistake_bound_`; `steepness_`.

    References: A. Novikoff, On convergence proofs on perceptrons, 1962; Y. Freund, R. Schapire, Large margin
    classification using the perceptron algorithm, Machine Learning 37, 1999.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent"})
    fit_cost = 6.0
    simplicity = 12.0
    search_space: ClassVar[dict[str, Any]] = {"variant": ("plain", "averaged")}
    domains: ClassVar[dict[str, Domain]] = {
        "variant": OneOf("plain", "averaged", "voted"),
        "eta0": Real(above=0),
        "fit_intercept": Flag(),
        "max_epochs": Whole(1),
        "shuffle": Flag(),
        "random_state": Seed(),
    }

    _advice = "variant='averaged' copes best with that."

    _votes: Votes | None

    def __init__(
        self,
        *,
        variant: Any = "plain",
        eta0: float = 1.0,
        fit_intercept: bool = True,
        max_epochs: int = 50,
        shuffle: bool = False,
        random_state: Any = 0,
    ):
        self.variant = variant
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state

    def _memory(self, rows: OnlineRows, units: int) -> tuple[Any, Array, Array | None]:
        late = None
        if self.variant == "averaged":
            late = np.zeros((max(units, 1), rows.n_columns)), np.zeros(max(units, 1))
        return late, np.zeros(max(units, 1)), None

    def _use_memory(self, coef: Array, intercept: Array, late: Any, time: Array, counts: Array | None) -> None:
        self._average = None
        if late is not None and time.all():
            self._average = coef - late[0] / time[:, None], intercept - late[1] / time

    def _keep_more(self, rows: OnlineRows, codes: Array, units: int) -> None:
        average = self.__dict__.pop("_average")
        if average is not None:
            self.coef_, self.intercept_ = average
        self._votes = collect_votes(self, rows, codes, units) if self.variant == "voted" and units else None

    def _own_scores(self, rows: OnlineRows) -> Array:
        return super()._own_scores(rows) if self._votes is None else self._votes.scores(rows.dense())

    def _scores(self, table: Table) -> Array:
        return super()._scores(table) if self._votes is None else self._votes.of(table, self._design)

    def _explain_row(self, row: Table) -> Explanation:
        if self._votes is None:
            return super()._explain_row(row)
        return self._votes.explain(self._class_scores(row)[0], self.classes_.tolist())

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._votes is not None:
            self._votes.check(self._design.n_columns, len(self.coef_))


def _radius_of(rows: OnlineRows, intercept: bool) -> float:
    """The longest row that takes part, with a 1 for the intercept."""
    longest = max((radius(block) for block in rows.blocks()), default=0.0)
    return float(np.hypot(longest, 1.0)) if intercept else longest


def _margin_found(rows: OnlineRows, codes: Array, u: int, coef: Array, intercept: float) -> Margin:
    scores = rows.scores(coef[None], np.array([intercept]), rows.places)[:, 0]
    size = float(np.sqrt(coef @ coef + intercept**2))
    signs = np.where(rows.taking_part(codes) == u, 1.0, -1.0)
    return Margin(float((scores * signs).min()) / size if size else 0.0, largest=False)
