"""`with_loss`: any classifier of the package made to answer with the least expected loss."""

import numpy as np
import pytest

import learnt
from learnt import datasets
from learnt.bayes import MinimumRiskClassifier, decide
from learnt.errors import NotFittedError, ParameterError

LOSS = {("recurrence-events", "no-recurrence-events"): 50, ("no-recurrence-events", "recurrence-events"): 1}
#: All that take the columns of the table as they are; some take texts or counts only.
CLASSIFIERS = [entry for entry in learnt.learners("classification") if "nominal" in entry.abilities]


@pytest.mark.parametrize("entry", CLASSIFIERS, ids=lambda entry: entry.name)
def test_every_classifier_can_be_given_a_loss(entry):
    table = datasets.load("breast_cancer")
    model = entry.cls().fit(table)
    risky = model.with_loss(LOSS)
    p = model.predict_proba(table)
    np.testing.assert_array_equal(risky.predict_proba(table), p)
    wanted = decide(p, LOSS, classes=model.classes_)
    np.testing.assert_array_equal(risky.predict(table), wanted.answers)
    assert risky.explain(table)[0].total == pytest.approx(wanted.risk[0])


def test_a_loss_may_come_before_fitting_or_after():
    table = datasets.load("breast_cancer")
    before = learnt.DiscriminantClassifier().with_loss(LOSS).fit(table)
    after = learnt.DiscriminantClassifier().fit(table).with_loss(LOSS)
    np.testing.assert_array_equal(before.predict(table), after.predict(table))
    with pytest.raises(NotFittedError):
        learnt.DiscriminantClassifier().with_loss(LOSS).predict(table)


def test_the_classifier_given_is_left_alone():
    table = datasets.load("breast_cancer")
    inner = learnt.DiscriminantClassifier()
    inner.with_loss(LOSS).fit(table)
    assert not inner.__sklearn_is_fitted__()


def test_a_classifier_of_texts_can_be_given_a_loss(tmp_path):
    texts, kinds = ["free money now", "money for free", "lunch at noon", "then lunch"], ["spam", "spam", "ham", "ham"]
    loss = {("ham", "spam"): 10, ("spam", "ham"): 1}
    asked = ["free lunch", "money", "unheard", None]
    inner = learnt.text_classifier().fit(texts, kinds)
    wanted = decide(inner.predict_proba(asked), loss, classes=inner.classes_)
    assert wanted.answers.tolist() != inner.predict(asked).tolist()
    before = learnt.text_classifier().with_loss(loss).fit(texts, kinds)
    learnt.save(before, tmp_path / "model.learnt")
    for model in (before, inner.with_loss(loss), learnt.load(tmp_path / "model.learnt")):
        np.testing.assert_array_equal(model.predict(asked), wanted.answers)
        assert model.explain(asked)[0].total == pytest.approx(wanted.risk[0])
        truth = ["spam", "ham", "ham", "spam"]
        paid = [loss.get(pair, 0) for pair in zip(truth, wanted.answers.tolist(), strict=True)]
        assert model.cost(asked, truth) == pytest.approx(np.mean(paid))
        assert model.cost({"mail": asked, "kind": truth}, "kind") == pytest.approx(np.mean(paid))
        assert model.score(asked, truth) == np.mean(wanted.answers == truth)
    rare = learnt.text_classifier(priors={"ham": 0.99, "spam": 0.01})
    likely = rare.with_loss(rule="ml").fit(texts, kinds)  # the priors are divided out again
    assert likely.predict(["money", "lunch"]).tolist() == ["spam", "ham"]
    assert likely.classifier_.predict(["money", "lunch"]).tolist() == ["ham", "ham"]
    with pytest.raises(NotFittedError):
        learnt.text_classifier().with_loss(loss).predict(asked)
    again = before.fit({"mail": texts, "kind": kinds}, "kind")
    assert before.fit(texts, kinds) is again
    assert not hasattr(again, "feature_names_in_")  # of the fit before


def test_hypotheses_weighted_without_data_can_be_given_a_loss():
    votes = [lambda rows: "+", lambda rows: "-", lambda rows: "-"]
    model = learnt.BayesOptimalClassifier(votes, [0.4, 0.3, 0.3]).weighted(["+", "-"])
    careful = model.with_loss({("+", "-"): 2, ("-", "+"): 1})
    made = careful.decide({"x": [0]})
    assert made.answers.tolist() == careful.predict({"x": [0]}).tolist() == ["+"]
    np.testing.assert_allclose(made.expected_loss, [[0.6, 0.8]])


def test_a_fitted_one_survives_its_file(tmp_path):
    table = datasets.load("breast_cancer")
    model = learnt.DiscriminantClassifier(shrinkage=0.1).fit(table).with_loss(LOSS)
    learnt.save(model, tmp_path / "model.learnt")
    loaded = learnt.load(tmp_path / "model.learnt")
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    assert loaded.loss == LOSS


def test_rejected_rows_get_no_answer():
    table = datasets.load("breast_cancer")
    model = learnt.DiscriminantClassifier().fit(table)
    careful = model.with_loss(rule="reject", reject_cost=0.2)
    doubtful = model.predict_proba(table).max(axis=1) < 0.8
    assert [a is None for a in careful.predict(table).tolist()] == doubtful.tolist()
    assert careful.cost(table) == pytest.approx(
        np.mean(np.where(doubtful, 0.2, model.predict(table) != np.array(table[table.target].labels())))
    )


def test_maximum_likelihood_takes_the_priors_of_the_classifier_or_those_given():
    rng = np.random.default_rng(0)
    x, y = np.concatenate([rng.normal(0, 1, 900), rng.normal(1, 1, 100)])[:, None], np.repeat([0, 1], [900, 100])
    model = learnt.DiscriminantClassifier().fit(x, y)
    equal = learnt.DiscriminantClassifier(priors="uniform").fit(x, y)
    np.testing.assert_array_equal(model.with_loss(rule="ml").predict(x), equal.predict(x))
    tree = learnt.DecisionTreeClassifier(max_depth=3).fit(x, y)
    with pytest.raises(ParameterError, match="priors="):
        tree.with_loss(rule="ml")
    given = tree.with_loss(rule="ml", priors=[0.9, 0.1])
    np.testing.assert_array_equal(given.predict(x), decide(tree.predict_proba(x), rule="ml", priors=[0.9, 0.1]).answers)


def test_the_realised_cost_is_that_of_the_answers():
    table = datasets.load("breast_cancer")
    model = learnt.DiscriminantClassifier().fit(table).with_loss(LOSS)
    truth, said = table[table.target].labels(), model.predict(table).tolist()
    costs = [LOSS.get((t, a), 0) for t, a in zip(truth, said, strict=True)]
    assert model.cost(table) == pytest.approx(np.mean(costs))
    weights = np.arange(len(costs)) % 3
    assert model.cost(table, sample_weight=weights) == pytest.approx(np.average(costs, weights=weights))


def test_a_loss_that_does_not_fit_the_classes_is_found_before_the_work():
    table = datasets.load("breast_cancer")
    for loss in ({("sick", "well"): 1, ("well", "sick"): 1}, np.ones((3, 3)), np.ones((2, 3))):
        with pytest.raises(ParameterError):
            MinimumRiskClassifier(learnt.MajorityClassifier(), loss).fit(table)
        with pytest.raises(ParameterError):
            learnt.MajorityClassifier().fit(table).with_loss(loss)


def costs_by_fold(table, loss, folds=10):
    """Realised costs of MAP and of least risk, row by row, each predicted by a model that did not see it."""
    from sklearn.model_selection import StratifiedKFold

    truth = np.array(table[table.target].labels())
    costs = np.zeros((2, len(truth)))
    split = StratifiedKFold(folds, shuffle=True, random_state=0).split(np.zeros(len(truth)), truth)
    for train, test in split:
        model = learnt.NaiveBayesClassifier().fit(table.take(train))
        rows = table.take(test)
        for i, answers in enumerate((model.predict(rows), model.with_loss(loss).predict(rows))):
            costs[i, test] = [loss.get((t, a), 0) for t, a in zip(truth[test].tolist(), answers.tolist(), strict=True)]
    return costs


@pytest.mark.parametrize(
    ("name", "missed", "other"),
    [("breast_cancer", "recurrence-events", "no-recurrence-events"), ("vote", "republican", "democrat")],
)
def test_least_risk_realises_less_cost_than_the_most_probable_class_on_real_data(name, missed, other):
    loss = {(missed, other): 50, (other, missed): 1}
    by_map, by_risk = costs_by_fold(datasets.load(name), loss)
    saved = by_map - by_risk
    rng = np.random.default_rng(1)
    means = [saved[rng.integers(len(saved), size=len(saved))].mean() for _ in range(2000)]
    low = np.quantile(means, 0.025)  # of the 95 % interval of a paired bootstrap
    assert low > 0, f"saved {saved.mean():.3f} a row, at least {low:.3f}"
