"""Pictures of clusters: what is drawn, what is said of what is not, and hostile tables."""

from __future__ import annotations

import io
import time

import matplotlib as mpl
import numpy as np
import pytest

import learnt
from learnt import datasets
from learnt.errors import InputError, ParameterError

mpl.use("Agg")
IRIS = datasets.load("iris").drop("class")
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def legend(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def size_of_svg(axes) -> int:
    buffer = io.BytesIO()
    axes.figure.savefig(buffer, format="svg")
    return len(buffer.getvalue())


def test_rows_lie_where_their_columns_say_with_a_centre_at_their_mean():
    labels = np.repeat([0, 1, 2], 50)
    axes = learnt.draw_clusters(IRIS, labels, ("petallength", "petalwidth"))
    drawn = np.vstack([points.get_offsets() for points in axes.collections])
    x, y = (np.asarray(IRIS[name].values) for name in ("petallength", "petalwidth"))
    assert {tuple(p) for p in drawn.tolist()} == set(zip(x.tolist(), y.tolist(), strict=True))
    centres = [tuple(float(v[0]) for v in line.get_data()) for line in axes.lines]
    wanted = [(x[labels == c].mean(), y[labels == c].mean()) for c in range(3)]
    np.testing.assert_allclose(centres, wanted)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("petallength", "petalwidth")


def test_the_legend_tells_sizes_and_puts_noise_last():
    labels = np.r_[np.zeros(100, int), np.full(20, -1), np.ones(30, int)]
    assert legend(learnt.draw_clusters(IRIS, labels)) == [
        "0: 100 rows, 67 %",
        "1: 30 rows, 20 %",
        "noise: 20 rows, 13 %",
    ]


def test_more_columns_than_two_are_drawn_in_the_two_main_directions():
    axes = learnt.draw_clusters(IRIS, learnt.KMeans(3, random_state=0).fit(IRIS))
    assert axes.get_xlabel().startswith("component 0, 73 % of the variance\npetallength, petalwidth")
    drawn = np.vstack([points.get_offsets() for points in axes.collections])
    z = np.array(IRIS)
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    values = np.linalg.svd(z, compute_uv=False)[:2]
    np.testing.assert_allclose(np.sqrt((drawn**2).sum(axis=0)), values, rtol=1e-9)


def test_a_hundred_thousand_rows_are_painted_fast_and_small():
    centres = RNG.normal(scale=6, size=(5, 2))
    labels = RNG.integers(0, 5, 100_000)
    points = centres[labels] + RNG.normal(size=(100_000, 2))
    start = time.process_time()
    axes = learnt.draw_clusters(points, labels)
    size = size_of_svg(axes)
    assert time.process_time() - start < 5
    assert size < 1_500_000
    assert len(axes.images) == 1
    assert not axes.collections
    assert "100,000 rows" in axes.get_title(loc="left")


def test_a_spot_has_the_mean_colour_of_its_rows_and_empty_spots_have_none():
    points = np.repeat([[0.0, 0.0], [1.0, 1.0]], 15_000, axis=0)
    labels = np.repeat([0, 1], 15_000)
    pixels = np.asarray(learnt.draw_clusters(points, labels).images[0].get_array())
    painted = pixels[pixels[..., 3] > 0]
    from matplotlib.colors import to_rgb

    from learnt.show.palette import class_colour

    assert len(painted) == 2
    np.testing.assert_allclose(painted[:, :3], [to_rgb(class_colour(0)), to_rgb(class_colour(1))], atol=1e-6)


def test_rows_without_a_place_are_counted_and_filled_ones_too():
    labor = datasets.load("labor").drop("class")
    labels = np.arange(57) % 2
    axes = learnt.draw_clusters(labor, labels, ("pension", "working-hours"))
    seen = ~(labor["pension"].missing | labor["working-hours"].missing)
    assert f"{57 - seen.sum()} rows with missing cells not drawn" in axes.get_title(loc="left")
    assert [t.get_text() for t in axes.get_xticklabels()] == list(labor["pension"].categories)
    assert not axes.lines  # names have no mean, so that no centre is marked
    assert "56 rows with missing cells" in learnt.draw_clusters(labor, labels).get_title(loc="left")


@pytest.mark.parametrize(
    "table",
    [
        {"x": [1.0]},
        {"x": [1.0, 2.0]},
        {"x": [3.0, 3.0], "y": [1.0, 1.0]},
        {"a": ["u", "v"]},
        {"$x$": [1, 2], "$\\": [1, 2]},
    ],
)
def test_tiny_and_odd_tables_are_drawn(table):
    n = len(next(iter(table.values())))
    assert size_of_svg(learnt.draw_clusters(table, [0] * n)) > 1000


def test_wrong_columns_and_empty_tables_are_refused():
    with pytest.raises(InputError, match="Did you mean 'petalwidth'"):
        learnt.draw_clusters(IRIS, [0] * 150, ("petalwith", "petallength"))
    with pytest.raises(ParameterError, match="Expected two"):
        learnt.draw_clusters(IRIS, [0] * 150, ("petalwidth",))
    with pytest.raises(ParameterError, match="Expected 'pca'"):
        learnt.draw_clusters(IRIS, [0] * 150, "petalwidth")
    with pytest.raises(InputError, match="no rows"):
        learnt.draw_clusters({"x": [], "y": []}, [])


def test_the_heat_map_shows_the_most_telling_columns():
    labels = learnt.KMeans(3, random_state=0).fit(IRIS).labels_
    profile = learnt.profile_clusters(IRIS, labels)
    axes = profile.plot(most=2)
    names = [t.get_text() for t in axes.get_yticklabels()]
    strongest = max((t for c in profile for t in c.traits), key=lambda t: abs(t.effect))
    assert len(names) == 2
    assert names[0] == strongest.column
    assert "2 most telling of 4 columns" in axes.get_xlabel()
