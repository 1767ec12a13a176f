import numpy as np
import pytest

from learnt import Table, load, save
from learnt.data.table import Column
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.tree.rule_list import RuleListClassifier
from learnt.tree.show.conditions import Among, Between
from learnt.tree.show.rules import Rule, Rules

S, O, R = "sunny", "overcast", "rainy"
WEATHER = {
    "outlook": [S, S, O, R, R, R, O, S, S, R, S, O, O, R],
    "humidity": [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91],
    "windy": [c == "T" for c in "FTFFFTTFFFTTFT"],
    "play": ["yes" if c == "y" else "no" for c in "nnyyynynyyyyyn"],
}


@pytest.fixture
def weather():
    return Table(WEATHER, target="play")


@pytest.fixture
def model(weather):
    return RuleListClassifier().fit(weather)


def test_the_weather_is_two_rules_and_a_default(model, weather):
    assert str(model) == (
        "1. outlook is sunny and humidity > 75 → no (3, 100 %)\n"
        "2. outlook is rainy and windy is True → no (2, 100 %)\n"
        "   otherwise → yes (9, 100 %)"
    )
    assert model.score(weather) == 1
    assert model.n_tree_leaves_ == 5


def test_probabilities_are_the_class_shares_of_the_rule_that_applied():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 400)
    y = np.where(rng.uniform(0, 1, 400) < np.where(x < 0.5, 0.9, 0.2), "a", "b")
    model = RuleListClassifier(min_samples_leaf=100).fit({"x": x}, y)
    fired = model.rules_.first(Table({"x": x}))
    p = model.predict_proba({"x": x})
    np.testing.assert_allclose(p.sum(axis=1), 1)
    for r, rule in enumerate([*model.rules_, model.rules_.default]):
        np.testing.assert_allclose(p[fired == r], np.tile(rule.shares, (np.sum(fired == r), 1)))
    np.testing.assert_array_equal(model.predict({"x": x}), model.classes_[p.argmax(axis=1)])


def test_the_explanation_is_the_rule_and_adds_up(model, weather):
    told = model.explain(weather)
    first = told[0]
    assert (first.prediction, first.kind, first.total) == ("no", "path", 1.0)
    assert first.base == pytest.approx(5 / 14)
    assert [e.column for e in first.evidence] == ["outlook", "humidity", "windy"]
    assert first.evidence[0].contribution == pytest.approx(3 / 5 - 5 / 14)  # of five sunny days three are without play
    assert first.evidence[1].contribution == pytest.approx(1 - 3 / 5)
    assert first.evidence[2].contribution == 0
    assert "humidity > 75: 0.6 → 1" in first.evidence[1].words
    for explanation, p, predicted in zip(told, model.predict_proba(weather), model.predict(weather), strict=True):
        assert explanation.add_up() == pytest.approx(explanation.total)
        assert explanation.total == pytest.approx(p.max())
        assert explanation.prediction == predicted


def test_a_row_without_a_rule_is_told_so(model):
    told = model.explain({"outlook": [None], "humidity": [None], "windy": [None]})[0]
    assert (told.prediction, told.base_words, told.evidence) == ("yes", "no rule applies", ())


def test_missing_cells_and_unseen_labels_fulfil_no_condition(model):
    rows = {"outlook": ["foggy", "rainy", "sunny"], "humidity": [99.0, 99.0, None], "windy": [True, None, True]}
    assert model.predict(rows).tolist() == ["yes", "yes", "yes"]


def test_a_noisy_column_gives_no_rules():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 1)), np.where(rng.uniform(size=300) < 0.8, "a", "b")
    rules = RuleListClassifier(confidence=0.01, min_samples_leaf=20).fit(X, y).rules_
    assert len(rules) == 0
    assert rules.default.prediction == "a"


def test_less_confidence_makes_fewer_and_shorter_rules():
    def size(seed, confidence):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 4))
        y = X[:, 0] + np.abs(X[:, 1]) + 0.8 * rng.normal(size=400) > 0.5
        rules = RuleListClassifier(confidence=confidence).fit(X, y).rules_
        return sum(1 + len(rule.conditions) for rule in rules)

    few, many = (np.array([size(seed, confidence) for seed in range(4)]) for confidence in (0.01, 0.5))
    assert np.all(few <= many)
    assert few.sum() < 0.8 * many.sum()


def test_a_float32_table_and_a_sparse_one_are_taken():
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3)).astype(np.float32) * (rng.uniform(size=(200, 3)) < 0.5)
    y = (X[:, 0] > 0.2).astype(int)
    dense, sparse = RuleListClassifier().fit(X, y), RuleListClassifier().fit(csr_matrix(X), y)
    assert str(dense) == str(sparse)
    np.testing.assert_array_equal(dense.predict(X), sparse.predict(csr_matrix(X)))
    assert dense.score(X, y) == 1


def test_settings_outside_their_domain_are_refused(weather):
    for wrong in ({"confidence": 0.0}, {"confidence": 0.6}, {"estimate": "guess"}, {"min_samples_leaf": 0}):
        with pytest.raises(ParameterError):
            RuleListClassifier(**wrong).fit(weather)


def test_a_scan_is_refused_in_words(tmp_path, weather):
    from learnt import scan

    rows = zip(*WEATHER.values(), strict=True)
    text = "\n".join([",".join(WEATHER), *(",".join(map(str, row)) for row in rows)])
    (tmp_path / "weather.csv").write_text(text, "utf-8")
    with pytest.raises(InputError, match="given a scan"):
        RuleListClassifier().fit(scan(tmp_path / "weather.csv", target="play"))


def test_a_saved_list_answers_as_before(model, weather, tmp_path):
    save(model, tmp_path / "rules.learnt")
    again = load(tmp_path / "rules.learnt")
    assert str(again) == str(model)
    np.testing.assert_array_equal(again.predict_proba(weather), model.predict_proba(weather))
    assert [str(e) for e in again.explain(weather)] == [str(e) for e in model.explain(weather)]


BAD = {
    "a column that is not there": Rule((Between("pressure", None, 3.0),), "no", 3.0, 1.0, (1.0, 0.0), (0.4, 1.0)),
    "a label that is not there": Rule((Among("outlook", ("foggy",)),), "no", 3.0, 1.0, (1.0, 0.0), (0.4, 1.0)),
    "labels of a numeric column": Rule((Among("humidity", (70,)),), "no", 3.0, 1.0, (1.0, 0.0), (0.4, 1.0)),
    "a text as an end": Rule((Between("humidity", None, "70"),), "no", 3.0, 1.0, (1.0, 0.0), (0.4, 1.0)),
    "a class that is not there": Rule((), "maybe", 3.0, 1.0, (1.0, 0.0), (0.4,)),
    "shares of three classes": Rule((), "no", 3.0, 1.0, (1.0, 0.0, 0.0), (0.4,)),
    "a step too many": Rule((), "no", 3.0, 1.0, (1.0, 0.0), (0.4, 0.5)),
    "no steps": Rule((), "no", 3.0, 1.0, (1.0, 0.0)),
}


@pytest.mark.parametrize("what", BAD)
def test_a_file_whose_rules_do_not_fit_the_model_is_refused(what, model, tmp_path):
    model.rules_ = Rules((BAD[what],), model.rules_.default)
    save(model, tmp_path / "rules.learnt")
    with pytest.raises(SavedModelError):
        load(tmp_path / "rules.learnt")


def test_it_shows_its_rules_in_a_notebook(model):
    assert "outlook is sunny and humidity &gt; 75" in model._repr_html_()
    assert "not fitted" in RuleListClassifier()._repr_html_()
    assert str(RuleListClassifier(confidence=0.1)) == "RuleListClassifier(confidence=0.1)"


@pytest.mark.costly
def test_ten_thousand_categories_take_no_quadratic_time():
    import time

    n = 12_000
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(10_000), np.arange(2000)]).astype(np.int32)
    table = Table.of_columns([Column("place", "nominal", codes, tuple(f"v{i}" for i in range(10_000)))])
    y = (codes * 7919 % 13 > 6) ^ (rng.random(n) < 0.1)
    start = time.process_time()
    model = RuleListClassifier().fit(table, y)
    assert len(model.rules_) > 100
    model.predict(table)
    assert time.process_time() - start < 20  # it took minutes when every rule looked at every row and category
