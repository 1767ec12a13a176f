"""Batch normalisation: gradients against PyTorch and differences, weights as copies, and what predictions use."""

import numpy as np
import pytest
from tests.neural.test_net import start, steps

from learnt import MLPClassifier, MLPRegressor, Table, check_gradients, load, save
from learnt.errors import ParameterError
from learnt.neural.inputs import NetInputs
from learnt.neural.net import Net, NetRows


def normalised(x, units, activation="tanh", loss="squared_error", dtype=np.float64):
    rng = np.random.default_rng(3)
    inputs = NetInputs.of(Table(x), None, scaling=False, most=16)
    net = Net.start(inputs, units, activation, loss, seed=3, dtype=dtype, normalised=True)
    net.put_layer(len(units) - 1, rng.normal(size=(units[-2], units[-1])), rng.normal(size=units[-1]))
    for factor, shift, _, _ in net.normalisations():
        factor[:] *= rng.uniform(0.5, 2, len(factor))
        shift[:] = (factor != 0) * rng.normal(size=len(shift))
    return inputs, net, NetRows(*inputs.encode(Table(x)))


@pytest.mark.parametrize("activation", ["relu", "gelu", "tanh"])
def test_gradients_and_running_moments_are_those_of_pytorch(activation):
    torch = pytest.importorskip("torch", reason="PyTorch, of the extra bench, is not installed")
    from torch import nn

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(70, 5)), rng.normal(size=70)
    inputs, net, rows = normalised(x, (18, 9, 1), activation)
    unit = {"relu": nn.ReLU, "gelu": lambda: nn.GELU("tanh"), "tanh": nn.Tanh}[activation]
    other = nn.Sequential(nn.Linear(5, 18), nn.BatchNorm1d(18), unit(), nn.Linear(18, 9), nn.BatchNorm1d(9), unit(),
                          nn.Linear(9, 1)).double()  # fmt: skip
    linear, norms = [other[0], other[3], other[6]], [other[1], other[4]]
    with torch.no_grad():
        for layer, (weights, biases) in zip(linear, net.layer_views(), strict=True):
            layer.weight[:], layer.bias[:] = torch.from_numpy(weights.T.copy()), torch.from_numpy(biases.copy())
        for norm, (factor, shift, _, _) in zip(norms, net.normalisations(), strict=True):
            norm.weight[:], norm.bias[:] = (torch.from_numpy(v[: norm.num_features].copy()) for v in (factor, shift))
    loss = 0.5 * ((other(torch.from_numpy(x))[:, 0] - torch.from_numpy(y)) ** 2).sum()
    loss.backward()
    found, gradient = net.gradient(inputs, rows, y, None)
    assert found == pytest.approx(loss.item(), rel=1e-12)
    for layer, (weights, _) in zip(linear, net.layer_views(gradient), strict=True):
        np.testing.assert_allclose(weights, layer.weight.grad.numpy().T, rtol=1e-6, atol=1e-8)
    for norm, (factor, shift, _, _) in zip(norms, net.normalisations(gradient), strict=True):
        np.testing.assert_allclose(factor[: norm.num_features], norm.weight.grad.numpy(), rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(shift[: norm.num_features], norm.bias.grad.numpy(), rtol=1e-8, atol=1e-9)
    trained = net.with_memory()
    trained.train(inputs, rows, np.arange(70), y, None, steps(batch_size=70), np.array([1e-12]))
    for norm, (_, _, mean, variance) in zip(norms, trained.normalisations(), strict=True):
        k = norm.num_features
        np.testing.assert_allclose(mean[:k], norm.running_mean.numpy(), rtol=1e-8, atol=1e-9)
        spread = (norm.running_var.numpy() - 0.9) * 69 / 70 + 0.9  # PyTorch remembers variances over n − 1
        np.testing.assert_allclose(variance[:k], spread, rtol=1e-8)


def test_gradients_are_finite_differences_for_rows_with_weights_and_embeddings(mixed_table):
    inputs, net, rows = start(mixed_table, (20, 7, 3))
    net = Net.start(inputs, (20, 7, 3), "tanh", "softmax", seed=1, dtype=np.float64, normalised=True)
    rng = np.random.default_rng(2)
    net.put_layer(2, rng.normal(size=(7, 3)), None)
    y, w = mixed_table[1].astype(float), rng.random(80)
    gradient = net.gradient(inputs, rows, y, w)[1]
    for place in rng.choice(np.flatnonzero(net.used()), 25, replace=False):
        ends = []
        for side in (1e-6, -1e-6):
            moved = net.copy()
            moved.parameters[place] += side
            ends.append(moved.gradient(inputs, rows, y, w)[0])
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=2e-5, abs=2e-6)


def test_weight_two_is_the_row_twice():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    twice = np.arange(12).repeat([2, *[1] * 11])
    inputs, net, rows = normalised(x, (6, 1))
    expected, gradient = net.gradient(inputs, rows.take(twice), y[twice], None)
    found, weighed = net.gradient(inputs, rows, y, np.array([2.0, *[1.0] * 11]))
    assert found == pytest.approx(expected)
    np.testing.assert_allclose(weighed, gradient, rtol=1e-9, atol=1e-12)


def test_scores_use_running_moments_row_by_row():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(64, 4)), rng.normal(size=64)
    inputs, net, rows = normalised(x, (10, 6, 1), "relu")
    net = net.with_memory()
    for _ in range(3):
        net.train(inputs, rows, np.arange(64), y, None, steps(batch_size=16), np.full(4, 0.01))
    a = x
    for (weights, biases), (factor, shift, mean, variance) in zip(
        net.layer_views(), net.normalisations(), strict=False
    ):
        k = weights.shape[1]
        standard = (a @ weights + biases - mean[:k]) / np.sqrt(variance[:k] + 1e-5)
        a = np.maximum(factor[:k] * standard + shift[:k], 0)
    weights, biases = list(net.layer_views())[-1]
    np.testing.assert_allclose(net.scores(inputs, rows), a @ weights + biases, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(net.scores(inputs, rows.take(np.array([5]))), net.scores(inputs, rows)[[5]])


def test_a_last_batch_of_one_row_does_no_harm():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(65, 3))
    model = MLPRegressor(batch_normalization=True, batch_size=16, max_iter=40).fit(x, x[:, 0] - x[:, 1])
    assert model.score(x, x[:, 0] - x[:, 1]) > 0.9


def test_learners_fit_explain_save_and_go_on(mixed_table, tmp_path):
    table, y = mixed_table[:2]
    model = MLPClassifier(batch_normalization=True, max_iter=20).fit(table, y)
    assert check_gradients(model, table, y).error < 1e-6
    explanation = model.explain(table)[0]
    total = explanation.base + sum(part.contribution for part in explanation.evidence)
    assert total == pytest.approx(explanation.total, abs=1e-6)
    save(model, tmp_path / "net.learnt")
    np.testing.assert_array_equal(load(tmp_path / "net.learnt").predict_proba(table), model.predict_proba(table))
    on = MLPClassifier(batch_normalization=True).partial_fit(table, y).partial_fit(table, y)
    assert np.isfinite(on.predict_proba(table)).all()
    with pytest.raises(ParameterError, match="batch_normalization"):
        on.set_params(batch_normalization=False).partial_fit(table, y)
    with pytest.raises(ParameterError, match="lbfgs"):
        MLPClassifier(batch_normalization=True, solver="lbfgs").fit(table, y)
