"""`Hierarchy`: the tree of clusters that merging or dividing makes, and what is read from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.distance.precomputed import check_distances, check_room, condense
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.lazy import cached_property
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.storable import storable

MOST_SHOWN = 10


@storable
@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree of merges: leaves are 0 … n − 1, merge k makes cluster n + k of the two clusters `children[k]`.

    >>> tree = Hierarchy(np.array([[0, 1], [2, 3]]), np.array([1.0, 4.0]), np.array([2, 3]))
    >>> tree.cut(2).tolist()
    [0, 0, 1]
    >>> print(tree)
    3 leaves, 2 merges from 1 up to 4
    clusters left  height  rows  of
                1       4     3  2 + 1
                2       1     2  1 + 1

    | field | meaning |
    |---|---|
    | `children` | merges × 2: the clusters merged, the smaller number first |
    | `heights` | how far apart they were; of a division the diameter, or the root of the squared error |
    | `counts` | how many leaves the new cluster holds |
    | `leaf_of` | which leaf each row is in, where leaves are groups of rows; None: every row is a leaf |
    """

    children: Array
    heights: Array
    counts: Array
    leaf_of: Array | None = None

    def __post_init__(self) -> None:
        m, n = len(self.heights), len(self.heights) + 1
        shapes = (self.children.shape, self.heights.shape, self.counts.shape)
        if shapes != ((m, 2), (m,), (m,)):
            raise SavedModelError("The merges of a hierarchy do not fit each other.")
        types = (self.children.dtype, self.heights.dtype, self.counts.dtype)
        if types != (np.int64, np.float64, np.int64) or not np.all((self.heights >= 0) & (self.heights < np.inf)):
            raise SavedModelError("The heights of a hierarchy are not finite numbers of at least 0.")
        made = np.arange(n, n + m)[:, None]
        if m and (np.any(self.children < 0) or np.any(self.children >= made)):
            raise SavedModelError("A merge of a hierarchy names a cluster that is not there yet.")
        if len(np.unique(self.children)) != 2 * m:
            raise SavedModelError("A cluster of a hierarchy is merged twice.")
        sizes = np.concatenate([np.ones(n, np.int64), self.counts])
        if m and not np.array_equal(sizes[self.children].sum(axis=1), self.counts):
            raise SavedModelError("The counts of a hierarchy do not add up.")
        leaf = self.leaf_of
        if leaf is not None and not (leaf.ndim == 1 and leaf.dtype.kind == "i" and len(np.unique(leaf)) == n):
            raise SavedModelError("The rows of a hierarchy are not in its leaves.")
        if leaf is not None and (leaf.min() != 0 or leaf.max() != n - 1):
            raise SavedModelError("The rows of a hierarchy are not in its leaves.")

    # What it is

    @property
    def n_leaves(self) -> int:
        return len(self.heights) + 1

    @property
    def n_rows(self) -> int:
        return self.n_leaves if self.leaf_of is None else len(self.leaf_of)

    @property
    def linkage_matrix(self) -> Array:
        """The merges as SciPy writes them: two clusters, their distance, the leaves of the new one."""
        return np.column_stack([self.children.astype(np.float64), self.heights, self.counts.astype(np.float64)])

    @cached_property
    def sizes(self) -> Array:
        """How many rows each leaf and each merge holds."""
        n = self.n_leaves
        if self.leaf_of is None:
            return np.concatenate([np.ones(n, np.int64), self.counts])
        found = np.bincount(self.leaf_of, minlength=n).tolist()
        for one, other in self.children.tolist():
            found.append(found[one] + found[other])
        return np.array(found, dtype=np.int64)

    @cached_property
    def grown(self) -> Array:
        """The largest height inside each merge: its own, unless a merge below it was higher."""
        if bool(np.all(np.diff(self.heights) >= 0)):
            return self.heights
        n, found = self.n_leaves, self.heights.tolist()
        for k, pair in enumerate(self.children.tolist()):
            found[k] = max([found[k], *(found[c - n] for c in pair if c >= n)])
        return np.array(found)

    # Cutting

    def cut(self, n_clusters: int | None = None, *, height: float | None = None) -> Array:
        """The cluster of each row, numbered by first rows: so many clusters, or all merges below a height.

        Clusters that merged at the height itself stay apart. Where a merge lies below one of its parts (centroids
        do that), the higher of the two counts.
        """
        labels = by_first_row(self.tops(self.done(n_clusters, height))[: self.n_leaves])
        return labels if self.leaf_of is None else by_first_row(labels[self.leaf_of])

    def done(self, n_clusters: int | None, height: float | None) -> Array:
        """Which merges a cut leaves done."""
        if (n_clusters is None) == (height is None):
            raise ParameterError("Cut by n_clusters or by height: give one of the two.")
        n = self.n_leaves
        if n_clusters is not None:
            if not isinstance(n_clusters, (int, np.integer)) or isinstance(n_clusters, bool) or n_clusters < 1:
                raise ParameterError(f"n_clusters is {n_clusters!r}. Expected a whole number of at least 1.")
            if n_clusters > n:
                raise InputError(f"n_clusters is {n_clusters}, but there are only {n} leaves. Ask for fewer clusters.")
            return np.arange(len(self.heights)) < n - n_clusters
        if not isinstance(height, (int, float, np.number)) or isinstance(height, bool) or not height >= 0:
            raise ParameterError(f"height is {height!r}. Expected a number of at least 0.")
        below: Array = self.grown < height
        return below

    def tops(self, done: Array) -> Array:
        """The cluster each leaf and merge ends in when only some merges are done."""
        n = self.n_leaves
        up = np.arange(n + len(self.heights))
        made = np.flatnonzero(done)
        up[self.children[made]] = (n + made)[:, None]
        while True:
            above = up[up]
            if np.array_equal(above, up):
                return up
            up = above

    # How well it fits

    def cophenetic(self) -> Array:
        """The height at which each pair of leaves comes together, condensed: pairs i < j in SciPy's order."""
        from scipy.cluster.hierarchy import cophenet

        check_room(self.n_leaves, condensed=True, instead="Cut the tree instead.")
        return np.asarray(cophenet(self.linkage_matrix)) if self.n_leaves > 1 else np.empty(0)

    def cophenetic_correlation(self, distances: Any) -> float:
        """How well the tree keeps distances: their correlation with those at which pairs come together.

        `distances` are those of all pairs of leaves, condensed or square. NaN where either does not vary.
        """
        given = np.asarray(distances, dtype=np.float64)
        pairs = condense(check_distances(given, "distances")) if given.ndim == 2 else given
        mine = self.cophenetic()
        if pairs.shape != mine.shape:
            raise InputError(f"There are {len(pairs)} distances. Expected {len(mine)}, one for each pair of leaves.")
        a, b = (_from_mean(values) for values in (pairs, mine))
        size = float(np.sqrt((a @ a) * (b @ b))) if len(a) else 0.0
        return float(a @ b) / size if size > 0 else float("nan")

    # Showing

    @cached_property
    def order(self) -> Array:
        """The leaves in an order in which no two lines of a drawing cross."""
        n = self.n_leaves
        first, counts = [0] * (n + len(self.heights)), [1] * n + self.counts.tolist()
        for k in range(len(self.heights) - 1, -1, -1):
            one, other = self.children[k].tolist()
            first[one] = first[n + k]
            first[other] = first[n + k] + counts[one]
        order = np.empty(n, np.int64)
        order[np.array(first[:n], dtype=np.int64)] = np.arange(n)
        return order

    def dendrogram(
        self,
        labels: Any = None,
        *,
        most: int | None = 60,
        n_clusters: int | None = None,
        height: float | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw the tree: all leaves with their labels, or where they are many the last merges with counts.

        Returns the matplotlib axes.

        | setting | default | meaning |
        |---|---|---|
        | `labels` | numbers | names of the rows |
        | `most` | 60 | leaves drawn at most, those of the last merges; None: all |
        | `n_clusters`, `height` | none | a cut whose clusters are drawn in their colours |
        """
        from learnt.plot.hierarchy import draw_dendrogram

        return draw_dendrogram(self, labels, most=most, n_clusters=n_clusters, height=height, ax=ax)

    def __str__(self) -> str:
        n, m = self.n_leaves, len(self.heights)
        if m == 0:
            return "1 leaf, no merges"
        low, high = number(self.heights.min()), number(self.heights.max())
        head = f"{n} leaves, {m} merges from {low} up to {high}" if m > 1 else f"2 leaves, 1 merge at {high}"
        sizes = self.sizes.tolist()
        rows = [["clusters left", "height", "rows", "of"]]
        for k in range(m - 1, max(-1, m - 1 - MOST_SHOWN), -1):
            one, other = sorted((sizes[c] for c in self.children[k].tolist()), reverse=True)
            rows.append([str(n - k - 1), number(self.heights[k]), str(sizes[n + k]), f"{one} + {other}"])
        more = m - (len(rows) - 1)
        return head + "\n" + aligned(rows, left={3}) + (f"\n… and {more} merges before" if more else "")

    def __repr__(self) -> str:
        return f"<Hierarchy of {self.n_leaves} leaves>"


def by_first_row(clusters: Array) -> Array:
    """Clusters numbered from 0 in the order of their first rows; numbers below 0 (noise) stay."""
    there = clusters >= 0
    _, first, places = np.unique(clusters[there], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    out = np.full(len(clusters), -1, np.int32)
    out[there] = rank[places.ravel()]
    return out


def _from_mean(values: Array) -> Array:
    """Differences from the mean, in units of the largest, so that their squares are numbers."""
    if len(values) == 0:
        return values
    size = float(values.max()) or 1.0
    apart: Array = values / size - (values / size).mean()
    largest = float(np.abs(apart).max())
    return apart / largest if largest > 0 else apart
