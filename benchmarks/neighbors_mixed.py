"""Neighbours in a mixed table: learnt's scan beside scikit-learn with the same metric as a Python function.

    python benchmarks/neighbors_mixed.py [--threads 2]

100,000 rows × 20 columns (ten of numbers, ten of labels, 2 % of the cells missing), 10,000 questions, ten neighbours.
scikit-learn is asked two of them and its time multiplied: all would take it hours. Both must name the same rows.
"""

import argparse
import time

import numpy as np

import learnt
from learnt.data.column import Column
from learnt.data.table import Table
from learnt.neighbors import build_index

ROWS, QUESTIONS, ASKED, K = 100_000, 10_000, 2, 10
CATEGORIES = (2, 3, 4, 5, 6, 8, 10, 12, 20, 50)


def mixed_table(n, rng):
    columns = []
    for j in range(10):
        numbers = rng.standard_normal(n)
        numbers[rng.random(n) < 0.02] = np.nan
        columns.append(Column(f"number {j}", "numeric", numbers))
    for j, size in enumerate(CATEGORIES):
        codes = rng.integers(0, size, n).astype(np.int32)
        codes[rng.random(n) < 0.02] = -1
        columns.append(Column(f"label {j}", "nominal", codes, tuple(f"v{c}" for c in range(size))))
    return Table.of_columns(columns)


def cells(table):
    """One array of floats; scikit-learn takes no NaN: a number so far away that it is 1 from all, and not itself."""
    return np.column_stack([np.nan_to_num(c.values.astype(float), nan=1e300) for c in table.columns])


def metric(ranges):
    def distance(a, b):
        numbers = np.minimum(np.abs(a[:10] - b[:10]) / ranges, 1)
        numbers[a[:10] == 1e300] = 1
        return numbers.sum() + ((a[10:] != b[10:]) | (a[10:] < 0)).sum()

    return distance


def timed(work):
    wall, busy = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - busy, result


def main():
    from sklearn.neighbors import NearestNeighbors

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    learnt.threads(parser.parse_args().threads)
    rng = np.random.default_rng(0)
    rows, questions = mixed_table(ROWS, rng), mixed_table(QUESTIONS, rng)
    build, _, index = timed(lambda: build_index(rows, "mixed"))
    wall, busy, (_, found) = timed(lambda: index.query(questions, K))
    print(f"learnt        build {build:.3f} s, {QUESTIONS} questions {wall:.2f} s (processor {busy:.2f} s)")
    peer = NearestNeighbors(metric=metric(index.settings.ranges[:10]), algorithm="brute").fit(cells(rows))
    asked = cells(questions.rows(0, ASKED))
    slow, slow_busy, (_, theirs) = timed(lambda: peer.kneighbors(asked, K))
    print(f"scikit-learn  {ASKED} questions {slow:.2f} s, {QUESTIONS} would take {slow * QUESTIONS / ASKED:.0f} s")
    print(f"times faster  {slow_busy * QUESTIONS / ASKED / busy:.0f} by processor time")
    for mine, other in zip(found[:ASKED], theirs, strict=True):
        assert set(mine) == set(other), (mine, other)


if __name__ == "__main__":
    main()
