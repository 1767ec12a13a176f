"""Words that stand together more often than by chance, as one.

Documents are given as numbers of words (`ids`, −1 for a word that is not known) with the places where each begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Statistic

_UPPER = np.uint64(32)


@dataclass(frozen=True)
class PairCounts(Statistic):
    """How often each word is there, in how many documents, and how often each pair of neighbours: keys in order, which
    hold the first word in their upper half."""

    rows: int
    totals: Array
    documents: Array
    keys: Array
    pairs: Array

    def _shape(self) -> tuple[int, ...]:
        return (len(self.totals),)

    def _merge(self, other: PairCounts) -> PairCounts:
        keys, places = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        pairs = np.zeros(len(keys), np.int64)
        np.add.at(pairs, places, np.concatenate([self.pairs, other.pairs]))
        return PairCounts(
            self.rows + other.rows, self.totals + other.totals, self.documents + other.documents, keys, pairs
        )


def count_pairs(offsets: Array, ids: Array, n_words: int) -> PairCounts:
    """What documents tell of `n_words` words and their neighbours."""
    known = ids >= 0
    totals = np.bincount(ids[known], minlength=n_words)
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    once = np.unique(document[known].astype(np.uint64) << _UPPER | ids[known].astype(np.uint64))
    documents = np.bincount((once & np.uint64(0xFFFFFFFF)).astype(np.int64), minlength=n_words)
    together, keys = _neighbours(offsets, ids)
    found, pairs = np.unique(keys[together], return_counts=True)
    return PairCounts(len(offsets) - 1, totals, documents, found, pairs)


def phrase_scores(pairs: Array, first: Array, second: Array, total: int, discount: float) -> Array:
    """(n_ab − δ) · n / (n_a · n_b): how many times more often a pair is there than by chance, δ pairs taken off."""
    scores: Array = (pairs - discount) * float(total) / (first.astype(np.float64) * second)
    return scores


def find_phrases(counts: PairCounts, discount: float, threshold: float) -> Array:
    """The pairs of words whose score is above the threshold, in the order of their numbers: one row for each."""
    first, second = (counts.keys >> _UPPER).astype(np.int64), (counts.keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    total = int(counts.totals.sum())
    scores = phrase_scores(counts.pairs, counts.totals[first], counts.totals[second], total, discount)
    chosen = scores > threshold
    return np.column_stack([first[chosen], second[chosen]]).astype(np.int32)


def join_pairs(offsets: Array, ids: Array, joined: Array) -> tuple[Array, Array]:
    """Pairs of neighbours as the words that stand for them: `joined` has rows of first, second and what they become.

    From the left of each document, and no word in two pairs.
    """
    if len(joined) == 0 or len(ids) < 2:
        return offsets, ids
    wanted = joined[:, 0].astype(np.uint64) << _UPPER | joined[:, 1].astype(np.uint64)
    order = np.argsort(wanted)
    together, keys = _neighbours(offsets, ids)
    at = np.minimum(np.searchsorted(wanted, keys, sorter=order), len(wanted) - 1)
    found = together & (wanted[order[at]] == keys)
    places = np.arange(len(found))
    begins = found & ~np.concatenate([[False], found[:-1]])
    since = np.maximum.accumulate(np.where(begins, places, 0))
    taken = found & ((places - since) % 2 == 0)
    changed = ids.copy()
    changed[:-1][taken] = joined[order[at[taken]], 2]
    stays = np.ones(len(ids), bool)
    stays[1:][taken] = False
    before = np.concatenate([[0], np.cumsum(stays)])
    return before[offsets], changed[stays]


def _neighbours(offsets: Array, ids: Array) -> tuple[Array, Array]:
    """For each word but the last: whether it and the next one are known and of one document, and the key of both."""
    together = (ids[:-1] >= 0) & (ids[1:] >= 0)
    ends = offsets[1:-1]
    ends = ends[(ends > 0) & (ends < len(ids))]
    together[ends - 1] = False
    keys = ids[:-1].astype(np.uint64) << _UPPER | (ids[1:].astype(np.uint64) & np.uint64(0xFFFFFFFF))
    return together, keys
