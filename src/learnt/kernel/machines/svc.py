"""Support vector classification."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.kernel.distinct_rows import distinct_rows
from learnt.kernel.machines.explanation import column_evidence, explain_by_support, support_evidence
from learnt.kernel.machines.hard_margin import check_contradictions, refuse_pair, solve_hard
from learnt.kernel.machines.machine import KernelMachine
from learnt.kernel.machines.pairs import class_scores, coupled, pairs_of
from learnt.kernel.machines.sigmoids import held_out_scores, learn_sigmoids
from learnt.kernel.machines.solving import KernelRows, Problems, Solved
from learnt.kernel.machines.summary import MachineSummary, summarize_classes
from learnt.learner.base import Classifier
from learnt.learner.class_weights import CLASS_WEIGHTS, class_factors
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real
from learnt.linear import scaled_rows
from learnt.show.words import label, list_of, spell


class SVC(KernelMachine, Classifier):
    """The border with the widest margin, in the space of a kernel; rows on its wrong side cost C each unit.

        minimise  ½|w|² + C Σ w_i ξ_i    with    y_i (w·φ(x_i) + b) ≥ 1 − ξ_i,  ξ_i ≥ 0

    >>> table = {"a": [1.0, -1.0, -1.0, 3.0], "b": [2.0, 2.0, -2.0, 1.0]}
    >>> model = SVC(C=float("inf"), kernel="linear", standardize=False, tol=1e-10).fit(table, ["-", "-", "+", "+"])
    >>> model.coef_.round(6).tolist(), model.support_.tolist(), round(model.margin_, 6)
    ([[-0.6, 0.8]], [0, 2, 3], 1.0)

    `C=inf` asks for a border without mistakes and says so where there is none. Several classes: a machine for every
    pair, and votes. Equal rows are one row of their summed weights, and rows are taken in an order of their own:
    neither the order of rows nor standing there twice instead of weighing 2 makes a difference. Memory grows with the
    rows, not with their square: kernel values are used where they are made.

    {settings}

    Attributes: `support_`, the numbers of the support vectors; `n_support_` by class; `dual_coef_`, their α·y;
    `intercept_`; `coef_` of a linear kernel; `margin_`, 1/|w|, of each pair; `gap_`, by how much the objective may
    still fall, and `violation_` of the optimality conditions; `n_iter_`, steps; `converged_`; `steepness_` of the
    probabilities.

    Reference: C. Cortes, V. Vapnik, Support-vector networks, 1995; R.-E. Fan, P.-H. Chen, C.-J. Lin, Working set
    selection using second order information, 2005; Z. Wen et al., ThunderSVM, 2018.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "pairwise"})
    fit_cost = 100.0
    simplicity = 62.0
    search_space: ClassVar[dict[str, Any]] = {"C": (0.1, 1.0, 10.0, 100.0), "gamma": ("scale", 0.01, 0.1, 1.0)}

    C: float = setting(
        Real(above=0, high=1e100) | OneOf(float("inf")),
        "what a mistake costs; infinite: none is allowed",
        default=1.0,
        before="kernel",
    )
    class_weight: Any = setting(CLASS_WEIGHTS, 'factors of C: {class: factor}, or "balanced"', default=None)
    probability: bool = setting(
        Flag(),
        "learn probabilities from rows held out: five folds up to 2,000 rows, one beyond. Without it `predict_proba` "
        "is refused",
        default=True,
    )

    steepness_: Any = attribute()
    _sigmoid_offsets: Array = attribute()  # of each pair, in the scores of its first class
    _pairs: Array = attribute()
    _only: int = attribute()  # the class that has rows, where only one has
    _support_codes: Array = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        found = yield from self._encode(training)
        codes, k = np.asarray(found.target), len(self.classes_)
        z = scaled_rows(found.matrix, self._scaling)
        distinct = distinct_rows(self._compared(z), codes, found.weights, k)
        sizes = np.bincount(codes[distinct.first], distinct.weights, k)
        factors = class_factors(self.class_weight, self.classes_, sizes, "SVC")
        costs = np.full(len(distinct.first), np.inf)
        if np.isfinite(self.C):
            costs = self.C * distinct.weights * (1.0 if factors is None else factors[codes[distinct.first]])
        rows = self._kernel_rows(z, distinct.first)
        there = np.flatnonzero(np.diff(distinct.starts)).tolist()
        if np.inf == self.C and self._kernel is not None:
            check_contradictions(z[distinct.first])
        pairs = pairs_of(there)
        weights, offsets, solved = self._machines(rows, distinct.starts, costs, pairs, np.ones(len(costs), dtype=bool))
        self._only = int(there[0]) if there else 0
        self._pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self._keep(z, distinct, weights, costs, offsets, solved)
        self._support_codes = codes[self.support_]
        self.steepness_, self._sigmoid_offsets = 1.0, np.zeros(len(pairs))
        if self.probability and pairs:
            sign = -1.0 if k == 2 else 1.0

            def machines(some: list[tuple[int, int]], left: Array) -> tuple[Array, Array]:
                weights, offsets, _ = self._machines(rows, distinct.starts, costs, some, left)
                return sign * weights, sign * offsets

            held_out = held_out_scores(machines, rows, distinct, codes[distinct.first], pairs)
            self.steepness_, self._sigmoid_offsets = learn_sigmoids(held_out, k)

    def _machines(
        self, rows: KernelRows, starts: Array, costs: Array, pairs: list[tuple[int, int]], there: Array
    ) -> tuple[Array, Array, Solved]:
        """One machine for every pair, from the rows that are `there`: coefficients (rows × pairs), offsets."""
        n, two = len(costs), len(self.classes_) == 2
        ids, targets = [], []
        for a, b in pairs:
            first, second = (np.arange(starts[c], starts[c + 1]) for c in (a, b))
            first, second = first[there[first]], second[there[second]]
            # Of two classes the second is the positive one, as in all classifiers; of several, a pair's first.
            sign = -1.0 if two else 1.0
            ids += [first, second]
            targets += [np.full(len(first), sign), np.full(len(second), -sign)]
        empty = np.zeros(0)
        ids_all = np.concatenate([np.zeros(0, np.int64), *ids]).astype(np.int64)
        target = np.concatenate([empty, *targets])
        ends = np.cumsum([0, *(len(a) + len(b) for a, b in zip(ids[::2], ids[1::2], strict=True))]).astype(np.int64)
        cost = costs[ids_all]
        problems = Problems(
            ends,
            ids_all,
            target,
            np.where(target < 0, -cost, 0.0),
            np.where(target > 0, cost, 0.0),
            np.zeros(len(cost)),
        )
        if np.isfinite(self.C):
            solved = self._solve(rows, problems)
        else:
            names = [(label(self.classes_[a]), label(self.classes_[b])) for a, b in pairs]
            solved = solve_hard(self._solve, rows, problems, lambda m, hulls: refuse_pair(*names[m], hulls))
        weights = np.zeros((n, len(pairs)))
        for m in range(len(pairs)):
            mine = slice(ends[m], ends[m + 1])
            weights[ids_all[mine], m] = solved.beta[mine]
        return weights, solved.offsets, solved

    # What was learnt

    @property
    def intercept_(self) -> Array:
        """b of each pair."""
        return self._offsets

    @property
    def n_support_(self) -> Array:
        """How many support vectors each class has."""
        return np.bincount(self._support_codes, minlength=len(self.classes_))

    @property
    def coef_(self) -> Array:
        """Of a linear kernel: the coefficients of the columns, in their units; pairs × columns."""
        return self._coefficients()[0]

    @property
    def margin_(self) -> Any:
        """1/|w|, half of the gap between the classes in the space of the kernel; of each pair."""
        margins = self._margins()
        return float(margins[0]) if len(margins) == 1 else margins

    def plot_margin(
        self,
        X: Any,
        y: Any = None,
        columns: Sequence[str] | None = None,
        *,
        pair: tuple[Any, Any] | None = None,
        resolution: int = 200,
        ax: Any = None,
    ) -> Any:
        """Draw the border, both edges of the margin and the support vectors over two columns; returns the matplotlib
        axes. `X` and `y` are the rows of the fit. Of several classes `pair` names the two whose machine is drawn. Other
        columns are held at their median or most frequent label, as in `draw_regions`."""
        from learnt.plot.machines import plot_margin

        return plot_margin(self, X, y, columns, self._pair_number(pair), resolution, ax)

    def plot_coefficients(self, X: Any, y: Any = None, *, pair: tuple[Any, Any] | None = None, ax: Any = None) -> Any:
        """Draw the coefficient α of each row against its distance to the margin; returns the matplotlib axes. `X` and
        `y` are the rows of the fit; of several classes `pair` names the two whose machine is drawn."""
        from learnt.plot.machines import plot_class_coefficients

        return plot_class_coefficients(self, X, y, self._pair_number(pair), ax)

    def _pair_number(self, pair: tuple[Any, Any] | None) -> int:
        """Which machine; without a choice the one with most support vectors."""
        self._fitted_schema()
        if not len(self._pairs):
            raise InputError("There is no machine to draw: all rows were of one class.")
        if pair is None:
            return int(np.count_nonzero(self._weights, axis=0).argmax())
        labels = self.classes_.tolist()
        wanted = {labels.index(c) for c in pair if c in labels}
        found = [m for m, two in enumerate(self._pair_list()) if set(two) == wanted]
        if not found:
            raise InputError(
                f"pair={spell(pair)} are not two classes. Expected two of {list_of([label(c) for c in labels])}."
            )
        return found[0]

    def summary(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> MachineSummary:
        """The margin, the support vectors by class, those at their bound, the gap and the violation of the optimality
        conditions of each machine; and what a smaller or larger C would do, in words. With the rows of the fit, the
        machines of C/10 and 10·C are fitted and shown as well."""
        self._fitted_schema()
        return summarize_classes(self, X, y, sample_weight)

    # Answers

    def _pair_list(self) -> list[tuple[int, int]]:
        return [(int(a), int(b)) for a, b in self._pairs]

    def _pair_scores(self, table: Table) -> Array:
        """Above 0 for the first of a pair."""
        scores = self._sums(table)
        return -scores if len(self.classes_) == 2 else scores

    def decision_function(self, X: Any, *, shape: str = "ovr") -> Array:
        """Of two classes the score of the second; of several the votes of each and how clear they were (`shape="ovr"`),
        or the score of each pair for its first class (`shape="ovo"`)."""
        still = self._still()
        still._fitted_schema()
        if len(still.classes_) <= 2:
            scores: Array = still._over(X, still._sums)
            return scores[:, 0] if scores.shape[1] else np.zeros(len(scores))
        if shape == "ovo":
            return np.asarray(still._over(X, still._sums))
        return np.asarray(still._over(X, still._votes))

    def _votes(self, table: Table) -> Array:
        if not len(self._pairs):
            return np.ones((table.n_rows, 1)) if len(self.classes_) == 1 else self._only_class(table.n_rows)
        return class_scores(self._pair_scores(table), self._pair_list(), len(self.classes_))

    def _only_class(self, n: int) -> Array:
        votes = np.zeros((n, len(self.classes_)))
        votes[:, self._only] = 1
        return votes

    def predict(self, X: Any) -> Array:
        """The class with the most votes of its pairs; ties go to the one whose pairs are clearer."""
        still = self._still()
        votes: Array = still._over(X, still._votes)
        labels: Array = still.classes_[votes.argmax(axis=1)]
        return labels

    def _probabilities(self, table: Table) -> Array:
        if not self.probability:
            raise InputError("This SVC was fitted with probability=False. Fit it with probability=True first.")
        if not len(self._pairs):
            return self._votes(table)
        each = np.broadcast_to(self.steepness_, len(self._pairs))
        return coupled(self._pair_scores(table), self._pair_list(), len(self.classes_), each, self._sigmoid_offsets)

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """The score of the answer against the runner-up: what each support vector, or each column, adds to it."""
        votes, labels = self._votes(row)[0], self.classes_.tolist()
        order = [int(c) for c in np.argsort(-votes, kind="stable")]
        best = order[0]
        if not len(self._pairs):
            return Explanation(labels[best], "pair", 0.0, "the only class", (), 0.0, "score")
        other = order[1]
        pair = (min(best, other), max(best, other))
        m = self._pair_list().index(pair)
        sign = (1.0 if best == pair[0] else -1.0) * (-1.0 if len(labels) == 2 else 1.0)
        total = sign * float(self._sums(row)[0, m])
        words = f"score against {label(labels[other])}"
        others = tuple((labels[c], float(votes[c] - votes[best])) for c in order[1:])
        if self.is_linear:
            coef, intercept = self._coefficients()
            evidence, base = column_evidence(self._design, self._mean, row, sign * coef[m], sign * float(intercept[m]))
            return Explanation(labels[best], "pair", base, "average row", evidence, total, words, others)
        parts = sign * self._weights[:, m] * self._likeness(row)
        told = support_evidence(self.support_, [labels[c] for c in self._support_codes], parts)
        return explain_by_support(labels[best], "pair", sign * float(self._offsets[m]), told, total, words, others)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k = len(self.classes_)
        codes = np.concatenate([self._pairs.ravel(), self._support_codes, [self._only]])
        fitting = self._pairs.shape == (self._weights.shape[1], 2) and self._support_codes.shape == self.support_.shape
        if not fitting or codes.min() < 0 or codes.max() >= k:
            raise SavedModelError("The machines do not fit the classes.")
        if self._sigmoid_offsets.shape != (len(self._pairs),) or np.size(self.steepness_) not in (1, len(self._pairs)):
            raise SavedModelError("The sigmoids do not fit the pairs of classes.")
