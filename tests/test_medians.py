"""The geometric median: its optimality, and the edges of Weiszfeld's steps."""

import numpy as np
import pytest
from scipy.optimize import minimize

from learnt import geometric_median
from learnt.errors import ConvergenceWarning, InputError, ParameterError


def cost(x, w, y):
    return float((w * np.sqrt(((x - y) ** 2).sum(axis=1))).sum())


@pytest.mark.parametrize("seed", range(30))
def test_no_other_point_is_nearer_to_all(seed):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(2, 12), rng.integers(1, 5)
    x = rng.normal(size=(n, p)) if seed % 2 else rng.integers(0, 3, (n, p)).astype(float)
    w = rng.integers(1, 4, n).astype(float)
    y = geometric_median(x, w)
    searched = minimize(lambda q: cost(x, w, q), np.average(x, axis=0, weights=w), method="Nelder-Mead").fun
    assert cost(x, w, y) <= min(searched, *(cost(x, w, row) for row in x)) * (1 + 1e-9)


def test_forces_balance_where_it_is_no_point():
    x = np.random.default_rng(0).normal(size=(50, 3))
    y = geometric_median(x)
    force = ((x - y) / np.linalg.norm(x - y, axis=1)[:, None]).sum(axis=0)
    assert np.abs(force).max() < 1e-7


def test_a_heavy_point_is_the_answer_exactly():
    x = [[0.1, 0.7], [3.0, 4.0], [-5.0, 2.0]]
    assert geometric_median(x, [2.0, 1.0, 1.0]).tolist() == x[0]
    assert geometric_median([*x, x[0]]).tolist() == x[0]  # twice is a weight of two


def test_a_step_that_lands_on_a_point_goes_on():
    # The mean, where the steps begin, is the point (0, 0), which is not the answer.
    x = np.array([[0.0, 0.0], [4.0, 0.0], [1.0, 2.0], [-5.0, -2.0], [0.0, 1.0], [0.0, -1.0]])
    w = np.array([0.01, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert np.allclose(np.average(x, axis=0, weights=w), 0)
    y = geometric_median(x, w)
    best = minimize(lambda q: cost(x, w, q), [0.1, 0.1], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13})
    assert cost(x, w, y) <= best.fun * (1 + 1e-10)


def test_on_a_line_it_is_the_median_along_it():
    t = np.array([0.0, 1.0, 2.0, 10.0])
    line = t[:, None] * [3.0, -1.0] + [5.0, 5.0]
    np.testing.assert_allclose(geometric_median(line), 1.5 * np.array([3.0, -1.0]) + 5)
    np.testing.assert_allclose(geometric_median(line[:3]), line[1])
    np.testing.assert_allclose(geometric_median(line, [1, 1, 1, 4]), line[3])
    assert geometric_median([1.0, 2.0, 3.0, 10.0]).tolist() == [2.5]


def test_one_point_and_equal_points_are_their_own_median():
    assert geometric_median([[7.0, 8.0]]).tolist() == [7.0, 8.0]
    assert geometric_median([[7.0, 8.0]] * 5).tolist() == [7.0, 8.0]


def test_an_outlier_hardly_moves_it():
    x = np.random.default_rng(1).normal(size=(100, 2))
    far = np.vstack([x, [[1e9, 1e9]]])
    assert np.abs(geometric_median(far) - geometric_median(x)).max() < 0.1


def test_units_and_offsets_do_not_matter():
    x = np.random.default_rng(2).normal(size=(30, 2))
    np.testing.assert_allclose(geometric_median(x * 1e150), geometric_median(x) * 1e150, rtol=1e-6)
    np.testing.assert_allclose(geometric_median(x + 1e6) - 1e6, geometric_median(x), atol=1e-6)


def test_weights_of_zero_are_no_points():
    x = np.random.default_rng(3).normal(size=(20, 2))
    some = np.arange(20) % 3 > 0
    np.testing.assert_array_equal(geometric_median(x, some.astype(float)), geometric_median(x[some]))


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="Point 1 has nan"):
        geometric_median([[0.0], [np.nan]])
    with pytest.raises(InputError, match="one above 0"):
        geometric_median([[0.0], [1.0]], [0.0, 0.0])
    with pytest.raises(InputError, match="at least one point"):
        geometric_median(np.empty((0, 2)))
    with pytest.raises(ParameterError, match="max_iter"):
        geometric_median([[0.0], [1.0]], max_iter=0)


def test_too_few_steps_are_told():
    with pytest.warns(ConvergenceWarning, match="after 1 steps"):
        geometric_median(np.random.default_rng(4).normal(size=(30, 2)), max_iter=1)
