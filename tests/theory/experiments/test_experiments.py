"""Experiments: each shows what it claims, draws itself, and is the same for the same seed."""

import json

import numpy as np
import pytest
from tests.cli.cli_box import commands

from learnt.errors import ParameterError
from learnt.report.experiment import experiment_page
from learnt.theory.experiments import (
    EXPERIMENTS,
    accuracy_by_rows,
    bagged_trees,
    bias_variance_of_six_points,
    curse_of_dimensionality,
    double_descent,
    no_free_lunch,
    overfitting_by_depth,
    posterior_over_version_space,
)

QUICK = {
    "bagged_trees": {"bootstraps": 20, "repeats": 2},
    "double_descent": {"sizes": (10, 50, 100, 400), "repeats": 3},
    "overfitting_by_depth": {"repeats": 2},
    "accuracy_by_rows": {"repeats": 2},
}


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


def figures(experiment):
    return {row[0]: row[1:] for row in experiment.rows}


@pytest.mark.parametrize("n_train", [1, 4, 7])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_free_lunch_is_exactly_half(n_train, seed):
    found = no_free_lunch(3, n_train, random_state=seed)
    assert [row[1] for row in found.rows] == [0.5] * 4
    assert "exactly" in found.answer


def test_neighbours_lose_what_trees_keep():
    found = figures(curse_of_dimensionality())
    assert found[1][2] > 0.98
    assert found[100][2] < 0.75
    assert found[100][3] > 0.98
    assert found[1][0] < 0.05 < 0.6 < found[100][0]


def test_bags_beat_a_tree_and_not_the_noise():
    found = bagged_trees(bootstraps=100, repeats=8)
    one, many = found.rows[0][1], found.rows[-1][1:]
    assert all(0.2 < error < one for error in many)


def test_bias_and_variance_add_up_to_the_error():
    found = figures(bias_variance_of_six_points())
    assert found["fixed line, poor"][1] == found["fixed line, better"][1] == 0
    assert found["cubic, fitted"][0] < found["line, fitted"][0] < found["fixed line, poor"][0]
    assert found["cubic, fitted"][1] > found["line, fitted"][1] > 0
    for bias, variance, noise, error in found.values():
        assert error == pytest.approx(bias + variance + noise)


def test_deep_trees_learn_noise_by_heart():
    rows = overfitting_by_depth().rows
    training, test = [row[1] for row in rows], [row[2] for row in rows]
    assert training == sorted(training)
    assert test[-1] < max(test) - 0.03
    assert training[-1] > 0.95


def test_larger_trees_want_more_rows():
    found = figures(accuracy_by_rows())
    assert found[2000][1] > found[2000][0] + 0.05  # depth 4 against depth 1
    assert abs(found[20][1] - found[20][0]) < 0.05


def test_examples_strike_out_hypotheses_until_the_true_one_is_left():
    found = posterior_over_version_space()
    left = [row[1] for row in found.rows]
    assert left[0] == 3**6
    assert left == sorted(left, reverse=True)
    assert left[-1] >= 1
    assert all(probability == pytest.approx(1 / n) for _, n, probability, _, _ in found.rows)


def test_the_error_peaks_where_it_just_fits():
    found = figures(double_descent(sizes=(20, 100, 1600), repeats=5))
    assert found[100][1] > 10 * found[20][1]
    assert found[1600][1] < found[100][1] / 10
    assert found[1600][0] < 1e-10


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_prints_draws_and_repeats_itself(name):
    run, settings = EXPERIMENTS[name], QUICK.get(name, {})
    one = run(**settings)
    assert one.rows == run(**settings).rows
    assert one.name == name
    assert one.answer.split()[0] in str(one)
    assert one.table.n_rows == len(one.rows)
    json.dumps(one.to_dict())
    page = experiment_page(one).render()
    assert "<svg" in page
    assert one.question.split("?")[0][:30] in page


def test_another_seed_gives_other_draws():
    one, other = (curse_of_dimensionality((1, 5), random_state=seed) for seed in (0, 1))
    assert not np.array_equal(one.rows, other.rows)


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(ParameterError, match="fewer rows"):
        no_free_lunch(3, 8)
    with pytest.raises(ParameterError, match="1 to 9"):
        posterior_over_version_space(40)


def test_the_command_lists_runs_and_writes(command, tmp_path):
    assert [one["name"] for one in json.loads(command("experiment", "--json").out)] == list(EXPERIMENTS)
    assert "double_descent" in command("experiment").out
    done = command("experiment", "no-free-lunch", "--html", tmp_path / "page.html")
    assert done.out.startswith(f"{no_free_lunch()}\n\nWritten: ")
    assert "<svg" in (tmp_path / "page.html").read_text()
    wrong = command("experiment", "no_free_lunsh")
    assert (wrong.code, "Did you mean 'no_free_lunch'?" in wrong.err) == (2, True)
    assert json.loads(command("experiment", "no_free_lunch", "--json").out)["name"] == "no_free_lunch"
