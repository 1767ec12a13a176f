"""Gradients against finite differences and against PyTorch, for all layers, units, losses, and weights of rows."""

import numpy as np
import pytest
from tests.neural.test_net import start

from learnt import MLPClassifier, MLPRegressor, Ridge, check_gradients
from learnt.errors import KindError
from learnt.neural.net import ACTIVATIONS, Net

LOSSES = [("softmax", 3), ("logistic", 1), ("squared_error", 1), ("huber", 1), ("absolute_error", 1), ("poisson", 1),
          ("sigmoid_squared", 3)]  # fmt: skip


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("loss", "k"), LOSSES)
def test_gradients_are_finite_differences(mixed_table, activation, loss, k):
    inputs, net, rows = start(mixed_table, (20, 5, k), activation, loss)
    y = mixed_table[1] % max(k, 2) if loss in ("softmax", "logistic", "sigmoid_squared") else np.abs(mixed_table[2])
    w, y = np.random.default_rng(5).random(80), y.astype(float)
    gradient = net.gradient(inputs, rows, y, w)[1]
    largest = np.abs(gradient).max()
    for place in np.random.default_rng(6).choice(np.flatnonzero(net.used()), 15, replace=False):
        ends = []
        for side in (1e-6, -1e-6):
            moved = net.copy()
            moved.parameters[place] += side
            ends.append(moved.gradient(inputs, rows, y, w)[0])
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-6 * largest)


@pytest.fixture(scope="module")
def torch():
    """PyTorch on one thread: these nets are small."""
    torch = pytest.importorskip("torch", reason="PyTorch, of the extra bench, is not installed")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(before)


def by_pytorch(torch, net, inputs, rows, y, w):
    """Σ w L of a net, and its weights, biases and embeddings as tensors that know their gradients."""
    functional = torch.nn.functional
    layers = [[torch.tensor(part, requires_grad=True) for part in layer] for layer in net.layer_views()]
    tables = [torch.tensor(table.copy(), requires_grad=True) for table in net.embeddings()]
    a = torch.zeros(len(y), net.n_inputs, dtype=torch.double)
    a[:, : net.dense] = torch.tensor(inputs.scaled(rows.x))
    at = net.embedded_from
    for e, table in enumerate(tables):
        known = np.flatnonzero(rows.codes[:, e] >= 0)
        a[known, at : at + table.shape[1]] = table[rows.codes[known, e]]
        at += table.shape[1]
    unit = {"relu": torch.relu, "gelu": lambda z: functional.gelu(z, approximate="tanh"), "tanh": torch.tanh,
            "sigmoid": torch.sigmoid, "identity": lambda z: z}[net.activation]  # fmt: skip
    for weights, biases in layers[:-1]:
        a = unit(a @ weights + biases)
    f = a @ layers[-1][0] + layers[-1][1]
    t, one, k = torch.tensor(y), f[:, 0], f.shape[1]
    targets = t[:, None] if k == 1 else functional.one_hot(t.long(), k).double()
    losses = {
        "softmax": lambda: functional.cross_entropy(f, t.long(), reduction="none", label_smoothing=net.smoothing),
        "logistic": lambda: functional.binary_cross_entropy_with_logits(
            one, (1 - net.smoothing) * t + net.smoothing / 2, reduction="none"
        ),
        "squared_error": lambda: functional.mse_loss(one, t, reduction="none") / 2,
        "absolute_error": lambda: functional.l1_loss(one, t, reduction="none"),
        "huber": lambda: functional.huber_loss(one, t, reduction="none"),
        "poisson": lambda: functional.poisson_nll_loss(one, t, reduction="none"),
        "sigmoid_squared": lambda: functional.mse_loss(f.sigmoid(), targets, reduction="none").sum(dim=1) / 2,
    }[net.loss]()
    return (losses * torch.tensor(w)).sum(), layers, tables


@pytest.mark.parametrize(("activation", "depth"), [*((activation, 3) for activation in ACTIVATIONS), ("relu", 0)])
@pytest.mark.parametrize(("loss", "k"), [*LOSSES, ("sigmoid_squared", 1)])
def test_gradients_are_those_of_pytorch(mixed_table, activation, loss, k, depth, torch):
    smoothing = 0.1 if loss in ("softmax", "logistic") else 0.0
    inputs, net, rows = start(mixed_table, (*(18, 9, 7)[:depth], k), activation, loss)
    net = net.copy(smoothing=smoothing)
    of_classes = loss in ("softmax", "logistic", "sigmoid_squared")
    y = (mixed_table[1] % max(k, 2) if of_classes else np.abs(mixed_table[2])).astype(float)
    w = np.random.default_rng(5).uniform(0, 3, 80)
    lost, layers, tables = by_pytorch(torch, net, inputs, rows, y, w)
    lost.backward()
    value, gradient = net.gradient(inputs, rows, y, w)
    assert value == pytest.approx(lost.item(), rel=1e-12)
    for own, theirs in zip(net.layer_views(gradient), layers, strict=True):
        for part, tensor in zip(own, theirs, strict=True):
            np.testing.assert_allclose(part, tensor.grad.numpy(), rtol=1e-6, atol=1e-12)
    assert tables
    for part, tensor in zip(net.embeddings(gradient), tables, strict=True):
        np.testing.assert_allclose(part, tensor.grad.numpy(), rtol=1e-6, atol=1e-12)


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
