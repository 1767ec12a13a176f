"""What images and sequences share: seeds, weights, classes, saving."""

import numpy as np
import pytest
from tests.neural.torch_nets.conftest import first_and_last

import learnt
from learnt import ConvNetClassifier, LSTMClassifier
from learnt.errors import InputError, NotFittedError, ParameterError

torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")


def images(n, seed=0):
    """Bright above or below."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 4, 4)), rng.integers(0, 2, n)
    X[y == 1, :2] += 2
    return list(X), [("low", "high")[c] for c in y]


NETS = {
    "images": (lambda **how: ConvNetClassifier(channels=(4, 8), **{"max_iter": 4, **how}), images),
    "sequences": (lambda **how: LSTMClassifier(hidden_size=6, **{"max_iter": 4, **how}), first_and_last),
}


@pytest.fixture(params=NETS.values(), ids=NETS)
def net_and_rows(request):
    make, rows = request.param
    return make, *rows(60)


def test_the_same_seed_gives_the_same_net_and_another_another(net_and_rows):
    make, X, y = net_and_rows
    torch.manual_seed(3)  # is not what decides
    nets = [make(random_state=seed).fit(X, y).weights_ for seed in (0, 0, 1)]
    torch.rand(7)
    nets.append(make().fit(X, y).weights_)
    bits = [b"".join(t.tobytes() for t in net.values()) for net in nets]
    assert bits[0] == bits[1] == bits[3] != bits[2]


def test_the_order_of_rows_does_not_matter_and_a_weight_of_two_is_a_row_twice(net_and_rows):
    make, X, y = net_and_rows
    w = np.ones(len(X))
    w[[3, 8]], w[5] = 2, 0
    weighted = make().fit(X, y, w).predict_proba(X)
    rows = [*np.random.default_rng(0).permutation(np.delete(np.arange(len(X)), 5)), 8, 3]
    np.testing.assert_array_equal(make().fit([X[i] for i in rows], [y[i] for i in rows]).predict_proba(X), weighted)
    half = make(precision="double", batch_size=100, dropout=0).fit(X, y, w / 2).loss_curve_
    whole = make(precision="double", batch_size=100, dropout=0).fit(X, y, w).loss_curve_
    np.testing.assert_allclose(half[:1], whole[:1], rtol=1e-9)  # the loss is by weight, whatever its unit


def test_class_weights_turn_doubtful_rows(net_and_rows):
    make, X, y = net_and_rows
    shares = [
        make(class_weight=given).fit(X, y).predict_proba(X).mean(axis=0)
        for given in (None, {y[0]: 50.0}, {y[0]: 0.02}, "balanced")
    ]
    own = sorted(set(y)).index(y[0])
    assert shares[1][own] > shares[0][own] > shares[2][own]
    with pytest.raises(ParameterError, match="'nobody'"):
        make(class_weight={"nobody": 2}).fit(X, y)


def test_a_class_of_weight_zero_is_not_learnt_and_one_class_is_certain(net_and_rows, tmp_path):
    make, X, y = net_and_rows
    w = np.array([float(label == y[0]) for label in y])
    alone = make().fit(X, y, w)
    assert alone.classes_.tolist() == [y[0]]
    assert alone.predict_proba(X[:2]).tolist() == [[1.0], [1.0]]
    assert alone.explain(X[:1])[0].total == 0
    learnt.save(alone, tmp_path / "net.learnt")
    assert learnt.load(tmp_path / "net.learnt").predict(X[:1]).tolist() == [y[0]]
    one = make().fit(X[:1], y[:1])
    assert one.predict(X[:3]).tolist() == [y[0]] * 3
    two = make().fit([X[0], X[y.index(next(v for v in y if v != y[0]))]], ["a", "b"])
    assert np.isfinite(two.predict_proba(X)).all()


def test_saved_nets_give_the_same_answers_and_copies_are_pickled(net_and_rows, tmp_path):
    import pickle

    make, X, y = net_and_rows
    model = make(early_stopping=True).fit(X, y)
    learnt.save(model, tmp_path / "net.learnt")
    for again in (learnt.load(tmp_path / "net.learnt"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(again.validation_curve_, model.validation_curve_)
        assert again.device_ == "cpu"


def test_answers_agree_with_each_other(net_and_rows):
    make, X, y = net_and_rows
    model = make().fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)
    answers = model.predict(X)
    assert answers.tolist() == model.classes_[p.argmax(axis=1)].tolist()
    hit, w = answers == np.array(y), np.arange(len(X))
    assert model.score(X, y) == hit.mean()
    assert model.score(X, y, w) == pytest.approx((hit * w).sum() / w.sum())
    assert model.set_output(transform="pandas").predict_proba(X).columns.tolist() == model.classes_.tolist()


def test_what_cannot_be_fitted_is_refused_in_words(net_and_rows):
    make, X, y = net_and_rows
    with pytest.raises(NotFittedError):
        make().predict(X)
    with pytest.raises(InputError, match=r"requires y"):
        make().fit(X)
    with pytest.raises(InputError, match="60 rows, y has 59"):
        make().fit(X, y[1:])
    with pytest.raises(InputError, match="weights are zero"):
        make().fit(X, y, np.zeros(len(X)))
    with pytest.raises(InputError, match=r"holds out 0.1 of 2 rows"):
        make(early_stopping=True).fit(X[:2], ["a", "b"])
    with pytest.raises(ParameterError, match="device='gpu' is not allowed"):
        make(device="gpu").fit(X, y)


@pytest.mark.costly
def test_scikit_learn_searches_their_settings(net_and_rows):
    from sklearn.model_selection import GridSearchCV

    make, X, y = net_and_rows

    found = GridSearchCV(make(max_iter=25), {"learning_rate_init": [1e-9, 0.02]}, cv=3).fit(X, y)
    assert found.best_params_ == {"learning_rate_init": 0.02}
