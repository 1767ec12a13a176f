"""Alternating least squares on planted implicit feedback beside the package implicit, and from files in bounded memory.

    python benchmarks/recommendation.py                   # 10,000 users × 2,000 items × 1,000,000 ratings
    python benchmarks/recommendation.py --users 100000 --items 20000 --ratings 10000000 --rank 64

    python benchmarks/recommendation.py --stream             # a file by passes, and read whole: peaks of memory (VmHWM)

Both run with two threads and as many conjugate-gradient steps on the same objective: the confidence of a rating is 40
to implicit, and 1 + 39 to learnt. Losses are those after as many sweeps; what learnt returns is solved once more.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # implicit asks for it

import numpy as np
import scipy.sparse

import learnt

ALPHA, PENALTY = 40.0, 0.1


def planted(n_users: int, n_items: int, n: int, rank: int = 16, seed: int = 0) -> scipy.sparse.csr_matrix:
    """Pairs of popular items that suit the users' planted tastes, each once."""
    rng = np.random.default_rng(seed)
    x, y = (rng.standard_normal((m, rank)).astype(np.float32) for m in (n_users, n_items))
    kept: list[Any] = []
    have = 0
    while have < 1.3 * n:
        users = rng.integers(n_users, size=n, dtype=np.int32)
        items = (n_items * rng.random(n) ** 1.7).astype(np.int32)
        suits = np.concatenate(
            [np.einsum("nk,nk->n", x[users[a : a + 500_000]], y[items[a : a + 500_000]]) for a in range(0, n, 500_000)]
        )
        good = suits > rng.standard_normal(n) * 4
        kept.append((users[good], items[good]))
        have += int(good.sum())
    users, items = (np.concatenate([pair[i] for pair in kept]) for i in (0, 1))
    table = scipy.sparse.coo_matrix((np.ones(len(users), np.float32), (users, items)), (n_users, n_items)).tocsr()
    kept_places = np.sort(rng.choice(table.nnz, n, replace=False))  # pairs drawn twice are one
    rows = np.repeat(np.arange(n_users), np.diff(table.indptr))[kept_places]
    return scipy.sparse.coo_matrix((np.ones(n, np.float32), (rows, table.indices[kept_places])), table.shape).tocsr()


def sweeps_of(times: list[tuple[float, float]]) -> tuple[float, float]:
    """The least wall and processor time between two reports."""
    steps = np.diff(np.array(times), axis=0)
    return float(steps[:, 0].min()), float(steps[:, 1].min())


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def ours(table: Any, rank: int, sweeps: int) -> tuple[tuple[float, float], str]:
    coo = table.tocoo()
    rows = learnt.Table({"user": coo.row.astype(float), "item": coo.col.astype(float)})
    model = learnt.MatrixFactorization(
        rank, feedback="implicit", biases=False, by_count=False, regularization=PENALTY, confidence=ALPHA - 1,
        max_iter=sweeps, tol=0, keep_ratings=False,
    )  # fmt: skip
    times: list[tuple[float, float]] = []
    with learnt.watch(lambda step: times.append(now())):
        model.fit(rows)
    n_users, n_items = table.shape
    confidence = ALPHA * table.nnz + (n_users * n_items - table.nnz)  # implicit divides its loss by all of it
    last = loss_of(table, model.user_factors_, model.item_factors_)
    return sweeps_of(times), f"{model.objectives_[-1] / confidence:.5g} ({last:.5g} in the end)"


def theirs(table: Any, rank: int, sweeps: int) -> tuple[tuple[float, float], str]:
    from implicit.cpu.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(
        factors=rank, regularization=PENALTY, alpha=ALPHA, iterations=sweeps, num_threads=2, random_state=0,
        calculate_training_loss=False,
    )  # fmt: skip
    times: list[tuple[float, float]] = []
    model.fit(table, show_progress=False, callback=lambda *_: times.append(now()))
    return sweeps_of(times), f"{loss_of(table, model.user_factors, model.item_factors):.5g}"


def loss_of(table: Any, x: Any, y: Any) -> float:
    from implicit.cpu._als import calculate_loss

    weighted = scipy.sparse.csr_matrix((table.data * ALPHA, table.indices, table.indptr), table.shape)
    return float(calculate_loss(weighted, x, y, PENALTY, num_threads=2))


def peak() -> float:
    """The most memory that this process ever had, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")


def stream(table: Any, rank: int, sweeps: int) -> None:
    """Write the ratings as Parquet, and fit them by passes in another process."""
    import subprocess
    import sys

    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        path, coo = Path(folder) / "ratings.parquet", table.tocoo()
        order = np.random.default_rng(1).permutation(coo.nnz)
        columns = {"user": coo.row[order].astype(float), "item": coo.col[order].astype(float)}
        pq.write_table(pa.table(columns), path, row_group_size=65_536)
        for how in ("scan", "read"):
            told = ["--fit", how, str(path), "--rank", str(rank), "--sweeps", str(sweeps)]
            subprocess.run([sys.executable, __file__, *told], check=True)


def fit_file(how: str, path: str, rank: int, sweeps: int) -> None:
    start, before = time.process_time(), peak()
    source = getattr(learnt, how)(path)
    model = learnt.MatrixFactorization(
        rank, feedback="implicit", biases=False, max_iter=sweeps, tol=0, keep_ratings=False
    ).fit(source)
    size = (model.user_factors_.nbytes + model.item_factors_.nbytes) / 2**20
    print(
        f"{how}: {time.process_time() - start:.1f} s of processor time, memory {before:.0f} → {peak():.0f} MB "
        f"(factors {size:.0f} MB), objective {model.objectives_[-1]:.6g}"
    )


def main() -> None:
    asked = argparse.ArgumentParser()
    for name, default in (("users", 10_000), ("items", 2_000), ("ratings", 1_000_000), ("rank", 64), ("sweeps", 4)):
        asked.add_argument(f"--{name}", type=int, default=default)
    asked.add_argument("--stream", action="store_true")
    asked.add_argument("--fit", nargs=2, metavar=("HOW", "FILE"))
    told = asked.parse_args()
    warnings.simplefilter("ignore")
    learnt.threads(2)
    if told.fit:
        fit_file(*told.fit, told.rank, told.sweeps)
        return
    table = planted(told.users, told.items, told.ratings)
    print(f"{table.shape[0]:,} users × {table.shape[1]:,} items × {table.nnz:,} ratings, rank {told.rank}")
    if told.stream:
        stream(table, told.rank, told.sweeps)
        return
    found = {}
    for name, fit in (("implicit", theirs), ("learnt", ours)):
        (wall, cpu), loss = fit(table, told.rank, told.sweeps)
        found[name] = wall, cpu
        print(f"{name:9}{wall:8.3f} s a sweep, {cpu:8.3f} s of processor time, loss {loss}")
    ratios = [ours / theirs for ours, theirs in zip(found["learnt"], found["implicit"], strict=True)]
    print(f"ratio    {ratios[0]:8.2f}            {ratios[1]:8.2f}")


if __name__ == "__main__":
    main()
