"""What makes clusters different: the typical cells of each, against those of the whole table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.judging.traits import Trait, traits_of
from learnt.data.convert import to_vector
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.show.numbers import percent
from learnt.show.text_table import aligned
from learnt.show.words import short_name, spell

NOISE = -1
WORTH_TELLING = 0.2  # by Cohen's rule of thumb the least effect that is called small


@dataclass(frozen=True)
class ClusterProfile:
    """One cluster: how many rows (or how much weight) it holds, and its traits, the most telling first."""

    label: int
    size: float
    share: float
    traits: tuple[Trait, ...]

    @property
    def name(self) -> str:
        return "noise" if self.label == NOISE else str(self.label)

    def telling(self, most: int = 3) -> tuple[Trait, ...]:
        """The traits that set it apart, if any do."""
        return tuple(t for t in self.traits[:most] if abs(t.effect) >= WORTH_TELLING)

    def __str__(self) -> str:
        words = "; ".join(map(str, self.telling(8))) or "much like the whole table"
        return f"cluster {self.name}: {self.size:,g} rows ({percent(self.share, 1)}), {words}"


@dataclass(frozen=True)
class Profile:
    """All clusters of a table, noise last. Made by `profile_clusters`."""

    clusters: tuple[ClusterProfile, ...]
    n_rows: int
    weighted: bool = False

    def __len__(self) -> int:
        return len(self.clusters)

    def __iter__(self) -> Iterator[ClusterProfile]:
        return iter(self.clusters)

    def __getitem__(self, label: int) -> ClusterProfile:
        for cluster in self.clusters:
            if cluster.label == label:
                return cluster
        known = ", ".join(str(c.label) for c in self.clusters[:8])
        raise KeyError(f"There is no cluster {spell(label)}. The clusters are {known}.")

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, most: int = 4) -> str:
        """A block per cluster: its size, and its most telling columns beside the whole table."""
        rows = [("cluster", "weight" if self.weighted else "rows", "share", "column", "inside", "whole", "effect")]
        for cluster in self.clusters:
            head = (cluster.name, f"{cluster.size:,g}", percent(cluster.share, 1))
            told = [
                (
                    short_name(t.column, 28),
                    short_name(t.inside_words, 30),
                    short_name(t.whole_words, 30),
                    t.effect_words,
                )
                for t in cluster.telling(most)
            ] or [("(much like the whole table)", "", "", "")]
            rows += [(*(head if i == 0 else ("", "", "")), *cells) for i, cells in enumerate(told)]
        return aligned(rows, left=(3,))

    def to_dict(self) -> list[dict[str, Any]]:
        """For programs."""
        return [
            {"cluster": c.label, "size": c.size, "share": c.share, "traits": [t.to_dict() for t in c.traits]}
            for c in self.clusters
        ]

    def _repr_html_(self) -> str:
        from learnt.report.clusters.tables import profile_html

        return profile_html(self)

    def plot(self, ax: Any = None, most: int = 20) -> Any:
        """A heat map of effects, clusters by columns; returns the axes."""
        from learnt.plot.clusters import plot_profile

        return plot_profile(self, ax, most)


def profile_clusters(X: Any, labels: Any, sample_weight: Any = None) -> Profile:
    """What sets each cluster apart from the whole table, in the table's own columns.

    >>> table = {"height": [1.5, 1.6, 1.8, 1.9], "team": ["red", "red", "red", "blue"]}
    >>> print(profile_clusters(table, [0, 0, 1, 1]))
    cluster  rows   share  column       inside        whole  effect
          0     2  50.0 %  team    'red' 100 %   'red' 75 %   +1.05
                           height         1.55          1.7   −0.95
          1     2  50.0 %  height         1.85          1.7   +0.95
                           team    'blue' 50 %  'blue' 25 %   +0.52

    `labels` is a cluster per row (−1 for noise), or a clusterer fitted to `X`, which may also come first. For
    numbers and ordered categories the effect is the difference of the means in standard deviations of the whole
    column (Cohen's d against the whole). For categories it is Cohen's h, 2·asin √p − 2·asin √q for a share of p
    inside and q in the whole, of the category that tells most; for missing cells it is that of their share. Both
    are small at 0.2, medium at 0.5 and large at 0.8, so columns of all kinds can be ranked together. Means and
    shares are over the cells that are there; where cells of a cluster are missing, its traits rank lower, by the
    root of the share that is there.

    The clusters were made of the same columns, so differences are not a discovery and no test applies: they say what
    the clusters are, not whether they exist.

    Reference: J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988.
    """
    X, labels = data_first(X, labels)
    table = X if isinstance(X, Table) else Table(X)
    names, codes = np.unique(labels_for(table, labels), return_inverse=True)
    weights = None if sample_weight is None else _weights(sample_weight, table.n_rows)
    sizes = np.bincount(codes, weights, len(names))
    found = traits_of(table, codes, weights, sizes)
    total = float(sizes.sum())
    clusters = [
        ClusterProfile(int(label), float(sizes[c]), float(sizes[c]) / total if total else 0.0, tuple(found[c]))
        for c, label in enumerate(names)
    ]
    clusters.sort(key=lambda cluster: (cluster.label == NOISE, cluster.label))
    return Profile(tuple(clusters), table.n_rows, weights is not None)


def data_first(one: Any, other: Any) -> tuple[Any, Any]:
    """A table and a clusterer or labels, in this order, in whichever they came."""
    return (other, one) if hasattr(one, "predict") and not hasattr(other, "predict") else (one, other)


def labels_for(table: Table, clusters: Any) -> Array:
    """The cluster of each row, from a fitted clusterer or as given; −1 is noise."""
    given = clusters
    if hasattr(clusters, "predict"):
        kept = getattr(clusters, "labels_", None)
        given = kept if kept is not None and len(kept) == table.n_rows else clusters.predict(table)
    column = to_vector(given, "labels")
    if len(column) != table.n_rows:
        raise InputError(f"There are {len(column)} labels for {table.n_rows} rows. Expected one per row.")
    values = np.asarray(column.values)
    if column.kind != "numeric" or np.any(values % 1 != 0) or np.any(values < NOISE):  # NaN % 1 is not 0 either
        raise InputError(
            "labels hold something else than whole numbers. Expected the number of a cluster per row, and −1 for noise."
        )
    return values.astype(np.int64)


def _weights(given: Any, n_rows: int) -> Array:
    from learnt.describe.sample import frequencies_of

    return frequencies_of(given, n_rows, "sample_weight")
