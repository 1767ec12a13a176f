"""Clusters beside classes: who is in which, and how far the two agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.judging import partitions
from learnt.cluster.judging.silhouette import cluster_codes
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import short_name

#: Beyond so many clusters or classes the printed table shows the largest.
_MOST = 20


@dataclass(frozen=True, eq=False, repr=False)
class ClusterTable:
    """What `compare_clusters` found.

    | field | meaning |
    |---|---|
    | `counts` | rows of each cluster (down) and class (across) |
    | `clusters`, `classes` | their labels |
    | `purity` | the share of rows of the most frequent class of their cluster: 1 if no cluster mixes classes |
    | `rand`, `adjusted_rand` | pairs of rows on which both agree; the same beyond chance: 0 as by chance, 1 equal |
    | `normalized_information`, `adjusted_information` | mutual information over the mean entropy; beyond chance |
    | `homogeneity`, `completeness`, `v_measure` | one class a cluster, one cluster a class, their harmonic mean |
    | `fowlkes_mallows` | pairs together in both, over the geometric mean of those together in each |
    | `assignment`, `matched` | each cluster given a class of its own, so that most rows fit; the share that does |
    """

    counts: Array
    clusters: Array
    classes: Array
    purity: float
    rand: float
    adjusted_rand: float
    normalized_information: float
    adjusted_information: float
    homogeneity: float
    completeness: float
    v_measure: float
    fowlkes_mallows: float

    @cached_property
    def assignment(self) -> dict[Any, Any]:
        """The class of each cluster in the pairing that fits most rows; clusters left over have none."""
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(self.counts, maximize=True)
        names, classes = self.clusters.tolist(), self.classes.tolist()
        return {names[r]: classes[c] for r, c in zip(rows, columns, strict=True) if self.counts[r, c] > 0}

    @property
    def matched(self) -> float:
        """The share of rows whose class is the one assigned to their cluster: accuracy, were it a classifier."""
        places = {name: c for c, name in enumerate(self.classes.tolist())}
        hits = (
            int(self.counts[r, places[self.assignment[name]]])
            for r, name in enumerate(self.clusters.tolist())
            if name in self.assignment
        )
        return sum(hits) / int(self.counts.sum())

    def to_dict(self) -> dict[str, float]:
        """The figures by name."""
        names = (
            "purity",
            "rand",
            "adjusted_rand",
            "normalized_information",
            "adjusted_information",
            "homogeneity",
            "completeness",
            "v_measure",
            "fowlkes_mallows",
            "matched",
        )
        return {name: float(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        return (
            f"<ClusterTable of {len(self.clusters)} clusters and {len(self.classes)} classes: purity "
            f"{number(self.purity)}, adjusted Rand {number(self.adjusted_rand)}>"
        )

    def __str__(self) -> str:
        return _text(self)


def compare_clusters(labels: Any, classes: Any) -> ClusterTable:
    """The clusters of rows beside classes that are known of them.

    >>> print(compare_clusters([0, 0, 0, 1, 1, 1], ["cat", "cat", "dog", "dog", "dog", "dog"]))
    cluster  rows  cat  dog  assigned
    0           3    2    1  cat
    1           3    0    3  dog
    <BLANKLINE>
    purity                0.8333  rows of the most frequent class of their cluster
    matched               0.8333  rows of the class assigned to their cluster
    adjusted Rand         0.3243  agreement on pairs of rows; 0 as by chance, 1 equal
    adjusted mutual inf.  0.3552  shared information; 0 as by chance, 1 equal
    V-measure             0.4787  homogeneity 0.5, completeness 0.4591

    `labels` and `classes` hold a label per row: whole numbers, text or booleans. Noise, −1, counts as a cluster of its
    own; leave its rows out of both to judge the rest.
    """
    a, clusters = cluster_codes(labels, "labels")
    b, names = cluster_codes(classes, "classes")
    if len(a) != len(b):
        raise InputError(f"labels has {len(a)} rows, classes has {len(b)}. Give one of each per row.")
    if len(a) == 0:
        raise InputError("There are no rows to compare. Give at least one.")
    table = partitions.shared_counts(a, b)
    counts = np.zeros((len(clusters), len(names)), np.int64)
    counts[table.first, table.second] = table.counts
    homogeneity, completeness = partitions.homogeneity_completeness(partitions.shared_counts(b, a))
    return ClusterTable(
        counts,
        clusters,
        names,
        partitions.purity(table),
        partitions.rand_index(table),
        partitions.adjusted_rand_index(table),
        partitions.normalized_information(table),
        partitions.adjusted_information(table),
        homogeneity,
        completeness,
        partitions.v_measure(homogeneity, completeness),
        partitions.fowlkes_mallows(table),
    )


def _text(table: ClusterTable) -> str:
    rows = _largest(table.counts.sum(axis=1))
    columns = _largest(table.counts.sum(axis=0))
    cells = [["cluster", "rows", *(_name(table.classes[c]) for c in columns), "assigned"]]
    for r in rows:
        name = table.clusters[r : r + 1].tolist()[0]
        own = table.assignment.get(name)
        given = "" if own is None else _name(own)
        cells.append([_name(name), str(table.counts[r].sum()), *(str(table.counts[r, c]) for c in columns), given])
    text = aligned(cells, left=(0, len(cells[0]) - 1))
    hidden = len(table.clusters) - len(rows), len(table.classes) - len(columns)
    if any(hidden):
        text += f"\n… {hidden[0]} smaller clusters and {hidden[1]} smaller classes not shown"
    figures = [
        ["purity", number(table.purity), "rows of the most frequent class of their cluster"],
        ["matched", number(table.matched), "rows of the class assigned to their cluster"],
        ["adjusted Rand", number(table.adjusted_rand), "agreement on pairs of rows; 0 as by chance, 1 equal"],
        ["adjusted mutual inf.", number(table.adjusted_information), "shared information; 0 as by chance, 1 equal"],
        ["V-measure", number(table.v_measure), _parts(table)],
    ]
    return text + "\n\n" + aligned(figures, left=(0, 2))


def _parts(table: ClusterTable) -> str:
    return f"homogeneity {number(table.homogeneity)}, completeness {number(table.completeness)}"


def _largest(sizes: Array) -> list[int]:
    """The largest, in their own order."""
    return sorted(np.argsort(-sizes, kind="stable")[:_MOST].tolist())


def _name(value: Any) -> str:
    return short_name(value, 24)
