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
from learnt.report.comparison.loss_slider import STEPS, at_ratio, counts_from
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


@pytest.mark.parametrize("ratio", [0.01, 0.2, 0.5, 1.0, 3.0, 7.943, 100.0])
def test_the_slider_counts_what_a_loop_counts(ratio):
    rng = np.random.default_rng(0)
    p = np.round(rng.random(300) * STEPS) / STEPS  # on the steps, where no rounding comes between
    truth, weights = rng.integers(0, 2, 300), np.ones(300)
    shown = at_ratio(*counts_from(p, truth, weights), ratio)
    miss, alarm = (ratio, 1.0) if ratio >= 1 else (1.0, 1 / ratio)
    threshold = alarm / (alarm + miss)
    yes = [float(x) >= np.ceil(threshold * STEPS - 1e-9) / STEPS - 1e-12 for x in p]
    tp = sum(y and t == 1 for y, t in zip(yes, truth, strict=True))
    fp = sum(y and t == 0 for y, t in zip(yes, truth, strict=True))
    fn, tn = int((truth == 1).sum()) - tp, int((truth == 0).sum()) - fp
    assert [int(shown[key]) for key in ("tp", "fp", "fn", "tn")] == [tp, fp, fn, tn]
    assert float(shown["cost"]) == pytest.approx((fn * miss + fp * alarm) / 300, rel=1e-3)


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
