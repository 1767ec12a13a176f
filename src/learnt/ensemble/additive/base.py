"""What sums of regressors share: settings, members round by round, what they add up to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.engine.whole import InMemory, WholeTable, uneven, unpacked
from learnt.ensemble.adaboost.rounds import drawn_by_weight
from learnt.ensemble.members import REGRESSOR, fitted_member, mean_importances, rows_in_order, rows_to_draw
from learnt.ensemble.trees.forest import Forest
from learnt.ensemble.weak_learner import RepeatsLearner
from learnt.errors import SavedModelError
from learnt.lazy import cached_property
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import OneOf, Real, Seed, Whole, seed_from
from learnt.learner.settings import clone
from learnt.show.words import count_of
from learnt.storable import Numbers
from learnt.tree import DecisionStumpRegressor, DecisionTreeRegressor

#: So many rounds are printed; the others are counted.
MOST_PRINTED = 5


class AdditiveSum(RepeatsLearner, abstract=True):
    """`estimators_` round after round, in each round one for every score: of numbers and of two classes there is one.

        score_c(x) = start + scale · Σ_t f_tc(x)

    Members of the family write `_learn`, `_n_scores`, `_start`, `_scale`, `_head` and `_names_of_scores`.
    """

    whole = InMemory("fits each member to what those before it left over")

    estimator: Any = setting(
        REGRESSOR, "any regressor; None for a `DecisionStumpRegressor`", default=None, kw_only=False
    )
    n_estimators: int = setting(Whole(1), "rounds at most", default=100)
    learning_rate: float = setting(Real(above=0), "the share of each member that is added", default=0.1)
    by: str = setting(
        OneOf("weights", "resampling"),
        'how rows count in a round: by their "weights", or by "resampling" as many in proportion, for members '
        "that take no weights",
        default="weights",
    )
    random_state: Any = setting(Seed(), "seed of resampling", default=0)

    forest_: Forest | None = attribute()
    members_: list[Any] = attribute()
    train_score_: Numbers = attribute()
    stopped_: str = attribute()
    _rate: float = attribute()  # the learning rate that was fitted with
    _written: Numbers | None = attribute()  # the thresholds of the forest as they are printed

    def _n_scores(self) -> int:
        raise NotImplementedError

    def _start(self) -> Array:
        """The scores before the first round."""
        raise NotImplementedError

    def _scale(self) -> float:
        """What the sum of the members is multiplied by."""
        raise NotImplementedError

    # Fitting

    def _rows(self, rows: WholeTable) -> Batch:
        batch = rows_in_order(rows)[0] if self.by == "resampling" else rows_to_draw(rows)
        return replace(batch, weights=uneven(batch.weights))

    def _member(self, batch: Batch, target: Array, weights: Array | None, place: int) -> tuple[Any, Array]:
        """A member, the one at `place` among all, fitted to this target, and what it says of the rows."""
        learner = DecisionStumpRegressor() if self.estimator is None else adopted(self.estimator)
        own = Batch(batch.table, 0, target, weights)
        if self.by == "resampling":
            even = Batch(batch.table, 0, target, np.ones(batch.n_rows) if weights is None else weights)
            own = drawn_by_weight(learner, even, seed_from(self.random_state) + place)
        member = fitted_member(clone(learner), own, None)
        return member, np.asarray(member.predict(batch.table), dtype=np.float64)

    def _keep(self, members: list[Any], scores: list[float], stopped: str) -> None:
        plain = bool(members) and all(_is_plain_tree(member) for member in members)
        self.forest_ = Forest.of([member.tree_ for member in members]) if plain else None
        self.members_ = [] if plain else members
        shown = [member._shown_tree(member.tree_).threshold for member in members] if plain else []
        self._written = np.concatenate(shown) if plain else None
        self.train_score_, self.stopped_ = np.array(scores), stopped
        _ = self._forest  # so that predicting changes nothing

    # Answering

    @cached_property
    def _forest(self) -> Forest | None:
        """The forest whose leaves add up to the scores; None if the members are not plain trees."""
        if self.forest_ is None:
            return None
        return Forest.of_parts(self.forest_.fields() | {"value": self.forest_.value * self._scale()})

    def _raw(self, table: Table) -> Array:
        """The scores, rows × scores."""
        k, start = self._n_scores(), self._start()
        if self._forest is not None:
            return self._forest.sums(table, base=start, group=k)
        total = np.zeros((table.n_rows, k))
        for _ in self._rounds_added(table, total):
            pass
        scores: Array = start + self._scale() * total
        return scores

    def _rounds_added(self, table: Table, total: Array) -> Iterator[int]:
        """Add the members' answers to `total`, rows × scores, a round a step."""
        k, table = self._n_scores(), unpacked(table)
        for place, member in enumerate(self.estimators_):
            total[:, place % k] += member.predict(table)
            if place % k == k - 1:
                yield place // k

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        """The scores after each round."""
        still = self._still()
        table = still._matched(X)
        total = np.zeros((table.n_rows, still._n_scores()))
        return (still._start() + still._scale() * total for _ in still._rounds_added(table, total))

    # Looking at it

    @property
    def estimators_(self) -> list[Any]:
        """The members, round after round, in each round one for every score."""
        self._fitted_schema()
        if self.forest_ is None:
            return list(self.members_)
        return [self._tree(i) for i in range(len(self.forest_))]

    def _tree(self, i: int) -> Any:
        assert self.forest_ is not None
        tree: Any = DecisionStumpRegressor() if self.estimator is None else clone(self.estimator)
        tree._remember_columns(self._schema)
        tree.tree_, tree.cuts_ = self.forest_[i], ()
        if (written := self.__dict__.get("_written")) is not None:  # models of older files have none
            tree._written = written[self.forest_.tree_start[i] : self.forest_.tree_start[i + 1]]
        return tree

    def _n_members(self) -> int:
        return len(self.members_) if self.forest_ is None else len(self.forest_)

    @property
    def n_iter_(self) -> int:
        """The rounds that were made."""
        self._fitted_schema()
        return self._n_members() // self._n_scores()

    @property
    def feature_importances_(self) -> Array:
        """The share of each column in what the tests of all trees explain; of others the mean of their own."""
        self._fitted_schema()
        if self._n_members() == 0:
            return np.zeros(self.n_features_in_)
        if self._forest is not None:
            return self._forest.gain_importance(self.n_features_in_)
        members = self.estimators_
        return mean_importances(members, np.full(len(members), 1 / len(members)))

    def _names_of_scores(self) -> list[str]:
        raise NotImplementedError

    def __str__(self) -> str:
        if "members_" not in self.__dict__:
            return repr(self)
        names, k = self._names_of_scores(), self._n_scores()
        lines = [
            f"{names[place % k]}, round {place // k}, {self._scale():.4g} ×\n{_indented(str(member))}"
            for place, member in enumerate(self.estimators_[: MOST_PRINTED * k])
        ]
        rest = self.n_iter_ - MOST_PRINTED
        return "\n".join([self._head(), *lines, *([f"… and {count_of(rest, 'more round')}"] if rest > 0 else [])])

    def _head(self) -> str:
        raise NotImplementedError

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k, held = self._n_scores(), self._n_members()
        if held % k or self.train_score_.shape != (held // k + 1,) or not np.isfinite(self._rate):
            raise SavedModelError(f"There are {held} members for {k} scores. Expected as many a round.")
        if self.forest_ is not None:
            self.forest_.check_columns(self._schema)
            if self.forest_.n_outputs != 1:
                raise SavedModelError("The leaves of the trees hold several numbers. Each adds one.")
        written = self.__dict__.get("_written")
        if written is not None and (self.forest_ is None or written.shape != self.forest_.threshold.shape):
            raise SavedModelError("The thresholds as they are written do not fit the trees.")
        for member in self.members_:
            if not isinstance(member, Regressor) or member._schema != self._schema:
                raise SavedModelError("A member does not fit the columns.")


def _is_plain_tree(member: Any) -> bool:
    """Whether a forest answers as this learner does: one leaf a row, two branches a test."""
    if type(member) not in (DecisionStumpRegressor, DecisionTreeRegressor):
        return False
    tree = member.tree_
    return not tree.cuts_rows and not member.cuts_ and bool(np.isin(tree.n_children, (0, 2)).all())


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
