"""The passes that turn random vectors into those of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.watch import report, watching

#: Documents as numbers, piece by piece: where each begins, and the words.
Pieces = Callable[[], Iterator[tuple[Array, Array]]]

#: Floats that rows of vectors are filled up to a multiple of.
UNIT = 16

#: Windows of a batch at most, and how far its updates may go together: see `occurrences_at_most`.
MOST_WINDOWS, FARTHEST = 64, 0.9

#: No number of a vector that has come to rest is larger.
LARGEST = 1e3


@dataclass(frozen=True)
class VectorSettings:
    """What a training needs to know beside the words."""

    n_components: int
    window: int
    negative: int
    cbow: bool
    sample: float
    learning_rate: float
    epochs: int
    seed: int


def keep_chances(totals: Array, sample: float) -> Array:
    """√(t/f) + t/f, at most 1: the chance of each word to stay, of frequency f. All stay where t is 0.

    t is one in as many as there are words at least: what is no more frequent than all others is not frequent.
    """
    if sample == 0:
        return np.ones(len(totals))
    ratio = max(sample, 1 / len(totals)) * totals.sum() / totals
    chances: Array = np.minimum(1.0, np.sqrt(ratio) + ratio)
    return chances


def noise_weights(totals: Array) -> Array:
    """n^0.75 (Mikolov et al. 2013): noise words are drawn in proportion to it."""
    weights: Array = totals.astype(np.float64) ** 0.75
    return weights


def occurrences_at_most(settings: VectorSettings) -> float:
    """How often a word may be in a batch before its updates, which do not see each other, are cut short.

    Each time it meets about n inputs or outputs, and rate · n / 4 is its step against the curvature of the loss, for
    vectors of length 1: all of them together stay at `FARTHEST`.
    """
    pairs = (settings.negative + 1.0) * (settings.window + 1.0)
    return max(1.0, 4 * FARTHEST / (settings.learning_rate * pairs))


def batch_size(totals: Array, chances: Array, settings: VectorSettings) -> int:
    """How many windows are judged by the same vectors: so many that the most frequent word is expected in them half as
    often as it may be. Small vocabularies have small batches."""
    stays = totals * chances
    share = float(stays.max() / stays.sum())
    return int(np.clip(occurrences_at_most(settings) / (2 * share), 1, MOST_WINDOWS))


def start_vectors(n_words: int, settings: VectorSettings) -> Array:
    """Rows of numbers from −1/2d to 1/2d, filled up by zeros."""
    d = settings.n_components
    numbers = np.empty(n_words * d)
    _core.hash_uniform(settings.seed, 0, numbers)
    rows = np.zeros((n_words, -(-d // UNIT) * UNIT), np.float32)
    rows[:, :d] = (numbers.reshape(n_words, d) - 0.5) / d
    return rows


def train_vectors(pieces: Pieces, totals: Array, settings: VectorSettings) -> tuple[Array, Array, Array]:
    """Vectors of the words, vectors of them as outputs, and the mean loss of each epoch.

    Where vectors run away all the same, as they do in a text of a few words, it begins again with smaller batches.
    """
    windows = batch_size(totals, keep_chances(totals, settings.sample), settings)
    while True:
        found = _trained(pieces, totals, settings, windows)
        if found is not None:
            return found
        if windows == 1:
            raise ParameterError(
                f"Word2Vec: learning_rate={settings.learning_rate} is too large: the vectors run away. "
                "Expected a rate at which they come to rest. Lower it, or window, or negative."
            )
        windows = max(1, windows // 8)


def _trained(
    pieces: Pieces, totals: Array, settings: VectorSettings, windows: int
) -> tuple[Array, Array, Array] | None:
    """The same for batches of so many windows; None if vectors overflow."""
    vectors = start_vectors(len(totals), settings)
    outputs = np.zeros_like(vectors)
    trainer = _core.VectorTrainer(
        noise_weights(totals),
        keep_chances(totals, settings.sample),
        vectors.shape[1],
        settings.window,
        settings.negative,
        windows,
        occurrences_at_most(settings),
        settings.cbow,
        settings.learning_rate,
        settings.learning_rate / 250,
        settings.epochs,
        int(totals.sum()),
        settings.seed,
    )
    losses, beside, d = [], False, settings.n_components
    for epoch in range(settings.epochs):
        for offsets, ids in pieces():
            beside = beside or _are_beside(offsets, ids)
            trainer.learn(offsets, ids, vectors, outputs)
        if not beside:
            raise InputError(
                "No document has two words that are frequent enough, so that none stands beside another. "
                "Expected longer documents. Lower min_count, or join the documents."
            )
        losses.append(trainer.finish_epoch(vectors, outputs))
        largest = max(float(np.abs(vectors).max()), float(np.abs(outputs).max()))
        if not largest < LARGEST:
            return None
        if watching():
            report("epoch", learner="Word2Vec", iteration=epoch + 1, total=settings.epochs, objective=losses[-1])
    return np.ascontiguousarray(vectors[:, :d]), np.ascontiguousarray(outputs[:, :d]), np.array(losses)


def _are_beside(offsets: Array, ids: Array) -> bool:
    before = np.concatenate([[0], np.cumsum(ids >= 0)])
    return bool(np.any(np.diff(before[offsets]) > 1))
