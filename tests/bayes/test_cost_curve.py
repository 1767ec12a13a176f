"""Cost curves: the lower envelope of the lines of all thresholds."""

import numpy as np
import pytest

from learnt.bayes import cost_curve
from learnt.errors import InputError

RNG = np.random.default_rng(3)


@pytest.fixture
def scored():
    y = RNG.integers(2, size=300)
    p = np.clip(0.5 + 0.25 * (y - 0.5) + RNG.normal(0, 0.2, 300), 0, 1).round(2)
    return y, p


def test_the_curve_is_the_least_cost_over_all_thresholds(scored):
    y, p = scored
    curve = cost_curve(y, p)
    for share in (0, 0.1, 0.5, 0.77, 1):
        costs = [
            share * np.mean(p[y == 1] < t) + (1 - share) * np.mean(p[y == 0] >= t) for t in [*np.unique(p), np.inf]
        ]
        assert curve.at(share) == pytest.approx(min(costs), abs=1e-12)
        best = curve.best_threshold(share)
        realised = share * np.mean(p[y == 1] < best) + (1 - share) * np.mean(p[y == 0] >= best)
        assert realised == pytest.approx(min(costs), abs=1e-12)


def test_no_classifier_costs_more_than_the_best_constant_answer(scored):
    share = np.linspace(0, 1, 101)
    assert (cost_curve(*scored).at(share) <= np.minimum(share, 1 - share) + 1e-12).all()


def test_the_area_is_a_quarter_without_knowledge_and_nothing_with_all():
    y = np.array([0, 1] * 50)
    assert cost_curve(y, np.full(100, 0.3)).area == pytest.approx(0.25, abs=1e-6)
    assert cost_curve(y, y.astype(float)).area == 0


def test_a_weight_of_two_is_a_row_twice(scored):
    y, p = scored
    w = RNG.integers(0, 3, 300)
    share = np.linspace(0, 1, 21)
    copied = cost_curve(np.repeat(y, w), np.repeat(p, w))
    np.testing.assert_allclose(cost_curve(y, p, sample_weight=w).at(share), copied.at(share), atol=1e-12)


def test_several_classes_need_one_set_apart():
    y = np.array(["a", "b", "c"])
    with pytest.raises(InputError, match="3 classes"):
        cost_curve(y, [0.1, 0.2, 0.3])
    assert cost_curve(y, [0.1, 0.2, 0.3], positive="c").at(0.5) == 0


@pytest.mark.parametrize(
    ("y", "p", "w"),
    [
        ([0, 1], [0.1], None),
        ([0, 0], [0.1, 0.2], None),
        ([0, 1], [0.1, np.nan], None),
        ([0, 1], [0.1, 0.2], [-1, 1]),
        ([0, 1], ["a", "b"], None),
        ([0, 1], [[0.9, 0.1], [0.1, 0.9]], None),
        (0, 1, None),
        ([0, 1], [0.1, 0.2], ["w", 1]),
    ],
)
def test_what_cannot_be_drawn_is_refused(y, p, w):
    with pytest.raises(InputError):
        cost_curve(y, p, sample_weight=w)
    with pytest.raises(InputError, match="share"):
        cost_curve([0, 1], [0.1, 0.2]).at(1.5)


def test_a_curve_prints_in_one_line():
    assert repr(cost_curve(["no", "no", "yes", "yes"], [0.1, 0.6, 0.4, 0.9])) == (
        "<CostCurve of 'yes': cost 0.25 at share 0.5, area 0.125>"
    )


def test_the_curve_can_be_drawn(scored):
    import matplotlib as mpl

    mpl.use("Agg")
    axes = cost_curve(*scored).plot()
    drawn = {line.get_label(): line for line in axes.lines}
    np.testing.assert_allclose(drawn["best threshold"].get_ydata(), cost_curve(*scored).at(np.linspace(0, 1, 501)))
