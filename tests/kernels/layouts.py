"""The same numbers in memory in many ways."""

import numpy as np

SHAPES = [(0, 3), (1, 1), (1, 40), (5, 2), (17, 17), (33, 9), (130, 8), (1000, 1), (1001, 23), (3000, 5)]


def normal(shape, dtype=np.float64, seed=0, shift=0.0):
    return (np.random.default_rng(seed).normal(size=shape) + shift).astype(dtype)


def layouts(x):
    """x itself, and views with other strides. Some are of other cells: compare with what NumPy says of each."""
    spaced = np.zeros((x.shape[0] * 2 + 1, x.shape[1] * 2 + 1), x.dtype)
    spaced[1::2, 1::2] = x
    return {
        "row-major": np.ascontiguousarray(x),
        "column-major": np.asfortranarray(x),
        "rows reversed": np.ascontiguousarray(x[::-1])[::-1],
        "columns reversed": np.ascontiguousarray(x[:, ::-1])[:, ::-1],
        "every other cell": spaced[1::2, 1::2],
        "part of the columns": np.hstack([x, x])[:, : x.shape[1]],
        "part of the rows, column-major": np.asfortranarray(np.vstack([x, x]))[: x.shape[0]],
        "one row repeated": np.broadcast_to(x[:1], x.shape) if len(x) else x,
        "one column repeated": np.broadcast_to(x[:, :1], x.shape),
    }


def read_only(x):
    y = x.copy()
    y.flags.writeable = False
    return y


def same_for_any_threads(run):
    """Run with 1, 2 and 5 threads: all outputs have the same bits."""
    from learnt import _core

    results = []
    for n in (1, 2, 5):
        _core.set_threads(n)
        results.append([np.asarray(part).tobytes() for part in run()])
    assert results[0] == results[1] == results[2]
