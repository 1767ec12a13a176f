import numpy as np
import pytest

from learnt import MLPClassifier, MLPRegressor
from learnt.errors import ParameterError


@pytest.mark.parametrize(("sizes", "hidden"), [(5, (5,)), ((3, 2), (3, 2)), ([4], (4,)), ((), ())])
def test_sizes_of_hidden_layers_may_be_said_in_several_ways(sizes, hidden):
    assert MLPClassifier(hidden_layer_sizes=sizes)._hidden() == hidden


def test_other_sizes_are_refused():
    for sizes in (0, (3, 0), "5", 2.5):
        with pytest.raises(ParameterError, match="hidden_layer_sizes"):
            MLPClassifier(hidden_layer_sizes=sizes).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.filterwarnings("ignore::learnt.errors.ConvergenceWarning")
@pytest.mark.parametrize(("solver", "alpha"), [("adamw", 0.1), ("adam", 0.0005), ("lbfgs", 0.0005)])
def test_weight_decay_left_to_the_net_suits_its_solver(solver, alpha):
    x = np.random.default_rng(0).normal(size=(300, 2))
    y = np.sin(2 * x[:, 0]) + x[:, 1] ** 2
    chosen = MLPRegressor(solver=solver).fit(x[:200], y[:200])
    said = MLPRegressor(solver=solver, alpha=alpha).fit(x[:200], y[:200])
    np.testing.assert_array_equal(chosen.predict(x), said.predict(x))
    assert chosen.score(x[200:], y[200:]) > 0.75
