"""The pictures of the pages on hierarchies and DBSCAN: python docs/pictures/hierarchies.py"""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import learnt

HERE = Path(__file__).parent


def main() -> None:
    iris = learnt.datasets.load("iris")
    species = [name.removeprefix("Iris-") for name in iris["class"].labels()]
    few = np.arange(0, 150, 10)
    rows = iris.drop("class")
    axes = learnt.AgglomerativeClustering(3).fit(rows.take(few)).dendrogram([species[i] for i in few])
    save(axes, "dendrogram_few")
    rng = np.random.default_rng(0)
    many = 3 * rng.normal(size=(30, 10))[rng.integers(0, 30, 10_000)] + rng.normal(size=(10_000, 10))
    save(learnt.AgglomerativeClustering(12).fit(many).dendrogram(most=40), "dendrogram_many")
    save(learnt.suggest_eps(rows, 5).plot(), "dbscan_eps")


def save(axes: Any, name: str) -> None:
    axes.figure.savefig(HERE / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"
    main()
