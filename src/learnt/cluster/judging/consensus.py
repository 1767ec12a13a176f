"""Agreement among restarts: which rows always come together, and the clusters most runs agree on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt.cluster.judging.co_association import Kinds
from learnt.cluster.judging.partitions import adjusted_rand_index, shared_counts
from learnt.cluster.judging.silhouette import cluster_codes
from learnt.data.table import Array, Table
from learnt.distance.precomputed import check_room
from learnt.errors import InputError, ParameterError
from learnt.lazy import cached_property
from learnt.learner.parameters import Real, Seed, Whole, seed_from
from learnt.learner.settings import clone
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import spell
from learnt.watch import report

#: What a fitted learner calls its objective, and whether less of it is better.
_OBJECTIVES = (("inertia_", True), ("loss_", True), ("lower_bound_", False))

#: A run is unlucky if its objective is worse than the best by more than this share.
UNLUCKY = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class Consensus:
    """What `consensus_clustering` found.

    | field | meaning |
    |---|---|
    | `labels` | the clusters most runs agree on |
    | `stability` | of each row: how often it comes together with the others of its cluster, on average; 1 is always |
    | `runs` | the clusters of each run, runs × rows |
    | `agreement` | adjusted Rand index of every two runs, runs × runs |
    | `mean`, `interval` | the mean of that over pairs, and its 95 % interval (jackknife over the runs) |
    | `objectives` | of each run, as far as the learner has one; None else |
    | `unlucky` | runs that ended worse than the best by more than 1 % |
    """

    labels: Array
    stability: Array
    runs: Array
    agreement: Array
    objectives: Array | None
    less_is_better: bool
    kinds: Kinds = field(repr=False)

    @property
    def mean(self) -> float:
        """The mean agreement of two runs: 1 if all find the same clusters, 0 as by chance."""
        return _mean_of_pairs(self.agreement)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """95 % interval of `mean`, by leaving out one run at a time: pairs that share a run are not new evidence."""
        r = len(self.agreement)
        if r < 3:
            return -1.0, 1.0
        from scipy.special import stdtrit

        rest = [_mean_of_pairs(np.delete(np.delete(self.agreement, i, 0), i, 1)) for i in range(r)]
        error = math.sqrt((r - 1) / r * float(((np.array(rest) - np.mean(rest)) ** 2).sum()))
        half = float(stdtrit(r - 1, 0.975)) * error
        return max(-1.0, self.mean - half), min(1.0, self.mean + half)

    @property
    def unlucky(self) -> Array:
        """The runs whose start led to a worse end than the best."""
        if self.objectives is None:
            return np.array([], dtype=np.intp)
        sign = 1.0 if self.less_is_better else -1.0
        best = float((sign * self.objectives).min())
        return np.flatnonzero(sign * self.objectives > best + UNLUCKY * max(abs(best), 1e-300))

    def together(self, rows: Any = None) -> Array:
        """How often rows come together, rows × rows: those given by number, or all."""
        picked = np.arange(len(self.labels)) if rows is None else np.asarray(rows)
        check_room(len(picked), instead="Ask for some of the rows.")
        kinds = self.kinds.of_row[picked]
        used, place = np.unique(kinds, return_inverse=True)
        found: Array = self.kinds.together(used, used)[place[:, None], place[None, :]]
        np.fill_diagonal(found, 1.0)
        return found

    def __repr__(self) -> str:
        k = len(np.unique(self.labels))
        return f"<Consensus of {len(self.runs)} runs: {k} clusters, mean agreement {number(self.mean)}>"

    def __str__(self) -> str:
        return _text(self)

    def plot(self, ax: Any = None, *, most: int = 600) -> Any:
        """Draw how often rows come together, as a heat map in the order of clusters; returns the matplotlib axes."""
        from learnt.plot.clusters import plot_consensus

        return plot_consensus(self, ax, most)


def consensus_clustering(
    clusterings: Any,
    X: Any = None,
    *,
    n_runs: int = 20,
    n_clusters: int | None = None,
    share: float = 1.0,
    random_state: Any = 0,
    sample_weight: Any = None,
) -> Consensus:
    """Cluster again and again from other starts: do the clusters depend on chance, and which do not?

    >>> result = consensus_clustering([[0, 0, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0]])
    >>> result.labels.tolist(), result.stability.round(2).tolist()
    ([0, 0, 1, 1, 1], [1.0, 1.0, 0.83, 0.83, 0.67])

    | argument | default | meaning |
    |---|---|---|
    | `clusterings` | | a clusterer, which is fitted `n_runs` times, or a list of labels of the same rows |
    | `X` | None | the rows for a clusterer |
    | `n_runs` | 20 | starts, each with a seed of its own and `n_init=1` where it has that |
    | `n_clusters` | None | of the consensus; unless given, the median of the runs' |
    | `share` | 1.0 | of the rows that each run is fitted on, drawn; the others are predicted |
    | `random_state` | 0 | seed |
    | `sample_weight` | None | weights of the rows for fitting |

    Two rows are as near as the share of runs that put them together; average linkage of these makes the consensus.
    Noise, −1, is together with nothing. Rows that all runs treat alike are counted, not compared, so that a million
    rows will do.

    Reference: A. Fred, A. Jain, Combining multiple clusterings using evidence accumulation, PAMI 27, 2005.
    """
    if n_runs not in Whole(2) or not (n_clusters is None or n_clusters in Whole(1)) or random_state not in Seed():
        raise ParameterError(
            f"n_runs is {n_runs!r}, n_clusters {n_clusters!r}, random_state {spell(random_state)}. Expected at least 2 "
            "runs, at least 1 cluster or None, and a seed."
        )
    if share not in Real(above=0) or share > 1:
        raise ParameterError(f"share is {spell(share)}. Expected a number above 0, at most 1.")
    objectives, less = None, True
    if hasattr(clusterings, "fit") and hasattr(clusterings, "get_params"):
        if X is None:
            raise InputError("A clusterer needs rows: give X.")
        runs, objectives, less = _fitted_runs(clusterings, X, n_runs, share, random_state, sample_weight)
    else:
        runs = _given_runs(clusterings)
    kinds = Kinds.of(runs)
    k = n_clusters or int(np.median([len(np.unique(run[run >= 0])) for run in runs])) or 1
    labels_of_kinds = kinds.clusters(min(k, len(kinds.counts)))
    labels = _renumbered_labels(labels_of_kinds[kinds.of_row])
    agreement = _agreement(runs)
    return Consensus(labels, kinds.stability(labels_of_kinds)[kinds.of_row], runs, agreement, objectives, less, kinds)


def _fitted_runs(
    learner: Any, X: Any, n_runs: int, share: float, random_state: Any, sample_weight: Any
) -> tuple[Array, Array | None, bool]:
    table = X if isinstance(X, Table) else Table(X)
    settings = learner.get_params(deep=False)
    if "random_state" not in settings and share == 1:
        raise ParameterError(
            f"{type(learner).__name__} leaves nothing to chance: every run gives the same clusters. Set share=0.8, "
            "to see whether they depend on the rows."
        )
    seeds = np.random.default_rng(seed_from(random_state)).integers(2**32, size=n_runs)
    own = {"n_init": 1} if "n_init" in settings else {}
    runs, reached, less = np.empty((n_runs, table.n_rows), np.int64), [], True
    for r in range(n_runs):
        seed = {"random_state": int(seeds[r])} if "random_state" in settings else {}
        model = clone(learner).set_params(**own, **seed)
        some = table
        weights = None if sample_weight is None else np.asarray(sample_weight)
        if share < 1:
            count = max(1, round(share * table.n_rows))
            picked = np.sort(np.random.default_rng(seeds[r]).choice(table.n_rows, count, replace=False))
            some, weights = table.take(picked), None if weights is None else weights[picked]
        fitted = model.fit(some) if weights is None else model.fit(some, sample_weight=weights)
        labels = getattr(fitted, "labels_", None) if share == 1 else None
        runs[r] = fitted.predict(table) if labels is None else labels
        name, less = next((o for o in _OBJECTIVES if hasattr(fitted, o[0])), ("", True))
        if name:
            reached.append(float(np.ravel(getattr(fitted, name))[-1]))
        report("restart", learner="consensus_clustering", iteration=r + 1, total=n_runs)
    return runs, np.array(reached) if len(reached) == n_runs and share == 1 else None, less


def _given_runs(clusterings: Any) -> Array:
    if not isinstance(clusterings, Sequence | np.ndarray) or len(clusterings) < 2:
        raise InputError("Expected a clusterer and its rows, or a list of at least two clusterings of the same rows.")
    runs = []
    for r, labels in enumerate(clusterings):
        codes, names = cluster_codes(labels, f"clustering {r}")
        noise = np.flatnonzero(names == -1) if names.dtype.kind == "i" else np.array([], np.intp)
        runs.append(np.where(np.isin(codes, noise), -1, codes.astype(np.int64)))
        if len(runs[r]) != len(runs[0]):
            raise InputError(
                f"Clustering {r} has {len(runs[r])} rows, clustering 0 has {len(runs[0])}. Expected the same rows."
            )
    if len(runs[0]) == 0:
        raise InputError("The clusterings have no rows. Expected at least one.")
    return np.array(runs)


def _renumbered_labels(labels: Array) -> Array:
    """Clusters numbered in the order of their first rows."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    found: Array = rank[place.reshape(-1)]
    return found


def _agreement(runs: Array) -> Array:
    r = len(runs)
    found = np.ones((r, r))
    codes = [np.unique(run, return_inverse=True)[1].reshape(-1) for run in runs]
    for i in range(r):
        for j in range(i):
            found[i, j] = found[j, i] = adjusted_rand_index(shared_counts(codes[i], codes[j]))
    return found


def _mean_of_pairs(square: Array) -> float:
    r = len(square)
    return float((square.sum() - np.trace(square)) / (r * (r - 1))) if r > 1 else 1.0


def _text(found: Consensus) -> str:
    low, high = found.interval
    r = len(found.runs)
    lines = [f"{r} runs, mean agreement {number(found.mean)} ({number(low)} to {number(high)}; 1 is the same clusters)"]
    if found.objectives is not None:
        unlucky = len(found.unlucky)
        best = found.objectives.min() if found.less_is_better else found.objectives.max()
        if unlucky:
            worst = found.objectives.max() if found.less_is_better else found.objectives.min()
            lines.append(
                f"{unlucky} of {r} starts were unlucky: they end up to {percent(abs(worst / best - 1), 1)} worse than "
                f"the best, {number(best)}. Take several starts (n_init)."
            )
        else:
            lines.append(f"no start was unlucky: all end within {percent(UNLUCKY, 0)} of the best, {number(best)}")
    cells = [["cluster", "rows", "stability", "rows below ½"]]
    for c in np.unique(found.labels).tolist():
        own = found.stability[found.labels == c]
        cells.append([str(c), str(len(own)), number(own.mean()), str(int((own < 0.5).sum()))])
    return "\n".join(lines) + "\n" + aligned(cells)
