"""OneVsRestClassifier: each member is the learner itself on one class against the rest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import learnt
from learnt import C45Classifier, MajorityClassifier, NaiveBayesClassifier
from learnt.errors import ParameterError
from learnt.linear.several.one_vs_rest import OneVsRestClassifier, explanation_for

IRIS = learnt.datasets.iris()
TARGET = IRIS.names[-1]
FEATURES = IRIS.drop(TARGET)
SPECIES = np.array(IRIS[TARGET].labels())


@pytest.mark.parametrize("learner", [NaiveBayesClassifier(), C45Classifier(), MajorityClassifier()], ids=repr)
def test_members_are_the_learner_fitted_on_one_class_against_the_rest(learner):
    model = OneVsRestClassifier(learner).fit(IRIS)
    alone = [learnt.clone(learner).fit(FEATURES, c == SPECIES).predict_proba(FEATURES)[:, 1] for c in model.classes_]
    shares = np.column_stack(alone)
    assert_allclose(model.predict_proba(FEATURES), shares / shares.sum(axis=1, keepdims=True), rtol=1e-12)
    assert len(model.members_) == 3


def test_it_agrees_with_the_peer():
    from sklearn.multiclass import OneVsRestClassifier as Peer
    from sklearn.naive_bayes import GaussianNB

    x = np.column_stack([c.values for c in FEATURES.columns])
    peer = Peer(GaussianNB(var_smoothing=0)).fit(x, SPECIES)
    model = OneVsRestClassifier(learnt.NaiveBayesClassifier(var_smoothing=0)).fit(x, SPECIES)
    assert_allclose(model.predict_proba(x), peer.predict_proba(x), atol=1e-9)


def test_two_classes_need_one_member_and_one_class_none():
    two = SPECIES != "Iris-setosa"
    model = OneVsRestClassifier(NaiveBayesClassifier()).fit(FEATURES, two)
    assert len(model.members_) == 1
    expected = NaiveBayesClassifier().fit(FEATURES, two).predict_proba(FEATURES)
    assert_allclose(model.predict_proba(FEATURES), expected, rtol=1e-12)
    assert OneVsRestClassifier(NaiveBayesClassifier()).fit(FEATURES, ["only"] * 150).members_ == []


def test_where_all_are_sure_of_the_rest_classes_are_equally_probable():
    class Never(MajorityClassifier, abstract=True):
        def _probabilities(self, table):
            return np.tile([1.0, 0.0], (table.n_rows, 1))

    model = OneVsRestClassifier(Never()).fit(IRIS)
    assert_allclose(model.predict_proba(FEATURES), 1 / 3)


@pytest.mark.parametrize("learner", [NaiveBayesClassifier(), C45Classifier(), MajorityClassifier()], ids=repr)
def test_the_explanation_is_that_of_the_member_that_decided(learner):
    model = OneVsRestClassifier(learner).fit(IRIS)
    answers, told = model.predict(FEATURES), model.explain(FEATURES)
    turned = 0
    for i in range(0, 150, 7):
        best = model.classes_.tolist().index(answers[i])
        own = model.members_[best].explain(FEATURES.rows(i, i + 1))[0]
        p = model.members_[best].predict_proba(FEATURES.rows(i, i + 1))[0, 1]
        assert told[i].prediction == answers[i]
        assert told[i].add_up() == pytest.approx(told[i].total)
        assert told[i].total == pytest.approx(np.log(p / (1 - p)) if own.kind == "log-odds" else p)
        turned += own.prediction != str(answers[i])
    assert turned or not isinstance(learner, MajorityClassifier)  # a third is always less likely than the rest


def test_a_turned_explanation_speaks_against_what_the_member_said():
    told = OneVsRestClassifier(NaiveBayesClassifier()).fit(IRIS).members_[0].explain(FEATURES)[100]
    assert told.prediction == "not Iris-setosa"
    turned = explanation_for(told, "Iris-setosa")
    assert turned.total == -told.total
    assert "'not Iris-setosa'" in turned.total_words
    assert [e.contribution for e in turned.evidence] == [-e.contribution for e in told.evidence]


def test_settings_reach_into_the_learner_and_are_checked_before_the_work():
    model = OneVsRestClassifier(C45Classifier()).set_params(learner__prune="nonsense")
    with pytest.raises(ParameterError, match="prune='nonsense'"):
        model.fit(IRIS)
    with pytest.raises(ParameterError, match="learner"):
        OneVsRestClassifier(learnt.LinearRegression()).fit(IRIS)
    with pytest.raises(ParameterError, match="learner"):
        OneVsRestClassifier(learnt.TextClassifier()).fit(IRIS)


def test_a_scan_gives_the_same_model(tmp_path):
    file = tmp_path / "iris.csv"
    cells = [",".join(map(str, row)) for row in zip(*IRIS.to_dict().values(), strict=True)]
    file.write_text("\n".join([",".join(IRIS.names), *cells]))
    scan = learnt.scan(file, batch_rows=40)
    streamed = OneVsRestClassifier(NaiveBayesClassifier()).fit(scan, TARGET)
    whole = OneVsRestClassifier(NaiveBayesClassifier()).fit(IRIS)
    assert_allclose(streamed.predict_proba(FEATURES), whole.predict_proba(FEATURES), atol=1e-8)


def test_saving_keeps_members_of_every_kind(tmp_path):
    for learner in (NaiveBayesClassifier(), C45Classifier()):
        model = OneVsRestClassifier(learner).fit(IRIS)
        learnt.save(model, tmp_path / "model.learnt")
        again = learnt.load(tmp_path / "model.learnt")
        np.testing.assert_array_equal(again.predict_proba(FEATURES), model.predict_proba(FEATURES))
        assert str(again.explain(FEATURES)[70]) == str(model.explain(FEATURES)[70])
