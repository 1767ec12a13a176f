"""The forward pass of sequences against plain NumPy; padding changes nothing."""

import numpy as np
import pytest
from tests.neural.torch_nets.conftest import mixed_steps

from learnt.neural.losses import sigmoid
from learnt.neural.torch_nets.lstm_layers import LstmLayers


def states(w, z, way):
    """The states of one memory along the steps."""
    u = w[f"lstm.weight_hh_l0{way}"].shape[1]
    h, c, found = np.zeros(u), np.zeros(u), []
    bias = w[f"lstm.bias_ih_l0{way}"] + w[f"lstm.bias_hh_l0{way}"]
    for step in z:
        i, f, g, o = np.split(w[f"lstm.weight_ih_l0{way}"] @ step + w[f"lstm.weight_hh_l0{way}"] @ h + bias, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        found.append(h)
    return np.array(found)


def test_probabilities_are_those_of_numpy(small_memory):
    table, _ = mixed_steps(6, seed=3)
    items, w = small_memory._items(table, sequence=None, order=None, lengths=None), small_memory.weights_
    f = []
    for s in range(len(items)):
        rows = slice(items.offsets[s], items.offsets[s + 1])
        vectors = [w["embed0.weight"][code] if code >= 0 else np.zeros(3) for code in items.codes[rows, 0]]
        z = np.column_stack([items.dense[rows], vectors])
        on, back = states(w, z, ""), states(w, z[::-1], "_reverse")
        both = np.column_stack([on, back[::-1]])
        pooled = np.concatenate([on[-1], back[-1], both.mean(axis=0), both.max(axis=0)])
        f.append(w["out.bias"] + w["out.weight"] @ pooled)
    p = np.exp(np.array(f))
    np.testing.assert_allclose(small_memory.predict_proba(table), p / p.sum(axis=1, keepdims=True), rtol=1e-9)


def test_an_answer_does_not_depend_on_what_it_is_padded_to(small_memory):
    steps = {"heat": np.array([18.0, np.nan, 25.0]), "sign": ["x", None, "w"]}
    alone = small_memory.predict_proba(steps)
    longer = {name: [*cells, *cells, *cells, *cells] for name, cells in steps.items()}
    beside = small_memory.predict_proba(longer, lengths=[3, 9, 0])
    np.testing.assert_allclose(beside[:1], alone, rtol=1e-12)


def test_layers_count_what_a_step_computes():
    assert LstmLayers(3, (), (), 4, 1, False, 2).work(10) == 2 * 16 * 4  # 16 sums over 4 units, at each step


@pytest.mark.parametrize(
    "wrong", [(0, (3,), (), 1, 1, True, 1), (-1, (), (), 1, 1, True, 1), (1, (), (), 0, 1, True, 1)]
)
def test_layers_that_contradict_themselves_are_refused(wrong):
    with pytest.raises(ValueError, match="units, layers and classes"):
        LstmLayers(*wrong)
