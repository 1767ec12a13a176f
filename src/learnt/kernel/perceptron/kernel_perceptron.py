"""The perceptron in the space of a kernel: a border that bends."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.passes import Pass
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.kernel.functions import Kernel
from learnt.kernel.perceptron.kernel_votes import KernelVotes, collect_kernel_votes
from learnt.kernel.space import refuse_lost
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.linear import (
    FEW_CELLS,
    VARIANTS,
    Margin,
    MistakeBound,
    Scaling,
    by_unit,
    encode_training,
    margin,
    plain_scaling,
    report_pass,
    scaled_rows,
    softmax,
    standard_scaling,
    steepness,
    unit_codes,
    unit_count,
    visits,
    warn_if_not_separated,
)
from learnt.show.words import label

#: The products of all pairs of so many rows take 800 MB.
MOST_ROWS = 10_000


class KernelPerceptron(MistakeBound, Classifier):
    """Count the mistakes made at each row; a new row is judged by its likeness to those that were mistakes.

        f(x) = Σ_i α_i y_i K(x_i, x);   wrong if y_i f(x_i) ≤ 0;   then   α_i ← α_i + 1

    >>> table = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}
    >>> xor = ["no", "yes", "yes", "no"]
    >>> KernelPerceptron(kernel="polynomial", degree=2).fit(table, xor).predict(table).tolist()
    ['no', 'yes', 'yes', 'no']

    Kernels: "linear" x·z, "polynomial" (γ x·z + coef0)^degree, "rbf" exp(−γ|x − z|²); 1 is added if an intercept is
    learnt. Numbers are divided by their spread first (`standardize`). Every row is compared with every other, so that
    10,000 rows are the most it takes. Several classes: each against all others. A weight of 2 shows a row twice;
    fractions are taken relative to the smallest weight.

    {settings}

    Attributes: `support_`, the numbers of the rows that were mistakes; `alpha_`, the α of each of them by which it
    predicts (per class, if there are more than two); `n_mistakes_`; `n_iter_`; `converged_`, whether a pass had no
    mistake; `radius_`, `margin_`, `margin_is_largest_`, `mistake_bound_`, in the space of the kernel; `steepness_`.

    Reference: Y. Freund, R. Schapire, Large margin classification using the perceptron algorithm, 1999.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent", "pairwise"})
    fit_cost = 60.0
    simplicity = 60.0
    finds_infinities = True
    search_space: ClassVar[dict[str, Any]] = {"kernel": ("rbf", "polynomial"), "gamma": ("scale", 0.01, 0.1, 1.0)}

    variant: Any = setting(
        VARIANTS,
        'predict with "plain": the last α; "averaged": their mean over all rows shown; "auto": the last '
        'α if they separate a class from the others, else the mean; "voted": let all of them vote, by '
        "how many rows they survived",
        default="auto",
    )
    kernel: Any = setting(OneOf("linear", "polynomial", "rbf"), '"linear", "polynomial" or "rbf"', default="rbf")
    degree: int = setting(Whole(1), 'of "polynomial"', default=3)
    gamma: Any = setting(
        OneOf("scale") | Real(above=0), 'γ; "scale": 1 over the sum of the variances of the columns', default="scale"
    )
    coef0: float = setting(Real(0), 'of "polynomial"', default=1.0)
    fit_intercept: bool = setting(Flag(), "whether 1 is added to the kernel", default=True)
    max_iter: int = setting(Whole(1), "passes over the rows at most", default=50)
    standardize: bool = setting(Flag(), "divide numbers by their spread", default=True)
    shuffle: bool = setting(Flag(), "whether each pass draws an order of the rows", default=False)
    random_state: Any = setting(Seed(), "seed of that", default=0)

    support_: Array = attribute()
    alpha_: Array = attribute()
    converged_: bool = attribute()
    steepness_: float = attribute()
    _design: Design = attribute()
    _scaling: Scaling = attribute()
    _kernel: Kernel = attribute()
    _rows: Any = attribute()  # the support, centred and scaled: dense or CSR
    _signed: Array = attribute()  # α y: units × support
    _votes: KernelVotes | None = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        n = training.n_rows
        if n is not None and n > MOST_ROWS:
            raise InputError(
                f"KernelPerceptron compares every row with every other and was given {n} rows. "
                f"Expected at most {MOST_ROWS}. Take a sample, or use Perceptron or SGDClassifier."
            )
        found = yield from encode_training(training, drop_reference=False)
        # Distances do not change when rows are shifted; products do, and sparse rows are not shifted.
        center = self.kernel == "rbf" and isinstance(found.matrix, np.ndarray)
        self._design = found.design
        self._scaling = standard_scaling(found, center=center) if self.standardize else plain_scaling(found)
        variance = float((found.variance * self._scaling.scale**2).sum())
        gamma = (1 / variance if variance > 0 else 1.0) if self.gamma == "scale" else float(self.gamma)
        constant = float(bool(self.fit_intercept))
        self._kernel = Kernel(str(self.kernel), gamma, float(self.coef0), int(self.degree), constant)
        self._train(scaled_rows(found.matrix, self._scaling), found.target, found.weights)

    def _train(self, z: Any, y: Array, w: Array | None) -> None:
        codes, units, n = unit_codes(y, len(self.classes_)), unit_count(len(self.classes_)), len(y)
        gram = self._kernel(z) if units else np.zeros((n, n))
        if not np.isfinite(gram).all():
            raise InputError("Products of rows overflow in this kernel. Use standardize=True or a smaller gamma.")
        k = max(units, 1)
        scores, counts, time = np.zeros((k, n)), (np.zeros((k, n)), np.zeros((k, n))), np.zeros(k)
        mistakes, following, done = np.zeros(k, np.int64), np.zeros(k, np.int64), np.zeros(units, dtype=bool)
        places = None if w is None or w.all() else np.flatnonzero(w).astype(np.int64)
        seed, shown = seed_from(self.random_state), visits(w)
        self.n_iter_ = 0
        for epoch in range(int(self.max_iter)):
            if done.all():
                break
            before, open_units = mistakes.copy(), np.flatnonzero(~done).astype(np.int32)
            course = places, shown, seed, epoch, bool(self.shuffle)
            _core.kernel_perceptron_pass(
                gram, codes, course, 0, False, open_units, scores, counts, time, mistakes, following
            )
            self.n_iter_ = epoch + 1
            done[open_units] = mistakes[open_units] == before[open_units]
            report_pass("KernelPerceptron", epoch + 1, int(self.max_iter), int((mistakes - before).sum()))
        self.n_mistakes_, self.converged_ = by_unit(mistakes), bool(done.all())
        signs = np.where(codes[None] == np.arange(k)[:, None], 1.0, -1.0)
        taking_part = np.arange(n) if places is None else places
        separable = self._measure(gram, scores, counts[0] * signs, signs, taking_part, done)
        self.support_, alpha = np.flatnonzero(counts[0].any(axis=0)), counts[0]
        averaged = np.flatnonzero(
            {"auto": ~done, "averaged": np.ones_like(done)}.get(self.variant, np.zeros_like(done))
        )
        if len(averaged):
            alpha[averaged] -= counts[1][averaged] / time[averaged, None]
            scores[averaged] = (alpha[averaged] * signs[averaged]) @ gram
        self._rows, self._signed = z[self.support_], (alpha * signs)[:, self.support_]
        kept = alpha[:, self.support_]
        self.alpha_, self._votes = kept[0] if k == 1 else kept, None
        if self.variant == "voted" and units:
            self._votes = collect_kernel_votes(self, gram, codes, places, shown, self.support_, units)
            scores = self._votes.scores(gram[:, self.support_], units).T
        self.steepness_ = steepness(scores.T, y, w, len(self.classes_))
        advice = "Another kernel or a larger gamma bends more."
        warn_if_not_separated("KernelPerceptron", done, self.classes_, int(self.max_iter), advice, separable)

    def _measure(
        self, gram: Array, scores: Array, signed: Array, signs: Array, some: Array, done: Array
    ) -> list[bool | None]:
        """R, γ of the units that can be separated, and whether they can; |w|² = Σ α_i y_i f(x_i)."""
        self.radius_ = float(np.sqrt(max(np.diagonal(gram)[some].max(initial=0.0), 0.0)))
        found = [Margin(float("nan"), largest=False)] * len(scores)
        if len(done) and len(some) * (len(some) + 1) <= FEW_CELLS:
            values, vectors = np.linalg.eigh(gram[np.ix_(some, some)])
            # What rounding leaves of an eigenvalue of 0 has a root of 1e-8: no direction to part rows along.
            rounding = len(some) * np.finfo(float).eps * values.max(initial=0.0)
            rows = vectors * np.sqrt(np.where(values > rounding, values, 0.0))  # their products are those of the kernel
            for u in range(len(done)):
                found[u] = margin(rows, signs[u, some], rows.T @ signed[u, some])
        else:
            for u in np.flatnonzero(done).tolist():
                size = float(np.sqrt(signed[u] @ scores[u]))
                found[u] = Margin(float((signs[u] * scores[u])[some].min()) / size, largest=False)
        self._keep_margins(found, done)
        return [m.separates for m in found]

    def decision_function(self, X: Any) -> Array:
        """The score of each class, rows × classes; of two classes that of the second against the first."""
        still = self._still()
        scores: Array = still._over(X, still._scores)
        return scores[:, 0] if scores.shape[1] == 1 and len(still.classes_) == 2 else scores

    def _scores(self, table: Table) -> Array:
        check_finite(table)
        found = np.zeros((table.n_rows, len(self._signed)))
        if not self._rows.shape[0]:
            return found
        # Products with far rows may be infinite, of either sign, and must add up to something.
        heaviest = max((float(np.abs(signed).max()) for signed in self._signed), default=1.0)
        largest = float(np.finfo(np.float64).max) / (max(heaviest, 1.0) * self._rows.shape[0])
        for start in range(0, table.n_rows, ENCODED_ROWS):
            z = scaled_rows(self._design.encode(table.rows(start, start + ENCODED_ROWS)), self._scaling)
            likeness = np.clip(self._kernel(z, self._rows), -largest, largest)
            if self._votes is not None:
                found[start : start + ENCODED_ROWS] = self._votes.scores(likeness, len(self._signed))
                continue
            for u, signed in enumerate(self._signed):
                found[start : start + ENCODED_ROWS, u] = (likeness * signed).sum(axis=1)
        refuse_lost(found)
        return found

    def _class_scores(self, table: Table) -> Array:
        scores = self._scores(table)
        return np.column_stack([np.zeros(len(scores)), scores[:, 0]]) if len(self.classes_) == 2 else scores

    def _probabilities(self, table: Table) -> Array:
        with np.errstate(over="ignore"):  # scores beyond all numbers are as sure as large ones
            scores = np.clip(self.steepness_ * self._class_scores(table), -1e300, 1e300)
        return softmax(scores)

    def _explain(self, table: Table) -> Explanations:
        check_finite(table)
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """The lead of the answer; it comes from similarity to rows, in which columns have no share of their own."""
        scores, labels = self._class_scores(row)[0], self.classes_.tolist()
        order = [int(c) for c in np.argsort(-scores, kind="stable")]
        best, others = order[0], order[1:]
        total = float(scores[best] - scores[others[0]]) if others else 0.0
        rows = "row that was a mistake" if len(self.support_) == 1 else "rows that were mistakes"
        return Explanation(
            prediction=labels[best],
            kind="score",
            base=total,
            base_words=f"likeness to {len(self.support_)} {rows}",
            evidence=(),
            total=total,
            total_words=f"score against {label(labels[others[0]])}" if others else "score",
            alternatives=tuple((labels[c], float(scores[c] - scores[best])) for c in others),
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        self._check_mistakes()
        p, s = self._design.n_columns, len(self.support_)
        if self._rows.shape != (s, p) or self._signed.shape[1:] != (s,) or self._scaling.scale.shape != (p,):
            raise SavedModelError("The rows kept do not fit the columns.")
        if len(self._signed) != max(unit_count(len(self.classes_)), 1) or self._design.schema != self._schema:
            raise SavedModelError("The rows kept do not fit the classes or columns.")
        if self._votes is not None:
            self._votes.check(s, len(self._signed))
