"""Draw the pictures of docs/regions.md: `python docs/pictures/regions.py`."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import learnt
from learnt.evaluate import draw_regions, draw_voronoi

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    iris = learnt.datasets.load("iris")
    tree = learnt.DecisionTreeClassifier(max_depth=3).fit(iris)
    cancer = learnt.datasets.load("breast_cancer")
    bayes = learnt.NaiveBayesClassifier().fit(cancer)
    points = np.random.default_rng(0).normal(size=(40, 2))
    labels = np.where(points[:, 0] * points[:, 1] > 0, "like", "unlike")
    drawn = {
        "regions_tree": draw_regions(tree, iris),
        "regions_bayes": draw_regions(bayes, cancer, columns=["inv-nodes", "deg-malig"]),
        "voronoi": draw_voronoi(points, labels),
    }
    for name, axes in drawn.items():
        axes.figure.savefig(HERE / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
