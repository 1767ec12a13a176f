"""add_gram against zᵀ diag(w) z."""

import numpy as np
import pytest
from tests.kernels.layouts import SHAPES, layouts, normal, same_for_any_threads

from learnt import _core


def expected(x, y, weights, shift):
    p = x.shape[1]
    target = np.zeros(len(x)) if y is None else y - shift[p]
    z = np.column_stack([np.ones(len(x)), x.astype(np.float64) - shift[:p], target])
    w = np.ones(len(x)) if weights is None else weights
    return z.T @ (w[:, None] * z)


def gram(x, y=None, weights=None, shift=None, start=None):
    p = x.shape[1]
    g = np.zeros((p + 2, p + 2)) if start is None else start.copy()
    _core.add_gram(x, y, weights, np.zeros(p + 1) if shift is None else shift, g)
    return g


@pytest.mark.parametrize("shape", [*SHAPES, (300, 101), (5, 513), (600, 520)])
def test_cross_products_are_numpys_for_every_shape_and_layout(shape, dtype, level):
    y, shift, weights = (
        normal(shape[0], seed=1),
        normal(shape[1] + 1, seed=2),
        np.random.default_rng(3).random(shape[0]),
    )
    every = layouts(normal(shape, dtype))
    for x in every.values() if shape[1] < 500 else [every["row-major"], every["column-major"]]:
        for target, w in ((y, None), (None, weights), (y, weights)):
            found = gram(x, target, w, shift)
            np.testing.assert_allclose(found, expected(x, target, w, shift), rtol=1e-11, atol=1e-10)
            np.testing.assert_array_equal(found, found.T)


def test_products_are_added_to_what_is_there(level):
    x, y, shift = normal((40, 3)), normal(40, seed=1), np.arange(4.0)
    first, second = gram(x[:15], y[:15], None, shift), gram(x[15:], y[15:], None, shift)
    np.testing.assert_allclose(gram(x[15:], y[15:], None, shift, start=first), first + second, rtol=1e-13)
    np.testing.assert_allclose(first + second, gram(x, y, None, shift), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("columns", [3, 600])
def test_without_a_target_its_row_and_column_stay_even_if_cells_are_nan(columns, level):
    x = normal((20, columns))
    x[3, 1] = np.nan
    found = gram(x)
    assert (found[-1] == 0).all()
    assert (found[:, -1] == 0).all()
    assert np.isnan(found[2, 1:-1]).all()
    assert np.isfinite(np.delete(np.delete(found, 2, 0), 2, 1)).all()


def test_a_shift_near_the_mean_keeps_small_deviations_of_large_numbers(dtype, level):
    x = normal((5000, 3), np.float64, shift=0)
    far = (x + 4096).astype(dtype)
    shift = np.full(4, 4096.0)
    np.testing.assert_allclose(
        gram(far, None, None, shift)[1:4, 1:4],
        expected(far - dtype(4096), None, None, np.zeros(4))[1:4, 1:4],
        rtol=1e-12,
    )


def test_bits_do_not_depend_on_threads(dtype, level):
    x, y = normal((50_000, 13), dtype), normal(50_000, seed=1)
    same_for_any_threads(lambda: [gram(x, y)])
    wide = normal((700, 530), dtype)
    same_for_any_threads(lambda: [gram(wide)])


def test_wrong_shapes_are_refused_by_name():
    x = np.ones((4, 2))
    with pytest.raises(ValueError, match=r"'shift' has the length 2. Expected 3"):
        _core.add_gram(x, None, None, np.zeros(2), np.zeros((4, 4)))
    with pytest.raises(ValueError, match=r"'gram' is 3 × 4. Expected 4 × 4"):
        _core.add_gram(x, None, None, np.zeros(3), np.zeros((3, 4)))
    with pytest.raises(ValueError, match=r"'y' has the length 3. Expected 4"):
        _core.add_gram(x, np.ones(3), None, np.zeros(3), np.zeros((4, 4)))
    with pytest.raises(TypeError):
        _core.add_gram(x, None, None, np.zeros(3), np.zeros((4, 4), order="F"))
