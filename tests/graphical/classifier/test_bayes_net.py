"""BayesNetClassifier against enumeration, against naive Bayes, and on hostile tables."""

import itertools

import numpy as np
import pytest
from tests.graphical.networks import Network, awkward_table

import learnt
from learnt import BayesNetClassifier, NaiveBayesClassifier, Table, datasets
from learnt.errors import InputError, ParameterError

NET = Network([[], [0], [0, 1], [1, 2], [0, 3], [4, 2]], [2, 3, 2, 3, 2, 3], seed=7)

SHAPES = {
    "naive": "naive",
    "tan": "tan",
    "k2": "k2",
    "hill": "hill",
    "class in the middle": {
        "v1": [],
        "v2": ["v1"],
        "class": ["v1", "v2"],
        "v3": ["class", "v1"],
        "v4": ["v3", "class"],
        "v5": ["v4"],
    },
    "without the class": {"v2": ["v1"], "v4": ["v3", "class"]},
}


def rows(n, seed=1, gaps=0.0):
    codes = NET.draw(n, seed)
    holes = np.random.default_rng(seed).random(codes.shape) < gaps
    holes[0] = False
    cells = [[None if h else f"s{c}" for c, h in zip(*pair, strict=True)] for pair in zip(codes, holes, strict=True)]
    table = {name: pandas_column(c, NET.sizes[j]) for j, (name, c) in enumerate(zip(NET.names, cells, strict=True))}
    return Table({name: c for name, c in table.items() if name != "v0"}), np.array(cells[0])


def pandas_column(cells, size):
    import pandas as pd

    return pd.Categorical(cells, categories=[f"s{c}" for c in range(size)])


def by_enumeration(model, codes):
    """log p(c, x) of a row, −1 where missing, summed over every completion."""
    names = [*model._schema.names, model.target_]
    sizes = model._sizes.tolist()
    out = []
    for c in range(len(model.classes_)):
        total = 0.0
        for cells in itertools.product(*([v] if v >= 0 else range(s) for v, s in zip(codes, sizes, strict=True))):
            place = dict(zip(names, (*cells, c), strict=True))
            p = 1.0
            for node, parents in model.structure_.parents.items():
                axes = [q for q in parents if q != model.target_]
                axes += (
                    [node] if node == model.target_ else [node, *([model.target_] if model.target_ in parents else [])]
                )
                p *= np.exp(model.log_tables_[node][tuple(place[a] for a in axes)])
            total += p
        out.append(total)
    return np.log(out)


@pytest.mark.parametrize("shape", SHAPES)
def test_posteriors_are_those_of_enumeration_whatever_is_missing(shape):
    table, y = rows(300, gaps=0.1)
    model = BayesNetClassifier(SHAPES[shape]).fit(table, y)
    test, _ = rows(60, seed=2, gaps=0.45)
    found, matched = model.predict_log_proba(test), model._matched(test)
    explained = model.explain(test)
    for i in range(60):
        codes = [int(c.values[i]) for c in matched.columns]
        logs = by_enumeration(model, codes)
        np.testing.assert_allclose(found[i], logs - np.logaddexp(*logs), rtol=1e-9, atol=1e-12)
        assert explained[i].total == pytest.approx(abs(logs[0] - logs[1]), rel=1e-8, abs=1e-10)


def test_tables_are_smoothed_counts():
    table, y = rows(200)
    model = BayesNetClassifier("tan", alpha=0.7).fit(table, y)
    codes = {c.name: c.values for c in table.columns} | {"class": (y == "s1").astype(int)}
    for node, logs in model.log_tables_.items():
        axes = [p for p in model.structure_.parents[node] if p != "class"]
        axes += [node] if node == "class" else [node, "class"]
        counts = np.zeros(logs.shape)
        np.add.at(counts, tuple(codes[a] for a in axes), 1)
        own = axes.index(node)
        total = counts.sum(axis=own, keepdims=True)
        np.testing.assert_allclose(np.exp(logs), (counts + 0.7) / (total + 0.7 * counts.shape[own]), rtol=1e-12)


def test_naive_is_naive_bayes_but_for_the_smoothed_prior():
    table = datasets.load("vote")
    ours = BayesNetClassifier("naive", alpha=1.0).fit(table)
    peer = NaiveBayesClassifier(alpha=1.0, priors=list(np.exp(ours.class_log_prior_))).fit(table)
    np.testing.assert_allclose(ours.predict_proba(table), peer.predict_proba(table), rtol=1e-9)
    iris = datasets.load("iris")
    one, two = BayesNetClassifier("naive").fit(iris), NaiveBayesClassifier(likelihoods="mdl", alpha=0.5).fit(iris)
    np.testing.assert_allclose(one.predict_proba(iris), two.predict_proba(iris), rtol=1e-9)  # priors are equal
    assert "cut into intervals where the class changes" in one.notes_[0].text


def test_tan_learns_what_naive_bayes_cannot():
    rng = np.random.default_rng(0)
    a, b = rng.integers(2, size=(2, 400))
    table, y = {"a": a.astype(str), "b": b.astype(str)}, a ^ b
    assert BayesNetClassifier("tan").fit(table, y).score(table, y) == 1
    assert BayesNetClassifier("naive").fit(table, y).score(table, y) < 0.7


def test_a_structure_may_come_from_learn_structure_or_anything_with_a_structure():
    table, y = rows(400)
    parents = BayesNetClassifier("hill").fit(table, y).structure_
    one = BayesNetClassifier(parents).fit(table, y)
    two = BayesNetClassifier(type("Net", (), {"structure": parents.parents})()).fit(table, y)
    np.testing.assert_array_equal(one.predict_proba(table), two.predict_proba(table))
    assert one.structure_.parents == parents.parents


def test_wrong_structures_are_refused():
    table, y = rows(30)
    with pytest.raises(ParameterError, match="circle"):
        BayesNetClassifier({"v1": ["v2"], "v2": ["v1"]}).fit(table, y)
    with pytest.raises(ParameterError, match="the class as 'class'"):
        BayesNetClassifier({"v1": ["v9"]}).fit(table, y)
    with pytest.raises(ParameterError, match="own parent"):
        BayesNetClassifier({"v1": ["v1"]}).fit(table, y)
    for wrong in ("tree", 3, {"v1": "v2"}):
        with pytest.raises(ParameterError, match="structure="):
            BayesNetClassifier(wrong).fit(table, y)


@pytest.mark.parametrize("shape", ["naive", "tan", "k2", "hill"])
def test_hostile_tables(shape):
    table = awkward_table(200)
    y = np.random.default_rng(1).integers(3, size=200)
    model = BayesNetClassifier(shape).fit(table, y)
    assert np.isfinite(model.predict_proba(table)).all()
    blank = {"nothing": [None], "same": [None], "id": ["new"], "number": [None], "label": ["new"]}
    np.testing.assert_allclose(model.predict_proba(blank)[0], np.exp(model.class_log_prior_), rtol=1e-9)
    one = BayesNetClassifier(shape).fit({"a": ["x"], "b": [1.0]}, ["only"])
    assert one.predict({"a": ["y"], "b": [None]}).tolist() == ["only"]
    drawn, classes = model.sample(50)
    assert drawn.n_rows == 50
    assert set(classes) <= {0, 1, 2}


def test_ten_thousand_categories_are_not_linked_to_each_other():
    rng = np.random.default_rng(0)
    n = 20_000
    a, b = rng.integers(10_000, size=(2, n))
    table = Table({"a": [f"a{i}" for i in a], "b": [f"b{i}" for i in b], "c": [f"c{i % 3}" for i in a]})
    model = BayesNetClassifier().fit(table, a % 2)
    assert {"a", "b"} not in [set(edge) for edge in model.structure_.edges]
    assert model.score(table, a % 2) > 0.9
    with pytest.raises(InputError, match="combinations"):
        BayesNetClassifier({"a": ["b", "class"]}).fit(table, a % 2)


def test_without_smoothing_an_impossible_row_keeps_the_priors():
    model = BayesNetClassifier("tan", alpha=0).fit({"a": ["x", "y"] * 5, "b": ["u", "w"] * 5}, [0, 1] * 5)
    np.testing.assert_allclose(model.predict_proba({"a": ["x"], "b": ["w"]})[0], [0.5, 0.5])
    assert model.predict({"a": ["x"], "b": ["u"]}).tolist() == [0]


def test_samples_follow_the_network():
    table, y = rows(3000)
    model = BayesNetClassifier("tan").fit(table, y)
    drawn, classes = model.sample(40_000, random_state=3)
    again = BayesNetClassifier(model.structure_, alpha=0).fit(drawn, classes)
    for node, logs in model.log_tables_.items():
        np.testing.assert_allclose(np.exp(again.log_tables_[node]), np.exp(logs), atol=0.06)
    iris = datasets.load("iris")
    flowers, _ = BayesNetClassifier().fit(iris).sample(500)
    assert flowers.columns[2].values.max() <= iris.columns[2].values.max()


def test_a_saved_model_answers_the_same_and_a_damaged_one_is_refused(tmp_path):
    from dataclasses import replace

    from learnt.errors import SavedModelError

    table, y = rows(100, gaps=0.2)
    model = BayesNetClassifier({"v2": ["v1", "class"]}).fit(table, y)
    learnt.save(model, tmp_path / "m.learnt")
    back = learnt.load(tmp_path / "m.learnt")
    np.testing.assert_array_equal(back.predict_proba(table), model.predict_proba(table))
    assert str(back) == str(model)
    back.structure_ = replace(back.structure_, parents=back.structure_.parents | {"v3": ["v1"]})
    vars(back).pop("_families", None)
    with pytest.raises(SavedModelError, match="do not fit the structure"):
        back._check_fitted_state()


def test_a_column_called_class_does_not_clash():
    model = BayesNetClassifier().fit({"class": ["a", "b"] * 10, "x": ["u", "u", "w", "w"] * 5}, [0, 1] * 10)
    assert model.target_ == "class_"
    assert model.predict({"class": ["a"], "x": ["u"]}).tolist() == [0]


def test_a_network_of_the_whole_table_is_a_classifier_of_its_target():
    vote = learnt.datasets.load("vote")
    network = learnt.BayesianNetwork(learnt.learn_structure(vote)).fit(vote)
    by_network = learnt.BayesNetClassifier(network).fit(vote)
    by_dict = learnt.BayesNetClassifier(
        {
            ("class" if child == "Class" else child): ["class" if p == "Class" else p for p in parents]
            for child, parents in network.structure.items()
        }
    ).fit(vote)
    np.testing.assert_array_equal(by_network.predict_proba(vote), by_dict.predict_proba(vote))
    assert by_network.score(vote) > 0.94
