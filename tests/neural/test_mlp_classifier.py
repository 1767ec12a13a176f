import numpy as np
import pytest

from learnt import MLPClassifier, datasets

XOR = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}


def test_xor_is_learnt_from_twenty_of_twenty_seeds():
    y = ["same", "other", "other", "same"]
    right = [MLPClassifier(random_state=seed).fit(XOR, y).predict(XOR).tolist() == y for seed in range(20)]
    assert sum(right) == 20


@pytest.mark.parametrize("activation", ["gelu", "tanh", "sigmoid"])
def test_a_small_net_of_any_unit_learns_xor_from_all_rows_at_once(activation):
    y = ["same", "other", "other", "same"]
    small = {"hidden_layer_sizes": (8,), "activation": activation, "solver": "lbfgs"}
    assert all(MLPClassifier(**small, random_state=seed).fit(XOR, y).predict(XOR).tolist() == y for seed in range(20))


def test_class_weights_count_rows():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    weighted = MLPClassifier(class_weight={1: 3.0}, max_iter=10).fit(x, y).predict_proba(x)
    copied = MLPClassifier(max_iter=10).fit(x, y, sample_weight=np.where(y == 1, 3.0, 1.0)).predict_proba(x)
    np.testing.assert_array_equal(weighted, copied)


def test_smoothed_labels_keep_probabilities_from_the_ends():
    y = ["same", "other", "other", "same"]
    assert MLPClassifier(label_smoothing=0.2, alpha=0.0).fit(XOR, y).predict_proba(XOR).max() < 0.95


def test_one_class_is_always_answered():
    model = MLPClassifier().fit(XOR, ["only"] * 4)
    assert model.predict(XOR).tolist() == ["only"] * 4
    why = model.explain(XOR)[0]
    assert (why.total, why.gap, why.tolerance, why.points) == (0, 0, 0, 0)


def test_squared_error_of_sigmoid_units_learns_too():
    table = datasets.load("iris")
    assert MLPClassifier(loss="squared_error").fit(table).score(table) > 0.95


@pytest.mark.parametrize("activation", ["relu", "gelu", "tanh", "sigmoid"])
def test_all_units_learn(activation):
    table = datasets.load("iris")
    assert MLPClassifier(activation=activation, learning_rate_init=0.02).fit(table).score(table) > 0.95
