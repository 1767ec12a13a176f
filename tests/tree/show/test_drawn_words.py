"""What drawings say: whole thresholds, missing cells, and labels that keep clear of the counts beside them."""

import numpy as np
import pytest

from learnt import DecisionTreeClassifier, DecisionTreeRegressor
from learnt.show.sheet import Box, Words, text_width
from learnt.tree.show.conditions import Among, Between, threshold_text


def gaps():
    x = {"income": [1410.0, 1411.0, 1400.0, 1500.0, None, None], "town": list("aabbcc")}
    return DecisionTreeClassifier().fit(x, ["no", "yes", "no", "yes", "yes", "yes"])


@pytest.mark.parametrize("show", [str, lambda m: m.to_dot(), lambda m: m.draw().svg, lambda m: m._repr_html_()])
def test_every_picture_of_a_tree_names_the_threshold_and_where_missing_cells_go(show):
    text = show(gaps())
    assert "1410.5" in text
    assert "(or missing)" in text


def test_an_explanation_names_them_too():
    told = str(gaps().explain({"income": [None], "town": ["a"]})[0])
    assert "> 1410.5 (or missing)" in told


@pytest.mark.parametrize("seed", range(20))
def test_a_threshold_of_decimal_cells_is_never_shown_across_a_row(seed):
    rng = np.random.default_rng(seed)
    places = int(rng.integers(0, 5))
    cells = np.unique((rng.normal(size=50) * 10.0 ** rng.integers(0, 6)).round(places))
    for low, high in zip(cells[:-1].tolist(), cells[1:].tolist(), strict=True):
        for kind in (np.float64, np.float32):
            a, b = float(kind(low)), float(kind(high))
            shown = float(threshold_text(a / 2 + b / 2).replace("−", "-"))
            assert a <= shown < b or (kind is np.float32 and (b - a) < 1e-6 * abs(a))


def test_a_long_branch_is_cut_before_it_says_that_missing_cells_follow():
    text = Among("town", tuple(f"town number {i}" for i in range(9)), missing=True).short(30)
    assert len(text) == 30
    assert text.endswith("… (or missing)")
    assert Between("x", 1.0, None, missing=True).short(30) == "> 1 (or missing)"


@pytest.mark.parametrize("numbers", [False, True])
def test_words_in_a_box_end_before_the_next_words_begin(numbers):
    from matplotlib.textpath import TextPath

    labels = ["WWWWWWWWWW MMMMMMMMM", "a mammal of the northern sea"]
    names = ["The Width Of A Wing In MM", "HOW MANY LEGS IT HAS (2024)"]
    rng = np.random.default_rng(0)
    x = {name: rng.normal(size=60) * 1e6 for name in names}
    y = x[names[0]] > 0
    model = DecisionTreeRegressor(max_depth=3).fit(x, y * 1e9) if numbers else None
    model = model or DecisionTreeClassifier(max_depth=3).fit(x, [labels[int(c)] for c in y])
    sheet = model.draw().sheet
    words = [shape for shape in sheet.shapes if isinstance(shape, Words)]
    for one in words:
        drawn = TextPath((0, 0), one.text, size=one.size, prop={"weight": "bold" if one.bold else "normal"})
        assert drawn.get_extents().width <= text_width(one.text, one.size, one.bold) + 0.5
        for other in words:
            if other is not one and abs(other.y - one.y) < 8 and other.x > one.x:
                assert one.x + text_width(one.text, one.size, one.bold) <= other.x
    for box in (shape for shape in sheet.shapes if isinstance(shape, Box) and shape.title):
        inside = [w for w in words if box.x <= w.x < box.x + box.width and box.y <= w.y <= box.y + box.height]
        assert all(w.x + text_width(w.text, w.size, w.bold) <= box.x + box.width for w in inside)
