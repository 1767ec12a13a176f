"""What random forests and extra trees share: growing from codes, averaging leaves, out-of-bag estimates."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any, ClassVar, Self

from learnt.data.row_keys import ORDERED_UP_TO
from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.ensemble.forest.elsewhere import grow_elsewhere
from learnt.ensemble.forest.growth import Coded, CodeRows, Drawn, Growth, OutOfBagSums, coded_of, find_coding, grow
from learnt.ensemble.forest.shrinkage import chosen_shrinkage, sampled
from learnt.ensemble.forest.target_statistics import with_statistics
from learnt.ensemble.trees.forest import Forest
from learnt.ensemble.trees.importance import ImportantColumns
from learnt.ensemble.trees.one_tree import OneTree
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.show.words import spell
from learnt.tree import SHARE_OR_COUNT, SPLIT, TRIED, Share, columns_tried, least_weight


class ForestLearner(ImportantColumns, abstract=True):
    """`trees_`, each grown to rows and columns of its own draw. Members say which `criterion` tests lower."""

    fit_cost = 100.0
    simplicity = 80.0

    criterion: str = attribute()
    n_estimators: int = setting(Whole(1), "trees", default=100)
    max_depth: int | None = setting(OneOf(None) | Whole(1), "most tests on the way to a leaf", default=None)
    min_samples_split: Any = setting(
        SPLIT, "least rows of a node that is split, or their share of all", default=2, bounds="≥ 2, or (0, 1]"
    )
    min_samples_leaf: Any = setting(
        SHARE_OR_COUNT, "least rows of each branch, or their share of all", default=1, bounds="≥ 1, or (0, 1)"
    )
    min_weight_fraction_leaf: float = setting(
        Real(0, 0.5), "least share of all weight, that of classes included, in each branch", default=0.0
    )
    max_features: Any = setting(
        TRIED, 'columns drawn for each test: a number, a share, "sqrt" or "log2"; None: all', default="sqrt"
    )
    max_leaf_nodes: int | None = setting(
        OneOf(None) | Whole(2), "grow the most useful node first, up to so many leaves", default=None
    )
    bootstrap: bool = setting(Flag(), "draw rows; otherwise all trees get all of them", default=True)
    oob_score: bool = setting(Flag(), "estimate the accuracy from the rows each tree did not draw", default=False)
    max_samples: Any = setting(
        OneOf(None) | Whole(1) | Share(above=0, high=1),
        "rows drawn for a tree: a number or a share; None: as many as there are",
        default=None,
    )
    shrinkage: Any = setting(
        OneOf("auto") | Real(0),
        'rows\' weight by which leaves are drawn towards the nodes above them; "auto": what rows out of bag favour',
        default="auto",
    )
    warm_start: bool = setting(Flag(), "whether `fit` adds trees to those of the last one", default=False)
    random_state: Any = setting(Seed(), "seed of all draws", default=0)

    trees_: Forest = attribute()
    shrinkage_: float = attribute()

    _random_cuts: ClassVar[bool] = False

    # Fitting

    def _blank(self) -> Self:
        twin = super()._blank()
        if self.warm_start and "trees_" in self.__dict__:
            twin.__dict__["_before"] = self._still()
        return twin

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        before = self._earlier(training)
        self._check_together()
        first, known = (0, None) if before is None else (len(before.trees_), before.shrinkage_)
        coding, n_rows = yield from find_coding(training.schema)
        if first < self.n_estimators and n_rows > ORDERED_UP_TO and self._may_grow_elsewhere(training):
            trees, self.shrinkage_ = grow_elsewhere(self, training, coding, first, self.n_estimators, known)
            self.trees_ = trees if before is None else before.trees_.joined(trees)
            return
        coded = coded_of(coding, (yield CodeRows(coding)))
        factors = self._factors(coded)
        coded = with_statistics(coded, training.classes, factors)
        growth = self._growth(coded, training.classes, factors, known)
        self.shrinkage_ = growth.shrinkage
        out = self._out_of_bag(coded, growth.n_classes, before) if self.oob_score else None
        self.trees_, kept = Forest.empty(max(growth.n_classes, 1)), None
        if first < self.n_estimators:
            self.trees_, kept = grow(
                coded,
                growth,
                self.n_estimators - first,
                first=first,
                class_factors=factors,
                out_of_bag=out,
                keep_targets=getattr(self, "quantiles", False),
                learner=type(self).__name__,
            )
        if before is not None:
            self.trees_ = before.trees_.joined(self.trees_) if first < self.n_estimators else before.trees_
        self.trees_.made_ready(training.source)
        yield from self._keep_targets(kept, coded, before)
        if out is not None:
            self._estimate(out, coded)

    def _earlier(self, training: Training) -> Any:
        """The learner that a warm start goes on from, if the rows are of the same kind."""
        before = self.__dict__.pop("_before", None)
        if before is None:
            return None
        name, classes = type(self).__name__, getattr(before, "classes_", None)
        if before._schema != training.schema or (classes is not None and classes.tolist() != self._labels()):
            raise InputError(
                f"{name}: warm_start goes on with the trees of the last fit, but the columns, their categories or the "
                "classes are others now. Give the same, or set warm_start=False."
            )
        if len(before.trees_) > self.n_estimators:
            raise ParameterError(
                f"{name}: n_estimators={self.n_estimators} is less than the {len(before.trees_)} trees that warm_start "
                "goes on from. Give more, or set warm_start=False."
            )
        return before

    def _labels(self) -> list[Any]:
        return []

    def _check_together(self) -> None:
        """Settings that contradict each other."""
        name = type(self).__name__
        if self.oob_score and not self.bootstrap:
            raise ParameterError(
                f"{name}: oob_score=True needs rows that trees have not seen, but bootstrap=False gives all rows to "
                "all trees. Set bootstrap=True."
            )
        if self.max_samples is not None and not self.bootstrap:
            raise ParameterError(
                f"{name}: max_samples={spell(self.max_samples)} says how many rows are drawn, but bootstrap=False "
                "draws none. Set bootstrap=True, or leave max_samples out."
            )

    def _may_grow_elsewhere(self, training: Training) -> bool:
        """Whether workers of a cluster grow the trees: what is said of each row out of bag is kept here alone."""
        return training.workers is not None and not self.oob_score and not getattr(self, "quantiles", False)

    def _growth(self, coded: Coded, classes: Array | None, factors: Array | None, known: float | None) -> Growth:
        """How the trees are grown: as the settings say, and as the rows favour if that is not `known` already."""
        self._check_draws(coded.n_rows)
        rules, shrinkage = self._rules(coded, classes, factors), self.shrinkage
        if shrinkage == "auto" and known is not None:
            shrinkage = known
        elif shrinkage == "auto":
            few = sampled(coded)
            shrinkage = chosen_shrinkage(few, self._rules(few, classes, factors), factors)
        return replace(rules, shrinkage=float(shrinkage))

    def _rules(self, coded: Coded, classes: Array | None, factors: Array | None) -> Growth:
        n_columns, weight = max(len(coded.varying), 1), coded.weight
        least = float(self.min_weight_fraction_leaf) * coded.weight_with(factors) * (1 - 1e-9)
        return Growth(
            criterion="entropy" if self.criterion == "log_loss" else self.criterion,
            max_features=columns_tried(self.max_features, n_columns) or n_columns,
            n_classes=0 if classes is None else len(classes),
            max_depth=-1 if self.max_depth is None else self.max_depth,
            min_samples_split=least_weight(self.min_samples_split, weight, free=2),
            min_samples_leaf=max(least_weight(self.min_samples_leaf, weight, free=1), least),
            max_leaf_nodes=self.max_leaf_nodes or 0,
            random_cuts=self._random_cuts,
            bootstrap=bool(self.bootstrap),
            rate=self._rate(coded.n_rows),
            balance_drawn=getattr(self, "class_weight", None) == "balanced_subsample",
            seed=seed_from(self.random_state),
        )

    def _rate(self, n_rows: int) -> float:
        """How often a row is drawn for a tree, on average."""
        if self.max_samples is None or self.max_samples in Share():
            return float(1.0 if self.max_samples is None else self.max_samples)
        return min(float(self.max_samples / n_rows), 1.0)

    def _check_draws(self, n_rows: int) -> None:
        drawn = self.max_samples
        if drawn is not None and drawn not in Share() and drawn > n_rows:
            raise ParameterError(
                f"{type(self).__name__}: max_samples={drawn} is more than the {n_rows} rows there are. "
                "Give fewer, or a share of them."
            )

    def _factors(self, coded: Coded) -> Array | None:
        """What the weights of each class's rows are multiplied by."""
        return None

    def _keep_targets(self, kept: Drawn | None, coded: Coded, before: Any) -> Generator[Pass, Any, None]:
        """For forests that predict quantiles."""
        yield from ()

    # What trees say of rows they have not seen

    def _out_of_bag(self, coded: Coded, n_classes: int, before: Any) -> OutOfBagSums:
        fresh = OutOfBagSums.of(coded, n_classes)
        if before is None:
            return fresh
        sums, trees = getattr(before, "_oob_sums", None), getattr(before, "_oob_trees", None)
        if sums is None or trees is None or sums.shape != fresh.sums.shape:
            raise InputError(
                f"{type(self).__name__}: warm_start cannot go on with the out-of-bag estimate: the last fit made none, "
                "or had another number of rows. Fit from the start, or set oob_score=False."
            )
        return OutOfBagSums(sums.copy(), trees.copy(), fresh.origin, fresh.unit)

    def _estimate(self, out: OutOfBagSums, coded: Coded) -> None:
        said = out.of_given(coded.given)
        covered = said.trees > 0
        if not covered.any():
            raise InputError(
                f"{type(self).__name__}: every tree drew every row, so that there is no out-of-bag estimate. "
                "Grow more trees, or set oob_score=False."
            )
        if self.warm_start:
            self._oob_sums, self._oob_trees = out.sums, out.trees
        self.oob_covered_ = int(covered.sum())
        given = coded.given
        known = coded if given is None else replace(coded, target=given.target, weights=given.weights)
        self._keep_out_of_bag(said.means(), known, covered)

    def _keep_out_of_bag(self, said: Array, coded: Coded, covered: Array) -> None:
        raise NotImplementedError

    # Looking at it

    def tree(self, i: int) -> OneTree:
        """Tree `i` of `trees_` with its columns, to be printed, drawn or turned into rules; negative from the end."""
        schema = self._fitted_schema()
        return OneTree(self.trees_[i], schema, getattr(self, "classes_", None))

    def apply(self, X: Any) -> Array:
        """The number of the leaf each row comes to in each tree, rows × trees."""
        still = self._still()
        leaves: Array = still._over(X, still.trees_.leaves)
        return leaves

    def _check_fitted_state(self) -> None:
        self.__dict__.setdefault("shrinkage_", 0.0)  # forests saved by versions that did not shrink
        super()._check_fitted_state()
        if not isinstance(self.shrinkage_, float) or not 0 <= self.shrinkage_ < float("inf"):
            raise SavedModelError("The shrinkage of the leaves is no number from 0 on.")
        self.trees_.check_columns(self._schema)
        if len(self.trees_) == 0:
            raise SavedModelError("There are no trees.")
