"""Draws the pictures of gradient boosting: `python docs/pictures/boosting.py` writes them anew."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import learnt

HERE = Path(__file__).parent
mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(HERE / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def draw_descent() -> None:
    """The rows of the classifier's page, with more patience."""
    rng = np.random.default_rng(0)
    rows = {f"x{j}": rng.normal(size=4000) for j in range(5)}
    noisy = rows["x0"] * rows["x1"] + rows["x2"] + rng.normal(size=4000) > 0
    model = learnt.GradientBoostingClassifier(max_iter=500, early_stopping=True, n_iter_no_change=60)
    axes = model.fit(rows, noisy).plot_descent()
    axes.set_title("4000 noisy rows: rows held out tell when to stop", fontsize=10)
    save(axes.figure, "boosting_descent")


def draw_quantiles() -> None:
    """The rows of the regressor's page."""
    rng = np.random.default_rng(0)
    x = rng.random(4000)
    y = np.sin(6 * x) + (0.1 + 0.6 * x) * rng.normal(size=4000)
    grid = np.linspace(0, 1, 500)
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.plot(x[::10], y[::10], ".", color="0.7", ms=2.5)
    said = {}
    for level in (0.1, 0.5, 0.9):
        model = learnt.GradientBoostingRegressor(loss="quantile", quantile=level, max_iter=60, max_leaf_nodes=8)
        said[level] = model.fit({"x": x}, y).predict({"x": grid})
    ax.fill_between(grid, said[0.1], said[0.9], color="C0", alpha=0.2, lw=0, label="from quantile 0.1 to 0.9")
    ax.plot(grid, said[0.5], color="C0", lw=1.6, label="median")
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    ax.legend(frameon=False)
    save(figure, "boosting_quantiles")


if __name__ == "__main__":
    draw_descent()
    draw_quantiles()
