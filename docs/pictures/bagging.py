"""Draws the pictures of bagging and AdaBoost: `python docs/pictures/bagging.py` writes them anew."""

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


def draw_margins() -> None:
    """Training error is 0 from some round on; margins still grow."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5))
    y = (x**2).sum(axis=1) > 4.35
    axes = None
    for rounds in (10, 100, 1000):
        model = learnt.AdaBoostClassifier(learnt.DecisionTreeClassifier(max_depth=3), n_estimators=rounds).fit(x, y)
        wrong = f"{model.training_error_[-1]:.0%} wrong"
        axes = model.margins(x, y).plot(axes, label=f"{len(model.estimators_)} rounds, {wrong}")
    assert axes is not None
    axes.spines[["top", "right"]].set_visible(False)
    axes.figure.set_size_inches(6.4, 4.2)
    axes.set_title("More rounds after the last mistake: the least margins grow", fontsize=10)
    save(axes.figure, "adaboost_margins")


def draw_rounds() -> None:
    """What the bound promises, and what happens."""
    rng = np.random.default_rng(1)
    x, test = rng.normal(size=(400, 5)), rng.normal(size=(4000, 5))
    model = learnt.AdaBoostClassifier(n_estimators=300).fit(x, (x**2).sum(axis=1) > 4.35)
    fresh = [1 - s for s in model.staged_score(test, (test**2).sum(axis=1) > 4.35)]
    rounds = np.arange(1, len(fresh) + 1)
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.plot(rounds, model.bound_, color="0.6", ls="--", label="bound")
    ax.plot(rounds, model.training_error_, label="training rows")
    ax.plot(rounds, fresh, label="fresh rows")
    ax.set_xlabel("rounds")
    ax.set_ylabel("share of rows wrong")
    ax.set_ylim(0, 1)
    ax.legend()
    ax.set_title("300 stumps on a ball in five dimensions", fontsize=10)
    save(figure, "adaboost_rounds")


def draw_bagging() -> None:
    """One tree, and the mean of a hundred trees of other samples of the same rows."""
    rng = np.random.default_rng(3)
    x = np.sort(rng.random(80))
    y = np.sin(6 * x) + 0.35 * rng.normal(size=80)
    grid = np.linspace(0, 1, 800)
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.plot(x, y, ".", color="0.55", ms=5, label="rows")
    ax.plot(grid, np.sin(6 * grid), color="0.3", ls="--", lw=1, label="truth")
    single = learnt.DecisionTreeRegressor().fit({"x": x}, y)
    bag = learnt.BaggingRegressor(n_estimators=100).fit({"x": x}, y)
    ax.plot(grid, single.predict({"x": grid}), color="C1", lw=1, alpha=0.8, label="one tree")
    ax.plot(grid, bag.predict({"x": grid}), color="C0", lw=2, label="mean of 100 bagged trees")
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    ax.legend()
    save(figure, "bagging_tree")


if __name__ == "__main__":
    draw_margins()
    draw_rounds()
    draw_bagging()
