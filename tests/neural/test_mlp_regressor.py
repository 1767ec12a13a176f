import numpy as np
import pytest

from learnt import MLPRegressor
from learnt.errors import InputError


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber"])
def test_a_bent_function_is_learnt(loss):
    x = np.linspace(-3, 3, 200)[:, None]
    y = 10 + 5 * np.sin(x[:, 0])
    model = MLPRegressor(loss=loss, dropout=0.0, max_iter=200).fit(x, y)
    assert model.score(x, y) > 0.98


def test_counts_are_rates():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 1))
    y = rng.poisson(np.exp(x[:, 0]))
    assert MLPRegressor(loss="poisson").fit(x, y).predict(x).min() > 0
    with pytest.raises(InputError, match="row 3"):
        MLPRegressor(loss="poisson").fit(np.arange(5.0)[:, None], [1.0, 2.0, 0.0, -1.0, 3.0])


def test_a_constant_target_is_predicted_exactly():
    assert MLPRegressor().fit([[1.0], [2.0], [4.0]], [7.0, 7.0, 7.0]).predict([[9.0]]).tolist() == [7.0]
