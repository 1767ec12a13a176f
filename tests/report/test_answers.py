"""What the report says of the most accurate learner's answers, and of the readable one beside it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.report.comparisons import REGRESSORS, answered_by_hand, compared

import learnt
from learnt.evaluate.metrics.scoring import METRICS
from learnt.report.comparison.answers import confusion_table, ranking
from learnt.report.comparison.figures import learning_curve, predictions
from learnt.report.comparison.figures.plane import BOTTOM, LEFT, RIGHT, TOP
from learnt.report.comparison.figures.ranking import HEIGHT, WIDTH
from learnt.report.comparison.insights.beside import beside
from learnt.report.comparison.insights.growth import growth
from learnt.report.comparison.insights.subject import Subject
from learnt.report.comparison.leaderboard import leaderboard
from learnt.report.comparison.looked_at import beside_words

TWO = ("RandomForestClassifier", "C45Classifier", "MajorityClassifier")


@pytest.fixture(scope="module")
def vote():
    return compared(learnt.datasets.load("vote"), "Class", TWO)


def by_hand(comparison, forest, tree, nobody=range(168)):
    """The forest and the tree wrong about these rows."""
    names = dict(zip(TWO, (forest, tree, nobody), strict=True))
    return answered_by_hand(comparison, **names)


@pytest.fixture(scope="module")
def forest_ahead(vote):
    return Subject(by_hand(vote, range(5), range(3, 10)))


def test_the_confusion_matrix_is_scikit_learns_for_two_classes_and_for_three(forest_ahead):
    from sklearn.metrics import confusion_matrix, precision_score, recall_score

    iris = Subject(compared(learnt.datasets.load("iris"), "class", ("C45Classifier", "MajorityClassifier")))
    for subject in (forest_ahead, iris):
        truth, answer = subject.problem.target, subject.held_out[0]
        found = confusion_table(subject)
        counts = [[int(cell["count"]) for cell in line] for line in found["rows"]]
        assert counts == confusion_matrix(truth, answer).tolist()
        for key, metric in (("recall", recall_score), ("precision", precision_score)):
            shown = [float(words.removesuffix(" %").lstrip(">")) for words in found[key]]
            np.testing.assert_allclose(shown, 100 * metric(truth, answer, average=None), atol=0.51)


def places(svg, style):
    """The points of a path, back on the scale of the curve."""
    way = re.search(rf'<path d="M([^"]*)" class="{style}"', str(svg)).group(1)
    drawn = np.array([[float(v) for v in point.split()] for point in way.split("L")])
    return np.column_stack(
        [(drawn[:, 0] - LEFT) / (WIDTH - LEFT - RIGHT), 1 - (drawn[:, 1] - TOP) / (HEIGHT - TOP - BOTTOM)]
    )


def test_the_roc_curve_drawn_is_scikit_learns_and_the_gain_that_of_a_loop(vote):
    from sklearn.metrics import roc_auc_score, roc_curve

    subject = Subject(vote)
    truth, p = subject.problem.target, subject.held_out[1][:, 1]
    found = ranking(subject)
    points = places(found["roc"], "curve")
    false, true, _ = roc_curve(truth, p)
    assert len(points) == len(false)
    np.testing.assert_allclose(points, np.column_stack([false, true]), atol=0.001)
    assert found["areas"][0][1].startswith(f"{roc_auc_score(truth, p):.3f} (")
    levels = [np.inf, *sorted(set(p.tolist()), reverse=True)]
    by_loop = [((p >= level).mean(), truth[p >= level].sum() / truth.sum()) for level in levels]
    np.testing.assert_allclose(places(found["gain"], "curve"), by_loop, atol=0.001)


def test_several_classes_have_a_small_curve_each_and_two_have_the_readable_one_beside(forest_ahead):
    from sklearn.metrics import roc_auc_score

    iris = Subject(compared(learnt.datasets.load("iris"), "class", ("NaiveBayesClassifier", "MajorityClassifier")))
    small = ranking(iris)["small"]
    assert len(small) == 3
    for c, (_, area, _) in enumerate(small):
        expected = roc_auc_score(iris.problem.target == c, iris.held_out[1][:, c])
        assert area.startswith(f"{expected:.3f}")
    two = ranking(forest_ahead)
    assert 'class="curve other"' in str(two["roc"])
    assert [str(name) for name, _ in two["areas"]] == [
        "<bdi>RandomForestClassifier</bdi>", "<bdi>C45Classifier</bdi>",
    ]  # fmt: skip


def test_the_readable_learner_beside_is_counted_row_by_row(forest_ahead):
    """Wrong about rows 0 to 4 and about rows 3 to 9: they differ on 0, 1, 2 and on 5 to 9."""
    found = beside(forest_ahead)
    assert (found.name, found.differ, found.own, found.other) == ("C45Classifier", 8, 5, 3)
    words = re.sub("<[^>]*>", "", str(beside_words(forest_ahead, rows=True)))
    assert "Beside it C45Classifier, which can be read: its accuracy is 0.984." in words
    assert "The two answer 8 of 435 rows (1.8 %) differently" in words
    assert "there RandomForestClassifier is right 5 times and C45Classifier 3 times." in words


def test_numbers_differ_by_a_distance():
    cpu = compared(learnt.datasets.load("cpu"), "class", (*REGRESSORS[:1], "RandomForestRegressor", "LinearRegression"))
    subject = Subject(cpu)
    assert subject.name == "RandomForestRegressor"
    gap = np.abs(subject.held_out[0] - cpu.out_of_fold("LinearRegression")[0])
    np.testing.assert_allclose(beside(subject).gaps, np.quantile(gap, [0.5, 0.9]))
    assert "lie within" in beside_words(subject, rows=True)
    assert "lie within" not in beside_words(subject)


def test_nobody_stands_beside_a_learner_that_can_be_read(vote):
    subject = Subject(by_hand(vote, range(30), range(3)))
    assert subject.name == "C45Classifier"
    assert subject.readable is None
    assert beside(subject) is None
    assert beside_words(subject) == ""


def test_points_of_predictions_stand_on_one_scale():
    truth, answer = np.array([0.0, 10.0, 4.0]), np.array([2.0, 8.0, 4.0])
    svg = str(predictions.picture(np.arange(3), truth, answer))
    dots = {
        int(row): (float(x), float(y))
        for x, y, row in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"[^>]*><title>row (\d)', svg)
    }
    wide, high = predictions.WIDTH - LEFT - RIGHT, predictions.HEIGHT - TOP - BOTTOM
    for i in range(3):
        assert dots[i][0] == pytest.approx(LEFT + wide * answer[i] / 10, abs=0.06)
        assert dots[i][1] == pytest.approx(TOP + high * (1 - truth[i] / 10), abs=0.06)


@pytest.mark.parametrize(
    ("scores", "bands", "low", "high"),
    [
        ([0.95, 0.96, 1.0], [(0.9, 0.99)] * 3, (0.88, 0.9), (1.0, 1.0)),  # with its interval, and no more
        ([0.5, 0.5], [(0.5, 0.5)] * 2, (0.48, 0.5), (0.5, 0.52)),  # flat, but no mountain
        ([0.5, 0.6], [(0.0, 1.0)] * 2, (0.35, 0.4), (0.7, 0.75)),  # an interval that would flatten the rest is cut
    ],
)
def test_the_axis_of_a_learning_curve_is_cut_to_what_it_shows(scores, bands, low, high):
    found = learning_curve._score_range(scores, bands, METRICS["accuracy"])
    assert low[0] <= found[0] <= low[1]
    assert high[0] <= found[1] <= high[1]
    assert found[1] - found[0] >= learning_curve.LEAST_SPAN - 1e-12


def test_sizes_stand_at_equal_ratios_only_where_they_span_a_decade(vote):
    curve = growth(Subject(vote)).curve

    def middle(sizes):
        """Where the second of three sizes stands, as a share of the way."""
        cut = replace(
            curve, sizes=np.array(sizes), test_scores=curve.test_scores[:3], training_scores=curve.training_scores[:3]
        )
        xs = re.findall(r'<circle cx="([\d.]+)"[^>]*r="4"', str(learning_curve.picture(cut)))
        first, second, third = map(float, xs)
        return (second - first) / (third - first)

    assert middle([10, 100, 1000]) == pytest.approx(0.5, abs=0.01)
    assert middle([100, 200, 300]) == pytest.approx(0.5, abs=0.01)


def test_the_matrix_of_pairs_is_folded_away_unless_learners_are_told_apart(vote):
    alike = str(leaderboard(by_hand(vote, range(5), range(1, 6))).body)
    assert "<details><summary>All pairs: but for the baseline no learner is shown to be better" in alike
    apart = str(leaderboard(by_hand(vote, range(5), range(60))).body)
    assert "All pairs:" not in apart
    assert 'aria-label="Win, tie, loss"' in apart
    assert 'aria-label="Win, tie, loss"' in alike


def test_the_leaderboard_marks_those_that_may_be_the_best(vote):
    comparison = by_hand(vote, range(5), range(60))
    body = str(leaderboard(comparison).body)
    rows = re.findall(r'<tr class="([^"]*)">.*?data-value="(\w+)"', body, re.DOTALL)
    marked = {name for classes, name in rows if "may" in classes.split()}
    assert marked == {o.name for o in comparison.tied} == {"RandomForestClassifier"}
    assert body.count('aria-label="may be the best"') == 1
    assert body.count(">most accurate<") == 1
    assert body.count(">nearest that can be read<") == 1
