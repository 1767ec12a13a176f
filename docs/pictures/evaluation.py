"""Draw the pictures of docs/evaluation.md: `python docs/pictures/evaluation.py`."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import learnt
from learnt.plot.resampling import plot_bias_variance

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    glass = learnt.datasets.load("glass")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    learnt.learning_curve(learnt.DecisionTreeClassifier(), glass, cv=5, repeats=4).plot(ax=left)
    left.set_title("More rows: a tree on glass fragments")
    learnt.validation_curve(
        learnt.DecisionTreeClassifier(), glass, parameter="max_depth", values=[1, 2, 3, 4, 6, 8, 12], repeats=4
    ).plot(ax=right)
    right.set_title("Deeper trees: better, then only by heart")
    figure.savefig(HERE / "evaluation_curves.svg", metadata={"Date": None})

    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, size=(300, 1))
    truth = np.sin(2 * x[:, 0])
    y = truth + 0.3 * rng.normal(size=300)
    learners = {
        "mean": learnt.MeanRegressor(),
        "straight line": learnt.LinearRegression(),
        "tree of depth 4": learnt.DecisionTreeRegressor(max_depth=4),
        "full tree": learnt.DecisionTreeRegressor(),
    }
    parts = [learnt.bias_variance(learner, x, y, truth=truth) for learner in learners.values()]
    axes = plot_bias_variance(parts, list(learners))
    axes.figure.savefig(HERE / "bias_variance.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
