"""Draw the pictures of the pages on nearest neighbours: `python docs/pictures/k_neighbors.py`."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import learnt
from learnt.evaluate import draw_regions

HERE = Path(__file__).parent


def moons(n: int, seed: int):
    """Two arcs around each other, blurred."""
    rng = np.random.default_rng(seed)
    upper = rng.random(n) < 0.5
    angle = np.pi * rng.random(n)
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle)) + rng.normal(0, 0.28, n)
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle)) + rng.normal(0, 0.28, n)
    return {"across": x, "up": y}, np.where(upper, "above", "below")


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    import matplotlib.pyplot as plt

    rows, arc = moons(200, 0)
    figure, panes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for axes, k in zip(panes, (1, 15), strict=True):
        draw_regions(learnt.KNeighborsClassifier(n_neighbors=k).fit(rows, arc), rows, arc, ax=axes)
        for side in ("left", "right"):
            axes.set_title("", loc=side)
        axes.set_title("the nearest row answers" if k == 1 else f"the {k} nearest rows vote")
    panes[0].get_legend().remove()
    figure.savefig(HERE / "k_neighbors_regions.svg", metadata={"Date": None})

    rng = np.random.default_rng(1)
    x = np.sort(rng.random(45))
    y = np.sin(7 * x) + rng.normal(0, 0.25, 45)
    grid = np.linspace(-0.02, 1.02, 1000)[:, None]
    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    axes.plot(x, y, "o", color="0.55", markersize=4, label="rows")
    for settings, name, style in (
        ({"n_neighbors": 9}, "9 neighbours, uniform", "-"),
        ({"n_neighbors": 9, "weights": "tricube"}, "9 neighbours, tricube", "-"),
        ({"n_neighbors": "all", "weights": "distance2"}, "all, 1/d² (Shepard)", "--"),
    ):
        model = learnt.KNeighborsRegressor(**settings).fit(x[:, None], y)
        axes.plot(grid, model.predict(grid), style, lw=1.5, label=name)
    axes.set(xlabel="x", ylabel="target")
    axes.legend(frameon=False, ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "k_neighbors_curves.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
