import numpy as np
import pytest
from scipy.sparse import csr_matrix

from learnt import Table
from learnt.neural.inputs import NetInputs


def test_columns_become_numbers_indicators_and_codes(mixed_table):
    table = mixed_table[0]
    made = NetInputs.of(table, None, scaling=False, most=16)
    x, codes = made.encode(table)
    assert x.shape == (80, 2 + 1 + 3 + 1)  # x with its gaps, y, three towns, yes
    assert codes.shape == (80, 1)
    assert made.embedded == (3,)
    towns = np.array(table["town"].labels())
    np.testing.assert_array_equal(x[:, 3:6], np.column_stack([towns == t for t in table["town"].categories]))
    np.testing.assert_array_equal(x[:, 1], table["x"].missing)
    assert set(x[:, 6]) == {-1.0, 1.0}


def test_robust_scaling_takes_median_and_quartiles_and_pulls_in_what_lies_far_out():
    x = np.append(np.arange(1.0, 102.0), 1e150)[:, None]
    made = NetInputs.of(Table(x), None, scaling="robust", most=16)
    z = made.scaled(made.encode(Table(x))[0])[:, 0]
    q1, middle, q3 = np.quantile(x, [0.25, 0.5, 0.75])
    plain = (x[:-1, 0] - middle) / (q3 - q1)
    np.testing.assert_allclose(z[:-1], plain / np.sqrt(1 + (plain / 3) ** 2), rtol=1e-12)
    assert z[-1] == pytest.approx(3.0)


def test_weights_scale_as_copies_do(mixed_table):
    table = mixed_table[0]
    counts = np.random.default_rng(1).integers(1, 4, 80)
    for scaling in ("robust", True):
        weighted = NetInputs.of(table, counts.astype(float), scaling=scaling, most=16)
        copied = NetInputs.of(table.take(np.repeat(np.arange(80), counts)), None, scaling=scaling, most=16)
        np.testing.assert_allclose(weighted.center, copied.center, rtol=1e-12)
        np.testing.assert_allclose(weighted.scale, copied.scale, rtol=1e-12)


def test_columns_that_do_not_vary_have_no_inputs():
    table = Table({"a": [1.0, 2.0], "b": [5.0, 5.0], "c": ["x", "x"], "d": [None, None]})
    assert NetInputs.of(table, None, scaling="robust", most=16).n_dense == 1


def test_a_sparse_table_has_the_inputs_of_its_dense_twin():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 12)) * (rng.random((90, 12)) < np.linspace(0.02, 1, 12))
    x[3, 4] = x[5, 8] = np.nan
    x[:, 6] = 0
    for scaling in ("robust", True, False):
        one = NetInputs.of(Table(csr_matrix(x)), None, scaling=scaling, most=16)
        two = NetInputs.of(Table(x), None, scaling=scaling, most=16)
        for name in ("gaps", "idle", "center", "scale"):
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-12, atol=1e-12)
        encoded = one.encode(Table(csr_matrix(x)))[0]
        np.testing.assert_array_equal(encoded.toarray(), two.encode(Table(x))[0])
