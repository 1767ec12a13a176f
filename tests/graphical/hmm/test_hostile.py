"""Sequences that cannot be, that say nothing, that are very long; and numbers that would be lost."""

import warnings

import numpy as np
import pytest

from learnt import HiddenMarkovModel, Table
from learnt.errors import InputError, LeftOutWarning, NotFittedError, ParameterError

WEATHER = (
    {"rain": 0.5, "sun": 0.5},
    {"rain": {"rain": 0.7, "sun": 0.3}, "sun": {"rain": 0.3, "sun": 0.7}},
    {"rain": {"umbrella": 1.0}, "sun": {"none": 1.0}},
)


def test_a_row_that_no_state_emits_is_named():
    model = HiddenMarkovModel.from_tables(
        {"a": 1.0}, {"a": {"a": 1.0}}, {"seen": {"a": {"x": 1.0, "y": 0.0}}, "more": {"a": {"u": 0.5, "v": 0.5}}}
    )
    rows = {"seen": ["x", "x", "y", "x"], "more": ["u", "v", "u", "u"]}
    for ask in (model.smooth, model.filter, model.predict, model.decode, model.explain):
        with pytest.raises(InputError, match=r"probability 0 from row 2 on\. No state can emit"):
            ask(rows)
    assert model.log_likelihood(rows).tolist() == [-np.inf]
    assert model.score(rows) == -np.inf


def test_a_row_that_no_reachable_state_emits_is_named_with_its_time():
    model = HiddenMarkovModel.from_tables(
        [1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], {"probabilities": [[1.0, 0.0], [0.0, 1.0]]}
    )
    x = np.zeros((9, 1))
    x[6] = 1
    with pytest.raises(InputError, match=r"from row 6 on\. No state that can be reached"):
        model.smooth(x)
    with pytest.raises(InputError, match="from row 1 of sequence 1 on"):
        model.predict(x, lengths=[5, 4])


@pytest.mark.parametrize("emissions", ["auto", "full", "mixture"])
def test_one_row_and_one_state(emissions):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = HiddenMarkovModel(1, emissions=emissions).fit([[3.0, 4.0]])
        assert model.predict([[3.0, 4.0]]).tolist() == [0]
        assert model.means_[0].tolist() == pytest.approx([3, 4])
        model = HiddenMarkovModel(2, emissions=emissions).fit([[3.0, 4.0]])
        assert model.smooth([[3.0, 4.0]]).sum() == pytest.approx(1)


def test_all_cells_missing():
    x = np.full((6, 2), np.nan)
    model = HiddenMarkovModel(2).fit(x)
    assert np.isfinite(model.log_likelihood_)
    np.testing.assert_allclose(model.smooth(x).sum(axis=1), 1)
    labels = {"seen": [None, None], "x": [1.0, 2.0]}
    assert len(HiddenMarkovModel(2).fit(labels).predict(labels)) == 2


def test_empty_sequences_count_for_nothing():
    x = np.random.default_rng(0).normal(size=(30, 1))
    model = HiddenMarkovModel(2, max_iter=5, tol=1).fit([x[:15], np.empty((0, 1)), x[15:]])
    same = HiddenMarkovModel(2, max_iter=5, tol=1).fit([x[:15], x[15:]])
    assert model.transition_.tolist() == same.transition_.tolist()
    assert [len(p) for p in model.predict([x[:2], np.empty((0, 1))])] == [2, 0]
    assert str(model.decode([np.empty((0, 1))])[0]) == "a path of no rows"
    with pytest.raises(InputError, match="no rows"):
        HiddenMarkovModel(2).fit(np.empty((0, 1)))


def test_a_constant_column_tells_no_state_from_another():
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(np.repeat([0, 6], 40), 1.0), np.full(80, 0.1)])
    model = HiddenMarkovModel(2).fit(x)
    assert (model.variances_[:, 1] == 1).all()
    assert set(model.predict(x)[:40].tolist()).isdisjoint(model.predict(x)[40:].tolist())


def test_a_label_never_seen_counts_as_missing():
    model = HiddenMarkovModel.from_tables(*WEATHER)
    np.testing.assert_allclose(model.filter(["umbrella", "parasol"])[1], [0.7, 0.3])


def test_a_million_rows_do_not_underflow():
    model = HiddenMarkovModel.from_tables(
        [0.5, 0.5], [[0.99, 0.01], [0.02, 0.98]], {"means": [[0.0], [3.0]], "variances": [[1.0], [1.0]]}
    )
    rows, states = model.sample(1_000_000)
    x = rows.columns[0].values[:, None]
    smooth = model.smooth(x)
    assert np.isfinite(smooth).all()
    np.testing.assert_allclose(smooth.sum(axis=1), 1, rtol=1e-12)
    assert -2.5 < model.score(x) < -1
    assert (model.predict(x) == states).mean() > 0.98


def test_far_off_cells_do_not_underflow():
    model = HiddenMarkovModel.from_tables(
        [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], {"means": [[0.0], [1.0]], "variances": [[1e-4], [1e-4]]}
    )
    x = np.array([[0.0], [1e6], [1e200], [0.0]])
    assert np.isfinite(model.smooth(x)).all()
    assert np.isfinite(model.log_likelihood(x)).all()


def test_states_that_seemed_lost_come_back():
    """With two chains that never mix, a thousand rows for the one are outweighed by two thousand for the other."""
    model = HiddenMarkovModel.from_tables([0.5, 0.5], np.eye(2), {"means": [[0.0], [3.0]], "variances": [[1.0], [1.0]]})
    x = np.concatenate([np.zeros(1000), np.full(2000, 3.0)])[:, None]
    logs = -0.5 * np.array([((x - m) ** 2).sum() for m in (0.0, 3.0)]) - 1500 * np.log(2 * np.pi) + np.log(0.5)
    assert model.log_likelihood(x)[0] == pytest.approx(logs[1], rel=1e-12)
    np.testing.assert_allclose(model.smooth(x)[:, 1], 1)
    assert model.filter(x)[500, 0] == pytest.approx(1)
    assert set(model.predict(x).tolist()) == {1}


def test_only_an_unlikely_first_state_is_possible():
    """The state that explains the first row best cannot be first: its density must not drown the other's."""
    model = HiddenMarkovModel.from_tables(
        [1.0, 0.0], [[0.5, 0.5], [0.5, 0.5]], {"means": [[0.0], [100.0]], "variances": [[1.0], [1.0]]}
    )
    x = np.array([[100.0], [100.0]])
    first = -0.5 * 100**2 - 0.5 * np.log(2 * np.pi)
    second = np.log(0.5) - 0.5 * np.log(2 * np.pi)
    assert model.log_likelihood(x)[0] == pytest.approx(first + second, rel=1e-12)


def test_learning_from_chains_that_never_mix_never_falls():
    rng = np.random.default_rng(0)
    x = [rng.normal(3.0 * (i % 2), 1.0, size=(700, 1)) for i in range(6)]
    model = HiddenMarkovModel(2, topology=np.eye(2), max_iter=10, tol=0).fit(x)
    assert np.diff(model.objectives_).min() > -1e-12
    assert [p[0] for p in model.predict(x)] in ([0, 1] * 3, [1, 0] * 3)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        (([0.5, 0.4], np.eye(2), {"rates": [[1.0], [2.0]]}), "start adds up to 0.9"),
        (([0.5, 0.5], [[1, 0], [0.5, 0.6]], {"rates": [[1.0], [2.0]]}), "Row 1 of transition adds up to 1.1"),
        (([0.5, 0.5], [[1.5, -0.5], [0, 1]], {"rates": [[1.0], [2.0]]}), "below 0"),
        (([0.5, 0.5], np.eye(3), {"rates": [[1.0], [2.0]]}), "Expected"),
        (([0.5, 0.5], np.eye(2), {"rates": [[1.0]]}), "a row for each of 2 states"),
        (([0.5, 0.5], np.eye(2), {"means": [[1.0], [2.0]]}), "Expected means with variances"),
        ((*WEATHER[:2], {"rain": {"umbrella": 0.5}, "sun": {"none": 1.0}}), "add up to 0.5"),
        ((*WEATHER[:2], {"rain": {"umbrella": 1.0}}), "no entry for the state"),
        (({"rain": 1.0}, {"rain": {"snow": 1.0}}, {"rain": {"wet": 1.0}}), "names 'snow'"),
        ((*WEATHER[:2], "umbrella"), "emission is a dict"),
    ],
)
def test_tables_that_are_none_are_refused(tables, words):
    with pytest.raises(InputError, match=words):
        HiddenMarkovModel.from_tables(*tables)


def test_settings_that_do_not_fit_the_table_are_refused():
    table = {"x": [1.0, 2.5], "c": ["a", "b"]}
    for emissions, words in (
        ({"y": "full"}, "no column"),
        ({"x": "normal"}, "not allowed"),
        ({"c": "poisson"}, "nominal"),
    ):
        with pytest.raises((ParameterError, InputError), match=words):
            HiddenMarkovModel(2, emissions=emissions).fit(table)
    with pytest.raises(InputError, match=r"has 2.5 in row 1"):
        HiddenMarkovModel(2, emissions={"x": "poisson"}).fit(table)
    with pytest.raises(ParameterError, match="topology"):
        HiddenMarkovModel(2, topology=np.eye(3)).fit(table)
    with pytest.raises(InputError, match="infinite"):
        HiddenMarkovModel(2).fit([[np.inf], [1.0]])
    with pytest.raises(NotFittedError):
        HiddenMarkovModel(2).predict(table)


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = HiddenMarkovModel(2, max_iter=2, tol=1).fit([[0.0], [1.0], [5.0]])
    before = model.means_.tolist()
    with pytest.raises(InputError):
        model.fit([[np.inf], [1.0]])
    assert model.means_.tolist() == before


def test_long_texts_are_left_out_and_said_so():
    rng = np.random.default_rng(0)
    words = ["pump", "valve", "noise", "heat", "oil", "pressure", "belt", "motor", "check", "clean"]
    texts = [" ".join(rng.choice(words, 12)) + "." for _ in range(60)]
    table = Table({"x": rng.normal(size=60), "report": texts}, kinds={"report": "text"})
    with pytest.warns(LeftOutWarning, match="report"):
        model = HiddenMarkovModel(2, max_iter=2, tol=1).fit(table)
    assert model.number_names_ == ["x"]
    assert len(model.predict(table)) == 60
    with pytest.raises(InputError):
        HiddenMarkovModel(2).fit(table.select(["report"]))
