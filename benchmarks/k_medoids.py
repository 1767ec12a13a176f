"""k-medoids of 10,000 rows: learnt beside the package kmedoids (FasterPAM in Rust).

    pip install kmedoids
    python benchmarks/k_medoids.py [--build]

Seconds of wall clock, learnt on two threads, the package on one or two, whichever is faster; both start from the same
rows. "swaps" is the search alone, the distances being known to both; "whole" is from rows to labels, the package's
distances by scikit-learn. `--build` adds PAM's greedy start to the search, with which the package takes minutes.
"""

import sys
import time

import kmedoids
import numpy as np
from sklearn.metrics import pairwise_distances

import learnt
from learnt.cluster.medoids.search import Medoids
from learnt.cluster.medoids.search import build as greedy

SIZES = ((10_000, 10, 10), (10_000, 10, 100), (10_000, 2, 30))
THREADS = 2


def timed(work):
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def blobs(n, p, k):
    rng = np.random.default_rng(0)
    return rng.uniform(-10, 10, (k, p))[rng.integers(k, size=n)] + rng.normal(scale=3, size=(n, p))


def ours_of(d, start):
    found = Medoids(d, None, start.astype(np.int64))
    found.swap(eager=True, max_iter=300)
    return found.loss


def theirs_of(d, start):
    """The faster of one and two threads; the loss is that of one."""
    found = [timed(lambda c=c: kmedoids.fasterpam(d, start.copy(), n_cpu=c)) for c in (1, THREADS)]
    return min(seconds for seconds, _ in found), found[0][1].loss


def main(build):
    learnt.threads(THREADS)
    head = f"{'rows':>7} {'columns':>7} {'k':>4}  {'':<7} {'learnt':>8} {'kmedoids':>8}"
    print(f"{head} {'times faster':>12} {'loss ratio':>10}")
    for n, p, k in SIZES:
        x = blobs(n, p, k)
        start = np.random.default_rng(1).choice(n, k, replace=False)
        measuring, d = timed(lambda x=x: pairwise_distances(x))
        search, loss = timed(lambda d=d, start=start: ours_of(d, start))
        whole, model = timed(lambda x=x, k=k, start=start: learnt.KMedoids(k, init=start).fit(x))
        peer, other = theirs_of(d, start)
        rows = [("swaps", search, peer, loss / other), ("whole", whole, peer + measuring, model.loss_ / other)]
        if build:
            search, loss = timed(lambda d=d, k=k: ours_of(d, greedy(d, None, k)))
            peer, found = timed(lambda d=d, k=k: kmedoids.fasterpam(d, k, init="build", n_cpu=1))
            rows.append(("build", search, peer, loss / found.loss))
        for name, ours, theirs, ratio in rows:
            print(f"{n:>7} {p:>7} {k:>4}  {name:<7} {ours:>8.2f} {theirs:>8.2f} {theirs / ours:>12.1f} {ratio:>10.6f}")


if __name__ == "__main__":
    main("--build" in sys.argv)
