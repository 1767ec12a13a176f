"""project_rows against (x − shift) @ weights."""

import numpy as np
import pytest
from tests.kernels.layouts import SHAPES, layouts, normal, same_for_any_threads

from learnt import _core


def scores(x, shift, weights):
    out = np.full((len(x), weights.shape[1]), np.nan)
    _core.project_rows(x, shift, weights, out)
    return out


@pytest.mark.parametrize("shape", [*SHAPES, (300, 101), (5, 513)])
@pytest.mark.parametrize("k", [1, 3, 8, 20, 25])
def test_scores_are_numpys_for_every_shape_and_layout(shape, k, dtype, level):
    shift, weights = normal(shape[1], seed=2), normal((shape[1], k), seed=3)
    for x in layouts(normal(shape, dtype)).values():
        expected = (x.astype(np.float64) - shift) @ weights
        np.testing.assert_allclose(scores(x, shift, weights), expected, rtol=1e-11, atol=1e-11)


def test_a_row_has_the_same_bits_wherever_it_stands(level):
    x, shift, weights = normal((1000, 37)), normal(37, seed=2), normal((37, 11), seed=3)
    same_for_any_threads(lambda: scores(x, shift, weights))
    whole = scores(x, shift, weights)
    for i in (0, 5, 511, 999):
        np.testing.assert_array_equal(scores(x[i : i + 1], shift, weights)[0], whole[i])


def test_a_missing_or_infinite_cell_shows_in_every_score_of_its_row(level):
    x, shift, weights = normal((50, 9)), np.zeros(9), normal((9, 5), seed=1)
    weights[4] = 0.0  # even where it does not count
    for cell in (np.nan, np.inf, -np.inf):
        x[17, 4] = cell
        found = np.isfinite(scores(x, shift, weights))
        assert not found[17].any()
        assert found[np.arange(50) != 17].all()


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="shift"):
        scores(normal((4, 3)), np.zeros(2), normal((3, 2)))
    with pytest.raises(ValueError, match="weights"):
        scores(normal((4, 3)), np.zeros(3), normal((2, 2)))
