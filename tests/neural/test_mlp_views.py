import numpy as np
import pytest

from learnt import MLPClassifier
from learnt.errors import ParameterError


@pytest.mark.parametrize("normalised", [False, True])
def test_weights_make_the_hidden_activations_and_the_scores(normalised):
    x = np.random.default_rng(0).normal(size=(60, 3))
    model = MLPClassifier(
        hidden_layer_sizes=(7, 4), activation="tanh", standardize=False, precision="double", max_iter=5,
        batch_normalization=normalised,
    ).fit(x, x[:, 0] > 0)  # fmt: skip
    a = x
    for layer in (1, 2):
        a = np.tanh(a @ model.coefs_[layer - 1] + model.intercepts_[layer - 1])
        np.testing.assert_allclose(model.hidden_activations(x, layer), a, rtol=1e-9, atol=1e-12)
    scores = a @ model.coefs_[2] + model.intercepts_[2]
    np.testing.assert_allclose(model.predict_proba(x)[:, 1], 1 / (1 + np.exp(-scores[:, 0])), rtol=1e-9)
    for layer in (0, 3, "1"):
        with pytest.raises(ParameterError, match="from 1 to 2"):
            model.hidden_activations(x, layer)


def test_a_net_without_hidden_layers_has_no_activations_to_show():
    x = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ParameterError, match="no hidden layers"):
        MLPClassifier(hidden_layer_sizes=(), max_iter=2).fit(x, [0, 1, 0, 1]).hidden_activations(x)
