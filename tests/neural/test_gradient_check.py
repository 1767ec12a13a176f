"""Gradients against finite differences and against PyTorch, for all units and losses."""

import numpy as np
import pytest
from tests.neural.test_net import start

from learnt import MLPClassifier, MLPRegressor, Ridge, check_gradients
from learnt.errors import KindError
from learnt.neural.inputs import NetInputs
from learnt.neural.net import ACTIVATIONS, Net, NetRows

LOSSES = [("softmax", 3), ("logistic", 1), ("squared_error", 1), ("huber", 1), ("absolute_error", 1), ("poisson", 1),
          ("sigmoid_squared", 3)]  # fmt: skip


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("loss", "k"), LOSSES)
def test_gradients_are_finite_differences(mixed_table, activation, loss, k):
    inputs, net, rows = start(mixed_table, (20, 5, k), activation, loss)
    y = mixed_table[1] % max(k, 2) if loss in ("softmax", "logistic", "sigmoid_squared") else np.abs(mixed_table[2])
    w, y = np.random.default_rng(5).random(80), y.astype(float)
    gradient = net.gradient(inputs, rows, y, w)[1]
    for place in np.random.default_rng(6).choice(np.flatnonzero(net.used()), 15, replace=False):
        ends = []
        for side in (1e-6, -1e-6):
            moved = net.copy()
            moved.parameters[place] += side
            ends.append(moved.gradient(inputs, rows, y, w)[0])
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=2e-5, abs=2e-6)


@pytest.mark.parametrize("activation", ["relu", "gelu", "tanh", "sigmoid", "identity"])
@pytest.mark.parametrize("loss", ["softmax", "logistic", "squared_error", "poisson"])
def test_gradients_are_those_of_pytorch(activation, loss):
    torch = pytest.importorskip("torch", reason="PyTorch, of the extra bench, is not installed")
    from torch import nn

    from learnt import Table

    rng = np.random.default_rng(0)
    k = 4 if loss == "softmax" else 1
    x, y = rng.normal(size=(60, 5)), rng.integers(0, max(k, 2), 60)
    inputs = NetInputs.of(Table(x), None, scaling=False, most=16)
    net = Net.start(inputs, (18, 9, k), activation, loss, seed=3, dtype=np.float64)
    net.put_layer(2, rng.normal(size=(9, k)), rng.normal(size=k))
    unit = {
        "relu": nn.ReLU(),
        "gelu": nn.GELU("tanh"),
        "tanh": nn.Tanh(),
        "sigmoid": nn.Sigmoid(),
        "identity": nn.Identity(),
    }
    layers = []
    for weights, biases in net.layer_views():
        layers.append(nn.Linear(*weights.shape).double())
        layers[-1].weight.data = torch.tensor(weights.T.copy())
        layers[-1].bias.data = torch.tensor(biases.copy())
    scores = torch.tensor(x)
    for layer in layers[:-1]:
        scores = unit[activation](layer(scores))
    scores = layers[-1](scores)
    truth = torch.tensor(y if loss == "softmax" else y.astype(float)[:, None])
    lost = {"softmax": nn.CrossEntropyLoss(reduction="sum"), "logistic": nn.BCEWithLogitsLoss(reduction="sum"),
            "squared_error": lambda f, t: ((f - t) ** 2).sum() / 2,
            "poisson": nn.PoissonNLLLoss(log_input=True, full=False, reduction="sum")}[loss](scores, truth)  # fmt: skip
    lost.backward()
    value, gradient = net.gradient(inputs, NetRows(x, np.zeros((60, 0), np.int32)), y.astype(float), None)
    assert value == pytest.approx(lost.item(), rel=1e-12)
    for (weights, biases), layer in zip(net.layer_views(gradient), layers, strict=True):
        np.testing.assert_allclose(weights, layer.weight.grad.numpy().T, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(biases, layer.bias.grad.numpy(), rtol=1e-6, atol=1e-12)


def test_the_check_is_small_for_a_right_gradient_and_large_for_a_wrong_one(mixed_table, monkeypatch):
    table, classes, values = mixed_table
    for model, y in (
        (MLPClassifier(activation="tanh", max_iter=3), classes),
        (MLPRegressor(activation="gelu", max_iter=3), values),
    ):
        model.fit(table, y)
        found = check_gradients(model, table, y)
        assert found.error < 1e-7
        assert "apart" in repr(found)
    right = Net.gradient
    monkeypatch.setattr(Net, "gradient", lambda *a: (right(*a)[0], 1.1 * right(*a)[1]))
    assert check_gradients(model, table, y).error > 0.05


def test_others_have_no_net_to_check():
    with pytest.raises(KindError, match="Ridge"):
        check_gradients(Ridge(), [[1.0]], [1.0])
