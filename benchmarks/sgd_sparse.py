"""One epoch of stochastic gradient descent on sparse rows, side by side with scikit-learn.

    python benchmarks/sgd_sparse.py [--rows 1000000] [--columns 100000] [--stored 50] [-r 3]

Logistic loss, L2, the same step lengths for both, rows in drawn order. Each run is a fit from the table to the model;
`standardized` is learnt's default, which scikit-learn leaves to the user. Runs of the two take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("LEARNT_THREADS", "2")
os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier as Peer

from learnt import SGDClassifier


def made(n: int, p: int, k: int) -> tuple[csr_matrix, Any]:
    """k cells a row, in frequent and rare columns; classes by a line and noise."""
    rng = np.random.default_rng(0)
    columns = (rng.random((n, k)) ** 3 * p).astype(np.int32)
    columns.sort(axis=1)
    cells = rng.random((n, k))
    x = csr_matrix((cells.ravel(), columns.ravel(), np.arange(0, n * k + 1, k, dtype=np.int32)), shape=(n, p))
    x.sum_duplicates()
    return x, (x @ rng.normal(size=p) + 0.5 * rng.normal(size=n) > 0).astype(int)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("rows", 1_000_000), ("columns", 100_000), ("stored", 50)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("-r", "--runs", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    x, y = made(given.rows + 20_000, given.columns, given.stored)
    train, test, y_train, y_test = x[: given.rows], x[given.rows :], y[: given.rows], y[given.rows :]
    step: dict[str, Any] = {"learning_rate": "invscaling", "eta0": 0.5, "power_t": 0.25, "random_state": 0}
    candidates: dict[str, Callable[[], Any]] = {
        "scikit-learn": lambda: Peer(loss="log_loss", max_iter=1, tol=None, **step).fit(train, y_train),
        "learnt": lambda: SGDClassifier(standardize=False, max_iter=1, **step).fit(train, y_train),
        "learnt, standardized": lambda: SGDClassifier(max_iter=1, **step).fit(train, y_train),
    }
    took: dict[str, list[float]] = {name: [] for name in candidates}
    right: dict[str, float] = {}
    for run in range(given.runs + 1):  # the first one warms up
        for name, fit in candidates.items():
            start = time.perf_counter()
            model = fit()
            if run:
                took[name].append(time.perf_counter() - start)
            right[name] = float(np.mean(model.predict(test) == y_test))
    print(f"{train.shape[0]:,} × {train.shape[1]:,}, {train.nnz:,} cells stored")
    peer = statistics.median(took["scikit-learn"])
    for name, times in took.items():
        median = statistics.median(times)
        print(f"{name:22} {median:6.2f} s  × {median / peer:4.2f}   accuracy on other rows {right[name]:.4f}")


if __name__ == "__main__":
    main()
