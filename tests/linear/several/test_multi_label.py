"""MultiLabelClassifier: a learner per label, alone or in a chain."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import accuracy_score, hamming_loss, precision_recall_fscore_support

import learnt
from learnt import C45Classifier, NaiveBayesClassifier
from learnt.errors import InputError, KindError, NotFittedError, ParameterError
from learnt.linear.several.multi_label import MultiLabelClassifier

X, Y = make_multilabel_classification(200, 8, n_classes=4, random_state=0)


def bayes(**settings):
    return MultiLabelClassifier(NaiveBayesClassifier(), **settings)


def test_without_a_chain_every_label_has_the_learner_for_itself():
    model = bayes().fit(X, Y)
    alone = [NaiveBayesClassifier().fit(X, Y[:, j]).predict_proba(X)[:, 1] for j in range(4)]
    assert_allclose(model.predict_proba(X), np.column_stack(alone), atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X) > 0.5)


def test_a_chain_is_that_of_the_peer():
    from sklearn.multioutput import ClassifierChain
    from sklearn.tree import DecisionTreeClassifier

    x, y = X[:120], Y[:120]
    peer = ClassifierChain(DecisionTreeClassifier(max_depth=3, random_state=0)).fit(x, y)
    model = MultiLabelClassifier(learnt.DecisionTreeClassifier(max_depth=3), chain=True).fit(x, y)
    rest = X[120:]
    assert np.mean(model.predict(rest) == peer.predict(rest)) > 0.95  # equal but for cuts that tie
    assert [m.n_features_in_ for m in model.members_] == [8, 9, 10, 11]


def test_a_chain_learns_what_labels_say_of_each_other():
    rng = np.random.default_rng(0)
    first = rng.integers(2, size=400)
    x = np.column_stack([first + 0.1 * rng.normal(size=400), rng.normal(size=400)])
    y = np.column_stack([first, first ^ (x[:, 1] > 0)])
    tree = C45Classifier()
    assert MultiLabelClassifier(tree, chain=True).fit(x, y).score(x, y) > 0.99


@pytest.mark.parametrize("chain", [False, True])
def test_labels_may_come_in_many_forms(chain):
    model = bayes(chain=chain).fit(X, Y)
    names = ["a", "b", "c", "d"]
    frame = pd.DataFrame(Y, columns=names)
    sets = [{names[j] for j in np.flatnonzero(row)} for row in Y]
    whole = pd.concat([pd.DataFrame(X, columns=[f"x{j}" for j in range(8)]), frame], axis=1)
    expected = model.predict_proba(X)
    for rows, form in (
        (X, Y.astype(bool)),
        (X, Y.tolist()),
        (X, scipy.sparse.csr_matrix(Y)),
        (X, frame),
        (X, sets),
        (X, [sorted(s) for s in sets]),
        (whole, names),
        (whole.drop(columns=names), {n: frame[n].astype(bool).to_numpy() for n in names}),
    ):
        again = bayes(chain=chain).fit(rows, form)
        assert_allclose(again.predict_proba(rows), expected, atol=1e-12)
        assert again.score(rows, form) == model.score(X, Y)
    assert again.labels_.tolist() == names


def test_sets_come_back_as_sets():
    sets = [{"x"}, {"x", "y"}, set(), {"y"}] * 5
    table = {"p": [1.0, 1.0, 0.0, 0.0] * 5, "q": [0.0, 1.0, 0.0, 1.0] * 5}
    model = MultiLabelClassifier(C45Classifier()).fit(table, sets)
    assert model.predict_sets(table) == sets
    assert model.score(table, sets) == 1
    assert model.hamming_loss(table, sets) == 0


def test_scores_are_those_of_the_peers_metrics():
    model = bayes().fit(X, Y)
    said = model.predict(X)
    w = np.random.default_rng(1).uniform(0.1, 2, len(X))
    for weights in (None, w):
        assert model.score(X, Y, weights) == pytest.approx(accuracy_score(Y, said, sample_weight=weights))
        assert model.hamming_loss(X, Y, weights) == pytest.approx(hamming_loss(Y, said, sample_weight=weights))
        precision, recall, f1, _ = precision_recall_fscore_support(Y, said, sample_weight=weights)
        scores = model.label_scores(X, Y, weights)
        assert_allclose(scores["precision"].values, precision)
        assert_allclose(scores["recall"].values, recall)
        assert_allclose(scores["f1"].values, f1)


def test_weights_are_copies_of_rows_and_may_be_a_column():
    w = np.random.default_rng(2).integers(0, 3, len(X))
    copies = np.repeat(np.arange(len(X)), w)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(w=w)
    model = bayes().fit(frame, Y, "w")
    assert_allclose(model.predict_proba(frame), bayes().fit(X[copies], Y[copies]).predict_proba(X), atol=1e-9)
    assert model.score(frame, Y, "w") == pytest.approx(model.score(frame.iloc[copies], Y[copies]))


def test_labels_that_only_rows_of_weight_zero_have_are_none():
    sets = [{"a"}, {"a", "b"}, {"b"}, {"ghost"}]
    model = bayes().fit(X[:4], sets, [1, 1, 1, 0])
    assert model.labels_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict_proba(X), bayes().fit(X[:3], sets[:3]).predict_proba(X))
    with pytest.raises(InputError, match="Only rows of weight 0 have labels"):
        bayes().fit(X[:2], [set(), {"ghost"}], [1, 0])


def test_labels_that_all_or_no_rows_have_are_certain():
    y = np.column_stack([Y[:, 0], np.ones(200), np.zeros(200)])
    for chain in (False, True):
        shares = bayes(chain=chain).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(shares[:, 1:], y[:, 1:])


def test_sparse_rows_are_taken_in_a_chain_too():
    sparse = scipy.sparse.csr_matrix(X)
    for chain in (False, True):
        model = MultiLabelClassifier(learnt.BernoulliNB(), chain=chain).fit(sparse, Y)
        given = sparse if not chain else scipy.sparse.hstack([sparse, Y[:, :1]]).tocsr()
        said = sparse if not chain else scipy.sparse.hstack([sparse, model.predict(sparse)[:, :1]]).tocsr()
        alone = learnt.BernoulliNB().fit(given, Y[:, 1]).predict_proba(said)[:, 1]
        assert_allclose(model.predict_proba(sparse)[:, 1], alone)


@pytest.mark.parametrize("chain", [False, True])
def test_the_explanation_is_that_of_the_labels_learner(chain):
    model = bayes(chain=chain).fit(X, pd.DataFrame(Y, columns=["a", "b", "c", "d"]))
    shares = model.predict_proba(X)
    for label, j in (("a", 0), ("d", 3)):
        for i in (0, 5, 9):
            told = model.explain(X, label)[i]
            p = shares[i, j] if shares[i, j] > 0.5 else 1 - shares[i, j]
            assert told.prediction == (label if shares[i, j] > 0.5 else f"not {label}")
            assert told.add_up() == pytest.approx(told.total)
            assert told.total == pytest.approx(np.log(p / (1 - p)))
    best = model.explain(X)[0].prediction
    assert best.removeprefix("not ") == model.labels_[shares[0].argmax()]
    if chain:
        assert [e.column for e in model.explain(X, "c")[0].evidence][-2:] == ["a", "b"]


def test_saving_and_cloning_keep_it(tmp_path):
    for chain in (False, True):
        model = bayes(chain=chain).fit(X, [{f"l{j}" for j in np.flatnonzero(row)} for row in Y])
        learnt.save(model, tmp_path / "model.learnt")
        again = learnt.load(tmp_path / "model.learnt")
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.labels_.tolist() == model.labels_.tolist()
    with pytest.raises(NotFittedError):
        learnt.clone(model).predict(X)


def test_it_is_found_by_name_but_not_listed_among_learners_of_one_target():
    from learnt.learner import registry

    assert registry.find("MultiLabelClassifier") is MultiLabelClassifier
    assert "MultiLabelClassifier" not in [entry.name for entry in learnt.learners()]


def test_what_makes_no_sense_is_refused_with_its_place():
    for y, said in (
        (None, "several columns"),
        ("x0", "several columns"),
        (Y[:, 0], "two dimensions"),
        (Y[:50], r"200.*50"),
        (Y + 1, r"label 1|label 0"),
        (np.where(np.arange(200)[:, None] == 17, np.nan, Y.astype(float)), "row 17"),
        ([set()] * 200, "empty sets"),
        ([{"a"}, 3] * 100, "Row 1"),
        (["nothing", "x1"], "'nothing'"),
    ):
        with pytest.raises(InputError, match=said):
            bayes().fit(X, y)
    with pytest.raises(KindError, match="common order"):
        bayes().fit(X, [{"a", 1}] * 200)
    with pytest.raises(InputError, match="'x0' is called like a column"):
        bayes(chain=True).fit(X, [{"x0", "b"}, {"b"}] * 100)
    with pytest.raises(ParameterError, match="chain"):
        bayes(chain=1).fit(X, Y)
    model = bayes().fit(X, [{"a"}, {"b"}] * 100)
    with pytest.raises(InputError, match="'c', which was not there"):
        model.score(X, [{"c"}] * 200)
    with pytest.raises(InputError, match="no label 'z'"):
        model.explain(X, "z")


def test_a_failed_fit_changes_nothing():
    model = bayes().fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(InputError):
        model.fit(X, Y + 5)
    np.testing.assert_array_equal(model.predict_proba(X), before)
