"""The same question put to scikit-learn: equal numbers, NaN for NaN, an error for an error."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from learnt.errors import LearntError

#: Labels of every sort: two and more classes each.
POOLS: tuple[tuple[Any, ...], ...] = (
    (0, 1),
    (-1, 1),
    (0, 1, 2),
    (7, -3, 1000000, 2),
    (False, True),
    (0.0, 1.0),
    (2.0, 4.0, 1.0),
    ("no", "yes"),
    ("b", "a", "ähnlich", "a longer label"),
)


def same_as_peer(ours, theirs, *args, rtol: float = 1e-12, **kwargs) -> None:
    """Fail unless both give the same numbers, or both refuse. Rows without any weight are always refused here, where
    scikit-learn sometimes looks at the labels first."""
    weight = kwargs.get("sample_weight")
    if weight is not None and not weight.any():
        with warnings.catch_warnings(action="ignore"), pytest.raises(LearntError):
            ours(*args, **kwargs)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            try:
                expected = theirs(*args, **kwargs)
            except (ValueError, TypeError, ZeroDivisionError, NotImplementedError):
                with pytest.raises(LearntError) as refused:
                    ours(*args, **kwargs)
                assert str(refused.value).endswith(".")
                return
        found = ours(*args, **kwargs)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        pairs = zip(found, expected, strict=True)
    else:
        pairs = [(found, expected)]
    for a, b in pairs:
        if b is None:
            assert a is None
            continue
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=rtol, atol=rtol)


@st.composite
def labelled(draw, pools=POOLS, most=14):
    """Truth, answer and weights: few rows, so that absent classes, ties and single rows are common."""
    pool = draw(st.sampled_from(pools))
    n = draw(st.integers(1, most))
    part = draw(st.sampled_from([pool, pool, pool[:1], pool[-1:]]))
    truth = draw(st.lists(st.sampled_from(part), min_size=n, max_size=n))
    answer = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
    return np.array(truth), np.array(answer), draw(weights(n))


def weights(n: int):
    """None, whole or dyadic weights, whose sums are exact in any order; zeros among them."""
    whole = st.lists(st.integers(0, 3), min_size=n, max_size=n).map(lambda w: np.array(w))
    parts = st.lists(st.integers(0, 9), min_size=n, max_size=n).map(lambda w: np.array(w) / 8)
    return st.one_of(st.none(), whole, parts)


@st.composite
def scored(draw, most=14):
    """Truth of two classes, scores with many ties, weights."""
    pool = draw(st.sampled_from([p for p in POOLS if len(p) == 2]))
    n = draw(st.integers(1, most))
    part = draw(st.sampled_from([pool, pool, pool, pool[:1], pool[-1:]]))
    truth = draw(st.lists(st.sampled_from(part), min_size=n, max_size=n))
    levels = draw(st.sampled_from([1, 3, 40]))
    score = draw(st.lists(st.integers(0, levels), min_size=n, max_size=n))
    return np.array(truth), np.array(score) / levels, draw(weights(n))


@st.composite
def shared_out(draw, most=12):
    """Truth of three or four classes and probabilities with zeros, ones and ties; not every class need be there."""
    pool = draw(st.sampled_from([p for p in POOLS if len(p) > 2]))
    classes = sorted(pool)
    n = draw(st.integers(1, most))
    part = draw(st.sampled_from([pool, pool, pool, pool[:2], pool[:1]]))
    truth = draw(st.lists(st.sampled_from(part), min_size=n, max_size=n))
    counts = st.lists(st.integers(0, 4), min_size=len(pool), max_size=len(pool)).filter(any)
    p = np.array(draw(st.lists(counts, min_size=n, max_size=n)), dtype=float)
    p /= p.sum(axis=1, keepdims=True)
    return np.array(truth), p, draw(weights(n)), np.array(classes)


@st.composite
def numbers(draw, most=14, positive=False):
    """Truth and answer as numbers, constant ones among them, and weights."""
    n = draw(st.integers(1, most))
    value = st.integers(1 if positive else -20, 20).map(lambda v: v / 4)
    truth = draw(st.one_of(st.lists(value, min_size=n, max_size=n), value.map(lambda v: [v] * n)))
    answer = draw(st.one_of(st.lists(value, min_size=n, max_size=n), value.map(lambda v: [v] * n), st.just(truth)))
    return np.array(truth), np.array(answer), draw(weights(n))
