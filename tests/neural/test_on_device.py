"""Steps by PyTorch are those of the core; tested on its CPU, which every machine has."""

import sys

import numpy as np
import pytest
from tests.neural.test_net import start, steps

from learnt import MLPClassifier
from learnt.errors import MissingPackageError, ParameterError
from learnt.neural.net import Net
from learnt.neural.on_device import Parts, _losses, _move, _scores, check_device, train

torch = pytest.importorskip("torch", reason="PyTorch, of the extra bench, is not installed")


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # steps are small
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "nesterov", "adam", "adamw"])
def test_steps_are_those_of_the_core(mixed_table, optimizer, normalised):
    inputs, _, rows = start(mixed_table)
    y, w = mixed_table[1].astype(float), np.random.default_rng(1).random(80)
    one = Net.start(
        inputs, (20, 7, 3), "gelu", "softmax", seed=1, dtype=np.float64, normalised=normalised, smoothing=0.1
    )
    two = one.copy()
    settings = {"optimizer": optimizer, "alpha": 0.01, "momentum": 0.9, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8,
                "dropout": 0.0, "batch_size": 30, "seed": 3, "first_step": 0}  # fmt: skip
    order, rates = np.arange(80)[::-1].copy(), np.full(3, 0.01)
    expected = one.train(inputs, rows, order, y, w, steps(optimizer, batch_size=30), rates)
    assert train(two, inputs, rows, order, y, w, settings, rates, "cpu") == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(two.parameters, one.parameters, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(two.speed, one.speed, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "poisson", "logistic", "sigmoid_squared"])
def test_losses_are_those_of_the_core(mixed_table, loss):
    inputs, _, rows = start(mixed_table)
    y = (mixed_table[1] % 2).astype(float)
    one = Net.start(inputs, (9, 1), "relu", loss, seed=1, dtype=np.float64)
    two = one.copy()
    settings = {"optimizer": "sgd", "alpha": 0.0, "momentum": 0.9, "dropout": 0.0, "batch_size": 40, "seed": 3,
                "first_step": 0}  # fmt: skip
    order, rates = np.arange(80), np.full(2, 0.1)
    expected = one.train(inputs, rows, order, y, None, steps("sgd", alpha=0.0, batch_size=40), rates)
    assert train(two, inputs, rows, order, y, None, settings, rates, "cpu") == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(two.parameters, one.parameters, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("loss", ["softmax", "sigmoid_squared", "logistic", "huber"])
@pytest.mark.parametrize("optimizer", ["nesterov", "adamw"])
def test_all_that_a_step_needs_lies_on_the_device(mixed_table, loss, optimizer):
    """ "meta", a device without memory, refuses what lies elsewhere as a graphics card does."""
    inputs, _, rows = start(mixed_table)
    k = 3 if loss in ("softmax", "sigmoid_squared") else 1
    net = Net.start(inputs, (20, 7, k), "gelu", loss, seed=1, dtype=np.float64, normalised=True)
    parts, speed, square = (Parts.of(net, values, "meta") for values in (net.parameters, net.speed, net.square))
    running = [[torch.tensor(v[:u], device="meta") for v in own[2:]]
               for u, own in zip(net.units, net.normalisations(), strict=False)]  # fmt: skip
    x = torch.tensor(inputs.scaled(rows.x), device="meta")
    codes = torch.tensor(rows.codes.astype(np.int64), device="meta")
    y, w = (torch.zeros(80, dtype=torch.double, device="meta") for _ in range(2))
    for tensor, _ in parts.all():
        tensor.requires_grad_(True)
    lost = (w * _losses(net, _scores(net, parts, running, x, codes, w, 0.2, None), y)).sum()
    gradients = torch.autograd.grad(lost, [tensor for tensor, _ in parts.all()])
    settings = {"optimizer": optimizer, "alpha": 0.01, "momentum": 0.9, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8}
    with torch.no_grad():
        _move(parts, speed, square, gradients, settings, 0.01, 1)
    assert {tensor.device.type for tensor, _ in parts.all()} == {"meta"}


def test_without_the_device_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ParameterError, match="device='cpu'"):
        MLPClassifier(device="cuda").fit([[0.0], [1.0]], [0, 1])
    check_device("cpu", "")


def test_without_pytorch_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'learnt\[torch\]', or set device='cpu'"):
        MLPClassifier(device="cuda").fit([[0.0], [1.0]], [0, 1])


def test_a_learner_goes_through_pytorch(monkeypatch):
    from learnt.neural import on_device

    x = np.random.default_rng(0).normal(size=(120, 3))
    here = on_device.train
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(on_device, "train", lambda *given: here(*given[:-1], "cpu"))
    model = MLPClassifier(device="cuda", max_iter=6, batch_size=40, learning_rate_init=0.02).fit(x, x[:, 0] > 0)
    assert model.score(x, x[:, 0] > 0) > 0.9
