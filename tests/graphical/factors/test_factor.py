"""The algebra of factors against NumPy, plain and in logarithms."""

import numpy as np
import pytest

from learnt.errors import InputError
from learnt.graphical import Factor
from learnt.graphical.factors.factor import product

SIZES = {"a": 2, "b": 3, "c": 4, "d": 1}


def random_factor(names, seed=0, logs=False, zeros=0.2):
    rng = np.random.default_rng([seed, *map(ord, names)])
    values = rng.random([SIZES[n] for n in names])
    values[rng.random(values.shape) < zeros] = 0
    with np.errstate(divide="ignore"):
        return Factor({n: range(SIZES[n]) for n in names}, np.log(values) if logs else values, logs=logs)


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("scopes", [("ab", "bc"), ("abc", "ca", "b"), ("a", "c"), ("dab", "d", "cb")])
def test_products_and_sums_are_those_of_einsum(scopes, logs):
    factors = [random_factor(s, logs=logs) for s in scopes]
    made = product(factors)
    assert made.logs == logs
    names = "".join(made.variables)
    plain = [f.exp().values for f in factors]
    np.testing.assert_allclose(made.exp().values, np.einsum(f"{','.join(scopes)}->{names}", *plain), atol=1e-14)
    for kept in (names, names[::-1], names[:1], ""):
        exact = np.einsum(f"{','.join(scopes)}->{kept}", *plain)
        np.testing.assert_allclose(made.marginal(*kept).exp().values, exact, atol=1e-13)
    np.testing.assert_allclose(np.exp(made.total()) if logs else made.total(), exact, rtol=1e-12)


@pytest.mark.parametrize("logs", [False, True])
def test_maxima_and_what_is_left_out(logs):
    factor = random_factor("abc", logs=logs)
    np.testing.assert_array_equal(factor.max_out("b").values, factor.values.max(axis=1))
    np.testing.assert_array_equal(factor.max_marginal("c", "a").values, factor.values.max(axis=1).T)
    np.testing.assert_allclose(factor.sum_out("a", "c").exp().values, factor.exp().values.sum(axis=(0, 2)))
    best = factor.argmax()
    assert factor[tuple(best[n] for n in "abc")] == factor.values.max()


def test_evidence_takes_the_entries_that_agree():
    factor = random_factor("abc")
    left = factor.reduce({"b": 2, "elsewhere": "x"})
    assert left.variables == ("a", "c")
    np.testing.assert_array_equal(left.values, factor.values[:, 2])
    left.values[:] = 0
    assert factor.values[:, 2].any()  # a copy
    np.testing.assert_array_equal(factor.transposed("c", "a", "b").values, factor.values.transpose(2, 0, 1))


def test_sums_of_logarithms_do_not_vanish():
    far = Factor({"a": "xy", "b": "xy"}, [[-2000.0, -2001.0], [-np.inf, -np.inf]], logs=True)
    assert far.total() == pytest.approx(-2000 + np.log1p(np.exp(-1)))
    np.testing.assert_allclose(far.sum_out("b").values, [far.total(), -np.inf])
    np.testing.assert_allclose(far.normalized().exp().values, [[1 / (1 + np.exp(-1)), 1 / (1 + np.e)], [0, 0]])


@pytest.mark.parametrize(
    ("states", "values", "words"),
    [
        ({"a": "xy"}, [1.0, 2.0, 3.0], "shape"),
        ({"a": "xy"}, [1.0, -2.0], "below 0"),
        ({"a": "xy"}, [1.0, np.nan], "missing"),
        ({"a": "xx"}, [1.0, 2.0], "twice"),
        ({"a": []}, [], "no states"),
        ({"": "xy"}, [1.0, 2.0], "not empty"),
    ],
)
def test_what_is_no_factor_is_refused(states, values, words):
    with pytest.raises(InputError, match=words):
        Factor(states, values)


def test_factors_that_disagree_about_states_are_not_multiplied():
    with pytest.raises(InputError, match="different states"):
        Factor({"a": "xy"}, [1, 2]) * Factor({"a": "yx"}, [1, 2])
    with pytest.raises(InputError, match="All entries"):
        Factor({"a": "xy"}, [0, 0]).normalized()
