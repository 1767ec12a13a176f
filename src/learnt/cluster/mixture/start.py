"""Where EM starts: groups that k-means finds in a sample of the rows, rows far apart, any rows, or chance."""

from __future__ import annotations

import contextvars
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.cluster.kmeans.learner import KMeans
from learnt.cluster.kmeans.rows import Rows
from learnt.cluster.kmeans.start import any_rows, spread_rows
from learnt.data.convert.out import joined
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass, Statistic


@dataclass(frozen=True)
class RowSample(Statistic):
    """The rows of the smallest hashes of (seed, row number), those of weight 0 last: no cutting changes them."""

    rows: int
    limit: int
    key: Array
    table: Table
    weights: Array | None

    def _merge(self, other: RowSample) -> RowSample:
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights])
        return RowSample(
            self.rows + other.rows,
            self.limit,
            np.concatenate([self.key, other.key]),
            joined([self.table, other.table]),
            weights,
        ).cut()

    def cut(self) -> RowSample:
        if len(self.key) <= self.limit:
            return self
        keep = np.sort(np.argpartition(self.key, self.limit)[: self.limit])
        weights = None if self.weights is None else self.weights[keep]
        return RowSample(self.rows, self.limit, self.key[keep], self.table.take(keep), weights)


class TakeRows(Pass):
    """At most `limit` rows."""

    def __init__(self, limit: int, seed: int):
        self.limit, self.seed = limit, seed

    def summarize(self, batch: Batch) -> RowSample:
        key = np.empty(batch.n_rows)
        _core.hash_uniform(self.seed, batch.first_row, key)
        if batch.weights is not None:
            key[batch.weights == 0] += 1.0
        return RowSample(batch.n_rows, self.limit, key, batch.table, batch.weights).cut()


def kmeans_shares(sample: RowSample, k: int, init: Any, rng: np.random.Generator) -> Array:
    """Rows × components: 1 for the group that k-means puts a row into. `init` as in `KMeans`."""
    given = not isinstance(init, str)
    model = KMeans(k, init=init, standardize=True, max_iter=1 if given else 100, random_state=int(rng.integers(2**32)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # groups that stay empty are no news here
        # A context of its own: whoever watches the mixture is not told of the rounds of k-means.
        contextvars.Context().run(model.fit, sample.table, None, sample.weights)
    share = np.zeros((sample.table.n_rows, k))
    share[np.arange(len(share)), model.labels_] = 1.0
    return share


def drawn_shares(sample: RowSample, k: int, rng: np.random.Generator) -> Array:
    """Rows × components, drawn evenly."""
    share = rng.random((sample.table.n_rows, k)) + 1e-9
    shares: Array = share / share.sum(axis=1, keepdims=True)
    return shares


def row_means(z: Array, weights: Array | None, k: int, spread: bool, rng: np.random.Generator) -> Array:
    """k rows of z: far apart, as k-means++ draws them, or any."""
    rows = Rows(np.nan_to_num(z, nan=0.0), weights, np.zeros(z.shape[1]))
    return np.asarray((spread_rows if spread else any_rows)(rows, k, rng), dtype=np.float64)
