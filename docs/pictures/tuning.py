"""Draw the picture of docs/tuning.md: `python docs/pictures/tuning.py`."""

from pathlib import Path

import matplotlib as mpl

import learnt

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    import matplotlib.pyplot as plt

    glass = learnt.datasets.load("glass")
    space = {"max_depth": [1, 2, 3, 4, 6, 8, None], "min_samples_leaf": [50, 20, 10, 5, 2, 1]}
    result = learnt.tune(learnt.DecisionTreeClassifier(), glass, space=space)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    result.plot("max_depth", "min_samples_leaf", ax=axes[0])
    result.plot("max_depth", ax=axes[1])
    figure.savefig(HERE / "tuning.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
