import numpy as np
import pytest

from learnt import Table
from learnt.neural.inputs import NetInputs
from learnt.neural.torch_nets.steps import SequenceItems


@pytest.fixture
def items():
    table = Table({"x": [1.0, 2.0, np.nan, 4.0, 1.0, 2.0], "s": ["a", "b", "c", None, "a", "b"]})
    inputs = NetInputs.of(table, None, scaling="robust", most=2)
    return SequenceItems.of(inputs, table, np.array([0, 2, 4, 4, 6]))


def test_lengths_keys_and_weights_of_steps(items):
    assert items.lengths.tolist() == [2, 2, 0, 2]
    keys = items.keys()
    assert keys[0] == keys[3]
    assert len(set(keys)) == 3
    chosen = items.take(np.array([3, 0, 0]))
    assert chosen.lengths.tolist() == [2, 2, 2]
    assert chosen.step_weights(None).tolist() == [2, 2, 0, 0, 1, 1]
    assert chosen.step_weights(np.array([0.5, 1, 2])).tolist() == [3, 3, 0, 0, 0.5, 0.5]


def test_batches_are_padded_behind(items):
    torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")
    dense, codes, lengths = items.batch(torch, np.array([2, 1]), torch.device("cpu"), torch.float64)
    assert lengths.tolist() == [0, 2]
    assert dense.shape == (2, 2, 2)  # the number, and whether it is missing
    assert not dense[0].any()
    assert codes[:, :, 0].tolist() == [[-1, -1], [2, 3]]  # 3 is the code of missing cells
    np.testing.assert_array_equal(dense[1].numpy(), items.dense[2:4])
