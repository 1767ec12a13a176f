"""The mixed kernel's values, sums by cluster and cosines against a line of NumPy, on odd shapes."""

import numpy as np
import pytest

from learnt import _core

MISSING = 2.0**31


def mixed(numbers=0, codes=0, gapped_numbers=0, gapped_codes=0, gamma=0.3):
    return _core.Kernel(
        kind="mixed",
        gamma=gamma,
        constant=0.0,
        degree=3,
        numbers=numbers,
        codes=codes,
        gapped_numbers=gapped_numbers,
        gapped_codes=gapped_codes,
    )


def rows(n, counts, seed):
    """Numbers, numbers with gaps, codes, codes with gaps; missing cells have one average per column."""
    rng, columns = np.random.default_rng(seed), []
    numbers, codes, gapped_numbers, gapped_codes = counts
    columns += [rng.normal(size=n) for _ in range(numbers)]
    for column in range(gapped_numbers + gapped_codes):
        if column == gapped_numbers:
            columns += [rng.integers(3, size=n).astype(float) for _ in range(codes)]
        cells = rng.normal(size=n) if column < gapped_numbers else rng.integers(3, size=n).astype(float)
        gaps = rng.random(n) < 0.4
        columns += [np.where(gaps, MISSING, cells), np.where(gaps, 0.7 + column, rng.random(n))]
    if not gapped_codes:
        columns += [rng.integers(3, size=n).astype(float) for _ in range(codes)]
    return np.ascontiguousarray(np.column_stack(columns)) if columns else np.zeros((n, 0))


def distance(x, y, counts):
    numbers, codes, gapped_numbers, gapped_codes = counts
    total, at = 0.0, 0
    for paired, labels, count in (
        (False, False, numbers),
        (True, False, gapped_numbers),
        (False, True, codes),
        (True, True, gapped_codes),
    ):
        for _ in range(count):
            d = 2.0 * (x[at] != y[at]) if labels else (x[at] - y[at]) ** 2
            if paired and x[at] == MISSING:
                d = y[at + 1]
            elif paired and y[at] == MISSING:
                d = x[at + 1]
            total, at = total + d, at + 1 + paired
    return total


@pytest.mark.parametrize("counts", [(3, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (0, 0, 0, 1), (2, 1, 1, 2), (0, 0, 0, 0)])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (17, 5), (16, 33), (0, 3)])
def test_mixed_values_are_those_of_the_definition(counts, n, m, level):
    x, y = rows(n, counts, 1), rows(m, counts, 2)
    kernel, out = mixed(*counts), np.empty((m, n))
    _core.kernel_values(kernel, x, y, out)
    expected = np.exp([[-0.3 * distance(q, r, counts) for r in x] for q in y]).reshape(m, n)
    np.testing.assert_allclose(out, expected, rtol=1e-13)
    weights, sums = np.random.default_rng(3).normal(size=(m, 2)), np.ones((n, 2))
    _core.add_kernel_sums(kernel, x, y, weights, sums)
    np.testing.assert_allclose(sums, 1 + expected.T @ weights, rtol=1e-12, atol=1e-13)


def test_columns_that_do_not_add_up_are_refused():
    x = np.zeros((2, 3))
    for counts in ((2, 0, 0, 0), (1, 1, 1, 0), (-1, 4, 0, 0), (3, 0, 2**62, -(2**62)), (3, 0, 2**63 - 1, 1)):
        with pytest.raises(ValueError, match="not those of the columns"):
            _core.kernel_values(mixed(*counts), x, x, np.empty((2, 2)))
    csr = np.zeros(0), np.zeros(0, np.int32), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="dense rows"):
        _core.kernel_values_csr(mixed(3), *csr, *csr, 3, np.empty((0, 0)))


@pytest.mark.parametrize(("n", "m", "k"), [(1, 1, 1), (19, 40, 3), (0, 4, 2), (4, 0, 2)])
def test_sums_by_label_are_a_product(n, m, k):
    rng = np.random.default_rng(0)
    gram, labels, weights = rng.normal(size=(n, m)), rng.integers(k, size=m).astype(np.int32), rng.random(m)
    sums = np.ones((n, k))
    _core.add_label_sums(gram, labels, weights, sums)
    np.testing.assert_allclose(sums, 1 + (gram * weights) @ (labels[:, None] == np.arange(k)), rtol=1e-12)
    if m:
        with pytest.raises(ValueError, match="not a column of sums"):
            _core.add_label_sums(gram, labels + np.int32(k), weights, sums)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (5, 17), (70, 8)])
def test_cosines_are_numpys(shape, level):
    x, phase = np.random.default_rng(0).normal(size=shape) * 100, np.linspace(-3, 3, shape[1])
    values = x.copy()
    _core.turn_to_cosines(values, phase, 0.25)
    np.testing.assert_allclose(values, 0.25 * np.cos(x + phase), atol=1e-15)
