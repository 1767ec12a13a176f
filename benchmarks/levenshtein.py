"""Edits between all pairs of texts: learnt beside rapidfuzz.

    pip install rapidfuzz
    python benchmarks/levenshtein.py

Nanoseconds a pair, one thread, texts of random letters; both must count the same edits.
"""

import random
import time

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

import learnt
from learnt.distance import pairwise

LENGTHS = ((3, 8, 3000), (5, 15, 3000), (10, 30, 2000), (30, 60, 1500), (100, 200, 500), (900, 1100, 100))


def texts(n, shortest, longest, seed):
    rng = random.Random(seed)
    return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz ", k=rng.randint(shortest, longest))) for _ in range(n)]


def timed(work):
    best, found = np.inf, None
    for _ in range(5):
        started = time.process_time()
        found = work()
        best = min(best, time.process_time() - started)
    return best, found


def main():
    print(f"{'letters':>12} {'texts':>6} {'learnt':>9} {'rapidfuzz':>9} {'times faster':>12}")
    for shortest, longest, n in LENGTHS:
        a, b = texts(n, shortest, longest, 0), texts(n, shortest, longest, 1)
        with learnt.threads(1):
            ours, edits = timed(lambda a=a, b=b: pairwise(a, b, metric="levenshtein"))
        theirs, others = timed(lambda a=a, b=b: process.cdist(a, b, scorer=Levenshtein.distance, workers=1))
        assert np.array_equal(edits, others)
        each = 1e9 / n / n
        print(f"{f'{shortest}–{longest}':>12} {n:>6} {ours * each:>9.1f} {theirs * each:>9.1f} {theirs / ours:>12.1f}")


if __name__ == "__main__":
    main()
