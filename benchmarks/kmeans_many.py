#!/usr/bin/env python3
"""k-means with a thousand clusters and on sparse rows, beside scikit-learn and scikit-learn-intelex, two threads.

    python benchmarks/kmeans_many.py                 all of it: some minutes
    python benchmarks/kmeans_many.py dense           a thousand clusters of 100,000 × 32 and 200,000 × 64 numbers
    python benchmarks/kmeans_many.py sparse          20 and 100 clusters of 50,000 × 20,000 cells, 0.2 % stored
    python benchmarks/kmeans_many.py start           k-means++ alone
    python benchmarks/kmeans_many.py crossover       plain rounds against rounds by bounds: where "auto" changes over

All start from the same rows and make the same number of rounds; the least of three times is shown, of the wall and
of the processor.
"""

import argparse
import time
import warnings

import numpy as np
import scipy.sparse

import learnt
from registry import THREADS


def blobs(n, p, k, dtype=np.float32):
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((k, p), dtype=np.float32)
    return (centers[rng.integers(0, k, n)] + rng.standard_normal((n, p), dtype=np.float32)).astype(dtype)


def timed(work, repeats):
    """The least wall and processor times of some runs, and what the last gave."""
    wall, processor = [], []
    for _ in range(repeats):
        start, busy = time.perf_counter(), time.process_time()
        found = work()
        wall.append(time.perf_counter() - start)
        processor.append(time.process_time() - busy)
    return min(wall), min(processor), found


def table(title, works, repeats):
    print(f"\n{title}\n\n| library | s | processor s | ratio | inertia |\n|---|---|---|---|---|", flush=True)
    base = None
    for name, work in works.items():
        wall, processor, found = timed(work, repeats)
        base = wall if base is None else base
        print(f"| {name} | {wall:.3f} | {processor:.3f} | {wall / base:.2f} | {found:.7g} |", flush=True)


def peers(x, init, rounds):
    """Fits of every library from the same start; ours first."""
    from sklearn.cluster import KMeans
    from sklearnex.cluster import KMeans as Intel

    k, given = len(init), {"init": init, "max_iter": rounds, "tol": 0}
    works = {"learnt": lambda: learnt.KMeans(k, **given).fit(x).inertia_}
    for name in ("lloyd", "elkan"):
        works[f"scikit-learn {name}"] = lambda name=name: KMeans(k, n_init=1, algorithm=name, **given).fit(x).inertia_
    works["scikit-learn-intelex"] = lambda: Intel(k, n_init=1, n_jobs=THREADS, **given).fit(x).inertia_
    return works


def dense(repeats):
    for n, p in ((100_000, 32), (200_000, 64)):
        x = blobs(n, p, 1000)
        init = x[np.random.default_rng(1).choice(n, 1000, replace=False)].copy()
        table(f"1000 clusters of {n} × {p} float32, 20 rounds", peers(x, init, 20), repeats)


def sparse(repeats):
    x = scipy.sparse.random(50_000, 20_000, 0.002, format="csr", dtype=np.float32, random_state=0)
    for k in (20, 100):
        init = x[np.random.default_rng(1).choice(50_000, k, replace=False)].toarray()
        table(f"{k} clusters of 50000 × 20000 sparse float32, 0.2 % stored, 10 rounds", peers(x, init, 10), repeats)


def start(repeats):
    from sklearn.cluster import kmeans_plusplus

    from learnt.cluster.kmeans.rows import Rows
    from learnt.cluster.kmeans.start import spread_rows

    def ours(x, k):
        rows = Rows(x, None, np.zeros(x.shape[1]))
        return float(rows.assign(spread_rows(rows, k, np.random.default_rng(0)), None, None, None))

    def theirs(x, k):
        centers = kmeans_plusplus(x, k, random_state=0)[0]
        centers = np.asarray(centers if isinstance(centers, np.ndarray) else centers.todense())
        return float(Rows(x, None, np.zeros(x.shape[1])).assign(centers, None, None, None))

    cases = {
        "1000 of 100000 × 32": (blobs(100_000, 32, 1000), 1000),
        "100 of 50000 × 20000 sparse": (
            scipy.sparse.random(50_000, 20_000, 0.002, format="csr", dtype=np.float32, random_state=0),
            100,
        ),
    }
    for name, (x, k) in cases.items():
        works = {"learnt": lambda x=x, k=k: ours(x, k), "scikit-learn": lambda x=x, k=k: theirs(x, k)}
        table(f"k-means++ alone: {name}", works, repeats)


def crossover(repeats):
    print("\n| columns | type | k | lloyd | bounds | ratio | auto |\n|---|---|---|---|---|---|---|")
    for p in (2, 8, 32, 64):
        for dtype in (np.float32, np.float64):
            for k in (32, 100, 300, 1000):
                x = blobs(50_000, p, k, dtype)
                init = x[np.random.default_rng(1).choice(len(x), k, replace=False)].copy()
                given = {"init": init, "max_iter": 30, "tol": 0}
                plain, bounds, auto = (
                    timed(lambda name=name: learnt.KMeans(k, algorithm=name, **given).fit(x), repeats)[1]
                    for name in ("lloyd", "bounds", "auto")
                )
                print(
                    f"| {p} | {np.dtype(dtype).name} | {k} | {plain:.3f} | {bounds:.3f} | {bounds / plain:.2f} "
                    f"| {auto:.3f} |",
                    flush=True,
                )


def main():
    parts = {"dense": dense, "sparse": sparse, "start": start, "crossover": crossover}
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("parts", nargs="*", help=f"some of {', '.join(parts)}; without, all but the last")
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    warnings.simplefilter("ignore")
    learnt.threads(THREADS)
    for name in given.parts or ["dense", "sparse", "start"]:
        parts[name](given.repeats)


if __name__ == "__main__":
    main()
