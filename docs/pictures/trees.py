"""Draws the trees that the pages show: `python docs/pictures/trees.py` writes them anew. A test compares them."""

from pathlib import Path

import learnt

HERE = Path(__file__).parent


def pictures():
    """(name of the file, fitted tree) of every picture."""
    tennis = learnt.datasets.load("play_tennis")
    yield "play_tennis", learnt.ID3Classifier().fit(tennis)
    yield "labor_c45", learnt.C45Classifier().fit(learnt.datasets.load("labor"))
    iris = learnt.datasets.load("iris")
    yield "iris_cart", learnt.DecisionTreeClassifier(prune="cost_complexity_1se", random_state=0).fit(iris)
    yield "cpu_cart", learnt.DecisionTreeRegressor(max_leaf_nodes=8).fit(learnt.datasets.load("cpu"))
    yield "weather_c45", learnt.C45Classifier().fit(learnt.datasets.load("weather_numeric"))
    yield "vote_stump", learnt.DecisionStumpClassifier().fit(learnt.datasets.load("vote"))
    yield "cpu_stump", learnt.DecisionStumpRegressor().fit(learnt.datasets.load("cpu"))
    glass = learnt.datasets.load("glass")
    yield "glass_c45", learnt.C45Classifier().fit(glass)


if __name__ == "__main__":
    for name, tree in pictures():
        tree.draw(HERE / f"{name}.svg")
