"""What the two learners of gradient boosting share: fitting by rounds, predicting stage by stage, importances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, astuple
from typing import Any, ClassVar, Literal, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.training import Training
from learnt.engine.whole import TakeWhole, WholeTable
from learnt.ensemble.boosting.course import Boosted, Given, Stopping, Task
from learnt.ensemble.boosting.few_rows import FEW_ROWS, Care, care_of
from learnt.ensemble.boosting.growth_options import GrowthOptions
from learnt.ensemble.boosting.losses import Loss
from learnt.ensemble.boosting.rounds import boost
from learnt.ensemble.boosting.settings import DOMAINS, column_groups
from learnt.ensemble.boosting.stream import boost_stream
from learnt.ensemble.trees.forest import Forest
from learnt.ensemble.trees.importance import ImportantColumns
from learnt.ensemble.trees.one_tree import OneTree
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import seed_from
from learnt.tree import column_directions


class GradientBoosting(ImportantColumns, abstract=True):
    """`trees_`, one per output and round in turn, which add to the scores `_start`. Members have the settings below."""

    fit_cost = 60.0
    simplicity = 80.0
    search_space: ClassVar[dict[str, Any]] = {
        "learning_rate": (0.03, 0.1),
        "max_leaf_nodes": (7, 31),
        "min_samples_leaf": (5, 20),
        "l2_regularization": (1.0, 10.0),
    }

    learning_rate: float | None = setting(
        DOMAINS["learning_rate"],
        "η, the part of each step that is taken; None: 0.1, of fewer than 10 000 rows less, of up to 1000 "
        "0.032, of numbers 0.05",
        default=None,
    )
    max_iter: int | None = setting(
        DOMAINS["max_iter"],
        "rounds, at most; None: 100, of fewer than 10 000 rows more, 150 of up to 1000",
        default=None,
    )
    growth: Literal["leaf", "depth"] = setting(
        DOMAINS["growth"], 'split the leaf that gains most, or "depth": level by level', default="leaf"
    )
    max_leaf_nodes: int | Literal["auto"] | None = setting(
        DOMAINS["max_leaf_nodes"],
        'leaves of a tree, at most; None: no limit; "auto": 31, of fewer than 10 000 rows fewer, of up to 1000 8',
        default="auto",
    )
    max_depth: int | None = setting(DOMAINS["max_depth"], "tests on the way to a leaf, at most", default=None)
    min_samples_leaf: int | None = setting(
        DOMAINS["min_samples_leaf"],
        "least rows of a leaf, counted by weight; None: 20, of fewer than 10 000 rows fewer, of up to 1000 5, "
        "and never more than a tenth of the weight",
        default=None,
    )
    l2_regularization: float = setting(
        DOMAINS["l2_regularization"],
        "λ: keeps the steps of leaves small whose rows are all but certain, where Σh is next to nothing",
        default=1.0,
    )
    max_features: float | None = setting(
        DOMAINS["max_features"],
        "the share of columns drawn for each test; None: all, of fewer than 10 000 rows a part, half of up to 1000",
        default=None,
    )
    subsample: float | None = setting(
        DOMAINS["subsample"],
        "the share of rows drawn for each round; None: all, of fewer than 10 000 rows a part, half of up to 1000",
        default=None,
    )
    sampling: str = setting(
        DOMAINS["sampling"],
        'which rows those are, or "gradient": two thirds of them those of the largest gradients, the others '
        "drawn to stand for all the rest",
        default="uniform",
    )
    max_bins: int = setting(DOMAINS["max_bins"], "bins of a column", default=255)
    monotonic_cst: Any = setting(
        DOMAINS["monotonic_cst"],
        "by column 1: the share of the second class never falls as it rises, −1: never rises",
        default=None,
    )
    interaction_cst: Any = setting(
        DOMAINS["interaction_cst"],
        'groups of columns that may stand on a way to a leaf; "pairwise", "no_interactions"',
        default=None,
    )
    early_stopping: Any = setting(
        DOMAINS["early_stopping"],
        'hold out rows and stop when they gain no more; "auto": of more than 10 000 rows',
        default="auto",
    )
    validation_fraction: float = setting(DOMAINS["validation_fraction"], "the share held out", default=0.1)
    n_iter_no_change: int = setting(
        DOMAINS["n_iter_no_change"],
        "rounds without gain after which it stops; trees up to the best round are kept",
        default=10,
    )
    tol: float = setting(DOMAINS["tol"], "what counts as a gain", default=1e-7)
    warm_start: bool = setting(
        DOMAINS["warm_start"], "whether `fit` goes on with the trees of the last one", default=False
    )
    random_state: Any = setting(DOMAINS["random_state"], "seed of what is drawn, held out and rounded", default=0)

    trees_: Forest = attribute()
    train_score_: Array = attribute()
    validation_score_: Array = attribute()
    _start: Array = attribute()
    _care: Care = attribute()

    # Fitting

    def _blank(self) -> Self:
        twin = super()._blank()
        if self.warm_start and "trees_" in self.__dict__:
            scores = tuple(self.train_score_), tuple(self.validation_score_)
            found = Boosted(self.trees_, self._start, *scores, self._care)
            twin.__dict__["_before"] = (self._schema, getattr(self, "classes_", None), found)
        return twin

    def _task(self, training: Training, loss: Loss, class_weight: Any = None) -> Task:
        """The settings, checked against the columns."""
        name, schema = type(self).__name__, training.schema
        seed = seed_from(self.random_state)
        options = GrowthOptions(
            max_depth=self.max_depth or 0,
            growth=self.growth,
            min_samples_leaf=self.min_samples_leaf,
            l2=float(self.l2_regularization),
            monotonic=self._directions(training, loss),
            interactions=column_groups(self.interaction_cst, schema, name),
            seed=seed,
        )
        return Task(
            name,
            loss,
            options,
            self._given(),
            self.max_bins,
            self.sampling == "gradient",
            self._stopping(),
            seed,
            class_weight,
            training.classes,
            self._earlier(training, loss),
        )

    def _given(self) -> Given:
        rate, rows, columns = map(_number, (self.learning_rate, self.subsample, self.max_features))
        leaves = None if self.max_leaf_nodes == "auto" else self.max_leaf_nodes or 0
        return Given(self.max_iter, rate, rows, columns, leaves)

    def _directions(self, training: Training, loss: Loss) -> Array | None:
        name = type(self).__name__
        directions = column_directions(self.monotonic_cst, training.schema, name)
        if directions is not None and loss.n_outputs > 1:
            raise ParameterError(
                f"{name}: monotonic_cst is for two classes, and the target has {loss.n_outputs}. A score may rise "
                "with a column while the share of its class falls. Leave it out, or tell one class from the others."
            )
        return None if directions is None else directions.astype(np.int8)

    def _earlier(self, training: Training, loss: Loss) -> Boosted | None:
        """What a warm start goes on from, if the rows are of the same kind."""
        if "_before" not in self.__dict__:
            return None
        found: Boosted
        schema, classes, found = self.__dict__.pop("_before")
        name, labels = type(self).__name__, training.classes
        if schema != training.schema or (labels is not None and classes.tolist() != labels.tolist()):
            raise InputError(
                f"{name}: warm_start goes on with the trees of the last fit, but the columns, their categories or the "
                "classes are others now. Give the same, or set warm_start=False."
            )
        if self.max_iter is not None and len(found.trees) > self.max_iter * loss.n_outputs:
            raise ParameterError(
                f"{name}: max_iter={self.max_iter} is less than the {len(found.trees) // loss.n_outputs} rounds that "
                "warm_start goes on from. Give more, or set warm_start=False."
            )
        return found

    def _stopping(self) -> Stopping | None:
        if not self.early_stopping:
            return None
        above = FEW_ROWS if self.early_stopping == "auto" else 0
        return Stopping(float(self.validation_fraction), self.n_iter_no_change, float(self.tol), above)

    def _boosted(self, training: Training, task: Task) -> Plan:
        if training.in_memory:
            rows: WholeTable = yield TakeWhole()
            found = boost(task, rows.table, rows.target, rows.weights)
        else:
            found = yield from boost_stream(task)
        self._keep(found)
        self.trees_.made_ready(training.source)

    def _keep(self, found: Boosted) -> None:
        self.trees_, self._start = found.trees, found.start
        self.train_score_, self.validation_score_ = np.array(found.train_score), np.array(found.validation_score)

        self._care = found.care

    # Looking at it

    @property
    def n_iter_(self) -> int:
        """The rounds that are kept."""
        self._fitted_schema()
        return len(self.trees_) // self.n_trees_per_iteration_

    @property
    def learning_rate_(self) -> float:
        """The part of each step that was taken."""
        self._fitted_schema()
        return self._care.learning_rate

    @property
    def subsample_(self) -> float:
        """The share of rows that each round drew."""
        self._fitted_schema()
        return self._care.subsample

    @property
    def max_features_(self) -> float:
        """The share of columns that each test drew."""
        self._fitted_schema()
        return self._care.max_features

    @property
    def min_samples_leaf_(self) -> float:
        """The least rows of a leaf, of those drawn."""
        self._fitted_schema()
        return self._care.min_samples_leaf

    @property
    def max_leaf_nodes_(self) -> int | None:
        """The most leaves of a tree; None: no limit."""
        self._fitted_schema()
        return self._care.max_leaf_nodes or None

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees of one round: one, or of more than two classes one each."""
        self._fitted_schema()
        return len(self._start)

    def tree(self, i: int) -> OneTree:
        """Tree `i` of `trees_` with its columns, to be printed, drawn or turned into rules; negative from the end."""
        schema = self._fitted_schema()
        tree = self.trees_[i]
        # Impurities of boosted trees tell gains apart, and nothing else: not worth showing.
        return OneTree(tree.changed(impurity=np.zeros(tree.node_count)), schema)

    def plot_descent(self, ax: Any = None) -> Any:
        """Draw the mean loss against the rounds, of the rows learnt from and of those held out; returns the axes."""
        from learnt.plot.descent import plot_rounds

        self._fitted_schema()
        return plot_rounds(-self.train_score_, -self.validation_score_, self.n_iter_, ax)

    # Using

    def _raw(self, table: Table) -> Array:
        """Raw scores, rows × outputs."""
        return self.trees_.sums(table, base=self._start, group=len(self._start))

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        """Raw scores after each round."""
        still = self._still()
        table, k = still._matched(X), still.n_trees_per_iteration_
        scores: Any = still._start
        for first in range(0, len(still.trees_), k):
            scores = still.trees_.sums(table, first, first + k, base=scores, group=k)
            yield scores

    def _check_fitted_state(self) -> None:
        if "_care" not in self.__dict__:  # files of 0.1.0 and earlier, when no setting was left open
            left_open = asdict(care_of(FEW_ROWS + 1, None, classes=True))
            given = {name: getattr(self, name) for name in left_open}
            given["max_leaf_nodes"] = given["max_leaf_nodes"] or 0
            self._care = Care(**{k: given[k] if isinstance(given[k], int | float) else left_open[k] for k in left_open})
        super()._check_fitted_state()
        self.trees_.check_columns(self._schema)
        k = len(self._start)
        if self._start.ndim != 1 or k == 0 or len(self.trees_) % k or self.trees_.n_outputs != 1:
            raise SavedModelError("The trees do not fit the scores they add to.")
        if self._start.dtype != np.float64 or not np.isfinite(self._start).all():
            raise SavedModelError("The scores before the trees are not finite numbers.")
        if not (isinstance(self._care, Care) and all(np.isfinite(number) for number in astuple(self._care))):
            raise SavedModelError("What was taken of the settings left open is not known.")
        for scores in (self.train_score_, self.validation_score_):
            if scores.ndim != 1:
                raise SavedModelError("The scores of the rounds are not a list of numbers.")


def _number(setting: Any) -> float | None:
    return None if setting is None else float(setting)
