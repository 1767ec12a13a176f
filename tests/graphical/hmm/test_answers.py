"""Forecasts, samples, summaries, the number of states, saving, pictures."""

import numpy as np
import pytest
from scipy import stats

import learnt
from learnt import HiddenMarkovModel, Table, choose_states
from learnt.errors import InputError

TABLES = (
    {"calm": 0.8, "storm": 0.2},
    {"calm": {"calm": 0.9, "storm": 0.1}, "storm": {"calm": 0.4, "storm": 0.6}},
    {
        "wind": {"calm": {"mean": 2.0, "sd": 1.0}, "storm": {"mean": 9.0, "sd": 2.0}},
        "waves": {"calm": {"rate": 1.0}, "storm": {"rate": 6.0}},
        "sky": {"calm": {"blue": 0.7, "grey": 0.3}, "storm": {"grey": 1.0}},
    },
)


@pytest.fixture(scope="module")
def sea():
    return HiddenMarkovModel.from_tables(*TABLES)


def test_the_umbrella_world_is_that_of_the_textbook():
    """S. Russell, P. Norvig, Artificial Intelligence, chapter on reasoning over time: 0.818, 0.883; smoothed 0.883."""
    model = HiddenMarkovModel.from_tables(
        [0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]], {"probabilities": [[0.1, 0.9], [0.8, 0.2]]}
    )
    x = np.ones((2, 1))
    np.testing.assert_allclose(model.filter(x)[:, 0], [0.8182, 0.8834], atol=1e-4)
    np.testing.assert_allclose(model.smooth(x)[0, 0], 0.8834, atol=1e-4)
    five = np.array([[1.0], [1.0], [0.0], [1.0], [1.0]])
    assert model.predict(five).tolist() == [0, 0, 1, 0, 0]


def test_a_forecast_is_the_chain_and_what_it_emits(sea):
    rows = {"wind": [2.0, 8.0], "waves": [1.0, 5.0], "sky": ["blue", "grey"]}
    forecast = sea.forecast(3, rows)
    share = sea.filter(rows)[-1]
    for h in range(3):
        share = share @ sea.transition_
        np.testing.assert_allclose(forecast.state_probabilities[h], share)
        assert forecast.mean["wind"][h] == pytest.approx(share @ [2, 9])
        assert forecast.probabilities["sky"][h].tolist() == pytest.approx([share[0] * 0.7, 1 - share[0] * 0.7])
        low, high = (ends[h] for ends in forecast.interval("wind", 0.8))
        for end, q in ((low, 0.1), (high, 0.9)):
            below = share @ [stats.norm.cdf(end, 2, 1), stats.norm.cdf(end, 9, 2)]
            assert below == pytest.approx(q, abs=1e-9)
        low, high = (ends[h] for ends in forecast.interval("waves", 0.8))
        for end, q in ((low, 0.1), (high, 0.9)):
            cdf = [share @ stats.poisson.cdf(v, [1.0, 6.0]) for v in (end, end - 1)]
            assert cdf[0] >= q > cdf[1]
    assert "storm" in str(forecast)


def test_a_forecast_goes_on_from_what_was_fitted(sea):
    rows, _ = sea.sample(300, random_state=3)
    model = HiddenMarkovModel(2, emissions={"waves": "poisson"}).fit(rows)
    np.testing.assert_allclose(model.forecast(4).state_probabilities, model.forecast(4, rows).state_probabilities)
    parts = [rows.rows(0, 100), rows.rows(100, 300)]
    assert len(HiddenMarkovModel(2, emissions={"waves": "poisson"}).fit(parts).forecast(2)) == 2
    np.testing.assert_allclose(sea.forecast(1).state_probabilities, [[0.8, 0.2]])
    with pytest.raises(InputError, match="not one of numbers"):
        sea.forecast(1).interval("sky")


def test_a_sample_is_as_the_tables_say(sea):
    rows, states = sea.sample(20_000, random_state=1)
    storm = states == "storm"
    assert storm.mean() == pytest.approx(0.2, abs=0.02)
    assert (storm[1:] & storm[:-1]).sum() / storm[:-1].sum() == pytest.approx(0.6, abs=0.02)
    assert rows["wind"].values[storm].mean() == pytest.approx(9, abs=0.15)
    assert rows["waves"].values[~storm].mean() == pytest.approx(1, abs=0.05)
    assert set(np.array(rows["sky"].labels())[storm].tolist()) == {"grey"}
    again, _ = sea.sample(20_000, random_state=1)
    assert again["wind"].values.tobytes() == rows["wind"].values.tobytes()


def test_a_summary_tells_the_states_in_the_words_of_the_table(sea):
    told = sea.summary()
    for words in ("calm", "wind", "9 ± 2", "6 a row", "blue 70 %", "10 rows", "40 %", "long run"):
        assert words in told
    assert str(sea) == told
    assert "HiddenMarkovModel" in str(HiddenMarkovModel(3))


def test_explanations_name_columns_and_later_rows(sea):
    rows = {"wind": [2.0, 6.0, None], "waves": [1.0, 3.0, 6.0], "sky": ["blue", "grey", "grey"]}
    told = sea.explain(rows)
    assert len(told) == 3
    assert [e.column for e in told[1].evidence] == ["wind", "waves", "sky", "later rows"]
    assert told[2].evidence[0].words == "missing, says nothing"
    assert "only state that is possible" in str(told[0])
    assert told[0].prediction == "calm"
    np.testing.assert_allclose([t.add_up() for t in told], [t.total for t in told])


def test_the_number_of_states_is_found(sea):
    rows, _ = sea.sample(600, random_state=0)
    choice = choose_states(rows, HiddenMarkovModel(emissions={"waves": "poisson"}), most=4)
    assert choice.best.n_states == 2
    assert choice.bic[1] == pytest.approx(choice.models[1].bic(rows))
    assert choice.aic[1] == pytest.approx(choice.models[1].aic(rows))
    assert "2 states: the BIC is lowest" in str(choice)


@pytest.mark.parametrize(
    "emissions", ["auto", {"waves": "poisson", "wind": "mixture"}, {"waves": "full", "wind": "full"}]
)
def test_a_saved_model_answers_alike(sea, tmp_path, emissions):
    rows, _ = sea.sample(80, random_state=0)
    model = HiddenMarkovModel(2, emissions=emissions, max_iter=3, tol=1).fit(rows)
    path = tmp_path / "model.learnt"
    learnt.save(model, path)
    same = learnt.load(path)
    assert same.smooth(rows).tobytes() == model.smooth(rows).tobytes()
    assert same.summary() == model.summary()
    assert same.forecast(2).mean["wind"].tolist() == model.forecast(2).mean["wind"].tolist()


def test_a_model_of_tables_is_saved_too(sea, tmp_path):
    path = tmp_path / "model.learnt"
    learnt.save(sea, path)
    assert learnt.load(path).states_.tolist() == ["calm", "storm"]


def test_learning_may_start_from_a_model_of_tables(sea):
    rows, states = sea.sample(2000, random_state=2)
    model = HiddenMarkovModel(2, emissions={"waves": "poisson"}, init=sea).fit(rows)
    assert model.states_.tolist() == ["calm", "storm"]
    assert (model.predict(rows) == states).mean() > 0.97
    with pytest.raises(InputError, match="n_states=3"):
        HiddenMarkovModel(3, emissions={"waves": "poisson"}, init=sea).fit(rows)


def test_pictures_are_drawn(sea):
    import matplotlib.pyplot as plt

    rows, _ = sea.sample(40, random_state=0)
    above, below = sea.plot(rows)
    assert above.get_ylabel() == "wind"
    assert below.get_xlabel() == "row"
    assert sea.plot(rows, column="sky")[0].get_ylabel() == "sky"
    ax = sea.plot_trellis(rows, start=30)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["calm", "storm"]
    assert choose_states(rows, most=2).plot().get_xlabel() == "states"
    with pytest.raises(InputError, match="start=40"):
        sea.plot_trellis(rows, start=40)
    with pytest.raises(InputError, match="no column"):
        sea.plot(rows, column="moon")
    plt.close("all")


def test_one_row_is_drawn_and_one_state(sea):
    import matplotlib.pyplot as plt

    model = HiddenMarkovModel(1).fit({"x": [1.0]})
    model.plot({"x": [1.0]})
    model.plot_trellis({"x": [1.0]})
    plt.close("all")


def test_settings_are_cloned_and_shown():
    from sklearn.base import clone

    model = HiddenMarkovModel(3, topology="cycle", smoothing=0.5)
    assert clone(model).get_params() == model.get_params()
    assert "topology='cycle'" in repr(model)


def test_columns_may_stand_in_another_order_and_more_may_be_there(sea):
    rows, _ = sea.sample(20, random_state=0)
    other = Table({"extra": list(range(20)), **{n: rows[n].labels() for n in ("sky", "waves", "wind")}})
    np.testing.assert_allclose(sea.smooth(other), sea.smooth(rows))
