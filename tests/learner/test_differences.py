"""What of a table is not as it was when a learner was fitted."""

import pytest

import learnt
from learnt.data.naming import absent_columns, nearest_name
from learnt.data.table import Table
from learnt.learner.differences import UnseenLabels, extra_columns

TRAIN = {"town": ["Bern", "Basel"] * 10, "age": [1.0, 2.0] * 10, "zip": [1, 2] * 10}


@pytest.fixture
def model():
    table = Table(TRAIN, kinds={"zip": "nominal"})
    return learnt.C45Classifier().fit(table, ["a", "b"] * 10)


def told(model, data):
    return [note.text for note in model.check(data)]


def test_the_same_columns_are_no_news(model):
    assert told(model, TRAIN) == []
    assert told(model, {name: TRAIN[name] for name in reversed(TRAIN)}) == []


def test_unseen_labels_are_counted_by_column_commonest_first(model):
    new = {"town": ["Genf", "Genf", "Sion", "Bern", None], "age": [1.0] * 5, "zip": [1, 2, 7, None, 2]}
    assert told(model, new) == [
        "3 of 5 cells of 'town' hold labels the model has not seen ('Genf', 'Sion'); they count as missing.",
        "1 of 5 cells of 'zip' holds a label the model has not seen (7); it counts as missing.",
    ]
    missing = {**new, "town": [None, None, None, "Bern", None], "zip": [1, 2, None, None, 2]}
    assert (model.predict(new) == model.predict(missing)).all()


def test_absent_extra_and_other_columns_are_named_with_the_nearest_name(model):
    found = told(model, {"Town": ["Bern"], "age": ["old"], "zip": [1], "x": [1], "y": [2]})
    assert found[0] == "There is no column 'town' (is it 'Town'?). The model needs it."
    assert found[1] == "3 columns are not used by the model: 'Town', 'x' and 'y'."
    assert found[2] == "'age' is nominal, but was numeric when the model was fitted."
    assert model.check({**TRAIN, "age": ["old"] * 20})[0].setting == "kinds={'age': 'numeric'}"


def test_predicting_says_nothing(model, recwarn):
    model.predict({"town": ["Genf"], "age": [1.0], "zip": [9]})
    assert len(recwarn) == 0
    with pytest.raises(learnt.errors.InputError, match=r"'town' is missing.*Is it 'Town'\?"):
        model.predict({"Town": ["Bern"], "age": [1.0], "zip": [1]})


def test_batches_add_up(model):
    whole, parts = UnseenLabels(model._fitted_schema()), UnseenLabels(model._fitted_schema())
    table = Table({"town": list("ABCA"), "age": [1.0] * 4, "zip": [1, 2, 3, 4]})
    whole.look(table)
    for i in range(4):
        parts.look(table.rows(i, i + 1))
    assert whole.notes() == parts.notes() != ()


def test_the_target_among_the_columns_is_no_news(model):
    schema = model._fitted_schema()
    assert extra_columns([*schema.names, "class"], schema, "class") == ()
    assert extra_columns([*schema.names, "class"], schema) == ()  # one that nobody knows is taken for it
    assert extra_columns([*schema.names, "id"], schema, "class")[0].text == "A column is not used by the model: 'id'."


@pytest.mark.parametrize(
    ("name", "names", "near"),
    [
        ("SEPAL LENGTH", ["sepal_width", "sepal_length"], "sepal_length"),
        ("heigth", ["weight", "height"], "height"),
        ("x", ["income"], None),
        ("+", ["-", "+-"], "+-"),
        (3, ["3"], None),
    ],
)
def test_names_are_near_whatever_their_case_and_signs(name, names, near):
    assert nearest_name(name, names) == near


def test_many_absent_columns_are_counted():
    words = absent_columns([f"c{i}" for i in range(9)], ["zz"], [f"c{i}" for i in range(9)])
    assert words.startswith("There is no column 'c0', nor 'c1', nor 'c2', nor 'c3', nor 5 more. The table has 'zz'.")
