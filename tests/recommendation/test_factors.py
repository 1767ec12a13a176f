"""Padded factors, sums over a side, ratings of pairs."""

import numpy as np
import pytest

from learnt.recommendation.factors import SideFactors, WholeSums, rate_pairs


@pytest.fixture(params=[(3, True, np.float64), (20, False, np.float32), (70, True, np.float32)], ids=str)
def sides(request):
    rank, biases, real = request.param
    rng = np.random.default_rng(0)
    made = []
    for n in (50, 2100):
        bias = rng.normal(size=n).astype(real) if biases else None
        made.append(SideFactors.of(rng.normal(size=(n, rank)).astype(real), bias))
    return made


def test_padding_is_nothing_and_comes_off_again(sides):
    x = sides[0]
    assert x.vectors.shape[1] % 16 == 0
    assert (x.vectors[:, x.rank :] == 0).all()
    assert x.plain.shape == (50, x.rank)
    assert x.augmented().shape == (50, x.rank + (x.bias is not None))
    wanted = (x.plain.astype(float) ** 2).sum(axis=1) + (0 if x.bias is None else x.bias.astype(float) ** 2)
    np.testing.assert_allclose(x.squares(), wanted, rtol=1e-6)


def test_sums_over_a_side_are_those_of_numpy(sides):
    y = sides[1]
    sums = WholeSums.of(y)
    v = y.vectors.astype(float)
    o = np.zeros(len(v)) if y.bias is None else y.bias.astype(float)
    rows = np.column_stack([v, np.ones(len(v))])
    np.testing.assert_allclose(sums.gram, v.T @ v, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(sums.sums, rows.sum(axis=0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sums.pull, o @ rows, rtol=1e-9, atol=1e-9)
    assert sums.square == pytest.approx(o @ o)


def test_ratings_of_pairs_leave_out_what_is_unknown(sides):
    x, y = sides
    found = rate_pairs(np.array([3, -1, 4, -1]), np.array([7, 8, -1, -1]), x, y)
    b, c = (np.zeros(2100) if side.bias is None else side.bias for side in sides)
    wanted = [b[3] + c[7] + x.plain[3] @ y.plain[7], c[8], b[4], 0]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
