"""The bundled tables: what their sources say they hold, and the textbook numbers they must give."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import learnt.datasets as datasets
from learnt.errors import InputError

# name: rows, columns with the target, nominal inputs, numeric inputs, missing cells, target, classes
SHAPES = {
    "breast_cancer": (286, 10, 9, 0, 9, "Class", 2),
    "contact_lenses": (24, 5, 4, 0, 0, "contact-lenses", 3),
    "cpu": (209, 7, 0, 6, 0, "class", 0),
    "glass": (214, 10, 0, 9, 0, "Type", 7),
    "iris": (150, 5, 0, 4, 0, "class", 3),
    "labor": (57, 17, 8, 8, 326, "class", 2),
    "vote": (435, 17, 16, 0, 392, "Class", 2),
    "weather_nominal": (14, 5, 4, 0, 0, "play", 2),
    "weather_numeric": (14, 5, 2, 2, 0, "play", 2),
    "play_tennis": (14, 5, 4, 0, 0, "play", 2),
    "organs": (9, 4, 3, 0, 0, "price", 0),
    "emails": (8, 4, 0, 3, 0, "class", 2),
    "enjoy_sport": (4, 7, 6, 0, 0, "enjoy", 2),
    "ten_points": (10, 3, 0, 2, 0, "y", 2),
}


@pytest.mark.parametrize("name", SHAPES)
def test_table_has_the_rows_kinds_missing_cells_and_classes_of_its_source(name):
    table = datasets.load(name)
    inputs = [table.kinds[column] for column in table.names if column != table.target]
    missing = sum(int(column.missing.sum()) for column in table.columns)
    classes = len(table[table.target].categories)
    assert SHAPES[name] == (
        *table.shape, inputs.count("nominal"), inputs.count("numeric"), missing, table.target, classes,
    )  # fmt: skip


def test_names_lists_every_table_once():
    assert datasets.names() == sorted(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_info_tells_source_licence_and_size(name):
    about = datasets.info(name)
    assert (about.name, about.rows, about.columns, about.target) == (
        name, SHAPES[name][0], SHAPES[name][1], SHAPES[name][5],
    )  # fmt: skip
    assert all(len(text) > 5 for text in (about.title, about.description, about.source, about.licence))
    assert about.title in str(about)
    assert about.licence in str(about)


def test_declared_levels_keep_their_order_and_those_without_rows():
    glass = datasets.load("glass")["Type"]
    assert glass.categories[3] == "vehic wind non-float"
    assert np.bincount(glass.values, minlength=7).tolist() == [70, 76, 17, 0, 13, 9, 29]
    assert datasets.load("weather.nominal")["outlook"].categories == ("sunny", "overcast", "rainy")


def test_every_table_is_also_a_function():
    assert datasets.play_tennis().to_dict() == datasets.load("play_tennis").to_dict()
    assert datasets.info("organs").description in datasets.organs.__doc__
    assert set(datasets.names()) <= set(dir(datasets))
    with pytest.raises(AttributeError, match="titanic"):
        datasets.titanic


def test_two_loads_share_no_memory():
    first = datasets.load("iris")
    first["petallength"].values[:] = 0
    assert datasets.load("iris")["petallength"].values.min() == 1.0


@pytest.mark.parametrize(
    ("wrong", "hint"), [("irsi", "'iris'"), ("play tennis", "'play_tennis'"), ("../manifest", "bundled")]
)
def test_unknown_name_is_an_error_with_the_nearest_one(wrong, hint):
    with pytest.raises(InputError, match=hint):
        datasets.load(wrong)


def test_loading_imports_no_pyarrow_and_no_pandas():
    code = (
        "import sys, learnt.datasets as d; d.load('iris');"
        "print(sorted({'pyarrow', 'pandas', 'narwhals', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Numbers of the textbooks, computed here in one line each.


def entropy(codes):
    share = np.bincount(codes) / len(codes)
    return -sum(p * np.log2(p) for p in share if p > 0)


def gain(table, column):
    play, codes = table["play"].values, table[column].values
    return entropy(play) - sum((codes == c).mean() * entropy(play[codes == c]) for c in set(codes.tolist()))


def test_play_tennis_gives_the_root_entropy_and_gains():
    t = datasets.play_tennis()
    assert_allclose(entropy(t["play"].values), 0.9403, atol=5e-5)
    gains = [gain(t, column) for column in ("outlook", "humidity", "wind", "temperature")]
    assert_allclose(gains, [0.2467, 0.1518, 0.0481, 0.0292], atol=5e-5)
    sunny, rain = (t.take(t["outlook"].values == code) for code in (0, 2))
    assert_allclose([gain(sunny, "humidity"), gain(rain, "wind")], [0.971, 0.971], atol=5e-4)


def test_play_tennis_gives_the_naive_bayes_counts():
    t = datasets.play_tennis().to_dict()
    days = list(zip(t["outlook"], t["humidity"], t["play"], strict=True))
    assert [t["play"].count(label) for label in ("No", "Yes")] == [5, 9]
    assert sum(outlook == "Sunny" and play == "No" for outlook, _, play in days) == 3
    assert sum(humidity == "High" and play == "No" for _, humidity, play in days) == 4


def test_play_tennis_is_weather_nominal_in_other_words():
    words = {"Rain": "rainy", "Weak": "FALSE", "Strong": "TRUE"}
    tennis = {k: [words.get(v, v.lower()) for v in cells] for k, cells in datasets.play_tennis().to_dict().items()}
    tennis["windy"] = tennis.pop("wind")
    assert tennis == datasets.weather_nominal().to_dict()


def test_organs_give_the_variance_reductions():
    t = datasets.organs()
    price = t["price"].values

    def mean_square(column):
        codes = t[column].values
        return sum((codes == c).sum() * price[codes == c].mean() ** 2 for c in set(codes.tolist())) / len(price)

    squares = np.array([mean_square(column) for column in ("model", "condition", "leslie")])
    assert_allclose(squares, [3.21e6, 2.68e6, 1.55e6], rtol=5e-3)
    assert_allclose(squares - price.mean() ** 2, [1668111, 1140040, 6050], atol=1)


def test_emails_give_the_word_frequencies():
    t = datasets.emails()
    counts = np.column_stack([t[word].values for word in "abc"])
    spam = np.array(t["class"].labels()) == "spam"
    smoothed = [(part.sum(0) + 1) / (part.sum() + 3) for part in (counts[spam], counts[~spam])]
    assert_allclose(smoothed, [[0.3, 0.5, 0.2], [0.6, 0.2, 0.2]])
    present = [((part > 0).sum(0) + 1) / 6 for part in (counts[spam], counts[~spam])]
    assert_allclose(present, [[3 / 6, 4 / 6, 2 / 6], [4 / 6, 2 / 6, 2 / 6]])


def test_enjoy_sport_has_973_conjunctions_and_the_most_special_one_of_its_positives():
    t = datasets.enjoy_sport()
    sizes = [len(t[name].categories) for name in t.names[:-1]]
    assert 1 + np.prod([size + 1 for size in sizes]) == 973
    positives = t.take(np.array(t["enjoy"].labels()) == "Yes").to_dict()
    common = [cells[0] if len(set(cells)) == 1 else "?" for name, cells in positives.items() if name != "enjoy"]
    assert common == ["Sunny", "Warm", "?", "Strong", "?", "?"]


def test_ten_points_give_the_four_bell_curves():
    t = datasets.ten_points()
    yes = np.array(t["y"].labels()) == "Yes"
    found = [(x[rows].mean(), x[rows].std()) for rows in (yes, ~yes) for x in (t["x1"].values, t["x2"].values)]
    expected = [(-0.682, 1.2251), (0.866, 0.4761), (1.59, 0.5302), (2.988, 0.5792)]
    assert_allclose(found, expected, atol=5e-5)
