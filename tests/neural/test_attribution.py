import numpy as np
import pytest

from learnt import LinearRegression, MLPClassifier, MLPRegressor


def test_parts_of_a_linear_net_are_those_of_least_squares():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    y = x @ [1.0, -2.0, 0.5] + 3
    net = MLPRegressor(hidden_layer_sizes=(), solver="lbfgs", alpha=0, standardize=True, tol=1e-9).fit(x, y)
    ours, theirs = net.explain(x)[0], LinearRegression().fit(x, y).explain(x)[0]
    assert ours.base == pytest.approx(theirs.base, abs=1e-5)
    for one, other in zip(ours.evidence, theirs.evidence, strict=True):
        assert one.contribution == pytest.approx(other.contribution, abs=1e-5)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_parts_add_up_within_the_tolerance_that_is_told(mixed_table, activation):
    table, classes, values = mixed_table
    for model in (
        MLPClassifier(activation=activation).fit(table, classes),
        MLPClassifier(activation=activation, loss="squared_error").fit(table, classes),
        MLPRegressor(activation=activation, loss="poisson").fit(table, np.abs(values)),
    ):
        for told in model.explain(table)[:4]:
            assert told.gap <= told.tolerance
            assert told.tolerance <= 1.001e-3 * max(sum(abs(e.contribution) for e in told.evidence), 1e-3) + told.gap
            assert told.add_up() == pytest.approx(told.total, rel=1e-9, abs=1e-9)
            assert "points" in str(told)


def test_the_average_row_has_no_parts():
    x = np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 2.0]])
    model = MLPRegressor(standardize=True).fit(x, [0.0, 1.0, 5.0])
    assert all(abs(e.contribution) < 1e-6 for e in model.explain(x[2:])[0].evidence)


def test_the_average_row_of_a_large_target_is_explained_by_few_points():
    x, y = np.ones((5, 1)), np.array([263315049.6, 585759310.6, 701068351.9, 398829552.8, 471426258.2])
    told = MLPRegressor(max_iter=5).fit(x, y).explain(x)[0]
    assert told.points == 64
    assert told.total == pytest.approx(told.base, rel=1e-8)
