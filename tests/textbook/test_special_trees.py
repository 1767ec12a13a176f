"""Worked examples on trees with models, options and sums in them: variances, smoothing, estimates, likelihoods."""

import math

import numpy as np
import pytest

import learnt
from learnt.tree.model_tree.linear_models import estimated_error

# Variance.


@pytest.mark.parametrize("ones", [3, 5, 10])
def test_the_variance_of_a_yes_no_target_is_half_its_gini_index(ones):
    x, y = {"x": np.arange(10.0)}, (np.arange(10) < ones).astype(int)
    p = ones / 10
    as_number = learnt.DecisionTreeRegressor(max_depth=1).fit(x, y).tree_.impurity[0]
    as_class = learnt.DecisionTreeClassifier(max_depth=1).fit(x, y).tree_.impurity[0]
    assert as_number == pytest.approx(p * (1 - p))
    assert as_class == pytest.approx(2 * p * (1 - p))


@pytest.mark.parametrize(
    ("name", "means"),
    [("model", [1574, 4513, 77, 870, 331]), ("condition", [3142, 1023, 267]), ("leslie", [1132, 1297])],
)
def test_the_variance_left_is_the_mean_square_less_the_squares_of_the_parts_means(name, means):
    organs = learnt.datasets.load("organs")
    price = organs["price"].values
    tree = learnt.DecisionTreeRegressor(nominal="multiway", max_depth=1).fit(organs.select([name, "price"])).tree_
    share, mean, variance = tree.weight[1:] / 9, tree.value[1:, 0], tree.impurity[1:]
    assert sorted(mean) == pytest.approx(sorted(means), abs=0.7)  # as printed, some cut off and some rounded
    assert share @ variance == pytest.approx(np.mean(price**2) - share @ mean**2)


# Model trees.


def test_the_best_single_line_through_a_cosine_is_flat():
    x = np.linspace(-1, 1, 2001)
    model = learnt.ModelTreeRegressor(terms="all", max_depth=0).fit({"x": x}, np.cos(np.pi * x))
    np.testing.assert_allclose(model.predict({"x": [-1.0, 0.0, 0.7]}), 0, atol=1e-3)


@pytest.mark.parametrize(("terms", "degree"), [(None, 0), ("all", 1)])
@pytest.mark.parametrize("k", [2.0, 15.0])
def test_a_prediction_is_smoothed_at_every_step_up(terms, degree, k):
    """p ← (n·p + k·q)/(n + k), where n rows reached the node below: the models of the leaves have it in them."""
    x = np.linspace(1, 3, 60)
    y = x**2
    model = learnt.ModelTreeRegressor(terms=terms, smoothing=k, prune=False, max_depth=3).fit({"x": x}, y)
    tree, told = model.tree_, model.predict({"x": x})

    def line(rows):
        return np.polyfit(x[rows], y[rows], degree)

    def smoothed(i, node, rows):
        """What comes up to a node for row i, by hand."""
        if tree.is_leaf[node]:
            return np.polyval(line(rows), x[i])
        side = x <= tree.threshold[node]
        below = rows & (side == side[i])
        p = smoothed(i, int(tree.children_of(node)[int(not side[i])]), below)
        n, q = below.sum(), np.polyval(line(rows), x[i])
        return (n * p + k * q) / (n + k)

    assert model.get_depth() == 3
    np.testing.assert_allclose(told, [smoothed(i, 0, np.ones(60, dtype=bool)) for i in range(60)])


def test_no_node_is_split_whose_deviation_is_five_per_cent_of_the_roots():
    x = {"x": np.arange(40.0)}
    far, near = np.repeat([-50.0, 50.0], 20), np.tile(np.repeat([-1.0, 1.0], 10), 2)
    settings = {"terms": None, "smoothing": 0, "prune": False}
    for deviation, leaves in ((2.49, 2), (2.52, 4)):  # a twentieth of √(50² + 2.5²) is 2.503
        model = learnt.ModelTreeRegressor(**settings).fit(x, far + deviation * near)
        assert model.get_n_leaves() == leaves
    for n, leaves in ((7, 1), (8, 2)):  # four rows on each side, at least
        few = learnt.ModelTreeRegressor(**settings).fit({"x": np.arange(n)}, (np.arange(n) >= 4) * 1.0)
        assert few.get_n_leaves() == leaves


def test_the_estimated_error_grows_with_the_parameters():
    assert estimated_error(2.0, 10, 3) == pytest.approx(2 * 13 / 7)
    assert estimated_error(1.0, 20, 0) == 1
    assert estimated_error(1.0, 3, 3) == math.inf


def test_a_subtree_gives_way_to_a_line_that_is_estimated_to_err_less():
    x = np.arange(20.0)
    y = x + np.where(np.arange(20) % 2, 1, -1)
    model = learnt.ModelTreeRegressor(terms="all", max_depth=1).fit({"x": x}, y)

    def squares(rows):
        return np.sum((y[rows] - np.polyval(np.polyfit(x[rows], y[rows], 1), x[rows])) ** 2)

    grown = learnt.ModelTreeRegressor(terms="all", max_depth=1, prune=False).fit({"x": x}, y)
    left = x <= grown.tree_.threshold[0]
    (cut,) = model.cuts_
    assert cut.after == pytest.approx(math.sqrt(squares(x >= 0) / 20) * (20 + 2) / (20 - 2))
    parameters = 2 + 2 + 1  # of two lines and a test
    both = math.sqrt((squares(left) + squares(~left)) / 20)
    assert cut.before == pytest.approx(both * (20 + parameters) / (20 - parameters))
    assert cut.after < cut.before
    assert model.get_n_leaves() == 1


# Trees by their likelihood.


def log_likelihood(counts):
    """In bits, of the classes of the rows of leaves, each as likely as it is frequent there."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    return float(np.sum(counts * np.log2(np.where(counts > 0, shares, 1))))


def test_the_gain_of_a_test_is_the_logarithm_of_a_likelihood_ratio():
    """The search that takes the largest gain climbs to the likeliest tree that is one test larger."""
    tennis = learnt.datasets.load("play_tennis")
    ratios = {}
    for name in tennis.drop("play").names:
        tree = learnt.ID3Classifier(max_depth=1).fit(tennis.select([name, "play"])).tree_
        ratios[name] = log_likelihood(tree.value[1:]) - log_likelihood(tree.value[:1])
        assert ratios[name] == pytest.approx(14 * learnt.information.information_gain(tennis[name], tennis["play"]))
    asked = learnt.ID3Classifier(max_depth=1).fit(tennis).tree_.feature[0]
    assert tennis.names[asked] == max(ratios, key=ratios.get) == "outlook"


def test_the_path_of_trees_grown_one_test_after_another_is_averaged_by_likelihood():
    """Each test goes on below the branch of larger x: the trees of 0, 1, 2 and 3 tests are the path.
    Of a leaf with a rows of one class and b of the other, P(D) = a!·b!/(a + b + 1)!, all shares being as likely."""
    x = np.repeat([0.0, 1.0, 2.0, 3.0], [8, 6, 4, 4])
    y = np.repeat(["no", "yes", "no", "yes", "no"], [8, 6, 4, 3, 1])
    trees = [learnt.DecisionTreeClassifier(max_depth=depth).fit({"x": x}, y).tree_ for depth in (1, 2, 3)]
    path = [trees[0].value[:1], *(tree.value[tree.is_leaf] for tree in trees)]
    assert [len(leaves) for leaves in path] == [1, 2, 3, 4]

    def likelihood(leaves):
        f = math.factorial
        return math.prod(f(a) * f(b) / f(a + b + 1) for a, b in leaves.astype(int).tolist())

    def share_of_yes(leaves):
        a, b = leaves[-1]  # where x is largest
        return (b + 1) / (a + b + 2)

    weights = np.array([likelihood(leaves) for leaves in path])
    by_hand = weights @ [share_of_yes(leaves) for leaves in path] / weights.sum()
    model = learnt.DecisionTreeClassifier(average="path").fit({"x": x}, y)
    assert model.predict_proba({"x": [3.0]})[0, 1] == pytest.approx(by_hand)


# Alternating trees.


def test_a_row_is_scored_by_every_prediction_node_on_its_ways():
    """The root says ½·ln((W₊ + 1)/(W₋ + 1)); rows then weigh e^(−yF), and each side of the first test says the same of
    the rows that reach it. The sign of the sum is the class, and the root counts although tests hang below it."""
    weather = learnt.datasets.load("weather_numeric")
    model = learnt.AlternatingTreeClassifier(n_estimators=1).fit(weather)
    root = 0.5 * math.log((9 + 1) / (5 + 1))
    overcast = 0.5 * math.log((4 * math.exp(-root) + 1) / (0 + 1))
    other = 0.5 * math.log((5 * math.exp(-root) + 1) / (5 * math.exp(root) + 1))
    is_overcast = np.array(weather["outlook"].labels()) == "overcast"
    scores = model.decision_function(weather)
    np.testing.assert_allclose(scores, root + np.where(is_overcast, overcast, other))
    grown = learnt.AlternatingTreeClassifier(n_estimators=5).fit(weather)
    scores = grown.decision_function(weather)
    assert min(scores) < 0 < max(scores)
    np.testing.assert_array_equal(grown.predict(weather), np.where(scores > 0, "yes", "no"))
