"""Where EM starts: groups that k-means finds in a sample of the rows, rows far apart, any rows, or chance."""

from __future__ import annotations

import contextvars
import warnings
from typing import Any

import numpy as np

from learnt.cluster.kmeans.learner import KMeans
from learnt.cluster.kmeans.rows import Rows
from learnt.cluster.kmeans.start import any_rows, spread_rows
from learnt.cluster.mixture.view import counted
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.statistics.sample import HashedSample, hash_rows


class TakeRows(Pass):
    """At most `limit` rows, none of weight 0: a table and weights."""

    def __init__(self, limit: int, seed: int):
        self.limit, self.seed = limit, seed

    def summarize(self, batch: Batch) -> HashedSample:
        key = hash_rows(self.seed, batch.first_row, batch.n_rows)
        weights, table = batch.weights, batch.table
        if weights is not None and not weights.all():
            table = table.take(weights > 0)
        return HashedSample.of(self.limit, counted(key, weights), table, counted(weights, weights))


def kmeans_shares(sample: HashedSample, k: int, init: Any, rng: np.random.Generator) -> Array:
    """Rows × components: 1 for the group that k-means puts a row into. `init` as in `KMeans`."""
    table, weights = sample.taken
    given = not isinstance(init, str)
    model = KMeans(k, init=init, standardize=True, max_iter=1 if given else 100, random_state=int(rng.integers(2**32)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # groups that stay empty are not news here
        # A context of its own: whoever watches the mixture is not told of the rounds of k-means.
        contextvars.Context().run(model.fit, table, None, weights)
    share = np.zeros((table.n_rows, k))
    share[np.arange(len(share)), model.labels_] = 1.0
    return share


def drawn_shares(sample: HashedSample, k: int, rng: np.random.Generator) -> Array:
    """Rows × components, drawn evenly."""
    share = rng.random((len(sample.key), k)) + 1e-9
    shares: Array = share / share.sum(axis=1, keepdims=True)
    return shares


def row_means(z: Array, weights: Array | None, k: int, spread: bool, rng: np.random.Generator) -> Array:
    """k rows of z: far apart, as k-means++ draws them, or any."""
    rows = Rows(np.nan_to_num(z, nan=0.0), weights, np.zeros(z.shape[1]))
    return np.asarray((spread_rows if spread else any_rows)(rows, k, rng), dtype=np.float64)
