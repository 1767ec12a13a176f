"""How many components: the true number where it shows, and never one that holds fewer rows than parameters."""

import re
import warnings

import numpy as np
import pytest

import learnt
from learnt import GaussianMixture, MixtureModel, choose_components
from learnt.cluster.mixture.thin import fewest_rows, rows_needed

PER_COMPONENT = {"full": lambda p: p + p * (p + 1) // 2, "diag": lambda p: 2 * p, "spherical": lambda p: p + 1}


@pytest.fixture(autouse=True)
def quiet_about_rounds():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnt.errors.ConvergenceWarning)
        yield


def clouds(k, p, rows, seed):
    """k unit Gaussians whose centres lie 12 apart or more."""
    rng = np.random.default_rng(seed)
    centres = 12.0 * np.stack([np.arange(k), *rng.permuted(np.tile(np.arange(k), (p - 1, 1)), axis=1)], axis=1)
    return np.concatenate([centre + rng.normal(size=(rows, p)) for centre in centres])


@pytest.mark.parametrize("shape", ["full", "diag", "spherical", "tied"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_true_number_of_well_separated_clouds_is_found(k, shape):
    rows = 240 if shape == "tied" else 60  # whose BIC takes another for 60 rows, by some starts
    for seed in range(3):
        choice = choose_components(
            clouds(k, 3, rows, seed), GaussianMixture(covariance_type=shape, random_state=0), most=6
        )
        assert choice.best.n_components == k


@pytest.mark.parametrize("shape", ["full", "diag", "spherical"])
@pytest.mark.parametrize("seed", range(4))
def test_no_component_has_fewer_rows_than_parameters(shape, seed):
    rng = np.random.default_rng(seed)
    x = np.concatenate(
        [rng.normal(size=(40, 3)), [[50, 50, 50]] * 2 + rng.normal(size=(2, 3)), rng.normal(size=(6, 3))]
    )
    best = choose_components(x, GaussianMixture(covariance_type=shape, random_state=0)).best
    assert (best.weights_ * len(x)).min() >= PER_COMPONENT[shape](3) - 1e-6


@pytest.mark.parametrize("name", ["cpu", "emails", "glass", "iris", "labor", "ten_points", "vote"])
def test_on_bundled_tables_the_table_the_verdict_and_the_choice_agree(name):
    table = learnt.datasets.load(name)
    choice = choose_components(table.drop(table.target), most=8)
    best = choice.best.n_components
    assert choice.verdict.startswith(f"{best} component")
    marked = [line for line in str(choice).splitlines() if "←" in line]
    assert [int(line.split()[0]) for line in marked] == [best]
    assert choice.verdict in str(choice).replace("\n", " ")
    sound = [v for v, enough in zip(choice.values, choice.enough_rows, strict=True) if enough]
    if best > 1:
        assert choice.values[best - 1] == min(sound)
        assert fewest_rows(choice.best, table.n_rows) >= rows_needed(choice.best)
    # All that are out are told, and only those.
    out = [k for k, enough in zip(choice.n_components, choice.enough_rows, strict=True) if not enough]
    assert ("fewer rows than" in choice.verdict) == bool(out)


def test_ten_points_are_not_ten_components():
    choice = choose_components(learnt.datasets.load("ten_points").drop("class"))
    assert choice.best.n_components <= 2


def test_categories_need_no_rows_of_their_own_since_no_probability_exceeds_1():
    colours = {"colour": list("rgb") * 20, "x": [0.0, 10.0, 20.0] * 20}
    model = MixtureModel(3, random_state=0).fit(colours)
    assert rows_needed(model) == 2
    assert rows_needed(MixtureModel(2, random_state=0).fit({"colour": list("rgb") * 20})) == 1


def test_a_tied_covariance_is_shared_and_so_are_the_rows_it_needs():
    x = np.random.default_rng(0).normal(size=(60, 3))
    assert rows_needed(GaussianMixture(2, covariance_type="tied", random_state=0).fit(x)) == 3 + 3
    assert rows_needed(GaussianMixture(2, covariance_type="spherical", sigma=1.0, random_state=0).fit(x)) == 3
    # A column that never varies tells nothing and asks for nothing.
    flat = np.column_stack([x, np.ones(60)])
    assert rows_needed(GaussianMixture(2, random_state=0).fit(flat)) == 9


def test_weights_count_as_rows():
    x = clouds(2, 2, 3, 0)
    assert choose_components(x, GaussianMixture(random_state=0), most=3).best.n_components == 1
    assert choose_components(np.repeat(x, 9, axis=0), GaussianMixture(random_state=0), most=2).best.n_components == 2
    weighted = choose_components(x, GaussianMixture(random_state=0), most=2, sample_weight=np.full(6, 9.0))
    assert weighted.best.n_components == 2


def test_the_command_never_says_that_one_pays_and_does_not():
    from learnt.cli.arguments.choosing import Choice

    undecided = Choice("BIC", {1: 100.0, 2: 104.0}, 10.0, 50, False).words
    assert "does not decide" in undecided
    assert "does not pay" not in undecided
    decided = Choice("BIC", {1: 100.0, 2: 140.0}, 10.0, 50, False).words
    assert "does not pay" in decided
    thin = Choice("BIC", {1: 100.0, 2: 50.0}, 10.0, 50, False, (3, 4)).words
    assert "k from 1 to 4" in thin
    assert re.search(r"3 and 4.*fewer rows than", thin)
