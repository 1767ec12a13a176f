"""Noise of measurement widens what is predicted from, and only columns of numbers can have it."""

import numpy as np
import pytest
from scipy.stats import norm

from learnt import DiscriminantClassifier
from learnt.bayes.discriminant.noise import Noise, noise_by_column
from learnt.data.table import Table
from learnt.errors import ParameterError

TABLE = Table({"length": [1.0, 2.0, 3.0], "colour": ["red", "blue", "red"], "mass": [4.0, 5.0, 6.5]})


@pytest.mark.parametrize("value", [None, {"a": 0}, {"a": 0.5, "b": 2}])
def test_none_and_variances_by_name_are_in_the_domain(value):
    assert value in Noise()


@pytest.mark.parametrize("value", [{}, 0.5, {"a": -1}, {"a": float("nan")}, {"a": "little"}, ["a"]])
def test_anything_else_is_not(value):
    assert value not in Noise()


def test_each_column_has_its_own_and_the_others_none():
    assert noise_by_column({"mass": 0.25}, TABLE.schema).tolist() == [0, 0, 0.25]
    assert noise_by_column(None, TABLE.schema).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("name", "words"), [("masss", "no column 'masss'"), ("colour", "which is nominal")])
def test_noise_of_no_column_and_of_labels_is_refused(name, words):
    with pytest.raises(ParameterError, match=words):
        noise_by_column({name: 1.0}, TABLE.schema)


def test_rows_to_predict_vary_by_the_noise_besides():
    """Their class is that of two Gaussians whose variance is the fitted one and the noise, by SciPy."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    x = 2 * y + rng.normal(size=300)
    model = DiscriminantClassifier(noise={"x": 0.75}).fit({"x": x}, y)
    spread = np.sqrt(np.ravel(model.covariance_)[0] + 0.75)
    new = np.array([-1.0, 0.5, 1.0, 3.0])
    densities = np.bincount(y) * norm.pdf(new[:, None], np.ravel(model.means_), spread)
    expected = densities / densities.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba({"x": new}), expected)
