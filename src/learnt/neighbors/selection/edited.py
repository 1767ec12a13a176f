"""Editing: rows that their neighbours contradict are left out before a learner sees them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.learner.fields import setting
from learnt.learner.parameters import Whole
from learnt.neighbors.kept_rows import KeptRows
from learnt.neighbors.measure import measure_of
from learnt.neighbors.search import Search
from learnt.neighbors.selection.row_selector import RowSelector


class EditedNeighbors(RowSelector):
    """Leave out the rows whose neighbours are mostly of another class, then fit a learner to the others.

        row i stays if no class has more of its k nearest other rows than its own; those as near as the k-th count too

    >>> table = {"x": [0.0, 0.1, 0.2, 0.15, 0.9, 1.0, 1.1, 0.95]}
    >>> noisy = ["a", "a", "a", "b", "b", "b", "b", "b"]
    >>> EditedNeighbors().select(table, noisy).tolist()
    [True, True, True, False, True, True, True, True]

    It smooths the border between classes and takes out noise. `select` gives the mask of the rows, for any learner;
    `fit` fits `learner` to them; `fit_resample` gives the rows themselves. If no row would stay, all do. Weights count
    as copies of a row, which are each other's neighbours.

    {settings}

    Attributes: `rows_`, the numbers of the rows that stay; `n_kept_`, `n_seen_`; `learner_`, fitted.

    Reference: D. L. Wilson, Asymptotic properties of nearest neighbor rules using edited data, 1972.
    """

    abilities = RowSelector.abilities - {"order-dependent"}
    search_space: ClassVar[dict[str, Any]] = {"n_neighbors": (1, 3, 5)}

    learner: Any = setting(
        RowSelector.domains["learner"],
        "the classifier fitted to the rows that stay; None: the nearest of them answers",
        default=None,
        kw_only=False,
    )
    n_neighbors: int = setting(Whole(1), "how many neighbours are asked", default=3)

    def _chosen(self, table: Table, target: Array, weights: Array | None) -> Array:
        n, n_classes = table.n_rows, int(target.max()) + 1
        if n < 2:
            return np.arange(n)
        search = Search(KeptRows.of(table, None), measure_of("auto", 2.0, table, weights, ()), "auto")
        votes = np.zeros((n, n_classes))
        unit = _unit(weights)
        k = self.n_neighbors * unit
        # Without weights a row is not asked about itself; with them, one copy of it is taken out afterwards.
        asked, skip = (k, np.arange(n)) if weights is None else (k + unit, None)
        for rows, near in search.nearest(table, asked, weights, ties=True, skip=skip):
            share = near.share
            if weights is not None:
                share = share - unit * (near.rows == rows[:, None])
                last = np.minimum((np.cumsum(share, axis=1) < k).sum(axis=1), share.shape[1] - 1)
                share = share * (near.distances <= near.distances[np.arange(len(rows)), last][:, None])
            np.add.at(votes, (rows[:, None], target[near.rows]), share)
        own = votes[np.arange(n), target]
        stays = np.flatnonzero(own >= votes.max(axis=1) * (1 - 1e-12))
        return stays if len(stays) else np.arange(n)


def _unit(weights: Array | None) -> float:
    """The weight of one copy: 1 of whole weights, else the smallest."""
    if weights is None or bool((weights == np.floor(weights)).all()):
        return 1.0
    return float(weights[weights > 0].min())
