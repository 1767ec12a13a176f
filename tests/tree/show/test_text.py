import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor
from tests.tree.trees import PLAY, build, from_sklearn, leaf, node, numeric, play

from learnt.data.schema import ColumnSchema, Schema
from learnt.errors import InputError
from learnt.tree.arrays import one_leaf
from learnt.tree.show.node_words import amount_text, shown_part
from learnt.tree.show.text import tree_text


def test_play_tennis_reads_as_in_the_textbooks():
    assert tree_text(play(), PLAY, ["yes", "no"]) == (
        "outlook is sunny\n"
        "|   humidity ≤ 75: yes (2)\n"
        "|   humidity > 75: no (3)\n"
        "outlook is overcast: yes (4)\n"
        "outlook is rainy\n"
        "|   windy is False: yes (3)\n"
        "|   windy is True: no (2)"
    )


def test_leaves_tell_their_weight_and_what_of_it_is_wrong():
    tree = build(node(0, leaf(2.5, 0.25), leaf(1, 2), threshold=0.5))
    assert tree_text(tree, numeric("x"), ["a", "b"]) == "x ≤ 0.5: a (2.75/0.25)\nx > 0.5: b (3/1)"


def test_an_answer_other_than_the_heaviest_class_counts_its_own_errors():
    tree = build(node(0, leaf(9, 1), leaf(1, 2), threshold=0.5))
    text = tree_text(tree, numeric("x"), ["a", "b"], answers=np.array([0, 1, 1]))
    assert text.splitlines()[0] == "x ≤ 0.5: b (10/9)"


def test_a_leaf_no_row_reached_says_so():
    tree = build(node(0, leaf(3, 2), leaf(3, 2, weight=0.0), routes=[0, 1], value=(3, 2)))
    schema = Schema((ColumnSchema("town", "nominal", ("Bern", "Chur")),))
    assert tree_text(tree, schema, ["a", "b"]).splitlines()[1] == "town is Chur: a (0)"


def test_regression_tells_the_number_the_weight_and_the_error():
    children = leaf(1.5, weight=4, impurity=0.25), leaf(9.0, weight=2)
    tree = build(node(0, *children, threshold=10.0, weight=6))
    assert tree_text(tree, numeric("x")) == "x ≤ 10: 1.5 (4/0.25)\nx > 10: 9 (2)"


def test_a_tree_without_tests_is_one_answer():
    assert tree_text(one_leaf([9, 5], 14), PLAY, ["yes", "no"]) == "yes (14/5)"
    assert tree_text(one_leaf(2.5, 4), PLAY) == "2.5 (4)"


def test_names_with_line_breaks_stay_on_their_line():
    tree = build(node(0, leaf(1, 0), leaf(0, 1), threshold=0.0))
    text = tree_text(tree, numeric("a\nb"), ["x\ny", "z: w"])
    assert text.splitlines() == [r"a\nb ≤ 0: x\ny (1)", r"a\nb > 0: 'z: w' (1)"]


def test_classes_must_be_those_of_the_tree():
    with pytest.raises(InputError, match="3 classes, but the tree knows 2"):
        tree_text(play(), PLAY, ["a", "b", "c"])
    with pytest.raises(InputError, match="Give classes="):
        tree_text(play(), PLAY)


@pytest.fixture(scope="module")
def large():
    X, y = load_diabetes(return_X_y=True)
    return from_sklearn(DecisionTreeRegressor(random_state=0).fit(X, y))


@pytest.mark.parametrize("most", [1, 2, 7, 50, 300])
def test_a_large_tree_is_cut_where_little_weight_goes_and_loses_no_leaf(large, most):
    part = shown_part(large, most)
    assert part.tree.n_leaves <= most
    leaves = part.tree.is_leaf
    # Every leaf of the whole tree is either shown or counted at a stub.
    assert np.where(part.hidden_leaves > 0, part.hidden_leaves, 1)[leaves].sum() == large.n_leaves
    assert part.hidden_leaves[~leaves].sum() == 0
    np.testing.assert_array_equal(part.tree.weight, large.weight[part.origin])
    opened = part.tree.weight[~leaves]
    stubs = part.tree.weight[part.hidden_leaves > 0]
    if len(opened) and len(stubs):
        assert stubs.max() <= opened.min()


def test_stubs_say_how_many_leaves_they_stand_for(large):
    text = tree_text(large, numeric(*(f"s{j}" for j in range(10))), most=3)
    stubs = [int(line.split("… ")[1].split(" ")[0]) for line in text.splitlines() if "…" in line]
    assert len(stubs) == 3
    assert sum(stubs) == large.n_leaves


def test_all_is_printed_on_request(large):
    schema = numeric(*(f"s{j}" for j in range(10)))
    assert len(tree_text(large, schema, most=None).splitlines()) == large.node_count - 1


@pytest.mark.parametrize(
    ("weight", "text"), [(14.0, "14"), (2.5, "2.5"), (1 / 3, "0.33"), (1e6, "1000000"), (0.001, "0"), (-1e-9, "0")]
)
def test_weights_have_at_most_two_decimals(weight, text):
    assert amount_text(weight) == text
