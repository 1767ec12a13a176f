"""Any data in, clear answers or clear errors: missing cells, one observation, none, constants, nonsense."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import learnt
from learnt.bayes.estimate import (
    BetaBernoulli,
    Counts,
    DirichletMultinomial,
    Moments,
    MultivariateNormalKnownCovariance,
    NormalGamma,
    NormalKnownVariance,
    NormalWishart,
)
from learnt.errors import InputError, KindError, LearntError, ParameterError

PRIORS = [
    BetaBernoulli(),
    DirichletMultinomial([1, 1, 1]),
    NormalKnownVariance(0, 1, 1),
    NormalGamma(0, 1, 1, 1),
    MultivariateNormalKnownCovariance([0, 0], 1, 1),
    NormalWishart([0, 0], 1, 3, 1),
]
IMPROPER = [
    BetaBernoulli(0, 0),
    DirichletMultinomial(0, ["a", "b"]),
    NormalKnownVariance(0, math.inf, 1),
    NormalGamma(0, 0, 0.5, 0),
    MultivariateNormalKnownCovariance([0, 0], math.inf, 1),
    NormalWishart([0, 0], 0, 2, 0),
]


def name_of(pair):
    return type(pair).__name__


def blank(pair, n):
    return np.full((n, 2) if hasattr(pair, "width") else n, np.nan)


# Forms of data.


@pytest.mark.parametrize("form", [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda x: np.float32(x)])
def test_numbers_may_come_in_any_form(form):
    assert NormalKnownVariance(0, math.inf, 1).update(form([1.0, 2.0, 6.0])).mean() == 3


@pytest.mark.parametrize(
    "data",
    [
        [True, False, None, True],
        [1, 0, None, 1],
        np.array([1, 0, np.nan, 1]),
        pd.Series([True, False, None, True], dtype="boolean"),
        pl.Series([True, False, None, True]),
    ],
)
def test_successes_may_be_truths_or_ones_and_zeros(data):
    seen = BetaBernoulli().update(data).statistics
    assert seen.weight.tolist() == [2, 1]
    assert (seen.rows, seen.missing) == (4, 1)


def test_any_value_can_be_the_success():
    assert BetaBernoulli(success=6).update([6, 1, 3, 6]).statistics.weight.tolist() == [2, 2]
    assert BetaBernoulli(success=False).update([True, False]).statistics.weight.tolist() == [1, 1]
    assert BetaBernoulli(success=False).update([1, 1, 0]).statistics.weight.tolist() == [1, 2]
    assert BetaBernoulli(success="x").update(pd.Categorical(["x", "y"])).statistics.weight.tolist() == [1, 1]
    assert BetaBernoulli(success="never").update(["x", "y"]).statistics.weight.tolist() == [0, 2]


def test_labels_may_be_text_or_numbers_and_come_in_any_order():
    sky = DirichletMultinomial({"sun": 1, "rain": 2})
    assert sky.update(pl.Series(["rain", "rain", "sun"])).statistics.weight.tolist() == [1, 2]
    die = DirichletMultinomial(1, categories=range(1, 7)).update([6, 6, 1, None])
    assert die.statistics.weight.tolist() == [1, 0, 0, 0, 0, 2]
    assert die.categories == (1, 2, 3, 4, 5, 6)


def test_columns_with_names_are_matched_by_name():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [10.0, 20, 31]})
    prior = NormalWishart([0, 0], 1, 3, 1)
    pair = prior.update(frame).update(frame[["b", "a"]].assign(c=1.0))
    assert pair.columns == ("a", "b")
    np.testing.assert_allclose(pair.statistics.mean, [2, 61 / 3])
    assert "a " in str(pair)
    with pytest.raises(InputError, match="no column 'b'"):
        pair.update(frame[["a"]])
    assert prior.columns == ("x0", "x1")
    assert prior.update(frame.to_numpy()).columns == ("x0", "x1")
    iris = learnt.datasets.load("iris").drop("class")
    assert NormalWishart([0] * 4, 1, 5, 1).update(iris).statistics.rows == 150


# Missing, none, one, constant.


@pytest.mark.parametrize("pair", PRIORS, ids=name_of)
def test_missing_observations_are_left_out_and_counted(pair):
    after = pair.update(blank(pair, 3))
    assert (after.statistics.rows, after.statistics.missing) == (3, 3)
    assert after.log_marginal_likelihood() == 0
    assert "(3 missing left out)" in str(after)
    for name, value in pair.parameters.items():
        np.testing.assert_array_equal(after.parameters[name], value)


def test_a_row_with_one_missing_cell_is_left_out():
    whole, part = [[1.0, 2.0], [3.0, 5.0]], [[1.0, 2.0], [None, 9.0], [3.0, 5.0]]
    for prior in PRIORS[4:]:
        one, other = prior.update(whole), prior.update(part)
        np.testing.assert_allclose(one.mean()[0], other.mean()[0])
        assert one.log_marginal_likelihood() == pytest.approx(other.log_marginal_likelihood())
        assert other.statistics.missing == 1


@pytest.mark.parametrize("pair", PRIORS, ids=name_of)
def test_nothing_observed_leaves_the_prior(pair):
    after = pair.update(blank(pair, 0))
    assert after.log_marginal_likelihood() == 0
    assert not after.statistics
    assert str(after) == str(pair)
    for name, value in pair.prior_parameters.items():
        np.testing.assert_array_equal(after.parameters[name], value)


@pytest.mark.parametrize("pair", IMPROPER, ids=name_of)
def test_without_prior_and_data_there_is_no_answer_and_a_reason(pair):
    for ask in ("mean", "map", "predictive", "credible_interval", "log_marginal_likelihood", "plot"):
        with pytest.raises(LearntError, match=r"no |No |not a distribution"):
            getattr(pair, ask)()
    with pytest.raises(InputError, match=r"The posterior of .* is not a distribution"):
        pair.posterior
    with pytest.raises(InputError, match="is not a distribution"):
        pair.prior
    assert "not a distribution: " in str(pair)


def test_one_observation():
    assert BetaBernoulli().update([True]).map() == 1
    assert NormalKnownVariance(0, math.inf, 4).update([3.0]).posterior.var() == 4
    pair = NormalGamma(0, 1, 1, 1).update([2.0])
    assert pair.parameters == {"mean": 1.0, "kappa": 2.0, "alpha": 1.5, "beta": 2.0}
    rows = NormalWishart([0, 0], 1, 3, 1).update([[2.0, 0.0]])
    np.testing.assert_allclose(rows.parameters["scale"], [[3, 0], [0, 1]])
    with pytest.raises(InputError, match="singular"):
        NormalWishart([0, 0], 0, 2, 0).update([[2.0, 0.0]]).map()


@pytest.mark.parametrize("value", [0.1, 1e9 + 0.1, -7.3])
@pytest.mark.parametrize("n", [2, 3, 7, 10])
def test_equal_observations_have_exactly_no_scatter(value, n):
    data = [value] * n
    seen = NormalGamma(0, 0, 0.5, 0).update(data).update(data, weights=np.linspace(0.1, 0.9, n))
    assert seen.statistics.scatter == 0
    assert seen.map() == (value, math.inf)
    assert seen.map().variance == 0
    with pytest.raises(InputError, match="all observations are equal"):
        seen.posterior
    assert NormalGamma(0, 1, 1, 1).update(data).posterior.beta > 0


def test_a_constant_column_is_named():
    rows = [[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]
    pair = NormalWishart([0, 0], 0, 2, 0).update(pd.DataFrame(rows, columns=["a", "flat"]))
    with pytest.raises(InputError, match="column 'flat' is constant"):
        pair.predictive()
    with pytest.raises(InputError, match="some columns repeat others"):
        NormalWishart([0, 0], 0, 2, 0).update([[1, 2], [2, 4], [3, 6], [7, 14]]).predictive()


def test_numbers_far_from_zero_keep_their_variance():
    x = 1e9 + np.array([0.0, 1.0, 2.0])
    seen = NormalGamma(1e9, 0, 0.5, 0)
    for part in x:
        seen = seen.update([part])
    assert seen.map().variance == pytest.approx(2 / 3)


def test_columns_of_very_different_units_still_have_estimates():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 2)) * [1e-7, 1e7]
    pair = NormalWishart([0, 0], 0, 2, 0).update(x)
    np.testing.assert_allclose(pair.map().covariance, np.cov(x.T, bias=True), rtol=1e-6)
    assert "Student" in str(pair)
    with pytest.raises(InputError, match="other units"):
        pair.predictive()
    known = MultivariateNormalKnownCovariance([0, 0], math.inf, np.diag([1e-14, 1e14])).update(x)
    assert np.isfinite(known.predictive().logpdf(x)).all()


# Nonsense.


@pytest.mark.parametrize(
    ("prior", "data", "error", "words"),
    [
        (BetaBernoulli(), [1, 0, 2], InputError, "Row 2 of the data is 2"),
        (BetaBernoulli(), ["H", "T"], InputError, r"labels 'H', 'T'.*success='H'"),
        (BetaBernoulli(), [1, math.inf], InputError, "Row 1"),
        (BetaBernoulli(success="H"), [1, 0], InputError, "Row 0 of the data is 1"),
        (BetaBernoulli(), True, KindError, "Expected one value per row"),
        (BetaBernoulli(), [[1, 0], [0, 1]], KindError, "list"),
        (DirichletMultinomial({"a": 1, "b": 1}), ["a", "c"], InputError, "Row 1 of the data is 'c'.*'a', 'b'"),
        (DirichletMultinomial([1, 1]), [0, 1, 2], InputError, "Row 2 of the data is 2"),
        (DirichletMultinomial([1, 1]), [0.5], InputError, "Row 0"),
        (DirichletMultinomial({"a": 1, "b": 1}), [3.0], InputError, "Row 0"),
        (NormalGamma(0, 1, 1, 1), ["x", "y"], KindError, "is nominal. Expected numbers"),
        (NormalGamma(0, 1, 1, 1), [1.0, math.inf], InputError, "1 infinite value.*row 1"),
        (NormalGamma(0, 1, 1, 1), [1e200, -1e200], InputError, "as large as 1e\\+200"),
        (NormalGamma(0, 1, 1, 1), [1 + 2j], InputError, "Complex"),
        (NormalGamma(0, 1, 1, 1), None, KindError, "NoneType"),
        (NormalWishart([0, 0], 1, 3, 1), [1.0, 2.0], InputError, "2D"),
        (NormalWishart([0, 0], 1, 3, 1), [[1.0, 2.0, 3.0]], InputError, "has 3 columns. Expected 2"),
        (NormalWishart([0, 0], 1, 3, 1), [[1.0, "a"]], KindError, "Column 'x1' is nominal"),
        (NormalWishart([0, 0], 1, 3, 1), [[1.0, math.inf]], InputError, "Column 'x1'"),
    ],
)
def test_data_that_cannot_be_observed_are_refused_with_the_place(prior, data, error, words):
    with pytest.raises(error, match=words):
        prior.update(data)


@pytest.mark.parametrize("weights", [[1], [1, -1], [1, math.nan], [1, math.inf], ["a", "b"], [[1, 1]]])
@pytest.mark.parametrize("pair", [BetaBernoulli(), NormalGamma(0, 1, 1, 1)], ids=name_of)
def test_weights_must_be_one_number_per_row(pair, weights):
    with pytest.raises(InputError):
        pair.update([1, 0], weights=weights)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BetaBernoulli(-1, 1), "BetaBernoulli: alpha=-1"),
        (lambda: BetaBernoulli(1, math.inf), "beta=inf"),
        (lambda: BetaBernoulli(True, 1), "alpha=True"),
        (lambda: BetaBernoulli(success=[1]), "success="),
        (lambda: DirichletMultinomial(1), "one number together with categories"),
        (lambda: DirichletMultinomial([1, -1]), "not negative"),
        (lambda: DirichletMultinomial([1]), "2 different labels"),
        (lambda: DirichletMultinomial([1, 1], ["a", "a"]), "2 different labels"),
        (lambda: DirichletMultinomial([1, 1], ["a", "b", "c"]), "2 different labels"),
        (lambda: DirichletMultinomial([1, 1], ["a", None]), "none of them missing"),
        (lambda: DirichletMultinomial([1, 1], [["a"], ["b"]]), "labels of text"),
        (lambda: DirichletMultinomial({"a": 1}, ["a"]), "keys of alpha"),
        (lambda: DirichletMultinomial(1, "ab"), "a list of labels"),
        (lambda: DirichletMultinomial([1, math.nan]), "finite numbers"),
        (lambda: DirichletMultinomial({1, 2}), "finite numbers"),
        (lambda: NormalKnownVariance(0, 0, 1), "variance=0"),
        (lambda: NormalKnownVariance(0, 1, math.inf), "noise_variance=inf"),
        (lambda: NormalKnownVariance(math.nan, 1, 1), "mean=nan"),
        (lambda: NormalKnownVariance(0, math.nan, 1), "variance=nan"),
        (lambda: NormalGamma(0, 1, -1, 1), "alpha=-1"),
        (lambda: NormalGamma(0, -1, 1, 1), "kappa=-1"),
        (lambda: NormalGamma(0, 1, 1, -1), "beta=-1"),
        (lambda: NormalGamma("0", 1, 1, 1), "mean='0'"),
        (lambda: MultivariateNormalKnownCovariance(0, 1, 1), "mean=0"),
        (lambda: MultivariateNormalKnownCovariance([0, 0], np.eye(3), 1), "2 × 2"),
        (lambda: MultivariateNormalKnownCovariance([0, 0], 1, [[1, 1], [1, 1]]), "not positive definite"),
        (lambda: MultivariateNormalKnownCovariance([0, 0], 1, math.inf), "noise_covariance"),
        (lambda: MultivariateNormalKnownCovariance([0, 0], [[1, 2], [3]], 1), "covariance="),
        (lambda: NormalWishart([0, 0], 1, -2, 1), "dof=-2"),
        (lambda: NormalWishart([0, 0], 1, 3, -1), "not positive semidefinite"),
        (lambda: NormalWishart([0, "a"], 1, 3, 1), "mean="),
        (lambda: BetaBernoulli(statistics=Moments()), "statistics="),
        (lambda: NormalWishart([0, 0], 1, 3, 1, statistics=Moments(1, 1.0, 2.0, 0.0)), "of shape"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, math.nan, "0.95", None, True])
@pytest.mark.parametrize("pair", PRIORS, ids=name_of)
def test_a_level_lies_between_zero_and_one(pair, level):
    with pytest.raises(ParameterError, match="level="):
        pair.credible_interval(level)


@pytest.mark.parametrize("n", [0, -1, 1.5])
def test_the_number_of_observations_predicted_is_whole(n):
    with pytest.raises(ParameterError, match="n="):
        BetaBernoulli().predictive(n)


def test_where_no_value_is_most_probable_the_map_says_so():
    for pair in (BetaBernoulli(1, 1), BetaBernoulli(0.5, 0.5), DirichletMultinomial([1, 1, 0.5])):
        with pytest.raises(InputError, match="no single most probable value"):
            pair.map()
    assert BetaBernoulli(0.5, 1).map() == 0
    assert BetaBernoulli(3, 0.5).map() == 1
    with pytest.raises(InputError, match="no estimate of the precision"):
        NormalGamma(0, 1, 0.5, 1).map()


# Summaries, printing, pictures, pickling.


def test_statistics_seen_elsewhere_can_be_given():
    coin = BetaBernoulli(statistics=Counts(7, np.array([4.0, 3.0])))
    assert coin.mean() == pytest.approx(5 / 9)
    x = [1.0, 2.0, 6.0]
    told = NormalGamma(0, 1, 1, 1, statistics=Moments(3, 3.0, 3.0, 14.0))
    assert told.parameters == NormalGamma(0, 1, 1, 1).update(x).parameters


def test_printing_shows_prior_statistics_posterior_and_answers():
    text = str(NormalGamma(0, 1, 1, 1).update([1, 2, 3, None]))
    assert "3 observations (1 missing left out): mean 2, Σ(x − mean)² = 2" in text
    assert "Normal–Gamma(mean 1.5, kappa 4, alpha 2.5, beta 3.5)" in text
    assert "μ 1.5, λ 0.5714" in text
    assert "of total weight 2.5" in str(BetaBernoulli().update([1, 0], weights=[2, 0.5]))
    many = DirichletMultinomial(1, range(100)).update([3, 3])
    assert "and 88 more" in str(many)
    assert "'<b>'" not in DirichletMultinomial({"<b>": 1, "c": 1})._repr_html_()
    wide = NormalWishart(np.zeros(30), 1, 40, 1).update(np.random.default_rng(0).normal(size=(50, 30)))
    assert max(map(len, str(wide).splitlines())) < 400
    assert "\n" not in repr(wide)


@pytest.mark.parametrize("pair", PRIORS, ids=name_of)
def test_every_pair_prints_draws_and_pickles(pair, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    import matplotlib.pyplot as plt

    data = [[0, 1], [1, 0], [1, 2]] if hasattr(pair, "width") else [0, 1, 1]
    for one in (pair, pair.update(data)):
        assert str(one).startswith(type(pair).__name__)
        assert repr(one).startswith(type(pair).__name__)
        _, ax = plt.subplots()
        assert one.plot(ax=ax) is ax
        ax.figure.canvas.draw()
        assert {"prior", "posterior"} <= {t.get_text() for t in ax.get_legend().get_texts()}
        assert str(pickle.loads(pickle.dumps(one))) == str(one)
    plt.close("all")
    assert pair.plot().figure is not None
    plt.close("all")


def test_every_interval_has_room_in_the_picture(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    import matplotlib.pyplot as plt

    ax = DirichletMultinomial({"a": 1, "b": 2}).update(["a"]).plot()
    low, high = sorted(ax.get_ylim())
    places = [y for line in ax.lines for y in line.get_ydata()]
    assert low + 0.3 < min(places) < max(places) < high - 0.3
    plt.close("all")


def test_contours_are_shares_of_the_highest_density_also_where_that_is_not_drawn(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    import matplotlib.pyplot as plt

    seen = NormalGamma(mean=2, kappa=1, alpha=2, beta=1).update([4, 5, 6, 5, 4, 6] * 5)
    ax = seen.plot()
    low, high = ax.get_xlim()
    assert not low < seen.prior.location < high
    lines = dict(zip((seen.prior, seen.posterior), ax.collections, strict=True))
    for distribution, drawn in lines.items():
        peak = distribution.logpdf(distribution.location, (distribution.alpha - 0.5) / distribution.beta)
        shares = np.exp(drawn.levels - peak)
        assert len(shares) > 0
        assert all(min(abs(share - np.array([0.01, 0.1, 0.5, 0.9]))) < 1e-9 for share in shares)
        x, y = drawn.get_paths()[0].vertices[5]
        assert distribution.logpdf(x, y) == pytest.approx(drawn.levels[0], abs=0.02)
    plt.close("all")


def test_a_prior_that_is_no_distribution_is_not_drawn(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    import matplotlib.pyplot as plt

    data = {1: ["a", "b", "a"], 4: [[1, 2], [2, 1]], 5: [[1, 2], [2, 1], [0, 0]]}
    for k, pair in enumerate(IMPROPER):
        ax = pair.update(data.get(k, [1, 0])).plot()
        names = {t.get_text() for t in ax.get_legend().get_texts()}
        assert "prior" not in names
        assert "posterior" in names
        plt.close("all")


def test_importing_and_updating_needs_neither_scipy_stats_nor_matplotlib():
    code = (
        "import sys; from learnt.bayes.estimate import *; "
        "NormalWishart([0, 0], 1, 3, 1).update([[1, 2], [3, 5]]).map(); BetaBernoulli().update([1, 0]).mean(); "
        "print({'scipy.stats', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
