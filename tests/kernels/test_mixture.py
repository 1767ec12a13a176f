"""Rounds of EM against a few lines of NumPy."""

import numpy as np
import pytest
from scipy.special import logsumexp
from tests.kernels.layouts import SHAPES, layouts, normal, read_only, same_for_any_threads

from learnt import _core


def parts(p, k, g, seed=3):
    rng = np.random.default_rng(seed)
    return {
        "shift": rng.normal(size=p),
        "scale": rng.uniform(0.5, 2, p),
        "mean": rng.normal(size=(k, p)),
        "roots": np.tril(rng.normal(size=(g, p, p)) / max(p, 1) ** 0.5),
        "offset": rng.normal(size=k),
    }


def answers(n, k):
    return np.empty(n), np.empty((n, k)), np.empty(n, np.int32)


def full(x, weights, given):
    n, (k, p) = len(x), given["mean"].shape
    out, sums = answers(n, k), np.zeros((k, p + 1, p + 1))
    total = _core.full_mixture_round(x, weights, *given.values(), *out, sums)
    return total, *out, np.tril(sums)


def shared_out(l, w):
    log_p = logsumexp(l, axis=1)
    r = np.exp(l - log_p[:, None])
    return (w * log_p).sum(), log_p, r, r.argmax(axis=1) if len(l) else np.zeros(0, int)


def expected_full(x, weights, given):
    d = ((x.astype(float) - given["shift"]) * given["scale"])[:, None] - given["mean"]
    roots = np.broadcast_to(given["roots"], (len(given["mean"]), *given["roots"].shape[1:]))
    w = np.ones(len(x)) if weights is None else weights
    l = given["offset"] - 0.5 * (np.einsum("cij,ncj->nci", roots, d) ** 2).sum(axis=2)
    total, log_p, r, labels = shared_out(l, w)
    one = np.concatenate([d, np.ones((*d.shape[:2], 1))], axis=2)
    return total, log_p, r, labels, np.tril(np.einsum("n,nc,nci,ncj->cij", w, r, one, one))


def compare(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_full_rounds_are_numpys_for_every_shape_and_layout(shape, dtype, level):
    n, p = shape
    weights = np.random.default_rng(1).random(n)
    for at, x in enumerate(layouts(normal(shape, dtype)).values()):
        k = (1, 3, 10)[at % 3]
        given = parts(p, k, (1, k)[at % 2])
        compare(full(x, weights if at % 2 else None, given), expected_full(x, weights if at % 2 else None, given))


def test_a_component_far_away_adds_nothing_and_harms_nothing(level):
    x, given = normal((300, 4)), parts(4, 3, 3)
    given["mean"][1] = 1e6
    given["mean"][2] = 1e170  # whose squared distance overflows
    found = full(x, None, given)
    assert np.isfinite(found[1]).all()
    assert (found[4][1:] == 0).all()
    np.testing.assert_allclose(found[4][0][4, 4], 300)


def test_rounds_have_the_same_bits_for_any_number_of_threads(dtype):
    x, given = normal((20_000, 6), dtype), parts(6, 5, 5)
    same_for_any_threads(lambda: full(x, None, given))
    x[::7, 2] = np.nan
    same_for_any_threads(lambda: columns(x, codes_of(20_000), None, curves(6, 5)))


def test_a_row_has_the_same_bits_alone_and_among_others(dtype, level):
    x, given = normal((200, 7), dtype), parts(7, 4, 4)
    whole = full(x, None, given)
    for i in (0, 63, 128, 199):
        alone = full(x[i : i + 1], None, given)
        assert alone[1].tobytes() == whole[1][i : i + 1].tobytes()
        assert alone[2].tobytes() == whole[2][i : i + 1].tobytes()


def curves(p, k, seed=4):
    rng = np.random.default_rng(seed)
    return {
        "shift": rng.normal(size=p),
        "scale": rng.uniform(0.5, 2, p),
        "mean": rng.normal(size=(k, p)),
        "variance": rng.uniform(0.5, 2, (k, p)),
        "blur": 0.01,
        "levels": np.array([3, 2]),
        "tables": rng.normal(size=(5, k)),
        "offset": rng.normal(size=k),
    }


def codes_of(n):
    return np.random.default_rng(9).integers(-1, 4, (n, 2)).astype(np.int32)


def columns(x, codes, weights, given):
    n, (k, p) = len(x), given["mean"].shape
    out, sums = answers(n, k), (np.zeros(k), np.zeros((3, p, k)), np.zeros((5, k)))
    total = _core.column_mixture_round(x, codes, weights, *given.values(), *out, *sums)
    return total, *out, *sums


def expected_columns(x, codes, weights, given):
    d = ((x.astype(float) - given["shift"]) * given["scale"])[:, None] - given["mean"]
    v, w = given["variance"], np.ones(len(x)) if weights is None else weights
    l = given["offset"] - 0.5 * np.nansum(np.log(2 * np.pi * v) + (d**2 + given["blur"]) / v, axis=2)
    known = [(codes[:, m] >= 0) & (codes[:, m] < given["levels"][m]) for m in range(2)]
    for m, start in enumerate((0, 3)):
        l[known[m]] += given["tables"][start + codes[known[m], m]]
    total, log_p, r, labels = shared_out(l, w)
    share, there = r * w[:, None], ~np.isnan(x)
    counts = np.zeros((5, len(given["mean"])))
    for m, start in enumerate((0, 3)):
        np.add.at(counts, start + codes[known[m], m], share[known[m]])
    d = np.nan_to_num(d)
    moments = np.stack([np.einsum("nc,nj,ncj->jc", share, there, d**power) for power in range(3)])
    return total, log_p, r, labels, share.sum(axis=0), moments, counts


@pytest.mark.parametrize("shape", SHAPES)
def test_column_rounds_are_numpys_for_every_shape_and_layout(shape, dtype, level):
    n, p = shape
    weights, codes = np.random.default_rng(1).random(n), codes_of(n)
    x = normal(shape, dtype)
    x[np.random.default_rng(2).random(shape) < 0.2] = np.nan
    for at, view in enumerate(layouts(x).values()):
        given = curves(p, (1, 3, 10)[at % 3])
        w = weights if at % 2 else None
        compare(columns(view, codes, w, given), expected_columns(view, codes, w, given))


def test_sums_are_updated_and_nothing_is_written_to_the_rows():
    x, given = read_only(normal((50, 3))), parts(3, 2, 2)
    once, sums = full(x, None, given)[4], np.ones((2, 4, 4))
    _core.full_mixture_round(x, None, *given.values(), None, None, None, sums)
    np.testing.assert_allclose(np.tril(sums - 1), once, atol=1e-9)


def test_arrays_that_do_not_fit_are_refused():
    x, given = normal((50, 3)), parts(3, 2, 2)
    for name, wrong in (
        ("roots", np.zeros((3, 3, 3))),
        ("roots", np.zeros((2, 2, 3))),
        ("mean", np.zeros((2, 4))),
        ("offset", np.zeros(0)),
        ("shift", np.zeros(2)),
    ):
        with pytest.raises(ValueError, match="Expected"):
            full(x, None, parts(3, 2, 2) | {name: wrong} if name != "mean" else given | {name: wrong})
    with pytest.raises(ValueError, match="come together"):
        _core.column_mixture_round(
            x, codes_of(50), None, *curves(3, 2).values(), None, None, None, np.zeros(2), None, None
        )
    with pytest.raises(ValueError, match="below 0"):
        columns(x, codes_of(50), None, curves(3, 2) | {"levels": np.array([-1, 6])})
