"""score_net and train_net against NumPy, on tables of any layout, dense and sparse, at every level."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.kernels.layouts import same_for_any_threads

from learnt import Table, _core
from learnt.neural.inputs import NetInputs
from learnt.neural.net import Net, NetRows
from learnt.neural.textbook import Forward, net_inputs


def zeros_among(n, p, share, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * (rng.random((n, p)) >= share)


def net_for(x, units, dtype):
    inputs = NetInputs.of(Table(x), None, scaling=False, most=16)
    net = Net.start(inputs, units, "relu", "softmax", seed=1, dtype=dtype)
    net.put_layer(len(units) - 1, np.random.default_rng(2).normal(size=(units[-2], units[-1])), None)
    return inputs, net


@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
@pytest.mark.parametrize(("n", "p", "units"), [(1, 1, (64, 3)), (70, 129, (80, 66, 3)), (131, 37, (200, 5))])
def test_scores_are_those_of_numpy_whatever_share_of_cells_is_zero(n, p, units, share):
    x = zeros_among(n, p, share)
    x[0] = 1.5
    x[-1] = -0.5
    inputs, net = net_for(x, units, np.float64)
    expected = Forward.of(net, net_inputs(inputs, net, NetRows(*inputs.encode(Table(x))))).scores
    for given in (x, np.asfortranarray(x), x[::-1][::-1], csr_matrix(x)):
        rows = NetRows(*inputs.encode(Table(given)))
        np.testing.assert_allclose(net.scores(inputs, rows), expected, rtol=1e-11, atol=1e-12)


def test_a_row_has_the_bits_of_its_sparse_twin_and_of_itself_alone():
    x = zeros_among(90, 64, 0.6).astype(np.float32)
    inputs, net = net_for(x, (128, 10), np.float32)
    dense, sparse = (NetRows(*inputs.encode(Table(given))) for given in (x, csr_matrix(x)))
    whole = net.scores(inputs, dense)
    np.testing.assert_array_equal(net.scores(inputs, sparse), whole)
    for i in (0, 63, 64, 89):
        np.testing.assert_array_equal(net.scores(inputs, dense.take(np.array([i]))), whole[[i]])
    same_for_any_threads(lambda: (net.scores(inputs, dense),))


def test_sparse_rows_that_point_outside_are_refused():
    x = csr_matrix(np.eye(3))
    inputs, net = net_for(np.eye(3), (4, 2), np.float64)
    x.indices[1] = 7
    with pytest.raises(ValueError, match="points outside"):
        net.scores(inputs, NetRows(x, np.zeros((3, 0), np.int32)))


def test_a_loss_belongs_to_the_shape_that_says_so():
    inputs, net = net_for(np.eye(3), (4, 2), np.float64)
    rows = NetRows(np.eye(3), np.zeros((3, 0), np.int32))
    with pytest.raises(ValueError, match="'given' belongs"):
        net.gradient(inputs, rows, np.zeros(3), None, lambda f, y: (y, f))
    given = Net.start(inputs, (4, 2), "relu", "given", dtype=np.float64)
    with pytest.raises(ValueError, match="not 3 doubles"):
        given.gradient(inputs, rows, np.zeros(3), None, lambda f, y: (y[:2], f))


def test_layouts_say_where_normalisations_lie():
    shape = Net.start(NetInputs.of(Table(np.eye(3)), None, scaling=False, most=16), (20, 5, 2), "relu", "softmax",
                      normalised=True).shape  # fmt: skip
    size, _, layers, _, norms = _core.net_layout(shape)
    assert [width for _, width in norms] == [32, 16]
    assert norms[0][0] == sum(-(-out // 16) * (inner + 1) * 16 for _, inner, out in layers)
    assert size == norms[1][0] + 4 * 16
