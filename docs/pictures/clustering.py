"""Draw the pictures of docs/clustering.md: `python docs/pictures/clustering.py`."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import learnt
from learnt.plot.plane import look

HERE = Path(__file__).parent


def shapes() -> dict[str, np.ndarray]:
    """Four tables of two columns on which learners differ."""
    rng = np.random.default_rng(7)
    angle = rng.uniform(0, np.pi, 300)
    moon = np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.normal(scale=0.07, size=(300, 2))
    turned = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1) + rng.normal(scale=0.07, size=(300, 2))
    slanted = rng.normal(size=(450, 2)) @ [[0.6, -0.6], [-0.4, 0.8]] + np.repeat(
        [[-1.15, -1.15], [0, 0], [1.15, 1.15]], 150, 0
    )
    spreads = np.repeat([0.25, 0.6, 1.2], 150)[:, None]
    uneven = rng.normal(size=(450, 2)) * spreads + np.repeat([[-2.4, -0.6], [-1.2, 2.2], [1.4, -0.4]], 150, 0)
    return {
        "round": rng.normal(scale=0.6, size=(450, 2)) + np.repeat([[-2, 0], [0, 2.5], [2, 0]], 150, 0),
        "slanted": slanted,
        "uneven": uneven,
        "moons": np.vstack([moon, turned]),
    }


def learners(k: int, eps: float) -> dict[str, Any]:
    return {
        "KMeans": learnt.KMeans(k, n_init=10, random_state=0),
        "GaussianMixture": learnt.GaussianMixture(k, n_init=10, random_state=0),
        "Ward": learnt.AgglomerativeClustering(k),
        "single linkage": learnt.AgglomerativeClustering(k, linkage="single"),
        "DBSCAN": learnt.DBSCAN(eps, min_samples=8),
    }


def draw_shapes() -> plt.Figure:
    """A row per shape, a column per learner."""
    tables = shapes()
    reach = {"round": 0.4, "slanted": 0.3, "uneven": 0.42, "moons": 0.14}
    figure, grid = plt.subplots(len(tables), 5, figsize=(11, 8.2), layout="constrained")
    for row, (shape, points) in zip(grid, tables.items(), strict=True):
        made = learners(2 if shape == "moons" else 3, reach[shape])
        for ax, (name, learner) in zip(row, made.items(), strict=True):
            labels = learner.fit_predict(points)
            for c in np.unique(labels):
                ax.scatter(*points[labels == c].T, s=20 if c < 0 else 6, linewidths=0, rasterized=True, **look(int(c)))
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_color("0.85")
            if shape == "round":
                ax.set_title(name, fontsize=11)
        row[0].set_ylabel(shape, fontsize=11)
    return figure


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    iris = learnt.datasets.load("iris").drop("class")
    model = learnt.KMeans(3, n_init=10, random_state=0).fit(iris)
    contracts = learnt.datasets.load("labor").drop("class")
    groups = learnt.KMeans(3, n_init=10, random_state=0).fit(contracts)
    drawn = {
        "clusters_iris": learnt.draw_clusters(iris, model, ("petallength", "petalwidth")),
        "clusters_labor": learnt.draw_clusters(contracts, groups),
        "clusters_profile": learnt.profile_clusters(contracts, groups).plot(most=10),
    }
    for name, axes in drawn.items():
        axes.figure.savefig(HERE / f"{name}.svg", metadata={"Date": None})
    draw_shapes().savefig(HERE / "clusters_shapes.svg", dpi=150, metadata={"Date": None})


if __name__ == "__main__":
    main()
