"""What bags share: members fitted to drawn rows and columns, and what each says of rows it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.engine.whole import WholeTable, unpacked
from learnt.ensemble.bagging.draws import SIZE, columns_to_draw, drawn_columns, drawn_rows, size_of
from learnt.ensemble.members import (
    MEMBERS_DRAW,
    copies_are_weights,
    fitted_member,
    rows_in_order,
    rows_to_draw,
    selected_columns,
    taken_rows,
    within_bounds,
)
from learnt.errors import InputError, SavedModelError
from learnt.learner.base import Classifier, Learner, Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import ForeignClassifier, ForeignRegressor, adopted
from learnt.learner.parameters import Flag, Seed, Whole, seed_from
from learnt.learner.settings import clone
from learnt.learner.text.counting import TextUse, text_use
from learnt.watch import report


class Bag(Learner, abstract=True):
    """Members in `estimators_`, each with the columns it knows in `estimators_features_`.

    Members of the family say what `estimator` may be, and write `_default`, `_answer` and `_keep_out_of_bag`.
    """

    whole = MEMBERS_DRAW

    estimator: Any = setting(default=None, kw_only=False)
    n_estimators: int = setting(Whole(1), "members", default=10, kw_only=False)
    max_samples: Any = setting(SIZE, "rows drawn for each: a number, or a share", default=1.0, bounds="≥ 1, or (0, 1]")
    max_features: Any = setting(
        SIZE, "columns drawn for each, without repetition: a number, or a share", default=1.0, bounds="≥ 1, or (0, 1]"
    )
    bootstrap: bool = setting(Flag(), "draw rows with replacement", default=True)
    oob_score: bool = setting(
        Flag(), "whether rows are also judged by the members that have not seen them", default=False
    )
    random_state: Any = setting(Seed(), "seed of all draws", default=0)

    estimators_: list[Any] = attribute()
    estimators_features_: list[Array] = attribute()

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return text_use(self.estimator, self._default().takes_text)

    def _default(self) -> Learner:
        """The learner of `estimator=None`."""
        raise NotImplementedError

    def _answer(self, member: Any, table: Table) -> Array:
        """What a member says of rows, rows × anything: to be averaged."""
        raise NotImplementedError

    def _keep_out_of_bag(self, said: Array, batch: Batch, covered: Array) -> None:
        """Set the attributes of the out-of-bag estimate; `said` is the mean of what members said, by row."""
        raise NotImplementedError

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        draws = self.bootstrap or size_of(self.max_samples, rows.rows) != rows.rows
        batch, places = rows_in_order(rows) if draws else (rows_to_draw(rows), None)
        learner = self._default() if self.estimator is None else adopted(self.estimator)
        seed, total, n_members = seed_from(self.random_state), None, int(self.n_estimators)
        asked = np.zeros(batch.n_rows)
        self.estimators_, self.estimators_features_ = [], []
        drawn = columns_to_draw(batch.table, self.max_features)
        for m in range(n_members):
            columns = drawn_columns(seed, m, drawn, size_of(self.max_features, len(drawn)))
            counts, sample = self._sample(learner, batch, seed, m)
            table = selected_columns(sample.table, columns)
            own = Batch(table, 0, sample.target, sample.weights)
            member = fitted_member(_seeded_learner(learner, seed, m), own, getattr(self, "classes_", None))
            self.estimators_.append(member)
            self.estimators_features_.append(columns)
            if self.oob_score:
                out = np.flatnonzero(counts == 0)
                total = self._add_answer(total, member, batch.table, columns, out)
                asked[out] += 1
            report("member", learner=type(self).__name__, iteration=m + 1, total=n_members)
        if self.oob_score:
            self._estimate(total, asked, batch, places)

    def _sample(self, learner: Learner, batch: Batch, seed: int, m: int) -> tuple[Array, Batch]:
        """How often each row is drawn for a member, and what that member is fitted to."""
        n, exact = batch.n_rows, copies_are_weights(learner)
        blind = batch.weights is not None and "weights" not in learner.abilities  # weights then steer the draw
        size = size_of(self.max_samples, n)
        if size == n and not self.bootstrap and not blind:
            return np.ones(n, dtype=np.int64), batch
        weights = batch.weights if blind else None
        counts = drawn_rows(seed, m, n, size, replace=bool(self.bootstrap), weights=weights)
        if not counts.any():
            raise InputError("No row was drawn.")
        known = Batch(batch.table, 0, batch.target) if blind else batch
        rows = np.flatnonzero(counts)
        if exact:
            repeated = counts[rows] if counts.max() > 1 else None
            return counts, taken_rows(known, rows, repeated)
        return counts, taken_rows(known, np.repeat(rows, counts[rows]))

    def _add_answer(self, total: Array | None, member: Any, table: Table, columns: Array, rows: Array) -> Array | None:
        if len(rows) == 0:
            return total
        said = self._answer(member, selected_columns(table.take(rows), columns))
        total = np.zeros((table.n_rows, *said.shape[1:])) if total is None else total
        total[rows] += said
        return total

    def _estimate(self, total: Array | None, asked: Array, batch: Batch, places: Array | None) -> None:
        if total is None:
            raise InputError(
                f"{type(self).__name__}: no row was left out of any sample, so that there is no out-of-bag estimate. "
                "Draw with bootstrap=True or fewer rows (max_samples), or set oob_score=False."
            )
        if places is not None:  # rows as they came, what was said of copies added up
            first = np.unique(places, return_index=True)[1]
            rows, said, weight = np.arange(len(first)), total, np.bincount(places).astype(np.float64)
            total, times = np.zeros((len(first), *said.shape[1:])), np.zeros(len(first))
            np.add.at(total, places, np.nan_to_num(said))
            np.add.at(times, places, asked)
            asked, copies = times, batch.weights is None and len(places) > len(rows)
            batch = taken_rows(batch, first, weight.astype(np.int64) if copies else None)
        covered = asked > 0
        total[~covered] = np.nan
        mean = total / np.maximum(asked, 1).reshape(-1, *[1] * (total.ndim - 1))
        self.oob_covered_ = int(covered.sum())
        self._keep_out_of_bag(mean, batch, covered)

    # Answering

    def _mean_answer(self, table: Table) -> Array:
        table = unpacked(table)
        mean: Any = 0.0
        for m, (member, columns) in enumerate(zip(self.estimators_, self.estimators_features_, strict=True)):
            said = within_bounds(self._answer(member, selected_columns(table, columns)))
            mean = mean + (said - mean) / (m + 1)  # exact where all agree
        found: Array = mean
        return found

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        places, kind = self.estimators_features_, Classifier if isinstance(self, Classifier) else Regressor
        if not self.estimators_ or len(self.estimators_) != len(places):
            raise SavedModelError(f"There are {len(self.estimators_)} members with columns of {len(places)}.")
        classes = set(self.classes_.tolist()) if isinstance(self, Classifier) else set()
        for member, columns in zip(self.estimators_, places, strict=True):
            fits = isinstance(member, kind) and columns.ndim == 1 and columns.dtype.kind == "i" and columns.size > 0
            if not fits or not ((columns >= 0) & (columns < len(self._schema))).all():
                raise SavedModelError("A member does not fit the columns.")
            names = [self._schema.names[j] for j in columns.tolist()]
            if list(member._schema.names) != names and self._schema.named:
                raise SavedModelError("A member knows other columns than those it is given.")
            if isinstance(member, Classifier) and not classes >= set(member.classes_.tolist()):
                raise SavedModelError("A member knows other classes than the bag.")


def _seeded_learner(learner: Learner, seed: int, m: int) -> Learner:
    """A new learner for a member; one that draws gets a seed of its own, or all would draw alike."""
    own = clone(learner)
    drawing: Any = own.estimator if isinstance(own, ForeignClassifier | ForeignRegressor) else own
    given = getattr(drawing, "random_state", "none")
    if given is None or isinstance(given, int):
        drawing.set_params(random_state=(seed + m + (given or 0)) % 2**32)
    return own
