"""The core's nets against NumPy: scores, steps of every optimiser, threads, precision."""

import numpy as np
import pytest

from learnt import _core
from learnt.neural.inputs import NetInputs
from learnt.neural.net import ACTIVATIONS, Net, NetRows
from learnt.neural.textbook import Forward, net_inputs


def start(mixed_table, units=(20, 7, 3), activation="tanh", loss="softmax", dtype=np.float64):
    table = mixed_table[0]
    inputs = NetInputs.of(table, None, scaling="robust", most=16)
    net = Net.start(inputs, units, activation, loss, seed=1, dtype=dtype)
    rng = np.random.default_rng(2)
    net.put_layer(len(units) - 1, rng.normal(size=(units[-2] if len(units) > 1 else net.n_inputs, units[-1])), None)
    net.parameters[~net.used()] = 0
    return inputs, net, NetRows(*inputs.encode(table))


def steps(optimizer="adam", **more):
    given = {"optimizer": optimizer, "alpha": 0.01, "momentum": 0.9, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8,
             "dropout": 0.0, "batch_size": 80, "seed": 3, "first_step": 0}  # fmt: skip
    return _core.NetSteps(**(given | more))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_scores_are_those_of_numpy(mixed_table, activation):
    inputs, net, rows = start(mixed_table, activation=activation)
    expected = Forward.of(net, net_inputs(inputs, net, rows)).scores
    np.testing.assert_allclose(net.scores(inputs, rows), expected, rtol=1e-11, atol=1e-12)
    inputs, single, rows = start(mixed_table, activation=activation, dtype=np.float32)
    np.testing.assert_allclose(single.scores(inputs, rows), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "nesterov", "adam", "adamw"])
def test_two_steps_are_those_of_the_formulas(mixed_table, optimizer):
    inputs, net, rows = start(mixed_table)
    y, order = mixed_table[1].astype(float), np.arange(80)
    w, s, q = net.parameters.copy(), np.zeros_like(net.parameters), np.zeros_like(net.parameters)
    decay = 0.01 * net.is_weight()
    for t, eta in ((1, 0.1), (2, 0.05)):
        g = net.copy(parameters=w.copy()).gradient(inputs, rows, y, None)[1] / 80
        g = g + (0 if optimizer == "adamw" else decay * w)
        if optimizer == "sgd":
            w = w - eta * g
        elif optimizer in ("momentum", "nesterov"):
            s = 0.9 * s + g
            w = w - eta * (s if optimizer == "momentum" else g + 0.9 * s)
        else:
            s, q = 0.9 * s + 0.1 * g, 0.99 * q + 0.01 * g**2
            w = w * (1 - eta * decay) if optimizer == "adamw" else w
            w = w - eta * (s / (1 - 0.9**t)) / (np.sqrt(q / (1 - 0.99**t)) + 1e-8)
        net.train(inputs, rows, order, y, None, steps(optimizer, first_step=t - 1), np.array([eta]))
    np.testing.assert_allclose(net.parameters, w, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("columns", "units", "batch"), [(70, (150, 130, 5), 130), (520, (300, 200, 5), 750)])
def test_threads_and_levels_of_work_change_no_bit(columns, units, batch):
    rng = np.random.default_rng(0)
    from learnt import Table

    n = 3 * batch + 10
    x, y = rng.normal(size=(n, columns)), rng.integers(0, 5, n).astype(float)
    x[:, ::2] *= rng.random((n, 1)) < 0.3  # many zeros in some rows
    inputs = NetInputs.of(Table(x), None, scaling="robust", most=16)
    rows, found, before = NetRows(x, np.zeros((n, 0), np.int32)), [], _core.get_threads()
    try:
        for threads in (1, 2, 3):
            _core.set_threads(threads)
            net = Net.start(inputs, units, "relu", "softmax", seed=1)
            net.train(inputs, rows, np.arange(n), y, None, steps(batch_size=batch, dropout=0.2), np.full(4, 0.01))
            found.append((net.parameters.tobytes(), net.scores(inputs, rows).tobytes()))
    finally:
        _core.set_threads(before)
    assert found[0] == found[1] == found[2]


def test_dropout_leaves_out_its_share_and_keeps_means():
    from learnt import Table

    inputs = NetInputs.of(Table(np.array([[0.0], [1.0]])), None, scaling=False, most=16)
    net = Net.start(inputs, (4000, 1), "identity", "squared_error", seed=0, dtype=np.float64)
    net.put_layer(0, np.zeros((1, 4000)), np.ones(4000))
    rows = NetRows(np.zeros((1, 1)), np.zeros((1, 0), np.int32))
    net.train(inputs, rows, np.zeros(1, np.int64), np.array([-1.0]), None,
              steps("sgd", alpha=0.0, dropout=0.25, batch_size=1), np.array([1.0]))  # fmt: skip
    moved = next(iter([w for w, _ in net.layer_views()][1:]))[:, 0]  # −η · 1 · a: 0 where dropped, else −1/0.75
    assert set(np.round(moved, 9)) == {0.0, round(-1 / 0.75, 9)}
    assert np.mean(moved == 0) == pytest.approx(0.25, abs=0.03)


def test_the_core_refuses_what_does_not_fit(mixed_table):
    inputs, net, rows = start(mixed_table)
    y = mixed_table[1].astype(float)
    with pytest.raises(ValueError, match="order"):
        net.train(inputs, rows, np.array([80]), y, None, steps(), np.array([0.1]))
    with pytest.raises(ValueError, match="code of a class"):
        net.gradient(inputs, rows, y + 1, None)
    with pytest.raises(ValueError, match="layers"):
        net.copy(parameters=np.zeros(3))
