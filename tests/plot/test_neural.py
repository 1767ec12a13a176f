import numpy as np
import pytest

from learnt import MLPClassifier, MLPRegressor
from learnt.errors import ParameterError


def test_losses_are_drawn_for_rows_learnt_from_and_held_out():
    x = np.random.default_rng(0).normal(size=(200, 2))
    model = MLPClassifier(early_stopping=True, max_iter=8).fit(x, x[:, 0] > 0)
    ax = model.plot_losses()
    assert [len(line.get_xdata()) for line in ax.lines] == [model.n_iter_, model.n_iter_, 1]
    assert len(MLPClassifier(max_iter=3).fit(x, x[:, 0] > 0).plot_losses().lines) == 1


def test_units_are_drawn_over_two_columns_the_strongest_first():
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=50), "b": rng.normal(size=50), "kind": rng.choice(["u", "v"], 50)}
    model = MLPRegressor(hidden_layer_sizes=(5, 20), max_iter=5).fit(table, table["a"])
    panels = np.ravel(model.plot_units(table, resolution=9))
    shown = [panel for panel in panels if panel.axison]
    assert len(shown) == 5
    unit = int(shown[0].get_title().split()[1])
    left, right, low, high = shown[0].images[0].get_extent()
    row = {
        "a": [left + (right - left) / 18],
        "b": [low + (high - low) / 18],
        "kind": [max(["u", "v"], key=list(table["kind"]).count)],
    }
    corner = shown[0].images[0].get_array()[0, 0]
    assert corner == pytest.approx(model.hidden_activations(row)[0, unit])
    assert len([p for p in np.ravel(model.plot_units(table, ["b", "kind"], layer=2, resolution=5)) if p.axison]) == 12
    with pytest.raises(ParameterError, match="from 1 to 2"):
        model.plot_units(table, layer=3)


def test_categories_have_a_cell_each_and_words_keep_within_the_picture():
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=60), "kind": rng.choice(["u", "v", "w"], 60), "b": rng.normal(size=60)}
    model = MLPRegressor(hidden_layer_sizes=(1,), max_iter=5).fit(table, table["a"])
    panel = np.ravel(model.plot_units(table, ["kind", "a"], resolution=7))[0]
    assert panel.images[0].get_extent()[:2] == [-0.5, 2.5]
    assert panel.images[0].get_interpolation() == "nearest"
    assert [tick.get_text() for tick in panel.get_xticklabels()] == ["u", "v", "w"]
    figure = panel.figure
    figure.draw_without_rendering()
    words = figure._suptitle.get_window_extent()
    assert 0 <= words.x0 < words.x1 <= figure.bbox.width
