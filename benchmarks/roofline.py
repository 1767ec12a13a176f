#!/usr/bin/env python3
"""Rough limits of the machine: memory bandwidth and rate of matrix products (NumPy; torch if it is there)."""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2"))
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def best(f, n=7):
    f()
    t = []
    for _ in range(n):
        s = time.perf_counter()
        f()
        t.append(time.perf_counter() - s)
    return min(t), sorted(t)[n // 2]


def show(name, unit, work, t):
    rates = [work / seconds / 1e9 for seconds in t]
    print(f"{name:44} best {rates[0]:8.1f}  median {rates[1]:8.1f} {unit}", flush=True)


n = 64_000_000
a, b, c = np.zeros(n), np.ones(n), np.ones(n)
pool = ThreadPoolExecutor(2)


def triad(lo, hi):
    for i in range(lo, hi, 65536):
        s = slice(i, min(i + 65536, hi))
        np.multiply(c[s], 3.0, out=a[s])
        np.add(a[s], b[s], out=a[s])


two = lambda f: list(pool.map(lambda k: f(k * n // 2, (k + 1) * n // 2), (0, 1)))
show("triad a=b+3c float64, 1 thread (24 B/elem)", "GB/s", 24 * n, best(lambda: triad(0, n), 3))
show("triad, 2 threads", "GB/s", 24 * n, best(lambda: two(triad), 3))
show("read (sum) float64, 1 thread", "GB/s", 8 * n, best(lambda: b.sum(), 3))
show("read (sum), 2 threads", "GB/s", 8 * n, best(lambda: two(lambda lo, hi: b[lo:hi].sum()), 3))
show(
    "copy, 2 threads (16 B/elem)",
    "GB/s",
    16 * n,
    best(lambda: two(lambda lo, hi: np.copyto(a[lo:hi], b[lo:hi])), 3),
)
N = 4000
for dt in (np.float32, np.float64):
    x = np.random.default_rng(0).random((N, N)).astype(dt)
    y, z = x.copy(), np.empty_like(x)
    show(
        f"GEMM {N}^3 {dt.__name__} numpy/OpenBLAS, 2 threads",
        "GFLOP/s",
        2 * N**3,
        best(lambda: np.dot(x, y, out=z), 5),
    )
try:
    import torch

    torch.set_num_threads(2)
    for dt in (torch.float32, torch.float64):
        x = torch.rand(N, N, dtype=dt)
        show(
            f"GEMM {N}^3 {str(dt)[6:]} torch/MKL, 2 threads",
            "GFLOP/s",
            2 * N**3,
            best(lambda: x @ x, 5),
        )
except ImportError:
    pass
