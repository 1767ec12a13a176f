"""Figures of the report: scales, calibration, the loss slider."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.report.comparisons import REGRESSORS, compared

import learnt
from learnt.report.comparison.figures import intervals
from learnt.report.comparison.figures.calibration import of_numbers, of_probabilities
from learnt.report.comparison.figures.svg import Drawing
from learnt.report.comparison.loss_slider import MOST_STEPS, at_costs, counts_from
from learnt.report.comparison.words import name, p_value, sentence, size


@pytest.mark.parametrize(("table", "target", "names"), [("iris", "class", None), ("cpu", "class", REGRESSORS)])
def test_the_scale_holds_every_mean_and_its_ticks_are_even(table, target, names):
    comparison = compared(learnt.datasets.load(table), target, *([names] if names else []))
    standings = comparison.leaderboard()
    scale = intervals.scale_of(standings, comparison.metric)
    assert all(scale.low <= s.mean <= scale.high for s in standings)
    assert np.ptp(np.diff(scale.ticks)) < 1e-9
    assert 2 <= len(scale.ticks) <= 8
    places = [scale.x(t) for t in scale.ticks]
    assert places == sorted(places)
    assert min(places) >= 0
    assert max(places) <= intervals.WIDTH


def test_a_baseline_far_away_is_left_outside_the_scale_and_points_to_where_it_is():
    comparison = compared(learnt.datasets.load("iris"), "class")
    standings = comparison.leaderboard()
    near = [s for s in standings if s.name not in ("MajorityClassifier", "DecisionStumpClassifier")]
    last = next(s for s in standings if s.name == "MajorityClassifier")
    scale = intervals.scale_of([*near, last], comparison.metric, last.name)
    assert scale == intervals.scale_of(near, comparison.metric)
    assert not scale.holds(last.mean)
    drawn = str(intervals.row(last, scale, comparison.metric, last.mean))
    assert "◂" in drawn
    assert "<circle" not in drawn
    assert 'class="guide"' not in str(intervals.row(near[0], scale, comparison.metric, last.mean))
    assert intervals.scale_of(standings, comparison.metric, last.name).holds(last.mean), "the stump is as far away"


def test_a_dot_stands_where_its_mean_is():
    comparison = compared(learnt.datasets.load("iris"), "class")
    standings = comparison.leaderboard()
    scale = intervals.scale_of(standings, comparison.metric)
    for s in standings:
        drawn = str(intervals.row(s, scale, comparison.metric, None))
        x = float(re.search(r'cx="([\d.]+)"', drawn).group(1))
        back = scale.low + (x - intervals.MARGIN) / (intervals.WIDTH - 2 * intervals.MARGIN) * (scale.high - scale.low)
        assert back == pytest.approx(s.mean, abs=0.001)


@pytest.mark.parametrize("seed", range(5))
def test_reliability_of_two_classes_is_scikit_learns(seed):
    from sklearn.calibration import calibration_curve

    rng = np.random.default_rng(seed)
    p = rng.random(500)
    truth = (rng.random(500) < p**2).astype(np.int32)
    found = of_probabilities(truth, np.column_stack([1 - p, p]), None)
    seen, promised = calibration_curve(truth, p, n_bins=10)
    np.testing.assert_allclose(found.seen, seen, rtol=1e-12)
    np.testing.assert_allclose(found.promised, promised, rtol=1e-12)
    sizes = np.histogram(p, np.linspace(0, 1, 11))[0]
    assert found.error == pytest.approx(float((sizes[sizes > 0] * np.abs(seen - promised)).sum() / 500), rel=1e-12)


def test_of_more_classes_the_one_answered_is_judged():
    p = np.array([[0.9, 0.05, 0.05], [0.9, 0.05, 0.05], [0.2, 0.3, 0.5]])
    found = of_probabilities(np.array([0, 1, 2]), p, np.array([1.0, 3.0, 2.0]))
    np.testing.assert_allclose(found.promised, [0.5, 0.9])
    np.testing.assert_allclose(found.seen, [1.0, 0.25])
    np.testing.assert_allclose(found.weight, [2.0, 4.0])


@pytest.mark.parametrize("answer", [np.full(20, 3.0), np.arange(20.0), np.repeat([1.0, 5.0], 10)])
def test_predictions_in_tenths_keep_every_row(answer):
    found = of_numbers(answer + 1, answer, None)
    assert found.weight.sum() == 20
    np.testing.assert_allclose(found.seen - found.promised, 1.0)


def by_hand(p, truth, weights, miss, alarm) -> dict[str, float]:
    """What a loop over the rows counts at the cheapest threshold."""
    told = {"tp": 0.0, "fp": 0.0, "fn": 0.0, "tn": 0.0}
    for x, t, w in zip(p.tolist(), truth.tolist(), weights.tolist(), strict=True):
        yes = x * miss >= (1 - x) * alarm - 1e-9
        told[("t" if yes == t else "f") + ("p" if yes else "n")] += w
    told["cost"] = (told["fn"] * miss + told["fp"] * alarm) / weights.sum()
    told["idle"] = min(weights[truth == 1].sum() * miss, weights[truth == 0].sum() * alarm) / weights.sum()
    return told


@pytest.mark.parametrize("costs", [(1, 1), (1, 100), (0.2, 1), (3, 2), (50, 1), (1000, 1), (0, 1), (1, 0)])
@pytest.mark.parametrize("digits", [1, 2, 16])
def test_the_slider_counts_what_a_loop_counts(costs, digits):
    rng = np.random.default_rng(0)
    p = np.round(rng.random(400), digits)
    truth, weights = (rng.random(400) < p).astype(int), rng.integers(1, 4, 400).astype(float)
    shown = at_costs(*counts_from(p, truth, weights), *costs)
    expected = by_hand(p, truth, weights, *costs)
    for key in ("tp", "fp", "fn", "tn"):
        assert float(shown[key]) == expected[key]
    for key in ("cost", "idle"):
        assert float(shown[key]) == pytest.approx(expected[key], rel=6e-3)


def test_many_probabilities_are_packed_into_few_thresholds_that_err_by_few_rows():
    rng = np.random.default_rng(1)
    p = rng.beta(0.3, 3, 50_000)
    truth, weights = (rng.random(50_000) < p).astype(int), np.ones(50_000)
    counts = counts_from(p, truth, weights)
    assert len(counts[0]) <= MOST_STEPS
    for miss in (0.02, 1, 5, 50, 1000):
        shown, expected = at_costs(*counts, miss, 1), by_hand(p, truth, weights, miss, 1)
        assert abs(float(shown["tp"]) + float(shown["fp"]) - expected["tp"] - expected["fp"]) < 0.01 * len(p)
        assert float(shown["cost"]) == pytest.approx(expected["cost"], rel=0.02)


def test_words_in_a_drawing_are_escaped():
    drawing = Drawing(10, 10, 'say "<hi>"')
    drawing.text(1, 2, "<b>&", tip="</title>")
    text = str(drawing.markup())
    assert "<b>" not in text
    assert "&lt;b&gt;&amp;" in text
    assert text.count("</title>") == 1
    assert 'aria-label="say &#34;&lt;hi&gt;&#34;"' in text


def test_names_in_a_sentence_are_isolated_and_short():
    long = "n" * 500
    words = str(sentence(f"'{long}' and 'b' say nearly the same.", long, "b"))
    assert words.count("<bdi") == 2
    assert long not in words
    assert words.endswith(" say nearly the same.")
    assert str(name("a\u202eb")) == "<bdi>a\\u202eb</bdi>"


def test_sizes_and_p_values_are_short():
    assert size(1_234_567) == "1.23 MB"
    assert p_value(1e-9) == "p < 0.001"
