"""Digits of scikit-learn, and sequences whose first and last symbol decide."""

import numpy as np
import pytest

from learnt import ConvNetClassifier, LSTMClassifier


@pytest.fixture(scope="session")
def digits():
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X.reshape(-1, 8, 8), y


def first_and_last(n, seed=0, longest=9):
    """Symbols a, b, c, d; the class says whether the first and the last are the same, each a or b with equal chance."""
    rng = np.random.default_rng(seed)
    sequences, labels = [], []
    for _ in range(n):
        symbols = rng.choice(list("abcd"), int(rng.integers(2, longest)))
        symbols[[0, -1]] = ends = rng.choice(list("ab"), 2)
        sequences.append(symbols)
        labels.append("same" if ends[0] == ends[1] else "other")
    return sequences, labels


@pytest.fixture(scope="session")
def ends():
    return first_and_last


@pytest.fixture(scope="session")
def small_net(digits):
    """Fitted for a moment, to ask."""
    pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")
    X, y = digits
    return ConvNetClassifier(channels=(4, 6), max_iter=2, precision="double").fit(X[:60], y[:60])


@pytest.fixture(scope="session")
def small_memory():
    """Fitted for a moment to numbers, labels and gaps."""
    pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")
    table, y = mixed_steps(24)
    return LSTMClassifier(hidden_size=5, embedding_dim=3, max_iter=2, precision="double").fit(table, y, sequence="id")


def mixed_steps(n, seed=0):
    """A table of sequences of 1 to 5 steps, of numbers with gaps and of labels with gaps; a class for each."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 6, n)
    rows = int(lengths.sum())
    table = {
        "id": np.repeat([f"s{i:03d}" for i in range(n)], lengths).tolist(),
        "heat": np.where(rng.random(rows) < 0.15, np.nan, rng.normal(20, 5, rows)),
        "sign": [None if u < 0.1 else "xyzw"[int(4 * u)] for u in rng.random(rows)],
    }
    return table, np.where(rng.random(n) < 0.5, "yes", "no")
