import numpy as np
import pytest
from scipy.sparse import csr_matrix

import learnt
from learnt import MLPClassifier, MLPRegressor
from learnt.errors import InputError, ParameterError


def test_the_same_seed_gives_the_same_net_and_another_another(mixed_table):
    table, classes, _ = mixed_table
    nets = [MLPClassifier(max_iter=5, random_state=seed).fit(table, classes)._net.parameters for seed in (0, 0, 1)]
    assert nets[0].tobytes() == nets[1].tobytes() != nets[2].tobytes()


def test_partial_fit_goes_on_and_a_warm_start_too(mixed_table):
    table, classes, _ = mixed_table
    model = MLPClassifier(max_iter=3).partial_fit(table, classes)
    first = model.score(table, classes)
    for _ in range(80):
        model.partial_fit(table, classes)
    assert model.score(table, classes) > max(first, 0.8)
    warm = MLPClassifier(max_iter=5, warm_start=True).fit(table, classes)
    before = warm.loss_curve_[0]
    assert warm.fit(table, classes).loss_curve_[0] < before
    with pytest.raises(ParameterError, match="hidden_layer_sizes"):
        warm.set_params(hidden_layer_sizes=(3,)).fit(table, classes)
    with pytest.raises(InputError, match="warm_start"):
        warm.set_params(hidden_layer_sizes=(128,)).fit({"z": [1.0, 2.0, 3.0]}, [0, 1, 2])


def test_a_partial_fit_goes_on_from_a_saved_net_as_from_the_net_itself(mixed_table, tmp_path):
    table, _, values = mixed_table
    model = MLPRegressor().partial_fit(table, values)
    learnt.save(model, tmp_path / "net.learnt")
    again = learnt.load(tmp_path / "net.learnt").partial_fit(table, values)
    np.testing.assert_array_equal(again.predict(table), model.partial_fit(table, values).predict(table))


def test_an_interrupted_fit_leaves_the_learner_as_it_was(mixed_table):
    table, classes, _ = mixed_table
    model = MLPClassifier(max_iter=3).fit(table, classes)
    before = model.predict_proba(table)

    def interrupt(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), learnt.watch(interrupt):
        model.fit(table, classes)
    np.testing.assert_array_equal(model.predict_proba(table), before)
    model.partial_fit(table, classes)


def test_wide_sparse_rows_are_learnt():
    rng = np.random.default_rng(0)
    columns = rng.integers(1, 5_000, 40)
    x = csr_matrix((np.ones(80), (np.tile(np.arange(40), 2), np.append(columns, np.zeros(40, int)))), shape=(40, 5_000))
    x[20:, 0] = 0
    y = np.arange(40) < 20
    assert MLPClassifier(max_iter=20).fit(x, y).score(x, y) == 1


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_units_of_columns_do_not_matter(scale):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    y = x[:, 0] > 0
    one = MLPClassifier(max_iter=20).fit(x, y).predict_proba(x)
    np.testing.assert_allclose(MLPClassifier(max_iter=20).fit(x * scale, y).predict_proba(x * scale), one, atol=0.02)


def test_double_precision_is_asked_for(mixed_table):
    table, classes, _ = mixed_table
    assert MLPClassifier(precision="double", max_iter=2).fit(table, classes)._net.parameters.dtype == np.float64


def test_early_stopping_needs_rows():
    with pytest.raises(InputError, match="early_stopping"):
        MLPClassifier(early_stopping=True).fit([[0.0], [1.0]], [0, 1])


def test_a_hundred_thousand_sparse_columns_need_no_room_for_their_zeros(monkeypatch):
    rng = np.random.default_rng(0)
    n, p = 600, 100_000
    columns, y = rng.integers(0, p, (n, 30)), rng.integers(0, 2, n)
    columns[:, 0] = y  # two columns tell the class
    x = csr_matrix((np.ones(n * 30, np.float32), columns.ravel(), np.arange(0, n * 30 + 1, 30)), shape=(n, p))
    unfold = csr_matrix.toarray

    def unfold_some(matrix, *more, **named):
        assert matrix.shape[0] * matrix.shape[1] < n * p / 10
        return unfold(matrix, *more, **named)

    monkeypatch.setattr(csr_matrix, "toarray", unfold_some)
    model = MLPClassifier(hidden_layer_sizes=(4,), max_iter=6, learning_rate_init=0.02).fit(x, y)
    assert model.score(x, y) > 0.9


@pytest.mark.parametrize("sizes", [(10**7, 10**7), (2**24, 2**20)])
def test_a_net_that_no_memory_holds_is_refused_in_words(sizes):
    with pytest.raises(ParameterError, match=r"hidden_layer_sizes=.* memory has no room for"):
        MLPClassifier(hidden_layer_sizes=sizes).fit([[0.0], [1.0]], [0, 1])
