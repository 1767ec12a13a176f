"""A net of two layers worked by hand, and the textbook's algorithm written out."""

import numpy as np
import pytest

from learnt import MLPClassifier


def by_hand():
    """Two inputs, two sigmoid hidden units, one sigmoid output, squared error; inputs as they are."""
    model = MLPClassifier(
        hidden_layer_sizes=(2,), activation="sigmoid", loss="squared_error", standardize=False, max_iter=1
    ).fit([[0.35, 0.9], [1.0, 0.5]], ["no", "yes"])
    model._net.put_layer(0, np.array([[0.1, 0.4], [0.8, 0.6]]), np.zeros(2))
    model._net.put_layer(1, np.array([[0.3], [0.9]]), np.zeros(1))
    return model


def test_activations_deltas_and_gradients_are_those_on_paper():
    told = by_hand().trace([[0.35, 0.9]], ["yes"])

    def s(z):
        return 1 / (1 + np.exp(-z))

    h = s(np.array([0.35 * 0.1 + 0.9 * 0.8, 0.35 * 0.4 + 0.9 * 0.6]))  # 0.6803, 0.6637
    o = s(0.3 * h[0] + 0.9 * h[1])  # 0.6903
    delta_o = (o - 1) * o * (1 - o)  # −0.0662
    delta_h = h * (1 - h) * np.array([0.3, 0.9]) * delta_o
    assert [round(float(v), 4) for v in (*h, o, delta_o)] == [0.6803, 0.6637, 0.6903, -0.0662]
    np.testing.assert_allclose(told.activations[1][0], h, rtol=1e-6)
    np.testing.assert_allclose(told.deltas[1][0], [delta_o], rtol=1e-6)
    np.testing.assert_allclose(told.deltas[0][0], delta_h, rtol=1e-6)
    np.testing.assert_allclose(told.weight_gradients[0], np.outer([0.35, 0.9], delta_h), rtol=1e-6)
    np.testing.assert_allclose(told.weight_gradients[1][:, 0], h * delta_o, rtol=1e-6)
    assert told.losses[0] == pytest.approx(0.5 * (1 - o) ** 2, rel=1e-6)
    assert "hidden layer 1, 2 units" in str(told)


def test_the_trace_is_the_step_of_the_core(mixed_table):
    table, classes, _ = mixed_table
    model = MLPClassifier(hidden_layer_sizes=(5, 4), activation="gelu", max_iter=3).fit(table, classes)
    told = model.trace(table, classes)
    from learnt.neural.net import NetRows

    net = model._net.in_double()
    gradient = net.gradient(model._inputs, NetRows(*model._inputs.encode(table)), classes.astype(float), None)[1] / 80
    for l, (weights, biases) in enumerate(net.layer_views(gradient)):
        np.testing.assert_allclose(told.weight_gradients[l], weights, atol=1e-12)
        np.testing.assert_allclose(told.bias_gradients[l], biases, atol=1e-12)


@pytest.mark.parametrize("momentum", [0.0, 0.7])
def test_an_epoch_row_by_row_is_the_textbooks_algorithm(momentum):
    """For each row: δ_k = o_k (1 − o_k)(t_k − o_k), δ_h = o_h (1 − o_h) Σ w_kh δ_k,
    Δw_ji(n) = η δ_j x_ji + α Δw_ji(n − 1);
    three output units of which one is asked to be 1; 1 stands before the inputs of each unit."""
    rng = np.random.default_rng(3)
    rows, eta = rng.normal(size=(6, 3)), 0.3
    labels = ["a", "b", "c", "b", "c", "a"]
    model = MLPClassifier(
        hidden_layer_sizes=(2,), activation="sigmoid", loss="squared_error", standardize=False, precision="double",
        solver="sgd", momentum=momentum, nesterov=False, alpha=0.0, dropout=0.0, batch_size=1, shuffle=False,
        learning_rate_init=eta,
    )  # fmt: skip
    model.partial_fit(rows, labels)  # columns and classes
    hidden, output = rng.normal(size=(2, 4)), rng.normal(size=(3, 3))  # w_ji of unit j; the first of 1
    model._net.put_layer(0, hidden[:, 1:].T, hidden[:, 0])
    model._net.put_layer(1, output[:, 1:].T, output[:, 0])
    model._net.speed[:] = 0
    model.partial_fit(rows, labels)

    moved_hidden, moved_output = np.zeros_like(hidden), np.zeros_like(output)
    for x, label in zip(rows, labels, strict=True):
        x = np.r_[1, x]
        o_h = np.r_[1, 1 / (1 + np.exp(-hidden @ x))]
        o_k = 1 / (1 + np.exp(-output @ o_h))
        delta_k = o_k * (1 - o_k) * ((np.array(["a", "b", "c"]) == label) - o_k)
        delta_h = o_h[1:] * (1 - o_h[1:]) * (output[:, 1:].T @ delta_k)
        moved_output = eta * np.outer(delta_k, o_h) + momentum * moved_output
        moved_hidden = eta * np.outer(delta_h, x) + momentum * moved_hidden
        output, hidden = output + moved_output, hidden + moved_hidden
    np.testing.assert_allclose(model.coefs_[0], hidden[:, 1:].T, rtol=1e-10)
    np.testing.assert_allclose(model.coefs_[1], output[:, 1:].T, rtol=1e-10)
    np.testing.assert_allclose(model.intercepts_[0], hidden[:, 0], rtol=1e-10)
    np.testing.assert_allclose(model.intercepts_[1], output[:, 0], rtol=1e-10)
