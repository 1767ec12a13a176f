import numpy as np
import pytest
from tests.tree.trees import PLAY, build, leaf, node, numeric, play

from learnt import Table
from learnt.data.schema import ColumnSchema, Schema
from learnt.errors import InputError
from learnt.tree.show.conditions import (
    Among,
    Between,
    branch_condition,
    conjunction,
    fulfilling_rows,
    path_conditions,
    threshold_text,
    word,
)

SIZES = ("small", "medium", "large", "huge")


@pytest.fixture
def people():
    return Table(
        {"age": [18.0, 20.0, 25.0, 30.0, None, 44.0], "town": ["Bern", "Basel", "Chur", None, "Bern", "Chur"]},
    )


def test_an_interval_leaves_its_low_end_out_and_takes_its_high_end(people):
    assert Between("age", 20, 30).test(people).tolist() == [False, False, True, True, False, False]
    assert Between("age", None, 20).test(people).tolist() == [True, True, False, False, False, False]
    assert Between("age", 30, None, missing=True).test(people).tolist() == [False] * 4 + [True, True]


def test_labels_are_tested_as_they_are_said(people):
    assert Among("town", ("Bern", "Basel")).test(people).tolist() == [True, True, False, False, True, False]
    assert Among("town", ("Bern",), negated=True).test(people).tolist() == [False, True, True, False, False, True]
    assert Among("town", ("Bern",), missing=True).test(people).tolist() == [True, False, False, True, True, False]
    assert Among("age", (), negated=True).test(people).tolist() == [True] * 4 + [False, True]
    assert Among("age", (), missing=True).test(people).tolist() == [False] * 4 + [True, False]
    assert Among("town", ("Atlantis",)).test(people).tolist() == [False] * 6


def test_all_conditions_must_hold(people):
    both = [Between("age", None, 25), Among("town", ("Basel", "Chur"))]
    assert fulfilling_rows(both, people).tolist() == [False, True, True, False, False, False]
    assert fulfilling_rows([], people).all()


def test_a_float32_column_is_compared_with_the_threshold_itself_as_the_tree_does():
    cell = np.float32(0.1)  # a little more than 0.1
    table = Table(np.array([[cell]], dtype=np.float32))
    assert not Between("x0", None, 0.1).test(table)[0]
    assert Between("x0", None, float(cell)).test(table)[0]
    assert Between("x0", 0.1, 1e300).test(table)[0]
    assert not Between("x0", float(cell), None).test(table)[0]


def test_ordinal_ends_are_found_among_the_labels_of_the_table():
    table = Table({"size": ["huge", "small", "medium", None]}, ordinal={"size": SIZES})
    assert Between("size", None, "medium").test(table).tolist() == [False, True, True, False]
    assert Between("size", "small", "large").test(table).tolist() == [False, False, True, False]
    with pytest.raises(InputError, match="'size' has no label 'tiny'"):
        Between("size", None, "tiny").test(table)


WORDS = [
    (Between("humidity", None, 75.0), "humidity ≤ 75", "≤ 75"),
    (Between("humidity", 75.0, None), "humidity > 75", "> 75"),
    (Between("age", 20, 30), "20 < age ≤ 30", "20 < … ≤ 30"),
    (Between("t", -3.25, None, missing=True), "t > −3.25 (or missing)", "> −3.25 (or missing)"),
    (Between("x", 1.00000001, 1.00000002), "1.00000001 < x ≤ 1.00000002", None),
    (Between("x", None, 1234.5678), "x ≤ 1234.5678", "≤ 1234.5678"),
    (Among("outlook", ("sunny",)), "outlook is sunny", "sunny"),
    (Among("town", ("Bern", "Basel")), "town is Bern or Basel", "Bern or Basel"),
    (Among("town", ("Bern", "Basel", "Chur")), "town is Bern, Basel or Chur", None),
    (Among("town", ("Bern",), negated=True), "town is not Bern", "not Bern"),
    (Among("town", ("Bern", "Chur"), negated=True), "town is neither Bern nor Chur", None),
    (Among("town", ("Bern",), missing=True), "town is Bern (or missing)", None),
    (Among("windy", (True,)), "windy is True", "True"),
    (Among("stars", (2.0, 3.5)), "stars is 2 or 3.5", None),
    (Among("n", tuple(range(30))), "n is 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 or 18 more", None),
    (Among("town", ("Bern or Basel", "")), "town is 'Bern or Basel' or ''", None),
    (Among("a\nb", ("c\td",)), r"a\nb is c\td", None),
]


@pytest.mark.parametrize(("condition", "text", "short"), WORDS)
def test_conditions_speak_the_users_words(condition, text, short):
    assert str(condition) == text
    if short is not None:
        assert condition.short() == short


def test_a_conjunction_of_nothing_always_holds():
    assert conjunction([]) == "always"
    assert conjunction([Among("outlook", ("sunny",)), Between("humidity", None, 75.0)]) == (
        "outlook is sunny and humidity ≤ 75"
    )


@pytest.mark.parametrize("half", [0.5, 7.5, 99999.5, 123456.5, 87654321.5, 1e9 + 0.5])
def test_halves_between_whole_numbers_are_never_rounded(half):
    assert float(threshold_text(half)) == half


@pytest.mark.parametrize("x", [0.0, 1e-300, 3e-5, 0.1, 1 / 3, 2.5, 1e15, 1.7e308])
def test_thresholds_keep_six_digits(x):
    assert float(threshold_text(x)) == pytest.approx(x, rel=5e-6)
    assert threshold_text(-x) == ("−" + threshold_text(x) if x else "0")


def test_labels_that_would_be_misread_are_quoted():
    assert [word(label) for label in ("a b", " a", "x and y", "a, b", 3, None)] == [
        "a b",
        "' a'",
        "'x and y'",
        "'a, b'",
        "3",
        "None",
    ]


# Conditions taken from trees


def test_a_path_merges_what_it_asks_of_one_column():
    inner = node(0, leaf(1, 0), node(0, leaf(0, 1), leaf(1, 0), threshold=25.0), threshold=20.0)
    tree = build(node(0, node(1, inner, leaf(2, 2), threshold=0.0), leaf(5, 5), threshold=30.0))
    schema = numeric("age", "height")
    leaves = np.flatnonzero(tree.is_leaf)
    texts = [conjunction(path_conditions(tree, int(i), schema)) for i in leaves]
    assert texts == [
        "age ≤ 20 and height ≤ 0",
        "20 < age ≤ 25 and height ≤ 0",
        "25 < age ≤ 30 and height ≤ 0",
        "age ≤ 30 and height > 0",
        "age > 30",
    ]


def test_every_row_fulfils_the_conditions_of_the_leaf_it_reaches_and_of_no_other():
    rng = np.random.default_rng(0)
    outlook, windy = rng.integers(0, 3, 200), rng.integers(0, 2, 200) == 1
    humidity = rng.uniform(60, 100, 200)
    labels = np.array(PLAY.columns[0].categories)[outlook]
    table = Table({"outlook": labels, "humidity": humidity, "windy": windy}).matched(PLAY)
    expected = np.where(outlook == 1, 4, np.where(outlook == 0, np.where(humidity <= 75, 2, 3), np.where(windy, 7, 6)))
    for i in np.flatnonzero(play().is_leaf):
        fits = fulfilling_rows(path_conditions(play(), int(i), PLAY), table)
        np.testing.assert_array_equal(fits, expected == i)


def test_subsets_of_categories_are_said_by_their_smaller_side():
    towns = Schema((ColumnSchema("town", "nominal", ("Basel", "Bern", "Chur", "Davos", "Eglisau")),))
    tree = build(node(0, leaf(1, 0), leaf(0, 1), routes=[0, 1, 1, 0, 1]))
    assert str(branch_condition(tree, 0, 0, towns)) == "town is Basel or Davos"
    assert str(branch_condition(tree, 0, 1, towns)) == "town is neither Basel nor Davos"


def test_ordered_labels_are_compared_by_their_order():
    sizes = Schema((ColumnSchema("size", "ordinal", SIZES),))
    tree = build(node(0, leaf(1, 0), node(0, leaf(1, 1), leaf(0, 1), threshold=2.5), threshold=0.5))
    texts = [str(path_conditions(tree, i, sizes)[0]) for i in range(1, 5)]
    assert texts == ["size is small", "size > small", "small < size ≤ large", "size is huge"]


def test_missing_cells_belong_to_the_branch_that_training_rows_took():
    schema = numeric("age")
    fractional = build(node(0, leaf(3, 0), leaf(0, 3), threshold=5.0, missing=-1, missing_weight=1.0))
    learned = build(node(0, leaf(3, 0), leaf(0, 3), threshold=5.0, missing=1, missing_weight=1.0))
    never_seen = build(node(0, leaf(3, 0), leaf(0, 3), threshold=5.0, missing=1))
    for tree, missing in ((fractional, (False, False)), (learned, (False, True)), (never_seen, (False, False))):
        assert tuple(branch_condition(tree, 0, j, schema).missing for j in (0, 1)) == missing


@pytest.mark.parametrize(("threshold", "known"), [(np.inf, 0), (-np.inf, 1)])
@pytest.mark.parametrize("met", [3.0, 0.0])  # of missing cells, in the rows that were counted
def test_an_infinite_threshold_asks_whether_the_cell_is_known(threshold, known, met):
    tree = build(node(0, leaf(3, 0), leaf(0, 3), threshold=threshold, missing=1 - known, missing_weight=met))
    texts = [str(branch_condition(tree, 0, j, numeric("age"))) for j in (0, 1)]
    assert texts[known] == "age is known"
    assert texts[1 - known] == "age is missing"


def test_a_branch_of_no_category_and_of_no_place_is_that_of_missing_cells():
    town = Schema((ColumnSchema("town", "nominal", ("Basel", "Bern")),))
    size = Schema((ColumnSchema("size", "ordinal", SIZES),))
    for schema, test in ((town, {"routes": [0, 0]}), (size, {"threshold": 3.0})):
        tree = build(node(0, leaf(3, 0), leaf(0, 3), missing=1, **test))
        texts = [branch_condition(tree, 0, j, schema).short() for j in (0, 1)]
        assert texts == ["known", "missing"]


def test_a_category_without_a_branch_goes_with_the_missing_cells():
    schema = Schema((ColumnSchema("town", "nominal", ("Basel", "Bern", "Chur")),))
    tree = build(node(0, leaf(3, 0), leaf(0, 3), routes=[0, 1, -1], missing=1, missing_weight=2.0))
    assert str(branch_condition(tree, 0, 1, schema)) == "town is not Basel (or missing)"
    spread = build(node(0, leaf(3, 0), leaf(0, 3), routes=[0, 1, -1], missing=-1, missing_weight=2.0))
    assert [str(branch_condition(spread, 0, j, schema)) for j in (0, 1)] == ["town is Basel", "town is Bern"]
