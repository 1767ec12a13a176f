"""`learnt.merge_trees`: trees that vote, as one tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.merging.regions import Region
from learnt.ensemble.merging.voters import Voters, voters_of
from learnt.errors import InputError
from learnt.learner.parameters import Domain, Flag, Whole, check_parameters
from learnt.tree import DecisionTreeClassifier, DecisionTreeRegressor, Pruned, TreeArrays, leaves_of, path_matrix

_DOMAINS: dict[str, Domain] = {"missing": Flag(), "max_leaves": Whole(1)}


def merge_trees(
    model: Any,
    table: Any = None,
    *,
    weights: Sequence[float] | None = None,
    missing: bool = True,
    max_leaves: int = 5_000,
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """One tree that answers as several trees do together, on every row there could be.

    >>> import learnt
    >>> iris = learnt.datasets.iris()
    >>> bag = learnt.BaggingClassifier(learnt.DecisionTreeClassifier(max_depth=2), n_estimators=3).fit(iris)
    >>> one = learnt.merge_trees(bag, iris)
    >>> bool((one.predict(iris) == bag.predict(iris)).all())
    True

    | setting | default | meaning |
    |---|---|---|
    | `model` | | a fitted vote, bag or forest of trees, or a list of fitted trees over the same columns |
    | `table` | None | rows to be counted at each node; without, their number is estimated from the trees' shares |
    | `weights` | equal | how much each tree of a list counts |
    | `missing` | True | False: no cell is ever missing, and branches that only such rows could take are left out |
    | `max_leaves` | 5,000 | leaves of the merged tree, at most: they may be as many as the product of all trees' |

    Below every leaf of the first tree stands the second, without the branches that no row can reach which came so far,
    below its leaves the third, and so on. A test all of whose leaves say the same is left out. A leaf holds the mean of
    what the trees say there, by weight. Trees that send rows with a missing cell down several branches at once
    (`missing="fractional"`, as C4.5 does) cannot be merged, since no path of one tree does that.
    """
    check_parameters("merge_trees", _DOMAINS, {"missing": missing, "max_leaves": max_leaves})
    voters = voters_of(model, weights)
    for voter in voters.all:
        if voter.tree.cuts_rows:
            raise InputError(
                "A tree sends rows with a missing cell down all branches, in parts, which one path cannot do. Grow "
                'trees with missing="learned" or "majority".'
            )
    merged = _Merged(voters, missing, max_leaves)
    merged.grow()
    tree, written = merged.arrays(None if table is None else table if isinstance(table, Table) else Table(table))
    learner: Any = DecisionTreeRegressor() if voters.classes is None else DecisionTreeClassifier()
    twin = learner._twin(voters.schema, voters.classes)
    twin._n_labels = 0 if voters.classes is None else len(voters.classes)
    twin._keep_tree(Pruned(tree, (), written))
    found: DecisionTreeClassifier | DecisionTreeRegressor = learner._become(twin)
    return found


@dataclass(frozen=True)
class _Place:
    """Where growing stands: at a node of a tree, with what the trees before have said."""

    parent: int  # of the merged tree; −1 above the root
    voter: int
    node: int
    region: Region
    said: Array
    weight: float


@dataclass
class _Merged:
    """The merged tree as it grows, in pre-order: which test of which tree each node asks, and what it says."""

    voters: Voters
    missing: bool
    max_leaves: int
    tests: list[tuple[int, int] | None] = field(default_factory=list)  # voter and node; None in a leaf
    children: list[list[int]] = field(default_factory=list)
    said: list[Array] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    missing_weight: list[float] = field(default_factory=list)  # of the weight, what has no cell that is tested there

    def grow(self) -> None:
        first, n_outputs = self.voters.all[0], self.voters.all[0].says.shape[1]
        region = Region.whole(self.voters.schema, self.missing)
        waiting = [_Place(-1, 0, 0, region, np.zeros(n_outputs), float(first.tree.weight[0]))]
        n_leaves = 0
        while waiting:
            place = self._next_choice(waiting.pop())
            number = len(self.tests)
            if place.parent >= 0:
                self.children[place.parent].append(number)
            self.children.append([])
            self.weight.append(place.weight)
            self.said.append(place.said)
            self.missing_weight.append(self._missing_weight(place))
            if place.voter == len(self.voters.all):
                self.tests.append(None)
                n_leaves += 1
                if n_leaves > self.max_leaves:
                    raise InputError(
                        f"The merged tree has more than max_leaves={self.max_leaves:,} leaves. Merge fewer or smaller "
                        "trees, or allow more leaves; distill gives a small tree that says nearly the same."
                    )
                continue
            self.tests.append((place.voter, place.node))
            tree = self.voters.all[place.voter].tree
            shares = tree.share(place.node)
            regions = self._branches(place)
            for child, part, share in reversed(list(zip(tree.children_of(place.node), regions, shares, strict=True))):
                if part is None:  # one of several branches that no row can reach: a leaf that says what the others do
                    waiting.append(
                        _Place(number, len(self.voters.all), 0, place.region, np.full_like(place.said, np.nan), 0.0)
                    )
                else:
                    waiting.append(
                        _Place(number, place.voter, int(child), part, place.said, place.weight * float(share))
                    )

    def _column(self, place: _Place) -> int:
        voter = self.voters.all[place.voter]
        return int(voter.columns[voter.tree.feature[place.node]])

    def _branches(self, place: _Place) -> list[Region | None]:
        return place.region.branches(self.voters.all[place.voter].tree, place.node, self._column(place))

    def _missing_weight(self, place: _Place) -> float:
        """By the share that the tested cell is missing of in the tree it comes from; none where it must be known."""
        if place.voter == len(self.voters.all) or not place.region.cells[self._column(place)].missing:
            return 0.0
        tree = self.voters.all[place.voter].tree
        whole = float(tree.weight[place.node])
        return place.weight * float(tree.missing_weight[place.node]) / whole if whole > 0 else 0.0

    def _next_choice(self, place: _Place) -> _Place:
        """Down the trees from here to the next test that rows can answer differently; past the last, a leaf."""
        voter, node, said = place.voter, place.node, place.said
        while voter < len(self.voters.all):
            here = self.voters.all[voter]
            if here.tree.feature[node] < 0:
                said = said + here.weight * here.says[node]
                voter, node = voter + 1, 0
                continue
            now = _Place(place.parent, voter, node, place.region, said, place.weight)
            open_ones = [c for c, part in enumerate(self._branches(now)) if part is not None]
            if len(open_ones) != 1:
                return now
            node = int(here.tree.children_of(node)[open_ones[0]])
        return _Place(place.parent, voter, node, place.region, said, place.weight)

    def arrays(self, table: Table | None) -> tuple[TreeArrays, Array]:
        """The tree as arrays, equal leaves below a test put together; and its thresholds as they are printed."""
        same = self._same_below()
        tree, written = self._all_nodes(set(same))
        tree = tree.collapsed(same)
        kept = _kept_nodes(self.children, same)
        if table is not None:
            tree = self._with_counts(tree, table.matched(self.voters.schema))
        return tree, written[kept]

    def _same_below(self) -> list[int]:
        """Tests below which all leaves say the same."""
        equal = [test is None for test in self.tests]
        for i in range(len(self.tests) - 1, -1, -1):
            kids = self._reached(i)
            if kids and all(equal[k] and np.array_equal(self.said[k], self.said[kids[0]]) for k in kids):
                equal[i], self.said[i] = True, self.said[kids[0]]
        return [i for i, test in enumerate(self.tests) if test is not None and equal[i]]

    def _all_nodes(self, decided: set[int]) -> tuple[TreeArrays, Array]:
        self._fill_inner_answers(decided)
        blank: dict[str, list[Any]] = {name: [] for name in ("feature", "threshold", "otherwise", "missing")}
        routes: list[Array] = []
        codes: list[Array] = []
        written, start, n_routes, total = [], [], [], 0
        for test in self.tests:
            if test is None:
                for name, entry in (("feature", -1), ("threshold", np.nan), ("otherwise", -1), ("missing", -1)):
                    blank[name].append(entry)
                written.append(np.nan)
                start.append(-1)
                n_routes.append(0)
                continue
            voter, i = self.voters.all[test[0]], test[1]
            tree = voter.tree
            blank["feature"].append(int(voter.columns[tree.feature[i]]))
            for name in ("threshold", "otherwise", "missing"):
                blank[name].append(getattr(tree, name)[i])
            written.append(voter.written[i])
            nominal = tree.route_start[i] >= 0
            start.append(total if nominal else -1)
            n_routes.append(int(tree.n_routes[i]))
            total += n_routes[-1]
            here = slice(int(tree.route_start[i]), int(tree.route_start[i] + tree.n_routes[i]))
            codes.append(tree.route_codes[here] if nominal else np.empty(0, np.int32))
            routes.append(tree.routes[here] if nominal else np.empty(0, np.int32))
        counts = [len(kids) for kids in self.children]
        weight = np.array(self.weight)
        none = np.empty(0, np.int32)
        fields = {name: np.array(entries) for name, entries in blank.items()} | {
            "route_start": np.array(start),
            "n_routes": np.array(n_routes),
            "route_codes": np.concatenate([none, *codes]),
            "routes": np.concatenate([none, *routes]),
            "child_start": np.cumsum(counts) - counts,
            "n_children": np.array(counts),
            "children": np.array([k for kids in self.children for k in kids], dtype=np.int32),
            "weight": weight,
            "impurity": np.zeros(len(weight)),
            "missing_weight": np.array(self.missing_weight),
            "value": self._values(np.array(self.said), weight),
        }
        return TreeArrays(**{name: np.asarray(fields[name], TreeArrays.types[name][0]) for name in fields}), np.array(
            written
        )

    def _reached(self, i: int) -> list[int]:
        """The children of a node that rows can come to."""
        return [k for k in self.children[i] if not np.isnan(self.said[k]).any()]

    def _fill_inner_answers(self, decided: set[int]) -> None:
        """At inner nodes the mean of what is said below, by weight; where no row can come, what is said above."""
        for i in range(len(self.tests) - 1, -1, -1):
            kids = self._reached(i)
            if kids and i not in decided:
                w = np.array([self.weight[k] for k in kids])
                w = w if w.sum() > 0 else np.ones(len(kids))
                self.said[i] = np.average([self.said[k] for k in kids], axis=0, weights=w)
            for k in self.children[i]:
                if np.isnan(self.said[k]).any():
                    self.said[k] = self.said[i]

    def _values(self, said: Array, weight: Array) -> Array:
        """Class weights of nodes, or the numbers they predict; of nodes without weight the shares alone."""
        if self.voters.classes is None:
            return said
        return said * np.where(weight > 0, weight, 1.0)[:, None]

    def _with_counts(self, tree: TreeArrays, table: Table) -> TreeArrays:
        """The same with the rows of a table at each node."""
        counts = np.bincount(leaves_of(tree, table), minlength=tree.node_count).astype(np.float64)
        parents = tree.parents()
        for i in range(tree.node_count - 1, 0, -1):
            counts[parents[i]] += counts[i]
        tree = tree.changed(missing_weight=_rows_without(tree, table))
        if self.voters.classes is None:
            return tree.changed(weight=counts)
        shares = tree.value / tree.value.sum(axis=1, keepdims=True)
        return tree.changed(weight=counts, value=self._values(shares, counts))


def _rows_without(tree: TreeArrays, table: Table) -> Array:
    """How many rows come to each node without the cell that it tests."""
    found = np.zeros(tree.node_count)
    for j in np.unique(tree.feature[tree.feature >= 0]).tolist():
        blank = np.flatnonzero(table.columns[j].missing)
        if len(blank):
            here = tree.feature == j
            found[here] = np.asarray(path_matrix(tree, table.take(blank)).sum(axis=0)).ravel()[here]
    return found


def _kept_nodes(children: list[list[int]], collapsed: list[int]) -> Array:
    """Numbers of the nodes that are left where these have become leaves."""
    cut, kept, waiting = set(collapsed), [], [0]
    while waiting:
        i = waiting.pop()
        kept.append(i)
        if i not in cut:
            waiting.extend(reversed(children[i]))
    return np.array(kept)
