"""The core's autoencoders: gradients against finite differences and PyTorch, tied weights, noise, threads."""

import numpy as np
import pytest
from tests.neural.test_net import steps

from learnt import Table, _core
from learnt.neural.autoencoder.cells import TableCells
from learnt.neural.autoencoder.net import AutoencoderNet
from learnt.neural.net import ACTIVATIONS, NetRows


def start(table, encoder=(7, 3), decoder=(7,), activation="tanh", tied=False, dtype=np.float64, scaling="robust"):
    cells = TableCells.of(table, None, scaling=scaling, most=16)
    bias = np.random.default_rng(0).normal(size=cells.n_outputs)
    net = AutoencoderNet.start_for(cells, encoder, decoder, activation, tied=tied, bias=bias, seed=1, dtype=dtype)
    if not tied:
        net.put_layer(len(net.units) - 1, np.random.default_rng(2).normal(size=(net.units[-2], net.units[-1])), None)
    x = cells.encode(table)
    return cells, net, NetRows(x, np.zeros((len(x), 0), np.int32))


def train(net, cells, rows, by, rates):
    return net.train(cells, rows, np.arange(len(rows)), np.zeros(len(rows)), None, by, np.asarray(rates, float))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("tied", [False, True])
def test_gradients_are_finite_differences(mixed_table, activation, tied):
    cells, net, rows = start(mixed_table[0], activation=activation, tied=tied)
    w, none = np.random.default_rng(5).random(80), np.zeros(80)
    gradient = net.gradient(cells, rows, none, w)[1]
    for place in np.random.default_rng(6).choice(np.flatnonzero(net.used()), 25, replace=False):
        ends = []
        for side in (1e-6, -1e-6):
            moved = net.copy()
            moved.parameters[place] += side
            ends.append(moved.gradient(cells, rows, none, w)[0])
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=2e-6, abs=1e-7)


@pytest.mark.parametrize("tied", [False, True])
def test_gradients_are_those_of_pytorch(mixed_table, tied):
    torch = pytest.importorskip("torch", reason="PyTorch, of the extra bench, is not installed")
    cells, net, rows = start(mixed_table[0], tied=tied)
    z = torch.tensor(cells.scaled(rows.x))
    layers = [(w.copy(), b.copy()) for w, b in net.layer_views()]
    weights = [torch.tensor(w, requires_grad=not tied or l < 2) for l, (w, _) in enumerate(layers)]
    biases = [torch.tensor(b, requires_grad=True) for _, b in layers]
    used = weights if not tied else [*weights[:2], weights[1].T, weights[0][: cells.n_outputs].T]
    a = z
    for l in range(4):
        a = a @ used[l] + biases[l]
        a = torch.tanh(a) if l in (0, 2) else a
    k, known = 2, torch.tensor(~np.isnan(rows.x[:, :2]))
    errors = [torch.where(known, (a[:, :k] - z[:, :k]) ** 2 / 2, 0.0)]
    errors.append(torch.nn.functional.softplus(-z[:, 2:3].sign() * a[:, 2:3]))
    at = 3
    for width in cells.group_widths:
        part = slice(at, at + width)
        truth = z[:, part].argmax(dim=1)
        errors.append(torch.nn.functional.cross_entropy(a[:, part], truth, reduction="none")[:, None])
        at += width
    counts = known.sum(dim=1) + 1 + len(cells.group_widths)
    lost = (torch.cat(errors, dim=1).sum(dim=1) / counts).sum()
    lost.backward()
    value, gradient = net.gradient(cells, rows, np.zeros(80), None)
    assert value == pytest.approx(lost.item(), rel=1e-12)
    found = list(net.layer_views(gradient))
    for l in range(4):
        np.testing.assert_allclose(found[l][1], biases[l].grad.numpy(), rtol=1e-6, atol=1e-12)
        if not tied:
            np.testing.assert_allclose(found[l][0], weights[l].grad.numpy(), rtol=1e-6, atol=1e-12)
    if tied:  # each copy has half; inputs that are not given back have one copy alone
        p = cells.n_outputs
        both = found[0][0] + np.vstack([found[3][0].T, np.zeros((net.dense - p, 7))])
        np.testing.assert_allclose(both, weights[0].grad.numpy(), rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found[1][0] + found[2][0].T, weights[1].grad.numpy(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("optimizer", ["sgd", "nesterov", "adam", "adamw"])
def test_a_step_of_tied_weights_is_that_of_the_formulas(mixed_table, optimizer):
    cells, net, rows = start(mixed_table[0], tied=True)
    g = net.gradient(cells, rows, np.zeros(80), None)[1] / 80
    full = [w for w, _ in net.layer_views(g)]
    p = cells.n_outputs
    one = full[0] + np.vstack([full[3].T, np.zeros((net.dense - p, 7))])
    w = next(iter(net.layer_views()))[0].copy()
    decayed = one + (0 if optimizer == "adamw" else 0.01 * w)
    step = {"sgd": decayed, "nesterov": 1.9 * decayed}.get(optimizer, decayed / (np.abs(decayed) + 1e-8))
    train(net, cells, rows, steps(optimizer), [0.1])
    found = [layer for layer, _ in net.layer_views()]
    shrunk = w * (1 - 0.1 * 0.01) if optimizer == "adamw" else w
    np.testing.assert_allclose(found[0], shrunk - 0.1 * step, rtol=1e-8, atol=1e-10)
    assert found[3].tobytes() == np.ascontiguousarray(found[0][:p].T).tobytes()
    assert found[2].tobytes() == np.ascontiguousarray(found[1].T).tobytes()


@pytest.mark.parametrize(("noise", "tied"), [("swap", True), ("mask", False), ("gaussian", True)])
def test_threads_change_no_bit(noise, tied):
    """Batches are so large that threads share them."""
    table, found, before = Table(np.random.default_rng(0).normal(size=(700, 300))), [], _core.get_threads()
    try:
        for threads in (1, 2, 3):
            _core.set_threads(threads)
            cells, net, rows = start(table, (512, 20), (512,), "relu", tied, np.float32)
            net = net.with_noise(noise, 0.2)
            train(net, cells, rows, steps(batch_size=600), np.full(2, 0.01))
            found.append((net.parameters.tobytes(), net.scores(cells, rows).tobytes()))
    finally:
        _core.set_threads(before)
    assert found[0] == found[1] == found[2]


def test_noise_spoils_what_is_seen_and_not_what_shall_come_back():
    """A linear net of one unit that begins at the identity: its first loss is that of the noise alone."""
    x = np.random.default_rng(0).normal(size=(20_000, 1))
    cells, net, rows = start(Table(x), (1,), (), "identity", scaling=True)
    for l, weights in enumerate(net.layer_views()):
        net.put_layer(l, np.ones_like(weights[0]), np.zeros(1))
    assert train(net.copy(), cells, rows, steps(batch_size=20_000), [1e-9]) == pytest.approx(0, abs=1e-9)
    means = {}
    for noise in ("swap", "mask", "gaussian"):
        spoilt = net.copy().with_noise(noise, 0.3)
        means[noise] = train(spoilt, cells, rows, steps(batch_size=20_000), [1e-9]) / 20_000
    # ½ of the squares: of a difference of two rows in 0.3 of the cells, of one row in them, and of 0.3².
    assert means == pytest.approx({"swap": 0.3, "mask": 0.15, "gaussian": 0.045}, rel=0.05)


def test_both_halves_are_the_net(mixed_table):
    cells, net, rows = start(mixed_table[0])
    codes = net.codes(cells, rows)
    a = cells.scaled(rows.x)
    layers = list(net.layer_views())
    inner = np.tanh(a @ layers[0][0] + layers[0][1]) @ layers[1][0] + layers[1][1]
    np.testing.assert_allclose(codes, inner, rtol=1e-11, atol=1e-12)
    outer = np.tanh(inner @ layers[2][0] + layers[2][1]) @ layers[3][0] + layers[3][1]
    np.testing.assert_allclose(net.scores(cells, rows), outer, rtol=1e-11, atol=1e-11)


def test_the_core_refuses_what_does_not_fit(mixed_table):
    cells, net, rows = start(mixed_table[0])
    with pytest.raises(ValueError, match="order"):
        net.train(cells, rows, np.array([80]), np.zeros(80), None, steps(), np.array([0.1]))
    given = {
        "numbers": 2,
        "pairs": 1,
        "groups": list(net.groups),
        "code": 1,
        "tied": False,
        "noise": "swap",
        "level": 0,
    }
    for wrong, words in (({"numbers": 3}, "last layer"), ({"code": 9}, "code"), ({"groups": [99]}, "groups"),
                         ({"level": -1}, "level"), ({"pairs": -1}, "pairs")):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            _core.add_autoencoder_gradient(
                net.shape, _core.Reconstruction(**(given | wrong)), rows.x, cells.center, cells.scale, cells.clip, None,
                net.parameters, np.zeros_like(net.parameters),
            )  # fmt: skip
    with pytest.raises(ValueError, match="mirror"):
        start(mixed_table[0], (7, 3), (9,), tied=True)
